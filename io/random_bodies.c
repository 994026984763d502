/* Bodies of the random model: frames, inertias, joints, geoms, sites. */
#include "io/random_model.h"

/* --- Joints ------------------------------------------------------------------------------------------------------- */

static void joint_springs(tacRandomModel *g, tacJointType type) {
    if (tac_random_chance(g, 0.1)) { /* time constant and damping ratio instead of stiffness and damping */
        double springdamper[2] = {tac_random_between(g, 0.2, 1), tac_random_between(g, 0.7, 1.5)};
        tac_text_attr(&g->out, "springdamper", 2, springdamper);
    } else if (tac_random_chance(g, 0.3)) {
        tac_random_attr(g, "stiffness", 1, 0.5, 5);
    }
    if (type == TAC_JOINT_BALL) return;
    double unit = type == TAC_JOINT_HINGE ? tac_random_angle(g, 1) : 1;
    if (tac_random_chance(g, 0.3)) tac_random_attr(g, "springref", 1, -0.2 * unit, 0.2 * unit);
    if (tac_random_chance(g, 0.2)) tac_random_attr(g, "ref", 1, -0.2 * unit, 0.2 * unit);
}

static void joint_limits(tacRandomModel *g, tacJointType type) {
    double unit = type == TAC_JOINT_SLIDE ? 0.3 : tac_random_angle(g, 1);
    double range[2] = {type == TAC_JOINT_BALL ? 0 : -tac_random_between(g, 0.5, 2) * unit,
                       tac_random_between(g, 0.5, 2) * unit};
    if (tac_random_chance(g, 0.4)) tac_text_attr(&g->out, "range", 2, range);
    if (tac_random_chance(g, 0.1)) tac_random_attr(g, "margin", 1, 0, 0.01);
    if (tac_random_chance(g, 0.1)) tac_text_add(&g->out, " solreflimit=\"0.03 1\" solimplimit=\"0.8 0.95 0.002\"");
    if (tac_random_chance(g, 0.1)) tac_random_attr(g, "frictionloss", 1, 0, 0.05);
    if (g->modern && type != TAC_JOINT_BALL && tac_random_chance(g, 0.1))
        tac_text_add(&g->out, " actuatorfrcrange=\"-1 1\"");
}

static void add_joint(tacRandomModel *g, tacJointType type) {
    static const char *const types[] = {
        [TAC_JOINT_FREE] = "free", [TAC_JOINT_BALL] = "ball", [TAC_JOINT_SLIDE] = "slide", [TAC_JOINT_HINGE] = "hinge"};
    static const char *const classes[] = {"soft", "soft_light", "heavy"};
    if (g->njoint == RANDOM_MAX_JOINTS) return;
    int id = g->njoint++;
    g->joint[id] = type;
    g->named[id] = !tac_random_chance(g, 0.15);
    tac_text_add(&g->out, "<joint");
    if (g->named[id]) tac_text_format(&g->out, " name=\"j%d\"", id);
    if (type != TAC_JOINT_HINGE || tac_random_chance(g, 0.5)) tac_text_format(&g->out, " type=\"%s\"", types[type]);
    if (type == TAC_JOINT_FREE) {
        tac_random_attr(g, "damping", 1, 0, 0.1);
        tac_text_add(&g->out, " stiffness=\"0\"/>\n");
        return;
    }
    if (tac_random_chance(g, 0.3)) tac_text_format(&g->out, " class=\"%s\"", classes[tac_random_below(g, 3)]);
    if (tac_random_chance(g, 0.4)) tac_random_attr(g, "pos", 3, -0.05, 0.05);
    if (type != TAC_JOINT_BALL) {
        double axis[3] = {tac_random_between(g, -1, 1), tac_random_between(g, 0.1, 1), tac_random_between(g, -1, 1)};
        tac_text_attr(&g->out, "axis", 3, axis);
    }
    joint_springs(g, type);
    joint_limits(g, type);
    if (tac_random_chance(g, 0.2)) tac_random_attr(g, "armature", 1, 0.01, 0.1);
    tac_text_add(&g->out, "/>\n");
}

