#include "soft_ball.h"

__extension__ typedef __float128 quad;

const SoftBall SOFT_BALL[SOFT_BALLS] = {
    {"billiard", {0.9, 0.95, 0.01}, {0.01, 0.2}, 9.81, 0.1, -1, 0.35},
    {"default", {0.9, 0.95, 0.001}, {0.02, 1}, 9.81, 0.1, -1, 0.12},
    {"toss", {0, 0.95, 0.001}, {0.005, 1}, 9.81, 0.1, -1, 0.12},
};

/* s: in flight, where the method is exact for any step, and in contact; m/s: width of the differences. */
#define FLIGHT_STEP  1e-3
#define CONTACT_STEP 2e-6
#define DIFFERENCE   1e-6
/* MuJoCo's least impedance. */
#define LEAST 1e-4
/* Halvings of a step that an event ends: 2^-100 of it. */
enum { HALVINGS = 100 };

/* Which of the law's three pieces holds. */
typedef enum { FREE, PUSHED, SLACK } Piece;

typedef struct State {
    quad r, v;
} State;

static quad larger(quad a, quad b) { return a > b ? a : b; }
static quad smaller(quad a, quad b) { return a < b ? a : b; }

static quad impedance(const SoftBall *ball, quad r) {
    quad x = smaller(1, -r / ball->solimp[2]), low = larger(ball->solimp[0], LEAST), high = ball->solimp[1];
    quad y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    return low + y * (high - low);
}

/* -b v - k d r */
static quad reference(const SoftBall *ball, State s) {
    quad most = ball->solimp[1], t = ball->solref[0], damping = ball->solref[1];
    quad b = 2 / (most * t), k = 1 / (most * most * t * t * damping * damping);
    return -b * s.v - k * impedance(ball, s.r) * s.r;
}

static quad acceleration(const SoftBall *ball, Piece piece, State s) {
    quad g = ball->gravity, d = impedance(ball, s.r);
    return piece == PUSHED ? d * reference(ball, s) - (1 - d) * g : -g;
}

static State moved(State s, quad h, State rate) { return (State){s.r + h * rate.r, s.v + h * rate.v}; }

static State rate_at(const SoftBall *ball, Piece piece, State s) { return (State){s.v, acceleration(ball, piece, s)}; }

/* One step of the classical fourth-order method. */
static State step(const SoftBall *ball, Piece piece, State s, quad h) {
    State k1 = rate_at(ball, piece, s), k2 = rate_at(ball, piece, moved(s, h / 2, k1));
    State k3 = rate_at(ball, piece, moved(s, h / 2, k2)), k4 = rate_at(ball, piece, moved(s, h, k3));
    State mean = {(k1.r + 2 * k2.r + 2 * k3.r + k4.r) / 6, (k1.v + 2 * k2.v + 2 * k3.v + k4.v) / 6};
    return moved(s, h, mean);
}

/* The piece of the law that s belongs to. */
static Piece piece_at(const SoftBall *ball, State s) {
    if (s.r >= 0) return FREE;
    return reference(ball, s) > -ball->gravity ? PUSHED : SLACK;
}

/* s <- the end of a step of at most h that stays in the piece; *h: its length. -> the next piece */
static Piece step_to_event(const SoftBall *ball, Piece piece, State *s, quad *h) {
    State end = step(ball, piece, *s, *h);
    Piece next = piece_at(ball, end);
    quad inside = 0, outside = *h;
    for (int i = 0; i < HALVINGS && next != piece; i++) {
        quad middle = (inside + outside) / 2;
        State there = step(ball, piece, *s, middle);
        if (piece_at(ball, there) == piece) {
            inside = middle;
        } else {
            outside = middle;
            end = there;
        }
    }
    *h = outside, *s = end;
    return piece_at(ball, end);
}

/* Only the first step in a piece starts outside of it by rounding: it is then already the next one's. */
static State state_after(const SoftBall *ball, quad speed) {
    State s = {ball->gap, speed};
    Piece piece = piece_at(ball, s);
    for (quad t = 0; t < ball->time;) {
        quad h = smaller(ball->time - t, piece == FREE ? FLIGHT_STEP : CONTACT_STEP);
        piece = step_to_event(ball, piece, &s, &h);
        t += h;
    }
    return s;
}

SoftBallEnd soft_ball_end(const SoftBall *ball) {
    quad width = DIFFERENCE;
    State here = state_after(ball, ball->speed);
    State up = state_after(ball, ball->speed + width), down = state_after(ball, ball->speed - width);
    return (SoftBallEnd){(double)here.r, (double)here.v, (double)((up.r - down.r) / (2 * width)),
                         (double)((up.v - down.v) / (2 * width))};
}
