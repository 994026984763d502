/* Forward kinematics: positions, motion axes, velocities. */
#pragma once

#include "dynamics/work.h"

/* (q, mocap) -> position stage. mocap: 7 per mocap body, or NULL for the model's poses. Quaternions are normalized. */
void tac_kinematics_q(const tacModel *m, tacWork *w, const double *q, const double *mocap);
/* The same without inertias. */
void tac_kinematics_poses(const tacModel *m, tacWork *w, const double *q, const double *mocap);
/* Its parts: the world, and one body given its parent's pose. */
void tac_place_world(tacWork *w);
void tac_place_body(const tacModel *m, tacWork *w, int body, const double *q, const double *mocap);
/* The same for only one body and its ancestors. Other bodies keep their poses. */
void tac_kinematics_to(const tacModel *m, tacWork *w, int body, const double *q, const double *mocap);
/* 1: the body has a free joint on the world. Its axes are (0, e_k), then (R e_k, 0). */
static inline int tac_floats(const tacModel *m, int body) {
    return m->body_parent[body] == 0 && m->body_joint_num[body] > 0 &&
           m->joint_type[m->body_joint_adr[body]] == TAC_JOINT_FREE;
}
/* v -> velocity stage. Needs: position. */
void tac_kinematics_v(const tacModel *m, tacWork *w, const double *v);
/* Acceleration of the world that represents gravity: -g, or 0 if gravity is disabled. */
tacVec6 tac_base_acceleration(const tacModel *m);
/* World pose of a geom's or site's frame from its body's. Needs: position. */
tacVec3 tac_frame_pos(const tacWork *w, int body, tacVec3 pos);
tacQuat tac_frame_quat(const tacWork *w, int body, tacQuat quat);
/* Centre of mass of each subtree (nbody). Needs: position. */
void tac_subtree_com(const tacModel *m, const tacWork *w, tacVec3 *com);
/* First dof of dof i's group, whose axes turn together (a ball joint's three; a free joint's translations, and its
 * rotations). */
int tac_dof_group(const tacModel *m, int i);

/* A displacement along the twist S. It moves `body`, its descendants, and those of the body's own dofs from `first` on.
 * A dof is a mover. So is a change of the pose of a body, joint, mocap body or site. */
typedef struct tacMover {
    tacVec6 S; /* about the origin of the body's tree */
    int body, first;
    int site; /* > 0: moves nothing but site - 1, which is on `body` */
} tacMover;
/* Dof j as a mover. It moves the axes of its group and everything outboard. Needs: position. */
tacMover tac_dof_mover(const tacModel *m, const tacWork *w, int j);
/* 1: the mover moves the body (the axis of dof i). */
int tac_moves_body(const tacModel *m, const tacMover *mover, int body);
int tac_moves_dof(const tacModel *m, const tacMover *mover, int i);

/* Linear velocity of a world point that moves with a body. Needs: velocity. */
tacVec3 tac_point_velocity(const tacWork *w, int body, tacVec3 point);
/* Adds to row[nv] the row  direction . d(point velocity)/dv + rotation . d(angular velocity)/dv, for a world point
 * fixed to a body. Serves Jacobians, moments and generalized forces. Needs: position. */
void tac_add_point_row(const tacModel *m, const tacWork *w, int body, tacVec3 point, tacVec3 direction,
                       tacVec3 rotation, double scale, double *row);
