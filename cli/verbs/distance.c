/* tactus distance MODEL: how far geoms are from each other at a state. */
#include "cli/cli.h"
#include "cli/input/model_file.h"
#include "cli/input/state_file.h"
#include "cli/report/json.h"
#include "cli/simulation/contact_list.h"
#include "cli/simulation/quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LABEL = 64 };

typedef struct tacDistanceArgs {
    int json, growth;
    const char *margin, *kappa;
} tacDistanceArgs;

static const tacArg DISTANCE_OPTIONS[] = {
    {"--margin", NULL, TAC_ARG_TEXT, offsetof(tacDistanceArgs, margin), "METRES",
     "largest distance that is printed; default: all pairs"},
    {"--growth", NULL, TAC_ARG_FLAG, offsetof(tacDistanceArgs, growth), NULL,
     "growth distances, with pads and sums, instead of nearest points"},
    {"--kappa", NULL, TAC_ARG_TEXT, offsetof(tacDistanceArgs, kappa), "K",
     "softness of growth distances, above 0 to 1; default: 1e-4"},
    {"--json", NULL, TAC_ARG_FLAG, offsetof(tacDistanceArgs, json), NULL, "print JSON"},
    {0},
};

static const char *const SUMMARY =
    "Prints the signed distance of every two geoms on different bodies, also of pairs that\n"
    "cannot collide. The distance of separate geoms is Euclidean. The distance of overlapping\n"
    "geoms is minus the shortest translation that separates them. Also prints the two nearest\n"
    "points, the unit normal from the first geom to the second, and the surface features.\n"
    "With --growth: the least factor by which both shapes, scaled about their centres, share a\n"
    "point, its lower bound (the dual value), and the gap along the normal in metres.";

/* --- for programs ------------------------------------------------------------------------------------------------ */

