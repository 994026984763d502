/* Mass properties of the primitives against sums over thin slices, which know no closed form. */
#include "model/inertia.h"
#include "model/sample.h"
#include "support/check.h"

#include <math.h>

#define PI         3.14159265358979323846
#define TOL_SLICES 1e-10 /* Simpson's rule with SLICES intervals on smooth integrands */
#define TOL_SHELL  1e-5  /* MuJoCo's layer of 1e-6 m around an ellipsoid of size 0.3 */
enum { SLICES = 2000 };

/* Radius of a solid of revolution and its distance along z at parameter t in [0, 1] on one piece of its outline. */
typedef struct Outline {
    double r, z;
} Outline;
typedef Outline (*Curve)(const double *size, double t);

/* Measure, first and second moments: solid disks or surface rings. */
typedef struct Moments {
    double measure, z, zz, rr; /* sums of 1, z, z^2, x^2 (= y^2) */
} Moments;

/* Adds the piece traced by the curve; derivatives of the outline by central differences of an analytic function
 * would do, but the curves here are given with their own: dr, dz from Richardson's rule. */
static void add_piece(Moments *sum, Curve curve, const double *size, int shell) {
    const double h = 1.0 / SLICES, d = 1e-4;
    for (int i = 0; i <= SLICES; i++) {
        double t = i * h, weight = (i == 0 || i == SLICES ? 1 : i % 2 ? 4 : 2) * h / 3;
        Outline p = curve(size, t), a = curve(size, t + d), b = curve(size, t - d), a2 = curve(size, t + 2 * d),
                b2 = curve(size, t - 2 * d);
        double dz = (8 * (a.z - b.z) - (a2.z - b2.z)) / (12 * d), dr = (8 * (a.r - b.r) - (a2.r - b2.r)) / (12 * d);
        double m = shell ? 2 * PI * p.r * sqrt(dz * dz + dr * dr) : PI * p.r * p.r * dz;
        sum->measure += weight * m;
        sum->z += weight * m * p.z;
        sum->zz += weight * m * p.z * p.z;
        sum->rr += weight * m * p.r * p.r * (shell ? 0.5 : 0.25);
    }
}

static Outline lower_cap(const double *s, double t) {
    double a = PI / 2 * (t - 1);
    return (Outline){s[0] * cos(a), -s[1] + s[0] * sin(a)};
}
static Outline upper_cap(const double *s, double t) {
    double a = PI / 2 * t;
    return (Outline){s[0] * cos(a), s[1] + s[0] * sin(a)};
}
static Outline side(const double *s, double t) { return (Outline){s[0], s[1] * (2 * t - 1)}; }
static Outline disk_below(const double *s, double t) { return (Outline){s[0] * t, -s[1]}; }
static Outline disk_above(const double *s, double t) { return (Outline){s[0] * (1 - t), s[1]}; }
static Outline cone_side(const double *s, double t) { return (Outline){s[0] * (1 - t), s[1] * (2 * t - 1)}; }

static const struct Case {
    const char *name;
    tacGeomType type;
    int npiece;
    Curve piece[3];
} CASES[] = {
    {"capsule", TAC_GEOM_CAPSULE, 3, {lower_cap, side, upper_cap}},
    {"cylinder", TAC_GEOM_CYLINDER, 3, {disk_below, side, disk_above}},
    {"cone", TAC_GEOM_CONE, 2, {disk_below, cone_side}},
};

/* A body with one geom of this shape, turned and shifted. */
static tacModel *one_geom(tacGeomType type, const double *size, int shell) {
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tacGeomDef geom = tac_default_geom();
    tac_model_add_body(b, 0, &body);
    geom.type = type;
    geom.shell = shell;
    geom.density = 700;
    geom.pos = (tacVec3){0.1, -0.2, 0.3};
    geom.quat = (tacQuat){0.8, 0, 0.6, 0};
    for (int i = 0; i < 3; i++)
        geom.size[i] = size[i];
    tac_model_add_geom(b, 1, &geom);
    return assemble(b);
}

