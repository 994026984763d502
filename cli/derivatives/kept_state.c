#include "cli/derivatives/kept_state.h"

#include "cli/cli.h"
#include "cli/report/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Characters of "/sample_N.txt" and of what a file is called until it is complete, at most. */
enum { NAME_ROOM = 64, ALL_MAY = 0777 };

int cli_keep_begin(const char *verb, const char *folder) {
    struct stat is;
    if (strlen(folder) + NAME_ROOM > CLI_PATH) return cli_fail(verb, "--keep: the folder's name is too long");
    if (mkdir(folder, ALL_MAY) != 0 && errno != EEXIST)
        return cli_fail(verb, "--keep: %s: cannot create the folder: %s", folder, strerror(errno));
    if (stat(folder, &is) != 0) return cli_fail(verb, "--keep: %s: %s", folder, strerror(errno));
    if (!S_ISDIR(is.st_mode)) return cli_fail(verb, "--keep: %s: is a file, expected a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return cli_fail(verb, "--keep: %s: cannot write to the folder: %s", folder, strerror(errno));
    return CLI_GO_ON;
}

static void write_numbers(FILE *f, const char *name, int n, const double *numbers) {
    fprintf(f, "%s %d\n", name, n);
    for (int i = 0; i < n; i++)
        fprintf(f, "%.17g\n", numbers[i]);
}

static void write_params(FILE *f, const tacGradientCheck *check) {
    fprintf(f, "params %d\n", check->params->count);
    for (int i = 0; i < check->params->count; i++) {
        double value = 0;
        tac_param_get(check->model, check->params->entry[i].path, &value, NULL);
        fprintf(f, "%s %.17g\n", check->params->entry[i].path, value);
    }
}

int cli_keep_state(const char *verb, const tacGradientCheck *check, long sample, const double *x, const double *u,
                   const tacDerivative *d) {
    tacOutputFile file;
    char path[CLI_PATH];
    tacDerivativeSize n = d->size;
    const char *what = sample < 0 ? "state" : "sample";
    long number = sample < 0 ? sample + check->nnamed : sample;
    if (snprintf(path, sizeof path, "%s/%s_%ld.txt", check->keep, what, number) >= (int)sizeof path)
        return cli_fail(verb, "--keep: the folder's name is too long");
    int result = cli_output_open(verb, path, &file);
    if (result != CLI_GO_ON) return result;
    write_params(file.stream, check);
    write_numbers(file.stream, "x", tac_nx(check->model), x);
    write_numbers(file.stream, "u", n.nu, u);
    write_numbers(file.stream, "A", n.ndx * n.ndx, d->A);
    write_numbers(file.stream, "B", n.ndx * n.nu, d->B);
    write_numbers(file.stream, "P", n.ndx * n.np, d->P);
    return cli_output_finish(verb, &file);
}
