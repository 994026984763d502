#include "physics/bounce_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMS = 40 };

static void add_thing(tacBuilder *b, const Thing *t, double friction) {
    tacBodyDef body = tac_default_body();
    body.pos = t->pos;
    int id = tac_model_add_body(b, 0, &body);
    tacJointDef joint = tac_default_joint();
    joint.type = TAC_FREE;
    tac_model_add_joint(b, id, &joint);
    tacGeomDef geom = tac_default_geom();
    geom.type = t->type, geom.friction[0] = friction, geom.has_mass = 1, geom.mass = t->mass;
    geom.restitution = t->restitution;
    memcpy(geom.size, t->size, sizeof geom.size);
    tac_model_add_geom(b, id, &geom);
}

static void register_numbers(tacModel *m) {
    static const char *const fields[] = {"restitution", "size[0]", "friction[0]", "mass"};
    char path[64];
    for (int g = 0; g < m->ngeom; g++)
        for (int k = 0; k < 4; k++) {
            tacError err;
            if (m->geom_type[g] == TAC_PLANE && k > 0) continue;
            snprintf(path, sizeof path, "geom/#%d.%s", g, fields[k]);
            if (tac_param_register(m, path, NULL, &err) != TAC_OK) fail_msg("%s", err.text);
        }
}

World bounce_world(int n, const Thing *things, WorldSetup setup) {
    tacBuilder *b = tac_model_begin();
    tacOptionDef option = tac_default_option();
    option.timestep = setup.dt;
    option.gravity = (tacVec3){0, 0, -setup.gravity};
    tac_model_set_option(b, &option);
    if (setup.floor_restitution >= 0) {
        tacGeomDef plane = tac_default_geom();
        plane.type = TAC_PLANE, plane.friction[0] = 0.1 * setup.friction, plane.restitution = setup.floor_restitution;
        plane.size[0] = plane.size[1] = plane.size[2] = 1;
        tac_model_add_geom(b, 0, &plane);
    }
    for (int i = 0; i < n; i++)
        add_thing(b, &things[i], setup.friction * (1 + 0.1 * i)); /* the larger counts: no two alike, no kinks */
    World w = {0};
    tacError err;
    if (tac_model_finish(b, &w.m, &err) != TAC_OK) fail_msg("%s", err.text);
    tac_model_abandon(b);
    if (setup.parameters) register_numbers(w.m);
    tacOptions options = tac_default_options(w.m);
    options.contact = TAC_LCP;
    if (setup.change != NULL) options = setup.change(options);
    if (tac_sim_new(w.m, &options, &w.sim, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(tac_nx(w.m) <= BOUNCE_MAX_STATE && tac_ndx(w.m) <= BOUNCE_MAX_DX && w.m->nparam <= MAX_PARAMS);
    tac_default_state(w.m, w.x);
    return w;
}

void bounce_world_end(World *w) {
    tac_sim_free(w->sim);
    tac_model_free(w->m);
}

void bounce_world_run(World *w, int n) {
    for (int k = 0; k < n; k++)
        CHECK_INT(tac_step(w->sim, w->x, NULL, w->x, &w->info), TAC_OK);
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
