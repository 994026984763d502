#include "smooth/find_contacts.h"

static double *layout(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, m->ngeom, double); }

void tac_measure_find_contacts(const tacModel *m, tacArena *dry) {
    TAC_SCOPE(dry);
    layout(m, dry);
}

/* h (factor (|velocity of the centre| + |angular velocity| radius) + speed) of a geom */
static double reach_of_motion(const tacContext *ctx, const tacContactReach *reach, int geom) {
    const tacModel *m = ctx->model;
    int body = m->geom_body[geom];
    tacVec6 V = reach->velocities[body];
    tacVec3 arm = tac_sub3(ctx->scene.pose[geom].p, ctx->work.origin[body]);
    double speed = tac_norm3(tac_add3(V.lin, tac_cross3(V.ang, arm)));
    double radius = tac_geom_has_shape(m, geom) ? tac_shape_radius(&ctx->scene.shape[geom]) : 0;
    return ctx->options.dt * (reach->factor * (speed + tac_norm3(V.ang) * radius) + reach->speed);
}

static void set_reach(const tacContext *ctx, const tacContactReach *reach, double *extra) {
    const tacModel *m = ctx->model;
    for (int g = 0; g < m->ngeom; g++) {
        int moves = m->body_last_dof[m->geom_body[g]] >= 0;
        extra[g] = reach->moving && !moves     ? 0
                   : reach->velocities == NULL ? reach->distance
                                               : reach_of_motion(ctx, reach, g);
    }
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
    double *extra = layout(m, &ctx->arena);
    if (extra == NULL) return TAC_ERR_ARENA_FULL;
    set_reach(ctx, reach, extra);
    scene->extra = extra;
    tacStatus status = tac_scene_contacts(scene, m, contact, max, n);
    for (int k = 1; k <= reach->retries && status == TAC_ERR_CONTACTS; k++) {
        scale(m->ngeom, k < reach->retries ? 0.5 : 0, extra);
        status = tac_scene_contacts(scene, m, contact, max, n);
    }
    scene->extra = NULL;
    return status;
}
