/* Random impacts with restitution and friction: how much kinetic energy each gives, and how exact its derivatives are.
 *   evidence_bounce lcp|ncp FIRST LAST EVERY
 * draws the impacts with seeds FIRST to LAST; every EVERY-th has its derivatives compared (0: none), and all whose
 * restitution is limited. One JSON line:
 *   {"seeds":n, "impacts":n, "unsolved":n, "limited":n, "least":theta, "gain":most, "seed":where, "plain":n,
 *    "compared":n, "compared_limited":n, "vague":n, "columns":[n, n], "within":[n, n], "worst":error, "reverse":error}
 * gain is T(v+)/T(v) - 1, T the kinetic energy, at a step so short that nothing but the impact acts. Without gravity
 * the bodies are, in turn: a free box, capsule or ellipsoid on a floor; a box that falls flat; two free bodies; a chain
 * with a fixed root; a free chain between floor and wall. plain are those that Newton's law leaves as they are. within:
 * of the columns (derivatives by one number of the state or the parameters) those that agree with differences to
 * TOL_DERIVATIVE, relative to the largest entry of the impact; its active set holds over the differences. Both are of
 * impacts with whole and with limited restitution. vague: differences that do not know themselves well enough; they say
 * nothing. reverse: reverse against forward mode. */
#include "measure/differences.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* s, m: steps and gaps of the energies. Coriolis forces change energy by a share h |w|; the gap is small enough to
 * close in the step at a speed of 0.1 m/s. ncp has no digits for a shorter step. */
#define SHORT_LCP 1e-12
#define SHORT_NCP 1e-7
#define CLOSING   0.1
#define SHOWS     1e-9
/* s, m: of the derivatives. */
#define STEP           1e-3
#define GAP            1e-5
#define TOL_DERIVATIVE 1e-6
#define DIFFERENCE     1e-4 /* first step of the differences */
#define LEAST_STEP     1e-6
#define UNSURE         2e-7 /* differences that do not know themselves better than this say nothing */
enum { MAX_X = 64, MAX_DX = 60, MAX_PARAM = 24, FAMILIES = 5 };

static double draw(uint64_t seed, uint64_t stream, uint64_t i, double low, double high) {
    return low + (high - low) * tac_random_uniform(seed, stream, i);
}

static tacVec3 draw_axis(uint64_t seed, uint64_t stream) {
    tacVec3 a = {tac_random_normal(seed, stream, 0), tac_random_normal(seed, stream, 1),
                 tac_random_normal(seed, stream, 2)};
    double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return (tacVec3){a.x / length, a.y / length, a.z / length};
}

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

/* Streams of draws of body k begin at 10 k. */
static tacGeomDef draw_geom(uint64_t seed, uint64_t k, int sphere) {
    static const tacGeomType kinds[] = {TAC_GEOM_BOX, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID};
    tacGeomDef g = tac_default_geom();
    g.type = sphere ? TAC_GEOM_SPHERE : kinds[tac_random_bits(seed, 10 * k, 0) % 3];
    for (uint64_t i = 0; i < 3; i++)
        g.size[i] = draw(seed, 10 * k + 1, i, 0.05, 0.2);
    g.friction[0] = draw(seed, 10 * k + 2, 0, 0, 0.9); /* 1 and more would jam between floor and wall */
    g.restitution = draw(seed, 10 * k + 2, 1, 0, 1);
    return g;
}

static int add_body(tacBuilder *b, int parent, tacVec3 pos, tacJointType type, tacVec3 axis, const tacGeomDef *geom) {
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    body.pos = pos, joint.type = type, joint.axis = axis;
    int id = tac_model_add_body(b, parent, &body);
    tac_model_add_joint(b, id, &joint);
    tac_model_add_geom(b, id, geom);
    return id;
}

