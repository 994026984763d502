/* DiffMJX, Fig. 4: a point comes down on a wall at 1 m/s, without gravity; where it is after 2 s, and the derivative of
 * that by where it starts. The wall is ideal (the velocity turns round) or a penalty: q'' = -q' - 50 q inside.
 *
 * The penalty's acceleration jumps where contact begins and where it ends. The derivative of a sequence of small steps
 * leaves out what moves with the times of these jumps. Both jumps cancel in a contact that is over; in one that is not
 * the derivative is wrong however small the steps are. */
#include "experiments/experiment.h"
#include "experiments/plot.h"

#include "measure/agreement.h"

#include <math.h>
#include <stdlib.h>

#define BAR       1e-6
#define SPEED     (-1.0) /* m/s */
#define SPAN      2.0    /* s */
#define DAMPING   1.0    /* 1/s */
#define STIFFNESS 50.0   /* 1/s^2 */
#define FARTHEST  3.0    /* m: starts are 0 to 3 m from the wall */
#define TOLERANCE 1e-10
#define CORNER    1e-6 /* m: starts nearer to a corner of the closed form are left out */
/* Least error of the slope through small unrolled steps, largest over all starts. */
#define LEAST_MISS 0.12
enum { STARTS = 2000, SMALL_STEPS = 20000, LARGE_STEPS = 20 };

typedef enum { IDEAL, PENALTY, WALLS } Wall;
static const char *const WALL_NAMES[WALLS] = {"ideal", "penalty"};

/* dq_T/dq_0 at every start. */
typedef struct Slopes {
    double exact[STARTS], events[STARTS], small[STARTS], large[STARTS];
} Slopes;

static double start_at(int k) { return FARTHEST * k / (STARTS - 1); }

/* --- The closed form --------------------------------------------------------------------------------------------- */

static double frequency(void) { return sqrt(STIFFNESS - DAMPING * DAMPING / 4); }
/* s: how long a contact with the penalty lasts. */
static double contact_time(void) { return acos(-1.0) / frequency(); }

/* t seconds after the penalty's contact began: q = v_0/w e^(-c t/2) sin(w t), and its rate. */
static double speed_inside(double t) {
    double w = frequency();
    return SPEED * exp(-DAMPING * t / 2) * (cos(w * t) - DAMPING / (2 * w) * sin(w * t));
}

/* 1 before contact; -v(T) in contact, as q_T is a function of T - q_0/|v_0|; -|v+/v_0| after it. */
static double exact_slope(Wall wall, double start) {
    double inside = SPAN + start / SPEED;
    if (inside <= 0) return 1;
    if (wall == IDEAL) return -1;
    return speed_inside(fmin(inside, contact_time())) / SPEED;
}

static int near_corner(Wall wall, double start) { return wall == IDEAL && fabs(start + SPAN * SPEED) < CORNER; }

/* --- Steps unrolled ---------------------------------------------------------------------------------------------- */

/* A number and its derivative by the start. */
typedef struct Dual {
    double value, slope;
} Dual;

static Dual add_times(Dual a, double h, Dual b) { return (Dual){a.value + h * b.value, a.slope + h * b.slope}; }

static Dual penalty(Dual q, Dual v) {
    return (Dual){-DAMPING * v.value - STIFFNESS * q.value, -DAMPING * v.slope - STIFFNESS * q.slope};
}

/* Semi-implicit Euler and its derivative, step by step. */
static double unrolled_slope(Wall wall, double start, int steps) {
    double h = SPAN / steps;
    Dual q = {start, 1}, v = {SPEED, 0};
    for (int k = 0; k < steps; k++) {
        if (q.value < 0 && wall == PENALTY) v = add_times(v, h, penalty(q, v));
        if (q.value < 0 && wall == IDEAL && v.value < 0) v = (Dual){-v.value, -v.slope};
        q = add_times(q, h, v);
    }
    return q.slope;
}

/* --- With events ------------------------------------------------------------------------------------------------- */

static int fall(void *user, const double *x, const double *theta, const unsigned char *on, double *rate) {
    (void)user;
    (void)theta;
    rate[0] = x[1];
    rate[1] = on[0] ? -DAMPING * x[1] - STIFFNESS * x[0] : 0;
    return 0;
}

static int fall_jac(void *user, const double *x, const double *theta, const unsigned char *on, double *f_x,
                    double *f_theta) {
    (void)user;
    (void)x;
    (void)theta;
    (void)f_theta;
    f_x[0] = 0;
    f_x[1] = 1;
    f_x[2] = on[0] ? -STIFFNESS : 0;
    f_x[3] = on[0] ? -DAMPING : 0;
    return 0;
}

/* The gap is q itself. */
static int gap_of(void *user, const double *x, const double *theta, double *gap, double *gap_x, double *gap_theta) {
    (void)user;
    (void)theta;
    (void)gap_theta;
    if (gap != NULL) gap[0] = x[0];
    if (gap_x != NULL) {
        gap_x[0] = 1;
        gap_x[1] = 0;
    }
    return 0;
}

static int turn_round(void *user, int i, double *x, const double *theta, double *x_x, double *x_theta) {
    (void)user;
    (void)i;
    (void)theta;
    (void)x_theta;
    x[1] = -x[1];
    if (x_x != NULL) {
        x_x[0] = 1;
        x_x[1] = 0;
        x_x[2] = 0;
        x_x[3] = -1;
    }
    return 0;
}

