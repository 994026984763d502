#include "step_laws.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Room --------------------------------------------------------------------------------------------------------- */

/* kappa U, U = h m L^2/T^2: half the trace of the inertia, averaged over bodies that move   (W8) */
static double unit_of(const Scene *s) {
    const tacModel *m = s->model;
    double sum = 0;
    int count = 0;
    for (int b = 1; b < m->nbody; b++) {
        tacSym3 J = m->body_icom[b];
        if (step_laws_still(m, b) || !(m->body_mass[b] > 0)) continue;
        sum += 0.5 * (J.xx + J.yy + J.zz), count++;
    }
    return s->options.ncp_kappa * s->options.dt * (sum > 0 ? sum / count : 1) / (LAW_TIME * LAW_TIME);
}

static void *room(size_t n, size_t size) { return scene_doubles(n * size / sizeof(double) + 1); }

/* Contacts of a copy of the model that begin at a distance. */
static void look_further(StepLaws *l) {
    const Scene *s = l->scene;
    tacError err;
    scene_require(s, "copy", tac_model_copy(s->model, &l->wide, &err));
    for (int g = 0; g < l->wide->ngeom; g++)
        l->wide->geom_margin[g] += LAW_LOOK;
    for (int p = 0; p < l->wide->npair; p++)
        l->wide->pair_margin[p] += LAW_LOOK;
    tacOptions options = s->options;
    options.max_contacts = LAW_CONTACTS;
    scene_require(s, "second simulation", tac_sim_new(l->wide, &options, &l->look, &err));
}

StepLaws step_laws_new(const Scene *scene) {
    const tacModel *m = scene->model;
    size_t nb = (size_t)m->nbody, nv = (size_t)m->nv, nt = (size_t)m->ntendon;
    StepLaws l = {.scene = scene, .unit = unit_of(scene)};
    for (int i = 0; i < 3; i++)
        if (!measure_poses_new(m, &l.pose[i])) exit(2);
    l.forces = (StepForces){0, room(LAW_CONTACTS, sizeof(tacContactForce)), room(nb, sizeof(tacVec6))};
    for (int i = 0; i < 2; i++)
        l.touch[i] = room(LAW_CONTACTS, sizeof(tacContact));
    l.origin = room(nb, sizeof(tacVec3)), l.sum = room(nb, sizeof(tacVec6)), l.unknown = scene_doubles(nb);
    l.carry = room(nb, sizeof(tacVec3)), l.adrift = scene_doubles(nb), l.slack = scene_doubles(nv);
    l.before = scene_doubles((size_t)scene->nx), l.missing = scene_doubles(nv), l.low = scene_doubles(nv);
    l.high = scene_doubles(nv), l.jacobian = scene_doubles(6 * nv);
    l.tendon[0] = scene_doubles(nt), l.tendon[1] = scene_doubles(nt);
    look_further(&l);
    return l;
}

void step_laws_free(StepLaws *l) {
    for (int i = 0; i < 3; i++)
        measure_poses_free(&l->pose[i]);
    free(l->forces.contact), free(l->forces.wrench), free(l->touch[0]), free(l->touch[1]);
    free(l->origin), free(l->sum), free(l->unknown), free(l->carry), free(l->adrift), free(l->slack);
    free(l->before), free(l->missing), free(l->low), free(l->high), free(l->jacobian);
    free(l->tendon[0]), free(l->tendon[1]);
    tac_sim_free(l->look), tac_model_free(l->wide);
}

int step_laws_forces(StepLaws *l, const double *x, const double *u) {
    static const tacOutput WRENCH = {TAC_OUT_CONTACT_FORCE, TAC_OUT_ALL};
    tacSim *sim = l->scene->sim;
    return tac_outputs(sim, x, u, &(tacOutputs){1, &WRENCH}, &l->forces.wrench[0].ang.x) == TAC_OK &&
           tac_step_contacts(sim, x, u, l->forces.contact, LAW_CONTACTS, &l->forces.n) == TAC_OK;
}

/* --- Balance ------------------------------------------------------------------------------------------------------ */

static tacVec3 com_of(const tacPoses *p, int b) { return tac_load3(p->com + 3 * b); }