void tac_random_joints(tacRandomModel *g, int body) {
    static const struct {
        int n;
        tacJointType type[3];
    } patterns[] = {{1, {TAC_JOINT_HINGE}},
                    {1, {TAC_JOINT_HINGE}},
                    {1, {TAC_JOINT_SLIDE}},
                    {1, {TAC_JOINT_BALL}},
                    {2, {TAC_JOINT_HINGE, TAC_JOINT_HINGE}},
                    {2, {TAC_JOINT_SLIDE, TAC_JOINT_HINGE}},
                    {2, {TAC_JOINT_SLIDE, TAC_JOINT_BALL}},
                    {3, {TAC_JOINT_HINGE, TAC_JOINT_HINGE, TAC_JOINT_HINGE}},
                    {3, {TAC_JOINT_SLIDE, TAC_JOINT_SLIDE, TAC_JOINT_HINGE}},
                    {0, {TAC_JOINT_HINGE}}};
    if (g->parent[body] < 0 && tac_random_chance(g, 0.4)) {
        if (tac_random_chance(g, 0.5)) {
            add_joint(g, TAC_JOINT_FREE);
        } else {
            tac_text_add(&g->out, "<freejoint/>\n");
            g->joint[g->njoint++] = TAC_JOINT_FREE;
        }
        return;
    }
    int k = tac_random_below(g, sizeof patterns / sizeof patterns[0]);
    for (int i = 0; i < patterns[k].n; i++)
        add_joint(g, patterns[k].type[i]);
}

/* --- Geoms -------------------------------------------------------------------------------------------------------- */

/* A shape given by its size, at a place of its own. */
static void placed_geom(tacRandomModel *g) {
    static const struct {
        const char *type;
        int sizes;
    } shapes[] = {{"sphere", 1}, {"capsule", 2}, {"ellipsoid", 3}, {"cylinder", 2}, {"box", 3}};
    int k = tac_random_below(g, 5);
    if (g->nmesh > 0 && tac_random_chance(g, 0.2)) {
        tac_text_add(&g->out, " type=\"mesh\" mesh=\"m0\"");
    } else {
        tac_text_format(&g->out, " type=\"%s\"", shapes[k].type);
        tac_random_attr(g, "size", shapes[k].sizes, 0.05, 0.1);
    }
    tac_random_attr(g, "pos", 3, -0.05, 0.05);
    tac_random_orientation(g);
}

/* A shape between two points. */
static void spanned_geom(tacRandomModel *g) {
    static const char *const shapes[] = {"capsule", "cylinder", "box", "ellipsoid"};
    double fromto[6] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        fromto[3 + i] = tac_random_between(g, 0.05, 0.15);
    tac_text_format(&g->out, " type=\"%s\"", shapes[tac_random_below(g, 4)]);
    tac_text_attr(&g->out, "fromto", 6, fromto);
    tac_random_attr(g, "size", 1, 0.03, 0.05);
}

static void add_geom(tacRandomModel *g) {
    tac_text_format(&g->out, "<geom name=\"g%d\"", g->ngeom++);
    if (tac_random_chance(g, 0.2))
        tac_text_add(&g->out, tac_random_chance(g, 0.5) ? " class=\"heavy\"" : " class=\"soft_light\"");
    if (tac_random_chance(g, 0.4))
        spanned_geom(g);
    else
        placed_geom(g);
    if (tac_random_chance(g, 0.2)) tac_random_attr(g, "mass", 1, 0.3, 1.5);
    if (tac_random_chance(g, 0.2)) tac_text_add(&g->out, " contype=\"0\" conaffinity=\"0\" group=\"2\"");
    if (tac_random_chance(g, 0.2)) tac_text_add(&g->out, " condim=\"4\" friction=\"0.8 0.01 0.001\" solref=\"0.01 1\"");
    tac_text_add(&g->out, "/>\n");
}

