/* MJCF <actuator>: every tag is a general actuator with some numbers set; all tags share one default record. */
#include "io/mjcf_read.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const tacKeyword DYN[] = {{"none", TAC_DYN_NONE},
                                 {"integrator", TAC_DYN_INTEGRATOR},
                                 {"filter", TAC_DYN_FILTER},
                                 {"filterexact", TAC_DYN_FILTER_EXACT},
                                 {"muscle", TAC_DYN_MUSCLE},
                                 {"user", TAC_DYN_USER},
                                 {NULL, 0}};
static const tacKeyword GAIN[] = {{"fixed", TAC_GAIN_FIXED},
                                  {"affine", TAC_GAIN_AFFINE},
                                  {"muscle", TAC_GAIN_MUSCLE},
                                  {"user", TAC_GAIN_USER},
                                  {NULL, 0}};
static const tacKeyword BIAS[] = {{"none", TAC_BIAS_NONE},
                                  {"affine", TAC_BIAS_AFFINE},
                                  {"muscle", TAC_BIAS_MUSCLE},
                                  {"user", TAC_BIAS_USER},
                                  {NULL, 0}};
static const tacKeyword INTERP[] = {{"zoh", 0}, {"linear", 1}, {"cubic", 2}, {NULL, 0}};

/* What only some tags have; NAN: not given. */
typedef struct Extra {
    double kp, kv, dampratio, timeconst[2], area, diameter, bias[3], gain;
    double tausmooth, range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax;
} Extra; /* doubles only */

#define AT(field)    .offset = offsetof(tacMjcfActuator, field)
#define EXTRA(field) .offset = offsetof(Extra, field)
#define TARGET(what)                                                                                                   \
    { what, TAC_A_ELSE, .element_only = 1 }
