/* Contact soft: the convex problem for the acceleration (contact/soft/problem.h), and the steps with it: Euler's,
 * those that are implicit in velocity, Runge-Kutta's. */
#include "contact/soft/step.h"

#include "contact/soft/hessian.h"
#include "dynamics/mass.h"
#include "math/scalar.h"
#include "smooth/rk4.h"

#include <string.h>

/* Sine of the angle below which a capsule that stands on a plane points nowhere along it. */
#define UPRIGHT 1e-8

/* Frames as MuJoCo has them, where they matter: pyramids stand on them, and so does friction that differs along them.
 * The first tangent is along a capsule that touches a plane, else along y, or z where the normal is near y. */
static void frame_contact(const tacContext *ctx, tacContact *c) {
    const tacModel *m = ctx->model;
    if (*m->option_cone != TAC_CONE_PYRAMIDAL && c->pair < 0) return;
    c->along = tac_abs(c->normal.y) < 0.5 ? tac_vec3(0, 1, 0) : tac_vec3(0, 0, 1), c->along_side = -1;
    for (int side = 0; side < 2; side++)
        if (m->geom_type[c->geom[side]] == TAC_CAPSULE && m->geom_type[c->geom[!side]] == TAC_PLANE) {
            tacVec3 axis = tac_mulmv3(ctx->scene.pose[c->geom[side]].R, tac_vec3(0, 0, 1));
            int upright = tac_norm3(tac_cross3(c->normal, axis)) < UPRIGHT;
            c->along = upright ? tac_vec3(1, 0, 0) : axis, c->along_side = upright ? -1 : side;
        }
    tac_contact_frame_along(c->normal, c->along, &c->tangent[0], &c->tangent[1]);
}

static tacStatus take_given(const tacContext *ctx, tacRows *rows) {
    if (ctx->ngiven > rows->max_contacts) return TAC_ERR_CONTACTS;
    memcpy(rows->contact, ctx->given, (size_t)ctx->ngiven * sizeof *ctx->given);
    rows->ncontact = ctx->ngiven;
    return TAC_OK;
}

/* m: contacts and limits that begin within it are looked for, where margins are asked for. */
#define LOOK 1e-4

/* How far what has no row yet is from having one. */
static tacStatus look_beyond(tacContext *ctx, const double *q, tacRows *rows) {
    int n = 0;
    double *extra = TAC_TAKE(&ctx->arena, ctx->model->ngeom, double), least = tac_soft_limit_margin(ctx->model, q);
    if (extra == NULL) return TAC_ERR_ARENA_FULL;
    for (int g = 0; g < ctx->model->ngeom; g++)
        extra[g] = LOOK / 2;
    ctx->scene.extra = extra;
    tacStatus status = tac_scene_contacts(&ctx->scene, ctx->model, rows->contact, rows->max_contacts, &n);
    ctx->scene.extra = NULL;
    for (int c = 0; status == TAC_OK && c < n; c++) {
        double gap = rows->contact[c].dist - rows->contact[c].include;
        if (gap >= 0) least = tac_min(least, gap);
    }
    if (status == TAC_ERR_CONTACTS) least = 0, status = TAC_OK; /* there is no room to tell */
    ctx->info.feature_margin = tac_min(ctx->info.feature_margin, least);
    return status;
}

/* Contacts near enough for a force. */
static tacStatus find_contacts(tacContext *ctx, const double *q, tacRows *rows) {
    tacStatus status = tac_place_geoms(ctx->model, &ctx->work, &ctx->scene);
    if (status == TAC_OK && ctx->margins) status = look_beyond(ctx, q, rows);
    if (status != TAC_OK) return status;
    if (ctx->given != NULL)
        status = take_given(ctx, rows);
    else
        status = tac_scene_contacts(&ctx->scene, ctx->model, rows->contact, rows->max_contacts, &rows->ncontact);
    int n = 0;
    for (int c = 0; status == TAC_OK && c < rows->ncontact; c++)
        if (rows->contact[c].dist < rows->contact[c].include && n++ != c) rows->contact[n - 1] = rows->contact[c];
    rows->ncontact = n;
    for (int c = 0; c < n && ctx->given == NULL; c++)
        frame_contact(ctx, &rows->contact[c]);
    return status;
}

