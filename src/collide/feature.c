/* Patches of features and their derivatives. Each is computed in the shape's frame and then moved to the world. With
 * the shape's pose p, R: x = p + R x_shape, and all vectors of a patch rotate with R. Equations:
 * docs/theory/collision.md. */
#include "collide/feature.h"

#include "collide/touch.h"

static const tacVec3 AXIS_Z = {0, 0, 1};

/* +1 for id 1 (the end at +z), -1 for id 0. */
static double end_sign(int id) { return id == 1 ? 1 : -1; }

/* a . a > 0 ? a / |a| : fallback */
static tacVec3 unit_or(tacVec3 a, tacVec3 fallback) {
    double length = tac_norm3(a);
    return length > 0 ? tac_scale3(1 / length, a) : fallback;
}

/* Unit vector from the z axis towards x; the x axis for a point on it. */
static tacVec3 radial(tacVec3 x) { return unit_or(tac_vec3(x.x, x.y, 0), tac_vec3(1, 0, 0)); }

/* --- Corners and faces of boxes and meshes ------------------------------------------------------------------------ */

/* Derivative of corner i. */
static tacVec3 corner_move(const tacShape *s, int i, const tacShapeTangent *move) {
    if (s->type == TAC_GEOM_MESH) return move->vert ? move->vert[i] : tac_zero3();
    return tac_vec3(i & 1 ? move->size.x : -move->size.x, i & 2 ? move->size.y : -move->size.y,
                    i & 4 ? move->size.z : -move->size.z);
}

/* A point of a face's plane and its unit normal, or their derivatives. For a mesh: the mean m of the k corners of the
 * loop and Newell's sum N = sum_i (v_i - v_0) x (v_i+1 - v_0), both smooth in every corner. For other shapes they
 * follow from the sizes. */
typedef struct facePlane {
    tacVec3 point, normal;
} facePlane;

/* (D2) */
static double loop_sums(const tacShape *s, int face, tacVec3 *mean, tacVec3 *normal) {
    const int *loop;
    int n = tac_shape_loop(s, face, &loop);
    tacVec3 first = tac_shape_vertex(s, loop[0]), sum = tac_zero3(), N = tac_zero3();
    for (int i = 1; i < n; i++) {
        tacVec3 v = tac_sub3(tac_shape_vertex(s, loop[i]), first);
        sum = tac_add3(sum, v);
        if (i + 1 < n) N = tac_add3(N, tac_cross3(v, tac_sub3(tac_shape_vertex(s, loop[i + 1]), first)));
    }
    *mean = tac_madd3(first, 1.0 / n, sum);
    *normal = unit_or(N, AXIS_Z);
    return tac_norm3(N);
}

/* Box face 2 k + 1 is +, 2 k is - on axis k. */
static tacVec3 box_face_normal(int face) {
    double sign = face & 1 ? 1 : -1;
    return tac_vec3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
}

static facePlane face_plane(const tacShape *s, int id) {
    facePlane f = {tac_zero3(), AXIS_Z};
    if (s->type == TAC_GEOM_MESH) {
        loop_sums(s, id, &f.point, &f.normal);
    } else if (s->type == TAC_GEOM_BOX) {
        f.normal = box_face_normal(id);
        f.point = tac_scale3(tac_get3(s->size, id / 2), f.normal);
    } else if (s->type != TAC_GEOM_PLANE) { /* a flat end of a cylinder, the base of a cone */
        f.normal = tac_vec3(0, 0, end_sign(id));
        f.point = tac_scale3(s->size.y, f.normal);
    }
    return f;
}

/* d(N/|N|) = (dN - n (n . dN))/|N|. Zero for a face without area, whose touches have no derivative. */
static facePlane mesh_face_move(const tacShape *s, int id, const tacShapeTangent *move) {
    facePlane f = {tac_zero3(), tac_zero3()};
    if (move->vert == 0) return f;
    const int *loop;
    int n = tac_shape_loop(s, id, &loop);
    tacVec3 mean, normal, dN = tac_zero3(), first = tac_shape_vertex(s, loop[0]), dfirst = move->vert[loop[0]];
    double length = loop_sums(s, id, &mean, &normal);
    for (int i = 0; i < n; i++) {
        f.point = tac_madd3(f.point, 1.0 / n, move->vert[loop[i]]);
        if (i == 0 || i + 1 == n) continue;
        tacVec3 v = tac_sub3(tac_shape_vertex(s, loop[i]), first), dv = tac_sub3(move->vert[loop[i]], dfirst);
        tacVec3 w = tac_sub3(tac_shape_vertex(s, loop[i + 1]), first), dw = tac_sub3(move->vert[loop[i + 1]], dfirst);
        dN = tac_add3(dN, tac_add3(tac_cross3(dv, w), tac_cross3(v, dw)));
    }
    if (length > 0) f.normal = tac_scale3(1 / length, tac_madd3(dN, -tac_dot3(normal, dN), normal));
    return f;
}

