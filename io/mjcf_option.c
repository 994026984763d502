/* MJCF <compiler>, <option> and <size>. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <string.h>

/* --- <compiler> --------------------------------------------------------------------------------------------------- */

/* What <compiler> writes, wherever it ends up. */
typedef struct CompilerRecord {
    tacMjcfCompiler c;
    double boundmass, boundinertia, settotalmass;
    int balanceinertia, global;
    const char *eulerseq, *assetdir, *meshdir;
} CompilerRecord;

static const tacKeyword ANGLE[] = {{"radian", 0}, {"degree", 1}, {NULL, 0}};
static const tacKeyword COORDINATE[] = {{"local", 0}, {"global", 1}, {NULL, 0}};

#define AT(field) .offset = offsetof(CompilerRecord, field)
static const tacAttr COMPILER[] = {{"autolimits", TAC_A_YESNO, AT(c.autolimits)},
                                   {"boundmass", TAC_A_NUMBER, AT(boundmass)},
                                   {"boundinertia", TAC_A_NUMBER, AT(boundinertia)},
                                   {"settotalmass", TAC_A_NUMBER, AT(settotalmass)},
                                   {"balanceinertia", TAC_A_YESNO, AT(balanceinertia)},
                                   {"strippath", TAC_A_YESNO, AT(c.strippath)},
                                   {"coordinate", TAC_A_KEY(COORDINATE), AT(global)},
                                   {"angle", TAC_A_KEY(ANGLE), AT(c.angles.degree)},
                                   {"fitaabb", TAC_A_YESNO, AT(c.fitaabb)},
                                   {"eulerseq", TAC_A_TEXT, AT(eulerseq)},
                                   {"meshdir", TAC_A_TEXT, AT(meshdir)},
                                   {"texturedir", TAC_A_UNUSED},
                                   {"discardvisual", TAC_A_YESNO, AT(c.discardvisual)},
                                   {"usethread", TAC_A_UNUSED},
                                   {"fusestatic", TAC_A_YESNO, AT(c.fusestatic)},
                                   {"inertiafromgeom", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(c.inertiafromgeom)},
                                   {"inertiagrouprange", TAC_ATTR_INT, 2, 2, AT(c.inertiagrouprange)},
                                   {"saveinertial", TAC_A_UNUSED},
                                   {"assetdir", TAC_A_TEXT, AT(assetdir)},
                                   {"alignfree", TAC_A_YESNO, AT(c.alignfree)},
                                   {"conflict", TAC_A_UNUSED},
                                   {"exactmeshinertia", TAC_A_YESNO, AT(c.exactmeshinertia)},
                                   {"convexhull", TAC_A_OLD},
                                   TAC_ATTR_END};

static tacStatus check_eulerseq(tacMjcf *m, const xmlNode *node, const char *text) {
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX,
                            "attribute 'eulerseq': found \"%.20s\", expected three letters out of x, y, z, X, Y, Z",
                            text);
    memcpy(m->compiler.angles.eulerseq, text, 4);
    return TAC_OK;
}

static tacStatus ignore_lengthrange(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    return tac_mjcf_ignore(m, node, "muscle length ranges are not computed");
}

tacStatus tac_mjcf_compiler(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"lengthrange", ignore_lengthrange}, {NULL, NULL}};
    CompilerRecord r = {.c = m->compiler,
                        .boundmass = m->option.boundmass,
                        .boundinertia = m->option.boundinertia,
                        .settotalmass = m->option.settotalmass,
                        .balanceinertia = m->option.balanceinertia};
    tacStatus status = tac_mjcf_read(m, section, COMPILER, &r);
    if (status != TAC_OK) return status;
    if (r.global)
        return tac_xml_fail(
            section, m->err, TAC_ERR_UNSUPPORTED,
            "coordinate=\"global\" is not supported, expected local coordinates (MuJoCo 2.3.3 can convert the file)");
    m->compiler = r.c;
    m->option.boundmass = r.boundmass;
    m->option.boundinertia = r.boundinertia;
    m->option.settotalmass = r.settotalmass;
    m->option.balanceinertia = r.balanceinertia;
    if (r.assetdir != NULL) m->compiler.meshdir = r.assetdir;
    if (r.meshdir != NULL) m->compiler.meshdir = r.meshdir;
    status = r.eulerseq != NULL ? check_eulerseq(m, section, r.eulerseq) : TAC_OK;
    return status == TAC_OK ? tac_mjcf_children(m, section, children, NULL) : status;
}
#undef AT

/* --- <option> ----------------------------------------------------------------------------------------------------- */