static const tacAttr ANY[] = {TAC_A_NAME,
                              {"group", TAC_A_WHOLE, AT(def.group)},
                              {"nsample", TAC_A_WHOLE, AT(nsample)},
                              {"delay", TAC_A_NUMBER, AT(delay)},
                              {"ctrlrange", TAC_A_NUMBERS(2, 2), AT(def.ctrlrange)},
                              {"ctrllimited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.ctrllimited)},
                              {"forcerange", TAC_A_NUMBERS(2, 2), AT(def.forcerange)},
                              {"forcelimited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.forcelimited)},
                              {"lengthrange", TAC_A_NUMBERS(2, 2), AT(def.lengthrange), .element_only = 1},
                              {"gear", TAC_A_NUMBERS(1, 6), AT(def.gear)},
                              {"damping", TAC_A_NUMBERS(1, 3), AT(damping)},
                              {"armature", TAC_A_NUMBER, AT(armature)},
                              {"cranklength", TAC_A_NUMBER, AT(def.cranklength)},
                              {"user", TAC_A_UNUSED},
                              {"interp", TAC_A_UNUSED},
                              TARGET("joint"),
                              TARGET("jointinparent"),
                              TARGET("tendon"),
                              TARGET("cranksite"),
                              TARGET("slidersite"),
                              TARGET("site"),
                              TARGET("refsite"),
                              TARGET("body"),
                              {"actlimited", TAC_A_KEY(TAC_MJCF_AUTOBOOL), AT(def.actlimited)},
                              {"actrange", TAC_A_NUMBERS(2, 2), AT(def.actrange)},
                              {"actdim", TAC_A_WHOLE, AT(def.actdim)},
                              {"actearly", TAC_A_YESNO, AT(def.actearly)},
                              {"inheritrange", TAC_A_NUMBER, AT(inheritrange)},
                              TAC_ATTR_END};

static const tacAttr GENERAL[] = {{"dyntype", TAC_A_KEY(DYN), AT(def.dyntype)},
                                  {"gaintype", TAC_A_KEY(GAIN), AT(def.gaintype)},
                                  {"biastype", TAC_A_KEY(BIAS), AT(def.biastype)},
                                  {"dynprm", TAC_A_NUMBERS(1, 10), AT(def.dynprm)},
                                  {"gainprm", TAC_A_NUMBERS(1, 10), AT(def.gainprm)},
                                  {"biasprm", TAC_A_NUMBERS(1, 10), AT(def.biasprm)},
                                  TAC_ATTR_END};
static const tacAttr MOTOR[] = {TAC_ATTR_END};
static const tacAttr POSITION[] = {{"kp", TAC_A_NUMBER, EXTRA(kp)},
                                   {"kv", TAC_A_NUMBER, EXTRA(kv)},
                                   {"dampratio", TAC_A_NUMBER, EXTRA(dampratio)},
                                   {"timeconst", TAC_A_NUMBER, EXTRA(timeconst)},
                                   TAC_ATTR_END};
static const tacAttr VELOCITY[] = {{"kv", TAC_A_NUMBER, EXTRA(kv)}, TAC_ATTR_END};
static const tacAttr CYLINDER[] = {{"timeconst", TAC_A_NUMBER, EXTRA(timeconst)},
                                   {"area", TAC_A_NUMBER, EXTRA(area)},
                                   {"diameter", TAC_A_NUMBER, EXTRA(diameter)},
                                   {"bias", TAC_A_NUMBERS(3, 3), EXTRA(bias)},
                                   TAC_ATTR_END};
static const tacAttr MUSCLE[] = {{"timeconst", TAC_A_NUMBERS(2, 2), EXTRA(timeconst)},
                                 {"tausmooth", TAC_A_NUMBER, EXTRA(tausmooth)},
                                 {"range", TAC_A_NUMBERS(2, 2), EXTRA(range)},
                                 {"force", TAC_A_NUMBER, EXTRA(force)},
                                 {"scale", TAC_A_NUMBER, EXTRA(scale)},
                                 {"lmin", TAC_A_NUMBER, EXTRA(lmin)},
                                 {"lmax", TAC_A_NUMBER, EXTRA(lmax)},
                                 {"vmax", TAC_A_NUMBER, EXTRA(vmax)},
                                 {"fpmax", TAC_A_NUMBER, EXTRA(fpmax)},
                                 {"fvmax", TAC_A_NUMBER, EXTRA(fvmax)},
                                 TAC_ATTR_END};
static const tacAttr ADHESION[] = {{"gain", TAC_A_NUMBER, EXTRA(gain)}, TAC_ATTR_END};
static const tacAttr PLUGIN[] = {{"plugin", TAC_A_UNUSED},
                                 {"instance", TAC_A_UNUSED},
                                 {"dyntype", TAC_A_KEY(DYN), AT(def.dyntype)},
                                 {"dynprm", TAC_A_NUMBERS(1, 10), AT(def.dynprm)},
                                 TAC_ATTR_END};
#undef AT
#undef EXTRA
#undef TARGET

/* --- What each tag sets ------------------------------------------------------------------------------------------- */

static void set_types(tacActuatorDef *def, tacDynType dyn, tacGainType gain, tacBiasType bias) {
    def->dyntype = dyn;
    def->gaintype = gain;
    def->biastype = bias;
}

static const char *set_general(tacMjcfActuator *a, const Extra *x) {
    (void)a;
    (void)x;
    return NULL;
}

/* Activations that the plugin itself integrates. */
static const char *set_plugin(tacMjcfActuator *a, const Extra *x) {
    (void)x;
    if (a->def.actdim > 0 && a->def.dyntype == TAC_DYN_NONE) a->def.dyntype = TAC_DYN_USER;
    return NULL;
}

static const char *set_motor(tacMjcfActuator *a, const Extra *x) {
    (void)x;
    a->def.gainprm[0] = 1;
    set_types(&a->def, TAC_DYN_NONE, TAC_GAIN_FIXED, TAC_BIAS_NONE);
    return NULL;
}

/* force = kp (u - length) - kv velocity. In the record, as in MuJoCo, a positive biasprm[2] is a damping ratio. */
static const char *set_position(tacMjcfActuator *a, const Extra *x) {
    tacActuatorDef *def = &a->def;
    if (!isnan(x->kp)) def->gainprm[0] = x->kp;
    def->biasprm[1] = -def->gainprm[0];
    if (!isnan(x->kv) && !isnan(x->dampratio)) return "found kv and dampratio, expected one of them";
    if (x->kv < 0 || x->dampratio < 0 || x->timeconst[0] < 0)
        return "found a negative kv, dampratio or timeconst, expected zero or more";
    if (!isnan(x->kv)) def->biasprm[2] = -x->kv;
    if (!isnan(x->dampratio)) def->biasprm[2] = x->dampratio;
    if (!isnan(x->timeconst[0])) {
        def->dynprm[0] = x->timeconst[0];
        def->dyntype = x->timeconst[0] == 0 ? TAC_DYN_NONE : TAC_DYN_FILTER_EXACT;
    }
    if (a->inheritrange > 0 && (def->ctrlrange[0] != 0 || def->ctrlrange[1] != 0))
        return "found ctrlrange and inheritrange, expected one of them";
    def->gaintype = TAC_GAIN_FIXED;
    def->biastype = TAC_BIAS_AFFINE;
    return NULL;
}

static const char *set_intvelocity(tacMjcfActuator *a, const Extra *x) {
    const char *wrong = set_position(a, x);
    a->def.dyntype = TAC_DYN_INTEGRATOR;
    if (wrong == NULL && a->inheritrange > 0 && (a->def.actrange[0] != 0 || a->def.actrange[1] != 0))
        return "found actrange and inheritrange, expected one of them";
    return wrong;
}

static const char *set_velocity(tacMjcfActuator *a, const Extra *x) {
    tacActuatorDef *def = &a->def;
    if (!isnan(x->kv)) def->gainprm[0] = x->kv;
    memset(def->biasprm, 0, sizeof def->biasprm);
    def->biasprm[2] = -def->gainprm[0];
    set_types(def, TAC_DYN_NONE, TAC_GAIN_FIXED, TAC_BIAS_AFFINE);
    return NULL;
}

/* force = -kv velocity u */
static const char *set_damper(tacMjcfActuator *a, const Extra *x) {
    tacActuatorDef *def = &a->def;
    double kv = def->gaintype == TAC_GAIN_AFFINE ? -def->gainprm[2] : 0;
    if (!isnan(x->kv)) kv = x->kv;
    memset(def->gainprm, 0, sizeof def->gainprm);
    def->gainprm[2] = -kv;
    def->ctrllimited = 1;
    set_types(def, TAC_DYN_NONE, TAC_GAIN_AFFINE, TAC_BIAS_NONE);
    if (kv < 0) return "attribute 'kv': found a negative number, expected zero or more";
    if (def->ctrlrange[0] < 0 || def->ctrlrange[1] < 0)
        return "attribute 'ctrlrange': found a negative number, expected zero or more";
    return NULL;
}

static const char *set_cylinder(tacMjcfActuator *a, const Extra *x) {
    static const double PI = 3.14159265358979323846;
    tacActuatorDef *def = &a->def;
    if (!isnan(x->timeconst[0])) def->dynprm[0] = x->timeconst[0];
    if (!isnan(x->bias[0])) memcpy(def->biasprm, x->bias, sizeof x->bias);
    if (!isnan(x->area)) def->gainprm[0] = x->area;
    if (x->diameter >= 0) def->gainprm[0] = PI / 4 * x->diameter * x->diameter;
    set_types(def, TAC_DYN_FILTER, TAC_GAIN_FIXED, TAC_BIAS_AFFINE);
    return NULL;
}

/* MuJoCo's muscle numbers, so that a later release finds them; the actuator itself is not supported yet. */
static const char *set_muscle(tacMjcfActuator *a, const Extra *x) {
    static const double unset[9] = {1}, preset[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    tacActuatorDef *def = &a->def;
    const double given[9] = {x->range[0], x->range[1], x->force, x->scale, x->lmin,
                             x->lmax,     x->vmax,     x->fpmax, x->fvmax};
    if (def->dynprm[0] == 1) def->dynprm[0] = 0.01;
    if (def->dynprm[1] == 0) def->dynprm[1] = 0.04;
    for (int i = 0; i < 9; i++) {
        if (def->gainprm[i] == unset[i]) def->gainprm[i] = preset[i];
        if (given[i] >= 0) def->gainprm[i] = given[i];
        def->biasprm[i] = def->gainprm[i];
    }
    for (int i = 0; i < 2; i++)
        if (x->timeconst[i] >= 0) def->dynprm[i] = x->timeconst[i];
    if (x->tausmooth < 0) return "attribute 'tausmooth': found a negative number, expected zero or more";
    if (!isnan(x->tausmooth)) def->dynprm[2] = x->tausmooth;
    set_types(def, TAC_DYN_MUSCLE, TAC_GAIN_MUSCLE, TAC_BIAS_MUSCLE);
    return NULL;
}

static const char *set_adhesion(tacMjcfActuator *a, const Extra *x) {
    if (!isnan(x->gain)) a->def.gainprm[0] = x->gain;
    a->def.ctrllimited = 1;
    a->def.gaintype = TAC_GAIN_FIXED;
    a->def.biastype = TAC_BIAS_NONE;
    return NULL;
}

static const struct {
    const char *tag;
    const tacAttr *attributes;
    const char *(*set)(tacMjcfActuator *, const Extra *);
} TAG[] = {{"general", GENERAL, set_general},    {"motor", MOTOR, set_motor},
           {"position", POSITION, set_position}, {"intvelocity", POSITION, set_intvelocity},
           {"velocity", VELOCITY, set_velocity}, {"damper", VELOCITY, set_damper},
           {"cylinder", CYLINDER, set_cylinder}, {"muscle", MUSCLE, set_muscle},
           {"adhesion", ADHESION, set_adhesion}, {"plugin", PLUGIN, set_plugin}};

/* --- Transmissions ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *attr;
    tacTransmission type;
    tacKind kind;
} TRANSMISSION[] = {
    {"joint", TAC_TRN_JOINT, TAC_KIND_JOINT},    {"jointinparent", TAC_TRN_JOINT_IN_PARENT, TAC_KIND_JOINT},
    {"tendon", TAC_TRN_TENDON, TAC_KIND_TENDON}, {"cranksite", TAC_TRN_SLIDERCRANK, TAC_KIND_SITE},
    {"site", TAC_TRN_SITE, TAC_KIND_SITE},       {"body", TAC_TRN_BODY, TAC_KIND_BODY}};
enum { NTRANSMISSION = sizeof TRANSMISSION / sizeof *TRANSMISSION };

static tacStatus read_transmission(tacMjcf *m, const xmlNode *node, tacMjcfActuator *a) {
    a->trntype = -1;
    for (int i = 0; i < NTRANSMISSION; i++) {
        const char *target = tac_xml_get(node, TRANSMISSION[i].attr);
        if (target == NULL) continue;
        if (a->trntype >= 0)
            return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX,
                                "found attributes '%s' and '%s', expected one transmission",
                                TRANSMISSION[a->trntype].attr, TRANSMISSION[i].attr);
        a->target = target;
        a->trntype = i;
    }
    a->slidersite = tac_xml_get(node, "slidersite");
    a->refsite = tac_xml_get(node, "refsite");
    return TAC_OK;
}

tacStatus tac_mjcf_read_actuator(tacMjcf *m, const xmlNode *node, tacMjcfActuator *a) {
    size_t tag = 0;
    while (tag < sizeof TAG / sizeof *TAG && !tac_xml_is(node, TAG[tag].tag))
        tag++;
    if (tag == sizeof TAG / sizeof *TAG) /* pid, orientation, dcmotor: controls and activations of their own number */
        return tac_xml_fail(node, m->err, TAC_ERR_UNSUPPORTED, "<%s> is not supported, expected another actuator",
                            tac_xml_name(node));
    double numbers[sizeof(Extra) / sizeof(double)];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = (double)NAN;
    Extra extra;
    memcpy(&extra, numbers, sizeof extra);
    int interp = 0;
    int direct = TAG[tag].attributes == GENERAL || TAG[tag].attributes == PLUGIN;
    void *record = direct ? (void *)a : (void *)&extra;
    tacStatus status = tac_mjcf_read2(m, node, ANY, a, TAG[tag].attributes, record);
    if (status == TAC_OK) status = tac_xml_keyword(node, "interp", INTERP, &interp, m->err);
    if (status == TAC_OK) status = read_transmission(m, node, a);
    if (status != TAC_OK) return status;
    const char *wrong = TAG[tag].set(a, &extra);
    return wrong == NULL ? TAC_OK : tac_xml_fail(node, m->err, TAC_ERR_MODEL, "%s", wrong);
}

static tacStatus find_second(tacMjcf *m, tacMjcfActuator *a) {
    const xmlNode *node = a->node;
    tacTransmission type = a->def.trntype;
    if (a->slidersite != NULL && type != TAC_TRN_SLIDERCRANK)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found 'slidersite', expected 'cranksite' with it");
    if (a->refsite != NULL && type != TAC_TRN_SITE)
        return tac_xml_fail(node, m->err, TAC_ERR_MODEL, "found 'refsite', expected 'site' with it");
    if (type == TAC_TRN_SLIDERCRANK && a->slidersite == NULL)
        return tac_xml_fail(node, m->err, TAC_ERR_SYNTAX, "attribute 'slidersite' is missing");
    if (type == TAC_TRN_SLIDERCRANK)
        return tac_mjcf_find(m, node, "slidersite", TAC_KIND_SITE, a->slidersite, &a->def.trnid[1]);
    if (a->refsite != NULL) return tac_mjcf_find(m, node, "refsite", TAC_KIND_SITE, a->refsite, &a->def.trnid[1]);
    return TAC_OK;
}

static tacStatus resolve_transmission(tacMjcf *m, tacMjcfActuator *a) {
    if (a->trntype < 0)
        return tac_xml_fail(
            a->node, m->err, TAC_ERR_SYNTAX,
            "found no transmission, expected one of joint, jointinparent, tendon, cranksite, site, body");
    a->def.trntype = TRANSMISSION[a->trntype].type;
    tacStatus status = tac_mjcf_find(m, a->node, TRANSMISSION[a->trntype].attr, TRANSMISSION[a->trntype].kind,
                                     a->target, &a->def.trnid[0]);
    return status == TAC_OK ? find_second(m, a) : status;
}

/* --- Ranges ------------------------------------------------------------------------------------------------------- */

/* inheritrange: the control (or activation) range is the target's, scaled about its middle. */
static tacStatus inherit_range(tacMjcf *m, tacMjcfActuator *a) {
    tacActuatorDef *def = &a->def;
    int like_target =
        def->gaintype == TAC_GAIN_FIXED && def->biastype == TAC_BIAS_AFFINE && def->gainprm[0] == -def->biasprm[1];
    if (a->inheritrange <= 0 || !like_target) return TAC_OK;
    const double *range = NULL;
    if (def->trntype == TAC_TRN_JOINT) {
        const tacJointDef *joint = &TAC_AT(m->joint, tacMjcfJoint, def->trnid[0])->def;
        if (joint->type == TAC_JOINT_HINGE || joint->type == TAC_JOINT_SLIDE) range = joint->range;
    } else if (def->trntype == TAC_TRN_TENDON)
        range = TAC_AT(m->tendon, tacMjcfTendon, def->trnid[0])->def.range;
    if (range == NULL || range[0] == range[1])
        return tac_xml_fail(a->node, m->err, TAC_ERR_MODEL,
                            "attribute 'inheritrange' expects a hinge, slide or tendon that has a range");
    double mean = 0.5 * (range[1] + range[0]), radius = 0.5 * (range[1] - range[0]) * a->inheritrange;
    double *out = def->dyntype == TAC_DYN_INTEGRATOR ? def->actrange : def->ctrlrange;
    out[0] = mean - radius;
    out[1] = mean + radius;
    return TAC_OK;
}

static tacStatus resolve_ranges(tacMjcf *m, tacMjcfActuator *a) {
    tacActuatorDef *def = &a->def;
    tacStatus status = inherit_range(m, a);
    if (status == TAC_OK) status = tac_mjcf_limited(m, a->node, "the control", &def->ctrllimited, def->ctrlrange);
    if (status == TAC_OK) status = tac_mjcf_limited(m, a->node, "the force", &def->forcelimited, def->forcerange);
    if (status == TAC_OK) status = tac_mjcf_limited(m, a->node, "the activation", &def->actlimited, def->actrange);
    if (status == TAC_OK && def->actlimited && def->dyntype == TAC_DYN_NONE)
        return tac_xml_fail(a->node, m->err, TAC_ERR_MODEL,
                            "found a range of the activation, expected a dyntype other than none");
    return status;
}

/* --- What is not supported yet ------------------------------------------------------------------------------------ */

/* Leniently loaded, such an actuator keeps its place, its control and its activation, and gives no force. */
static tacStatus check_supported(tacMjcf *m, tacMjcfActuator *a) {
    const tacActuatorDef *def = &a->def;
    const char *what = NULL;
    if (def->dyntype == TAC_DYN_MUSCLE || def->gaintype == TAC_GAIN_MUSCLE || def->biastype == TAC_BIAS_MUSCLE)
        what = "muscles are";
    else if (def->trntype == TAC_TRN_BODY)
        what = "a body transmission (adhesion) is";
    else if (tac_xml_is(a->node, "plugin"))
        what = "plugin actuators are";
    else if (def->trntype == TAC_TRN_TENDON &&
             TAC_AT(m->tendon, tacMjcfTendon, def->trnid[0])->def.type == TAC_TENDON_SPATIAL)
        what = "a spatial tendon as transmission is";
    if (what != NULL) {
        a->def.without_force = 1;
        return tac_mjcf_unsupported(m, a->node, "%s not supported: the actuator gives no force", what);
    }
    if (a->armature != 0 || a->damping[0] != 0 || a->damping[1] != 0 || a->damping[2] != 0)
        return tac_mjcf_unsupported(m, a->node,
                                    "attributes 'armature' and 'damping' are not supported: they are ignored");
    if (a->delay != 0)
        return tac_mjcf_unsupported(m, a->node, "attribute 'delay' is not supported: the control acts without delay");
    return TAC_OK;
}

/* MuJoCo reads a positive velocity bias of a position servo as a damping ratio. */
static void split_dampratio(tacActuatorDef *def) {
    if (def->gainprm[0] != -def->biasprm[1] || def->biasprm[2] <= 0 || def->biastype == TAC_BIAS_MUSCLE) return;
    def->dampratio = def->biasprm[2];
    def->biasprm[2] = 0;
}

static tacStatus read_actuator(tacMjcf *m, const xmlNode *node, void *scope) {
    (void)scope;
    int class_id;
    tacStatus status = tac_mjcf_class(m, node, "class", 0, &class_id);
    if (status != TAC_OK) return status;
    tacMjcfActuator a = *TAC_AT(m->classes, tacMjcfClass, class_id)->actuator;
    a.node = node;
    a.def.name = tac_xml_get(node, "name");
    status = tac_mjcf_read_actuator(m, node, &a);
    if (status == TAC_OK) status = resolve_transmission(m, &a);
    if (status == TAC_OK) status = resolve_ranges(m, &a);
    if (status == TAC_OK) status = check_supported(m, &a);
    if (status != TAC_OK) return status;
    split_dampratio(&a.def);
    int id = tac_mjcf_add(m, &m->actuator, &a, sizeof a, TAC_KIND_ACTUATOR, a.def.name);
    return id >= 0 ? TAC_OK : TAC_ERR_MEMORY;
}

tacStatus tac_mjcf_actuator(tacMjcf *m, const xmlNode *section) {
    static const tacMjcfChild children[] = {{"general", read_actuator},     {"motor", read_actuator},
                                            {"position", read_actuator},    {"velocity", read_actuator},
                                            {"intvelocity", read_actuator}, {"damper", read_actuator},
                                            {"cylinder", read_actuator},    {"muscle", read_actuator},
                                            {"adhesion", read_actuator},    {"plugin", read_actuator},
                                            {"dcmotor", read_actuator},     {"pid", read_actuator},
                                            {"orientation", read_actuator}, {NULL, NULL}};
    return tac_mjcf_children(m, section, children, NULL);
}
