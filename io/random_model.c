/* Seed -> a valid random model.
 *
 * Scales are chosen so that the motion without contact stays tame: links of 5 to 20 cm and a few hundred grams, every
 * joint with armature and damping, every actuator with a bounded force, steps of a millisecond or less. */
#include "io/random_model.h"

#include <math.h>

enum { STREAM = 0x4d4a4346, MAX_DEPTH = 7 }; /* the stream is "MJCF" */
#define RADIAN_IN_DEGREES 57.295779513082320877

double tac_random_between(tacRandomModel *g, double low, double high) {
    return low + (high - low) * tac_random_uniform(g->seed, STREAM, g->draws++);
}

int tac_random_below(tacRandomModel *g, int n) { return (int)tac_random_between(g, 0, n); }

int tac_random_chance(tacRandomModel *g, double probability) { return tac_random_between(g, 0, 1) < probability; }

void tac_random_attr(tacRandomModel *g, const char *attr, int n, double low, double high) {
    double value[6];
    for (int i = 0; i < n; i++)
        value[i] = tac_random_between(g, low, high);
    tac_text_attr(&g->out, attr, n, value);
}

void tac_random_value(tacRandomModel *g, const char *attr, double value) { tac_text_attr(&g->out, attr, 1, &value); }

double tac_random_angle(const tacRandomModel *g, double radians) {
    return g->degrees ? radians * RADIAN_IN_DEGREES : radians;
}

void tac_random_orientation(tacRandomModel *g) {
    double angle = tac_random_angle(g, 1), v[6];
    switch (tac_random_below(g, 7)) {
    case 0: /* the first entry keeps the quaternion away from zero */
        v[0] = tac_random_between(g, 0.3, 1);
        for (int i = 1; i < 4; i++)
            v[i] = tac_random_between(g, -1, 1);
        tac_text_attr(&g->out, "quat", 4, v);
        break;
    case 1:
        tac_random_attr(g, "euler", 3, -angle, angle);
        break;
    case 2:
        v[0] = tac_random_between(g, 0.2, 1);
        v[1] = tac_random_between(g, -1, 1);
        v[2] = tac_random_between(g, -1, 1);
        v[3] = tac_random_between(g, -angle, angle);
        tac_text_attr(&g->out, "axisangle", 4, v);
        break;
    case 3: /* independent: the first has x, the second has y, larger than the rest */
        for (int i = 0; i < 6; i++)
            v[i] = tac_random_between(g, -0.3, 0.3);
        v[0] = v[4] = 1;
        tac_text_attr(&g->out, "xyaxes", 6, v);
        break;
    case 4:
        v[0] = tac_random_between(g, -1, 1);
        v[1] = tac_random_between(g, -1, 1);
        v[2] = tac_random_between(g, 0.2, 1);
        tac_text_attr(&g->out, "zaxis", 3, v);
        break;
    default:
        break;
    }
}

/* --- Sections before the bodies ----------------------------------------------------------------------------------- */

static void add_compiler(tacRandomModel *g) {
    static const char *const sequences[] = {"xyz", "zyx", "XYZ", "ZYX", "xzx", "yXz"};
    g->degrees = tac_random_chance(g, 0.5);
    tac_text_format(&g->out, "  <compiler angle=\"%s\" autolimits=\"true\"", g->degrees ? "degree" : "radian");
    if (tac_random_chance(g, 0.3)) tac_text_format(&g->out, " eulerseq=\"%s\"", sequences[tac_random_below(g, 6)]);
    if (tac_random_chance(g, 0.2)) tac_random_attr(g, "settotalmass", 1, 10, 40);
    if (tac_random_chance(g, 0.2)) {
        tac_random_value(g, "boundmass", 0.001);
        tac_random_value(g, "boundinertia", 0.00001);
    }
    tac_text_add(&g->out, "/>\n");
}

