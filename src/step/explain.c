/* Explains a step in words, from its classes, zones and margins, so that a gradient of zero explains itself. Nothing
 * here changes a result. */
#include "step/explain.h"

#include "base/platform.h"

#include "dynamics/actuator.h"
#include "math/scalar.h"
#include "step/call.h"
#include "smooth/smooth_step.h"

#include <stdarg.h>
#include <stdio.h>

enum { LABEL = 96, LISTED = 4 };
/* m, m/s (rad, rad/s): a margin that is less is told as none. */
#define NO_MARGIN 1e-9
/* The kappa that is offered for a softer gradient, and how to ask for it. */
#define SOFTER      1e-4
#define SOFTER_TEXT "--contact ncp --kappa 1e-4"

/* The place of the next words. */
typedef struct Text {
    char *at;
    size_t left;
} Text;

/* The step that is explained. */
typedef struct Found {
    const tacSim *sim;
    tacStatus status;
    tacStepInfo info;
    tacContactForce *contact;
    int ncontact, told; /* found; 0: more than there is room for */
    tacConstraint *constraint;
    int nconstraint;
    int sticking, sliding, smooth, open; /* contacts; smooth: held without friction */
    int stiffens;                        /* 1: coefficients of friction scale the stiffness of one that sticks */
} Found;

