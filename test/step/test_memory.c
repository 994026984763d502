/* No evaluation allocates, and none depends on what the workspace held. The C allocator is wrapped at link time. */
#include "dynamics/robots.h"
#include "evidence/count_allocations.h"
#include "support/check.h"

#include "step/sim.h"

#include <stdlib.h>
#include <string.h>

/* All quantities one after another; what they return is hashed. */
typedef struct Probe {
    tacModel *m;
    tacSim *sim;
    double *x, *u, *out; /* out: room for the largest output */
    uint64_t hash;
} Probe;

static void add(Probe *p, int n) { p->hash = tac_hash(p->out, (size_t)n * sizeof *p->out, p->hash); }

static void probe_kinematics(Probe *p) {
    const tacModel *m = p->m;
    tacKinematics kin = {.xpos = (tacVec3 *)p->out};
    CHECK_INT(tac_kinematics(p->sim, p->x, p->u, &kin), TAC_OK);
    add(p, 3 * m->nbody);
    kin = (tacKinematics){.site_mat = (tacMat3 *)p->out};
    CHECK_INT(tac_kinematics(p->sim, p->x, p->u, &kin), TAC_OK);
    add(p, 9 * m->nsite);
    kin = (tacKinematics){.subtree_com = (tacVec3 *)p->out};
    CHECK_INT(tac_kinematics(p->sim, p->x, p->u, &kin), TAC_OK);
    add(p, 3 * m->nbody);
    CHECK_INT(tac_point_jacobian(p->sim, p->x, 2, (tacVec3){1, 2, 3}, p->out, p->out + 3 * m->nv), TAC_OK);
    add(p, 6 * m->nv);
    CHECK_INT(tac_frame_jacobian(p->sim, p->x, TAC_KIND_SITE, 0, p->out, p->out + 3 * m->nv), TAC_OK);
    add(p, 6 * m->nv);
    CHECK_INT(tac_body_velocity(p->sim, p->x, p->x + m->nq, (tacVec6 *)p->out), TAC_OK);
    add(p, 6 * m->nbody);
}

static void probe_dynamics(Probe *p) {
    const tacModel *m = p->m;
    const double *v = p->x + m->nq;
    CHECK_INT(tac_mass_matrix(p->sim, p->x, p->out), TAC_OK);
    add(p, m->nv * m->nv);
    CHECK_INT(tac_mass_solve(p->sim, p->x, v, p->out), TAC_OK);
    add(p, m->nv);
    CHECK_INT(tac_bias(p->sim, p->x, v, p->out), TAC_OK);
    add(p, m->nv);
    CHECK_INT(tac_inverse_dynamics(p->sim, p->x, v, v, p->out), TAC_OK);
    add(p, m->nv);
    CHECK_INT(tac_forward_dynamics(p->sim, p->x, v, v, p->out), TAC_OK);
    add(p, m->nv);
    CHECK_INT(tac_passive(p->sim, p->x, v, p->out), TAC_OK);
    add(p, m->nv);
    CHECK_INT(tac_energy(p->sim, p->x, v, (tacEnergy *)p->out), TAC_OK);
    add(p, 2);
    CHECK_INT(tac_momentum(p->sim, p->x, v, (tacVec6 *)p->out), TAC_OK);
    add(p, 6);
    CHECK_INT(tac_tendons(p->sim, p->x, v, p->out, p->out + m->ntendon), TAC_OK);
    add(p, 2 * m->ntendon);
}

static void probe_steps(Probe *p) {
    const tacModel *m = p->m;
    double *out = p->out;
    CHECK_INT(tac_acceleration(p->sim, p->x, p->u, out), TAC_OK);
    add(p, m->nv);
    tacActuation act = {out,
                        out + m->nu,
                        out + 2 * m->nu,
                        out + 3 * m->nu,
                        out + (3 + m->nv) * m->nu,
                        out + (3 + m->nv) * m->nu + m->na};
    CHECK_INT(tac_actuation(p->sim, p->x, p->u, &act), TAC_OK);
    add(p, (3 + m->nv) * m->nu + m->na + m->nv);
    CHECK_INT(tac_step(p->sim, p->x, p->u, out, NULL), TAC_OK);
    add(p, tac_nx(m));
}

