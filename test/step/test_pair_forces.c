/* Forces of geom pairs as outputs, and derivatives of the forces of single contacts: sums to the constraint force,
 * differences along random directions, reverse mode, refusals. */
#include "measure/differences.h"
#include "measure/draw_contact.h"
#include "support/check.h"
#include "tactus/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to max(1, the largest force or derivative). */
#define TOL_SUM      1e-12
#define TOL_GRADIENT 1e-6
#define TOL_REVERSE  1e-10
#define FIRST_STEP   1e-3
#define RESTITUTION  0.6
#define SOFT_KAPPA   1e-4 /* ncp: differences over small steps mean something */
enum { STATES = 6, TRIES = 120, MOST = 12, ROOM = 256 };

typedef struct Case {
    tacModel *m;
    tacOptions options;
    tacSim *sim;
    int nx, ndx, nu, np, n, nz, force_by_force; /* 1: contacts one by one instead of pairs */
    double *x, *u, *d, *theta, *z;
    uint64_t active_set;
    int impacts; /* of the step from x */
    tacContactForce list[ROOM];
    tacOutput pair[ROOM];
    tacOutputs pairs;
} Case;

static double *numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void open_case(Case *c, const char *file, tacContactModel contact, int toi, const char *const *params) {
    tacError err = {0};
    *c = (Case){.nz = 0};
    if (tac_load(file, &c->m, &err) != TAC_OK) print_error("%s\n", err.text);
    CHECK(c->m != NULL);
    for (; params != NULL && params[c->np] != NULL; c->np++)
        CHECK_INT(tac_param_register(c->m, params[c->np], NULL, &err), TAC_OK);
    c->options = tac_default_options(c->m);
    c->options.contact = contact, c->options.toi = toi, c->options.ncp_kappa = SOFT_KAPPA, c->options.ncp_polish = 5;
    CHECK_INT(tac_sim_new(c->m, &c->options, &c->sim, &err), TAC_OK);
    c->nx = tac_nx(c->m), c->ndx = tac_ndx(c->m), c->nu = tac_ninput(c->m, &c->options);
    c->n = c->ndx + c->nu + c->np;
    c->x = numbers(c->nx), c->u = numbers(c->nu), c->d = numbers(c->n), c->theta = numbers(c->np);
    CHECK_INT(tac_sim_get_params(c->sim, c->theta), TAC_OK);
    for (int i = 0; i < c->np; i++) {
        int friction = strstr(params[i], ".friction[0]") != NULL && strncmp(params[i], "geom/", 5) == 0;
        if (friction) c->theta[i] *= 1.1; /* geoms of equal friction are at a kink */
        if (strstr(params[i], ".restitution") != NULL) c->theta[i] = RESTITUTION;
    }
    if (c->np > 0) CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
}

static void close_case(Case *c) {
    free(c->x), free(c->u), free(c->d), free(c->theta);
    tac_sim_free(c->sim);
    tac_model_free(c->m);
}

