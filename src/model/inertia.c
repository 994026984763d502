/* Closed forms for the primitives, solid and shell. Lengths are those of MJCF: half-sizes, radius and half-length.
 *
 * Below each form is `_jvp`, its derivative along a change d of the size s at fixed mass. All inertias are linear in
 * the mass, so the form of the change of mass gives the rest. */
#include "model/inertia.h"

#define PI 3.14159265358979323846
/* MuJoCo's limits: a geom of smaller volume carries no given mass, a smaller mass does not count, and a smaller
 * eigenvalue is no inertia. */
#define MIN_VOLUME 1e-14
#define MIN_MASS   1e-14
/* Exponent of Thomsen's formula for the area of an ellipsoid, and thickness (m) of the layer whose inertia approximates
 * the shell's. Both are MuJoCo's, so that the numbers agree. */
#define THOMSEN         1.6075
#define SHELL_THICKNESS 1e-6

/* --- Volumes and areas -------------------------------------------------------------------------------------------- */

static double solid_volume(int type, const double *s) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return 4 * PI * s[0] * s[0] * s[0] / 3;
    case TAC_GEOM_CAPSULE:
        return PI * (s[0] * s[0] * 2 * s[1] + 4 * s[0] * s[0] * s[0] / 3);
    case TAC_GEOM_CYLINDER:
        return PI * s[0] * s[0] * 2 * s[1];
    case TAC_GEOM_ELLIPSOID:
        return 4 * PI * s[0] * s[1] * s[2] / 3;
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return s[0] * s[1] * s[2] * 8;
    case TAC_GEOM_CONE:
        return PI * s[0] * s[0] * 2 * s[1] / 3;
    default:
        return 0;
    }
}

static double solid_volume_jvp(int type, const double *s, const double *d) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return 4 * PI * s[0] * s[0] * d[0];
    case TAC_GEOM_CAPSULE:
        return PI * (4 * s[0] * s[1] * d[0] + 2 * s[0] * s[0] * d[1] + 4 * s[0] * s[0] * d[0]);
    case TAC_GEOM_CYLINDER:
        return PI * (4 * s[0] * s[1] * d[0] + 2 * s[0] * s[0] * d[1]);
    case TAC_GEOM_ELLIPSOID:
        return 4 * PI * (d[0] * s[1] * s[2] + s[0] * d[1] * s[2] + s[0] * s[1] * d[2]) / 3;
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return 8 * (d[0] * s[1] * s[2] + s[0] * d[1] * s[2] + s[0] * s[1] * d[2]);
    case TAC_GEOM_CONE:
        return 2 * PI * (2 * s[0] * s[1] * d[0] + s[0] * s[0] * d[1]) / 3;
    default:
        return 0;
    }
}

/* Slant height of a cone of radius s[0] and height 2 s[1]. */
static double cone_slant(const double *s) { return tac_sqrt(s[0] * s[0] + 4 * s[1] * s[1]); }
static double cone_slant_jvp(const double *s, const double *d) {
    return (s[0] * d[0] + 4 * s[1] * d[1]) / cone_slant(s);
}

static double shell_area(int type, const double *s) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return 4 * PI * s[0] * s[0];
    case TAC_GEOM_CAPSULE:
        return 4 * PI * s[0] * s[0] + 2 * PI * s[0] * 2 * s[1];
    case TAC_GEOM_CYLINDER:
        return 2 * PI * s[0] * s[0] + 2 * PI * s[0] * 2 * s[1];
    case TAC_GEOM_ELLIPSOID: {
        double sum = tac_pow(s[0] * s[1], THOMSEN) + tac_pow(s[1] * s[2], THOMSEN) + tac_pow(s[2] * s[0], THOMSEN);
        return 4 * PI * tac_pow(sum / 3, 1 / THOMSEN);
    }
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return 8 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]);
    case TAC_GEOM_CONE:
        return PI * s[0] * (s[0] + cone_slant(s));
    default:
        return 0;
    }
}