static void add_option(tacRandomModel *g) {
    static const double steps[] = {0.0005, 0.001};
    double gravity[3] = {0, 0, -9.81};
    if (tac_random_chance(g, 0.2))
        for (int i = 0; i < 3; i++)
            gravity[i] = tac_random_between(g, -5, 5);
    tac_text_add(&g->out, "  <option");
    tac_random_value(g, "timestep", steps[tac_random_below(g, 2)]);
    tac_text_attr(&g->out, "gravity", 3, gravity);
    if (tac_random_chance(g, 0.5)) tac_text_add(&g->out, " cone=\"elliptic\"");
    if (tac_random_chance(g, 0.3)) tac_random_attr(g, "impratio", 1, 1, 10);
    if (tac_random_chance(g, 0.2))
        tac_text_add(&g->out, ">\n    <flag energy=\"enable\"/>\n  </option>\n");
    else
        tac_text_add(&g->out, "/>\n");
}

static void add_defaults(tacRandomModel *g) {
    tac_text_add(&g->out, "  <default>\n    <joint");
    tac_random_attr(g, "armature", 1, 0.01, 0.05);
    tac_random_attr(g, "damping", 1, 0.2, 1);
    tac_text_add(&g->out, "/>\n    <geom");
    tac_random_attr(g, "density", 1, 500, 1500);
    tac_random_attr(g, "friction", 1, 0.3, 1);
    tac_text_add(&g->out, "/>\n    <motor");
    tac_random_attr(g, "gear", 1, 0.5, 1.5);
    tac_text_add(&g->out, " ctrlrange=\"-1 1\" forcerange=\"-2 2\"/>\n    <default class=\"soft\">\n      <joint");
    tac_random_attr(g, "stiffness", 1, 0.5, 5);
    tac_text_add(&g->out,
                 "/>\n      <geom rgba=\"0.2 0.6 0.7 1\"/>\n      <default class=\"soft_light\">\n        <geom");
    tac_random_attr(g, "density", 1, 300, 500);
    tac_text_add(&g->out, "/>\n      </default>\n    </default>\n    <default class=\"heavy\">\n      <joint");
    tac_random_attr(g, "damping", 1, 1, 2);
    tac_text_add(&g->out, "/>\n      <geom density=\"2500\" rgba=\"0.8 0.4 0.3 1\"/>\n    </default>\n  </default>\n");
}

/* Eight points near the corners of a small box: always a solid hull. */
static void add_mesh(tacRandomModel *g) {
    if (!tac_random_chance(g, 0.4)) return;
    double vertex[24];
    for (int i = 0; i < 24; i++) {
        int upper = (i / 3) >> (i % 3) & 1;
        vertex[i] = (upper ? 1 : -1) * tac_random_between(g, 0.03, 0.07);
    }
    tac_text_format(&g->out, "  <asset>\n    <mesh name=\"m%d\"", g->nmesh++);
    tac_text_attr(&g->out, "vertex", 24, vertex);
    if (g->modern) tac_text_add(&g->out, " inertia=\"exact\"");
    if (tac_random_chance(g, 0.3)) tac_random_attr(g, "scale", 3, 0.7, 1.3);
    tac_text_add(&g->out, "/>\n  </asset>\n");
}

/* --- Sections after the bodies ------------------------------------------------------------------------------------ */

static void add_contacts(tacRandomModel *g) {
    if (g->nbody < 2 || g->ngeom < 3 || !tac_random_chance(g, 0.4)) return;
    int first = tac_random_below(g, g->nbody - 1);
    tac_text_format(&g->out, "  <contact>\n    <exclude body1=\"b%d\" body2=\"b%d\"/>\n", first,
                    first + 1 + tac_random_below(g, g->nbody - 1 - first));
    int geom = tac_random_below(g, g->ngeom - 1);
    tac_text_format(&g->out, "    <pair geom1=\"g%d\" geom2=\"g%d\"", geom, geom + 1);
    tac_random_attr(g, "margin", 1, 0, 0.01);
    tac_text_add(&g->out, "/>\n  </contact>\n");
}

