/* Contact soft: the convex problem for the acceleration (contact/soft/problem.h) and its steps: Euler, implicit in
 * velocity, Runge-Kutta. */
#include "contact/soft/step.h"

#include "contact/soft/adaptive.h"
#include "contact/soft/hessian.h"
#include "dynamics/mass.h"
#include "math/scalar.h"
#include "smooth/find_contacts.h"
#include "smooth/rk4.h"

#include <string.h>

/* Sine of the angle between a capsule and a plane's normal below which the capsule has no direction along the plane. */
#define UPRIGHT 1e-8

/* MuJoCo's contact frames, where they matter: for pyramids, and for friction that differs along the tangents. The first
 * tangent is along a capsule that touches a plane, else along y, or along z if the normal is near y. */
static void frame_contact(const tacContext *ctx, tacContact *c) {
    const tacModel *m = ctx->model;
    if (*m->option_cone != TAC_CONE_PYRAMIDAL && c->pair < 0) return;
    c->along = tac_abs(c->normal.y) < 0.5 ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1);
    c->along_side = -1;
    for (int side = 0; side < 2; side++)
        if (m->geom_type[c->geom[side]] == TAC_GEOM_CAPSULE && m->geom_type[c->geom[!side]] == TAC_GEOM_PLANE) {
            tacVec3 axis = tac_mulmv3(ctx->scene.pose[c->geom[side]].R, tac_vec3(0, 0, 1));
            int upright = tac_norm3(tac_cross3(c->normal, axis)) < UPRIGHT;
            c->along = upright ? tac_vec3(1, 0, 0) : axis;
            c->along_side = upright ? -1 : side;
        }
    tac_contact_frame_along(c->normal, c->along, &c->tangent[0], &c->tangent[1]);
}

static tacStatus take_given(const tacContext *ctx, tacRows *rows) {
    if (ctx->ngiven > rows->max_contacts) return TAC_ERR_CONTACTS;
    memcpy(rows->contact, ctx->given, (size_t)ctx->ngiven * sizeof *ctx->given);
    rows->ncontact = ctx->ngiven;
    return TAC_OK;
}

/* m: distance within which contacts without a row are found if margins are asked for. */
#define MARGIN_DISTANCE 1e-4

/* feature_margin: the least gap of contacts and limits without a row. */
static tacStatus note_gaps(tacContext *ctx, const double *q, tacRows *rows) {
    int n = 0;
    double least = tac_soft_limit_margin(ctx->model, q);
    tacContactReach reach = {.distance = MARGIN_DISTANCE / 2};
    tacStatus status = tac_find_contacts(ctx, &ctx->work, &reach, rows->contact, rows->max_contacts, &n);
    for (int c = 0; status == TAC_OK && c < n; c++) {
        double gap = rows->contact[c].dist - rows->contact[c].include;
        if (gap >= 0) least = tac_min(least, gap);
    }
    if (status == TAC_ERR_CONTACTS) { /* there is no room to tell */
        least = 0;
        status = TAC_OK;
    }
    ctx->info.feature_margin = tac_min(ctx->info.feature_margin, least);
    return status;
}

/* A contact that acts, at the present poses. Where its features do not touch, it is the deepest one of its geoms. */
static tacStatus follow_contact(tacContext *ctx, tacContact *c) {
    tacContact deepest;
    tacStatus status = tac_scene_rebuild(&ctx->scene, c);
    if (status != TAC_ERR_DEGENERATE) return status;
    TAC_TRY(tac_scene_distance(&ctx->scene, ctx->model, c->geom[0], c->geom[1], &deepest));
    deepest.pair = c->pair;
    deepest.include = c->include;
    *c = deepest;
    return TAC_OK;
}

/* The contacts that act, at the present poses. */
static tacStatus take_acting(tacContext *ctx, tacRows *rows) {
    const tacActing *acting = ctx->acting;
    TAC_TRY(tac_place_geoms(ctx->model, &ctx->work, &ctx->scene));
    rows->ncontact = acting->ncontact;
    rows->joint_acts = acting->joint;
    rows->tendon_acts = acting->tendon;
    for (int c = 0; c < acting->ncontact; c++) {
        rows->contact[c] = acting->contact[c];
        TAC_TRY(follow_contact(ctx, &rows->contact[c]));
        frame_contact(ctx, &rows->contact[c]);
    }
    return TAC_OK;
}

/* Finds the contacts near enough for a force. */
static tacStatus find_contacts(tacContext *ctx, const double *q, tacRows *rows) {
    if (ctx->acting != NULL) return take_acting(ctx, rows);
    if (ctx->margins) TAC_TRY(note_gaps(ctx, q, rows));
    if (ctx->given != NULL) {
        TAC_TRY(tac_place_geoms(ctx->model, &ctx->work, &ctx->scene));
        TAC_TRY(take_given(ctx, rows));
    } else {
        TAC_TRY(tac_find_contacts(ctx, &ctx->work, NULL, rows->contact, rows->max_contacts, &rows->ncontact));
    }
    int n = 0;
    for (int c = 0; c < rows->ncontact; c++)
        if (rows->contact[c].dist < rows->contact[c].include && n++ != c) rows->contact[n - 1] = rows->contact[c];
    rows->ncontact = n;
    for (int c = 0; c < n && ctx->given == NULL; c++)
        frame_contact(ctx, &rows->contact[c]);
    return TAC_OK;
}