static facePlane face_plane_move(const tacShape *s, int id, const tacShapeTangent *move) {
    facePlane f = {tac_zero3(), tac_zero3()};
    if (s->type == TAC_GEOM_MESH) return mesh_face_move(s, id, move);
    if (s->type == TAC_GEOM_BOX) f.point = tac_scale3(tac_get3(move->size, id / 2), box_face_normal(id));
    if (s->type == TAC_GEOM_CYLINDER || s->type == TAC_GEOM_CONE) f.point = tac_vec3(0, 0, end_sign(id) * move->size.y);
    return f;
}

tacVec3 tac_feature_normal(const tacShape *s, const tacPose *pose, tacFeature f) {
    return tac_mulmv3(pose->R, face_plane(s, f.id[0]).normal);
}

/* --- Patches in the shape's frame --------------------------------------------------------------------------------- */

/* Position of a POINT: a corner, the end of a capsule, the apex of a cone, the centre of a sphere. */
static tacVec3 point_at(const tacShape *s, int id) {
    if (tac_is_polyhedron(s)) return tac_shape_vertex(s, id);
    if (s->type == TAC_GEOM_CAPSULE) return tac_vec3(0, 0, end_sign(id) * s->size.y);
    if (s->type == TAC_GEOM_CONE) return tac_vec3(0, 0, s->size.y);
    return tac_zero3();
}
static tacVec3 point_move(const tacShape *s, int id, const tacShapeTangent *move) {
    if (tac_is_polyhedron(s)) return corner_move(s, id, move);
    if (s->type == TAC_GEOM_CAPSULE) return tac_vec3(0, 0, end_sign(id) * move->size.y);
    if (s->type == TAC_GEOM_CONE) return tac_vec3(0, 0, move->size.y);
    return tac_zero3();
}

/* Edge: x(s) = v0 + (v1 - v0) s. Axis of a capsule or cylinder: x(s) = z s. The line is unbounded here. */
static void line_patch(const tacShape *s, tacFeature f, tacVec3 near, tacPatch *patch) {
    tacVec3 v = tac_is_polyhedron(s) ? tac_shape_vertex(s, f.id[0]) : tac_zero3();
    tacVec3 t = tac_is_polyhedron(s) ? tac_sub3(tac_shape_vertex(s, f.id[1]), v) : AXIS_Z;
    double square = tac_dot3(t, t), at = square > 0 ? tac_dot3(tac_sub3(near, v), t) / square : 0;
    patch->dim = 1;
    patch->t[0] = t;
    patch->x = tac_madd3(v, at, t);
}
static void line_move(const tacShape *s, tacFeature f, tacVec3 x, const tacShapeTangent *move, tacPatchTangent *d) {
    if (!tac_is_polyhedron(s)) return;
    tacVec3 v = tac_shape_vertex(s, f.id[0]), t = tac_sub3(tac_shape_vertex(s, f.id[1]), v);
    tacVec3 dv = corner_move(s, f.id[0], move), dt = tac_sub3(corner_move(s, f.id[1], move), dv);
    double square = tac_dot3(t, t), at = square > 0 ? tac_dot3(tac_sub3(x, v), t) / square : 0;
    d->t[0] = dt;
    d->x = tac_madd3(dv, at, dt);
}

/* x(s) = x + e1 s0 + e2 s1 with e1, e2 a frame of the normal n. When the normal changes by dn, the tangents change by
 * de = -n (e . dn) and the point by dx = dm - n ((x - m) . dn). */
