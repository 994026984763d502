/* Setting a parameter is reloading an edited file, to the bit: one file that writes down a number of every kind, each
 * of them changed in turn, in the file and by its path, in the model and in a running simulation. */
#include "io/mjcf_text.h"

#include <stdio.h>
#include <stdlib.h>

/* {PATH} stands for the number of that path; NUMBERS says which. */
static const char *const FILE_TEXT[] = {
    "<mujoco><compiler angle='radian' autolimits='true' settotalmass='{option.settotalmass}'/>"
    "<option timestep='{option.timestep}' impratio='{option.impratio}'"
    " gravity='{option.gravity[0]} 0.1 {option.gravity[2]}'/>"
    "<asset><mesh name='wedge' vertex='0 0 0  1 0 0  0 1 0  0 0 1' inertia='exact'"
    "  scale='{mesh/wedge.scale[0]} 0.2 0.3' refpos='{mesh/wedge.refpos[0]} 0 0'"
    "  refquat='{mesh/wedge.refquat[0]} 0.8 0 0'/></asset>"
    "<worldbody>"
    "<geom name='floor' type='plane' size='1 1 1' friction='{geom/floor.friction[0]} 0.01 0.001'"
    "  solmix='{geom/floor.solmix}' solref='{geom/floor.solref[0]} 1' solimp='{geom/floor.solimp[0]} 0.95 0.001 0.5 2'"
    "  margin='{geom/floor.margin}' gap='{geom/floor.gap}'/>"
    "<body name='base' pos='{body/base.pos[0]} 0.1 0.2' quat='{body/base.quat[0]} 0 0.8 0'"
    "  gravcomp='{body/base.gravcomp}'>"
    "<inertial mass='{body/base.mass}' pos='{body/base.ipos[0]} 0.01 0.02' quat='{body/base.iquat[0]} 0 0 0.8'"
    "  diaginertia='{body/base.inertia[0]} 0.02 0.025'/>"
    "<joint name='turn' pos='{joint/turn.pos[0]} 0.01 0' axis='{joint/turn.axis[0]} 0 1' ref='{joint/turn.ref}'"
    "  springref='{joint/turn.springref}' stiffness='{joint/turn.stiffness}' damping='{joint/turn.damping}'"
    "  armature='{joint/turn.armature}' frictionloss='{joint/turn.frictionloss}' range='{joint/turn.range[0]} 2'"
    "  margin='{joint/turn.margin}' actuatorfrcrange='-5 {joint/turn.actfrcrange[1]}'"
    "  solreflimit='{joint/turn.solref_limit[0]} 1' solimplimit='{joint/turn.solimp_limit[0]} 0.95 0.001 0.5 2'"
    "  solreffriction='{joint/turn.solref_friction[0]} 1'"
    "  solimpfriction='{joint/turn.solimp_friction[0]} 0.95 0.001 0.5 2'/>"
    "<site name='seat' pos='0 0.1 0.3'/><site name='tip' pos='{site/tip.pos[0]} 0 0.1' quat='{site/tip.quat[0]} 0 0 "
    "0.8'/>"
    "<body name='full' pos='0.3 0 0'>"
    "<inertial mass='0.7' pos='0 0 0.1' fullinertia='{body/full.fullinertia[0]} 0.03 0.04 0.001"
    " {body/full.fullinertia[4]} 0.002'/>"
    "<joint name='bend' axis='0 1 0' springdamper='{joint/bend.springdamper[0]} 0.8'/>"
    "<body name='shapes' pos='0.2 0.1 0'>"
    "<joint name='slide' type='slide' axis='1 1 0'/>"
    "<geom name='ball' type='sphere' size='{geom/ball.size[0]}' density='{geom/ball.density}'/>"
    "<geom name='block' type='box' size='0.1 {geom/block.size[1]} 0.05' pos='{geom/block.pos[0]} 0.1 0'"
    "  quat='{geom/block.quat[0]} 0.8 0 0' mass='{geom/block.mass}'/>"
    "<geom name='rod' type='capsule' size='0.02 {geom/rod.size[1]}'/>"
    "<geom name='wedge' type='mesh' mesh='wedge'/>"
    "</body></body></body>"
    "<body name='loose' pos='1 0 1'><freejoint/><geom size='0.1'/></body>"
    "</worldbody>",
    "<contact><pair name='pair' geom1='ball' geom2='floor' friction='{pair/pair.friction[0]} 0.5 0.01 0.001 0.001'"
    "  solref='{pair/pair.solref[0]} 1' solimp='{pair/pair.solimp[0]} 0.95 0.001 0.5 2'"
    "  solreffriction='{pair/pair.solreffriction[0]} 1'"
    "  margin='{pair/pair.margin}' gap='{pair/pair.gap}'/></contact>"
    "<equality><joint name='link' joint1='bend' joint2='slide' polycoef='{equality/link.data[0]} 1 0 0 0'"
    "  solref='{equality/link.solref[0]} 1' solimp='{equality/link.solimp[0]} 0.95 0.001 0.5 2'/></equality>"
    "<tendon><fixed name='cord' stiffness='{tendon/cord.stiffness}' damping='{tendon/cord.damping}'"
    "  armature='{tendon/cord.armature}' frictionloss='{tendon/cord.frictionloss}' range='{tendon/cord.range[0]} 3'"
    "  margin='{tendon/cord.margin}' actuatorfrcrange='-9 {tendon/cord.actfrcrange[1]}'"
    "  springlength='{tendon/cord.springlength[0]} 0.9' solreflimit='{tendon/cord.solref_limit[0]} 1'"
    "  solimplimit='{tendon/cord.solimp_limit[0]} 0.95 0.001 0.5 2'"
    "  solreffriction='{tendon/cord.solref_friction[0]} 1'"
    "  solimpfriction='{tendon/cord.solimp_friction[0]} 0.95 0.001 0.5 2'>"
    "<joint joint='turn' coef='{tendon/cord.coef[0]}'/><joint joint='slide' coef='0.5'/></fixed></tendon>"
    "<actuator>"
    "<general name='drive' joint='turn' gear='{actuator/drive.gear[0]}' dyntype='filter'"
    "  dynprm='{actuator/drive.dynprm[0]}' gaintype='affine' gainprm='{actuator/drive.gainprm[0]} 0.1 0.2'"
    "  biastype='affine' biasprm='{actuator/drive.biasprm[0]} -1 -0.1' ctrlrange='{actuator/drive.ctrlrange[0]} 1'"
    "  forcerange='-4 {actuator/drive.forcerange[1]}' actrange='-2 {actuator/drive.actrange[1]}'/>"
    "<position name='servo' joint='bend' kp='20' dampratio='{actuator/servo.dampratio}'/>"
    "<general name='crank' cranksite='tip' slidersite='seat' cranklength='{actuator/crank.cranklength}'/>"
    "<motor name='pull' tendon='cord'/>"
    "</actuator></mujoco>"};