/* w->qfrc += J^T f */
static void add_forces(tacContext *ctx, const tacSoft *soft) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (!tac_soft_is_idle(b)) tac_block_add_forces(&soft->rows, b->row, b->n, soft->f + b->row, ctx->work.qfrc);
    }
}

static double *a0_layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->nv, double); }

tacStatus tac_soft_accelerate(tacContext *ctx, const double *x, const double *u, tacSoft *soft) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    const double *v = x + m->nq;
    double *a0 = a0_layout(m, &ctx->arena);
    if (a0 == NULL || !tac_soft_layout(soft, m, ctx->options.max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_evaluate(ctx, x, u);
    TAC_TRY(tac_accelerate(ctx, NULL));
    if (tac_first_nonfinite(m->nv, w->qacc) >= 0) return TAC_ERR_NONFINITE;
    TAC_TRY(find_contacts(ctx, x, &soft->rows));
    tac_rows_find(m, w, x, v, 0, &soft->rows);
    soft->sign = ctx->acting != NULL ? ctx->acting->sign : NULL;
    soft->start = soft->sign != NULL ? ctx->acting->start : NULL;
    tac_soft_setup(m, w, soft, v, tac_lookahead(ctx));
    memcpy(a0, w->qacc, (size_t)m->nv * sizeof *a0);
    tacSoftSearch search = tac_soft_search(m, &ctx->options);
    TAC_TRY(tac_soft_solve(m, w, soft, &search, a0, w->qacc, &ctx->arena));
    add_forces(ctx, soft);
    if (ctx->acting != NULL)
        tac_soft_count(soft, &ctx->info);
    else
        tac_soft_report(soft, ctx->options.dt, &ctx->info);
    return TAC_OK;
}

void tac_soft_measure_accelerate(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacSoft soft;
    a0_layout(m, dry);
    tac_soft_layout(&soft, m, options->max_contacts, dry);
    tac_measure_find_contacts(m, dry);
    tac_soft_measure_solve(m, options, dry);
}

/* --- Steps with one acceleration ---------------------------------------------------------------------------------- */

static int has_damping(const tacContext *ctx) {
    for (int i = 0; i < ctx->model->nv; i++)
        if (ctx->model->dof_damping[i] != 0) return tac_damping_span(ctx) > 0;
    return 0;
}

/* K a' = qfrc + J^T f, with the forces of the problem without K, as in MuJoCo. w->L, or K, keeps the factor. */
static tacStatus finish(tacContext *ctx, const double *x, const double *u, tacSoftMotion *move) {
    if (ctx->options.integrator != TAC_INTEGRATOR_EULER) {
        move->finish = TAC_SOFT_IMPLICIT;
        TAC_TRY(tac_implicit_open(ctx, &move->K));
        TAC_TRY(tac_implicit_accelerate(ctx, x, u, &move->K));
    } else if (has_damping(ctx)) {
        move->finish = TAC_SOFT_DAMPED;
        TAC_TRY(tac_accelerate(ctx, tac_implicit_damping(ctx, move->extra)));
    }
    memcpy(move->used, ctx->work.qacc, (size_t)ctx->model->nv * sizeof(double));
    return TAC_OK;
}

static void clear_info(tacContext *ctx) {
    ctx->info = (tacStepInfo){.class_margin = TAC_INFINITY, .feature_margin = TAC_INFINITY};
}

static int motion_layout(tacSoftMotion *move, const tacModel *m, tacArena *arena) {
    *move = (tacSoftMotion){.a = TAC_TAKE(arena, m->nv, double),
                            .used = TAC_TAKE(arena, m->nv, double),
                            .hv = TAC_TAKE(arena, m->nv, double),
                            .extra = TAC_TAKE(arena, m->nv, double)};
    return move->a && move->used && move->hv && move->extra;
}

tacStatus tac_soft_advance(tacContext *ctx, const double *x, const double *u, tacSoftMotion *move) {
    const tacModel *m = ctx->model;
    size_t bytes = (size_t)m->nv * sizeof(double);
    if (!motion_layout(move, m, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    clear_info(ctx);
    TAC_TRY(tac_soft_accelerate(ctx, x, u, &move->soft));
    memcpy(move->a, ctx->work.qacc, bytes);
    TAC_TRY(finish(ctx, x, u, move));
    TAC_TRY(tac_advance(ctx, x));
    memcpy(move->hv, ctx->work.vec[0], bytes);
    return TAC_OK;
}

void tac_soft_measure_advance(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tacSoftMotion move;
    motion_layout(&move, m, dry);
    tac_soft_measure_accelerate(m, options, dry);
    int implicit = options->integrator == TAC_INTEGRATOR_IMPLICIT || options->integrator == TAC_INTEGRATOR_IMPLICITFAST;
    if (implicit) tac_implicit_measure_factor(m, dry);
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    TAC_SCOPE(&ctx->arena);
    tacSoftMotion move = {.soft = {.unsolved = 0}};
    tacStatus status = tac_soft_advance(ctx, x, u, &move);
    return tac_end_step(ctx, status, move.soft.unsolved, y);
}

/* --- Runge-Kutta: the problem is solved in every stage ------------------------------------------------------------ */

/* The residual of a step is the largest of its stages. */
static int is_unsolved(const tacContext *ctx) {
    return !(ctx->info.residual <= tac_soft_solved(ctx->options.soft_tolerance));
}

static tacStatus rk4_step(tacContext *ctx, const double *x, const double *u, double *y) {
    clear_info(ctx);
    tacStatus status = tac_rk4_step(ctx, x, u, y);
    return tac_end_step(ctx, status, is_unsolved(ctx), NULL);
}

static tacStatus rk4_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    clear_info(ctx);
    tacStatus status = tac_rk4_jac(ctx, x, u, y, J);
    return tac_end_step(ctx, status, is_unsolved(ctx), NULL);
}

static tacStatus rk4_jvp(tacContext *ctx, const double *x, const double *u, tacColumns c, double *y, double *dy) {
    clear_info(ctx);
    tacStatus status = tac_rk4_jvp(ctx, x, u, c, y, dy);
    return tac_end_step(ctx, status, is_unsolved(ctx), NULL);
}

static tacStatus rk4_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    clear_info(ctx);
    tacStatus status = tac_rk4_vjp(ctx, x, u, ybar, g);
    return tac_end_step(ctx, status, is_unsolved(ctx), NULL);
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* Every derivative contains a step. */
static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_soft_measure_jac(m, options, dry);
    tac_soft_measure_vjp(m, options, dry);
    tac_soft_measure_accelerations(m, options, dry);
    tac_soft_measure_outputs(m, options, dry);
}

static void measure_stages(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_rk4_measure(m, options, tac_soft_measure_accelerations, dry);
}

static void measure_rk4(const tacModel *m, const tacOptions *options, tacArena *dry) {
    measure_stages(m, options, dry);
    tac_soft_measure_outputs(m, options, dry);
}

#define ENTRIES                                                                                                        \
    .acceleration = tac_soft_acceleration, .acceleration_jac = tac_soft_acceleration_jac,                              \
    .acceleration_vjp = tac_soft_acceleration_vjp, .forces = tac_soft_forces, .forces_jac = tac_soft_forces_jac,       \
    .forces_vjp = tac_soft_forces_vjp, .contact_forces = tac_soft_contact_forces,                                      \
    .contact_forces_vjp = tac_soft_contact_forces_vjp, .contacts = tac_soft_contacts, .friction = tac_soft_friction,   \
    .constraints = tac_soft_constraints, .max_constraints = tac_soft_max_constraints, .inverse_weights = 1
static const tacStepper ONE_ACCELERATION = {.integrators = TAC_HAS(TAC_INTEGRATOR_EULER) |
                                                           TAC_HAS(TAC_INTEGRATOR_IMPLICIT) |
                                                           TAC_HAS(TAC_INTEGRATOR_IMPLICITFAST),
                                            .step = step,
                                            .jac = tac_soft_jac,
                                            .jvp = tac_soft_jvp,
                                            .vjp = tac_soft_vjp,
                                            .measure = measure,
                                            ENTRIES};
static const tacStepper RUNGE_KUTTA = {.integrators = TAC_HAS(TAC_INTEGRATOR_RK4) | TAC_HAS(TAC_INTEGRATOR_RKMK4),
                                       .step = rk4_step,
                                       .jac = rk4_jac,
                                       .jvp = rk4_jvp,
                                       .vjp = rk4_vjp,
                                       .measure = measure_rk4,
                                       ENTRIES};

static void measure_inner(const tacModel *m, const tacOptions *options, tacArena *dry) {
    tac_soft_adaptive_measure(m, options, dry);
    tac_soft_measure_outputs(m, options, dry);
}

static const tacStepper INNER_STEPS = {.integrators = TAC_INNER_INTEGRATORS,
                                       .step = tac_soft_adaptive_step,
                                       .jac = tac_soft_adaptive_jac,
                                       .jvp = tac_soft_adaptive_jvp,
                                       .vjp = tac_soft_adaptive_vjp,
                                       .measure = measure_inner,
                                       ENTRIES};

const tacStepper *const TAC_STEPPERS_SOFT[] = {&ONE_ACCELERATION, &RUNGE_KUTTA, &INNER_STEPS, NULL};