static void plane_patch(const tacShape *s, tacFeature f, tacVec3 near, tacPatch *patch) {
    facePlane face = face_plane(s, f.id[0]);
    patch->dim = 2;
    patch->x = tac_madd3(near, -tac_dot3(face.normal, tac_sub3(near, face.point)), face.normal);
    tac_contact_frame(face.normal, &patch->t[0], &patch->t[1]);
}
static void plane_move(const tacShape *s, tacFeature f, tacVec3 x, const tacShapeTangent *move, tacPatchTangent *d) {
    facePlane face = face_plane(s, f.id[0]), dface = face_plane_move(s, f.id[0], move);
    tacVec3 t[2];
    tac_contact_frame(face.normal, &t[0], &t[1]);
    d->x = tac_madd3(dface.point, -tac_dot3(tac_sub3(x, face.point), dface.normal), face.normal);
    for (int i = 0; i < 2; i++)
        d->t[i] = tac_scale3(-tac_dot3(t[i], dface.normal), face.normal);
}

/* x(s) = centre + r e(s), e rotating about z at unit rate: e' = z x e, e'' = -e. */
static void circle_patch(const tacShape *s, tacFeature f, tacVec3 near, tacPatch *patch) {
    tacVec3 e = radial(near);
    patch->dim = 1;
    patch->x = tac_madd3(tac_vec3(0, 0, end_sign(f.id[0]) * s->size.y), s->size.x, e);
    patch->t[0] = tac_scale3(s->size.x, tac_cross3(AXIS_Z, e));
    patch->c[0] = tac_scale3(-s->size.x, e);
}
static void circle_move(tacFeature f, tacVec3 x, const tacShapeTangent *move, tacPatchTangent *d) {
    tacVec3 e = radial(x);
    d->x = tac_madd3(tac_vec3(0, 0, end_sign(f.id[0]) * move->size.y), move->size.x, e);
    d->t[0] = tac_scale3(move->size.x, tac_cross3(AXIS_Z, e));
}

/* The point u of the unit sphere for which E u lies on the ray from the centre to x. */
static tacVec3 sphere_point(const tacShape *s, tacVec3 x) {
    tacVec3 r = s->size;
    return unit_or(tac_vec3(r.x > 0 ? x.x / r.x : 0, r.y > 0 ? x.y / r.y : 0, r.z > 0 ? x.z / r.z : 0), AXIS_Z);
}
/* x(s) = E u(s), u(s) = u + e1 s0 + e2 s1 - u (s0^2 + s1^2)/2. The chart is tangent at u, so there is no pole. */
static void ellipsoid_patch(const tacShape *s, tacVec3 near, tacPatch *patch) {
    tacVec3 u = sphere_point(s, near), e[2];
    tac_contact_frame(u, &e[0], &e[1]);
    patch->dim = 2;
    patch->x = tac_mul3(s->size, u);
    for (int i = 0; i < 2; i++)
        patch->t[i] = tac_mul3(s->size, e[i]);
    patch->c[0] = patch->c[2] = tac_neg3(patch->x);
}
static void ellipsoid_move(const tacShape *s, tacVec3 x, const tacShapeTangent *move, tacPatchTangent *d) {
    tacVec3 u = sphere_point(s, x), e[2];
    tac_contact_frame(u, &e[0], &e[1]);
    d->x = tac_mul3(move->size, u);
    for (int i = 0; i < 2; i++)
        d->t[i] = tac_mul3(move->size, e[i]);
}

/* Side of a cone: x(s) = apex + l g(e). g = r e - 2 h z is the generator. l = l0 + s0 goes from 0 at the apex to 1 at
 * the rim. e rotates about z by s1. */
static double side_height(const tacShape *s, tacVec3 near, tacVec3 e) {
    tacVec3 g = tac_vec3(s->size.x * e.x, s->size.x * e.y, -2 * s->size.y);
    double square = tac_dot3(g, g);
    return square > 0 ? tac_max(0, tac_dot3(tac_sub3(near, tac_vec3(0, 0, s->size.y)), g) / square) : 0;
}
static void side_patch(const tacShape *s, tacVec3 near, tacPatch *patch) {
    double r = s->size.x, h = s->size.y;
    tacVec3 e = radial(near), turned = tac_cross3(AXIS_Z, e), g = tac_vec3(r * e.x, r * e.y, -2 * h);
    double l = side_height(s, near, e);
    patch->dim = 2;
    patch->x = tac_madd3(tac_vec3(0, 0, h), l, g);
    patch->t[0] = g;
    patch->t[1] = tac_scale3(l * r, turned);
    patch->c[1] = tac_scale3(r, turned);
    patch->c[2] = tac_scale3(-l * r, e);
}
static void side_move(const tacShape *s, tacVec3 x, const tacShapeTangent *move, tacPatchTangent *d) {
    double dr = move->size.x, dh = move->size.y;
    tacVec3 e = radial(x), dg = tac_vec3(dr * e.x, dr * e.y, -2 * dh);
    double l = side_height(s, x, e);
    d->x = tac_madd3(tac_vec3(0, 0, dh), l, dg);
    d->t[0] = dg;
    d->t[1] = tac_scale3(l * dr, tac_cross3(AXIS_Z, e));
}