enum { PARTS = sizeof FILE_TEXT / sizeof *FILE_TEXT };

/* Path, the number in the file, the number it is changed to. */
typedef struct Number {
    const char *path, *before, *after;
} Number;

static const Number NUMBERS[] = {
    {"option.settotalmass", "7.5", "8.25"},
    {"option.timestep", "0.002", "0.003"},
    {"option.impratio", "1", "2.5"},
    {"option.gravity[0]", "0.3", "-0.4"},
    {"option.gravity[2]", "-9.81", "-3.7"},
    {"mesh/wedge.scale[0]", "0.1", "0.15"},
    {"mesh/wedge.refpos[0]", "0.05", "-0.02"},
    {"mesh/wedge.refquat[0]", "0.6", "0.7"},
    {"geom/floor.friction[0]", "0.8", "0.6"},
    {"geom/floor.solmix", "1", "2"},
    {"geom/floor.solref[0]", "0.02", "0.03"},
    {"geom/floor.solimp[0]", "0.9", "0.85"},
    {"geom/floor.margin", "0.01", "0.02"},
    {"geom/floor.gap", "0.001", "0.002"},
    {"body/base.pos[0]", "0.5", "0.55"},
    {"body/base.quat[0]", "0.6", "0.5"},
    {"body/base.gravcomp", "0.2", "0.3"},
    {"body/base.mass", "1.5", "1.75"},
    {"body/base.ipos[0]", "0.05", "0.06"},
    {"body/base.iquat[0]", "0.6", "0.7"},
    {"body/base.inertia[0]", "0.01", "0.015"},
    {"body/full.fullinertia[0]", "0.02", "0.022"},
    {"body/full.fullinertia[4]", "0.001", "0.0015"},
    {"joint/turn.pos[0]", "0.02", "0.03"},
    {"joint/turn.axis[0]", "0", "0.4"},
    {"joint/turn.ref", "0.1", "0.2"},
    {"joint/turn.springref", "0.3", "0.4"},
    {"joint/turn.stiffness", "2", "2.5"},
    {"joint/turn.damping", "0.1", "0.15"},
    {"joint/turn.armature", "0.01", "0.02"},
    {"joint/turn.frictionloss", "0.05", "0.06"},
    {"joint/turn.range[0]", "-2", "-1.5"},
    {"joint/turn.margin", "0.01", "0.02"},
    {"joint/turn.actfrcrange[1]", "5", "6"},
    {"joint/turn.solref_limit[0]", "0.02", "0.03"},
    {"joint/turn.solimp_limit[0]", "0.9", "0.8"},
    {"joint/turn.solref_friction[0]", "0.02", "0.03"},
    {"joint/turn.solimp_friction[0]", "0.9", "0.8"},
    {"site/tip.pos[0]", "0.2", "0.25"},
    {"site/tip.quat[0]", "0.6", "0.5"},
    {"joint/bend.springdamper[0]", "0.1", "0.2"},
    {"geom/ball.size[0]", "0.06", "0.07"},
    {"geom/ball.density", "1000", "900"},
    {"geom/block.size[1]", "0.08", "0.09"},
    {"geom/block.pos[0]", "0.1", "0.12"},
    {"geom/block.quat[0]", "0.6", "0.5"},
    {"geom/block.mass", "0.4", "0.5"},
    {"geom/rod.size[1]", "0.1", "0.11"},
    {"pair/pair.friction[0]", "0.5", "0.6"},
    {"pair/pair.solref[0]", "0.02", "0.03"},
    {"pair/pair.solreffriction[0]", "0.04", "0.05"},
    {"pair/pair.solimp[0]", "0.9", "0.8"},
    {"pair/pair.margin", "0.01", "0.02"},
    {"pair/pair.gap", "0.001", "0.002"},
    {"equality/link.data[0]", "0.1", "0.2"},
    {"equality/link.solref[0]", "0.02", "0.03"},
    {"equality/link.solimp[0]", "0.9", "0.8"},
    {"tendon/cord.stiffness", "3", "4"},
    {"tendon/cord.damping", "0.2", "0.3"},
    {"tendon/cord.armature", "0.01", "0.02"},
    {"tendon/cord.frictionloss", "0.02", "0.03"},
    {"tendon/cord.range[0]", "-3", "-2"},
    {"tendon/cord.margin", "0.01", "0.02"},
    {"tendon/cord.actfrcrange[1]", "9", "8"},
    {"tendon/cord.springlength[0]", "0.4", "0.5"},
    {"tendon/cord.solref_limit[0]", "0.02", "0.03"},
    {"tendon/cord.solimp_limit[0]", "0.9", "0.8"},
    {"tendon/cord.solref_friction[0]", "0.02", "0.03"},
    {"tendon/cord.solimp_friction[0]", "0.9", "0.8"},
    {"tendon/cord.coef[0]", "1.5", "1.25"},
    {"actuator/drive.gear[0]", "2", "3"},
    {"actuator/drive.dynprm[0]", "0.1", "0.2"},
    {"actuator/drive.gainprm[0]", "1.5", "1.75"},
    {"actuator/drive.biasprm[0]", "0.1", "0.2"},
    {"actuator/drive.ctrlrange[0]", "-1", "-0.5"},
    {"actuator/drive.forcerange[1]", "4", "3"},
    {"actuator/drive.actrange[1]", "2", "1.5"},
    {"actuator/servo.dampratio", "1", "0.7"},
    {"actuator/crank.cranklength", "2", "2.5"},
};
enum { NNUMBER = sizeof NUMBERS / sizeof *NUMBERS, STEPS = 20 };

