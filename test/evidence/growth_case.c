#include "evidence/growth_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 4, SIDES = 5 };

/* Types of a shape's geoms, the first with the others added in turn, and whether each has a pad. */
static const struct {
    const char *name;
    int n;
    tacGeomType type[TERMS];
    int pad[TERMS];
} KINDS[GROWTH_KINDS] = {
    {"plane", 1, {TAC_GEOM_PLANE}, {0}},
    {"ball", 1, {TAC_GEOM_SPHERE}, {0}},
    {"capsule", 1, {TAC_GEOM_CAPSULE}, {0}},
    {"ellipsoid", 1, {TAC_GEOM_ELLIPSOID}, {0}},
    {"cylinder", 1, {TAC_GEOM_CYLINDER}, {0}},
    {"box", 1, {TAC_GEOM_BOX}, {0}},
    {"mesh", 1, {TAC_GEOM_MESH}, {0}},
    {"cone", 1, {TAC_GEOM_CONE}, {0}},
    {"padded box", 1, {TAC_GEOM_BOX}, {1}},
    {"cylinder + box", 2, {TAC_GEOM_CYLINDER, TAC_GEOM_BOX}, {0}},
    {"capsule + cone", 2, {TAC_GEOM_CAPSULE, TAC_GEOM_CONE}, {0}},
    {"mesh + ellipsoid", 2, {TAC_GEOM_MESH, TAC_GEOM_ELLIPSOID}, {0}},
    {"box + box", 2, {TAC_GEOM_BOX, TAC_GEOM_BOX}, {0}},
    {"padded box + cylinder", 2, {TAC_GEOM_BOX, TAC_GEOM_CYLINDER}, {1, 0}},
    {"padded ellipsoid + padded cone", 2, {TAC_GEOM_ELLIPSOID, TAC_GEOM_CONE}, {1, 1}},
    {"cone + mesh + ball", 3, {TAC_GEOM_CONE, TAC_GEOM_MESH, TAC_GEOM_SPHERE}, {0}},
    {"box + capsule + ellipsoid + mesh", 4, {TAC_GEOM_BOX, TAC_GEOM_CAPSULE, TAC_GEOM_ELLIPSOID, TAC_GEOM_MESH}, {0}}};

const char *growth_kind_name(int kind) { return KINDS[kind].name; }

/* A prism on a regular polygon, its top smaller: corners, and triangles counter-clockwise from outside. */
typedef struct Prism {
    tacVec3 vert[2 * GROWTH_MOST_SIDES + 2];
    int face[3 * 4 * GROWTH_MOST_SIDES], id[2 * GROWTH_MOST_SIDES + 2], nvert, nface;
} Prism;

static void add_face(Prism *p, int a, int b, int c) {
    int *f = p->face + 3 * p->nface++;
    f[0] = a, f[1] = b, f[2] = c;
}

static void make_prism(int sides, Prism *p) {
    p->nvert = 2 * sides, p->nface = 0;
    for (int i = 0; i < 2 * sides; i++) {
        double angle = 2 * 3.14159265358979323846 * (i % sides) / sides, r = i < sides ? 0.3 : 0.22;
        p->vert[i] = (tacVec3){r * cos(angle), r * sin(angle), i < sides ? -0.25 : 0.2};
        p->id[i] = i;
    }
    for (int i = 0; i < sides; i++) {
        int next = (i + 1) % sides;
        add_face(p, i, next, sides + next);
        add_face(p, i, sides + next, sides + i);
        if (i > 0 && next > 0) add_face(p, 0, next, i), add_face(p, sides, sides + i, sides + next);
    }
}

/* Triangles alone: the prism's top is turned by half a side, and both ends have a point. */
static void make_crystal(int sides, Prism *p) {
    make_prism(sides, p);
    p->nvert = 2 * sides + 2;
    p->nface = 0;
    for (int i = 0; i < sides; i++) {
        double angle = 2 * 3.14159265358979323846 * (i + 0.5) / sides;
        p->vert[sides + i] = (tacVec3){0.22 * cos(angle), 0.22 * sin(angle), 0.2};
    }
    p->vert[2 * sides] = (tacVec3){0.02, 0.01, -0.37};
    p->vert[2 * sides + 1] = (tacVec3){0.01, -0.02, 0.29};
    for (int i = 2 * sides; i < p->nvert; i++)
        p->id[i] = i;
    for (int i = 0; i < sides; i++) {
        int next = (i + 1) % sides;
        add_face(p, i, next, sides + i);
        add_face(p, next, sides + next, sides + i);
        add_face(p, next, i, 2 * sides);
        add_face(p, sides + i, sides + next, 2 * sides + 1);
    }
}