/* Sum of d(a^p b^p) over neighbours a and b: A = 4 pi (sum / 3)^(1/p), dA = A dsum / (p sum). */
static double ellipsoid_area_jvp(const double *s, const double *d) {
    double sum = 0, change = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double power = tac_pow(s[i] * s[j], THOMSEN);
        sum += power;
        change += power / (s[i] * s[j]) * (d[i] * s[j] + s[i] * d[j]);
    }
    return shell_area(TAC_GEOM_ELLIPSOID, s) * change / sum;
}

static double shell_area_jvp(int type, const double *s, const double *d) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return 8 * PI * s[0] * d[0];
    case TAC_GEOM_CAPSULE:
        return 4 * PI * (2 * s[0] * d[0] + d[0] * s[1] + s[0] * d[1]);
    case TAC_GEOM_CYLINDER:
        return 4 * PI * (s[0] * d[0] + d[0] * s[1] + s[0] * d[1]);
    case TAC_GEOM_ELLIPSOID:
        return ellipsoid_area_jvp(s, d);
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return 8 * (d[0] * (s[1] + s[2]) + d[1] * (s[0] + s[2]) + d[2] * (s[0] + s[1]));
    case TAC_GEOM_CONE:
        return PI * (d[0] * (2 * s[0] + cone_slant(s)) + s[0] * cone_slant_jvp(s, d));
    default:
        return 0;
    }
}

double tac_geom_volume(const tacModel *m, int geom) {
    int type = m->geom_type[geom];
    const double *size = m->geom_size + 3 * geom;
    if (type == TAC_GEOM_MESH) return m->mesh_volume[m->geom_mesh[geom]];
    return m->geom_shell[geom] ? shell_area(type, size) : solid_volume(type, size);
}

/* --- Principal inertia about the centre of mass ------------------------------------------------------------------- */

/* Cylinder of mass m, radius r, height h: solid, or its side alone. */
static tacVec3 cylinder_solid(double m, double r, double h) {
    double across = m * (3 * r * r + h * h) / 12;
    return tac_vec3(across, across, m * r * r / 2);
}
static tacVec3 cylinder_side(double m, double r, double h) {
    double across = m * (6 * r * r + h * h) / 12;
    return tac_vec3(across, across, m * r * r);
}
static tacVec3 cylinder_solid_jvp(double m, double r, double h, double dr, double dh) {
    double across = m * (3 * r * dr + h * dh) / 6;
    return tac_vec3(across, across, m * r * dr);
}
static tacVec3 cylinder_side_jvp(double m, double r, double h, double dr, double dh) {
    double across = m * (6 * r * dr + h * dh) / 6;
    return tac_vec3(across, across, 2 * m * r * dr);
}

/* Two half spheres of total mass m, radius r, with flat sides at +-h/2. `own` is the inertia of the whole sphere, `c`
 * the distance of a half's centre of mass from its flat side. Parallel axes give own + m ((h/2 + c)^2 - c^2). */
static tacVec3 caps(double m, double h, double own, double c) {
    double across = own + m * ((h / 2 + c) * (h / 2 + c) - c * c);
    return tac_vec3(across, across, own);
}
/* Its derivative at fixed m and own. The form is linear in both. */
static tacVec3 caps_jvp(double m, double h, double c, double dh, double dc) {
    double across = m * 2 * ((h / 2 + c) * (dh / 2 + dc) - c * dc);
    return tac_vec3(across, across, 0);
}

static tacVec3 capsule_solid(double m, const double *s) {
    double r = s[0], h = 2 * s[1], sphere = m * 4 * r / (4 * r + 3 * h);
    return tac_add3(cylinder_solid(m - sphere, r, h), caps(sphere, h, 2 * sphere * r * r / 5, 3 * r / 8));
}