/* f_b of W5 at the centre of mass, with the impulses of contacts. */
static tacVec6 missing_to_body(const StepLaws *l, int b) {
    const tacModel *m = l->scene->model;
    const tacPoses *p = l->pose;
    double h = l->scene->options.dt, mass = m->body_mass[b];
    tacVec3 weight = *m->option_disable & TAC_DISABLE_GRAVITY ? tac_zero3() : tac_scale3(mass, *m->option_gravity);
    tacVec3 first = tac_sub3(com_of(&p[1], b), com_of(&p[0], b)), then = tac_sub3(com_of(&p[2], b), com_of(&p[1], b));
    tacVec3 force = l->forces.wrench[b].lin, arm = tac_sub3(l->origin[b], com_of(&p[2], b));
    tacVec3 torque = tac_add3(l->forces.wrench[b].ang, tac_cross3(arm, force));
    tacVec3 turned =
        tac_sub3(discrete_spin_momentum(m, &p[1], &p[2], h, b), discrete_spin_momentum(m, &p[0], &p[1], h, b));
    return (tacVec6){tac_sub3(tac_madd3(turned, -h, torque), l->carry[b]),
                     tac_madd3(tac_scale3(mass / h, tac_sub3(then, first)), -h, tac_add3(weight, force))};
}

/* missing_i = R_i of W7 without limits and dry friction: J_i^T f over all bodies, and what the dof has of its own. */
static void find_missing(StepLaws *l, const double *x, const double *u, const double *y) {
    const Scene *s = l->scene;
    const tacModel *m = s->model;
    int nv = m->nv, undamped = *m->option_disable & (TAC_DISABLE_EULERDAMP | TAC_DISABLE_DAMPER);
    double h = s->options.dt, *passive = l->low, *drive = l->high, *jacr = l->jacobian + 3 * nv;
    scene_require(s, "passive forces", tac_passive(s->sim, x, x + m->nq, passive));
    scene_require(s, "actuators", tac_actuation(s->sim, x, u, &(tacActuation){.qfrc = drive}));
    for (int i = 0; i < nv; i++) {
        double inertia = m->dof_armature[i] + (undamped ? 0 : h * m->dof_damping[i]);
        l->missing[i] = inertia * (y[m->nq + i] - x[m->nq + i]) - h * (passive[i] + drive[i]);
        l->slack[i] = 0;
    }
    for (int b = 1; b < m->nbody; b++) {
        tacVec6 f = missing_to_body(l, b);
        const double lin[3] = {f.lin.x, f.lin.y, f.lin.z}, ang[3] = {f.ang.x, f.ang.y, f.ang.z};
        if (step_laws_still(m, b)) continue;
        tacStatus status = tac_point_jacobian(s->sim, x, b, com_of(&l->pose[1], b), l->jacobian, jacr);
        scene_require(s, "point Jacobian", status);
        for (int k = 0; k < 3 * nv; k++)
            l->missing[k % nv] += l->jacobian[k] * lin[k / nv] + jacr[k] * ang[k / nv];
        for (int k = 0; k < 3 * nv && l->adrift[b] > 0; k++)
            l->slack[k % nv] += fabs(jacr[k]) * l->adrift[b];
    }
}

static void find_poses(StepLaws *l, const double *x, const double *u, const double *y) {
    const Scene *s = l->scene;
    const tacModel *m = s->model;
    memcpy(l->before, x, (size_t)s->nx * sizeof *x);
    for (int i = 0; i < m->nv; i++)
        l->missing[i] = -s->options.dt * x[m->nq + i];
    tac_qpos_add(m, x, l->missing, l->before);
    const double *at[3] = {l->before, x, y};
    for (int i = 0; i < 3; i++)
        scene_require(s, "poses", measure_poses(s->sim, at[i], u, &l->pose[i]));
    scene_require(s, "kinematics", tac_kinematics(s->sim, y, u, &(tacKinematics){.xpos = l->origin}));
    for (int i = 0; i < 2; i++)
        scene_require(s, "tendons", tac_tendons(s->sim, at[1 + i], at[1 + i] + m->nq, l->tendon[i], NULL));
}

