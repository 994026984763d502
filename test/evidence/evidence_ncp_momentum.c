/* Robots that float without gravity and contact and drive their joints at random for a second, then none for another,
 * contact ncp: how their momentum changes. A line of JSON each:
 *   {"model":path, "dofs":n, "momentum":largest change, N s and N m s, "moved":largest joint speed}
 *
 * usage: evidence_ncp_momentum MODEL...   each with a free joint first */
#include "measure/discrete_motion.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_STEP 0.01
#define TOLERANCE 1e-11 /* N s */
#define TORQUE    0.5   /* N m, N: of each joint, standard deviation */
enum { SEED = 20220301, STEPS = 200 };

static void stop(const char *path, const tacError *err) {
    fprintf(stderr, "%s: %s\n", path, err->text);
    exit(2);
}

static Scene open_robot(const char *path) {
    tacError err;
    tacModel *model;
    if (tac_load(path, &model, &err) != TAC_OK) stop(path, &err);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "option.gravity[%d]", i);
        if (tac_param_set(model, name, 0, &err) != TAC_OK) stop(path, &err);
    }
    *model->option_disable |= TAC_DISABLE_CONTACT;
    tacOptions options = tac_default_options(model);
    options.contact = TAC_CONTACT_MODEL_NCP, options.dt = TIME_STEP, options.inputs = TAC_INPUT_QFRC;
    options.ncp_tolerance = TOLERANCE, options.ncp_polish = 1;
    return scene_with(path, model, &options);
}

/* Momentum is zero at first: its largest part is its change. */
static double size_of(tacVec6 m) {
    double ang = fmax(fmax(fabs(m.ang.x), fabs(m.ang.y)), fabs(m.ang.z));
    return fmax(ang, fmax(fmax(fabs(m.lin.x), fabs(m.lin.y)), fabs(m.lin.z)));
}

static int run(Scene *s, tacPoses pose[2]) {
    const tacModel *m = s->model;
    double momentum = 0, moved = 0, *force = s->u + m->nu;
    tacStatus status = measure_poses(s->sim, s->x, s->u, &pose[0]);
    for (int k = 0; k < STEPS && status == TAC_OK; k++) {
        for (int i = 6; i < m->nv; i++)
            force[i] = 2 * k < STEPS ? TORQUE * tac_random_normal(SEED, (uint64_t)k, (uint64_t)i) : 0;
        status = tac_step(s->sim, s->x, s->u, s->y, NULL);
        if (status != TAC_OK) break;
        memcpy(s->x, s->y, (size_t)s->nx * sizeof(double));
        status = measure_poses(s->sim, s->x, s->u, &pose[1 - k % 2]);
        momentum = fmax(momentum, size_of(discrete_momentum(m, &pose[k % 2], &pose[1 - k % 2], TIME_STEP)));
        for (int i = 6; i < m->nv; i++)
            moved = fmax(moved, fabs(s->x[m->nq + i]));
    }
    if (status != TAC_OK) return fprintf(stderr, "%s: %s\n", s->path, tac_status_text(status));
    printf("{\"model\":\"%s\",\"dofs\":%d,\"momentum\":%.3e,\"moved\":%.3g}\n", s->path, m->nv, momentum, moved);
    return 0;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (int i = 1; i < argc && !bad; i++) {
        tacPoses pose[2] = {0};
        Scene s = open_robot(argv[i]);
        bad = !measure_poses_new(s.model, &pose[0]) || !measure_poses_new(s.model, &pose[1]);
        if (!bad) bad = run(&s, pose);
        for (int k = 0; k < 2; k++)
            measure_poses_free(&pose[k]);
        scene_free(&s);
    }
    return bad ? 2 : 0;
}
