/* Rays: every shape against its own inequality, sampled along the ray; derivatives against differences. */
#include "dynamics/robots.h"
#include "support/check.h"

#include "math/quat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOL_SURFACE 1e-12
#define STEP_FD     1e-5
#define TOL_FD      1e-8
/* A ray that meets a surface flatter than this, or near an edge, has no smooth neighbourhood for differences. */
#define LEAST_COSINE 0.1

enum { RAYS = 400, SAMPLES = 400 };

/* <= 0 inside, for the sizes below, in the geom's frame. */
static double plane(tacVec3 p) { return p.z; }
static double sphere(tacVec3 p) { return tac_norm3(p) - 0.4; }
static double ellipsoid(tacVec3 p) { return tac_norm3(tac_vec3(p.x / 0.3, p.y / 0.5, p.z / 0.2)) - 1; }
static double capsule(tacVec3 p) {
    double z = p.z > 0.5 ? p.z - 0.5 : p.z < -0.5 ? p.z + 0.5 : 0;
    return tac_norm3(tac_vec3(p.x, p.y, z)) - 0.2;
}
static double cylinder(tacVec3 p) { return fmax(hypot(p.x, p.y) - 0.3, fabs(p.z) - 0.4); }
static double cone(tacVec3 p) { return fmax(hypot(p.x, p.y) - 0.3 * (0.5 - p.z) / 1.0, fabs(p.z) - 0.5); }
static double box(tacVec3 p) { return fmax(fabs(p.x) - 0.3, fmax(fabs(p.y) - 0.4, fabs(p.z) - 0.5)); }
static double octahedron(tacVec3 p) { return fabs(p.x) / 0.5 + fabs(p.y) / 0.4 + fabs(p.z) / 0.3 - 1; }

static const struct {
    tacGeomType type;
    double size[3];
    double (*inside)(tacVec3);
} SHAPES[] = {{TAC_GEOM_PLANE, {0, 0, 1}, plane},
              {TAC_GEOM_SPHERE, {0.4}, sphere},
              {TAC_GEOM_ELLIPSOID, {0.3, 0.5, 0.2}, ellipsoid},
              {TAC_GEOM_CAPSULE, {0.2, 0.5}, capsule},
              {TAC_GEOM_CYLINDER, {0.3, 0.4}, cylinder},
              {TAC_GEOM_CONE, {0.3, 0.5}, cone},
              {TAC_GEOM_BOX, {0.3, 0.4, 0.5}, box},
              {TAC_GEOM_MESH, {0}, octahedron}};
enum { NSHAPE = sizeof SHAPES / sizeof SHAPES[0] };