static void revolved_shapes(void **state) {
    (void)state;
    const double size[3] = {0.11, 0.23, 0};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        for (int shell = 0; shell < 2; shell++) {
            Moments sum = {0};
            for (int k = 0; k < CASES[i].npiece; k++)
                add_piece(&sum, CASES[i].piece[k], size, shell);
            tacModel *m = one_geom(CASES[i].type, size, shell);
            double mass = 700 * sum.measure, z = sum.z / sum.measure;
            double across = 700 * (sum.zz + sum.rr) - mass * z * z, along = 700 * 2 * sum.rr;
            CHECK_NEAR(m->body_mass[1] / mass, 1, TOL_SLICES);
            CHECK_NEAR(m->body_inertia[1].x / across, 1, TOL_SLICES);
            CHECK_NEAR(m->body_inertia[1].y / across, 1, TOL_SLICES);
            CHECK_NEAR(m->body_inertia[1].z / along, 1, TOL_SLICES);
            /* the centre lies z along the turned axis: z' = R(0, 0, 1) = (0.96, 0, 0.28) */
            CHECK_NEAR(m->body_ipos[1].x, 0.1 + 0.96 * z, TOL_SLICES);
            CHECK_NEAR(m->body_ipos[1].y, -0.2, TOL_SLICES);
            CHECK_NEAR(m->body_ipos[1].z, 0.3 + 0.28 * z, TOL_SLICES);
            tac_model_free(m);
        }
    }
}

static void spheres(void **state) {
    (void)state;
    const double size[3] = {0.3, 0, 0}, r2 = 0.09;
    tacModel *m = one_geom(TAC_GEOM_SPHERE, size, 0);
    CHECK_NEAR(m->body_mass[1], 700 * 4.0 / 3 * PI * 0.027, 1e-12);
    CHECK_NEAR(m->body_inertia[1].y, 0.4 * m->body_mass[1] * r2, 1e-14);
    tac_model_free(m);
    m = one_geom(TAC_GEOM_SPHERE, size, 1);
    CHECK_NEAR(m->body_mass[1], 700 * 4 * PI * r2, 1e-12);
    CHECK_NEAR(m->body_inertia[1].y, 2.0 / 3 * m->body_mass[1] * r2, 1e-13);
    tac_model_free(m);
}

/* A box's shell from its six rectangles, each by the plate formula and parallel axes. */
static void boxes(void **state) {
    (void)state;
    const double s[3] = {0.1, 0.2, 0.35};
    tacModel *m = one_geom(TAC_GEOM_BOX, s, 0);
    double mass = 700 * 8 * s[0] * s[1] * s[2];
    CHECK_NEAR(m->body_mass[1], mass, 1e-11);
    CHECK_NEAR(m->body_inertia[1].x, mass / 3 * (s[1] * s[1] + s[2] * s[2]), 1e-12);
    CHECK_NEAR(m->body_inertia[1].z, mass / 3 * (s[0] * s[0] + s[1] * s[1]), 1e-12);
    tac_model_free(m);
    double I[3] = {0, 0, 0}, total = 0;
    for (int k = 0; k < 3; k++) { /* two plates across axis k, at distance s[k] */
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double plate = 700 * 4 * s[a] * s[b];
        total += 2 * plate;
        I[k] += 2 * plate * (s[a] * s[a] + s[b] * s[b]) / 3;
        I[a] += 2 * plate * (s[b] * s[b] / 3 + s[k] * s[k]);
        I[b] += 2 * plate * (s[a] * s[a] / 3 + s[k] * s[k]);
    }
    m = one_geom(TAC_GEOM_BOX, s, 1);
    CHECK_NEAR(m->body_mass[1], total, 1e-11);
    CHECK_ARRAY(3, &m->body_inertia[1], I, 1e-13);
    tac_model_free(m);
}

