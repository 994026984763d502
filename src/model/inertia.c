/* Closed forms for the primitives, solid and shell. Lengths as MJCF has them: half-sizes, radius and half-length. */
#include "model/inertia.h"

#define PI 3.14159265358979323846
/* A geom of smaller volume carries no given mass, one of smaller mass does not count, and smaller eigenvalues are no
 * inertia: MuJoCo's limits. */
#define MIN_VOLUME 1e-14
#define MIN_MASS   1e-14
/* Exponent of Thomsen's formula for the area of an ellipsoid, and thickness (m) of the layer whose inertia stands
 * for the shell's: both as MuJoCo has them, so that the numbers agree. */
#define THOMSEN         1.6075
#define SHELL_THICKNESS 1e-6

/* --- Volumes and areas -------------------------------------------------------------------------------------------- */

static double solid_volume(int type, const double *s) {
    switch (type) {
    case TAC_SPHERE:
        return 4 * PI * s[0] * s[0] * s[0] / 3;
    case TAC_CAPSULE:
        return PI * (s[0] * s[0] * 2 * s[1] + 4 * s[0] * s[0] * s[0] / 3);
    case TAC_CYLINDER:
        return PI * s[0] * s[0] * 2 * s[1];
    case TAC_ELLIPSOID:
        return 4 * PI * s[0] * s[1] * s[2] / 3;
    case TAC_HFIELD:
    case TAC_BOX:
        return s[0] * s[1] * s[2] * 8;
    case TAC_CONE:
        return PI * s[0] * s[0] * 2 * s[1] / 3;
    default:
        return 0;
    }
}

/* Slant height of a cone of radius s[0] and height 2 s[1]. */
static double cone_slant(const double *s) { return tac_sqrt(s[0] * s[0] + 4 * s[1] * s[1]); }

static double shell_area(int type, const double *s) {
    switch (type) {
    case TAC_SPHERE:
        return 4 * PI * s[0] * s[0];
    case TAC_CAPSULE:
        return 4 * PI * s[0] * s[0] + 2 * PI * s[0] * 2 * s[1];
    case TAC_CYLINDER:
        return 2 * PI * s[0] * s[0] + 2 * PI * s[0] * 2 * s[1];
    case TAC_ELLIPSOID: {
        double sum = tac_pow(s[0] * s[1], THOMSEN) + tac_pow(s[1] * s[2], THOMSEN) + tac_pow(s[2] * s[0], THOMSEN);
        return 4 * PI * tac_pow(sum / 3, 1 / THOMSEN);
    }
    case TAC_HFIELD:
    case TAC_BOX:
        return 8 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]);
    case TAC_CONE:
        return PI * s[0] * (s[0] + cone_slant(s));
    default:
        return 0;
    }
}