/* A state in contact, its contacts, and every pair that touches; the last one twice, in the other order. */
static int draw(Case *c, uint64_t seed) {
    int n = 0, np = 0;
    tacStepInfo info = {0};
    double *y = numbers(c->nx);
    measure_draw_contact_state(c->sim, c->m, &c->options, 7, seed, c->x, c->u);
    CHECK_INT(tac_step(c->sim, c->x, c->u, y, &info), TAC_OK);
    CHECK_INT(tac_step_contacts(c->sim, c->x, c->u, c->list, ROOM, &n), TAC_OK);
    c->active_set = info.active_set;
    c->impacts = info.impacts;
    for (int i = 0; i < n; i++) {
        const int *g = c->list[i].contact.geom;
        int known = 0; /* contacts of impacts follow, and may be of pairs that touched before */
        for (int k = 0; k < np; k++)
            known |= c->pair[k].id == g[0] && c->pair[k].id2 == g[1];
        if (!known) c->pair[np++] = (tacOutput){TAC_OUT_PAIR_FORCE, g[0], g[1]};
    }
    CHECK(np > 0);
    c->pair[np] = (tacOutput){TAC_OUT_PAIR_FORCE, c->pair[np - 1].id2, c->pair[np - 1].id};
    c->pairs = (tacOutputs){np + 1, c->pair};
    CHECK_INT(tac_outputs_size(c->m, &c->pairs), 3 * np + 3);
    free(y);
    return n;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

static tacVec3 world_force(const tacContact *p, const double f[3]) {
    const tacVec3 axis[3] = {p->normal, p->tangent[0], p->tangent[1]};
    double F[3] = {0};
    for (int k = 0; k < 3; k++)
        F[0] += f[k] * axis[k].x, F[1] += f[k] * axis[k].y, F[2] += f[k] * axis[k].z;
    return (tacVec3){F[0], F[1], F[2]};
}

/* sum += J^T F of a force at a point, on geom[1] and against geom[0]. */
static void add_to_dofs(const Case *c, const tacContact *p, tacVec3 F, double *sum) {
    double *J = numbers(3 * c->m->nv);
    for (int side = 0; side < 2; side++) {
        CHECK_INT(tac_point_jacobian(c->sim, c->x, c->m->geom_body[p->geom[side]], p->pos, J, NULL), TAC_OK);
        for (int i = 0; i < c->m->nv; i++)
            sum[i] += (side ? 1 : -1) * (J[i] * F.x + J[c->m->nv + i] * F.y + J[2 * c->m->nv + i] * F.z);
    }
    free(J);
}

/* Forces of pairs against the listed contacts, and, as one force a pair on its first frame, against the constraint
 * force: where a pair has one contact on all dofs; else on those of the root's translation. */
static double check_sums(const Case *c, int n, int root) {
    int nv = c->m->nv, rows = root ? 3 : nv;
    double z[3 * ROOM + 3], *qfrc = numbers(nv), *sum = numbers(nv), largest = 1;
    CHECK_INT(tac_outputs(c->sim, c->x, c->u, &c->pairs, z), TAC_OK);
    CHECK_INT(
        tac_outputs(c->sim, c->x, c->u, &(tacOutputs){1, &(tacOutput){TAC_OUT_QFRC_CONSTRAINT, TAC_OUT_ALL}}, qfrc),
        TAC_OK);
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, fabs(qfrc[i]));
    int last = c->pairs.n - 2;
    for (int i = 0, at = 0; i < n; at++) {
        double f[3] = {0};
        const tacContact *first = &c->list[i].contact;
        for (; i < n && c->list[i].contact.geom[0] == first->geom[0] && c->list[i].contact.geom[1] == first->geom[1];
             i++)
            for (int k = 0; k < 3; k++)
                f[k] += c->list[i].force[k];
        CHECK_ARRAY(3, f, z + 3 * at, TOL_SUM * largest);
        add_to_dofs(c, first, world_force(first, z + 3 * at), sum);
    }
    CHECK_NEAR(z[3 * last + 3], z[3 * last], 0);
    CHECK_NEAR(z[3 * last + 4], -z[3 * last + 1], 0);
    CHECK_NEAR(z[3 * last + 5], -z[3 * last + 2], 0);
    CHECK_ARRAY(rows, qfrc, sum, TOL_SUM * largest);
    free(qfrc), free(sum);
    return largest;
}

/* Feet are spheres: one contact a pair. Forces of limits and dry friction are left out. */
static void sum_to_the_constraint_force(void **state) {
    static const tacContactModel CONTACTS[] = {TAC_CONTACT_MODEL_LCP, TAC_CONTACT_MODEL_NCP, TAC_CONTACT_MODEL_SOFT};
    static const struct {
        const char *file;
        int one; /* 1: each pair has one contact */
    } MODELS[] = {{"test/data/pair_feet.xml", 1}, {"models/box.xml", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof CONTACTS / sizeof *CONTACTS; i++)
        for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
            Case c;
            open_case(&c, MODELS[k].file, CONTACTS[i], 0, NULL);
            int root = !MODELS[k].one || CONTACTS[i] == TAC_CONTACT_MODEL_NCP; /* ncp acts at another place */
            double largest = 0;
            for (uint64_t s = 0; s < STATES; s++)
                largest = fmax(largest, check_sums(&c, draw(&c, s), root));
            CHECK(largest > 10);
            close_case(&c);
        }
}

/* --- Derivatives -------------------------------------------------------------------------------------------------- */