TAC_FORMAT(2, 3) static void say(Text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = text->left > 0 ? vsnprintf(text->at, text->left, format, args) : 0;
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left > 0 ? text->left - 1 : 0;
    text->at += used;
    text->left -= used;
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* --- Numbers of things -------------------------------------------------------------------------------------------- */

/* 0: no constraint of any kind acts. */
static int has_constraints(const tacStepper *stepper) { return stepper->forces != NULL; }

static double *layout_state(const tacModel *m, tacArena *arena) { return TAC_TAKE(arena, tac_nx(m), double); }

static int most_constraints(const tacModel *m, const tacOptions *options, const tacStepper *stepper) {
    return stepper->constraints == NULL ? 0 : stepper->max_constraints(m, options);
}

static int layout_lists(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *arena,
                        Found *f) {
    f->contact = TAC_TAKE(arena, options->max_contacts, tacContactForce);
    f->constraint = TAC_TAKE(arena, most_constraints(m, options, stepper), tacConstraint);
    return f->contact != NULL && f->constraint != NULL;
}

void tac_explain_measure(const tacModel *m, const tacOptions *options, const tacStepper *stepper, tacArena *dry) {
    TAC_SCOPE(dry);
    Found f;
    layout_state(m, dry);
    if (stepper->contacts != NULL) layout_lists(m, options, stepper, dry, &f);
    stepper->measure(m, options, dry);
}

static tacFrictionEffect friction_of(const Found *f, const tacContactForce *c) {
    return f->sim->ctx.stepper->friction(&f->sim->ctx, &c->contact);
}

static void count_contacts(Found *f) {
    for (int i = 0; i < f->told; i++) {
        const tacContactForce *c = &f->contact[i];
        tacFrictionEffect friction = friction_of(f, c);
        int *count = c->state == TAC_CONTACT_OPEN      ? &f->open
                     : friction == TAC_FRICTION_ABSENT ? &f->smooth
                     : c->state == TAC_CONTACT_SLIDING ? &f->sliding
                                                       : &f->sticking;
        ++*count;
        f->stiffens |= friction == TAC_FRICTION_STIFFENS && c->state == TAC_CONTACT_STICKING;
    }
}

/* --- Whether the step went well ----------------------------------------------------------------------------------- */

static void say_solved(Text *text, const Found *f) {
    if (f->status == TAC_OK) return;
    say(text, "The step was not solved: %s", tac_status_text(f->status));
    if (f->info.reason != TAC_REASON_NONE) say(text, ": %s", tac_reason_text(f->info.reason));
    say(text, ". Residual: %.3g. ", f->info.residual);
}

static void say_start(Text *text, const Found *f) {
    static const struct {
        const char *word, *verb;
        tacKind kind;
    } KINDS[] = {[TAC_CONSTRAINT_JOINT_LIMIT] = {"joint", "is out of its range", TAC_KIND_JOINT},
                 [TAC_CONSTRAINT_TENDON_LIMIT] = {"tendon", "is out of its range", TAC_KIND_TENDON},
                 [TAC_CONSTRAINT_EQUALITY] = {"equality", "is violated", TAC_KIND_EQUALITY}};
    const tacViolation *v = &f->info.violation;
    const tacModel *m = f->sim->ctx.model;
    char name[2][LABEL];
    if (f->info.start == TAC_OK) return;
    say(text, "The initial state violates a constraint: ");
    if (v->kind == TAC_CONSTRAINT_CONTACT)
        say(text, "geoms %s and %s overlap", tac_model_label(m, TAC_KIND_GEOM, v->geom[0], name[0], LABEL),
            tac_model_label(m, TAC_KIND_GEOM, v->geom[1], name[1], LABEL));
    else
        say(text, "%s %s %s", KINDS[v->kind].word, tac_model_label(m, KINDS[v->kind].kind, v->id, name[0], LABEL),
            KINDS[v->kind].verb);
    say(text, " by %.3g %s. ", v->size, v->kind == TAC_CONSTRAINT_CONTACT ? "m" : "(m, rad)");
}

/* --- Actuators ---------------------------------------------------------------------------------------------------- */

/* 1: the force of an element does not depend on the controls, for one reason. */
typedef int Holds(const tacModel *m, const tacWork *w, const double *u, int id);

static int is_clamped(const tacModel *m, const tacWork *w, const double *u, int a) {
    const double *range = m->actuator_ctrlrange + 2 * a;
    (void)w;
    if (*m->option_disable & TAC_DISABLE_CLAMPCTRL || !m->actuator_ctrllimited[a]) return 0;
    return u[a] < range[0] || u[a] > range[1];
}

static int is_inert(const tacModel *m, const tacWork *w, const double *u, int a) {
    (void)w;
    (void)u;
    return m->actuator_without_force[a];
}

static int is_held(const tacModel *m, const tacWork *w, const double *u, int a) {
    (void)u;
    return !m->actuator_without_force[a] && (tac_force_held(m, w, a, 0) || tac_force_held(m, w, a, 1));
}

static int joint_is_held(const tacModel *m, const tacWork *w, const double *u, int joint) {
    (void)u;
    return m->joint_actfrclimited[joint] && w->saturated[m->joint_dof_adr[joint]];
}

static void say_held(Text *text, const Found *f, const double *u, tacKind kind, const char *words, Holds *holds) {
    const tacModel *m = f->sim->ctx.model;
    char name[LABEL];
    int held = 0;
    for (int id = 0; id < tac_model_count(m, kind); id++)
        if (holds(m, &f->sim->ctx.work, u, id) && held++ < LISTED)
            say(text, "%s%s", held == 1 ? words : ", ", tac_model_label(m, kind, id, name, LABEL));
    if (held > LISTED) say(text, " and %d more", held - LISTED);
    if (held > 0) say(text, ". ");
}

/* Controls whose columns of B are zero. Needs: the actuators' forces at the start, in the simulation's work. */
static void say_actuators(Text *text, const Found *f, const double *u) {
    const tacModel *m = f->sim->ctx.model;
    if (m->nu == 0) return;
    if (*m->option_disable & TAC_DISABLE_ACTUATION) {
        say(text, "The model disables its actuators, so controls have no effect. ");
        return;
    }
    say_held(text, f, u, TAC_KIND_ACTUATOR, "These controls are clamped and have zero derivatives: ", is_clamped);
    say_held(text, f, u, TAC_KIND_ACTUATOR, "These actuators are not supported and give no force: ", is_inert);
    say_held(text, f, u, TAC_KIND_ACTUATOR,
             "These actuator forces are saturated, so their controls have zero derivatives: ", is_held);
    say_held(
        text, f, u, TAC_KIND_JOINT,
        "These joints saturate the force of their actuators, so the controls have zero derivatives: ", joint_is_held);
}

/* --- Contacts ----------------------------------------------------------------------------------------------------- */

/* The open contact whose geoms are nearest, or -1. */
static int nearest_open(const Found *f) {
    int nearest = -1;
    for (int i = 0; i < f->told; i++)
        if (f->contact[i].state == TAC_CONTACT_OPEN &&
            (nearest < 0 || f->contact[i].contact.dist < f->contact[nearest].contact.dist))
            nearest = i;
    return nearest;
}

static void say_pair(Text *text, const Found *f, const tacContact *c) {
    char name[2][LABEL];
    say(text, "%s and %s", tac_model_label(f->sim->ctx.model, TAC_KIND_GEOM, c->geom[0], name[0], LABEL),
        tac_model_label(f->sim->ctx.model, TAC_KIND_GEOM, c->geom[1], name[1], LABEL));
}

/* N: the largest normal force of those that are open. */
static double open_force(const Found *f) {
    double most = 0;
    for (int i = 0; i < f->told; i++)
        if (f->contact[i].state == TAC_CONTACT_OPEN) most = tac_max(most, f->contact[i].force[0]);
    return most;
}

static void say_open(Text *text, const Found *f) {
    int nearest = nearest_open(f);
    if (nearest < 0) return;
    say(text, "%d contact%s open, ", f->open, f->open == 1 ? " is" : "s are");
    if (f->info.kappa > 0)
        say(text, "with a relaxation force (kappa %g) of at most %.3g N", f->info.kappa, open_force(f));
    else
        say(text, "with zero force and zero derivatives");
    say(text, "; the nearest one is between ");
    say_pair(text, f, &f->contact[nearest].contact);
    say(text, ", at a distance of %.3g m. ", f->contact[nearest].contact.dist);
}

/* Tells why derivatives depend on friction or do not. alone: there are contacts of one class only, and the text has
 * named it. */
static void say_friction(Text *text, const Found *f, int alone) {
    if (f->sliding > 0)
        say(text, "%s is at its bound: it depends on the coefficient and the normal force. ",
            alone ? "friction" : "Friction of the sliding contacts");
    if (f->sticking == 0) return;
    const char *which = alone ? "friction" : "Friction of the sticking contacts";
    if (f->stiffens)
        say(text,
            "%s is inside its cone: it is proportional to the slip, and the coefficient changes only its stiffness. ",
            which);
    else if (f->info.kappa > 0)
        say(text,
            "%s is inside its cone: its coefficient has an effect of the order of kappa, here %g. Use a larger kappa "
            "for a softer gradient%s. ",
            which, f->info.kappa, f->info.kappa < SOFTER ? ": " SOFTER_TEXT : "");
    else
        say(text, "%s has no first-order effect here. For a softer gradient, use " SOFTER_TEXT ". ", which);
}

static const char *class_word(const Found *f, const tacContactForce *c) {
    if (c->state == TAC_CONTACT_OPEN) return "open";
    if (friction_of(f, c) == TAC_FRICTION_ABSENT) return "frictionless";
    return c->state == TAC_CONTACT_SLIDING ? "sliding" : "sticking";
}

/* Each contact that carries force. */
static void list_contacts(Text *text, const Found *f) {
    int listed = 0, carry = f->told - f->open;
    for (int i = 0; i < f->told && listed < LISTED; i++) {
        const tacContactForce *c = &f->contact[i];
        if (c->state == TAC_CONTACT_OPEN) continue;
        say(text, "%s", listed++ == 0 ? "Contact between " : "; between ");
        say_pair(text, f, &c->contact);
        double along = tac_sqrt(c->force[1] * c->force[1] + c->force[2] * c->force[2]);
        say(text, ": %s, %.3g N along the normal, %.3g N across", class_word(f, c), c->force[0], along);
        if (c->margin < TAC_INFINITY) say(text, ", class margin %.3g m/s", c->margin);
    }
    if (carry > LISTED) say(text, "; and %d more", carry - LISTED);
    if (carry > 0) say(text, ". ");
}

/* Begins with the class of the contacts that carry force, if they have one in common. */
static void say_contacts(Text *text, const Found *f) {
    int carry = f->sticking + f->sliding + f->smooth;
    int alone = carry == f->sticking || carry == f->sliding || carry == f->smooth;
    if (carry == 0) {
        int off = *f->sim->ctx.model->option_disable & (TAC_DISABLE_CONSTRAINT | TAC_DISABLE_CONTACT);
        say(text, f->open > 0 ? "No contact is closed. "
                  : off
                      ? "The model disables contacts: geoms pass through each other, and contact derivatives are zero. "
                      : "No contact: no two geoms are close enough, and contact derivatives are zero. ");
        say_open(text, f);
        return;
    }
    if (alone)
        say(text, "%d contact%s, %s%s: %s", carry, plural(carry), carry > 1 ? "all " : "",
            f->sticking > 0  ? "sticking"
            : f->sliding > 0 ? "sliding"
                             : "frictionless",
            f->smooth > 0 ? "friction has no effect. " : "");
    else
        say(text, "%d contacts carry force: %d sticking, %d sliding, %d frictionless. ", carry, f->sticking, f->sliding,
            f->smooth);
    say_friction(text, f, alone);
    list_contacts(text, f);
    say_open(text, f);
}

/* --- Other constraints, where the contact model tells them -------------------------------------------------------- */

/* Limits that push and dry friction, by zone. Equalities are in one zone always. */
static void say_constraints(Text *text, const Found *f) {
    static const struct {
        const char *word;
        tacKind kind;
    } KINDS[] = {[TAC_CONSTRAINT_JOINT_LIMIT] = {"range of joint", TAC_KIND_JOINT},
                 [TAC_CONSTRAINT_TENDON_LIMIT] = {"range of tendon", TAC_KIND_TENDON},
                 [TAC_CONSTRAINT_JOINT_FRICTION] = {"dry friction of joint", TAC_KIND_JOINT},
                 [TAC_CONSTRAINT_TENDON_FRICTION] = {"dry friction of tendon", TAC_KIND_TENDON}};
    static const char *const ZONES[] = {[TAC_ZONE_FREE] = "inactive",
                                        [TAC_ZONE_QUADRATIC] = "in the quadratic zone",
                                        [TAC_ZONE_LOW] = "at its bound",
                                        [TAC_ZONE_HIGH] = "at its bound",
                                        [TAC_ZONE_CONE] = "on its cone"};
    char name[LABEL];
    int listed = 0, more = 0;
    for (int i = 0; i < f->nconstraint; i++) {
        const tacConstraint *c = &f->constraint[i];
        if (c->kind == TAC_CONSTRAINT_CONTACT || c->kind == TAC_CONSTRAINT_EQUALITY || c->zone == TAC_ZONE_FREE)
            continue;
        if (listed == LISTED) {
            more++;
            continue;
        }
        say(text, "%s%s %s is %s (force %.3g, zone margin %.3g m/s or rad/s)",
            listed++ == 0 ? "Other constraints: " : "; ", KINDS[c->kind].word,
            tac_model_label(f->sim->ctx.model, KINDS[c->kind].kind, c->id, name, LABEL), ZONES[c->zone], c->force[0],
            c->margin);
    }
    if (more > 0) say(text, "; and %d more", more);
    if (listed > 0) say(text, ". ");
}

static void say_kinks(Text *text, const Found *f) {
    double margin = tac_min(f->info.class_margin, f->info.feature_margin);
    if (has_constraints(f->sim->ctx.stepper) && f->info.ties == 0 && margin < NO_MARGIN)
        say(text, "A contact, limit or class changes at this state: derivatives may jump. ");
    if (f->info.ties > 0)
        say(text, "%d row%s in two classes: the step has a kink here, and the derivative is one-sided. ", f->info.ties,
            f->info.ties == 1 ? " is" : "s are");
    if (f->info.impacts > 0)
        say(text, "The step has %d impact%s, the first after %.3g s. ", f->info.impacts, plural(f->info.impacts),
            f->info.impact_time);
}

/* --- All of it ---------------------------------------------------------------------------------------------------- */

/* Contacts, and constraints where the contact model tells them; without them where there is no room for all. */
static void find(tacSim *sim, const double *x, const double *u, Found *f) {
    tacContext *ctx = &sim->ctx;
    const tacStepper *stepper = ctx->stepper;
    int most = most_constraints(ctx->model, &ctx->options, stepper);
    if (!layout_lists(ctx->model, &ctx->options, stepper, &ctx->arena, f)) return;
    if (tac_went_on(stepper->contacts(ctx, x, u, f->contact, ctx->options.max_contacts, &f->ncontact)))
        f->told = f->ncontact;
    if (stepper->constraints == NULL ||
        !tac_went_on(stepper->constraints(ctx, x, u, f->constraint, most, &f->nconstraint)))
        f->nconstraint = 0;
}

/* Margins and kappa are those of the derivatives. */
static void find_margins(tacSim *sim, const double *x, const double *u, Found *f) {
    tacStepInfo info;
    if (!tac_went_on(tac_step_jac(sim, x, u, NULL, &(tacJac){0}, &info))) return;
    f->info.class_margin = info.class_margin;
    f->info.feature_margin = info.feature_margin;
    f->info.kappa = info.kappa;
}

static void say_all(Text *text, Found *f, const double *u) {
    say_solved(text, f);
    if (!has_constraints(f->sim->ctx.stepper)) {
        say(text,
            "Contact is off (contact %s): geoms pass through each other. Limits, dry friction and equalities do not "
            "act, and their derivatives are zero. ",
            tac_contact_text(f->sim->ctx.options.contact));
    } else {
        say_start(text, f);
        count_contacts(f);
        if (f->ncontact > f->told)
            say(text,
                "The step has %d contacts, too many to list. At its end %d carry force: %d sticking, %d sliding. ",
                f->ncontact, f->info.contacts, f->info.sticking, f->info.sliding);
        else
            say_contacts(text, f);
        say_constraints(text, f);
    }
    say_kinks(text, f);
    say_actuators(text, f, u);
}

tacStatus tac_explain_step(tacSim *sim, const double *x, const double *u, char *text, size_t size) {
    int bad;
    if (text == NULL) return tac_sim_null(sim, __func__, "text");
    if (size == 0) return tac_sim_fail(sim, TAC_ERR_ARGUMENT, __func__, "size is 0, expected room for a text");
    text[0] = '\0';
    TAC_TRY(tac_check_state(sim, __func__, x, u, &bad));
    TAC_SCOPE(&sim->ctx.arena);
    double *y = layout_state(sim->ctx.model, &sim->ctx.arena);
    Found f = {.sim = sim};
    f.status = y == NULL ? TAC_ERR_ARENA_FULL : tac_step(sim, x, u, y, &f.info);
    if (tac_went_on(f.status)) {
        Text words = {text, size};
        if (sim->ctx.stepper->contacts != NULL) find(sim, x, u, &f);
        find_margins(sim, x, u, &f);
        if (tac_actuation(sim, x, u, &(tacActuation){0}) == TAC_OK) tac_mark_saturated(sim->ctx.model, &sim->ctx.work);
        say_all(&words, &f, u);
        if (words.at > text && words.at[-1] == ' ') words.at[-1] = '\0';
    }
    return f.status;
}