/* The spheres' share of the mass moves with the size, the cylinder's with the opposite sign. */
static tacVec3 capsule_solid_jvp(double m, const double *s, const double *d) {
    double r = s[0], h = 2 * s[1], dr = d[0], dh = 2 * d[1], sphere = m * 4 * r / (4 * r + 3 * h);
    double more = (m * 4 * dr - sphere * (4 * dr + 3 * dh)) / (4 * r + 3 * h);
    tacVec3 side = tac_add3(cylinder_solid(-more, r, h), cylinder_solid_jvp(m - sphere, r, h, dr, dh));
    tacVec3 ends = caps(more, h, 2 * (more * r + 2 * sphere * dr) * r / 5, 3 * r / 8);
    return tac_add3(tac_add3(side, ends), caps_jvp(sphere, h, 3 * r / 8, dh, 3 * dr / 8));
}

static tacVec3 capsule_shell(double m, const double *s) {
    double r = s[0], h = 2 * s[1], sphere = m * 2 * r / (2 * r + h);
    return tac_add3(cylinder_side(m - sphere, r, h), caps(sphere, h, 2 * sphere * r * r / 3, r / 2));
}

static tacVec3 capsule_shell_jvp(double m, const double *s, const double *d) {
    double r = s[0], h = 2 * s[1], dr = d[0], dh = 2 * d[1], sphere = m * 2 * r / (2 * r + h);
    double more = (m * 2 * dr - sphere * (2 * dr + dh)) / (2 * r + h);
    tacVec3 side = tac_add3(cylinder_side(-more, r, h), cylinder_side_jvp(m - sphere, r, h, dr, dh));
    tacVec3 ends = caps(more, h, 2 * (more * r + 2 * sphere * dr) * r / 3, r / 2);
    return tac_add3(tac_add3(side, ends), caps_jvp(sphere, h, r / 2, dh, dr / 2));
}

static tacVec3 cylinder_shell(double m, const double *s) {
    double r = s[0], h = 2 * s[1], disk = m * r / (2 * (r + h));
    double across = disk * r * r / 4 + disk * h * h / 4;
    return tac_add3(cylinder_side(m - 2 * disk, r, h), tac_vec3(2 * across, 2 * across, disk * r * r));
}

static tacVec3 cylinder_shell_jvp(double m, const double *s, const double *d) {
    double r = s[0], h = 2 * s[1], dr = d[0], dh = 2 * d[1], disk = m * r / (2 * (r + h));
    double more = (m * dr - 2 * disk * (dr + dh)) / (2 * (r + h));
    double across = more * (r * r + h * h) / 4 + disk * (r * dr + h * dh) / 2;
    tacVec3 side = tac_add3(cylinder_side(-2 * more, r, h), cylinder_side_jvp(m - 2 * disk, r, h, dr, dh));
    return tac_add3(side, tac_vec3(2 * across, 2 * across, (more * r + 2 * disk * dr) * r));
}

/* sum over pairs: m k (b^2 + c^2, a^2 + c^2, a^2 + b^2) for half-sizes or radii (a, b, c) */
static tacVec3 three_axes(double mk, const double *s) {
    double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
    return tac_vec3(mk * (b + c), mk * (a + c), mk * (a + b));
}
static tacVec3 three_axes_jvp(double mk, const double *s, const double *d) {
    double a = 2 * s[0] * d[0], b = 2 * s[1] * d[1], c = 2 * s[2] * d[2];
    return tac_vec3(mk * (b + c), mk * (a + c), mk * (a + b));
}

/* Layer of thickness e around an ellipsoid: the larger one minus the ellipsoid,
 *   I_x = (rho/5) (Vb (b'^2 + c'^2) - Va (b^2 + c^2)) = (rho/5) ((Vb - Va)(b'^2 + c'^2) + Va (2 e (b + c) + 2 e^2)),
 * with Vb - Va = (4 pi / 3)(e (ab + bc + ca) + e^2 (a + b + c) + e^3), where nothing cancels. */
