/* Robots that float without gravity and contact and drive their joints at random for a second, then none for another,
 * contact ncp: how their momentum changes. A line of JSON each:
 *   {"model":path, "dofs":n, "momentum":largest change, N s and N m s, "moved":largest joint speed}
 *
 * usage: evidence_ncp_momentum MODEL...   each with a free joint first */
#include "cli/discrete_motion.h"

#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_STEP 0.01
#define TOLERANCE 1e-11 /* N s */
#define TORQUE    0.5   /* N m, N: of each joint, standard deviation */
enum { SEED = 20220301, STEPS = 200 };

/* One robot, its state and room. */
typedef struct World {
    tacModel *model;
    tacOptions options;
    tacSim *sim;
    int nx, nu;
    double *x, *u, *y;
} World;

static int open_robot(const char *path, World *s) {
    tacError err;
    *s = (World){0};
    if (tac_load(path, &s->model, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "option.gravity[%d]", i);
        if (tac_param_set(s->model, name, 0, &err) != TAC_OK) return fprintf(stderr, "%s\n", err.text);
    }
    *s->model->option_disable |= TAC_DISABLE_CONTACT;
    s->options = tac_default_options(s->model);
    s->options.contact = TAC_NCP, s->options.dt = TIME_STEP, s->options.inputs = TAC_INPUT_QFRC;
    s->options.ncp_tolerance = TOLERANCE, s->options.ncp_polish = 1;
    if (tac_sim_new(s->model, &s->options, &s->sim, &err) != TAC_OK) return fprintf(stderr, "%s: %s\n", path, err.text);
    s->nx = tac_nx(s->model), s->nu = tac_ninput(s->model, &s->options);
    s->x = calloc((size_t)s->nx, sizeof(double)), s->y = calloc((size_t)s->nx, sizeof(double));
    s->u = calloc((size_t)s->nu, sizeof(double));
    if (s->x == NULL || s->y == NULL || s->u == NULL) return fprintf(stderr, "out of memory\n");
    tac_default_state(s->model, s->x);
    tac_default_input(s->model, &s->options, s->u);
    return 0;
}

/* Momentum is zero at first: its largest part is its change. */
static double size_of(tacVec6 m) {
    double ang = fmax(fmax(fabs(m.ang.x), fabs(m.ang.y)), fabs(m.ang.z));
    return fmax(ang, fmax(fmax(fabs(m.lin.x), fabs(m.lin.y)), fabs(m.lin.z)));
}

static int run(const char *path, World *s, tacPoses pose[2]) {
    const tacModel *m = s->model;
    double momentum = 0, moved = 0, *force = s->u + m->nu;
    tacStatus status = cli_poses(s->sim, s->x, s->u, &pose[0]);
    for (int k = 0; k < STEPS && status == TAC_OK; k++) {
        for (int i = 6; i < m->nv; i++)
            force[i] = 2 * k < STEPS ? TORQUE * tac_random_normal(SEED, (uint64_t)k, (uint64_t)i) : 0;
        status = tac_step(s->sim, s->x, s->u, s->y, NULL);
        if (status != TAC_OK) break;
        memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
        status = cli_poses(s->sim, s->x, s->u, &pose[1 - k % 2]);
        momentum = fmax(momentum, size_of(discrete_momentum(m, &pose[k % 2], &pose[1 - k % 2], TIME_STEP)));
        for (int i = 6; i < m->nv; i++)
            moved = fmax(moved, fabs(s->x[m->nq + i]));
    }
    if (status != TAC_OK) return fprintf(stderr, "%s: %s\n", path, tac_status_text(status));
    printf("{\"model\":\"%s\",\"dofs\":%d,\"momentum\":%.3e,\"moved\":%.3g}\n", path, m->nv, momentum, moved);
    return 0;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (int i = 1; i < argc && !bad; i++) {
        World s = {0};
        tacPoses pose[2] = {0};
        bad = open_robot(argv[i], &s);
        if (!bad) bad = !cli_poses_new(s.model, &pose[0]) || !cli_poses_new(s.model, &pose[1]);
        if (!bad) bad = run(argv[i], &s, pose);
        for (int k = 0; k < 2; k++)
            cli_poses_free(&pose[k]);
        tac_sim_free(s.sim), tac_model_free(s.model);
        free(s.x), free(s.u), free(s.y);
    }
    return bad ? 2 : 0;
}
