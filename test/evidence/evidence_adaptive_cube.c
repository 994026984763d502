/* The cube of DiffMJX's toss at -2 m/s: loss and slope by tsit5 at three tolerances, and by MuJoCo's RK4 at 1e-5 s where
 * it is installed. JSON lines:
 *   {"by":"tsit5 1e-08", "loss":l, "slope":s, "loss_error":e, "slope_error":e, "inner":n, "events":n} */
#include "adaptive_scene.h"
#include "experiments/toss.h"

#include <math.h>
#include <stdio.h>

enum { EVENTS = 1000, PEER_STEPS = 100000, REASON = 256 };
#define STEP 0.01 /* s */
static const double TOLERANCES[] = {1e-6, 1e-8, 1e-10};

static void print_result(const char *by, const TossResult *r) {
    printf("{\"by\":\"%s\"", by);
    scene_print(0, "loss", r->loss);
    scene_print(0, "slope", r->slope);
    scene_print(0, "loss_error", fabs(r->loss - TOSS_CUBE_LOSS));
    scene_print(0, "slope_error", fabs(r->slope - TOSS_CUBE_SLOPE));
    printf(",\"inner\":%d,\"events\":%d}\n", r->inner, r->events);
    fflush(stdout);
}

static int run(tacFindings *found, double tolerance) {
    Toss toss;
    TossResult r;
    char by[32];
    if (toss_open(found, "cube", &(TossSetting){TAC_INTEGRATOR_TSIT5, STEP, tolerance, EVENTS}, &toss) !=
        EXPERIMENT_GO_ON)
        return 1;
    snprintf(by, sizeof by, "tsit5 %.0e", tolerance);
    tacStatus status = toss_slope(&toss, TOSS_CUBE_SPEED, &r);
    if (status == TAC_OK) print_result(by, &r);
    if (status != TAC_OK) fprintf(stderr, "%s: %s\n", by, tac_status_text(status));
    toss_close(&toss);
    return status != TAC_OK;
}

/* MuJoCo's state and solver are its own: ours only holds the start. */
static int run_peer(tacFindings *found) {
    Toss toss;
    TossResult r;
    char reason[REASON] = "";
    if (toss_open(found, "cube", &(TossSetting){TAC_INTEGRATOR_EULER, STEP, 1e-6, EVENTS}, &toss) != EXPERIMENT_GO_ON)
        return 1;
    tacMujoco *peer = toss_peer(found, "cube", &toss, reason, sizeof reason);
    if (peer != NULL) {
        toss_in_mujoco(peer, &toss, MEASURE_MUJOCO_RK4, PEER_STEPS, TOSS_CUBE_SPEED, &r);
        print_result("MuJoCo RK4 1e-05", &r);
    } else {
        fprintf(stderr, "without MuJoCo: %s\n", reason);
    }
    measure_mujoco_close(peer);
    toss_close(&toss);
    return 0;
}

int main(void) {
    tacFindings found = {.json = measure_json_begin()};
    int bad = 0;
    for (size_t i = 0; i < sizeof TOLERANCES / sizeof *TOLERANCES; i++)
        bad |= run(&found, TOLERANCES[i]);
    bad |= run_peer(&found);
    if (found.failure[0] != '\0') fprintf(stderr, "%s\n", found.failure);
    measure_json_free(&found.json);
    return bad ? 2 : 0;
}