static tacVec3 ellipsoid_shell(double m, const double *s) {
    const double e = SHELL_THICKNESS, a = s[0], b = s[1], c = s[2];
    double Va = 4 * PI * a * b * c / 3;
    double layer = 4 * PI / 3 * (e * (a * b + b * c + c * a) + e * e * (a + b + c) + e * e * e);
    double outer[3] = {a + e, b + e, c + e}, ratio = Va / layer;
    tacVec3 I = three_axes(m / 5, outer);
    tacVec3 rest = {2 * e * (b + c) + 2 * e * e, 2 * e * (a + c) + 2 * e * e, 2 * e * (a + b) + 2 * e * e};
    return tac_madd3(I, m / 5 * ratio, rest);
}

static tacVec3 ellipsoid_shell_jvp(double m, const double *s, const double *d) {
    const double e = SHELL_THICKNESS, a = s[0], b = s[1], c = s[2], da = d[0], db = d[1], dc = d[2];
    double Va = 4 * PI * a * b * c / 3, dVa = solid_volume_jvp(TAC_GEOM_ELLIPSOID, s, d);
    double layer = 4 * PI / 3 * (e * (a * b + b * c + c * a) + e * e * (a + b + c) + e * e * e);
    double pairs = da * (b + c) + db * (a + c) + dc * (a + b), ratio = Va / layer;
    double dratio = (dVa - ratio * (4 * PI / 3 * (e * pairs + e * e * (da + db + dc)))) / layer;
    double outer[3] = {a + e, b + e, c + e};
    tacVec3 rest = {2 * e * (b + c) + 2 * e * e, 2 * e * (a + c) + 2 * e * e, 2 * e * (a + b) + 2 * e * e};
    tacVec3 moved = {2 * e * (db + dc), 2 * e * (da + dc), 2 * e * (da + db)};
    tacVec3 I = tac_madd3(three_axes_jvp(m / 5, outer, d), m / 5 * dratio, rest);
    return tac_madd3(I, m / 5 * ratio, moved);
}

/* Sum over the three pairs of rectangles, of mass x, y and z. */
static tacVec3 box_sides(double x, double y, double z, double a2, double b2, double c2) {
    return tac_vec3(x * (b2 + c2) / 3 + y * (c2 / 3 + b2) + z * (b2 / 3 + c2),
                    x * (c2 / 3 + a2) + y * (a2 + c2) / 3 + z * (a2 / 3 + c2),
                    x * (b2 / 3 + a2) + y * (a2 / 3 + b2) + z * (a2 + b2) / 3);
}

/* Six rectangles. Pair k lies across axis k; mass in proportion to area. Half-sizes a, b, c; full area 8 (ab + bc +
 * ca). A pair across x of mass p: I_x = p (b^2 + c^2)/3, I_y = p (c^2/3 + a^2), I_z = p (b^2/3 + a^2). */
static tacVec3 box_shell(double m, const double *s) {
    double a = s[0], b = s[1], c = s[2], sum = a * b + b * c + c * a;
    double x = m * b * c / sum, y = m * c * a / sum, z = m * a * b / sum;
    return box_sides(x, y, z, a * a, b * b, c * c);
}

/* Bilinear in the masses of the pairs and the squares of the sizes. */
static tacVec3 box_shell_jvp(double m, const double *s, const double *d) {
    double a = s[0], b = s[1], c = s[2], da = d[0], db = d[1], dc = d[2], sum = a * b + b * c + c * a;
    double dsum = da * (b + c) + db * (a + c) + dc * (a + b);
    double x = m * b * c / sum, y = m * c * a / sum, z = m * a * b / sum;
    double dx = (m * (db * c + b * dc) - x * dsum) / sum, dy = (m * (dc * a + c * da) - y * dsum) / sum,
           dz = (m * (da * b + a * db) - z * dsum) / sum;
    return tac_add3(box_sides(dx, dy, dz, a * a, b * b, c * c), box_sides(x, y, z, 2 * a * da, 2 * b * db, 2 * c * dc));
}