/* The forces at the point moved by t d; fails where other classes hold. */
static int forces_along(void *context, double t, double *z) {
    Case *c = context;
    const tacModel *m = c->m;
    double *x = numbers(c->nx), *u = numbers(c->nu), *theta = numbers(c->np), *y = numbers(c->nx), *d = numbers(c->n);
    tacStepInfo info = {0};
    int n = 0;
    for (int i = 0; i < c->n; i++)
        d[i] = t * c->d[i];
    tac_qpos_add(m, c->x, d, x);
    for (int i = 0; i < m->nv + m->na; i++)
        x[m->nq + i] = c->x[m->nq + i] + d[m->nv + i];
    for (int i = 0; i < c->nu; i++)
        u[i] = c->u[i] + d[c->ndx + i];
    for (int i = 0; i < c->np; i++)
        theta[i] = c->theta[i] + d[c->ndx + c->nu + i];
    int bad = (c->np > 0 && tac_sim_set_params(c->sim, theta) != TAC_OK) ||
              tac_step(c->sim, x, u, y, &info) != TAC_OK || info.active_set != c->active_set;
    if (!bad && c->force_by_force) {
        static tacContactForce list[ROOM];
        bad = tac_step_contacts(c->sim, x, u, list, ROOM, &n) != TAC_OK;
        for (int i = 0; !bad && i < n; i++)
            memcpy(z + 3 * i, list[i].force, sizeof list[i].force);
    } else if (!bad) {
        bad = tac_outputs(c->sim, x, u, &c->pairs, z) != TAC_OK;
    }
    free(x), free(u), free(theta), free(y), free(d);
    return bad;
}

/* A direction; parameters move in proportion to themselves. */
static void draw_direction(Case *c, uint64_t seed) {
    for (int i = 0; i < c->n; i++)
        c->d[i] = tac_random_normal(seed, 11, (uint64_t)i);
    for (int i = 0; i < c->np; i++)
        c->d[c->ndx + c->nu + i] *= 0.1 * fmax(fabs(c->theta[i]), 1e-2);
}

/* 1: compared; 0: classes change too near for differences to tell. */
static int check_direction(Case *c, const tacJac *J, double *worst) {
    double *d = numbers(c->nz), *e = numbers(c->nz), *work = numbers(difference_work(c->nz)), *mine = numbers(c->nz);
    double best = (double)INFINITY, scale = 1;
    int n[3] = {c->ndx, c->nu, c->np};
    const double *from[3] = {J->A, J->B, J->P};
    for (int i = 0; i < c->nz; i++) {
        const double *along = c->d;
        for (int k = 0; k < 3; along += n[k++])
            for (int j = 0; j < n[k]; j++)
                mine[i] += from[k][i * n[k] + j] * along[j];
        scale = fmax(scale, fmax(fabs(mine[i]), fabs(c->z[i])));
    }
    for (double h = FIRST_STEP; h > 1e-9 && !(best < TOL_GRADIENT / 3); h /= 10) {
        if (difference_ridders(forces_along, c, c->nz, h, d, e, work) != 0) continue;
        double error = 0, rough = 0;
        for (int i = 0; i < c->nz; i++) {
            error = fmax(error, fabs(mine[i] - d[i]) / scale);
            rough = fmax(rough, fabs(e[i]) / scale);
        }
        if (rough > TOL_GRADIENT / 10) continue; /* by its own estimate: forces that redundant contacts share jump */
        best = fmin(best, error);
    }
    if (c->np > 0) CHECK_INT(tac_sim_set_params(c->sim, c->theta), TAC_OK);
    free(d), free(e), free(work), free(mine);
    if (isinf(best)) return 0;
    CHECK_LT(best, TOL_GRADIENT);
    *worst = fmax(*worst, best);
    return 1;
}

/* zbar . J against reverse mode. */
static void check_reverse(Case *c, const tacJac *J) {
    int n[3] = {c->ndx, c->nu, c->np};
    double *zbar = numbers(c->nz), *g[3], scale = 1, error = 0;
    const double *from[3] = {J->A, J->B, J->P};
    for (int k = 0; k < 3; k++)
        g[k] = numbers(n[k]);
    for (int i = 0; i < c->nz; i++)
        zbar[i] = tac_random_normal(5, 12, (uint64_t)i);
    CHECK_INT(tac_outputs_vjp(c->sim, c->x, c->u, &c->pairs, zbar, &(tacGrad){g[0], g[1], g[2]}), TAC_OK);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n[k]; j++) {
            double sum = 0;
            for (int i = 0; i < c->nz; i++) {
                sum += zbar[i] * from[k][i * n[k] + j];
                scale = fmax(scale, fabs(zbar[i] * from[k][i * n[k] + j]));
            }
            error = fmax(error, fabs(sum - g[k][j]));
        }
    CHECK_LT(error / scale, TOL_REVERSE);
    free(zbar), free(g[0]), free(g[1]), free(g[2]);
}

