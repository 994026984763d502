/* What a solved problem reports. */
#pragma once

#include "contact/ncp/problem.h"

/* Violations at q. Needs: tac_ncp_add_constraints. */
void tac_ncp_report_start(const tacNcp *p, tacStepInfo *info);
/* Counts and margins of the step's contacts. */
void tac_ncp_report(const tacNcp *p, tacStepInfo *info);
/* Force, velocity and state of each contact: out[ncontact]. */
void tac_ncp_contact_forces(const tacNcp *p, tacContactForce *out);
/* Mean mass of the bodies that move. */
double tac_ncp_mean_mass(const tacNcp *p);
