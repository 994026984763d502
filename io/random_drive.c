/* Tendons and actuators of the random model. */
#include "io/random_model.h"

enum { MAX_TERMS = 3, MAX_ACTUATORS = 10 };

static int is_scalar(tacJointType type) { return type == TAC_JOINT_HINGE || type == TAC_JOINT_SLIDE; }

/* A named joint of the wanted sort, or -1. */
static int find_joint(tacRandomModel *g, int scalar) {
    if (g->njoint == 0) return -1;
    int start = tac_random_below(g, g->njoint);
    for (int k = 0; k < g->njoint; k++) {
        int id = (start + k) % g->njoint;
        if (g->named[id] && is_scalar(g->joint[id]) == scalar) return id;
    }
    return -1;
}

/* Up to MAX_TERMS different joints; returns how many. */
static int find_terms(tacRandomModel *g, int *term) {
    int n = 0, want = 1 + tac_random_below(g, MAX_TERMS);
    for (int tries = 0; tries < 2 * MAX_TERMS && n < want; tries++) {
        int id = find_joint(g, 1), taken = id < 0;
        for (int i = 0; i < n; i++)
            taken = taken || term[i] == id;
        if (!taken) term[n++] = id;
    }
    return n;
}

static void add_tendon(tacRandomModel *g) {
    int term[MAX_TERMS], n = find_terms(g, term);
    double range[2] = {-tac_random_between(g, 0.5, 2), tac_random_between(g, 0.5, 2)};
    tac_text_format(&g->out, "    <fixed name=\"t%d\"", g->ntendon++);
    if (tac_random_chance(g, 0.5)) tac_random_attr(g, "stiffness", 1, 0.5, 3);
    if (tac_random_chance(g, 0.5)) tac_random_attr(g, "damping", 1, 0.05, 0.3);
    if (tac_random_chance(g, 0.3)) tac_text_attr(&g->out, "range", 2, range);
    if (tac_random_chance(g, 0.3)) tac_random_attr(g, "springlength", 1, 0, 0.3);
    tac_text_add(&g->out, ">\n");
    for (int i = 0; i < n; i++) {
        tac_text_format(&g->out, "      <joint joint=\"j%d\"", term[i]);
        tac_random_attr(g, "coef", 1, -1, 1);
        tac_text_add(&g->out, "/>\n");
    }
    tac_text_add(&g->out, "    </fixed>\n");
}

void tac_random_tendons(tacRandomModel *g) {
    if (find_joint(g, 1) < 0 || !tac_random_chance(g, 0.6)) return;
    int n = 1 + tac_random_below(g, 3);
    tac_text_add(&g->out, "  <tendon>\n");
    for (int i = 0; i < n; i++)
        add_tendon(g);
    tac_text_add(&g->out, "  </tendon>\n");
}

/* --- Actuators ---------------------------------------------------------------------------------------------------- */

/* A wrench: forces to 0.1, torques to 0.01 per unit, since a free body has no damping to hold it back. */
static void add_wrench_gear(tacRandomModel *g) {
    double gear[6];
    for (int i = 0; i < 6; i++)
        gear[i] = tac_random_between(g, -1, 1) * (i < 3 ? 0.1 : 0.01);
    tac_text_attr(&g->out, "gear", 6, gear);
}

/* A torque about three axes for a ball joint, a wrench for a free one. */
static void add_joint_gear(tacRandomModel *g, tacJointType type) {
    if (type == TAC_JOINT_BALL)
        tac_random_attr(g, "gear", 3, -0.5, 0.5);
    else
        add_wrench_gear(g);
}

/* ` joint="j3" gear="..."` or what else there is to pull on; 0: nothing. */
static int add_transmission(tacRandomModel *g) {
    int scalar = find_joint(g, 1), other = find_joint(g, 0);
    switch (tac_random_below(g, 4)) {
    case 0:
        if (g->ntendon == 0) break;
        tac_text_format(&g->out, " tendon=\"t%d\"", tac_random_below(g, g->ntendon));
        return 1;
    case 1:
        if (g->nsite == 0) break;
        tac_text_format(&g->out, " site=\"s%d\"", tac_random_below(g, g->nsite));
        add_wrench_gear(g);
        return 1;
    case 2:
        if (other < 0) break;
        tac_text_format(&g->out, " %s=\"j%d\"", tac_random_chance(g, 0.5) ? "jointinparent" : "joint", other);
        add_joint_gear(g, g->joint[other]);
        return 1;
    default:
        break;
    }
    if (scalar >= 0) tac_text_format(&g->out, " joint=\"j%d\"", scalar);
    if (scalar >= 0 && tac_random_chance(g, 0.5)) tac_random_attr(g, "gear", 1, 0.5, 1.5);
    return scalar >= 0;
}

