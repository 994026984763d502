/* Coulomb's cone K, |r_t| <= mu r_n, of one contact, and the map whose zeros are its reactions   (docs/theory/ncp.md,
 * W41)
 *
 * r in K, u + mu |u_t| e_n in the dual cone, orthogonal to each other [DeSaxce1998], is  r = P(r - u - mu |u_t| e_n)
 * with P the projection on K: the natural map. Three numbers a contact, normal first. */
#pragma once

/* P(z) -> p and A (3 x 3) = dP/dz. On a border between pieces, A is that of the inner one. A may be NULL. */
void tac_coulomb_project(double mu, const double z[3], double p[3], double A[9]);
/* f = r - P(r - u - mu |u_t| e_n);   df = dr - A dr + AB du. A and AB (3 x 3 each) both or neither. */
void tac_coulomb_map(double mu, const double r[3], const double u[3], double f[3], double A[9], double AB[9]);
