#include "physics/bounce_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMS = 40 };

static void add_thing(World *w, const Thing *t, double friction) {
    tacGeomDef geom = world_geom(t->type, t->size, t->mass, friction);
    geom.restitution = t->restitution;
    world_add_body(w, t->pos, &geom);
}

static void add_floor(World *w, double friction, double restitution) {
    tacGeomDef plane = tac_default_geom();
    plane.type = TAC_GEOM_PLANE, plane.friction[0] = friction, plane.restitution = restitution;
    plane.size[0] = plane.size[1] = plane.size[2] = 1;
    tac_model_add_geom(w->b, 0, &plane);
}

static void register_numbers(tacModel *m) {
    static const char *const fields[] = {"restitution", "size[0]", "friction[0]", "mass"};
    char path[64];
    for (int g = 0; g < m->ngeom; g++)
        for (int k = 0; k < 4; k++) {
            tacError err;
            if (m->geom_type[g] == TAC_GEOM_PLANE && k > 0) continue;
            snprintf(path, sizeof path, "geom/#%d.%s", g, fields[k]);
            if (tac_param_register(m, path, NULL, &err) != TAC_OK) fail_msg("%s", err.text);
        }
    CHECK_INT(tac_param_register(m, "option.timestep", NULL, NULL), TAC_OK);
}

World bounce_world(int n, const Thing *things, WorldSetup setup) {
    World w = world_begin(0, setup.dt);
    tacOptionDef option = tac_default_option();
    option.timestep = setup.dt, option.gravity = (tacVec3){0, 0, -setup.gravity};
    tac_model_set_option(w.b, &option);
    if (setup.floor_restitution >= 0) add_floor(&w, 0.1 * setup.friction, setup.floor_restitution);
    for (int i = 0; i < n; i++)
        add_thing(&w, &things[i], setup.friction * (1 + 0.1 * i)); /* the larger counts: no two alike, no kinks */
    world_finish(&w, TAC_CONTACT_MODEL_LCP);
    if (setup.parameters) register_numbers(w.m);
    if (setup.change != NULL) w.options = setup.change(w.options);
    CHECK(tac_nx(w.m) <= BOUNCE_MAX_STATE && tac_ndx(w.m) <= BOUNCE_MAX_DX && w.m->nparam <= MAX_PARAMS);
    world_start(&w);
    return w;
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

typedef struct Blocks {
    double A[BOUNCE_MAX_DX * BOUNCE_MAX_DX], P[BOUNCE_MAX_DX * MAX_PARAMS], y[BOUNCE_MAX_STATE];
} Blocks;

static void differentiate(World *w, Blocks *b) {
    CHECK_INT(tac_step_jac(w->sim, w->x, NULL, b->y, &(tacJac){b->A, NULL, b->P}, &w->info), TAC_OK);
}

/* The next state when number `column` of [dx | theta] is moved by t, as a displacement from y0. */
static void moved(World *w, const double *y0, int column, double t, double *out) {
    const tacModel *m = w->m;
    double x[BOUNCE_MAX_STATE], y[BOUNCE_MAX_STATE], d[BOUNCE_MAX_DX] = {0}, theta[MAX_PARAMS], back[MAX_PARAMS];
    int ndx = tac_ndx(m);
    memcpy(x, w->x, sizeof x);
    tac_sim_get_params(w->sim, back);
    memcpy(theta, back, sizeof theta);
    if (column < m->nv) {
        d[column] = t;
        tac_qpos_add(m, w->x, d, x);
    } else if (column < ndx) {
        x[m->nq + column - m->nv] += t;
    } else {
        theta[column - ndx] += t;
    }
    if (column >= ndx) CHECK_INT(tac_sim_set_params(w->sim, theta), TAC_OK);
    CHECK_INT(tac_step(w->sim, x, NULL, y, NULL), TAC_OK);
    if (column >= ndx) CHECK_INT(tac_sim_set_params(w->sim, back), TAC_OK);
    tac_qpos_sub(m, y, y0, out);
    memcpy(out + m->nv, y + m->nq, (size_t)m->nv * sizeof *out);
}

/* Central differences of two steps, extrapolated. */
static void difference(World *w, const double *y0, int column, double h, double *out) {
    double a[BOUNCE_MAX_DX], b[BOUNCE_MAX_DX], c[BOUNCE_MAX_DX], d[BOUNCE_MAX_DX];
    moved(w, y0, column, h, a), moved(w, y0, column, -h, b);
    moved(w, y0, column, h / 2, c), moved(w, y0, column, -h / 2, d);
    for (int i = 0; i < 2 * w->m->nv; i++)
        out[i] = (4 * (c[i] - d[i]) / h - (a[i] - b[i]) / (2 * h)) / 3;
}

double bounce_world_check(World *w, double step) {
    static Blocks b;
    double F[BOUNCE_MAX_DX], worst = 0, largest = 1;
    int ndx = tac_ndx(w->m), np = w->m->nparam;
    differentiate(w, &b);
    for (int c = 0; c < ndx + np; c++) {
        difference(w, b.y, c, step, F);
        for (int i = 0; i < ndx; i++) {
            double exact = c < ndx ? b.A[i * ndx + c] : b.P[i * np + c - ndx];
            worst = fmax(worst, fabs(exact - F[i]));
            largest = fmax(largest, fabs(F[i]));
        }
    }
    return worst / largest;
}

double bounce_world_reverse(World *w) {
    static Blocks b;
    double ybar[BOUNCE_MAX_DX], x[BOUNCE_MAX_DX], theta[MAX_PARAMS], worst = 0;
    int ndx = tac_ndx(w->m), np = w->m->nparam;
    differentiate(w, &b);
    for (int i = 0; i < ndx; i++)
        ybar[i] = tac_random_normal(7, 0, (uint64_t)i);
    CHECK_INT(tac_step_vjp(w->sim, w->x, NULL, ybar, &(tacGrad){x, NULL, theta}, NULL), TAC_OK);
    for (int c = 0; c < ndx + np; c++) {
        double sum = 0, size = 1;
        for (int i = 0; i < ndx; i++) {
            double term = ybar[i] * (c < ndx ? b.A[i * ndx + c] : b.P[i * np + c - ndx]);
            sum += term, size = fmax(size, fabs(term));
        }
        worst = fmax(worst, fabs(sum - (c < ndx ? x[c] : theta[c - ndx])) / size);
    }
    return worst;
}
