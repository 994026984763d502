/* Models made by rule: random ones load, survive packing and step; chains and trees are the same as text and built. */
#include "tactus/io.h"

#include "io/scratch.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two ways to the same mass matrix, in different orders of summation. */
#define TOL_SAME 1e-12

enum { SEEDS = 200, STEPS = 200, DEEP = 400, LONG_STEPS = 2 };

/* Of the first SEEDS texts, one after the other: the same everywhere, and changes are deliberate. */
#define TEXT_HASH UINT64_C(0x11510dd043f49917)

static tacModel *load_text(const char *text) {
    tacError err;
    tacModel *model = NULL;
    CHECK(text != NULL);
    tacStatus status = tac_load(scratch_text("random.xml", text), &model, &err);
    if (status != TAC_OK) fail_msg("%s\n%s", err.text, text);
    return model;
}

static tacModel *load_seed(uint64_t seed) {
    char *text = tac_random_model(seed);
    tacModel *model = load_text(text);
    free(text);
    return model;
}

static void test_same_text_everywhere(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        char *text = tac_random_model(seed), *again = tac_random_model(seed);
        CHECK_STR(text, again);
        hash = tac_hash(text, strlen(text), hash);
        free(text);
        free(again);
    }
    if (hash != TEXT_HASH) print_error("hash 0x%016llx\n", (unsigned long long)hash);
    CHECK(hash == TEXT_HASH);
}

/* Random numbers are drawn for every seed, small or large. */
static void test_seeds_differ(void **state) {
    (void)state;
    char *a = tac_random_model(1), *b = tac_random_model(2), *c = tac_random_model(UINT64_MAX);
    CHECK(strcmp(a, b) != 0 && strcmp(a, c) != 0);
    free(a);
    free(b);
    free(c);
}

/* Model -> bytes -> model: the same hash. */
static void check_pack(const tacModel *model) {
    tacModel *again = NULL;
    size_t size = tac_model_pack_bytes(model);
    void *bytes = malloc(size);
    CHECK_INT(tac_model_pack(model, bytes, size, NULL), TAC_OK);
    CHECK_INT(tac_model_unpack(bytes, size, &again, NULL), TAC_OK);
    CHECK(tac_model_hash(again) == tac_model_hash(model));
    free(bytes);
    tac_model_free(again);
}

static void check_steps(const tacModel *model, uint64_t seed, int steps) {
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    int nx = tac_nx(model);
    tacSim *sim;
    double *x = malloc(((size_t)nx + 1) * sizeof *x), *u = malloc(((size_t)model->nu + 1) * sizeof *u);
    CHECK_INT(tac_sim_new(model, &options, &sim, NULL), TAC_OK);
    tac_default_state(model, x);
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < model->nu; i++)
            u[i] = 2 * tac_random_uniform(seed, (uint64_t)k, (uint64_t)i) - 1;
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
    }
    for (int i = 0; i < nx; i++)
        CHECK(isfinite(x[i]));
    tac_sim_free(sim);
    free(x);
    free(u);
}

static void test_random_models_pack_and_step(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tacModel *model = load_seed(seed);
        check_pack(model);
        check_steps(model, seed, STEPS);
        tac_model_free(model);
    }
}