/* Centre of mass of a cone on its axis, from midway. The height is 2 s[1], the base at -s[1]. Solid: a quarter of the
 * height. Shell: the side at a third, weighted with the base disk. */
static double cone_center(const double *s, int shell) {
    if (!shell) return -s[1] / 2;
    double slant = cone_slant(s);
    return -s[1] + 2 * s[1] / 3 * slant / (slant + s[0]);
}
static double cone_center_jvp(const double *s, const double *d, int shell) {
    if (!shell) return -d[1] / 2;
    double slant = cone_slant(s), share = slant / (slant + s[0]), dslant = cone_slant_jvp(s, d);
    double dshare = (dslant - share * (dslant + d[0])) / (slant + s[0]);
    return -d[1] + 2.0 / 3 * (d[1] * share + s[1] * dshare);
}

static tacVec3 cone_solid(double m, const double *s) {
    double r2 = s[0] * s[0], h2 = 4 * s[1] * s[1], across = m * (3 * r2 / 20 + 3 * h2 / 80);
    return tac_vec3(across, across, 3 * m * r2 / 10);
}

static tacVec3 cone_solid_jvp(double m, const double *s, const double *d) {
    double r2 = 2 * s[0] * d[0], h2 = 8 * s[1] * d[1], across = m * (3 * r2 / 20 + 3 * h2 / 80);
    return tac_vec3(across, across, 3 * m * r2 / 10);
}

/* Side: about its own centre m (r^2/4 + h^2/18), m r^2/2; disk: m r^2/4, m r^2/2; parallel axes to the common
 * centre. */
static tacVec3 cone_shell(double m, const double *s) {
    double r2 = s[0] * s[0], h = 2 * s[1], slant = cone_slant(s);
    double side = m * slant / (slant + s[0]), disk = m - side;
    double z = cone_center(s, 1) + s[1]; /* above the base */
    double across = side * (r2 / 4 + h * h / 18 + (h / 3 - z) * (h / 3 - z)) + disk * (r2 / 4 + z * z);
    return tac_vec3(across, across, m * r2 / 2);
}

static tacVec3 cone_shell_jvp(double m, const double *s, const double *d) {
    double h = 2 * s[1], slant = cone_slant(s), dr2 = 2 * s[0] * d[0], dh = 2 * d[1];
    double side = m * slant / (slant + s[0]), disk = m - side, dslant = cone_slant_jvp(s, d);
    double more = (m * dslant - side * (dslant + d[0])) / (slant + s[0]);
    double z = cone_center(s, 1) + s[1], dz = cone_center_jvp(s, d, 1) + d[1], arm = h / 3 - z, darm = dh / 3 - dz;
    double across = more * (h * h / 18 + arm * arm - z * z) + m * dr2 / 4 + side * (h * dh / 9 + 2 * arm * darm) +
                    disk * 2 * z * dz;
    return tac_vec3(across, across, m * dr2 / 2);
}

static tacVec3 solid_inertia(int type, double m, const double *s) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(2 * m * s[0] * s[0] / 5, tac_vec3(1, 1, 1));
    case TAC_GEOM_CAPSULE:
        return capsule_solid(m, s);
    case TAC_GEOM_CYLINDER:
        return cylinder_solid(m, s[0], 2 * s[1]);
    case TAC_GEOM_ELLIPSOID:
        return three_axes(m / 5, s);
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return three_axes(m / 3, s);
    case TAC_GEOM_CONE:
        return cone_solid(m, s);
    default:
        return tac_zero3();
    }
}

static tacVec3 solid_inertia_jvp(int type, double m, const double *s, const double *d) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(4 * m * s[0] * d[0] / 5, tac_vec3(1, 1, 1));
    case TAC_GEOM_CAPSULE:
        return capsule_solid_jvp(m, s, d);
    case TAC_GEOM_CYLINDER:
        return cylinder_solid_jvp(m, s[0], 2 * s[1], d[0], 2 * d[1]);
    case TAC_GEOM_ELLIPSOID:
        return three_axes_jvp(m / 5, s, d);
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return three_axes_jvp(m / 3, s, d);
    case TAC_GEOM_CONE:
        return cone_solid_jvp(m, s, d);
    default:
        return tac_zero3();
    }
}

