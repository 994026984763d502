/* Dojo's fifteen kinds of joints as stacks of slides, hinges and balls, in chains. */
#pragma once

#include "tactus/tactus.h"

enum { JOINT_TYPES = 15 };
/* "Fixed", "Prismatic", ... */
const char *joint_type_name(int type);
/* Degrees of freedom of one joint. */
int joint_type_dofs(int type);
/* A free body of 1 kg with `links` more behind it, each on a joint of this type, turned and displaced against the one
 * before. Springs of this stiffness (in slides and hinges) and dampers; no gravity. */
tacModel *joint_chain(int type, int links, double stiffness, double damping);
/* The same under gravity, with a ball of 0.1 m on each body that may touch a floor at height 0 (geom 0), and nothing
 * else. */
tacModel *joint_chain_over_floor(int type, int links, double stiffness, double damping);