static void stop(const char *what) {
    fprintf(stderr, "growth_case: %s\n", what);
    exit(2);
}

static int add_mesh(tacBuilder *b, int sides, int crystal, tacVec3 scale, const char *name) {
    static Prism p;
    if (crystal)
        make_crystal(sides, &p);
    else
        make_prism(sides, &p);
    tacMeshDef d = tac_default_mesh();
    d.name = name;
    d.nvert = d.nhullvert = p.nvert, d.vert = p.vert, d.hullvert = p.id;
    d.nface = d.nhullface = p.nface, d.face = d.hullface = p.face;
    d.scale = scale;
    return tac_model_add_mesh(b, &d);
}

/* Sizes from 1 mm to 1 km with aspect ratios to 1000, or all of one size. */
static void draw_sizes(tacDraw *d, int extreme, double size[3]) {
    double all = extreme ? pow(10, draw_uniform(d, -1.5, 1.5)) : 1;
    for (int k = 0; k < 3; k++)
        size[k] = extreme ? all * pow(10, draw_uniform(d, -1.5, 1.5)) : draw_uniform(d, 0.1, 0.6);
}

/* The geoms of a shape; the first is named by its letter alone, those added by numbers behind it. */
static int add_shape(tacBuilder *b, int body, int kind, int sides, int extreme, char letter, tacDraw *d) {
    int first = -1;
    for (int i = KINDS[kind].n - 1, sum = -1; i >= 0; i--) { /* what is added comes first */
        tacGeomDef g = tac_default_geom();
        char name[16], mesh[16];
        snprintf(name, sizeof name, "%c%d", letter, i);
        snprintf(mesh, sizeof mesh, "%cm%d", letter, i);
        g.name = name, g.type = KINDS[kind].type[i], g.sum = sum;
        draw_sizes(d, extreme, g.size);
        tacVec3 scale = extreme ? (tacVec3){g.size[0], g.size[1], g.size[2]} : (tacVec3){1.1, 0.9, 1.3};
        if (g.type == TAC_GEOM_MESH) g.mesh = add_mesh(b, sides, sides == SIDES && g.size[0] < 0.35, scale, mesh);
        if (i > 0) g.quat = draw_quat(d);
        if (g.type != TAC_GEOM_PLANE && !extreme) g.pos = draw_vec3(d, 0.1);
        double pad = extreme ? 0.5 * g.size[draw_int(d, 3)] : draw_uniform(d, 0.05, 0.2);
        g.pad = KINDS[kind].pad[i] ? pad : 0;
        sum = first = tac_model_add_geom(b, body, &g);
    }
    return first;
}

static void try_register(tacModel *m, const char *path, int optional) {
    tacError err;
    if (tac_param_register(m, path, NULL, &err) != TAC_OK && !optional) stop(err.text);
}

static void register_all(tacModel *m) {
    static const char *const paths[] = {"size[0]", "size[1]", "size[2]", "pos[0]",
                                        "pos[2]",  "quat[1]", "quat[3]", "pad"};
    char path[64];
    for (int g = 0; g < m->ngeom; g++)
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            if (k == 7 && m->geom_pad[g] == 0) continue;
            snprintf(path, sizeof path, "geom/%s.%s", tac_model_name(m, TAC_KIND_GEOM, g), paths[k]);
            try_register(m, path, 0);
        }
    for (int i = 0; i < m->nmesh; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "mesh/%s.scale[%d]", tac_model_name(m, TAC_KIND_MESH, i), k);
            try_register(m, path, 0);
            snprintf(path, sizeof path, "mesh/%s.refpos[%d]", tac_model_name(m, TAC_KIND_MESH, i), k);
            try_register(m, path, 0);
            snprintf(path, sizeof path, "mesh/%s.file_vert[%d]", tac_model_name(m, TAC_KIND_MESH, i), k);
            try_register(m, path, m->mesh_vert_num[i] != 2 * SIDES + 2); /* a crystal's vertices are free */
            snprintf(path, sizeof path, "mesh/%s.file_vert[%d]", tac_model_name(m, TAC_KIND_MESH, i),
                     3 * m->mesh_vert_num[i] - 1 - k);
            try_register(m, path, m->mesh_vert_num[i] != 2 * SIDES + 2);
        }
}