static tacVec3 shell_inertia(int type, double m, const double *s) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(2 * m * s[0] * s[0] / 3, tac_vec3(1, 1, 1));
    case TAC_GEOM_CAPSULE:
        return capsule_shell(m, s);
    case TAC_GEOM_CYLINDER:
        return cylinder_shell(m, s);
    case TAC_GEOM_ELLIPSOID:
        return ellipsoid_shell(m, s);
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return box_shell(m, s);
    case TAC_GEOM_CONE:
        return cone_shell(m, s);
    default:
        return tac_zero3();
    }
}

static tacVec3 shell_inertia_jvp(int type, double m, const double *s, const double *d) {
    switch (type) {
    case TAC_GEOM_SPHERE:
        return tac_scale3(4 * m * s[0] * d[0] / 3, tac_vec3(1, 1, 1));
    case TAC_GEOM_CAPSULE:
        return capsule_shell_jvp(m, s, d);
    case TAC_GEOM_CYLINDER:
        return cylinder_shell_jvp(m, s, d);
    case TAC_GEOM_ELLIPSOID:
        return ellipsoid_shell_jvp(m, s, d);
    case TAC_GEOM_HFIELD:
    case TAC_GEOM_BOX:
        return box_shell_jvp(m, s, d);
    case TAC_GEOM_CONE:
        return cone_shell_jvp(m, s, d);
    default:
        return tac_zero3();
    }
}

/* --- Geoms and bodies --------------------------------------------------------------------------------------------- */

static double geom_mass(const tacModel *m, int geom) {
    double volume = tac_geom_volume(m, geom);
    if (!m->geom_has_mass[geom]) return m->geom_density[geom] * volume;
    return volume > MIN_VOLUME ? m->geom_mass[geom] : 0;
}

/* A mesh's inertia for unit density scaled to the mass, in its principal axes. */
static tacMassProperties mesh_geom_inertia(const tacModel *m, int geom, double mass) {
    int mesh = m->geom_mesh[geom];
    tacQuat q, pose = m->geom_quat[geom];
    tacVec3 diag = tac_eig3(m->mesh_icom[mesh], &q);
    double density = m->mesh_volume[mesh] > 0 ? mass / m->mesh_volume[mesh] : 0;
    tacMassProperties p = {.mass = mass, .quat = tac_quat_mul(pose, q), .diag = tac_scale3(density, diag)};
    p.com = tac_add3(m->geom_pos[geom], tac_quat_rotate(pose, m->mesh_com[mesh]));
    p.icom =
        tac_diag_to_sym(p.quat, p.diag); /* not mesh_icom itself: MuJoCo knows a mesh by its principal axes alone */
    return p;
}

tacMassProperties tac_geom_inertia(const tacModel *m, int geom) {
    int type = m->geom_type[geom], shell = m->geom_shell[geom];
    const double *size = m->geom_size + 3 * geom;
    double mass = geom_mass(m, geom);
    if (type == TAC_GEOM_MESH) return mesh_geom_inertia(m, geom, mass);
    tacMassProperties p = {.mass = mass, .com = m->geom_pos[geom], .quat = m->geom_quat[geom]};
    if (mass == 0) return p;
    p.diag = shell ? shell_inertia(type, mass, size) : solid_inertia(type, mass, size);
    p.icom = tac_diag_to_sym(p.quat, p.diag);
    if (type == TAC_GEOM_CONE)
        p.com = tac_add3(p.com, tac_quat_rotate(p.quat, tac_vec3(0, 0, cone_center(size, shell))));
    return p;
}