static const Number *find_number(const char *path, size_t n) {
    for (int k = 0; k < NNUMBER; k++)
        if (strlen(NUMBERS[k].path) == n && strncmp(NUMBERS[k].path, path, n) == 0) return &NUMBERS[k];
    print_error("no number for %.*s\n", (int)n, path);
    return NULL;
}

/* One part of the file with every number as it is, but `changed` as it becomes. Returns the end of the text. */
static char *write_part(const char *part, const Number *changed, char *end) {
    while (*part != '\0') {
        if (*part != '{') {
            *end++ = *part++;
            continue;
        }
        size_t n = strcspn(part + 1, "}");
        const Number *number = find_number(part + 1, n);
        CHECK(number != NULL);
        end += sprintf(end, "%s", number == changed ? number->after : number->before);
        part += n + 2;
    }
    return end;
}

/* The whole file with number `changed` (-1: none) changed. A number is shorter than its path. */
static char *write_file(int changed) {
    size_t size = 1;
    for (int i = 0; i < PARTS; i++)
        size += strlen(FILE_TEXT[i]);
    char *text = malloc(size), *end = text;
    CHECK(text != NULL);
    for (int i = 0; i < PARTS; i++)
        end = write_part(FILE_TEXT[i], changed >= 0 ? &NUMBERS[changed] : NULL, end);
    *end = '\0';
    return text;
}