/* w->qfrc += J^T f */
static void add_forces(tacContext *ctx, const tacSoft *soft) {
    for (int k = 0; k < soft->nblock; k++) {
        const tacSoftBlock *b = &soft->block[k];
        if (!tac_soft_is_idle(b)) tac_block_add_forces(&soft->rows, b->row, b->n, soft->f + b->row, ctx->work.qfrc);
    }
}

tacStatus tac_soft_accelerate(tacContext *ctx, const double *x, const double *u, tacSoft *soft) {
    const tacModel *m = ctx->model;
    tacWork *w = &ctx->work;
    const double *v = x + m->nq;
    double *a0 = TAC_TAKE(&ctx->arena, m->nv, double);
    if (a0 == NULL || !tac_soft_layout(soft, m, ctx->options.max_contacts, &ctx->arena)) return TAC_ERR_ARENA_FULL;
    tac_evaluate(ctx, x, u);
    tacStatus status = tac_accelerate(ctx, NULL);
    if (status != TAC_OK) return status;
    if (tac_first_nonfinite(m->nv, w->qacc) >= 0) return TAC_ERR_NONFINITE;
    status = find_contacts(ctx, x, &soft->rows);
    if (status != TAC_OK) return status;
    tac_rows_find(m, w, x, v, 0, &soft->rows);
    tac_soft_pose(m, w, soft, v, ctx->options.dt);
    memcpy(a0, w->qacc, (size_t)m->nv * sizeof *a0);
    tacSoftSearch search = tac_soft_search(m, &ctx->options);
    status = tac_soft_solve(m, w, soft, &search, a0, w->qacc, &ctx->arena);
    add_forces(ctx, soft);
    tac_soft_report(soft, ctx->options.dt, &ctx->info);
    return status;
}

/* --- Steps with one acceleration ---------------------------------------------------------------------------------- */

static int has_damping(const tacContext *ctx) {
    for (int i = 0; i < ctx->model->nv; i++)
        if (ctx->model->dof_damping[i] != 0) return tac_damping_span(ctx) > 0;
    return 0;
}

/* K a' = qfrc + J^T f, with the forces of the problem without K, as MuJoCo does. w->L, or K, keeps the factor. */
static tacStatus finish(tacContext *ctx, const double *x, const double *u, tacSoftMotion *move) {
    tacStatus status = TAC_OK;
    double *extra = TAC_TAKE(&ctx->arena, ctx->model->nv, double);
    if (extra == NULL) return TAC_ERR_ARENA_FULL;
    if (ctx->options.integrator != TAC_EULER) {
        move->finish = TAC_SOFT_IMPLICIT;
        status = tac_implicit_open(ctx, &move->K);
        if (status == TAC_OK) status = tac_implicit_accelerate(ctx, x, u, &move->K);
    } else if (has_damping(ctx)) {
        move->finish = TAC_SOFT_DAMPED;
        status = tac_accelerate(ctx, tac_implicit_damping(ctx, extra));
    }
    memcpy(move->used, ctx->work.qacc, (size_t)ctx->model->nv * sizeof(double));
    return status;
}

static void clear_info(tacContext *ctx) {
    ctx->info = (tacStepInfo){.class_margin = TAC_INFINITY, .feature_margin = TAC_INFINITY};
}

tacStatus tac_soft_advance(tacContext *ctx, const double *x, const double *u, tacSoftMotion *move) {
    const tacModel *m = ctx->model;
    size_t bytes = (size_t)m->nv * sizeof(double);
    *move = (tacSoftMotion){.a = TAC_TAKE(&ctx->arena, m->nv, double),
                            .used = TAC_TAKE(&ctx->arena, m->nv, double),
                            .hv = TAC_TAKE(&ctx->arena, m->nv, double)};
    if (move->a == NULL || move->used == NULL || move->hv == NULL) return TAC_ERR_ARENA_FULL;
    clear_info(ctx);
    tacStatus status = tac_soft_accelerate(ctx, x, u, &move->soft);
    if (status != TAC_OK) return status;
    memcpy(move->a, ctx->work.qacc, bytes);
    status = finish(ctx, x, u, move);
    if (status == TAC_OK) status = tac_advance(ctx, x);
    memcpy(move->hv, ctx->work.vec[0], bytes);
    return status;
}

