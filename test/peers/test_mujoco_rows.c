/* Rows of limits, dry friction and equalities beside MuJoCo's: position and Jacobian at random states. */
#include "contact/rows.h"
#include "dynamics/kinematics.h"
#include "support/check.h"
#include "tactus/io.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of two different orders of summation, relative to the largest entry. */
#define TOL_VALUE 1e-9

enum { STATES = 20 };

/* Wide margins, so that every limit has its rows at every state; no contact. */
static const char TEXT[] =
    "<mujoco><compiler angle='radian'/><option jacobian='dense'/>"
    "<default><geom contype='0' conaffinity='0'/><joint margin='100' limited='false'/></default><worldbody>"
    "<body name='hand' mocap='true' pos='0 .1 .2' quat='.9 .1 .2 .1'/>"
    "<body name='a' pos='.1 .05 1' quat='.8 .1 -.2 .3'><freejoint/><geom type='box' size='.1 .05 .03' mass='.7'/>"
    "<body name='b' pos='.1 0 0' quat='.9 0 .3 0'><joint type='ball' pos='.01 0 0' limited='true' range='0 .5'/>"
    "<geom type='box' size='.05 .04 .02' pos='.06 0 .01' mass='.3'/></body></body>"
    "<body name='c' pos='1 0 1'><joint name='j1' axis='0 1 .1' ref='.2' limited='true' range='-.5 .7'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.6'/>"
    "<body name='d' pos='.3 0 0' quat='.95 .1 0 .2'><joint name='j2' axis='0 1 0' frictionloss='.2'/>"
    "<joint name='j3' type='slide' axis='.2 0 1' limited='true' range='-.1 .2' ref='-.05'/>"
    "<geom type='capsule' fromto='0 0 0 .25 .05 0' size='.03' mass='.4'/></body></body>"
    "<body name='e' pos='-1 0 1'><joint type='ball' frictionloss='.1'/><geom type='sphere' size='.1' pos='.2 0 0' "
    "mass='.6'/></body></worldbody>"
    "<tendon><fixed name='t' limited='true' range='-.3 .4' margin='100' frictionloss='.3'><joint joint='j1' coef='.7'/>"
    "<joint joint='j3' coef='-.4'/></fixed><fixed name='s'><joint joint='j2' coef='1.5'/></fixed></tendon>"
    "<equality><connect body1='b' body2='d' anchor='.1 .2 .3'/><connect body1='e' anchor='.3 0 .1'/>"
    "<weld body1='a' body2='e'/><weld body1='hand' body2='b' relpose='.1 .2 .3 .7 .1 .5 -.2' torquescale='.7'/>"
    "<weld body1='d' body2='a' anchor='.1 .05 .02' torquescale='2'/>"
    "<joint joint1='j1' joint2='j2' polycoef='.1 .2 .3 .4 .5'/><joint joint1='j3' polycoef='.1 0 0 0 0'/>"
    "<tendon tendon1='t' tendon2='s' polycoef='.1 -.2 .3 -.4 .5'/><tendon tendon1='s' polycoef='.2 0 0 0 0'/>"
    "</equality></mujoco>";

typedef struct Pair {
    mjModel *mj;
    mjData *data;
    tacModel *model;
    tacArena arena;
    tacWork work;
    tacRows rows;
    void *memory;
} Pair;

static void write_text(const char *path) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(TEXT, file) >= 0);
    CHECK_INT(fclose(file), 0);
}

static Pair open_pair(void) {
    static const char path[] = "build_rows_peer.xml";
    Pair p = {0};
    char error[500] = "";
    tacError err;
    write_text(path);
    p.mj = mj_loadXML(path, NULL, error, sizeof error);
    if (p.mj == NULL) print_error("%s\n", error);
    CHECK(p.mj != NULL);
    p.data = mj_makeData(p.mj);
    tacStatus status = tac_load(path, &p.model, &err);
    remove(path);
    if (status != TAC_OK) fail_msg("%s", err.text);
    size_t bytes = tac_work_bytes(p.model) + tac_rows_bytes(p.model, 1);
    p.memory = aligned_alloc(TAC_ARENA_ALIGN, tac_arena_round(bytes));
    tac_arena_init(&p.arena, p.memory, bytes);
    CHECK(tac_work_layout(&p.work, p.model, &p.arena) && tac_rows_layout(&p.rows, p.model, 1, &p.arena));
    return p;
}

static void close_pair(Pair *p) {
    free(p->memory);
    tac_model_free(p->model);
    mj_deleteData(p->data);
    mj_deleteModel(p->mj);
}

/* Turned far and at any speed; mocap where the file has it. */
static void draw(Pair *p, uint64_t state) {
    const tacModel *m = p->model;
    double move[64];
    CHECK(m->nv <= 64);
    for (int i = 0; i < m->nv; i++)
        move[i] = 0.6 * tac_random_normal(7, state, (uint64_t)i);
    tac_qpos_add(m, m->qpos_0, move, p->data->qpos);
    mju_zero(p->data->qvel, m->nv);
    mj_forward(p->mj, p->data);
    tac_kinematics_q(m, &p->work, p->data->qpos, NULL);
    p->rows.ncontact = 0;
    tac_rows_find(m, &p->work, p->data->qpos, p->data->qvel, 0, &p->rows);
}

/* MuJoCo 2.2.2 leaves torquescale out of a weld's error (not of its Jacobian); 3.x has it in both, and so have we. */
static double expected_pos(const Pair *p, int k) {
    const tacRow *row = &p->rows.row[k];
    double scale = row->kind == TAC_ROW_EQUALITY && row->axis >= 3 ? p->model->equality_data[11 * row->id + 10] : 1;
    return scale * p->data->efc_pos[k];
}

static void rows_are_the_same(void **state) {
    (void)state;
    Pair p = open_pair();
    int nv = p.model->nv;
    double J[64];
    for (uint64_t s = 0; s < STATES; s++) {
        draw(&p, s);
        CHECK_INT(p.rows.n, p.data->nefc);
        for (int k = 0; k < p.rows.n; k++) {
            memset(J, 0, sizeof J);
            tac_row_add_force(&p.rows, k, 1, J);
            CHECK_ARRAY(nv, J, p.data->efc_J + (size_t)k * (size_t)nv, TOL_VALUE);
            CHECK_NEAR(p.rows.row[k].pos, expected_pos(&p, k), TOL_VALUE);
        }
    }
    print_message("%d rows, %d states\n", p.rows.n, STATES);
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
