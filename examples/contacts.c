/* Where a box touches the ground: its distance and how that moves with the box, when it lands, and the contacts
 * then. */
#include <tactus/io.h>

#include <stdio.h>

enum { NQ = 7, NV = 6, MAX_CONTACTS = 8 }; /* one free body */

static int failed(const char *what, tacStatus status) {
    if (status != TAC_OK) fprintf(stderr, "%s: %s\n", what, tac_status_text(status));
    return status != TAC_OK;
}

int main(int argc, char **argv) {
    tacError err;
    tacModel *model;
    tacSim *sim;
    if (tac_load(argc > 1 ? argv[1] : "models/box.xml", &model, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    tacOptions options = tac_default_options(model);
    if (model->nq != NQ || tac_sim_new(model, &options, &sim, &err) != TAC_OK) return 1;
    double q[NQ] = {0, 0, 1, 0.96, 0.2, 0.1, 0.17}, v[NV] = {0.5, 0, -2, 0, 1, 0}; /* tilted, falling, turning */
    double jac[TAC_CONTACT_ROWS * NV], dtime_dq[NV];

    /* the distance of two geoms, and its derivative: the first row of the contact's */
    tacContact near;
    if (failed("distance", tac_geom_distance(sim, q, NULL, 0, 1, &near))) return 1;
    if (failed("derivative", tac_contact_jac(sim, q, NULL, &near, &(tacContactJac){.q = jac}))) return 1;
    printf("distance %.6f m; by the box's height %.3f, by turning about its x %.3f; the same corner within %.3f m\n",
           near.dist, jac[2], jac[3], near.switch_margin);

    /* when does it fall to zero, if velocities stay as they are? */
    tacImpactPair pair;
    tacImpact impact = {.gap = 0, .max_pairs = 1, .pair = &pair, .dtime_dq = dtime_dq};
    if (failed("impact", tac_first_impact(sim, q, v, NULL, 1, &impact)) || impact.kind != TAC_IMPACT_HIT) return 1;
    printf("lands after %.6f s at %.3f m/s; a metre higher, %.3f s later\n", impact.time, -pair.rate, dtime_dq[2]);

    /* and the contacts when it lies on the ground */
    tacContact contact[MAX_CONTACTS];
    int n;
    if (failed("contacts", tac_contacts(sim, model->qpos_0, NULL, contact, MAX_CONTACTS, &n))) return 1;
    for (int i = 0; i < n; i++)
        printf("contact %d: %+.4f m at (%.3f, %.3f, %.3f), normal (%g, %g, %g)\n", i, contact[i].dist, contact[i].pos.x,
               contact[i].pos.y, contact[i].pos.z, contact[i].normal.x, contact[i].normal.y, contact[i].normal.z);
    tac_sim_free(sim);
    tac_model_free(model);
    return n > 0 ? 0 : 1;
}
