/* Every model file, taken back into a builder and finished unchanged, is the same model. */
#include "tactus/io.h"

#include "support/check.h"

#include <jansson.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* 1: the file loads, leniently, and comes back with its hash. 0: it does not load. */
static int comes_back(const char *path) {
    tacLoadOptions options = tac_default_load_options();
    tacModel *m = NULL, *again = NULL;
    tacBuilder *b = NULL;
    tacError err;
    options.allow_outside = options.lenient = 1;
    if (tac_load_with(path, &options, &m, NULL, &err) != TAC_OK) return 0;
    if (tac_model_edit(m, &b, &err) != TAC_OK || tac_model_finish(b, &again, &err) != TAC_OK)
        fail_msg("%s: %s", path, err.text);
    if (tac_model_hash(again) != tac_model_hash(m)) fail_msg("%s: the hash differs", path);
    tac_builder_free(b), tac_model_free(again), tac_model_free(m);
    return 1;
}

static void test_own_models(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    int n = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        if (strstr(entry->d_name, ".xml") == NULL) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        n += comes_back(path);
    }
    closedir(folder);
    print_message("%d of our models come back\n", n);
    CHECK(n >= 18);
}

static void test_published_models(void **state) {
    (void)state;
    const char *path = shared_path("models/manifest.json");
    json_t *manifest = path != NULL ? json_load_file(path, 0, NULL) : NULL;
    int n = 0, total = 0;
    if (manifest == NULL) {
        print_message("no shared models: 0 published models compared\n");
        skip();
    }
    for (size_t i = 0; i < json_array_size(manifest); i++) {
        const json_t *entry = json_array_get(manifest, i);
        char relative[512];
        snprintf(relative, sizeof relative, "models/%s/%s", json_string_value(json_object_get(entry, "name")),
                 json_string_value(json_object_get(entry, "entry")));
        path = shared_path(relative);
        if (path == NULL) continue;
        total++;
        n += comes_back(path);
    }
    print_message("%d of %d published models come back\n", n, total);
    CHECK(n > 0);
    CHECK_INT(n, total);
    json_decref(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_models), cmocka_unit_test(test_published_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
