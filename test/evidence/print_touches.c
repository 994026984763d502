/* The nearest points and the contacts of pairs of shapes, for the figure of docs/theory/collision.md to be drawn from.
 *   print_touches     standard input: one mesh (numbers of corners and triangles, corners, triangles), then pairs of
 *                     shapes, each as type (a number of tacGeomType), three sizes, place and quaternion
 * One JSON line a pair: {"dist", "pos1", "pos2", "normal", "contacts": [{"dist", "pos", "normal"}]}. */
#include "tactus/tactus.h"

#include <stdio.h>

enum { MAX_CORNERS = 64, MAX_TRIANGLES = 128, MAX_CONTACTS = 16 };

typedef struct Hull {
    int ncorner, ntriangle, id[MAX_CORNERS], triangle[3 * MAX_TRIANGLES];
    tacVec3 corner[MAX_CORNERS];
} Hull;

static int fail(const char *why) {
    fprintf(stderr, "print_touches: %s\n", why);
    return 2;
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

static int read_vec3(tacVec3 *v) { return scanf("%lf %lf %lf", &v->x, &v->y, &v->z) == 3; }

static int read_hull(Hull *h) {
    if (scanf("%d %d", &h->ncorner, &h->ntriangle) != 2) return 0;
    if (h->ncorner < 4 || h->ncorner > MAX_CORNERS || h->ntriangle < 4 || h->ntriangle > MAX_TRIANGLES) return 0;
    for (int i = 0; i < h->ncorner; i++) {
        h->id[i] = i;
        if (!read_vec3(&h->corner[i])) return 0;
    }
    for (int i = 0; i < 3 * h->ntriangle; i++)
        if (scanf("%d", &h->triangle[i]) != 1) return 0;
    return 1;
}

static int read_geom(tacGeomDef *geom) {
    int type;
    tacVec3 size;
    *geom = tac_default_geom();
    if (scanf("%d", &type) != 1 || !read_vec3(&size) || !read_vec3(&geom->pos)) return 0;
    if (scanf("%lf %lf %lf %lf", &geom->quat.w, &geom->quat.x, &geom->quat.y, &geom->quat.z) != 4) return 0;
    geom->type = (tacGeomType)type;
    geom->size[0] = size.x;
    geom->size[1] = size.y;
    geom->size[2] = size.z;
    return 1;
}

/* --- The pair as a model: the first shape is fixed to the world, the second floats -------------------------------- */

static tacModel *pair_model(const Hull *hull, tacGeomDef *geom) {
    tacError err;
    tacModel *model = NULL;
    tacBuilder *b = tac_model_begin();
    tacMeshDef mesh = tac_default_mesh();
    tacBodyDef body = tac_default_body();
    tacJointDef joint = tac_default_joint();
    mesh.nvert = mesh.nhullvert = hull->ncorner;
    mesh.nface = mesh.nhullface = hull->ntriangle;
    mesh.vert = hull->corner;
    mesh.hullvert = hull->id;
    mesh.face = mesh.hullface = hull->triangle;
    joint.type = TAC_JOINT_FREE;
    int mesh_id = tac_model_add_mesh(b, &mesh), floating = tac_model_add_body(b, 0, &body);
    tac_model_add_joint(b, floating, &joint);
    for (int i = 0; i < 2; i++) {
        if (geom[i].type == TAC_GEOM_MESH) geom[i].mesh = mesh_id;
        tac_model_add_geom(b, i == 0 ? 0 : floating, &geom[i]);
    }
    if (tac_model_finish(b, &model, &err) != TAC_OK) fail(err.text);
    tac_builder_free(b);
    return model;
}

/* --- Printing ---------------------------------------------------------------------------------------------------- */

static void print_vec3(const char *key, tacVec3 v) { printf(",\"%s\":[%.17g,%.17g,%.17g]", key, v.x, v.y, v.z); }

static void print_touches(const tacContact *nearest, const tacContact *contact, int n) {
    printf("{\"dist\":%.17g", nearest->dist);
    print_vec3("pos1", nearest->point[0]);
    print_vec3("pos2", nearest->point[1]);
    print_vec3("normal", nearest->normal);
    printf(",\"contacts\":[");
    for (int i = 0; i < n; i++) {
        printf("%s{\"dist\":%.17g", i > 0 ? "," : "", contact[i].dist);
        print_vec3("pos", contact[i].pos);
        print_vec3("normal", contact[i].normal);
        printf("}");
    }
    printf("]}\n");
}

static int print_pair(const tacModel *model) {
    tacError err;
    tacSim *sim;
    tacContact nearest, contact[MAX_CONTACTS];
    int n = 0;
    tacOptions options = tac_default_options(model);
    if (tac_sim_new(model, &options, &sim, &err) != TAC_OK) return fail(err.text);
    tacStatus status = tac_geom_distance(sim, model->qpos_0, NULL, 0, 1, &nearest);
    if (status == TAC_OK) status = tac_contacts(sim, model->qpos_0, NULL, contact, MAX_CONTACTS, &n);
    tac_sim_free(sim);
    if (status != TAC_OK) return fail(tac_status_text(status));
    print_touches(&nearest, contact, n);
    return 0;
}

int main(void) {
    Hull hull;
    tacGeomDef geom[2];
    int code = 0;
    if (!read_hull(&hull)) return fail("a mesh is expected first");
    while (code == 0 && read_geom(&geom[0])) {
        if (!read_geom(&geom[1])) return fail("a second shape is expected");
        tacModel *model = pair_model(&hull, geom);
        code = model == NULL ? 2 : print_pair(model);
        tac_model_free(model);
    }
    return code;
}
