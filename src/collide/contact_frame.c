/* Tangents of a contact as a function of its normal, and optionally of a direction. */
#include "collide/touch.h"

/* The side of the seam on which a normal lies. */
static double side(tacVec3 n) { return n.z > TAC_FRAME_SEAM ? 1 : -1; }

/* (docs/theory/collision.md, D14) */
void tac_contact_frame(tacVec3 n, tacVec3 *t1, tacVec3 *t2) {
    double s = side(n), k = n.x / (1 + s * n.z);
    *t1 = tac_vec3(1 - n.x * k, -n.y * k, -s * n.x);
    *t2 = tac_cross3(n, *t1);
}

/* dk = (dn.x - s k dn.z)/(1 + s n.z), product rule */
void tac_contact_frame_jvp(tacVec3 n, tacVec3 dn, tacVec3 *dt1, tacVec3 *dt2) {
    double s = side(n), k = n.x / (1 + s * n.z), dk = (dn.x - s * k * dn.z) / (1 + s * n.z);
    tacVec3 t1 = tac_vec3(1 - n.x * k, -n.y * k, -s * n.x);
    *dt1 = tac_vec3(-dn.x * k - n.x * dk, -dn.y * k - n.y * dk, -s * dn.x);
    *dt2 = tac_add3(tac_cross3(dn, t1), tac_cross3(n, *dt1));
}

void tac_contact_frame_along(tacVec3 n, tacVec3 h, tacVec3 *t1, tacVec3 *t2) {
    tacVec3 p = tac_madd3(h, -tac_dot3(n, h), n);
    *t1 = tac_scale3(1 / tac_norm3(p), p);
    *t2 = tac_cross3(n, *t1);
}

/* dp = dh - dn (n.h) - n (dn.h + n.dh),  dt1 = (dp - t1 (t1.dp))/|p| */
void tac_contact_frame_along_jvp(tacVec3 n, tacVec3 h, tacVec3 dn, tacVec3 dh, tacVec3 *dt1, tacVec3 *dt2) {
    tacVec3 p = tac_madd3(h, -tac_dot3(n, h), n), t1 = tac_scale3(1 / tac_norm3(p), p);
    tacVec3 dp = tac_madd3(tac_madd3(dh, -tac_dot3(n, h), dn), -(tac_dot3(dn, h) + tac_dot3(n, dh)), n);
    *dt1 = tac_scale3(1 / tac_norm3(p), tac_madd3(dp, -tac_dot3(t1, dp), t1));
    *dt2 = tac_add3(tac_cross3(dn, t1), tac_cross3(n, *dt1));
}