static void add_sensors(tacRandomModel *g) {
    tac_text_add(&g->out, "  <sensor>\n");
    for (int i = 0; i < g->nsite; i += 2)
        tac_text_format(&g->out, "    <%s name=\"sensor%d\" site=\"s%d\"/>\n", i % 4 == 0 ? "gyro" : "accelerometer", i,
                        i);
    tac_text_add(&g->out, "  </sensor>\n");
}

/* A turn about a random axis: w, and the rest scaled to a unit. */
static void key_quat(tacRandomModel *g) {
    double q[4] = {tac_random_between(g, 0.3, 1)}, n2 = q[0] * q[0];
    for (int i = 1; i < 4; i++) {
        q[i] = tac_random_between(g, -1, 1);
        n2 += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        tac_text_add(&g->out, " ");
        tac_text_number(&g->out, q[i] / sqrt(n2));
    }
}

static void key_numbers(tacRandomModel *g, int n, double low, double high) {
    for (int i = 0; i < n; i++) {
        tac_text_add(&g->out, " ");
        tac_text_number(&g->out, tac_random_between(g, low, high));
    }
}

static void add_key(tacRandomModel *g, int index) {
    tac_text_format(&g->out, "    <key name=\"k%d\" qpos=\"", index);
    int nv = 0;
    for (int i = 0; i < g->njoint; i++) {
        if (g->joint[i] == TAC_JOINT_FREE) key_numbers(g, 3, -1, 1);
        if (g->joint[i] == TAC_JOINT_FREE || g->joint[i] == TAC_JOINT_BALL)
            key_quat(g);
        else
            key_numbers(g, 1, -0.5, 0.5);
        nv += g->joint[i] == TAC_JOINT_FREE ? 6 : g->joint[i] == TAC_JOINT_BALL ? 3 : 1;
    }
    tac_text_add(&g->out, "\" qvel=\"");
    key_numbers(g, nv, -0.5, 0.5);
    if (g->nact > 0) {
        tac_text_add(&g->out, "\" act=\"");
        key_numbers(g, g->nact, -0.5, 0.5);
    }
    if (g->nactuator > 0) {
        tac_text_add(&g->out, "\" ctrl=\"");
        key_numbers(g, g->nactuator, 0, 1);
    }
    if (g->has_mocap) {
        tac_text_add(&g->out, "\" mpos=\"");
        key_numbers(g, 3, -1, 1);
    }
    tac_text_add(&g->out, "\"/>\n");
}

static void add_keys(tacRandomModel *g) {
    int n = tac_random_below(g, 3);
    if (n == 0 || g->njoint == 0) return;
    tac_text_add(&g->out, "  <keyframe>\n");
    for (int i = 0; i < n; i++)
        add_key(g, i);
    tac_text_add(&g->out, "  </keyframe>\n");
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

/* Body i hangs from an earlier one, or from the world. */
static void plan_trees(tacRandomModel *g) {
    g->nbody = 1 + tac_random_below(g, tac_random_chance(g, 0.5) ? 6 : RANDOM_MAX_BODIES);
    for (int i = 0; i < g->nbody; i++) {
        int parent = i == 0 || tac_random_chance(g, 0.15) ? -1 : tac_random_below(g, i);
        if (parent >= 0 && g->depth[parent] == MAX_DEPTH) parent = -1;
        g->parent[i] = parent;
        g->depth[i] = parent < 0 ? 0 : g->depth[parent] + 1;
    }
}

char *tac_random_model(uint64_t seed) {
    tacRandomModel g = {.seed = seed};
    g.modern = tac_random_chance(&g, 0.25);
    plan_trees(&g);
    tac_text_format(&g.out, "<mujoco model=\"random_%llu\">\n", (unsigned long long)seed);
    add_compiler(&g);
    add_option(&g);
    add_defaults(&g);
    add_mesh(&g);
    tac_random_worldbody(&g);
    add_contacts(&g);
    tac_random_tendons(&g);
    tac_random_actuators(&g);
    add_sensors(&g);
    add_keys(&g);
    tac_text_add(&g.out, "</mujoco>\n");
    return tac_text_take(&g.out);
}
