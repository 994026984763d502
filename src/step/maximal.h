/* What the maps between joint coordinates and bodies share (docs/theory/maximal.md). */
#pragma once

#include "contact/rows.h"
#include "step/sim.h"

/* Displacements of one body's pose, and of pose and twist. */
enum { TAC_POSE_MOVE = 6, TAC_BODY_MOVE = 12 };

/* A twist of a body about the origin of its tree -> its free coordinates: position, world axes; turn, body axes. */
static inline void tac_free_move(const tacWork *w, int body, tacVec6 X, double out[6]) {
    tac_store3(out, tac_velocity_at(w, body, X, w->xpos[body]));
    tac_store3(out + 3, tac_mulmtv3(w->xmat[body], X.ang));
}

/* What the maps take from the arena at once, at most; bytes. */
size_t tac_maximal_scratch(const tacModel *model);
