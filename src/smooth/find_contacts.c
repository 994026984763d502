#include "smooth/find_contacts.h"

static double *layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->ngeom, double); }

void tac_measure_find_contacts(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    layout(m, dry);
}

/* Reach h (factor (|velocity of the centre| + |angular velocity| radius) + speed) of a geom. */
static double reach_of_velocity(const tacContext *ctx, const tacContactReach *reach, int geom) {
    const tacModel *m = ctx->model;
    int body = m->geom_body[geom];
    tacVec6 V = reach->velocities[body];
    tacVec3 arm = tac_sub3(ctx->scene.pose[geom].p, ctx->work.origin[body]);
    double speed = tac_norm3(tac_add3(V.lin, tac_cross3(V.ang, arm)));
    double radius = tac_geom_has_shape(m, geom) ? tac_shape_radius(&ctx->scene.shape[geom]) : 0;
    return ctx->options.dt * (reach->factor * (speed + tac_norm3(V.ang) * radius) + reach->speed);
}

/* Reach distance + h (bound of the speed + bound of the spin * radius). A turning plane reaches everything. */
static double reach_of_motion(const tacContext *ctx, const tacContactReach *reach, int geom) {
    const tacModel *m = ctx->model;
    if (!tac_geom_has_shape(m, geom)) return 0;
    const tacShape *s = &ctx->scene.shape[geom];
    tacGeomMotion g = {reach->motion, geom, 0};
    tacMotionBound bound = tac_geom_motion(&g).bound;
    double own = tac_min(0, tac_geom_reach(m, geom)); /* which the broad phase adds */
    if (s->type == TAC_GEOM_PLANE && bound.spin > 0) return TAC_INFINITY;
    double radius = s->type == TAC_GEOM_PLANE ? 0 : tac_shape_radius(s);
    return reach->motion->h * (bound.speed + bound.spin * radius) + reach->distance - own;
}

/* How far a geom's pad and sum reach beyond its own shape. */
static double extent_of(const tacContext *ctx, int geom) {
    const tacModel *m = ctx->model;
    double sum = m->geom_pad[geom];
    for (int g = m->geom_sum[geom]; g >= 0; g = m->geom_sum[g])
        sum += ctx->scene.radius[g] + m->geom_pad[g];
    return sum;
}

static double reach_of(const tacContext *ctx, const tacContactReach *reach, int geom) {
    const tacModel *m = ctx->model;
    if (reach->moving && m->body_last_dof[m->geom_body[geom]] < 0) return 0;
    if (reach->velocities != NULL) return reach_of_velocity(ctx, reach, geom);
    return reach->motion != NULL ? reach_of_motion(ctx, reach, geom) : reach->distance;
}

/* Takes the reach of each geom from the arena. NULL: no room. */
static double *set_reach(tacContext *ctx, const tacContactReach *reach) {
    double *extra = layout(ctx->model, &ctx->arena);
    for (int g = 0; extra != NULL && g < ctx->model->ngeom; g++)
        extra[g] = reach_of(ctx, reach, g) + extent_of(ctx, g);
    return extra;
}

static void scale(int n, double by, double *extra) {
    for (int g = 0; g < n; g++)
        extra[g] *= by;
}

tacStatus tac_find_contacts(tacContext *ctx, const tacWork *w, const tacContactReach *reach, tacContact *contact,
                            int max, int *n) {
    const tacModel *m = ctx->model;
    tacScene *scene = &ctx->scene;
    TAC_TRY(tac_place_geoms(m, w, scene));
    if (reach == NULL) return tac_scene_contacts(scene, m, contact, max, n);
    TAC_SCOPE(&ctx->arena);
    double *extra = scene->extra = set_reach(ctx, reach);
    if (extra == NULL) return TAC_ERR_ARENA_FULL;
    tacStatus status = tac_scene_contacts(scene, m, contact, max, n);
    for (int k = 1; k <= reach->retries && status == TAC_ERR_CONTACTS; k++) {
        scale(m->ngeom, k < reach->retries ? 0.5 : 0, extra);
        status = tac_scene_contacts(scene, m, contact, max, n);
    }
    scene->extra = NULL;
    return status;
}

tacStatus tac_find_candidates(tacContext *ctx, const tacContactReach *reach, tacCandidateVisit visit, void *user) {
    tacScene *scene = &ctx->scene;
    TAC_SCOPE(&ctx->arena);
    scene->extra = set_reach(ctx, reach);
    if (scene->extra == NULL) return TAC_ERR_ARENA_FULL;
    tac_scene_candidates(scene, ctx->model, visit, user);
    scene->extra = NULL;
    return TAC_OK;
}