/* A weight that touches nothing, so that the centre of mass is elsewhere. */
static void add_weight(tacBuilder *b, int body, uint64_t seed, uint64_t k) {
    tacGeomDef g = draw_geom(seed, k + 100, 1);
    g.contype = g.conaffinity = 0;
    g.pos = (tacVec3){draw(seed, 10 * k + 3, 0, -0.2, 0.2), draw(seed, 10 * k + 3, 1, -0.2, 0.2),
                      draw(seed, 10 * k + 3, 2, -0.2, 0.2)};
    tac_model_add_geom(b, body, &g);
}

static void add_plane(tacBuilder *b, int along_x) {
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = 0.01;
    plane.size[0] = plane.size[1] = plane.size[2] = 5;
    if (along_x) plane.quat = (tacQuat){sqrt(0.5), 0, sqrt(0.5), 0};
    tac_model_add_geom(b, 0, &plane);
}

static void add_chain(tacBuilder *b, uint64_t seed, tacVec3 at, int free) {
    int n = 2 + (int)(tac_random_bits(seed, 1, 1) % 3), parent = 0, planar = !free && tac_random_bits(seed, 1, 2) % 2;
    for (int k = 1; k <= n; k++) {
        tacGeomDef g = draw_geom(seed, (uint64_t)k, 0);
        tacVec3 axis = planar ? (tacVec3){0, 1, 0} : draw_axis(seed, 10 * (uint64_t)k + 4);
        tacVec3 pos = k == 1 ? at : (tacVec3){0.3, 0, planar ? 0 : 0.1};
        g.pos = (tacVec3){0.15, 0, 0};
        g.contype = 1, g.conaffinity = 2; /* links pass through each other */
        tacJointType type = k == 1 && free ? TAC_JOINT_FREE : k == 2 && !planar ? TAC_JOINT_BALL : TAC_JOINT_HINGE;
        parent = add_body(b, parent, pos, type, axis, &g);
        if (free) add_weight(b, parent, seed, (uint64_t)k);
    }
}

/* Things are `at` above the floor (and beside the wall). Geoms 0 to *planes - 1 are planes. */
static tacModel *build(uint64_t seed, tacVec3 at, double gap, int *planes) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    tacModel *m = NULL;
    tacError err;
    int family = (int)(seed % FAMILIES);
    option.gravity = (tacVec3){0, 0, 0};
    tac_model_set_option(b, &option);
    *planes = family == 2 ? 0 : family == 4 ? 2 : 1;
    for (int i = 0; i < *planes; i++)
        add_plane(b, i);
    if (family < 2) {
        tacGeomDef g = draw_geom(seed, 1, 0);
        if (family == 1) g.type = TAC_GEOM_BOX;
        add_weight(b, add_body(b, 0, at, TAC_JOINT_FREE, at, &g), seed, 1);
    } else if (family == 2) {
        tacGeomDef g[2] = {draw_geom(seed, 1, 1), draw_geom(seed, 2, 1)};
        tacVec3 n = draw_axis(seed, 5), apart = {0, 0, 0};
        for (uint64_t k = 0; k < 2; k++) {
            add_weight(b, add_body(b, 0, apart, TAC_JOINT_FREE, apart, &g[k]), seed, k + 1);
            double d = g[0].size[0] + g[1].size[0] + gap;
            apart = (tacVec3){d * n.x, d * n.y, d * n.z};
        }
    } else {
        add_chain(b, seed, at, family == 4);
    }
    tacStatus status = tac_model_finish(b, &m, &err);
    tac_builder_free(b);
    if (status != TAC_OK) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, err.text), exit(2);
    return m;
}

static void draw_state(uint64_t seed, const tacModel *m, double *x) {
    double d[MAX_DX];
    tac_default_state(m, x);
    for (int i = 0; i < m->nv; i++)
        d[i] = seed % FAMILIES == 1 || seed % FAMILIES == 2 ? 0 : draw(seed, 6, (uint64_t)i, -2, 2);
    if (m->nv >= 6 && m->joint_type[0] == TAC_JOINT_FREE) d[0] = d[1] = d[2] = 0;
    tac_qpos_add(m, x, d, x);
    for (int i = 0; i < m->nv; i++)
        x[m->nq + i] = tac_random_normal(seed, 7, (uint64_t)i);
}