/* All outputs of a kind at a time, with their derivatives. */
static void probe_outputs(Probe *p) {
    int nu = p->m->nu + p->m->nv + 6 * p->m->nbody, ndx = tac_ndx(p->m);
    for (int k = 0; k < TAC_OUTPUT_KINDS; k++) {
        tacOutput one = {(tacOutputKind)k, k == TAC_OUT_PAIR_FORCE ? 0 : TAC_OUT_ALL, 1};
        if (k == TAC_OUT_PAIR_FORCE && p->m->ngeom < 2) continue;
        tacOutputs list = {1, &one};
        int nz = tac_outputs_size(p->m, &list);
        double *A = p->out + nz, *B = A + nz * ndx, *P = B + nz * nu, *x = P + nz, *u = x + ndx, *theta = u + nu;
        CHECK_INT(tac_outputs_jac(p->sim, p->x, p->u, &list, p->out, &(tacJac){A, B, P}), TAC_OK);
        CHECK_INT(tac_outputs_vjp(p->sim, p->x, p->u, &list, p->out, &(tacGrad){x, u, theta}), TAC_OK);
        add(p, nz + nz * ndx);
        p->hash = tac_hash(P, (size_t)nz * sizeof *P, p->hash);
        p->hash = tac_hash(x, (size_t)ndx * sizeof *x, p->hash);
    }
}

static Probe probe_begin(void) {
    Probe p = {.m = robot_creature()};
    CHECK_INT(tac_param_register(p.m, "body/#2.mass", NULL, NULL), TAC_OK);
    p.sim = robot_sim(p.m);
    p.x = robot_array(tac_nx(p.m));
    p.u = robot_array(p.m->nu + p.m->nv + 6 * p.m->nbody);
    p.out = robot_array(40000 + 9 * p.m->nv * p.m->nv);
    robot_state(p.m, p.x, 2);
    robot_random(p.m->nu, p.u, 1, 5);
    return p;
}

static void probe_end(Probe *p) {
    free(p->x), free(p->u), free(p->out);
    tac_sim_free(p->sim);
    tac_model_free(p->m);
}

static void nothing_allocates(void **state) {
    (void)state;
    long before = counted_allocations();
    Probe p = probe_begin();
    CHECK(counted_allocations() > before); /* the counter counts */
    before = counted_allocations();
    size_t peak = tac_sim_peak(p.sim);
    double theta = 1.7;
    probe_kinematics(&p);
    probe_dynamics(&p);
    probe_steps(&p);
    CHECK_INT(tac_sim_set_params(p.sim, &theta), TAC_OK);
    CHECK_INT(tac_sim_get_params(p.sim, &theta), TAC_OK);
    CHECK_INT(tac_rollout(p.sim, p.x, p.u, 1, p.out, NULL), TAC_OK);
    CHECK_INT(tac_sim_peak(p.sim), peak);
    probe_outputs(&p);
    CHECK_INT(counted_allocations() - before, 0);
    probe_end(&p);
}

/* Each group after a workspace of NaN, of another state's numbers, and of its own: the same bits. */
static void workspace_does_not_matter(void **state) {
    (void)state;
    void (*const groups[])(Probe *) = {probe_kinematics, probe_dynamics, probe_steps, probe_outputs};
    Probe p = probe_begin();
    for (int g = 0; g < 4; g++) {
        uint64_t hash[3];
        tac_sim_poison(p.sim);
        for (int k = 0; k < 3; k++) {
            p.hash = 0;
            if (k == 2) { /* leave another state's numbers behind */
                double *kept = p.x;
                p.x = robot_array(tac_nx(p.m));
                robot_state(p.m, p.x, 99);
                groups[(g + 1) % 4](&p);
                free(p.x);
                p.x = kept;
                p.hash = 0;
            }
            groups[g](&p);
            hash[k] = p.hash;
        }
        CHECK(hash[0] == hash[1]);
        CHECK(hash[0] == hash[2]);
    }
    probe_end(&p);
}

/* Single calls right after poisoning: nothing is carried over between calls. */
static void each_call_stands_alone(void **state) {
    (void)state;
    Probe p = probe_begin();
    const tacModel *m = p.m;
    double *expected = robot_array(tac_nx(m));
    CHECK_INT(tac_step(p.sim, p.x, p.u, expected, NULL), TAC_OK);
    for (int k = 0; k < 3; k++) {
        tac_sim_poison(p.sim);
        CHECK_INT(tac_step(p.sim, p.x, p.u, p.out, NULL), TAC_OK);
        CHECK(memcmp(p.out, expected, (size_t)tac_nx(m) * sizeof *expected) == 0);
        tac_sim_poison(p.sim);
        CHECK_INT(tac_energy(p.sim, p.x, p.x + m->nq, (tacEnergy *)p.out), TAC_OK);
        tac_sim_poison(p.sim);
        CHECK_INT(tac_momentum(p.sim, p.x, p.x + m->nq, (tacVec6 *)p.out), TAC_OK);
        tac_sim_poison(p.sim);
        CHECK_INT(tac_passive(p.sim, p.x, p.x + m->nq, p.out), TAC_OK);
        tac_sim_poison(p.sim);
        CHECK_INT(tac_actuation(p.sim, p.x, p.u, &(tacActuation){.moment = p.out}), TAC_OK);
    }
    free(expected);
    probe_end(&p);
}