static int events_slopes(tacFindings *found, Wall wall, Slopes *s) {
    tacOde ode = {.n = 2, .ngap = 1, .f = fall, .f_jac = fall_jac, .gaps = gap_of};
    if (wall == IDEAL) ode.reset = turn_round;
    tacOdeOptions options = tac_default_ode_options();
    options.rtol = options.atol = TOLERANCE;
    tacError err;
    size_t bytes = tac_ode_bytes(&ode, &options, &err);
    if (bytes == 0) return experiment_fail(found, "%s", err.text);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL) return experiment_fail(found, "out of memory");
    int result = EXPERIMENT_GO_ON;
    for (int k = 0; k < STARTS && result == EXPERIMENT_GO_ON; k++) {
        double A[4], start[2] = {start_at(k), SPEED};
        tacStatus status = tac_ode_jac(&ode, &options, SPAN, start, NULL, NULL, &(tacOdeJac){.x = A}, memory, NULL);
        if (status != TAC_OK)
            result = experiment_fail(found, "%s, start %g m: %s", WALL_NAMES[wall], *start, tac_status_text(status));
        s->events[k] = A[0];
    }
    free(memory);
    return result;
}

/* --- What came out ----------------------------------------------------------------------------------------------- */

/* Largest |slope - exact slope| at the starts from `from` to `to` that are near no corner. */
static double miss_between(Wall wall, const double *slope, const double *exact, double from, double to) {
    double worst = 0;
    for (int k = 0; k < STARTS; k++) {
        double start = start_at(k);
        if (start >= from && start <= to && !near_corner(wall, start)) worst = worse(worst, fabs(slope[k] - exact[k]));
    }
    return worst;
}

static int find_slopes(tacFindings *found, Wall wall, Slopes *s) {
    for (int k = 0; k < STARTS; k++) {
        s->exact[k] = exact_slope(wall, start_at(k));
        s->small[k] = unrolled_slope(wall, start_at(k), SMALL_STEPS);
        s->large[k] = unrolled_slope(wall, start_at(k), LARGE_STEPS);
    }
    return events_slopes(found, wall, s);
}

/* -> does the criterion hold for this wall? */
static int report(tacFindings *found, Wall wall, const Slopes *s) {
    double still = -SPAN * SPEED, over = still - contact_time();
    double events = miss_between(wall, s->events, s->exact, 0, FARTHEST);
    double during = miss_between(wall, s->small, s->exact, over, still);
    double after = miss_between(wall, s->small, s->exact, 0, over);
    json_t *object = json_object();
    experiment_put(found, object, "miss_with_events", events);
    experiment_put(found, object, "miss_small_steps_in_contact", during);
    experiment_put(found, object, "miss_small_steps_after_contact", after);
    experiment_put(found, object, "slope_after_contact", s->exact[0]);
    experiment_put(found, object, "slope_after_contact_small_steps", s->small[0]);
    json_object_set_new(found->tactus, WALL_NAMES[wall], object);
    experiment_say(found, "  %-8s with events within %.1e of the closed form at %d starts", WALL_NAMES[wall], events,
                   STARTS);
    experiment_say(found, "  %-8s steps of 1e-4 s unrolled: off by at most %.4f in contact at the end, %.1e after it",
                   "", during, after);
    int shown = wall == IDEAL ? s->small[0] > 0 && s->exact[0] < 0 : during > LEAST_MISS;
    return events <= BAR && shown;
}

static void draw(FILE *file, const Slopes *ideal, const Slopes *soft) {
    double start[STARTS];
    for (int k = 0; k < STARTS; k++)
        start[k] = start_at(k);
    tacPlot plot = {.file = file,
                    .title = "A point and a wall: how the end moves with the start",
                    .subtitle =
                        "derivative of the place after 2 s by the place at first, which is 0 to 3 m from the wall",
                    .x1 = FARTHEST,
                    .y0 = -1.5,
                    .y1 = 2.5};
    const struct {
        const char *colour, *text;
        const double *slope;
    } curve[] = {{"bad", "ideal wall, steps of 1e-4 s unrolled", ideal->small},
                 {"two", "ideal wall, with events: closed form to rounding", ideal->events},
                 {"soft", "penalty, steps of 0.1 s unrolled", soft->large},
                 {"one", "penalty, steps of 1e-4 s unrolled", soft->small},
                 {"own", "penalty, with events: closed form within 1e-6", soft->events}};
    plot_begin(&plot);
    plot_axes(&plot, "start, m", "derivative");
    for (int i = 0; i < (int)(sizeof curve / sizeof *curve); i++) {
        plot_curve(&plot, curve[i].colour, STARTS, start, curve[i].slope);
        plot_note(&plot, (tacPlotNote){curve[i].colour, "start", 0, plot.y1, 12, 18 + 17 * i}, "%s", curve[i].text);
    }
    plot_end(&plot);
}

int diffmjx_point_mass(tacFindings *found) {
    Slopes *slopes = calloc(WALLS, sizeof *slopes);
    if (slopes == NULL) return experiment_fail(found, "out of memory");
    int result = EXPERIMENT_GO_ON;
    found->pass = 1;
    for (int wall = 0; wall < WALLS && result == EXPERIMENT_GO_ON; wall++) {
        result = find_slopes(found, (Wall)wall, &slopes[wall]);
        if (result == EXPERIMENT_GO_ON && !report(found, (Wall)wall, &slopes[wall])) found->pass = 0;
    }
    json_object_set_new(found->paper, "dq_dq", json_string("1, -1 (ideal), -0.8003536 (penalty), -v(T) in contact"));
    if (result == EXPERIMENT_GO_ON && found->picture != NULL) draw(found->picture, &slopes[IDEAL], &slopes[PENALTY]);
    free(slopes);
    return result;
}