static void ellipsoids(void **state) {
    (void)state;
    const double s[3] = {0.3, 0.2, 0.1}, ball[3] = {0.3, 0.3, 0.3};
    tacModel *m = one_geom(TAC_GEOM_ELLIPSOID, s, 0);
    double mass = 700 * 4.0 / 3 * PI * 0.006;
    const double I[3] = {mass / 5 * 0.05, mass / 5 * 0.1, mass / 5 * 0.13};
    CHECK_NEAR(m->body_mass[1], mass, 1e-12);
    CHECK_ARRAY(3, &m->body_inertia[1], I, 1e-14);
    tac_model_free(m);
    /* The shell's rules are approximations; on a sphere they are exact up to the layer's thickness. */
    m = one_geom(TAC_GEOM_ELLIPSOID, ball, 1);
    CHECK_NEAR(m->body_mass[1], 700 * 4 * PI * 0.09, 1e-11);
    CHECK_NEAR(m->body_inertia[1].z / (2.0 / 3 * m->body_mass[1] * 0.09), 1, TOL_SHELL);
    tac_model_free(m);
    /* As MuJoCo computes it: the difference of two solid ellipsoids of one density. */
    m = one_geom(TAC_GEOM_ELLIPSOID, s, 1);
    const double e = 1e-6, Va = s[0] * s[1] * s[2], Vb = (s[0] + e) * (s[1] + e) * (s[2] + e);
    double rho = m->body_mass[1] / (Vb - Va);
    double Iz = rho / 5 * (Vb * ((s[0] + e) * (s[0] + e) + (s[1] + e) * (s[1] + e)) - Va * (s[0] * s[0] + s[1] * s[1]));
    CHECK_NEAR(m->body_inertia[1].z / Iz, 1, 1e-9);
    tac_model_free(m);
}

/* A given mass replaces density times volume and keeps the shape's distribution. */
static void given_mass(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_BOX;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.5;
    geom.has_mass = 1;
    geom.mass = 6;
    tac_model_add_geom(b, 1, &geom);
    tacModel *m = assemble(b);
    CHECK_NEAR(m->body_mass[1], 6, 0);
    CHECK_NEAR(m->body_inertia[1].x, 1, 1e-15);
    CHECK_NEAR(tac_geom_volume(m, 0), 1, 1e-15);
    tac_model_free(m);
}

/* What does not count: flags, looks, planes, no density. */
static void massless_geoms(void **state) {
    (void)state;
    tacBuilder *b = tac_model_begin();
    tacBodyDef body = tac_default_body();
    body.pos = (tacVec3){1, 2, 3};
    tac_model_add_body(b, 0, &body);
    tacGeomDef geom = tac_default_geom();
    geom.size[0] = geom.size[2] = 0.1;
    geom.adds_mass = 0;
    tac_model_add_geom(b, 1, &geom);
    geom.adds_mass = 1;
    geom.visual = 1;
    tac_model_add_geom(b, 1, &geom);
    geom.visual = 0;
    geom.density = 0;
    tac_model_add_geom(b, 1, &geom);
    geom.type = TAC_GEOM_PLANE;
    geom.has_mass = 1;
    geom.mass = 1;
    tac_model_add_geom(b, 1, &geom);
    tacModel *m = assemble(b);
    for (int i = 0; i < 4; i++)
        CHECK(!tac_geom_carries_mass(m, i));
    CHECK(m->body_mass[1] == 0 && m->body_inertia[1].x == 0 && m->body_icom[1].xx == 0);
    CHECK(m->body_ipos[1].z == 3); /* MuJoCo's frame of a body without inertia: its own pose */
    tac_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolved_shapes), cmocka_unit_test(spheres),    cmocka_unit_test(boxes),
        cmocka_unit_test(ellipsoids),      cmocka_unit_test(given_mass), cmocka_unit_test(massless_geoms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
