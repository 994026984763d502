/* Chains and trees of any size: links of 0.1 m and 0.1 kg that hang from a point.
 *
 * Body i of the tree has parent (i-1)/branching, so that numbers run level by level. As text the bodies nest, which
 * numbers them depth first; built directly they keep their numbers. Both describe the same tree. */
#include "tactus/io.h"

#include "base/error.h"
#include "io/model_text.h"

#include <stdio.h>

#define LINK_LENGTH     0.1   /* m */
#define LINK_RADIUS     0.01  /* m */
#define LINK_MASS       0.1   /* kg */
#define SIBLING_SPACING 0.05  /* m, between the links that hang from one parent */
#define HINGE_DAMPING   0.001 /* N m s */
#define SLIDE_DAMPING   0.5   /* N s/m */
#define SLIDE_STIFFNESS 50.0  /* N/m: a slide without a spring would just fall */
#define TIMESTEP        0.002

enum { AXES = 3 };

tacChain tac_default_chain(void) { return (tacChain){.bodies = 10, .branching = 1, .joint = TAC_CHAIN_HINGE}; }

static tacJointType joint_type(const tacChain *chain, int body) {
    static const tacJointType mixed[] = {TAC_JOINT_HINGE, TAC_JOINT_BALL, TAC_JOINT_SLIDE};
    switch (chain->joint) {
    case TAC_CHAIN_BALL:
        return TAC_JOINT_BALL;
    case TAC_CHAIN_SLIDE:
        return TAC_JOINT_SLIDE;
    case TAC_CHAIN_MIXED:
        return mixed[body % 3];
    default:
        return TAC_JOINT_HINGE;
    }
}

/* y, x, z in turn, so that neighbouring links move in different planes. */
static tacVec3 joint_axis(int body) {
    static const tacVec3 axes[AXES] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    return axes[body % AXES];
}

/* Where a body's frame is in its parent: at the lower end, siblings side by side. */
static tacVec3 body_pos(const tacChain *chain, int body) {
    if (body == 0) return (tacVec3){0, 0, 0};
    int sibling = (body - 1) % chain->branching;
    return (tacVec3){SIBLING_SPACING * (sibling - 0.5 * (chain->branching - 1)), 0, -LINK_LENGTH};
}

static tacJointDef joint_def(const tacChain *chain, int body) {
    tacJointDef def = tac_default_joint();
    def.type = body == 0 && chain->free_root ? TAC_JOINT_FREE : joint_type(chain, body);
    if (def.type == TAC_JOINT_HINGE || def.type == TAC_JOINT_SLIDE) def.axis = joint_axis(body);
    if (def.type == TAC_JOINT_HINGE || def.type == TAC_JOINT_BALL) def.damping = HINGE_DAMPING;
    if (def.type == TAC_JOINT_SLIDE) {
        def.damping = SLIDE_DAMPING;
        def.stiffness = SLIDE_STIFFNESS;
    }
    return def;
}