/* An impulse without end. */
#define HUGE 1e9

/* --- Limits and dry friction -------------------------------------------------------------------------------------- */

double step_laws_push(const StepLaws *l, double gap) {
    return gap > LAW_GAP ? LAW_CENTRING * l->unit / (gap - LAW_GAP) : (double)INFINITY;
}

/* A row may exert up to `most` along J on a dof. */
static void allow(StepLaws *l, int dof, double J, double most) {
    if (J > 0) l->high[dof] += J * most;
    if (J < 0) l->low[dof] += J * most;
}

/* Both ends of a range for a coordinate c of q and q+ -> most impulse of the lower and the upper. */
static void ends_of(const StepLaws *l, const double range[2], const double c[2], BrokenGap g, double most[2],
                    double *out) {
    for (int end = 0; end < 2; end++) {
        double sign = end == 0 ? 1 : -1;
        g.gap = sign * (c[0] - range[end]);
        double gap = sign * (c[1] - range[end]) - step_laws_rest(l, g.gap, g.speed);
        most[end] = step_laws_most(l, &g, gap);
        *out = worse(*out, -gap - step_laws_gives(l, &g, HUGE));
    }
}

/* Of a ball its rotation vector: log of the unit quaternion. */
static tacVec3 ball_turn(const double *quat) {
    tacVec3 v = tac_load3(quat + 1);
    double sine = tac_norm3(v), angle = 2 * atan2(sine, fabs(quat[0]));
    return tac_scale3((sine > 0 ? angle / sine : 2) * copysign(1, quat[0]), v);
}

double step_laws_ball_gap(double range, const double *quat) {
    tacVec3 phi = ball_turn(quat);
    return 0.5 * (range - tac_dot3(phi, phi) / range);
}

/* The gap of W30; its impulse is along -phi+/range. */
static void allow_ball(StepLaws *l, int j, const double *x, const double *y, double *out) {
    const tacModel *m = l->scene->model;
    int q = m->joint_qpos_adr[j], dof = m->joint_dof_adr[j];
    double range = fmax(m->joint_range[2 * j], m->joint_range[2 * j + 1]);
    tacVec3 phi = ball_turn(x + q), next = ball_turn(y + q);
    tacVec3 past = tac_scale3(1 - 2 * acos(-1) / fmax(tac_norm3(next), LAW_MOTION), next); /* pi, the other way round */
    if (tac_norm3(tac_sub3(past, phi)) < tac_norm3(tac_sub3(next, phi))) next = past;
    BrokenGap g = step_laws_joint_gap(m, j, 0.5 * (range - tac_dot3(phi, phi) / range));
    double gap = 0.5 * (range - tac_dot3(next, next) / range) - step_laws_rest(l, g.gap, g.speed);
    double most = step_laws_most(l, &g, gap);
    *out = worse(*out, -gap - step_laws_gives(l, &g, HUGE));
    for (int k = 0; k < 3; k++)
        allow(l, dof + k, -tac_get3(next, k) / range, most);
}

static void allow_joint(StepLaws *l, int j, const double *x, const double *y, double *out) {
    const tacModel *m = l->scene->model;
    int q = m->joint_qpos_adr[j], dof = m->joint_dof_adr[j];
    double most[2];
    if (m->joint_type[j] == TAC_JOINT_BALL) {
        allow_ball(l, j, x, y, out);
        return;
    }
    ends_of(l, m->joint_range + 2 * j, (const double[2]){x[q], y[q]}, step_laws_joint_gap(m, j, 0), most, out);
    allow(l, dof, 1, most[0]), allow(l, dof, -1, most[1]);
}

static void allow_tendon(StepLaws *l, int t, double *out) {
    const tacModel *m = l->scene->model;
    double most[2] = {0, 0}, dry = l->scene->options.dt * m->tendon_frictionloss[t];
    if (m->tendon_limited[t])
        ends_of(l, m->tendon_range + 2 * t, (const double[2]){l->tendon[0][t], l->tendon[1][t]},
                step_laws_tendon_gap(m, t, 0), most, out);
    for (int k = m->tendon_term_adr[t]; k < m->tendon_term_adr[t] + m->tendon_term_num[t]; k++) {
        int dof = m->joint_dof_adr[m->term_joint[k]];
        double J = m->term_coef[k];
        allow(l, dof, J, most[0] + dry), allow(l, dof, -J, most[1] + dry);
        if (m->tendon_armature[t] > 0) allow(l, dof, 1, (double)INFINITY), allow(l, dof, -1, (double)INFINITY);
    }
}