void tac_random_geoms(tacRandomModel *g, int at_least) {
    int n = at_least + tac_random_below(g, 3);
    for (int i = 0; i < n; i++)
        add_geom(g);
}

/* --- Bodies ------------------------------------------------------------------------------------------------------- */

/* Principal inertias i, 1.1 i, 1.2 i with small products: positive, and no one larger than the sum of the others. */
static void add_inertial(tacRandomModel *g) {
    double i = tac_random_between(g, 0.002, 0.01), off = 0.1 * i;
    double inertia[6] = {i, 1.1 * i, 1.2 * i, tac_random_between(g, -off, off), tac_random_between(g, -off, off), off};
    int full = tac_random_chance(g, 0.4);
    tac_text_add(&g->out, "<inertial");
    tac_random_attr(g, "pos", 3, -0.05, 0.05);
    tac_random_attr(g, "mass", 1, 0.3, 3);
    if (!full) tac_random_orientation(g);
    tac_text_attr(&g->out, full ? "fullinertia" : "diaginertia", full ? 6 : 3, inertia);
    tac_text_add(&g->out, "/>\n");
}

static void add_sites(tacRandomModel *g) {
    while (g->nsite < RANDOM_MAX_SITES && tac_random_chance(g, 0.35)) {
        tac_text_format(&g->out, "<site name=\"s%d\"", g->nsite++);
        tac_random_attr(g, "pos", 3, -0.1, 0.1);
        tac_random_orientation(g);
        tac_text_add(&g->out, " size=\"0.01\"/>\n");
    }
}

static void open_body(tacRandomModel *g, int body) {
    static const char *const classes[] = {"soft", "soft_light", "heavy"};
    tac_text_format(&g->out, "<body name=\"b%d\"", body);
    if (g->parent[body] < 0)
        tac_random_attr(g, "pos", 3, -1, 1);
    else
        tac_random_attr(g, "pos", 3, 0.05, 0.2);
    tac_random_orientation(g);
    if (tac_random_chance(g, 0.3)) tac_text_format(&g->out, " childclass=\"%s\"", classes[tac_random_below(g, 3)]);
    if (g->modern && tac_random_chance(g, 0.4)) tac_random_attr(g, "gravcomp", 1, 0, 1);
    tac_text_add(&g->out, ">\n");
}

/* The body and, nested in it, those that hang from it: at most MAX_DEPTH levels. */
static void add_body(tacRandomModel *g, int body) {
    open_body(g, body);
    if (tac_random_chance(g, 0.3)) add_inertial(g);
    tac_random_joints(g, body);
    tac_random_geoms(g, 1);
    add_sites(g);
    for (int child = body + 1; child < g->nbody; child++)
        if (g->parent[child] == body) add_body(g, child);
    tac_text_add(&g->out, "</body>\n");
}

void tac_random_worldbody(tacRandomModel *g) {
    tac_text_format(&g->out, "  <worldbody>\n<geom name=\"g%d\" type=\"plane\" size=\"5 5 0.1\" pos=\"0 0 -2\"/>\n",
                    g->ngeom++);
    if (tac_random_chance(g, 0.3)) tac_random_geoms(g, 1);
    add_sites(g);
    for (int i = 0; i < g->nbody; i++)
        if (g->parent[i] < 0) add_body(g, i);
    if (tac_random_chance(g, 0.3)) {
        g->has_mocap = 1;
        tac_text_add(&g->out, "<body name=\"hand\" mocap=\"true\"");
        tac_random_attr(g, "pos", 3, -1, 1);
        tac_random_orientation(g);
        tac_text_add(&g->out, ">\n");
        tac_random_geoms(g, 1);
        tac_text_add(&g->out, "</body>\n");
    }
    tac_text_add(&g->out, "  </worldbody>\n");
}