/* The reverse mode of a step between bodies, with both kinds of twists, hashed. */
static uint64_t hash_bodies(Probe *p, uint64_t hash) {
    int n = 12 * p->m->nbody + p->m->na, nu = p->m->nu + p->m->nv + 6 * p->m->nbody;
    double *bar = p->out, *z = bar + n, *u = z + n, *theta = u + nu;
    robot_random(n, bar, 1, 62);
    for (int k = 0; k < 2; k++) {
        tacMaximalGrad grad = {.span = 0.01 * k, .z = z, .u = u, .theta = theta};
        CHECK_INT(tac_step_maximal_vjp(p->sim, p->x, p->u, bar, &grad, NULL), TAC_OK);
        hash = tac_hash(z, (size_t)(n + nu + 1) * sizeof *z, hash);
    }
    return hash;
}

/* A step, its Jacobian, its reverse mode and a rollout's, hashed. */
static uint64_t hash_derivatives(Probe *p, void *memory, size_t bytes) {
    const tacModel *m = p->m;
    int ndx = tac_ndx(m), nu = m->nu + m->nv + 6 * m->nbody;
    double *y = p->out, *A = y + tac_nx(m), *B = A + ndx * ndx, *P = B + ndx * nu, *x = P + ndx, *u = x + ndx,
           *theta = u + 3 * nu, *bar = theta + 1, *U = bar + ndx;
    uint64_t hash = 0;
    robot_random(ndx, bar, 1, 60);
    robot_random(3 * nu, U, 0.5, 61);
    CHECK_INT(tac_step(p->sim, p->x, p->u, y, NULL), TAC_OK);
    hash = tac_hash(y, (size_t)tac_nx(m) * sizeof *y, hash);
    CHECK_INT(tac_step_jac(p->sim, p->x, p->u, y, &(tacJac){A, B, P}, NULL), TAC_OK);
    hash = tac_hash(A, (size_t)(ndx * (ndx + nu + 1)) * sizeof *A, hash);
    CHECK_INT(tac_step_vjp(p->sim, p->x, p->u, bar, &(tacGrad){x, u, theta}, NULL), TAC_OK);
    hash = tac_hash(x, (size_t)(ndx + nu) * sizeof *x, hash);
    tacTrajectory path = {.n = 3, .x0 = p->x, .U = U, .xbar = bar};
    CHECK_INT(tac_rollout_vjp(p->sim, &path, &(tacCheckpoints){1, memory, bytes}, &(tacGrad){x, u, theta}, NULL),
              TAC_OK);
    return hash_bodies(p, tac_hash(x, (size_t)(ndx + 3 * nu + 1) * sizeof *x, hash));
}

/* Every integrator: no allocation in any of them, and the same bits whatever the workspace held. */
static void derivatives_stand_alone(void **state) {
    (void)state;
    for (int integrator = TAC_INTEGRATOR_EULER; integrator <= TAC_INTEGRATOR_RKMK4; integrator++) {
        Probe p = probe_begin();
        tacOptions options = tac_default_options(p.m);
        options.contact = TAC_CONTACT_MODEL_NONE;
        size_t bytes = tac_rollout_vjp_bytes(p.m, 3, 1);
        void *memory = aligned_alloc(64, bytes);
        options.integrator = (tacIntegrator)integrator;
        options.inputs = TAC_INPUT_QFRC | TAC_INPUT_XFRC;
        tac_sim_free(p.sim);
        CHECK_INT(tac_sim_new(p.m, &options, &p.sim, NULL), TAC_OK);
        long before = counted_allocations();
        uint64_t hash = hash_derivatives(&p, memory, bytes);
        for (int k = 0; k < 2; k++) {
            tac_sim_poison(p.sim);
            memset(memory, 0xFF, bytes);
            CHECK(hash_derivatives(&p, memory, bytes) == hash);
        }
        CHECK_INT(counted_allocations() - before, 0);
        CHECK(tac_sim_peak(p.sim) <= tac_sim_bytes(p.m, &options));
        free(memory);
        probe_end(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates),
        cmocka_unit_test(workspace_does_not_matter),
        cmocka_unit_test(each_call_stands_alone),
        cmocka_unit_test(derivatives_stand_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