/* low, high: what all rows may exert on each dof; equalities anything. -> the most that a coordinate is out of
 * range. */
static double allow_rows(StepLaws *l, const double *x, const double *y) {
    const tacModel *m = l->scene->model;
    double out = 0, h = l->scene->options.dt;
    for (int i = 0; i < m->nv; i++) {
        double dry = m->neq > 0 ? (double)INFINITY : h * m->joint_frictionloss[m->dof_joint[i]];
        l->low[i] = -dry, l->high[i] = dry;
    }
    for (int j = 0; j < m->njnt; j++)
        if (m->joint_limited[j] && m->joint_type[j] != TAC_JOINT_FREE) allow_joint(l, j, x, y, &out);
    for (int t = 0; t < m->ntendon; t++)
        if (m->tendon_type[t] == TAC_TENDON_FIXED) allow_tendon(l, t, &out);
    return out;
}

/* q+ (-) q is h v+   (W1). */
static double judge_motion(StepLaws *l, const double *x, const double *y) {
    const tacModel *m = l->scene->model;
    double worst = 0;
    tac_qpos_sub(m, y, x, l->jacobian);
    for (int i = 0; i < m->nv; i++)
        worst = worse(worst, fabs(l->jacobian[i] - l->scene->options.dt * y[m->nq + i]));
    return worst;
}

/* missing_i has to be what rows exert. */
static double judge_balance(const StepLaws *l) {
    double worst = 0;
    for (int i = 0; i < l->scene->model->nv; i++) {
        double f = l->missing[i];
        worst = worse(worst, isnan(f) ? f : fmax(l->low[i] - f, f - l->high[i]) - l->slack[i]);
    }
    return worst;
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

StepFaults step_laws_judge(StepLaws *l, const double *x, const double *u, const double *y) {
    StepFaults f = {0};
    for (int i = 0; i < l->scene->nx; i++)
        if (!isfinite(y[i])) f.balance = HUGE_VAL;
    if (f.balance > 0) return f; /* poses there are none */
    find_poses(l, x, u, y);
    step_laws_contacts(l, x, u, y, &f);
    find_missing(l, x, u, y);
    f.motion = judge_motion(l, x, y);
    f.range = allow_rows(l, x, y);
    f.balance = judge_balance(l);
    return f;
}

double step_faults_worst(const StepFaults *f, const char **what) {
    const struct {
        double size, bar;
        const char *what;
    } all[] = {{f->balance, LAW_BALANCE, "momentum does not balance"},
               {f->wrench, LAW_IMPULSE, "forces on bodies are not those of contacts"},
               {f->cone, LAW_IMPULSE, "a force outside its cone"},
               {f->distance, LAW_IMPULSE, "a force at a distance"},
               {f->friction, LAW_IMPULSE, "friction that slip does not explain"},
               {f->overlap, LAW_GAP, "geoms overlap"},
               {f->range, LAW_GAP, "a joint or tendon is out of range"},
               {f->motion, LAW_MOTION, "places are not where velocities lead"}};
    double worst = 0;
    *what = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].size / all[i].bar > worst) worst = all[i].size / all[i].bar, *what = all[i].what;
    return worst;
}

void step_faults_grow(StepFaults *worst, const StepFaults *f) {
    scene_grow(&worst->balance, f->balance), scene_grow(&worst->cone, f->cone);
    scene_grow(&worst->distance, f->distance), scene_grow(&worst->overlap, f->overlap);
    scene_grow(&worst->range, f->range), scene_grow(&worst->wrench, f->wrench);
    scene_grow(&worst->friction, f->friction), scene_grow(&worst->motion, f->motion);
    worst->placed += f->placed, worst->lost += f->lost;
}