static tacModel *load_changed(int changed) {
    char *text = write_file(changed);
    Loaded l = load_text(text, 0);
    if (l.status != TAC_OK) print_error("%s\n", l.err.text);
    CHECK_INT(l.status, TAC_OK);
    free(text);
    tac_report_free(l.report);
    return l.model;
}

static double *numbers(int n) {
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x != NULL);
    return x;
}

/* Hash of some steps from the model's own default state, or from x0. */
static uint64_t hash_steps(tacSim *sim, const tacModel *m, const double *x0) {
    double *x = numbers(tac_nx(m)), *u = numbers(m->nu);
    uint64_t hash = 0;
    memcpy(x, x0, (size_t)tac_nx(m) * sizeof *x);
    for (int i = 0; i < m->nu; i++)
        u[i] = 0.3;
    for (int k = 0; k < STEPS; k++) {
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
        hash = tac_hash(x, (size_t)tac_nx(m) * sizeof *x, hash);
    }
    free(x), free(u);
    return hash;
}

static tacSim *open_sim(const tacModel *m) {
    tacOptions options = tac_default_options(m);
    options.contact = TAC_CONTACT_MODEL_NONE;
    tacSim *sim = NULL;
    CHECK_INT(tac_sim_new(m, &options, &sim, NULL), TAC_OK);
    return sim;
}

/* In the model: the same hash of everything. */
static void setting_is_reloading(void **state) {
    (void)state;
    for (int k = 0; k < NNUMBER; k++) {
        tacModel *set = load_changed(-1), *reloaded = load_changed(k);
        tacError err = {.text = ""};
        CHECK(tac_model_hash(set) != tac_model_hash(reloaded)); /* the number is really in the model */
        tacStatus status = tac_param_set(set, NUMBERS[k].path, strtod(NUMBERS[k].after, NULL), &err);
        if (status != TAC_OK) print_error("%s\n", err.text);
        CHECK_INT(status, TAC_OK);
        if (tac_model_hash(set) != tac_model_hash(reloaded))
            print_error("%s: not the reloaded bits\n", NUMBERS[k].path);
        CHECK(tac_model_hash(set) == tac_model_hash(reloaded));
        tac_model_free(set), tac_model_free(reloaded);
    }
}

/* In a simulation: the same steps. Numbers that cannot be registered are refused by name. */
static void setting_in_a_simulation_is_reloading(void **state) {
    (void)state;
    int registered = 0;
    for (int k = 0; k < NNUMBER; k++) {
        tacModel *m = load_changed(-1), *reloaded = load_changed(k);
        tacError err = {.text = ""};
        if (tac_param_register(m, NUMBERS[k].path, NULL, &err) != TAC_OK) {
            CHECK_HAS(err.text, NUMBERS[k].path);
            tac_model_free(m), tac_model_free(reloaded);
            continue;
        }
        tacSim *sim = open_sim(m), *fresh = open_sim(reloaded);
        double value = strtod(NUMBERS[k].after, NULL), *x0 = numbers(tac_nx(m));
        tac_default_state(reloaded, x0);
        x0[m->nq] = 0.5;
        CHECK_INT(tac_sim_set_params(sim, &value), TAC_OK);
        if (hash_steps(sim, m, x0) != hash_steps(fresh, reloaded, x0)) print_error("%s\n", NUMBERS[k].path);
        CHECK(hash_steps(sim, m, x0) == hash_steps(fresh, reloaded, x0));
        registered++;
        free(x0);
        tac_sim_free(sim), tac_sim_free(fresh);
        tac_model_free(m), tac_model_free(reloaded);
    }
    print_message("%d numbers set in the model, %d in a simulation\n", (int)NNUMBER, registered);
    CHECK(registered > NNUMBER / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_is_reloading),
        cmocka_unit_test(setting_in_a_simulation_is_reloading),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