/* Least distance of a plane from all geoms that may touch it. */
static double nearest(tacSim *sim, const tacModel *m, const double *x, int plane, int planes) {
    double least = HUGE_VAL;
    tacContact c;
    for (int g = planes; g < m->ngeom; g++)
        if ((m->geom_contype[g] | m->geom_conaffinity[g]) != 0 &&
            tac_geom_distance(sim, x, NULL, plane, g, &c) == TAC_OK)
            least = fmin(least, c.dist);
    return least;
}

/* The scene of a seed with things `gap` apart. */
static Scene place(uint64_t seed, double gap, const tacOptions *how) {
    tacVec3 at = {seed % FAMILIES == 4 ? 1 : 0, 0, 1};
    int planes;
    tacModel *m = build(seed, at, gap, &planes);
    for (int i = 0; i < planes; i++) {
        Scene s = scene_with("far", m, how);
        draw_state(seed, s.model, s.x);
        double d = nearest(s.sim, s.model, s.x, i, planes) - gap;
        if (i == 0)
            at.z -= d;
        else
            at.x -= d;
        scene_free(&s);
        m = build(seed, at, gap, &planes);
    }
    Scene s = scene_with("impact", m, how);
    draw_state(seed, s.model, s.x);
    return s;
}

static tacOptions options_of(tacContactModel contact, double dt) {
    int planes;
    tacModel *m = build(1, (tacVec3){0, 0, 3}, 0, &planes);
    tacOptions o = tac_default_options(m);
    tac_model_free(m);
    o.contact = contact, o.dt = dt;
    return o;
}

/* --- Figures ------------------------------------------------------------------------------------------------------ */

typedef struct Figures {
    long seeds, impacts, unsolved, limited, plain, compared, compared_limited, columns[2], vague, within[2];
    double least, gain, worst, reverse;
    uint64_t seed; /* of the largest gain */
} Figures;

/* Kinetic energy of a motion v between two poses, in their middle: q and that after (before: -1) a step. The middle is
 * where the integrators have it, up to the square of the step. */
static double kinetic(const Scene *s, const double *v, int sense) {
    double d[MAX_DX], middle[MAX_X];
    tacEnergy e = {0, 0};
    for (int i = 0; i < s->model->nv; i++)
        d[i] = sense * 0.5 * s->options.dt * v[i];
    tac_qpos_add(s->model, s->x, d, middle);
    tac_energy(s->sim, middle, v, &e);
    return e.kinetic;
}

/* Gain of one impact; info of its step. */
static double gain_of(uint64_t seed, const tacOptions *how, tacStepInfo *info) {
    Scene s = place(seed, CLOSING * how->dt, how);
    int nq = s.model->nq;
    tac_step(s.sim, s.x, NULL, s.y, info);
    double gain = kinetic(&s, s.y + nq, 1) / kinetic(&s, s.x + nq, -1) - 1;
    scene_free(&s);
    return gain;
}