int tac_geom_carries_mass(const tacModel *m, int geom) {
    return m->geom_adds_mass[geom] && !m->geom_visual[geom] && !tac_geom_is_added(m, geom) &&
           geom_mass(m, geom) > MIN_MASS;
}

/* --- Geoms along one number --------------------------------------------------------------------------------------- */

/* density times volume, or the mass as given. */
static double geom_mass_jvp(const tacModel *m, int geom, double volume_change, tacNumber n) {
    if (m->geom_has_mass[geom]) return TAC_CHANGE(n, geom_mass, geom);
    return TAC_CHANGE(n, geom_density, geom) * tac_geom_volume(m, geom) + m->geom_density[geom] * volume_change;
}

/* Turns by the geom's orientation, and by its change. t is the turn in body axes. */
static tacInertialTangent place_geom(const tacModel *m, int geom, const tacInertialTangent *own, tacVec3 com,
                                     tacSym3 icom, tacNumber n) {
    tacQuat pose = m->geom_quat[geom];
    tacVec3 t = tac_quat_rotate(pose, TAC_CHANGE_TURN(n, geom_quat, geom, pose));
    tacVec3 moved = tac_add3(tac_quat_rotate(pose, own->com), tac_cross3(t, tac_quat_rotate(pose, com)));
    return (tacInertialTangent){own->mass, tac_add3(TAC_CHANGE3(n, geom_pos, geom), moved),
                                tac_addsym3(tac_rotatesym3(tac_quat_mat(pose), own->icom), tac_turnsym3(t, icom))};
}

static tacInertialTangent mesh_geom_inertia_jvp(const tacModel *m, int geom, tacNumber n) {
    int mesh = m->geom_mesh[geom];
    tacInertialTangent d = tac_mesh_inertia_jvp(m, mesh, n); /* its mass is the volume */
    tacMassProperties p = tac_geom_inertia(m, geom);
    double volume = m->mesh_volume[mesh], density = volume > 0 ? p.mass / volume : 0;
    double mass = geom_mass_jvp(m, geom, d.mass, n), thicker = volume > 0 ? (mass - density * d.mass) / volume : 0;
    tacQuat axes;
    tacVec3 diag = tac_eig3(m->mesh_icom[mesh], &axes);
    tacSym3 own = tac_addsym3(tac_scalesym3(density, tac_eig3_rebuilt_jvp(m->mesh_icom[mesh], d.icom)),
                              tac_scalesym3(thicker, tac_diag_to_sym(axes, diag)));
    tacInertialTangent inside = {mass, d.com, own};
    return place_geom(m, geom, &inside, m->mesh_com[mesh], p.icom, n);
}

tacInertialTangent tac_geom_inertia_jvp(const tacModel *m, int geom, tacNumber n) {
    int type = m->geom_type[geom], shell = m->geom_shell[geom];
    const double *s = m->geom_size + 3 * geom;
    double size[3];
    if (type == TAC_GEOM_MESH) return mesh_geom_inertia_jvp(m, geom, n);
    tac_store3(size, TAC_CHANGE3(n, geom_size, geom));
    tacMassProperties p = tac_geom_inertia(m, geom);
    double volume = shell ? shell_area_jvp(type, s, size) : solid_volume_jvp(type, s, size);
    double mass = geom_mass_jvp(m, geom, volume, n);
    tacVec3 diag = shell ? tac_add3(shell_inertia(type, mass, s), shell_inertia_jvp(type, p.mass, s, size))
                         : tac_add3(solid_inertia(type, mass, s), solid_inertia_jvp(type, p.mass, s, size));
    tacInertialTangent own = {mass, tac_zero3(), {diag.x, diag.y, diag.z, 0, 0, 0}};
    tacVec3 com = tac_zero3();
    if (type == TAC_GEOM_CONE) {
        com.z = cone_center(s, shell);
        own.com.z = cone_center_jvp(s, size, shell);
    }
    return place_geom(m, geom, &own, com, p.icom, n);
}