static int add_octahedron(tacBuilder *b) {
    static const tacVec3 vert[6] = {{0.5, 0, 0}, {-0.5, 0, 0}, {0, 0.4, 0}, {0, -0.4, 0}, {0, 0, 0.3}, {0, 0, -0.3}};
    static const int face[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    static const int all[6] = {0, 1, 2, 3, 4, 5};
    tacMeshDef mesh = tac_default_mesh();
    mesh.nvert = 6, mesh.vert = vert, mesh.nface = mesh.nhullface = 8, mesh.face = mesh.hullface = face;
    mesh.nhullvert = 6, mesh.hullvert = all;
    return tac_model_add_mesh(b, &mesh);
}

/* The shape on a free body (a plane: on the world), with a frame of its own there. */
static tacModel *shape_model(int k) {
    tacBuilder *b = tac_model_begin();
    tacGeomDef geom = tac_default_geom();
    int body = robot_body(b, 0, (tacVec3){0, 0, 0}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
    robot_joint(b, body, TAC_JOINT_FREE, (tacVec3){0, 0, 1});
    geom.type = SHAPES[k].type;
    memcpy(geom.size, SHAPES[k].size, sizeof geom.size);
    geom.pos = (tacVec3){0.1, -0.2, 0.05};
    geom.quat = tac_quat_axis_angle((tacVec3){0.6, 0.8, 0}, 0.5);
    if (geom.type == TAC_GEOM_MESH) geom.mesh = add_octahedron(b);
    tac_model_add_geom(b, geom.type == TAC_GEOM_PLANE ? 0 : body, &geom);
    return robot_finish(b);
}

static tacVec3 local(tacSim *sim, const double *q, tacVec3 p) {
    tacVec3 pos;
    tacMat3 R;
    CHECK_INT(tac_kinematics(sim, q, NULL, &(tacKinematics){.geom_pos = &pos, .geom_mat = &R}), TAC_OK);
    return tac_mulmtv3(R, tac_sub3(p, pos));
}

/* Along the ray up to the hit, the shape is not entered or left. */
static void check_hit(tacSim *sim, const double *q, int k, const tacRay *ray) {
    tacVec3 along = tac_scale3(1 / tac_norm3(ray->along), ray->along);
    double start = SHAPES[k].inside(local(sim, q, ray->from));
    double end = ray->geom >= 0 ? ray->dist : 10;
    for (int i = 0; i < SAMPLES; i++) {
        double f = SHAPES[k].inside(local(sim, q, tac_madd3(ray->from, (i + 0.5) / SAMPLES * end, along)));
        CHECK(start > 0 ? f > 0 : f <= 0);
    }
    if (ray->geom < 0) return;
    CHECK_NEAR(SHAPES[k].inside(local(sim, q, ray->point)), 0, TOL_SURFACE);
    CHECK_NEAR(tac_norm3(ray->normal), 1, TOL_SURFACE);
    CHECK(start > 0 ? tac_dot3(ray->normal, along) < 0 : tac_dot3(ray->normal, along) > 0);
    /* a little outwards is outside, and inwards inside */
    CHECK(SHAPES[k].inside(local(sim, q, tac_madd3(ray->point, 1e-6, ray->normal))) > 0);
}

static tacRay random_ray(uint64_t s) {
    double r[6];
    tacRay ray = tac_default_ray();
    robot_random(6, r, 1, 1000 + s);
    ray.from = tac_vec3(r[0], r[1], r[2]);
    ray.along =
        tac_vec3(0.3 * r[3] - 0.7 * r[0], 0.3 * r[4] - 0.7 * r[1], 0.3 * r[5] - 0.7 * r[2]); /* mostly inwards */
    return ray;
}

static double distance(tacSim *sim, const tacModel *m, const double *q, const tacRay *ray, int j, double h, int *geom) {
    double d[6] = {0}, moved[7];
    tacRay other = *ray;
    d[j] = h;
    tac_qpos_add(m, q, d, moved);
    other.ddist_dq = NULL;
    CHECK_INT(tac_ray(sim, moved, NULL, &other), TAC_OK);
    *geom = other.geom >= 0 && tac_dot3(other.normal, ray->normal) > 0.99;
    return other.dist;
}

/* Returns how many columns were compared: where all four neighbours meet the same smooth piece. */
static int check_derivative(tacSim *sim, const tacModel *m, const double *q, const tacRay *ray) {
    static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    int compared = 0;
    for (int j = 0; j < 6; j++) {
        double sum = 0;
        int same = 1, seen;
        for (int k = 0; k < 4; k++) {
            sum += weight[k] * distance(sim, m, q, ray, j, place[k] * STEP_FD, &seen) / (12 * STEP_FD);
            same = same && seen;
        }
        if (!same) continue;
        CHECK_NEAR(ray->ddist_dq[j], sum, TOL_FD * fmax(1, fabs(sum)));
        compared++;
    }
    return compared;
}

static void every_shape(void **state) {
    (void)state;
    for (int k = 0; k < NSHAPE; k++) {
        tacModel *m = shape_model(k);
        tacSim *sim = robot_sim(m);
        double q[16] = {0}, dq[6];
        int hits = 0, compared = 0;
        robot_state(m, q, 5);
        q[0] = 0.1, q[1] = -0.05, q[2] = 0.02; /* where rays go */
        for (uint64_t s = 0; s < RAYS; s++) {
            tacRay ray = random_ray(s);
            CHECK_INT(tac_ray(sim, q, NULL, &ray), TAC_OK);
            check_hit(sim, q, k, &ray);
            double cosine = fabs(tac_dot3(ray.normal, ray.along)) / tac_norm3(ray.along);
            if (ray.geom < 0 || cosine < LEAST_COSINE) continue;
            hits++;
            ray.ddist_dq = dq;
            CHECK_INT(tac_ray(sim, q, NULL, &ray), TAC_OK);
            compared += check_derivative(sim, m, q, &ray);
        }
        CHECK(hits > RAYS / 10);
        CHECK(compared > 3 * hits);
        tac_sim_free(sim), tac_model_free(m);
    }
}

/* The nearest of two, and what an excluded body hides. */
static void nearest_of_two(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacGeomDef geom = tac_default_geom();
    geom.size[0] = 0.5;
    for (int i = 0; i < 2; i++) {
        int body = robot_body(b, 0, (tacVec3){0, 0, 2 * i}, 1, (tacVec3){0, 0, 0}, (tacVec3){1, 1, 1});
        tac_model_add_geom(b, body, &geom);
    }
    tacModel *m = robot_finish(b);
    tacSim *sim = robot_sim(m);
    double q = 0;
    tacRay ray = tac_default_ray();
    ray.from.z = 10;
    ray.along.z = -3; /* its length does not matter */
    CHECK_INT(tac_ray(sim, &q, NULL, &ray), TAC_OK);
    CHECK_INT(ray.geom, 1);
    CHECK_NEAR(ray.dist, 7.5, TOL_SURFACE);
    CHECK_NEAR(ray.normal.z, 1, TOL_SURFACE);
    ray.excluded_body = 2;
    CHECK_INT(tac_ray(sim, &q, NULL, &ray), TAC_OK);
    CHECK_INT(ray.geom, 0);
    CHECK_NEAR(ray.dist, 9.5, TOL_SURFACE);
    ray.along = (tacVec3){1, 0, 0};
    CHECK_INT(tac_ray(sim, &q, NULL, &ray), TAC_OK);
    CHECK_INT(ray.geom, -1);
    CHECK_NEAR(ray.dist, TAC_RAY_NONE, 0);
    ray.along = (tacVec3){0, 0, 0};
    CHECK_INT(tac_ray(sim, &q, NULL, &ray), TAC_ERR_ARGUMENT);
    CHECK_HAS(tac_sim_error(sim), "no direction");
    tac_sim_free(sim), tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_shape), cmocka_unit_test(nearest_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
