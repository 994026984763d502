/* Contacts and distances of geoms, as `eval` and `distance` print them. */
#pragma once

#include "measure/json_text.h"

/* Contacts or pairs that are printed for people; programs get all. */
enum { CLI_LONGEST_LIST = 40 };

/* Contacts at a state, in memory to be freed. */
typedef struct tacContactList {
    tacContact *contact;
    int n;
} tacContactList;

/* (q, u) -> all contacts, however many there are. */
tacStatus cli_contacts_find(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                            tacContactList *out);
/* Distances of all pairs of geoms on different bodies, no more than margin apart: by geom1, then geom2, which is the
 * larger. */
tacStatus cli_distances_find(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                             double margin, tacContactList *out);
/* Growth distances of geoms on different bodies, gap at most margin. */
typedef struct tacGrowthList {
    int n;
    tacGrowth *growth;
} tacGrowthList;
/* text (TAC_ERROR_TEXT): why it failed. To be freed. */
tacStatus cli_growths_find(const tacModel *model, const tacOptions *options, const double *q, const double *u,
                           double margin, double kappa, tacGrowthList *out, char *text);
void cli_growths_free(tacGrowthList *list);
void cli_contacts_free(tacContactList *list);

/* {"geom1", "geom2", "geom1_name", "geom2_name", "dist"}, to which a verb adds; `list` is what the refusal of a number
 * that is not finite calls it. */
json_t *cli_contact_json(tacJson *json, const tacModel *model, const char *list, const tacContact *contact);
/* [{"kind", "id"}, {"kind", "id"}]: the pieces of the two surfaces that touch. */
json_t *cli_features_json(const tacContact *contact);
/* Distance of the features from a change, m; null if they never change: JSON has no infinity. */
json_t *cli_switch_margin_json(tacJson *json, const char *name, const tacContact *contact);
/* "point 3", "line 0 1", "plane 2", "circle 0", "ellipsoid", "side". Writes to text. */
const char *cli_feature_text(tacFeature feature, char *text, size_t size);
