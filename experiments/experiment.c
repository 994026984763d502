#include "experiments/experiment.h"

#include <stdarg.h>
#include <string.h>

const tacExperiment EXPERIMENTS[] = {
    {"nimble-jacobians", "Werling et al. 2021, Tables II and III",
     "every Jacobian of one step in contact, analytic beside central differences beside Ridders",
     "errors at most 1e-7; speed-up over central differences at least 45.8 (Atlas), 8.6 (half-cheetah), 6.4 "
     "(jump-worm), "
     "6.4 (catapult)",
     nimble_jacobians},
    {"nimble-lcp-guess", "Werling et al. 2021, appendix B", "how often the last step's contact classes are right again",
     "at least 0.95 of the steps in contact", nimble_lcp_guess},
    {"nimble-bounce", "Werling et al. 2021, Fig. 6", "derivatives of bounces as continuous time has them",
     "dq+/dq within 1e-6 of -e; two balls, elastic: (dq2+/dq1, dq1+/dq1, dq1+/dq2, dq2+/dq2) = (1, 0, 1, 0)",
     nimble_bounce},
    {"nimble-drone", "Werling et al. 2021, Fig. 8", "a drone at rest on the ground learns to take off",
     "plain gradients move it less than 1e-6 m; complementarity-aware ones end within 0.1 m of the target height",
     nimble_drone},
    {"nimble-mass-id", "Werling et al. 2021, identification of a mass",
     "the mass of a box from its motion under a known force",
     "2.5 kg to 1e-7 in at most 20 iterations, without a prior, from 0.2 kg (2 N) and from 0.5 kg (0.1 N)",
     nimble_mass_id},
    {"jade-sliding", "Yang et al. 2023, Fig. 5",
     "pushes on a cube, found with gradients, replayed in a world where friction is analytic",
     "both targets within 1 mm in the replay, at rest on the last", jade_sliding},
    {"jade-thin-plate", "Yang et al. 2023, Fig. 2", "a gripper closes on plates of 20 mm and 2 mm and lifts them",
     "lifted 5 cm with overlap at most 1e-9 m with toi on; the same with toi off does not hold", jade_thin_plate},
    {"jade-dantzig", "Yang et al. 2023, section IV-B",
     "random frictional problems on which Dantzig's method fails with the uncorrected step length",
     "all solved, at least 1000 such problems", jade_dantzig},
    {"dojo-friction-cone", "Howell et al. 2022, Fig. 5",
     "a block slides straight on with a friction cone, not with a pyramid",
     "cone: less than 1e-6 m aside of a straight line; pyramid: more than 1e-2 m", dojo_friction_cone},
    {"dojo-energy", "Howell et al. 2022, tests of the published program",
     "momentum of an astronaut that moves its joints, energy of mechanisms",
     "momentum within 1e-8; energy within the tolerances of Dojo's tests", dojo_energy},
    {"dojo-dzhanibekov", "Howell et al. 2022, examples of the published program",
     "a handle that spins about its middle axis turns over by itself",
     "turns over, within 0.1 s of when Euler's equations say; momentum within 1e-8", dojo_dzhanibekov},
    {"dojo-tippe-top", "Howell et al. 2022, examples of the published program",
     "tops that turn upside down on the ground", "both turn over; Jellett's constant of the round one kept to 1e-2",
     dojo_tippe_top},
    {"dojo-gradients", "Howell et al. 2022, Fig. 4",
     "derivatives of a push on a box at rest at several softnesses, beside randomized smoothing",
     "derivatives equal differences to 1e-6 at every softness", dojo_gradients},
    {"dojo-atlas-drop", "Howell et al. 2022, Table II",
     "Atlas falls to the ground, which it does not enter at any time step",
     "penetration at most 1e-9 m at steps of 0.1, 0.01 and 0.001 s", dojo_atlas_drop},
    {"dojo-low-frequency", "Howell et al. 2022, Fig. 7",
     "heights of Atlas and A1 as they fall, at 20 to 500 steps a second",
     "within 3 cm (root mean square) of 500 Hz from 50 Hz on", dojo_low_frequency},
    {"dojo-timing", "Howell et al. 2022, Table V",
     "1000 steps with gradients of a humanoid, A1, Panda and X2 under random actions, beside MuJoCo's differences",
     "each at least 5 times as fast as the paper says for Dojo, and faster than MuJoCo's differences in the same run",
     dojo_timing},
    {"dojo-convergence", "Howell et al. 2022, Figs. 9 and 10",
     "iterations of the interior point and condition of its systems, beside a barrier method of velocities alone",
     "at most 15 iterations on average, 30 at worst, at 1e-8; the last system better conditioned than the primal one",
     dojo_convergence},
    {"dojo-push-box", "Howell et al. 2022, Table IV",
     "an arm sweeps out and turns over a box that stands at five distances",
     "turned over in the same four of five; final distances within 3 cm of the paper's simulation", dojo_push_box},
    {"dojo-plan-box-right", "Howell et al. 2022, Table III", "forces that bring a box 1 m to the right in 1 s",
     "cost at most 14.6, violation 3e-4, at most 30 iterations", dojo_plan_box_right},
    {"dojo-plan-box-up", "Howell et al. 2022, Table III", "forces that lift a box by 1 m and stop it there",
     "cost at most 14.7, violation 3e-4, at most 40 iterations; with the hard derivative the cost is above 20",
     dojo_plan_box_up},
    {"dojo-plan-hopper", "Howell et al. 2022, Table III", "a hop of 0.5 m to both sides over an apex",
     "cost at most 7.9, violation 1e-3, at most 80 iterations", dojo_plan_hopper},
    {"dojo-plan-quadruped", "Howell et al. 2022, Table III", "torques for two cycles of a gait",
     "cost at most 2e-2, violation 3e-4, at most 30 iterations", dojo_plan_quadruped},
    {"dojo-plan-cartpole", "Howell et al. 2022, examples of the published program", "a swing-up in 26 knots",
     "violation at most 1e-3", dojo_plan_cartpole},
    {"plan-minimum-time", "ours", "a block goes 1 m from rest to rest with the time step as an unknown",
     "the time is within 1 % of the closed form, with friction 0 and 0.3", plan_minimum_time},
    {"plan-robust", "ours", "twenty seeded first guesses for box-right, box-up and hopper",
     "at least 19 of 20 end within 5 % of the best cost", plan_robust},
    {"diffmjx-point-mass", "Paulus et al. 2026, Fig. 4",
     "a point comes down on a wall, ideal or a penalty: how its end moves with its start",
     "with events within 1e-6 of the closed form at 2000 starts; steps of 1e-4 s unrolled off by more than 0.12 in "
     "contact, and with the wrong sign at the ideal wall",
     diffmjx_point_mass},
    {"diffmjx-toss", "Paulus et al. 2026, Figs. 5 and S5",
     "five bodies are thrown down on a plane: how their place aside moves with the speed",
     "where differences of two widths agree (at least 90 % of 200 speeds each), 99 % within 1 % or 1e-3; elsewhere "
     "flagged",
     diffmjx_toss},
    {"diffmjx-cost", "Paulus et al. 2026, Fig. S6",
     "errors of a cube's loss and slope against time, every integrator and tolerance, beside MuJoCo's differences",
     "loss -0.260896 and slope 0.5758; a slope within 1 % at least 50 times as fast as MuJoCo's differences",
     diffmjx_cost},
    {"silico-contact-frames", "Le Cleac'h et al. 2022, Fig. 3",
     "contact frames of sharp shapes, overlapping, at vertices, edges and faces, and apart; all pairs of shapes",
     "the plane across the normal separates the scaled shapes to 1e-9 of their size; all frames finite",
     silico_contact_frames},
};
const int EXPERIMENT_COUNT = (int)(sizeof EXPERIMENTS / sizeof *EXPERIMENTS);

const tacExperiment *experiment_find(const char *name) {
    for (int i = 0; i < EXPERIMENT_COUNT; i++)
        if (strcmp(EXPERIMENTS[i].name, name) == 0) return &EXPERIMENTS[i];
    return NULL;
}

void experiment_say(tacFindings *found, const char *format, ...) {
    if (!found->for_people) return;
    va_list list;
    measure_progress_end(&found->progress);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

void experiment_put(tacFindings *found, json_t *object, const char *key, double value) {
    json_object_set_new(object, key, measure_json_number(&found->json, key, value));
}

int experiment_fail(tacFindings *found, const char *format, ...) {
    if (found->failure[0] != '\0') return EXPERIMENT_STOP;
    va_list list;
    va_start(list, format);
    vsnprintf(found->failure, sizeof found->failure, format, list);
    va_end(list);
    return EXPERIMENT_STOP;
}
