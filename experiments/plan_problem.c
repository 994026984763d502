#include "experiments/plan_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PI 3.141592653589793
/* The gait of the quadruped: half a step, height of the trunk, lift of a foot over half a step, places of the feet and
 * hips along the trunk, radius of a foot, lengths of the legs (m), knots of half a period. */
#define HALF_STEP 0.05
#define HEIGHT    0.29
#define LIFT      0.5
#define FRONT     0.19
#define REAR      -0.27
#define HIP       0.183
#define FOOT      0.021
#define THIGH     0.2
enum { HALF_PERIOD = 10, GAIT_STEPS = 39, LEGS = 4 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int open_problem(tacFindings *found, const char *scene, double dt, int steps, tacPlanned *p) {
    tacError err;
    *p = (tacPlanned){.options = tac_default_plan_options(), .guess = tac_default_plan_guess()};
    p->options.clock = seconds;
    int result = scene_load(found, scene, &p->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    p->scene.options.contact = TAC_CONTACT_MODEL_NCP;
    p->scene.options.inputs = 0;
    p->scene.options.dt = dt;
    result = scene_start(found, &p->scene);
    if (result != EXPERIMENT_GO_ON) return result;
    if (tac_plan_new(p->scene.model, &p->scene.options, steps, &p->plan, &err) == TAC_OK &&
        tac_plan_set_start(p->plan, p->scene.x, &err) == TAC_OK)
        return EXPERIMENT_GO_ON;
    scene_close(&p->scene);
    return experiment_fail(found, "%s", err.text);
}

void planned_close(tacPlanned *p) {
    tac_plan_free(p->plan);
    scene_close(&p->scene);
    free(p->states);
    *p = (tacPlanned){0};
}

/* A term of the state or the controls with weights. */
static tacPlanTerm term_of(tacRole role, tacQuantityKind kind, const double *target, const double *weight) {
    tacPlanTerm term = tac_default_plan_term();
    term.role = role;
    term.of.kind = kind;
    term.target = target;
    term.weight = weight;
    if (role != TAC_ROLE_COST) term.first = TAC_PLAN_END;
    return term;
}

static int add_all(tacFindings *found, tacPlanned *p, int n, const tacPlanTerm *terms) {
    tacError err;
    for (int i = 0; i < n; i++)
        if (tac_plan_add(p->plan, &terms[i], NULL, &err) != TAC_OK) {
            planned_close(p);
            return experiment_fail(found, "%s", err.text);
        }
    return EXPERIMENT_GO_ON;
}

/* --- Box and hopper ----------------------------------------------------------------------------------------------- */

static int open_box(tacFindings *found, tacPlanned *p, double x, double z) {
    int result = open_problem(found, "plan_box", 0.1, 10, p);
    if (result != EXPERIMENT_GO_ON) return result;
    p->options.constraint_tolerance = 3e-4;
    for (int i = 0; i < 3; i++)
        p->noise[i] = 5;
    const double goal[13] = {x, 0, z, 1}, effort[3] = {1e-4, 1e-4, 1e-4};
    const tacPlanTerm terms[] = {term_of(TAC_ROLE_COST, TAC_OF_STATE, goal, NULL),
                                 term_of(TAC_ROLE_COST, TAC_OF_CTRL, NULL, effort),
                                 term_of(TAC_ROLE_EQUAL, TAC_OF_STATE, goal, NULL)};
    return add_all(found, p, 3, terms);
}

int planned_box_right(tacFindings *found, tacPlanned *p) { return open_box(found, p, 1, 0.25); }
int planned_box_up(tacFindings *found, tacPlanned *p) { return open_box(found, p, 0, 1.25); }

/* Up to knot 9 it is wanted at the apex, then at the goal. */
int planned_hopper(tacFindings *found, tacPlanned *p) {
    int result = open_problem(found, "plan_hopper", 0.05, 20, p);
    if (result != EXPERIMENT_GO_ON) return result;
    p->guess.ctrl = TAC_GUESS_KEY;
    p->noise[0] = p->noise[1] = 0.5;
    p->noise[2] = 5;
    const double apex[15] = {0.5, 0.5, 1.05, 1}, goal[15] = {0.5, 0.5, 0.55, 1};
    const double weight[14] = {1, 1, 1, 0.01, 0.01, 0.01, 1, 0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.01};
    const double held[14] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 1}, effort[3] = {2.5e-5, 2.5e-5, 2.5e-5};
    tacPlanTerm terms[] = {
        term_of(TAC_ROLE_COST, TAC_OF_STATE, apex, weight), term_of(TAC_ROLE_COST, TAC_OF_STATE, goal, weight),
        term_of(TAC_ROLE_COST, TAC_OF_CTRL, NULL, effort), term_of(TAC_ROLE_EQUAL, TAC_OF_STATE, goal, held)};
    terms[0].last = 9;
    terms[1].first = 10;
    return add_all(found, p, 4, terms);
}

/* --- Quadruped ---------------------------------------------------------------------------------------------------- */

/* Thigh and calf angle for a foot at (x, z) from the hip. */
static void bend_leg(double x, double z, double *thigh, double *calf) {
    double shank = hypot(0.000435, 0.199388), bent = atan2(0.000435, 0.199388);
    double turn = -acos((x * x + z * z - THIGH * THIGH - shank * shank) / (2 * THIGH * shank));
    *thigh = atan2(-x, -z) - atan2(shank * sin(turn), THIGH + shank * cos(turn));
    *calf = turn + bent;
}

/* Knot k: feet on a diagonal stand and move back along the trunk, the others swing forward on half an ellipse. */
static void gait_pose(int k, double *q) {
    q[0] = 2 * HALF_STEP / HALF_PERIOD * k;
    q[2] = HEIGHT;
    q[3] = 1;
    for (int leg = 0; leg < LEGS; leg++) {
        int phase = (k + (leg == 0 || leg == 3 ? 0 : HALF_PERIOD)) % (2 * HALF_PERIOD);
        double share = (double)(phase % HALF_PERIOD) / HALF_PERIOD, hip = leg < 2 ? HIP : -HIP;
        double x = phase < HALF_PERIOD ? HALF_STEP * (1 - 2 * share) : -HALF_STEP * cos(PI * share);
        double z = phase < HALF_PERIOD ? 0 : LIFT * HALF_STEP * sin(PI * share);
        bend_leg((leg < 2 ? FRONT : REAR) + x - hip, FOOT + z - HEIGHT, q + 8 + 3 * leg, q + 9 + 3 * leg);
    }
}

static double *gait(const tacScene *s) {
    const tacModel *m = s->model;
    double *X = calloc((size_t)((GAIT_STEPS + 1) * s->nx), sizeof *X);
    for (int k = 0; X != NULL && k <= GAIT_STEPS; k++)
        gait_pose(k, X + k * s->nx);
    for (int k = 0; X != NULL && k <= GAIT_STEPS; k++) {
        int from = k < GAIT_STEPS ? k : k - 1;
        double *v = X + k * s->nx + m->nq;
        tac_qpos_sub(m, X + (from + 1) * s->nx, X + from * s->nx, v);
        for (int i = 0; i < m->nv; i++)
            v[i] /= s->options.dt;
    }
    return X;
}

/* Weights of the state: trunk, its turn, joints; velocities likewise. */
static void gait_weights(double dt, double w[36]) {
    const double trunk[3] = {0.3, 0.05, 0.05};
    for (int i = 0; i < 18; i++) {
        w[i] = dt * (i < 3 ? trunk[i] : i < 6 ? 0.01 : 0.2);
        w[18 + i] = dt * (i < 6 ? 0.01 : 0.001);
    }
}

int planned_quadruped(tacFindings *found, tacPlanned *p) {
    int result = open_problem(found, "plan_a1", 0.05, GAIT_STEPS, p);
    if (result != EXPERIMENT_GO_ON) return result;
    tacError err;
    double dt = p->scene.options.dt, weight[36], effort[12];
    p->states = gait(&p->scene);
    if (p->states == NULL || tac_plan_set_start(p->plan, p->states, &err) != TAC_OK) {
        planned_close(p);
        return experiment_fail(found, "out of memory");
    }
    p->options.constraint_tolerance = 3e-4;
    p->guess.ctrl = TAC_GUESS_HOLD;
    p->guess.states = TAC_STATES_GIVEN;
    p->guess.x = p->states;
    gait_weights(dt, weight);
    for (int i = 0; i < 12; i++)
        effort[i] = dt * 0.01 * dt * dt;
    tacPlanTerm terms[] = {term_of(TAC_ROLE_COST, TAC_OF_STATE, p->states, weight),
                           term_of(TAC_ROLE_COST, TAC_OF_CTRL, NULL, effort),
                           term_of(TAC_ROLE_EQUAL, TAC_OF_STATE, p->states + GAIT_STEPS * p->scene.nx, NULL)};
    terms[0].targets = GAIT_STEPS + 1;
    terms[2].of.count = 3; /* the trunk's position */
    return add_all(found, p, 3, terms);
}

/* --- Cart-pole and block ------------------------------------------------------------------------------------------- */

int planned_cartpole(tacFindings *found, tacPlanned *p) {
    enum { STEPS = 25 };
    int result = open_problem(found, "plan_cartpole", 0.1, STEPS, p);
    if (result != EXPERIMENT_GO_ON) return result;
    p->states = calloc(STEPS, sizeof(double)); /* controls of the guess */
    if (p->states == NULL) {
        planned_close(p);
        return experiment_fail(found, "out of memory");
    }
    for (int k = 0; k < 10; k++) /* impulses between 0 and 1 N s, then back */
        p->states[k] = (k < 5 ? 10 : -10) * tac_random_uniform(1, 0, (uint64_t)k);
    p->guess.ctrl = TAC_GUESS_GIVEN;
    p->guess.u = p->states;
    const double goal[4] = {0, PI, 0, 0}, weight[4] = {0.1, 0.1, 0.1, 0.1}, effort[1] = {1e-5};
    const tacPlanTerm terms[] = {term_of(TAC_ROLE_COST, TAC_OF_STATE, goal, weight),
                                 term_of(TAC_ROLE_COST, TAC_OF_CTRL, NULL, effort),
                                 term_of(TAC_ROLE_EQUAL, TAC_OF_STATE, goal, NULL)};
    return add_all(found, p, 3, terms);
}

static int free_time(tacFindings *found, tacPlanned *p, double friction) {
    tacError err;
    tacModel *m = p->scene.model;
    int k;
    if (tac_param_set(m, "geom/block.friction[0]", friction, &err) != TAC_OK ||
        tac_param_set(m, "geom/floor.friction[0]", friction, &err) != TAC_OK ||
        tac_param_register(m, "option.timestep", &k, &err) != TAC_OK)
        return experiment_fail(found, "%s", err.text);
    tac_plan_free(p->plan); /* the parameter was registered after it */
    p->plan = NULL;
    if (tac_plan_new(m, &p->scene.options, 40, &p->plan, &err) != TAC_OK ||
        tac_plan_set_start(p->plan, p->scene.x, &err) != TAC_OK ||
        tac_plan_add_unknown(p->plan, k, 0.002, 0.1, &err) != TAC_OK)
        return experiment_fail(found, "%s", err.text);
    return EXPERIMENT_GO_ON;
}

int planned_block(tacFindings *found, tacPlanned *p, double friction) {
    int result = open_problem(found, "plan_block", 0.02, 40, p);
    if (result != EXPERIMENT_GO_ON) return result;
    result = free_time(found, p, friction);
    if (result != EXPERIMENT_GO_ON) {
        planned_close(p);
        return result;
    }
    p->options.cost_tolerance = 1e-5;
    p->options.constraint_tolerance = 1e-4;
    const double goal[4] = {1, 0, 0, 0}, held[4] = {1, 0, 1, 0}, steps[1] = {40}, effort[1] = {1e-6};
    tacPlanTerm terms[] = {term_of(TAC_ROLE_COST, TAC_OF_PARAM, NULL, steps),
                           term_of(TAC_ROLE_COST, TAC_OF_CTRL, NULL, effort),
                           term_of(TAC_ROLE_EQUAL, TAC_OF_STATE, goal, held)};
    terms[0].norm = TAC_NORM_LINEAR;
    terms[0].last = 0;
    return add_all(found, p, 3, terms);
}

/* --- Runs --------------------------------------------------------------------------------------------------------- */

int planned_run(tacFindings *found, const tacPlanned *p, tacPlanner **planner, tacPlanResult *r) {
    tacError err;
    *planner = NULL;
    if (tac_planner_new(p->plan, &p->options, planner, &err) != TAC_OK) return experiment_fail(found, "%s", err.text);
    if (tac_planner_guess(*planner, &p->guess, &err) == TAC_OK && tac_planner_run(*planner, r, &err) == TAC_OK)
        return EXPERIMENT_GO_ON;
    tac_planner_free(*planner);
    *planner = NULL;
    return experiment_fail(found, "%s", err.text);
}