typedef struct OptionRecord {
    tacOptionDef o;
    double density, viscosity, wind[3];
    int noslip;
    const char *disabled_groups;
} OptionRecord;

static const tacKeyword INTEGRATOR[] = {{"Euler", TAC_INTEGRATOR_EULER},
                                        {"RK4", TAC_INTEGRATOR_RK4},
                                        {"implicit", TAC_INTEGRATOR_IMPLICIT},
                                        {"implicitfast", TAC_INTEGRATOR_IMPLICITFAST},
                                        {NULL, 0}};
static const tacKeyword CONE[] = {{"pyramidal", TAC_CONE_PYRAMIDAL}, {"elliptic", TAC_CONE_ELLIPTIC}, {NULL, 0}};
static const tacKeyword SOLVER[] = {
    {"PGS", TAC_SOLVER_PGS}, {"CG", TAC_SOLVER_CG}, {"Newton", TAC_SOLVER_NEWTON}, {NULL, 0}};

#define AT(field) .offset = offsetof(OptionRecord, field)
static const tacAttr OPTION[] = {{"timestep", TAC_A_NUMBER, AT(o.timestep)},
                                 {"impratio", TAC_A_NUMBER, AT(o.impratio)},
                                 {"tolerance", TAC_A_NUMBER, AT(o.tolerance)},
                                 {"ls_tolerance", TAC_A_NUMBER, AT(o.ls_tolerance)},
                                 {"noslip_tolerance", TAC_A_UNUSED},
                                 {"ccd_tolerance", TAC_A_UNUSED},
                                 {"sleep_tolerance", TAC_A_UNUSED},
                                 {"gravity", TAC_A_NUMBERS(3, 3), AT(o.gravity)},
                                 {"wind", TAC_A_NUMBERS(3, 3), AT(wind)},
                                 {"magnetic", TAC_A_UNUSED},
                                 {"density", TAC_A_NUMBER, AT(density)},
                                 {"viscosity", TAC_A_NUMBER, AT(viscosity)},
                                 {"o_margin", TAC_A_NUMBER, AT(o.o_margin)},
                                 {"o_solref", TAC_A_NUMBERS(1, 2), AT(o.o_solref)},
                                 {"o_solimp", TAC_A_NUMBERS(1, 5), AT(o.o_solimp)},
                                 {"o_friction", TAC_A_NUMBERS(1, 5), AT(o.o_friction)},
                                 {"integrator", TAC_A_KEY(INTEGRATOR), AT(o.integrator)},
                                 {"cone", TAC_A_KEY(CONE), AT(o.cone)},
                                 {"jacobian", TAC_A_UNUSED},
                                 {"solver", TAC_A_KEY(SOLVER), AT(o.solver)},
                                 {"iterations", TAC_A_WHOLE, AT(o.iterations)},
                                 {"ls_iterations", TAC_A_WHOLE, AT(o.ls_iterations)},
                                 {"noslip_iterations", TAC_A_WHOLE, AT(noslip)},
                                 {"ccd_iterations", TAC_A_UNUSED},
                                 {"sdf_iterations", TAC_A_UNUSED},
                                 {"sdf_initpoints", TAC_A_UNUSED},
                                 {"actuatorgroupdisable", TAC_A_TEXT, AT(disabled_groups)},
                                 {"apirate", TAC_A_OLD},
                                 {"collision", TAC_A_OLD},
                                 {"mpr_tolerance", TAC_A_OLD},
                                 {"mpr_iterations", TAC_A_OLD},
                                 TAC_ATTR_END};

