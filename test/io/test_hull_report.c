#include "io/mjcf_text.h"

/* An L of three unit cubes: volume 3, its hull's 3.5. A cube fills its hull. */
#define L_FACES                                                                                                        \
    "0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 "   \
    "11 "                                                                                                              \
    "10 5 0 6 5 6 11"
#define L_MESH                                                                                                         \
    "<mesh name='elbow' vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' "             \
    "face='" L_FACES "'/>"
#define CUBE_MESH "<mesh name='cube' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 0 1 0 1 0 1 1 1 1 1'/>"
#define ASSETS    "<asset>" L_MESH CUBE_MESH "</asset>"

static int warnings(const char *text, const char *expected) {
    scratch_begin();
    Loaded l = load_ok(text);
    int n = tac_report_warning_count(l.report);
    for (int i = 0; i < n; i++)
        CHECK_HAS(tac_report_warning(l.report, i), expected);
    unload(&l);
    scratch_end();
    return n;
}

static void names_the_mesh_once(void **state) {
    (void)state;
    const char *text = MJCF(ASSETS "<worldbody><geom type='mesh' mesh='elbow'/><geom type='mesh' mesh='elbow'/>"
                                   "<geom type='mesh' mesh='cube'/></worldbody>");
    CHECK_INT(warnings(text, "main.xml: mesh 'elbow' fills 86 % of its convex hull"), 1);
}

/* What nothing touches may look as it likes, unless a pair names it. */
static void only_what_collides(void **state) {
    (void)state;
#define QUIET "<geom name='a' type='mesh' mesh='elbow' contype='0' conaffinity='0'/>"
    CHECK_INT(warnings(MJCF(ASSETS "<worldbody>" QUIET "</worldbody>"), ""), 0);
    CHECK_INT(warnings(MJCF(ASSETS "<worldbody>" QUIET "<body><freejoint/><geom name='b' size='1'/></body></worldbody>"
                                   "<contact><pair geom1='a' geom2='b'/></contact>"),
                       "mesh 'elbow'"),
              1);
}

/* A mirrored, stretched mesh far from its origin fills as much. */
static void any_scale(void **state) {
    (void)state;
    const char *text =
        MJCF("<asset><mesh name='elbow' scale='-0.001 3 0.1' refpos='5000 -200 70' vertex='0 0 0 2 0 0 2 1 0 "
             "1 1 0 1 2 0 0 2 0 0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1' face='" L_FACES "'/></asset>"
             "<worldbody><geom type='mesh' mesh='elbow'/></worldbody>");
    CHECK_INT(warnings(text, "fills 86 %"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_the_mesh_once), cmocka_unit_test(only_what_collides),
                                       cmocka_unit_test(any_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
