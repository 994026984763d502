/* Small models made with the public builder, for tests of dynamics, steps and physics. Each asserts that it builds. */
#pragma once

#include "tactus/tactus.h"

/* tac_model_finish that must succeed; frees the builder. */
tacModel *robot_finish(tacBuilder *b);
/* A body with mass, centre of mass and principal inertia. */
int robot_body(tacBuilder *b, int parent, tacVec3 pos, double mass, tacVec3 ipos, tacVec3 inertia);
/* A joint at the body's origin. */
int robot_joint(tacBuilder *b, int body, tacJointType type, tacVec3 axis);
/* A motor on a joint with one gear. */
int robot_motor(tacBuilder *b, int joint, double gear);

/* 1 kg at the end of a massless rod of 1 m, swinging about y; hangs down at q = 0. */
tacModel *robot_pendulum(void);
/* Two of these, one below the other; q are relative angles. */
tacModel *robot_double_pendulum(void);
/* A free rigid body of principal inertia (1, 2, 3), 2 kg, without gravity. */
tacModel *robot_free_body(void);
/* A floating tree with every joint type, springs, dampers, armature, a tendon, actuators with and without activation:
 * nothing is aligned, nothing is zero that need not be. Body 0 the world, 1 the free base. */
tacModel *robot_creature(void);
/* The same without springs, dampers, armature, gravity or actuators: momentum is conserved. */
tacModel *robot_drifter(void);

/* Simulation with all input blocks, Euler, the model's step. */
tacSim *robot_sim(const tacModel *model);
/* Random numbers in (-scale, scale), keyed by (stream, index). */
void robot_random(int n, double *x, double scale, uint64_t stream);
/* A random state near the default one, quaternions of unit length. */
void robot_state(const tacModel *model, double *x, uint64_t stream);
/* n zeroed doubles, never NULL. */
double *robot_array(int n);