static tacJac make_jac(const Case *c, int rows) {
    return (tacJac){numbers(rows * c->ndx), numbers(rows * c->nu), numbers(rows * c->np)};
}

static void free_jac(tacJac *J) { free(J->A), free(J->B), free(J->P); }

/* Pairs, then single contacts, at one state. Returns how many directions were compared. */
static int check_state(Case *c, uint64_t seed, double *worst) {
    int n = draw(c, seed), found = 0, compared = 0;
    tacJac J = make_jac(c, 3 * (c->pairs.n > n ? c->pairs.n : n));
    c->z = numbers(3 * (c->pairs.n + n));
    draw_direction(c, seed);
    c->nz = 3 * c->pairs.n, c->force_by_force = 0;
    CHECK_INT(tac_outputs_jac(c->sim, c->x, c->u, &c->pairs, c->z, &J), TAC_OK);
    check_reverse(c, &J);
    compared += check_direction(c, &J, worst);
    c->nz = 3 * n, c->force_by_force = 1;
    for (int i = 0; i < n; i++)
        memcpy(c->z + 3 * i, c->list[i].force, sizeof c->list[i].force);
    CHECK_INT(tac_step_contacts_jac(c->sim, c->x, c->u, &J, n, &found), TAC_OK);
    CHECK_INT(found, n);
    compared += check_direction(c, &J, worst);
    free(c->z), free_jac(&J);
    return compared;
}