/* What the models are made of, counted over all of them: nothing that is promised is missing. */
static void test_kinds_in_use(void **state) {
    (void)state;
    int joint[4] = {0}, geom[TAC_GEOM_TYPES] = {0}, transmission[6] = {0}, dynamics[6] = {0}, gain[4] = {0},
        bias[4] = {0};
    int inertial[3] = {0}, mocap = 0, keys = 0, tendons = 0, several = 0, gravcomp = 0, trees = 0, pairs = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        tacModel *m = load_seed(seed);
        for (int i = 0; i < m->njnt; i++)
            joint[m->joint_type[i]]++;
        for (int i = 0; i < m->ngeom; i++)
            geom[m->geom_type[i]]++;
        for (int i = 0; i < m->nu; i++) {
            transmission[m->actuator_trntype[i]]++;
            dynamics[m->actuator_dyntype[i]]++;
            gain[m->actuator_gaintype[i]]++;
            bias[m->actuator_biastype[i]]++;
        }
        for (int i = 1; i < m->nbody; i++) {
            inertial[m->body_inertial[i]]++;
            several += m->body_joint_num[i] > 1;
            gravcomp += m->body_gravcomp[i] > 0;
            trees += i > 1 && m->body_parent[i] == 0;
        }
        mocap += m->nmocap;
        keys += m->nkey;
        tendons += m->ntendon;
        pairs += m->npair + m->nexclude;
        tac_model_free(m);
    }
    CHECK(joint[TAC_JOINT_FREE] && joint[TAC_JOINT_BALL] && joint[TAC_JOINT_SLIDE] && joint[TAC_JOINT_HINGE]);
    CHECK(geom[TAC_GEOM_PLANE] && geom[TAC_GEOM_SPHERE] && geom[TAC_GEOM_CAPSULE] && geom[TAC_GEOM_ELLIPSOID] &&
          geom[TAC_GEOM_CYLINDER] && geom[TAC_GEOM_BOX] && geom[TAC_GEOM_MESH]);
    CHECK(transmission[TAC_TRN_JOINT] && transmission[TAC_TRN_JOINT_IN_PARENT] && transmission[TAC_TRN_TENDON] &&
          transmission[TAC_TRN_SITE]);
    CHECK(dynamics[TAC_DYN_NONE] && dynamics[TAC_DYN_INTEGRATOR] && dynamics[TAC_DYN_FILTER] &&
          dynamics[TAC_DYN_FILTER_EXACT]);
    CHECK(gain[TAC_GAIN_FIXED] && gain[TAC_GAIN_AFFINE] && bias[TAC_BIAS_NONE] && bias[TAC_BIAS_AFFINE]);
    CHECK(inertial[TAC_INERTIAL_GEOMS] && inertial[TAC_INERTIAL_DIAG] && inertial[TAC_INERTIAL_FULL]);
    CHECK(mocap && keys && tendons && several && gravcomp && trees && pairs);
}

/* --- Chains and trees -------------------------------------------------------------------------------------------- */

static double *mass_matrix(const tacModel *m) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim;
    double *q = malloc((size_t)m->nq * sizeof *q), *d = malloc((size_t)m->nv * sizeof *d);
    double *M = malloc((size_t)m->nv * (size_t)m->nv * sizeof *M);
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    /* every joint bent by its own amount, the same for joints of one name */
    for (int j = 0; j < m->njnt; j++) {
        int body = atoi(tac_model_name(m, TAC_KIND_JOINT, j) + strlen("joint"));
        int n = m->joint_type[j] == TAC_JOINT_FREE ? 6 : m->joint_type[j] == TAC_JOINT_BALL ? 3 : 1;
        for (int i = 0; i < n; i++)
            d[m->joint_dof_adr[j] + i] = 0.1 + 0.05 * ((body + i) % 7);
    }
    tac_qpos_add(m, m->qpos_0, d, q);
    CHECK_INT(tac_mass_matrix(sim, q, M), TAC_OK);
    tac_sim_free(sim);
    free(q);
    free(d);
    return M;
}

/* dof of `as` that corresponds to dof `i` of m: the same joint by name, the same coordinate. */
static int same_dof(const tacModel *m, int i, const tacModel *as) {
    int j = 0;
    while (j + 1 < m->njnt && m->joint_dof_adr[j + 1] <= i)
        j++;
    int id = tac_model_find(as, TAC_KIND_JOINT, tac_model_name(m, TAC_KIND_JOINT, j));
    CHECK(id >= 0);
    return as->joint_dof_adr[id] + i - m->joint_dof_adr[j];
}

