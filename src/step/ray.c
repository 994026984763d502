/* The first geom on a ray, and how far it is. */
#include "step/call.h"

#include "collide/filter.h"
#include "collide/ray.h"
#include "dynamics/kinematics.h"

#include <string.h>

tacRay tac_default_ray(void) { return (tacRay){.along = {0, 0, -1}, .excluded_body = -1, .geom = -1}; }

static tacStatus check_ray(tacSim *sim, const char *call, const tacRay *ray) {
    if (ray == NULL) return tac_sim_null(sim, call, "ray");
    double length = tac_norm3(ray->along);
    if (!tac_finite(tac_norm3(ray->from)) || !tac_finite(length))
        return tac_sim_fail(sim, TAC_ERR_NONFINITE, call, "the ray's origin or direction is not finite");
    if (!(length > 0)) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "the ray has no direction");
    if (ray->excluded_body < -1 || ray->excluded_body >= sim->ctx.model->nbody)
        return tac_sim_fail(sim, TAC_ERR_ARGUMENT, call, "excluded_body is %d, expected -1 or one of %d bodies",
                            ray->excluded_body, sim->ctx.model->nbody);
    return TAC_OK;
}

/* 1: rays see the geom. */
static int is_seen(const tacModel *m, const tacRay *ray, int geom) {
    return !m->geom_visual[geom] && m->geom_type[geom] != TAC_GEOM_HFIELD && m->geom_body[geom] != ray->excluded_body;
}

/* Takes the hit with one geom if it is nearer. Needs: position. */
static void hit_geom(const tacModel *m, const tacWork *w, int geom, tacVec3 along, tacRay *ray) {
    int body = m->geom_body[geom];
    tacQuat turn = tac_quat_conj(tac_frame_quat(w, body, m->geom_quat[geom]));
    tacVec3 from = tac_sub3(ray->from, tac_frame_pos(w, body, m->geom_pos[geom]));
    tacShape shape = tac_shape_of_geom(m, geom);
    tacRayHit hit;
    if (!tac_ray_shape(&shape, tac_quat_rotate(turn, from), tac_quat_rotate(turn, along), &hit)) return;
    if (ray->geom >= 0 && !(hit.dist < ray->dist)) return;
    ray->geom = geom;
    ray->dist = hit.dist;
    ray->normal = tac_quat_rotate(tac_quat_conj(turn), hit.normal);
}

/* The surface's point moves by J dq, the ray stays: n . (along ddist - J dq) = 0, so ddist_dq = n . J / (n . along). */
static void give_ray_jac(const tacModel *m, const tacWork *w, tacVec3 along, const tacRay *ray) {
    memset(ray->ddist_dq, 0, (size_t)m->nv * sizeof *ray->ddist_dq);
    if (ray->geom < 0) return;
    tacVec3 direction = tac_scale3(1 / tac_dot3(ray->normal, along), ray->normal);
    tac_add_point_row(m, w, m->geom_body[ray->geom], ray->point, direction, tac_zero3(), 1, ray->ddist_dq);
}

tacStatus tac_ray(tacSim *sim, const double *q, const double *u, tacRay *ray) {
    TAC_TRY(tac_check_entries(sim, __func__, "q", TAC_OF_QPOS, q));
    if (u != NULL) TAC_TRY(tac_check_entries(sim, __func__, "u", TAC_OF_INPUT, u));
    TAC_TRY(check_ray(sim, __func__, ray));
    const tacModel *m = sim->ctx.model;
    for (int g = 0; g < m->ngeom; g++)
        if (is_seen(m, ray, g)) TAC_TRY(tac_refuse_growing(sim, __func__, tac_geom_grows(m, g) ? g : -1));
    tacWork *w = &sim->ctx.work;
    tacVec3 along = tac_scale3(1 / tac_norm3(ray->along), ray->along);
    tacRay found = *ray;
    found.geom = -1;
    found.dist = TAC_RAY_NONE;
    found.normal = tac_zero3();
    found.point = tac_zero3();
    tac_kinematics_q(m, w, q, tac_inputs_of(&sim->ctx.inputs, u).mocap);
    for (int g = 0; g < m->ngeom; g++)
        if (is_seen(m, ray, g)) hit_geom(m, w, g, along, &found);
    if (found.geom >= 0) found.point = tac_madd3(ray->from, found.dist, along);
    if (found.geom >= 0 && (!tac_finite(tac_norm3(found.point)) || !tac_finite(tac_norm3(found.normal))))
        return tac_sim_tell(sim, __func__, TAC_ERR_NONFINITE);
    if (found.ddist_dq != NULL && found.geom >= 0 && tac_dot3(found.normal, along) == 0)
        return tac_sim_fail(sim, TAC_ERR_DEGENERATE, __func__, "the ray grazes geom %d: no derivative", found.geom);
    if (found.ddist_dq != NULL) give_ray_jac(m, w, along, &found);
    *ray = found;
    return TAC_OK;
}