static int is_valid(const tacChain *chain) {
    return chain != NULL && chain->bodies >= 1 && chain->branching >= 1 && chain->joint >= TAC_CHAIN_HINGE &&
           chain->joint <= TAC_CHAIN_MIXED;
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

static void add_joint(tacText *out, const tacChain *chain, int body) {
    tacJointDef def = joint_def(chain, body);
    if (def.type == TAC_JOINT_FREE) {
        tac_text_format(out, "<freejoint name=\"joint%d\"/>", body);
        return;
    }
    const char *type = def.type == TAC_JOINT_BALL ? "ball" : def.type == TAC_JOINT_SLIDE ? "slide" : "hinge";
    tac_text_format(out, "<joint name=\"joint%d\" type=\"%s\"", body, type);
    if (def.type != TAC_JOINT_BALL) tac_text_attr(out, "axis", 3, &def.axis.x);
    tac_text_attr(out, "damping", 1, &def.damping);
    if (def.stiffness > 0) tac_text_attr(out, "stiffness", 1, &def.stiffness);
    tac_text_add(out, "/>");
}

static void open_body(tacText *out, const tacChain *chain, int body) {
    static const double fromto[6] = {0, 0, 0, 0, 0, -LINK_LENGTH};
    static const double radius = LINK_RADIUS, mass = LINK_MASS;
    tacVec3 pos = body_pos(chain, body);
    tac_text_format(out, "<body name=\"link%d\"", body);
    tac_text_attr(out, "pos", 3, &pos.x);
    tac_text_add(out, ">");
    add_joint(out, chain, body);
    tac_text_add(out, "<geom type=\"capsule\" contype=\"0\" conaffinity=\"0\"");
    tac_text_attr(out, "fromto", 6, fromto);
    tac_text_attr(out, "size", 1, &radius);
    tac_text_attr(out, "mass", 1, &mass);
    tac_text_add(out, "/>\n");
}

/* Depth first without recursion: a chain may be a million links deep. */
static void add_bodies(tacText *out, const tacChain *chain) {
    int body = 0;
    open_body(out, chain, body);
    for (;;) {
        if (body <= (chain->bodies - 2) / chain->branching && (long long)body * chain->branching + 1 < chain->bodies) {
            body = body * chain->branching + 1;
            open_body(out, chain, body);
            continue;
        }
        for (;;) {
            tac_text_add(out, "</body>\n");
            if (body == 0) return;
            if (body % chain->branching != 0 && body + 1 < chain->bodies) break;
            body = (body - 1) / chain->branching;
        }
        open_body(out, chain, ++body);
    }
}

char *tac_chain_model(const tacChain *chain) {
    if (!is_valid(chain)) return NULL;
    static const double timestep = TIMESTEP;
    tacText out = {0};
    tac_text_format(&out, "<mujoco model=\"%s\">\n<compiler angle=\"radian\"/>\n<option",
                    chain->branching > 1 ? "tree" : "chain");
    tac_text_attr(&out, "timestep", 1, &timestep);
    tac_text_add(&out, "/>\n<worldbody>\n");
    add_bodies(&out, chain);
    tac_text_add(&out, "</worldbody>\n</mujoco>\n");
    return tac_text_take(&out);
}

/* --- The same without a file -------------------------------------------------------------------------------------- */

static void build_body(tacBuilder *b, const tacChain *chain, int body) {
    char name[32];
    tacBodyDef def = tac_default_body();
    snprintf(name, sizeof name, "link%d", body);
    def.name = name;
    def.pos = body_pos(chain, body);
    int id = tac_model_add_body(b, body == 0 ? 0 : (body - 1) / chain->branching + 1, &def);
    tacJointDef joint = joint_def(chain, body);
    snprintf(name, sizeof name, "joint%d", body);
    joint.name = name;
    tac_model_add_joint(b, id, &joint);
    tacGeomDef geom = tac_default_geom();
    geom.type = TAC_GEOM_CAPSULE;
    geom.contype = geom.conaffinity = 0;
    geom.pos = (tacVec3){0, 0, -LINK_LENGTH / 2};
    geom.size[0] = LINK_RADIUS;
    geom.size[1] = LINK_LENGTH / 2;
    geom.has_mass = 1;
    geom.mass = LINK_MASS;
    tac_model_add_geom(b, id, &geom);
}

tacStatus tac_chain_build(const tacChain *chain, tacModel **model, tacError *err) {
    if (!is_valid(chain))
        return tac_fail(err, TAC_ERR_ARGUMENT,
                        "chain: expected at least one body, a branching of at least one, and a joint kind");
    tacBuilder *b = tac_model_begin();
    if (b == NULL) return tac_fail(err, TAC_ERR_MEMORY, "out of memory for a chain of %d bodies", chain->bodies);
    tacOptionDef option = tac_default_option();
    option.timestep = TIMESTEP;
    tac_model_set_option(b, &option);
    for (int i = 0; i < chain->bodies; i++)
        build_body(b, chain, i);
    tacStatus status = tac_model_finish(b, model, err);
    tac_builder_free(b);
    return status;
}