/* --- In the world ------------------------------------------------------------------------------------------------- */

/* Whether a feature's core has a ball of radius size.x around it. */
static int is_padded(const tacShape *s, tacFeature f) {
    return s->type == TAC_GEOM_SPHERE || s->type == TAC_GEOM_CAPSULE ||
           (s->type == TAC_GEOM_CYLINDER && f.kind == TAC_FEATURE_LINE);
}

static tacPatch local_patch(const tacShape *s, tacFeature f, tacVec3 near) {
    tacPatch patch = {.pad = is_padded(s, f) ? s->size.x : 0};
    switch ((tacFeatureKind)f.kind) {
    case TAC_FEATURE_POINT:
        patch.x = point_at(s, f.id[0]);
        break;
    case TAC_FEATURE_LINE:
        line_patch(s, f, near, &patch);
        break;
    case TAC_FEATURE_PLANE:
        plane_patch(s, f, near, &patch);
        break;
    case TAC_FEATURE_CIRCLE:
        circle_patch(s, f, near, &patch);
        break;
    case TAC_FEATURE_ELLIPSOID:
        ellipsoid_patch(s, near, &patch);
        break;
    case TAC_FEATURE_SIDE:
        side_patch(s, near, &patch);
        break;
    }
    return patch;
}

tacPatch tac_feature_patch(const tacShape *s, const tacPose *pose, tacFeature f, tacVec3 near_world) {
    tacPatch patch = local_patch(s, f, tac_pose_local(pose, near_world));
    patch.x = tac_pose_point(pose, patch.x);
    for (int i = 0; i < patch.dim; i++)
        patch.t[i] = tac_mulmv3(pose->R, patch.t[i]);
    if (f.kind != TAC_FEATURE_LINE && f.kind != TAC_FEATURE_PLANE)
        for (int i = 0; i < 2 * patch.dim - 1; i++)
            patch.c[i] = tac_mulmv3(pose->R, patch.c[i]);
    return patch;
}

/* Derivative of a patch in the shape's frame along a change of the shape's own numbers. */
static tacPatchTangent local_move(const tacShape *s, tacFeature f, tacVec3 x, const tacShapeTangent *move) {
    tacPatchTangent d = {.pad = is_padded(s, f) ? move->size.x : 0};
    switch ((tacFeatureKind)f.kind) {
    case TAC_FEATURE_POINT:
        d.x = point_move(s, f.id[0], move);
        break;
    case TAC_FEATURE_LINE:
        line_move(s, f, x, move, &d);
        break;
    case TAC_FEATURE_PLANE:
        plane_move(s, f, x, move, &d);
        break;
    case TAC_FEATURE_CIRCLE:
        circle_move(f, x, move, &d);
        break;
    case TAC_FEATURE_ELLIPSOID:
        ellipsoid_move(s, x, move, &d);
        break;
    case TAC_FEATURE_SIDE:
        side_move(s, x, move, &d);
        break;
    }
    return d;
}

static int is_zero(tacVec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

static int has_own_move(const tacShapeTangent *move) { return move->vert != 0 || !is_zero(move->size); }

/* dx = v + w x (x - about) + R dx_shape, dt = w x t + R dt_shape (D3) */
tacPatchTangent tac_feature_move(const tacShape *s, const tacPose *pose, tacFeature f, const tacPatch *at,
                                 const tacShapeTangent *move) {
    tacPatchTangent d = {.pad = 0};
    if (!has_own_move(move)) {
        if (is_zero(move->twist.ang) && is_zero(move->twist.lin)) return d;
    } else {
        d = local_move(s, f, tac_pose_local(pose, at->x), move);
        d.x = tac_mulmv3(pose->R, d.x);
        for (int i = 0; i < at->dim; i++)
            d.t[i] = tac_mulmv3(pose->R, d.t[i]);
    }
    tacVec3 w = move->twist.ang, arm = tac_sub3(at->x, move->about);
    d.x = tac_add3(d.x, tac_add3(move->twist.lin, tac_cross3(w, arm)));
    for (int i = 0; i < at->dim; i++)
        d.t[i] = tac_add3(d.t[i], tac_cross3(w, at->t[i]));
    return d;
}