static int print_json(const tacModel *m, const tacStateArgs *state, const tacContactList *pairs) {
    tacJson json = measure_json_begin();
    json_t *list = json_array();
    for (int i = 0; i < pairs->n; i++) {
        const tacContact *c = &pairs->contact[i];
        json_t *row = cli_contact_json(&json, m, "pairs.dist", c);
        json_object_set_new(row, "pos1", measure_json_vec3(&json, "pairs.pos1", c->point[0]));
        json_object_set_new(row, "pos2", measure_json_vec3(&json, "pairs.pos2", c->point[1]));
        json_object_set_new(row, "normal", measure_json_vec3(&json, "pairs.normal", c->normal));
        json_object_set_new(row, "features", cli_features_json(c));
        json_object_set_new(row, "switch_margin", cli_switch_margin_json(&json, "pairs.switch_margin", c));
        json_array_append_new(list, row);
    }
    measure_json_put(&json, "pairs", list);
    int code =
        json.bad[0] != '\0' ? cli_not_finite("distance", state, json.bad) : cli_json_print("distance", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static int nearer(const void *a, const void *b) {
    const tacContact *x = a, *y = b;
    if (x->dist != y->dist) return x->dist < y->dist ? -1 : 1;
    return x->geom[0] != y->geom[0] ? x->geom[0] - y->geom[0] : x->geom[1] - y->geom[1];
}

static void print_pair(const tacModel *m, const tacContact *c) {
    char name1[LABEL], name2[LABEL], piece1[LABEL], piece2[LABEL];
    printf("%-20s %-20s %11.5g   %8.4f %8.4f %8.4f   %s, %s\n",
           cli_label(m, TAC_KIND_GEOM, c->geom[0], name1, sizeof name1),
           cli_label(m, TAC_KIND_GEOM, c->geom[1], name2, sizeof name2), c->dist, c->normal.x, c->normal.y, c->normal.z,
           cli_feature_text(c->feature[0], piece1, sizeof piece1),
           cli_feature_text(c->feature[1], piece2, sizeof piece2));
}

static int print_text(const char *path, const tacModel *m, tacContactList *pairs) {
    printf("%s: %d pair%s of geoms, nearest first\n", path, pairs->n, pairs->n == 1 ? "" : "s");
    if (pairs->n == 0) return CLI_FINE;
    qsort(pairs->contact, (size_t)pairs->n, sizeof *pairs->contact, nearer);
    printf("\n%-20s %-20s %11s   %8s %8s %8s   %s\n", "geom", "geom", "distance", "nx", "ny", "nz", "features");
    for (int i = 0; i < pairs->n && i < CLI_LONGEST_LIST; i++)
        print_pair(m, &pairs->contact[i]);
    if (pairs->n > CLI_LONGEST_LIST)
        printf("and %d more: --margin limits the distance, --json prints all\n", pairs->n - CLI_LONGEST_LIST);
    return CLI_FINE;
}

/* --- growth distances -------------------------------------------------------------------------------------------- */

#define DEFAULT_KAPPA 1e-4

static int print_growth_json(const tacModel *m, const tacStateArgs *state, const tacGrowthList *pairs) {
    tacJson json = measure_json_begin();
    json_t *list = json_array();
    for (int i = 0; i < pairs->n; i++) {
        const tacGrowth *g = &pairs->growth[i];
        json_t *row = json_object();
        json_object_set_new(row, "geom1", json_integer(g->geom[0]));
        json_object_set_new(row, "geom2", json_integer(g->geom[1]));
        json_object_set_new(row, "geom1_name", measure_json_name(m, TAC_KIND_GEOM, g->geom[0]));
        json_object_set_new(row, "geom2_name", measure_json_name(m, TAC_KIND_GEOM, g->geom[1]));
        json_object_set_new(row, "kappa", measure_json_number(&json, "growths.kappa", g->kappa));
        json_object_set_new(row, "alpha", measure_json_number(&json, "growths.alpha", g->alpha));
        json_object_set_new(row, "dual", measure_json_number(&json, "growths.dual", g->dual));
        json_object_set_new(row, "gap", measure_json_number(&json, "growths.gap", g->gap));
        json_object_set_new(row, "point", measure_json_vec3(&json, "growths.point", g->point));
        json_object_set_new(row, "normal", measure_json_vec3(&json, "growths.normal", g->normal));
        json_object_set_new(row, "iterations", json_integer(g->iterations));
        json_array_append_new(list, row);
    }
    measure_json_put(&json, "growths", list);
    int code =
        json.bad[0] != '\0' ? cli_not_finite("distance", state, json.bad) : cli_json_print("distance", &json, CLI_FINE);
    measure_json_free(&json);
    return code;
}

static int grows_less(const void *a, const void *b) {
    const tacGrowth *x = a, *y = b;
    if (x->alpha != y->alpha) return x->alpha < y->alpha ? -1 : 1;
    return x->geom[0] != y->geom[0] ? x->geom[0] - y->geom[0] : x->geom[1] - y->geom[1];
}

static int print_growth_text(const char *path, const tacModel *m, const tacGrowthList *pairs) {
    char name1[LABEL], name2[LABEL];
    printf("%s: %d pair%s of geoms, the least growth first\n", path, pairs->n, pairs->n == 1 ? "" : "s");
    if (pairs->n == 0) return CLI_FINE;
    qsort(pairs->growth, (size_t)pairs->n, sizeof *pairs->growth, grows_less);
    printf("\n%-20s %-20s %11s %11s %11s   %8s %8s %8s\n", "geom", "geom", "alpha", "dual", "gap", "nx", "ny", "nz");
    for (int i = 0; i < pairs->n && i < CLI_LONGEST_LIST; i++) {
        const tacGrowth *g = &pairs->growth[i];
        printf("%-20s %-20s %11.5g %11.5g %11.5g   %8.4f %8.4f %8.4f\n",
               cli_label(m, TAC_KIND_GEOM, g->geom[0], name1, sizeof name1),
               cli_label(m, TAC_KIND_GEOM, g->geom[1], name2, sizeof name2), g->alpha, g->dual, g->gap, g->normal.x,
               g->normal.y, g->normal.z);
    }
    if (pairs->n > CLI_LONGEST_LIST)
        printf("and %d more: --margin limits the gap, --json prints all\n", pairs->n - CLI_LONGEST_LIST);
    return CLI_FINE;
}

static int measure_growth(const tacModelFile *file, const tacModelArgs *model, const tacStateArgs *state,
                          const tacDistanceArgs *own, double margin, double kappa) {
    tacOptions options = tac_default_options(file->model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = TAC_INTEGRATOR_EULER;
    tacGrowthList pairs;
    tacStart start;
    int result = cli_start_load("distance", file->model, state, &options, &start);
    if (result != CLI_GO_ON) return result;
    char text[TAC_ERROR_TEXT] = "";
    tacStatus status = cli_growths_find(file->model, &options, start.x, start.u, margin, kappa, &pairs, text);
    cli_start_free(&start);
    if (status != TAC_OK) return cli_fail("distance", "%s", text[0] != '\0' ? text : tac_status_text(status));
    result =
        own->json ? print_growth_json(file->model, state, &pairs) : print_growth_text(model->path, file->model, &pairs);
    cli_growths_free(&pairs);
    return result;
}

/* --- both -------------------------------------------------------------------------------------------------------- */

static int measure(const tacModelFile *file, const tacModelArgs *model, const tacStateArgs *state,
                   const tacDistanceArgs *own, double margin) {
    tacOptions options = tac_default_options(file->model);
    options.contact = TAC_CONTACT_MODEL_NONE;
    options.integrator = TAC_INTEGRATOR_EULER; /* no step is taken */
    tacContactList pairs;
    tacStart start;
    int result = cli_start_load("distance", file->model, state, &options, &start);
    if (result != CLI_GO_ON) return result;
    tacStatus status = cli_distances_find(file->model, &options, start.x, start.u, margin, &pairs);
    cli_start_free(&start);
    if (status == TAC_ERR_NONFINITE) return cli_not_finite("distance", state, "a distance");
    if (status != TAC_OK) return cli_fail("distance", "%s", tac_status_text(status));
    result = own->json ? print_json(file->model, state, &pairs) : print_text(model->path, file->model, &pairs);
    cli_contacts_free(&pairs);
    return result;
}

int cmd_distance(int argc, char **argv) {
    tacDistanceArgs own = {0};
    tacModelArgs model = {0};
    tacStateArgs state = {0};
    tacArgGroup groups[] = {{"options", DISTANCE_OPTIONS, &own},
                            {"state options", CLI_STATE_OPTIONS, &state},
                            {"model options", CLI_MODEL_OPTIONS, &model}};
    tacArgs args = cli_model_verb("distance", SUMMARY, groups, 3, &model);
    tacModelFile file;
    double margin = (double)INFINITY, kappa = DEFAULT_KAPPA;
    int result = cli_parse(&args, argc, argv);
    if (result != CLI_GO_ON) return result;
    if (own.margin != NULL && !cli_number(own.margin, &margin))
        return cli_fail("distance", "--margin: got \"%s\", expected a distance in metres", own.margin);
    if (own.kappa != NULL && !own.growth)
        return cli_fail("distance", "--kappa: expected --growth beside it, distances of features have no softness");
    if (own.kappa != NULL && (!cli_number(own.kappa, &kappa) || !(kappa > 0 && kappa <= 1)))
        return cli_fail("distance", "--kappa: got \"%s\", expected a number above 0 to 1", own.kappa);
    result = cli_model_load("distance", &model, &file);
    if (result != CLI_GO_ON) return result;
    cli_model_print_warnings("distance", &file);
    result = own.growth ? measure_growth(&file, &model, &state, &own, margin, kappa)
                        : measure(&file, &model, &state, &own, margin);
    cli_model_close(&file);
    return result;
}