static tacStatus step(tacContext *ctx, const double *x, const double *u, double *y) {
    tacSoftMotion move;
    size_t mark = tac_arena_mark(&ctx->arena);
    tacStatus status = tac_soft_advance(ctx, x, u, &move);
    if (status == TAC_OK) memcpy(y, ctx->work.next, (size_t)tac_nx(ctx->model) * sizeof *y);
    tac_arena_release(&ctx->arena, mark);
    return tac_soft_judge(&move.soft, status);
}

static size_t scratch(const tacModel *m, const tacOptions *options) {
    tacColumns c = tac_columns_of(m, options);
    size_t nv = (size_t)m->nv, n = (size_t)c.n, rows = (size_t)tac_rows_max(m, options->max_contacts);
    size_t solve = tac_soft_scratch(m, options->max_contacts),
           bodies = tac_arena_round((size_t)m->nbody * sizeof(tacVec6));
    size_t jac = 2 * tac_room(rows * n) + 3 * tac_room(nv * n) + tac_room(TAC_SOFT_TEAM_ROWS * n);
    size_t vjp = 4 * tac_room(rows) + tac_room((size_t)tac_nx(m)) + tac_room((size_t)m->ngeom);
    return tac_soft_bytes(m, options->max_contacts) + solve + 16 * tac_room(nv) + bodies + jac + vjp +
           tac_implicit_scratch(m) + tac_smooth_scratch(m, options);
}

/* --- Runge-Kutta: the problem is solved in every stage ------------------------------------------------------------ */

/* The next state was found, if a stage's acceleration not to the tolerance. */
static tacStatus judge_stages(const tacContext *ctx, tacStatus status) {
    return status == TAC_OK && !(ctx->info.residual <= tac_soft_solved(ctx->options.soft_tolerance)) ? TAC_ERR_UNSOLVED
                                                                                                     : status;
}

static tacStatus rk4_step(tacContext *ctx, const double *x, const double *u, double *y) {
    clear_info(ctx);
    return judge_stages(ctx, tac_rk4_step(ctx, x, u, y));
}

static tacStatus rk4_jac(tacContext *ctx, const double *x, const double *u, double *y, const tacJac *J) {
    clear_info(ctx);
    return judge_stages(ctx, tac_rk4_jac(ctx, x, u, y, J));
}

static tacStatus rk4_vjp(tacContext *ctx, const double *x, const double *u, const double *ybar, const tacGrad *g) {
    clear_info(ctx);
    return judge_stages(ctx, tac_rk4_vjp(ctx, x, u, ybar, g));
}

static size_t rk4_scratch(const tacModel *m, const tacOptions *options) {
    return scratch(m, options) + tac_rk4_scratch(m, options);
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static void measure(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_arena_take(dry, scratch(m, options));
}

static void measure_rk4(const tacModel *m, const tacOptions *options, tacArena *dry) {
    TAC_SCOPE(dry);
    tac_arena_take(dry, rk4_scratch(m, options));
}

#define ENTRIES                                                                                                        \
    .acceleration = tac_soft_acceleration, .acceleration_jac = tac_soft_acceleration_jac,                              \
    .acceleration_vjp = tac_soft_acceleration_vjp, .forces = tac_soft_forces, .forces_jac = tac_soft_forces_jac,       \
    .forces_vjp = tac_soft_forces_vjp, .contacts = tac_soft_contacts, .constraints = tac_soft_constraints,             \
    .inverse_weights = 1
static const tacStepper ONE_ACCELERATION = {.integrators =
                                                TAC_HAS(TAC_EULER) | TAC_HAS(TAC_IMPLICIT) | TAC_HAS(TAC_IMPLICITFAST),
                                            .step = step,
                                            .jac = tac_soft_jac,
                                            .vjp = tac_soft_vjp,
                                            .measure = measure,
                                            ENTRIES};
static const tacStepper RUNGE_KUTTA = {.integrators = TAC_HAS(TAC_RK4) | TAC_HAS(TAC_RKMK4),
                                       .step = rk4_step,
                                       .jac = rk4_jac,
                                       .vjp = rk4_vjp,
                                       .measure = measure_rk4,
                                       ENTRIES};

const tacStepper *const TAC_STEPPERS_SOFT[] = {&ONE_ACCELERATION, &RUNGE_KUTTA, NULL};
