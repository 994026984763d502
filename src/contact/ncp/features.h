/* Which features the problem has: contacts are added and removed as searches need it (docs/theory/ncp.md, W15). */
#pragma once

#include "contact/ncp/problem.h"

/* 1: a feature that was found ahead of the step belongs to the problem from the start. */
int tac_ncp_is_relevant(const tacNcp *p, const tacContact *found);
/* 1: the motion v penetrates by so much of the bodies' size that steps along the central path rarely succeed. */
int tac_ncp_is_rough(const tacNcp *p);
/* 1: two geoms have as many contacts as collision keeps of a pair; there may be more. */
int tac_ncp_has_full_pair(const tacNcp *p);

/* Largest overlap of the contacts p->found[nfound] at q+; 0: none is above the tolerance. */
double tac_ncp_overlap(const tacNcp *p, int nfound, double tolerance);
/* Adds those of them above the tolerance that the problem does not have. Returns how many. */
int tac_ncp_add_overlapping(tacNcp *p, int nfound, double tolerance);
/* Replaces the problem's features by p->found[nfound], all those at q+ within reach of the motion. Returns how many
 * were added and removed. */
int tac_ncp_replace_features(tacNcp *p, int nfound);
/* Removes contacts whose features were lost. Returns how many. */
int tac_ncp_remove_lost(tacNcp *p);
/* Clears the marks of lost contacts. */
void tac_ncp_clear_lost(tacNcp *p);