/* A flag switches bits off (disable) or on (enable). */
static const struct {
    const char *name;
    int disable, enable;
} FLAG[] = {{"constraint", TAC_DISABLE_CONSTRAINT, 0},
            {"equality", TAC_DISABLE_EQUALITY, 0},
            {"frictionloss", TAC_DISABLE_FRICTIONLOSS, 0},
            {"limit", TAC_DISABLE_LIMIT, 0},
            {"contact", TAC_DISABLE_CONTACT, 0},
            {"spring", TAC_DISABLE_SPRING, 0},
            {"damper", TAC_DISABLE_DAMPER, 0},
            {"passive", TAC_DISABLE_SPRING | TAC_DISABLE_DAMPER, 0}, /* before MuJoCo 3.3 */
            {"gravity", TAC_DISABLE_GRAVITY, 0},
            {"clampctrl", TAC_DISABLE_CLAMPCTRL, 0},
            {"warmstart", TAC_DISABLE_WARMSTART, 0},
            {"filterparent", TAC_DISABLE_FILTERPARENT, 0},
            {"actuation", TAC_DISABLE_ACTUATION, 0},
            {"refsafe", TAC_DISABLE_REFSAFE, 0},
            {"sensor", TAC_DISABLE_SENSOR, 0},
            {"midphase", TAC_DISABLE_MIDPHASE, 0},
            {"eulerdamp", TAC_DISABLE_EULERDAMP, 0},
            {"autoreset", TAC_DISABLE_AUTORESET, 0},
            {"nativeccd", TAC_DISABLE_NATIVECCD, 0},
            {"island", TAC_DISABLE_ISLAND, 0},
            {"override", 0, TAC_ENABLE_OVERRIDE},
            {"energy", 0, TAC_ENABLE_ENERGY},
            {"fwdinv", 0, TAC_ENABLE_FWDINV},
            {"invdiscrete", 0, TAC_ENABLE_INVDISCRETE},
            {"multiccd", 0, TAC_ENABLE_MULTICCD},
            {"sleep", 0, TAC_ENABLE_SLEEP},
            {"diagexact", 0, 0},
            {"sensornoise", 0, 0}}; /* before MuJoCo 3.2 */
enum { NFLAG = sizeof FLAG / sizeof *FLAG };

static tacStatus read_flags(tacMjcf *m, const xmlNode *node, void *scope) {
    static const tacKeyword enable[] = {{"disable", 0}, {"enable", 1}, {NULL, 0}};
    tacAttr known[NFLAG + 1] = {TAC_ATTR_END};
    tacOptionDef *o = scope;
    for (int i = 0; i < NFLAG; i++)
        known[i] = (tacAttr){.name = FLAG[i].name, .type = TAC_ATTR_ELSE};
    tacStatus status = tac_mjcf_read(m, node, known, NULL);
    for (int i = 0; i < NFLAG && status == TAC_OK; i++) {
        int on = -1;
        status = tac_xml_keyword(node, FLAG[i].name, enable, &on, m->err);
        if (on < 0) continue;
        o->disable = on ? o->disable & ~FLAG[i].disable : o->disable | FLAG[i].disable;
        o->enable = on ? o->enable | FLAG[i].enable : o->enable & ~FLAG[i].enable;
    }
    return status;
}

tacStatus tac_mjcf_option(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"flag", read_flags}, {NULL, NULL}};
    OptionRecord r = {.o = m->option};
    tacStatus status = tac_mjcf_read(m, section, OPTION, &r);
    if (status == TAC_OK) status = tac_mjcf_children(m, section, children, &r.o);
    if (status != TAC_OK) return status;
    m->option = r.o;
    if (r.o.solver == TAC_SOLVER_PGS)
        tac_mjcf_warn(m, section,
                      "solver PGS is replaced: contact soft uses Newton's method, which has the same solution");
    if (r.noslip > 0)
        tac_mjcf_warn(m, section,
                      "noslip_iterations is ignored: contact soft has no noslip solver, so sticking contacts creep");
    if (r.density != 0 || r.viscosity != 0)
        status = tac_mjcf_unsupported(
            m, section, "a fluid medium (density %g, viscosity %g) is not supported: its forces are ignored", r.density,
            r.viscosity);
    if (status == TAC_OK && r.disabled_groups != NULL && r.disabled_groups[0] != '\0')
        status = tac_mjcf_unsupported(m, section,
                                      "attribute 'actuatorgroupdisable' is not supported: all groups stay enabled");
    return status;
}

/* --- <size> ------------------------------------------------------------------------------------------------------- */

tacStatus tac_mjcf_size(tacMjcf *m, const xmlNode *section) {
    static const tacAttr size[] = {
        {"memory", TAC_A_UNUSED},         {"njmax", TAC_A_UNUSED},        {"nconmax", TAC_A_UNUSED},
        {"nstack", TAC_A_UNUSED},         {"nuserdata", TAC_A_UNUSED},    {"nkey", TAC_A_UNUSED},
        {"nuser_body", TAC_A_UNUSED},     {"nuser_jnt", TAC_A_UNUSED},    {"nuser_geom", TAC_A_UNUSED},
        {"nuser_site", TAC_A_UNUSED},     {"nuser_cam", TAC_A_UNUSED},    {"nuser_tendon", TAC_A_UNUSED},
        {"nuser_actuator", TAC_A_UNUSED}, {"nuser_sensor", TAC_A_UNUSED}, TAC_ATTR_END};
    tacStatus status = tac_mjcf_read(m, section, size, NULL);
    return status == TAC_OK ? tac_mjcf_ignore(m, section, "sizes are computed from the model") : status;
}