/* What is left of a step's length in a gain that shows is taken out by a second step, half as long. */
static void measure_energy(uint64_t seed, const tacOptions *how, Figures *f) {
    tacStepInfo info, half;
    tacOptions shorter = *how;
    double gain = gain_of(seed, how, &info);
    if (info.contacts == 0) return;
    f->impacts++;
    if (info.status != TAC_OK) {
        f->unsolved++;
        return;
    }
    f->limited += info.restitution_share < 1;
    f->plain += info.restitution_share == 1;
    f->least = fmin(f->least, info.restitution_share);
    shorter.dt = how->dt / 2;
    if (gain > SHOWS) {
        double again = gain_of(seed, &shorter, &half);
        if (half.status == TAC_OK) gain = 2 * again - gain;
    }
    if (!(gain <= f->gain)) f->gain = gain, f->seed = seed;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* The step as a function of one number: of the state's displacement, then of the parameters. */
typedef struct Column {
    const Scene *s;
    int column, changed; /* changed: another active set was met */
    uint64_t active_set;
    double unsure; /* the differences' own estimate of their error */
} Column;

static int moved_step(void *context, double t, double *out) {
    Column *c = context;
    const tacModel *m = c->s->model;
    double x[MAX_X], y[MAX_X], d[MAX_DX] = {0}, theta[MAX_PARAM], back[MAX_PARAM];
    int ndx = tac_ndx(m), nv = m->nv;
    tacStepInfo info;
    memcpy(x, c->s->x, (size_t)tac_nx(m) * sizeof *x);
    tac_sim_get_params(c->s->sim, back);
    memcpy(theta, back, sizeof theta);
    if (c->column < nv) {
        d[c->column] = t;
        tac_qpos_add(m, c->s->x, d, x);
    } else if (c->column < ndx) {
        x[m->nq + c->column - nv] += t;
    } else {
        theta[c->column - ndx] += t;
        tac_sim_set_params(c->s->sim, theta);
    }
    tacStatus status = tac_step(c->s->sim, x, NULL, y, &info);
    if (c->column >= ndx) tac_sim_set_params(c->s->sim, back);
    c->changed |= status != TAC_OK || info.active_set != c->active_set;
    tac_qpos_sub(m, y, c->s->y, out);
    memcpy(out + nv, y + m->nq, (size_t)nv * sizeof *out);
    return 0;
}

static void register_numbers(tacModel *m, int planes) {
    static const char *const fields[] = {"restitution", "friction[0]", "density"};
    char path[64];
    for (int g = planes; g < m->ngeom && m->nparam < MAX_PARAM - 4; g++)
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "geom/#%d.%s", g, fields[k]);
            tac_param_register(m, path, NULL, NULL);
        }
    tac_param_register(m, "option.timestep", NULL, NULL);
}

static double column_error(Column *c, const double *A, const double *P, double step, double *largest) {
    double derivative[MAX_DX], estimate[MAX_DX], work[DIFFERENCE_ROWS * DIFFERENCE_ROWS * MAX_DX], error = 0;
    int ndx = tac_ndx(c->s->model), np = c->s->model->nparam;
    if (difference_work(ndx) > (int)(sizeof work / sizeof *work)) exit(2);
    difference_ridders(moved_step, c, ndx, step, derivative, estimate, work);
    for (int i = 0; i < ndx; i++) {
        double exact = c->column < ndx ? A[i * ndx + c->column] : P[i * np + c->column - ndx];
        error = worse(error, fabs(exact - derivative[i]));
        c->unsure = worse(c->unsure, estimate[i]);
        *largest = fmax(*largest, fabs(exact));
    }
    return error;
}

static double reverse_error(const Scene *s, const double *A, const double *P) {
    double ybar[MAX_DX], x[MAX_DX], theta[MAX_PARAM], error = 0, size = 1;
    int ndx = tac_ndx(s->model), np = s->model->nparam;
    for (int i = 0; i < ndx; i++)
        ybar[i] = tac_random_normal(3, 0, (uint64_t)i);
    if (tac_step_vjp(s->sim, s->x, NULL, ybar, &(tacGrad){x, NULL, theta}, NULL) != TAC_OK) return HUGE_VAL;
    for (int c = 0; c < ndx + np; c++) {
        double sum = 0;
        for (int i = 0; i < ndx; i++)
            sum += ybar[i] * (c < ndx ? A[i * ndx + c] : P[i * np + c - ndx]);
        size = fmax(size, fabs(sum));
        error = worse(error, fabs(sum - (c < ndx ? x[c] : theta[c - ndx])));
    }
    return error / size;
}

