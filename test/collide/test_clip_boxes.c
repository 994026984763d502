/* Faces of boxes cut by each other: against the way that all polygons take, and margins against the touches' own. */
#include "collide/clip.h"

#include "collide/closed_form.h"
#include "pair_checks.h"
#include "solids.h"

#include <math.h>

#define TOL 1e-9 /* of sizes near 1: ties between marks are at 1e-10 of them */
enum { TRIALS = 20000 };

/* A box with a square base, and the same solid as a mesh, whose own axes stand at 45 degrees to the box's. */
typedef struct Twin {
    tacShape box;
    Solid mesh;
} Twin;

static const tacVec3 EIGHTH = {0, 0, 0.78539816339744831};

static void make_twin(Twin *t, double side, double height) {
    t->box = (tacShape){.type = TAC_GEOM_BOX, .size = {side, side, height}};
    make_prism(&t->mesh, 4, side * sqrt(2), side * sqrt(2), height);
}

static tacPose mesh_pose(const tacPose *box) {
    return (tacPose){box->p, tac_mulmm3(box->R, tac_quat_mat(tac_quat_exp(EIGHTH)))};
}

/* The mesh's face that looks the way the box's does. */
static int twin_face(const Twin *t, int face) {
    tacVec3 n = tac_mulmtv3(tac_quat_mat(tac_quat_exp(EIGHTH)), tac_shape_face_normal(&t->box, face));
    for (int f = 0; f < tac_shape_nface(&t->mesh.shape); f++)
        if (tac_dot3(n, tac_shape_face_normal(&t->mesh.shape, f)) > 0.9) return f;
    fail_msg("no face");
    return -1;
}

static tacPose relative(const tacPose *a, const tacPose *b) {
    return (tacPose){tac_pose_local(a, b->p), tac_mulmm3(tac_transpose3(a->R), b->R)};
}

/* A mark as a touch; the reference is where pose says. */
static tacTouch touch_of(const tacClip *c, const tacPose *pose, const tacClipPoint *m) {
    tacVec3 N = tac_mulmv3(pose->R, tac_shape_face_normal(c->shape[0], c->facet[0].id));
    tacTouch t = {.dist = m->dist, .normal = N, .rule = m->rule, .clip = m->clip};
    t.feature[0] = m->feature[0], t.feature[1] = m->feature[1];
    t.point[1] = tac_pose_point(pose, m->x), t.point[0] = tac_madd3(t.point[1], -m->dist, N);
    return t;
}

/* Margins of crossings and corners are those of the touch; a corner over a face has the room of the face. */
static void check_margins(const tacClip *c, const tacPose pose[2], int n, const tacClipPoint *mark, int *seen) {
    for (int i = 0; i < n; i++) {
        tacTouch t = touch_of(c, &pose[0], &mark[i]), again = t;
        double angle, margin = tac_touch_margin(c->shape[0], &pose[0], c->shape[1], &pose[1], &t);
        if (t.rule == TAC_RULE_NEAREST)
            margin = tac_feature_room(c->shape[0], &pose[0], t.feature[0], t.point[0], t.normal, &angle);
        CHECK_NEAR(mark[i].margin, fmax(0, margin), TOL);
        CHECK_INT(tac_touch_rebuild(c->shape[0], &pose[0], c->shape[1], &pose[1], &again), TAC_OK);
        CHECK_NEAR(again.dist, t.dist, TOL);
        CHECK(tac_norm3(tac_sub3(again.point[1], t.point[1])) < TOL);
        seen[t.rule]++;
    }
}

static void check_same(int n, const tacClipPoint *mark, int m, const tacClipPoint *other) {
    CHECK_INT(n, m);
    for (int i = 0; i < n; i++) {
        double least = HUGE_VAL;
        for (int j = 0; j < m; j++) { /* the frames of box and mesh are an eighth of a turn apart */
            tacVec3 x = tac_quat_rotate(tac_quat_exp(EIGHTH), other[j].x);
            least = fmin(least, tac_norm3(tac_sub3(mark[i].x, x)) + fabs(mark[i].dist - other[j].dist) +
                                    (mark[i].rule != other[j].rule));
        }
        CHECK_LT(least, TOL);
    }
}

static void against_polygons(void **state) {
    (void)state;
    tacDraw d = {81, 0};
    int seen[4] = {0};
    for (int i = 0; i < TRIALS; i++) {
        Twin twin[2];
        tacPose pose[2], mesh[2];
        tacClipPoint mark[TAC_MAX_CLIP_POINT], other[TAC_MAX_CLIP_POINT];
        tacClip c = {.reach = draw_uniform(&d, 0, 2)}, m = c;
        for (int k = 0; k < 2; k++) {
            make_twin(&twin[k], draw_uniform(&d, 0.2, 1), draw_uniform(&d, 0.2, 1));
            pose[k] = draw_pose(&d, 0.7), mesh[k] = mesh_pose(&pose[k]);
            c.shape[k] = &twin[k].box, m.shape[k] = &twin[k].mesh.shape;
            c.facet[k] = m.facet[k] = (tacFacet){TAC_FACET_POLYGON, draw_int(&d, 6), 1, -1};
            m.facet[k].id = twin_face(&twin[k], c.facet[k].id);
        }
        c.rel = relative(&pose[0], &pose[1]), m.rel = relative(&mesh[0], &mesh[1]);
        int n = tac_clip(&c, mark);
        check_same(n, mark, tac_clip(&m, other), other);
        check_margins(&c, pose, n, mark, seen);
        free_solid(&twin[0].mesh), free_solid(&twin[1].mesh);
    }
    for (int rule = 0; rule <= (int)TAC_RULE_CORNER; rule++)
        CHECK_LT(TRIALS / 20, seen[rule]);
}

/* Equal boxes exactly on each other: every corner of one is a corner of the other and two crossings, and each is one
 * mark; without a length to lose. */
static void corner_on_corner(void **state) {
    (void)state;
    tacShape box = {.type = TAC_GEOM_BOX, .size = {1, 2, 3}};
    tacClip c = {.shape = {&box, &box}, .reach = 1};
    tacClipPoint mark[TAC_MAX_CLIP_POINT];
    c.facet[0] = (tacFacet){TAC_FACET_POLYGON, 5, 1, -1}, c.facet[1] = (tacFacet){TAC_FACET_POLYGON, 4, 1, -1};
    c.rel = pose_at(0, 0, 6.25);
    CHECK_INT(tac_clip(&c, mark), 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(mark[i].rule, TAC_RULE_NEAREST);
        CHECK_NEAR(mark[i].dist, 0.25, TOL);
        CHECK(mark[i].margin == 0);
    }
    c.rel.p.x = 0.5; /* half over: two corners of either */
    CHECK_INT(tac_clip(&c, mark), 4);
    CHECK_INT(mark[0].rule, TAC_RULE_NEAREST);
    CHECK_INT(mark[3].rule, TAC_RULE_CORNER);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_polygons), cmocka_unit_test(corner_on_corner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