static void open_case(const int kind[2], int sides, tacDraw *d, int params, int extreme, GrowthCase *c) {
    tacBuilder *b = tac_model_begin();
    tacError err;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 2; i++) {
        tacBodyDef body = tac_default_body();
        tacJointDef joint = tac_default_joint();
        int fixed = kind[i] == 0, id = fixed ? 0 : tac_model_add_body(b, 0, &body);
        joint.type = TAC_JOINT_FREE;
        if (extreme) { /* small geoms are too light to move */
            body.inertial = TAC_INERTIAL_DIAG;
            body.mass = 1;
            body.inertia = (tacVec3){1, 1, 1};
        }
        if (!fixed) tac_model_add_joint(b, id, &joint);
        c->kind[i] = kind[i];
        add_shape(b, id, kind[i], sides, extreme, (char)('a' + i), d);
    }
    if (tac_model_finish(b, &c->model, &err) != TAC_OK) stop(err.text);
    tac_builder_free(b);
    if (params) register_all(c->model);
    tacOptions options = tac_default_options(c->model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    if (tac_sim_new(c->model, &options, &c->sim, &err) != TAC_OK) stop(err.text);
    c->geom[0] = tac_model_find(c->model, TAC_KIND_GEOM, "a0"),
    c->geom[1] = tac_model_find(c->model, TAC_KIND_GEOM, "b0");
    c->nv = c->model->nv;
    for (int g = 0; g < c->model->ngeom; g++)
        c->size += c->sim->ctx.scene.radius[g] + c->model->geom_pad[g];
}

void growth_case_open(int kind0, int kind1, tacDraw *d, int params, GrowthCase *c) {
    open_case((int[]){kind0, kind1}, SIDES, d, params, 0, c);
}

void growth_case_prisms(int faces, tacDraw *d, GrowthCase *c) { open_case((int[]){6, 6}, faces - 2, d, 0, 0, c); }

void growth_case_extreme(int kind0, int kind1, tacDraw *d, GrowthCase *c) {
    open_case((int[]){kind0, kind1}, SIDES, d, 0, 1, c);
}

void growth_case_close(GrowthCase *c) {
    tac_sim_free(c->sim);
    tac_model_free(c->model);
}

static void set_pose(GrowthCase *c, int side, tacVec3 p, tacQuat r) {
    double *q = c->q + (side == 1 && c->kind[0] != 0 ? GROWTH_Q : 0);
    if (c->kind[side] == 0) return;
    q[0] = p.x, q[1] = p.y, q[2] = p.z, q[3] = r.w, q[4] = r.x, q[5] = r.y, q[6] = r.z;
}

void growth_case_pose_extreme(GrowthCase *c, tacDraw *d, int n) {
    double far = n % 4 == 0 ? 0 : pow(10, draw_uniform(d, -16, 6));
    tacQuat r = n % 3 ? draw_quat(d) : tac_quat_identity();
    set_pose(c, 0, tac_zero3(), r);
    set_pose(c, 1, tac_scale3(far * c->size, draw_vec3(d, 1)), n % 5 ? draw_quat(d) : r);
}

void growth_case_pose(GrowthCase *c, tacDraw *d, int n) {
    static const tacQuat quarter = {0.70710678118654752440, 0, 0, 0.70710678118654752440};
    tacQuat r = n % 5 < 3 ? draw_quat(d) : tac_quat_identity(), s = r;
    tacVec3 at = draw_vec3(d, 1), apart = draw_vec3(d, 1);
    if (n % 5 < 2) s = draw_quat(d);
    if (n % 5 == 3 && n % 2) s = quarter;
    if (n % 7 == 1) apart.x = apart.y = 0;
    if (n % 7 == 2) apart.x = 0;
    double far = n % 3 == 0 ? 3 : n % 3 == 1 ? 1 : 0.15;
    apart = tac_scale3(far * c->size / 2, apart);
    if (n % 5 >= 2) apart = tac_quat_rotate(r, apart);
    if (n % 3 != 1) {
        set_pose(c, 0, at, r);
        set_pose(c, 1, tac_add3(at, apart), s);
        return;
    }
    tacGrowth g = {.kappa = 0}; /* touching: growth is linear in the way between two centres */
    for (int k = 0; k < 4; k++) {
        set_pose(c, 0, at, r);
        set_pose(c, 1, tac_add3(at, apart), s);
        if (tac_geom_growth(c->sim, c->q, NULL, c->geom[0], c->geom[1], 1e-6, &g) != TAC_OK || g.alpha < 1e-3) return;
        apart = tac_scale3(1 / g.alpha, apart);
    }
    set_pose(c, 1, tac_add3(at, apart), s);
}