static const char *stateless_tag(int kind) {
    static const char *const tags[] = {"motor", "position", "velocity", "damper", "general", "general"};
    return tags[kind];
}

static void stateless_numbers(tacRandomModel *g, int kind) {
    switch (kind) {
    case 1:
        tac_random_attr(g, "kp", 1, 1, 10);
        if (g->modern && tac_random_chance(g, 0.5)) tac_random_attr(g, "kv", 1, 0.05, 0.3);
        break;
    case 2:
        tac_random_attr(g, "kv", 1, 0.1, 0.5);
        break;
    case 3:
        tac_text_add(&g->out, " kv=\"0.3\" ctrlrange=\"0 1\"");
        break;
    case 4: /* affine in length and velocity, as a servo with damping */
        tac_text_add(&g->out, " gaintype=\"fixed\" biastype=\"affine\" gainprm=\"4\" biasprm=\"0 -4 -0.2\"");
        break;
    case 5: /* the gain itself depends on length and velocity */
        tac_text_add(&g->out, " gaintype=\"affine\" gainprm=\"1 0.2 -0.05\" biastype=\"none\"");
        break;
    default:
        break;
    }
}

static const char *stateful_tag(int kind) {
    static const char *const tags[] = {"intvelocity", "cylinder", "general", "general", "general"};
    return tags[kind];
}

static void stateful_numbers(tacRandomModel *g, int kind) {
    switch (kind) {
    case 0:
        tac_random_attr(g, "kp", 1, 1, 5);
        tac_text_add(&g->out, " actrange=\"-1 1\"");
        break;
    case 1:
        tac_text_add(&g->out, " timeconst=\"0.1\" area=\"0.5\" bias=\"0.1 -0.2 -0.05\"");
        break;
    case 2:
        tac_text_add(&g->out, " dyntype=\"integrator\" actlimited=\"true\" actrange=\"-1 1\" biastype=\"affine\""
                              " gainprm=\"2\" biasprm=\"0 -2 0\"");
        break;
    case 3:
        tac_text_add(&g->out, " dyntype=\"filter\" dynprm=\"0.05\"");
        break;
    default:
        tac_text_add(&g->out, " dyntype=\"filterexact\" dynprm=\"0.02\"");
        break;
    }
}

/* Written to a text of its own first: where there is nothing to pull on, nothing is left of it. */
static void add_actuator(tacRandomModel *g, int stateful) {
    size_t start = g->out.size;
    int kind = stateful ? tac_random_below(g, g->modern ? 5 : 4) : tac_random_below(g, 6);
    tac_text_format(&g->out, "    <%s name=\"a%d\"", stateful ? stateful_tag(kind) : stateless_tag(kind), g->nactuator);
    if (!add_transmission(g)) {
        if (!g->out.failed) g->out.text[g->out.size = start] = '\0';
        return;
    }
    if (stateful)
        stateful_numbers(g, kind);
    else
        stateless_numbers(g, kind);
    tac_text_add(&g->out, "/>\n");
    g->nactuator++;
    g->nact += stateful;
}

void tac_random_actuators(tacRandomModel *g) {
    int stateless = tac_random_below(g, MAX_ACTUATORS), stateful = tac_random_below(g, MAX_ACTUATORS / 2);
    tac_text_add(&g->out, "  <actuator>\n");
    /* MuJoCo 2.2.2 wants those with an activation last */
    for (int i = 0; i < stateless; i++)
        add_actuator(g, 0);
    for (int i = 0; i < stateful; i++)
        add_actuator(g, 1);
    tac_text_add(&g->out, "  </actuator>\n");
}