/* only_limited: nothing is compared where the share of restitution is 1. */
static void compare(uint64_t seed, const tacOptions *how, int only_limited, Figures *f) {
    static double A[MAX_DX * MAX_DX], P[MAX_DX * MAX_PARAM];
    Scene near = place(seed, GAP, how);
    tacModel *m;
    tacStepInfo info;
    int planes = 0;
    while (planes < near.model->ngeom && near.model->geom_type[planes] == TAC_GEOM_PLANE)
        planes++;
    if (tac_model_copy(near.model, &m, NULL) != TAC_OK) exit(2);
    register_numbers(m, planes);
    Scene s = scene_with("impact", m, how);
    memcpy(s.x, near.x, (size_t)s.nx * sizeof *s.x);
    scene_free(&near);
    tacStatus status = tac_step_jac(s.sim, s.x, NULL, s.y, &(tacJac){A, NULL, P}, &info);
    if (status == TAC_OK && info.contacts > 0 && (!only_limited || info.restitution_share < 1)) {
        double step = DIFFERENCE, error = 0, largest = 1, one[MAX_DX + MAX_PARAM];
        Column c = {.s = &s, .changed = 1, .active_set = info.active_set};
        for (; c.changed && step >= LEAST_STEP; step /= 10) {
            c.changed = 0, c.unsure = 0, error = 0, largest = 1;
            for (c.column = 0; c.column < tac_ndx(m) + m->nparam && !c.changed; c.column++) {
                one[c.column] = column_error(&c, A, P, step, &largest);
                error = worse(error, one[c.column]);
            }
        }
        if (!c.changed && !(c.unsure <= UNSURE * largest)) {
            f->vague++;
        } else if (!c.changed) {
            f->compared++;
            f->compared_limited += info.restitution_share < 1;
            int limited = info.restitution_share < 1;
            f->columns[limited] += tac_ndx(m) + m->nparam;
            for (int k = 0; k < tac_ndx(m) + m->nparam; k++)
                f->within[limited] += one[k] <= TOL_DERIVATIVE * largest;
            scene_grow(&f->worst, error / largest);
            scene_grow(&f->reverse, reverse_error(&s, A, P));
        }
    }
    scene_free(&s);
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: %s lcp|ncp FIRST LAST EVERY\n", argv[0]), 2;
    tacContactModel contact = scene_contact_named(argv[1]);
    double dt = contact == TAC_CONTACT_MODEL_LCP ? SHORT_LCP : SHORT_NCP;
    tacOptions quick = options_of(contact, dt), usual = options_of(contact, STEP);
    uint64_t first = strtoull(argv[2], NULL, 10), last = strtoull(argv[3], NULL, 10),
             every = strtoull(argv[4], NULL, 10);
    Figures f = {.least = 1, .gain = -1};
    for (uint64_t seed = first; seed <= last; seed++) {
        f.seeds++;
        measure_energy(seed, &quick, &f);
        if (every > 0) compare(seed, &usual, seed % every != 0, &f);
    }
    printf(
        "{\"seeds\":%ld,\"impacts\":%ld,\"unsolved\":%ld,\"limited\":%ld,\"plain\":%ld,\"seed\":%llu,\"compared\":%ld,"
        "\"compared_limited\":%ld,\"vague\":%ld,\"columns\":[%ld,%ld],\"within\":[%ld,%ld]",
        f.seeds, f.impacts, f.unsolved, f.limited, f.plain, (unsigned long long)f.seed, f.compared, f.compared_limited,
        f.vague, f.columns[0], f.columns[1], f.within[0], f.within[1]);
    scene_print(0, "least", f.least), scene_print(0, "gain", f.gain);
    scene_print(0, "worst", f.worst), scene_print(0, "reverse", f.reverse);
    printf("}\n");
    return 0;
}