/* The largest difference between mass matrices after renumbering, relative to the largest entry. */
static double difference(const tacModel *a, const tacModel *b) {
    double *A = mass_matrix(a), *B = mass_matrix(b), worst = 0, largest = 0;
    for (int i = 0; i < a->nv; i++)
        for (int k = 0; k < a->nv; k++) {
            double value = A[i * a->nv + k];
            worst = worse(worst, fabs(value - B[same_dof(a, i, b) * b->nv + same_dof(a, k, b)]));
            largest = fmax(largest, fabs(value));
        }
    free(A);
    free(B);
    return worst / largest;
}

static void test_text_and_build_agree(void **state) {
    (void)state;
    for (int joint = TAC_CHAIN_HINGE; joint <= TAC_CHAIN_MIXED; joint++)
        for (int branching = 1; branching <= 3; branching++)
            for (int free_root = 0; free_root <= 1; free_root++) {
                tacChain chain = {14, branching, (tacChainJoint)joint, free_root};
                char *text = tac_chain_model(&chain);
                tacModel *read = load_text(text), *built = NULL;
                CHECK_INT(tac_chain_build(&chain, &built, NULL), TAC_OK);
                CHECK_INT(read->nbody, chain.bodies + 1);
                CHECK_INT(built->nbody, chain.bodies + 1);
                CHECK_INT(read->nv, built->nv);
                CHECK_NEAR(read->body_subtree_mass[0], built->body_subtree_mass[0], TOL_SAME);
                CHECK_LT(difference(read, built), TOL_SAME);
                free(text);
                tac_model_free(read);
                tac_model_free(built);
            }
}

/* The point of building: bodies 2 and 3 of a binary tree are siblings, which no nesting of elements gives when both
 * have children. */
static void test_built_tree_is_breadth_first(void **state) {
    (void)state;
    tacChain chain = tac_default_chain();
    chain.bodies = 7;
    chain.branching = 2;
    tacModel *built = NULL;
    CHECK_INT(tac_chain_build(&chain, &built, NULL), TAC_OK);
    static const int parent[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    for (int i = 0; i < 8; i++)
        CHECK_INT(built->body_parent[i], parent[i]);
    char *text = tac_chain_model(&chain);
    tacModel *read = load_text(text);
    static const int nested[8] = {0, 0, 1, 2, 2, 1, 5, 5};
    for (int i = 0; i < 8; i++)
        CHECK_INT(read->body_parent[i], nested[i]);
    free(text);
    tac_model_free(built);
    tac_model_free(read);
}

static void test_long_chain(void **state) {
    (void)state;
    tacChain chain = tac_default_chain();
    chain.bodies = DEEP;
    char *text = tac_chain_model(&chain);
    tacModel *model = load_text(text);
    CHECK_INT(model->nv, DEEP);
    CHECK_INT(model->body_parent[DEEP], DEEP - 1);
    check_steps(model, 1, LONG_STEPS);
    free(text);
    tac_model_free(model);
}

static void test_bad_chains_are_refused(void **state) {
    (void)state;
    const tacChain bad[] = {{0, 1, TAC_CHAIN_HINGE, 0},
                            {3, 0, TAC_CHAIN_HINGE, 0},
                            {3, 1, (tacChainJoint)9, 0},
                            {-1, -1, TAC_CHAIN_HINGE, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tacModel *model = NULL;
        tacError err;
        CHECK(tac_chain_model(&bad[i]) == NULL);
        CHECK_INT(tac_chain_build(&bad[i], &model, &err), TAC_ERR_ARGUMENT);
        CHECK_HAS(err.text, "expected");
        CHECK(model == NULL);
    }
    CHECK(tac_chain_model(NULL) == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_text_everywhere),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_random_models_pack_and_step),
        cmocka_unit_test(test_kinds_in_use),
        cmocka_unit_test(test_text_and_build_agree),
        cmocka_unit_test(test_built_tree_is_breadth_first),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_bad_chains_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