double tac_geom_volume(const tacModel *m, int geom) {
    int type = m->geom_type[geom];
    const double *size = m->geom_size + 3 * geom;
    if (type == TAC_MESH) return m->mesh_volume[m->geom_mesh[geom]];
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

/* Two half spheres of total mass m, radius r, whose flat sides are at +-h/2; `own` is the inertia of the whole sphere,
 * `c` the distance of a half's centre of mass from its flat side: parallel axes give own + m ((h/2 + c)^2 - c^2). */
static tacVec3 caps(double m, double h, double own, double c) {
    double across = own + m * ((h / 2 + c) * (h / 2 + c) - c * c);
    return tac_vec3(across, across, own);
}

static tacVec3 capsule_solid(double m, const double *s) {
    double r = s[0], h = 2 * s[1], sphere = m * 4 * r / (4 * r + 3 * h);
    return tac_add3(cylinder_solid(m - sphere, r, h), caps(sphere, h, 2 * sphere * r * r / 5, 3 * r / 8));
}

static tacVec3 capsule_shell(double m, const double *s) {
    double r = s[0], h = 2 * s[1], sphere = m * 2 * r / (2 * r + h);
    return tac_add3(cylinder_side(m - sphere, r, h), caps(sphere, h, 2 * sphere * r * r / 3, r / 2));
}

static tacVec3 cylinder_shell(double m, const double *s) {
    double r = s[0], h = 2 * s[1], disk = m * r / (2 * (r + h));
    double across = disk * r * r / 4 + disk * h * h / 4;
    return tac_add3(cylinder_side(m - 2 * disk, r, h), tac_vec3(2 * across, 2 * across, disk * r * r));
}

/* sum over pairs: m k (b^2 + c^2, a^2 + c^2, a^2 + b^2) for half-sizes or radii (a, b, c) */
static tacVec3 three_axes(double mk, const double *s) {
    double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
    return tac_vec3(mk * (b + c), mk * (a + c), mk * (a + b));
}

/* Layer of thickness e around an ellipsoid: the larger one minus the ellipsoid,
 *   I_x = (rho/5) (Vb (b'^2 + c'^2) - Va (b^2 + c^2)) = (rho/5) ((Vb - Va)(b'^2 + c'^2) + Va (2 e (b + c) + 2 e^2)),
 * with Vb - Va = (4 pi / 3)(e (ab + bc + ca) + e^2 (a + b + c) + e^3), so that nothing cancels. */
static tacVec3 ellipsoid_shell(double m, const double *s) {
    const double e = SHELL_THICKNESS, a = s[0], b = s[1], c = s[2];
    double Va = 4 * PI * a * b * c / 3;
    double layer = 4 * PI / 3 * (e * (a * b + b * c + c * a) + e * e * (a + b + c) + e * e * e);
    double outer[3] = {a + e, b + e, c + e}, ratio = Va / layer;
    tacVec3 I = three_axes(m / 5, outer);
    tacVec3 rest = {2 * e * (b + c) + 2 * e * e, 2 * e * (a + c) + 2 * e * e, 2 * e * (a + b) + 2 * e * e};
    return tac_madd3(I, m / 5 * ratio, rest);
}

/* Six rectangles. Pair k lies across axis k; mass in proportion to area. Half-sizes a, b, c; full area 8 (ab + bc +
 * ca). A pair across x of mass p: I_x = p (b^2 + c^2)/3, I_y = p (c^2/3 + a^2), I_z = p (b^2/3 + a^2). */
static tacVec3 box_shell(double m, const double *s) {
    double a = s[0], b = s[1], c = s[2], sum = a * b + b * c + c * a;
    double x = m * b * c / sum, y = m * c * a / sum, z = m * a * b / sum;
    double a2 = a * a, b2 = b * b, c2 = c * c;
    return tac_vec3(x * (b2 + c2) / 3 + y * (c2 / 3 + b2) + z * (b2 / 3 + c2),
                    x * (c2 / 3 + a2) + y * (a2 + c2) / 3 + z * (a2 / 3 + c2),
                    x * (b2 / 3 + a2) + y * (a2 / 3 + b2) + z * (a2 + b2) / 3);
}

/* Centre of mass of a cone on its axis, from midway; height 2 s[1], base at -s[1]: a quarter of the height for the
 * solid; side at a third, weighted with the base disk, for the shell. */
static double cone_center(const double *s, int shell) {
    if (!shell) return -s[1] / 2;
    double slant = cone_slant(s);
    return -s[1] + 2 * s[1] / 3 * slant / (slant + s[0]);
}

static tacVec3 cone_solid(double m, const double *s) {
    double r2 = s[0] * s[0], h2 = 4 * s[1] * s[1], across = m * (3 * r2 / 20 + 3 * h2 / 80);
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

static tacVec3 solid_inertia(int type, double m, const double *s) {
    switch (type) {
    case TAC_SPHERE:
        return tac_scale3(2 * m * s[0] * s[0] / 5, tac_vec3(1, 1, 1));
    case TAC_CAPSULE:
        return capsule_solid(m, s);
    case TAC_CYLINDER:
        return cylinder_solid(m, s[0], 2 * s[1]);
    case TAC_ELLIPSOID:
        return three_axes(m / 5, s);
    case TAC_HFIELD:
    case TAC_BOX:
        return three_axes(m / 3, s);
    case TAC_CONE:
        return cone_solid(m, s);
    default:
        return tac_zero3();
    }
}

static tacVec3 shell_inertia(int type, double m, const double *s) {
    switch (type) {
    case TAC_SPHERE:
        return tac_scale3(2 * m * s[0] * s[0] / 3, tac_vec3(1, 1, 1));
    case TAC_CAPSULE:
        return capsule_shell(m, s);
    case TAC_CYLINDER:
        return cylinder_shell(m, s);
    case TAC_ELLIPSOID:
        return ellipsoid_shell(m, s);
    case TAC_HFIELD:
    case TAC_BOX:
        return box_shell(m, s);
    case TAC_CONE:
        return cone_shell(m, s);
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
    p.icom = tac_rotatesym3(tac_quat_mat(pose), tac_scalesym3(density, m->mesh_icom[mesh]));
    return p;
}

tacMassProperties tac_geom_inertia(const tacModel *m, int geom) {
    int type = m->geom_type[geom], shell = m->geom_shell[geom];
    const double *size = m->geom_size + 3 * geom;
    double mass = geom_mass(m, geom);
    if (type == TAC_MESH) return mesh_geom_inertia(m, geom, mass);
    tacMassProperties p = {.mass = mass, .com = m->geom_pos[geom], .quat = m->geom_quat[geom]};
    if (mass == 0) return p;
    p.diag = shell ? shell_inertia(type, mass, size) : solid_inertia(type, mass, size);
    p.icom = tac_diag_to_sym(p.quat, p.diag);
    if (type == TAC_CONE) p.com = tac_add3(p.com, tac_quat_rotate(p.quat, tac_vec3(0, 0, cone_center(size, shell))));
    return p;
}

int tac_geom_carries_mass(const tacModel *m, int geom) {
    return m->geom_counts[geom] && !m->geom_visual[geom] && geom_mass(m, geom) > MIN_MASS;
}
