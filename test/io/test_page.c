/* tac_write_page: a page with the right numbers, and what it refuses. */
#include "io/scratch.h"
#include "support/check.h"

#include "io/page/grown.h"
#include "tactus/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 3, MOST_X = 64, FORCE_Z = 8, CONTACT_REALS = 11 };
/* Of the weight: a box that lies still, forces in single precision. */
#define FORCE_TOLERANCE 1e-2

/* A box that lies on the floor. */
static tacModel *load_box(double *x) {
    tacModel *model = NULL;
    tacError err;
    if (tac_load("models/box.xml", &model, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK(FRAMES * tac_nx(model) <= MOST_X);
    tacOptions options = tac_default_options(model);
    tacSim *sim;
    double u[3] = {0}; /* three actuators */
    CHECK_INT(tac_sim_new(model, &options, &sim, &err), TAC_OK);
    tac_default_state(model, x);
    for (int i = 0; i < 2000; i++)
        CHECK_INT(tac_step(sim, x, u, x, NULL), TAC_OK);
    tac_sim_free(sim);
    for (int i = 1; i < FRAMES; i++)
        memcpy(x + i * tac_nx(model), x, (size_t)tac_nx(model) * sizeof *x);
    return model;
}

static tacPage page_of(const tacModel *model, const double *x) {
    tacPage page = tac_default_page();
    page.model = model;
    page.nframe = FRAMES;
    page.x = x;
    return page;
}

/* The base64 text that follows the last `key` -> floats; how many. */
static int floats_of(const char *text, const char *key, float *out, int most) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strstr(text, key);
    unsigned char bytes[4096];
    size_t n = 0;
    unsigned group = 0;
    int bits = 0;
    CHECK(at != NULL);
    for (at += strlen(key); *at != '"' && *at != '=' && n < sizeof bytes; at++) {
        group = group << 6 | (unsigned)(strchr(digits, *at) - digits);
        bits += 6;
        if (bits >= 8) bits -= 8, bytes[n++] = (unsigned char)(group >> bits & 0xff);
    }
    int count = (int)(n / sizeof *out);
    for (int i = 0; i < count && i < most; i++)
        memcpy(&out[i], bytes + sizeof *out * (size_t)i, sizeof *out);
    return count;
}

static void test_page_carries_times_and_forces(void **state) {
    double x[MOST_X];
    tacModel *model = load_box(x);
    tacPage page = page_of(model, x);
    const double time[FRAMES] = {0, 0.25, 0.5};
    char *text = NULL;
    float found[64];
    (void)state;
    page.time = time;
    page.title = "a < b & c";
    CHECK_INT(tac_page_text(&page, &text, NULL), TAC_OK);
    CHECK(strstr(text, "<h1 id=\"title\">a &lt; b &amp; c</h1>") != NULL);
    CHECK(strstr(text, "\"title\":\"a \\u003c b & c\"") != NULL);
    CHECK_INT(floats_of(text, "\"time\":\"", found, 64), FRAMES);
    CHECK(found[1] == 0.25f && found[2] == 0.5f);
    int n = floats_of(text, "\"values\":\"", found, 64) / CONTACT_REALS;
    CHECK(n >= FRAMES && n % FRAMES == 0);
    double sum = 0, weight = 0;
    for (int i = 0; i < n / FRAMES; i++)
        sum += (double)found[i * CONTACT_REALS + FORCE_Z];
    for (int i = 0; i < model->nbody; i++)
        weight -= model->body_mass[i] * model->option_gravity->z;
    CHECK(weight > 0 && fabs(sum - weight) <= FORCE_TOLERANCE * weight);
    free(text);
    tac_model_free(model);
}

static void test_same_page_as_file(void **state) {
    double x[MOST_X];
    tacModel *model = load_box(x);
    tacPage page = page_of(model, x);
    char *text = NULL;
    (void)state;
    CHECK_INT(tac_page_text(&page, &text, NULL), TAC_OK);
    const char *path = scratch_path("page.html");
    CHECK_INT(tac_write_page(&page, path, NULL), TAC_OK);
    FILE *file = fopen(path, "rb");
    size_t size = strlen(text);
    char *written = calloc(size + 2, 1);
    CHECK(file != NULL && written != NULL);
    CHECK_INT((int)fread(written, 1, size + 1, file), (int)size);
    CHECK(strcmp(written, text) == 0);
    fclose(file);
    free(written);
    free(text);
    tac_model_free(model);
}

/* The status of a page that is not made; the text must hold `words`. */
static void refuse(const tacPage *page, tacStatus expected, const char *words) {
    tacError err = {0};
    char *text = NULL;
    CHECK_INT(tac_page_text(page, &text, &err), expected);
    if (strstr(err.text, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    CHECK(text == NULL);
}

static void test_bad_pages_are_refused(void **state) {
    double x[MOST_X];
    tacModel *model = load_box(x);
    const double still[FRAMES] = {0, 0.1, 0.1}, value[1] = {1};
    const double *const motions[1] = {x};
    tacError err;
    (void)state;
    tacPage page = page_of(model, x);
    CHECK_INT(tac_page_text(NULL, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_write_page(&page, NULL, &err), TAC_ERR_ARGUMENT);
    CHECK_INT(tac_write_page(&page, scratch_path("none/page.html"), &err), TAC_ERR_FILE);
    page.nframe = 0;
    refuse(&page, TAC_ERR_ARGUMENT, "nframe is 0, expected 1 or more");
    page = page_of(model, x);
    page.time = still;
    refuse(&page, TAC_ERR_ARGUMENT, "time of frame 2 is 0.1, expected more than 0.1");
    page = page_of(model, NULL);
    refuse(&page, TAC_ERR_ARGUMENT, "NULL");
    page = page_of(model, x);
    tacOptions options = {0};
    page.options = &options;
    refuse(&page, TAC_ERR_OPTIONS, "options");
    page = page_of(model, x);
    tacPageGradient gradient = {.name = "p", .n = 1, .value = value, .x = motions};
    gradient.body = model->nbody;
    page.gradient = &gradient;
    refuse(&page, TAC_ERR_ARGUMENT, "out of range");
    gradient.body = 1;
    gradient.own = 1;
    refuse(&page, TAC_ERR_ARGUMENT, "out of range");
    page = page_of(model, x);
    x[tac_nx(model) + 2] = (double)NAN;
    refuse(&page, TAC_ERR_NONFINITE, "x of frame 1: number 2 is not finite");
    tac_model_free(model);
}

static void test_gradient_has_its_motions(void **state) {
    double x[MOST_X];
    tacModel *model = load_box(x);
    tacPage page = page_of(model, x);
    const double value[2] = {1, 2};
    const double *const motions[2] = {x, x};
    tacPageGradient gradient = {.name = "body/box.mass",
                                .unit = "kg",
                                .body = 1,
                                .derivative = {3, 0, 0},
                                .n = 2,
                                .value = value,
                                .x = motions};
    char *text = NULL;
    (void)state;
    page.gradient = &gradient;
    CHECK_INT(tac_page_text(&page, &text, NULL), TAC_OK);
    CHECK(strstr(text, "\"derivative\":[3,0,0]") != NULL);
    CHECK(strstr(text, "\"values\":[1,2]") != NULL);
    free(text);
    tac_model_free(model);
}

/* Volume within a mesh whose triangles are counter-clockwise from outside: only a closed one has it. */
static double volume_within(const tacVec3 *vert, const int *face) {
    double sum = 0;
    for (int f = 0; f < TAC_GROWN_FACES; f++) {
        const tacVec3 *a = &vert[face[3 * f]], *b = &vert[face[3 * f + 1]], *c = &vert[face[3 * f + 2]];
        sum += a->x * (b->y * c->z - b->z * c->y) + a->y * (b->z * c->x - b->x * c->z) +
               a->z * (b->x * c->y - b->y * c->x);
    }
    return sum / 6;
}

/* A box with a pad is drawn whole, its flat ends too: the volume is that of Steiner's formula, less what a mesh of
 * points on the surface cuts off. The same holds wherever the origin is. */
static void test_pads_are_drawn_closed(void **state) {
    static tacVec3 vert[TAC_GROWN_VERTS];
    static int face[3 * TAC_GROWN_FACES];
    const double a = 0.4, b = 0.2, c = 0.3, r = 0.05, pi = acos(-1.0);
    const double whole =
        a * b * c + 2 * r * (a * b + b * c + c * a) + pi * r * r * (a + b + c) + 4 * pi / 3 * r * r * r;
    tacModel *model = NULL;
    tacError err;
    (void)state;
    scratch_text("pad.xml",
                 "<mujoco><worldbody><geom type='box' size='.2 .1 .15' tactus:pad='.05'/></worldbody></mujoco>");
    if (tac_load(scratch_path("pad.xml"), &model, &err) != TAC_OK) fail_msg("%s", err.text);
    CHECK_INT(tac_is_grown(model, 0), 1);
    tac_grown_mesh(model, 0, vert, face);
    double inside = volume_within(vert, face);
    CHECK(inside < whole && inside > 0.97 * whole);
    for (int i = 0; i < TAC_GROWN_VERTS; i++)
        vert[i] = (tacVec3){vert[i].x + 3, vert[i].y - 2, vert[i].z + 1};
    CHECK_NEAR(volume_within(vert, face), inside, 1e-12);
    tac_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pads_are_drawn_closed),    cmocka_unit_test(test_page_carries_times_and_forces),
        cmocka_unit_test(test_same_page_as_file),        cmocka_unit_test(test_bad_pages_are_refused),
        cmocka_unit_test(test_gradient_has_its_motions),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