static void equal_differences(void **state) {
    static const struct {
        const char *file;
        tacContactModel contact;
        const char *params[MOST];
    } MODELS[] = {
        {"models/ant.xml",
         TAC_CONTACT_MODEL_LCP,
         {"option.timestep", "option.gravity[2]", "body/torso.mass", "geom/ground.friction[0]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_LCP,
         {"option.timestep", "body/torso.mass", "geom/ground.friction[0]", "geom/fore_foot.size[0]", NULL}},
        {"models/quadruped.xml", TAC_CONTACT_MODEL_LCP, {"option.gravity[2]", NULL}},
        {"models/box.xml",
         TAC_CONTACT_MODEL_NCP,
         {"option.timestep", "body/box.mass", "geom/box.size[1]", "geom/ground.friction[0]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_NCP,
         {"option.timestep", "body/torso.mass", "geom/fore_foot.size[0]", "body/fore_shin.pos[2]", NULL}},
        {"test/data/pair_friction.xml",
         TAC_CONTACT_MODEL_NCP,
         {"pair/touch.friction[0]", "pair/touch.friction[1]", "option.timestep", NULL}},
        {"test/data/pair_friction.xml",
         TAC_CONTACT_MODEL_LCP,
         {"pair/touch.friction[0]", "pair/touch.friction[1]", "option.timestep", NULL}},
        {"models/box.xml",
         TAC_CONTACT_MODEL_SOFT,
         {"option.timestep", "body/box.mass", "geom/ground.friction[0]", "geom/box.solref[0]", NULL}},
        {"models/half_cheetah.xml",
         TAC_CONTACT_MODEL_SOFT,
         {"body/torso.mass", "geom/fore_foot.size[0]", "geom/ground.friction[0]", "geom/ground.margin", NULL}},
        {"models/quadruped.xml", TAC_CONTACT_MODEL_SOFT, {"option.impratio", NULL}},
        {"test/data/soft_pairs.xml",
         TAC_CONTACT_MODEL_SOFT,
         {"pair/rolling.solreffriction[0]", "pair/slow.solref[0]", "pair/hand.friction[0]", "pair/hand.solimp[1]",
          NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        Case c;
        int compared = 0;
        double worst = 0;
        open_case(&c, MODELS[i].file, MODELS[i].contact, 0, MODELS[i].params);
        for (uint64_t s = 0; s < STATES; s++)
            compared += check_state(&c, s, &worst);
        print_message("%s, %s: %d of %d directions, worst error %.1e\n", MODELS[i].file,
                      tac_contact_text(MODELS[i].contact), compared, 2 * STATES, worst);
        CHECK(compared >= STATES);
        close_case(&c);
    }
}

/* Steps that stop at impacts: contacts of the kick, of every impact, and what the first impact takes back of the kick,
 * as in the pile. */
static void equal_differences_through_impacts(void **state) {
    static const struct {
        const char *file;
        const char *params[MOST];
    } MODELS[] = {
        {"models/box.xml", {"option.timestep", "body/box.mass", "geom/box.size[1]", "geom/ground.friction[0]", NULL}},
        {"models/ant.xml",
         {"option.timestep", "option.gravity[2]", "body/torso.mass", "geom/ground.friction[0]", NULL}},
        {"models/half_cheetah.xml",
         {"option.timestep", "body/torso.mass", "geom/ground.friction[0]", "geom/fore_foot.size[0]", NULL}},
        {"models/quadruped.xml", {"option.gravity[2]", NULL}},
        {"test/data/box_pile.xml",
         {"geom/a.friction[0]", "option.timestep", "option.gravity[2]", "body/c.mass", "geom/b.size[1]", NULL}},
        {"test/data/stone_pile.xml", {"option.timestep", "option.gravity[2]", NULL}},
        {"models/ant.xml", {"geom/ground.restitution", "option.timestep", "body/torso.mass", NULL}},
        {"models/half_cheetah.xml", {"geom/ground.restitution", "option.timestep", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
        Case c;
        int compared = 0, impacts = 0;
        double worst = 0;
        open_case(&c, MODELS[i].file, TAC_CONTACT_MODEL_LCP, 1, MODELS[i].params);
        for (uint64_t s = 0; s < TRIES && compared < 2 * STATES; s++) {
            draw(&c, s);
            if (c.impacts == 0) continue;
            impacts += c.impacts;
            compared += check_state(&c, s, &worst);
        }
        print_message("%s, toi: %d impacts, %d directions, worst error %.1e\n", MODELS[i].file, impacts, compared,
                      worst);
        CHECK(compared >= STATES);
        close_case(&c);
    }
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

static void refuse_what_is_no_pair(void **state) {
    static const tacOutput BAD[] = {{TAC_OUT_PAIR_FORCE, 0, 0},
                                    {TAC_OUT_PAIR_FORCE, TAC_OUT_ALL, 1},
                                    {TAC_OUT_PAIR_FORCE, 0, 1000},
                                    {TAC_OUT_PAIR_FORCE, -2, 1}};
    static const tacOutput UNKNOWN = {TAC_OUT_PAIR_FORCE, 0, -1}, GOOD = {TAC_OUT_PAIR_FORCE, 0, 1};
    (void)state;
    Case c;
    double z[3] = {7, 7, 7};
    open_case(&c, "models/box.xml", TAC_CONTACT_MODEL_LCP, 0, NULL);
    int n = draw(&c, 1), found = -5;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){1, &BAD[i]}, z), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_outputs(c.sim, c.x, c.u, &(tacOutputs){1, &UNKNOWN}, z), TAC_ERR_NAME);
    CHECK_NEAR(z[0], 7, 0);
    tacJac J = make_jac(&c, 3 * n);
    J.A[0] = 7;
    CHECK_INT(tac_step_contacts_jac(c.sim, c.x, c.u, &J, n - 1, &found), TAC_ERR_CONTACTS);
    CHECK_INT(found, n);
    CHECK_NEAR(J.A[0], 7, 0);
    c.options.contact = TAC_CONTACT_MODEL_NONE;
    tac_sim_free(c.sim);
    CHECK_INT(tac_sim_new(c.m, &c.options, &c.sim, NULL), TAC_OK);
    CHECK_INT(tac_outputs_jac(c.sim, c.x, c.u, &(tacOutputs){1, &GOOD}, z, &J), TAC_OK);
    CHECK_INT(tac_step_contacts_jac(c.sim, c.x, c.u, &J, 0, &found), TAC_OK);
    CHECK_INT(found, 0);
    CHECK_NEAR(z[0], 0, 0);
    free_jac(&J);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_to_the_constraint_force),
        cmocka_unit_test(equal_differences),
        cmocka_unit_test(equal_differences_through_impacts),
        cmocka_unit_test(refuse_what_is_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
