/* Bytes of a simulation, one line each: model contact bytes. */
#include <tactus/io.h>

#include <stdio.h>
#include <string.h>

static void print_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *dot = strrchr(name, '.');
    printf("%.*s", dot == NULL ? (int)strlen(name) : (int)(dot - name), name);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        tacModel *model;
        tacError err;
        if (tac_load(argv[i], &model, &err) != TAC_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 2;
        }
        tacOptions options = tac_default_options(model);
        for (int c = 0; c < TAC_CONTACT_MODEL_COUNT; c++) {
            options.contact = (tacContactModel)c;
            print_name(argv[i]);
            printf(" %s %zu\n", tac_contact_text(options.contact), tac_sim_bytes(model, &options));
        }
        tac_model_free(model);
    }
    return 0;
}
