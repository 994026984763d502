/* Nimble, appendix B: guess that contacts sort into the same classes as in the last step.
 *
 * A step counts when it or the one before it has a contact that carries force. The guess is right when both have the
 * same set of contacts (the same features of the same shapes) in the same classes: tacStepInfo.active_set. A landing, a
 * take-off, a change between sticking and sliding, a contact that moves on to another corner, and contacts of a pair
 * that come in another order are all wrong guesses, so the share is a lower bound of what a solver that starts from the
 * last classes would see. */
#include "experiments/experiment.h"
#include "experiments/plot.h"
#include "experiments/scene.h"

#define SHARE_BAR 0.95
/* Motions as long as the paper's trajectories, from gravity alone to strong pushes: forces on the joints, uniform
 * within a part of the paper's limits, new ones every 50 steps. */
static const double PARTS[] = {0, 0.02, 0.02, 0.05, 0.05, 0.1, 0.1};
enum { RUNS = sizeof PARTS / sizeof *PARTS, MOST_STEPS = 500 * RUNS, HELD = 50 };

typedef struct Case {
    const char *scene, *label;
    int passive;  /* first dofs, on which no force acts: the root, the projectile */
    double limit; /* N m: the paper's bound of forces */
    int steps;    /* of the paper's trajectory; each motion has so many */
} Case;

static const Case CASES[] = {
    {"atlas", "Atlas", 6, 50, 300},
    {"half_cheetah", "half-cheetah", 3, 500, 400},
    {"jumpworm", "jump-worm", 2, 100, 400},
    {"catapult", "catapult", 2, 1000, 500},
};
enum { NCASE = sizeof CASES / sizeof *CASES };

enum { APART, RIGHT, WRONG };

typedef struct Motion {
    unsigned char step[MOST_STEPS]; /* APART, RIGHT or WRONG; run after run */
    int counted[RUNS], right[RUNS];
} Motion;

static void push(const Case *c, int run, int k, tacScene *s) {
    uint64_t first = (uint64_t)(k / HELD) * (uint64_t)s->nu;
    for (int i = c->passive; i < s->nu; i++)
        s->u[i] = PARTS[run] * c->limit * (2 * tac_random_uniform((uint64_t)run, 0, first + (uint64_t)i) - 1);
}

static int run_motion(tacFindings *found, const Case *c, int run, Motion *m) {
    tacScene scene;
    int result = scene_open(found, c->scene, &scene);
    tacStepInfo info, last = {0};
    for (int k = 0; k < c->steps && result == EXPERIMENT_GO_ON; k++, last = info) {
        unsigned char *step = &m->step[run * c->steps + k];
        push(c, run, k, &scene);
        tacStatus status = scene_move(&scene, 1, &info);
        if (status != TAC_OK) result = experiment_fail(found, "%s: step %d: %s", c->label, k, tac_status_text(status));
        if (k == 0 || info.contacts + last.contacts == 0) continue;
        *step = info.active_set == last.active_set ? RIGHT : WRONG;
        m->counted[run]++;
        m->right[run] += *step == RIGHT;
    }
    scene_close(&scene);
    return result;
}

static int total(const int *count) {
    int sum = 0;
    for (int run = 0; run < RUNS; run++)
        sum += count[run];
    return sum;
}

/* A strip of time for each motion: where the guess is right, and each time it is wrong. */
static void draw(FILE *file, const Motion *m) {
    tacPlot plot = {.file = file,
                    .title = "Are the last step's contact classes right again?",
                    .subtitle = "motions from gravity alone (left) to strong pushes (right)",
                    .x1 = MOST_STEPS,
                    .y1 = NCASE,
                    .left = 120,
                    .nkey = 2};
    plot_begin(&plot);
    plot_key(&plot, "good", "right");
    plot_key(&plot, "bad", "wrong");
    plot_axes(&plot, "step", NULL);
    for (int i = 0; i < NCASE; i++) {
        double y = NCASE - 1 - i;
        for (int pass = RIGHT; pass <= WRONG; pass++)
            for (int k = 0, end; k < RUNS * CASES[i].steps; k = end) {
                for (end = k + 1; end < RUNS * CASES[i].steps && m[i].step[end] == m[i].step[k];)
                    end++;
                if (m[i].step[k] == pass) plot_bar(&plot, pass == RIGHT ? "good" : "bad", k, y + 0.25, end, y + 0.75);
            }
        plot_note(&plot, (tacPlotNote){"ink", "end", 0, y + 0.5, -10, 0}, "%s", CASES[i].label);
        plot_note(&plot, (tacPlotNote){"soft", "end", 0, y + 0.5, -10, 16}, "%d of %d", total(m[i].right),
                  total(m[i].counted));
    }
    plot_end(&plot);
}

/* Sums over the scenes of runs driven by that part of the limits; part < 0: of all. */
static double share_of(const Motion *m, double part) {
    int counted = 0, right = 0;
    for (int i = 0; i < NCASE; i++)
        for (int run = 0; run < RUNS; run++)
            if (part < 0 || PARTS[run] == part) {
                counted += m[i].counted[run];
                right += m[i].right[run];
            }
    return counted > 0 ? (double)right / counted : 0;
}

static void report(tacFindings *found, const Motion *m) {
    json_t *by_scene = json_object(), *by_part = json_object();
    for (int i = 0; i < NCASE; i++) {
        int counted = total(m[i].counted), right = total(m[i].right);
        json_t *object = json_object();
        json_object_set_new(object, "steps_in_contact", json_integer(counted));
        json_object_set_new(object, "right", json_integer(right));
        json_object_set_new(by_scene, CASES[i].scene, object);
        experiment_say(found, "  %-13s %d of %d steps in contact", CASES[i].label, right, counted);
    }
    for (int run = 0; run < RUNS; run++) {
        char key[32];
        if (run > 0 && PARTS[run] == PARTS[run - 1]) continue;
        snprintf(key, sizeof key, "%g", PARTS[run]);
        experiment_put(found, by_part, key, share_of(m, PARTS[run]));
        experiment_say(found, "  pushed with %4s of the paper's largest forces: %.4f", key, share_of(m, PARTS[run]));
    }
    json_object_set_new(found->tactus, "scenes", by_scene);
    json_object_set_new(found->tactus, "share_by_part_of_limit", by_part);
}

int nimble_lcp_guess(tacFindings *found) {
    Motion motion[NCASE];
    for (int i = 0; i < NCASE; i++) {
        measure_progress_show(&found->progress, i, NCASE);
        motion[i] = (Motion){.counted = {0}};
        for (int run = 0; run < RUNS; run++) {
            int result = run_motion(found, &CASES[i], run, &motion[i]);
            if (result != EXPERIMENT_GO_ON) return result;
        }
    }
    report(found, motion);
    double share = share_of(motion, -1);
    experiment_put(found, found->paper, "share", SHARE_BAR);
    experiment_put(found, found->tactus, "share", share);
    experiment_say(found, "  the last step's classes are right again in %.4f of all (paper: more than 0.95)", share);
    found->pass = share >= SHARE_BAR;
    if (found->picture != NULL) draw(found->picture, motion);
    return EXPERIMENT_GO_ON;
}
