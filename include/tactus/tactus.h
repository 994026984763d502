/* Tactus: a differentiable physics engine for articulated rigid bodies in contact.
 *
 *   y = step(x, u; theta)      x = [qpos | qvel | act]      u = [ctrl | qfrc_applied | xfrc_applied | mocap]
 *
 * Arrays are row major and caller-owned. Every call that can fail returns tacStatus; outputs are untouched on failure,
 * but for two statuses of steps that come with a state, TAC_ERR_UNSOLVED and TAC_ERR_IMPACTS (tac_step).
 * An `err` argument may be NULL. A pointer that may not be NULL, an id or a count out of range, and options that
 * tac_default_options did not make are refused: TAC_ERR_ARGUMENT, TAC_ERR_NAME or TAC_ERR_OPTIONS where a status is
 * returned, else 0, -1, "" or nothing done. */
#pragma once

#include "tactus/contact.h"
#include "tactus/options.h"
#include "tactus/status.h"
#include "tactus/types.h"
#include "tactus/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAC_VERSION_MAJOR 0
#define TAC_VERSION_MINOR 1
#define TAC_VERSION_PATCH 0

/* -> "0.1.0" */
TAC_API const char *tac_version(void);

/* --- Building a model ------------------------------------------------------------------------------------------- */

/* MuJoCo's defaults for each kind of element. */
TAC_API tacBodyDef tac_default_body(void);
TAC_API tacJointDef tac_default_joint(void);
TAC_API tacGeomDef tac_default_geom(void);
TAC_API tacMeshDef tac_default_mesh(void);
TAC_API tacSiteDef tac_default_site(void);
TAC_API tacTendonDef tac_default_tendon(void);
TAC_API tacActuatorDef tac_default_actuator(void);
TAC_API tacEqualityDef tac_default_equality(void);
TAC_API tacPairDef tac_default_pair(void);
TAC_API tacKeyDef tac_default_key(void);
TAC_API tacOptionDef tac_default_option(void);
TAC_API tacAttachDef tac_default_attach(void);

/* A new builder holding the world body (id 0) alone; NULL when out of memory. */
TAC_API tacBuilder *tac_model_begin(void);
/* Each adds one element and returns its id in order of adding, or -1 (the first failure is kept and reported by
 * tac_model_finish). Bodies: a parent is added before its children. Joints of a body act in the order added. */
TAC_API int tac_model_add_body(tacBuilder *b, int parent, const tacBodyDef *def);
TAC_API int tac_model_add_joint(tacBuilder *b, int body, const tacJointDef *def);
TAC_API int tac_model_add_geom(tacBuilder *b, int body, const tacGeomDef *def);
TAC_API int tac_model_add_mesh(tacBuilder *b, const tacMeshDef *def);
TAC_API int tac_model_add_site(tacBuilder *b, int body, const tacSiteDef *def);
TAC_API int tac_model_add_tendon(tacBuilder *b, const tacTendonDef *def);
TAC_API int tac_model_add_actuator(tacBuilder *b, const tacActuatorDef *def);
TAC_API int tac_model_add_equality(tacBuilder *b, const tacEqualityDef *def);
TAC_API int tac_model_add_pair(tacBuilder *b, const tacPairDef *def);
TAC_API int tac_model_add_exclude(tacBuilder *b, const char *name, int body1, int body2);
TAC_API int tac_model_add_key(tacBuilder *b, const tacKeyDef *def);
TAC_API int tac_model_add_sensor(tacBuilder *b, const char *tag, const char *name);
TAC_API void tac_model_set_option(tacBuilder *b, const tacOptionDef *def);
/* Builder -> model: validates, lays out, derives. Joints, geoms and sites are numbered body by body, keeping the order
 * of adding within a body; error ids are in order of adding. The builder stays valid either way. */
TAC_API tacStatus tac_model_finish(tacBuilder *b, tacModel **model, tacError *err);
/* Frees a builder; NULL is fine. */
TAC_API void tac_builder_free(tacBuilder *b);
/* The same under its former name. */
TAC_API TAC_DEPRECATED("use tac_builder_free") void tac_model_abandon(tacBuilder *b);

/* --- Changing a model -------------------------------------------------------------------------------------------- */

/* A model -> a builder that holds its elements, with the same ids, numbers as they are set now, and keyframes. Finished
 * unchanged it gives a model of the same hash, but for registered parameters, which the new model has none of.
 * Keyframes give what is added later its default: qpos_0, zero, the pose of a mocap body. */
TAC_API tacStatus tac_model_edit(const tacModel *model, tacBuilder **builder, tacError *err);
/* (kind, name) -> id in the builder, or -1. */
TAC_API int tac_builder_find(const tacBuilder *b, tacKind kind, const char *name);
/* Number of elements of a kind in the builder. */
TAC_API int tac_builder_count(const tacBuilder *b, tacKind kind);
/* The options that the builder has, to be changed and given to tac_model_set_option. */
TAC_API tacStatus tac_builder_option(const tacBuilder *b, tacOptionDef *def);
/* Removes an element and all that refers to it, as mjSpec does: of a body the bodies that hang on it and their joints,
 * geoms and sites; of a mesh its geoms; of a joint its tendons; then actuators, equalities, pairs and excludes of what
 * went. Keyframes lose its numbers. Sensors are names alone and stay. Ids of a kind stay without gaps: those behind a
 * removed one move down. TAC_ERR_ARGUMENT: there is no such element, or it is the world. */
TAC_API tacStatus tac_model_remove(tacBuilder *b, tacKind kind, int id, tacError *err);
/* Attaches a copy of a model to body `parent` of the builder. What the attached world holds is fixed to the parent, and
 * constraints to that world hold to the parent. Its options do not come along. With def->body elements come along that
 * refer to nothing outside of the subtree, and no keyframes. Names that are taken, and free joints and mocap bodies
 * that hang on a body, are found by tac_model_finish. */
TAC_API tacStatus tac_model_attach(tacBuilder *b, int parent, const tacModel *model, const tacAttachDef *def,
                                   tacError *err);

/* --- A model as a whole ------------------------------------------------------------------------------------------ */

/* Frees a model; NULL is fine. */
TAC_API void tac_model_free(tacModel *model);
/* A deep copy. */
TAC_API tacStatus tac_model_copy(const tacModel *model, tacModel **copy, tacError *err);
/* Bytes that tac_model_pack writes. */
TAC_API size_t tac_model_pack_bytes(const tacModel *model);
/* Model -> bytes, little endian, with version and checksum. */
TAC_API tacStatus tac_model_pack(const tacModel *model, void *bytes, size_t size, tacError *err);
/* Bytes -> model; damaged, truncated or foreign bytes are refused. */
TAC_API tacStatus tac_model_unpack(const void *bytes, size_t size, tacModel **model, tacError *err);
/* Hash of everything in the model, registered parameters included. */
TAC_API uint64_t tac_model_hash(const tacModel *model);
/* (kind, name) -> id, or -1, which no function takes for an element. */
TAC_API int tac_model_find(const tacModel *model, tacKind kind, const char *name);
/* (kind, id) -> name; "" when it has none. */
TAC_API const char *tac_model_name(const tacModel *model, tacKind kind, int id);
/* (kind, id) -> what a message calls it, written to text (cut to size), which is returned: its name in quotes, "foot";
 * an unnamed geom, site or joint by its number and body, #3 of "torso" or #3 of body #2; other unnamed elements by
 * number, #3; body 0 is the world. "" where there is no room. */
TAC_API const char *tac_model_label(const tacModel *model, tacKind kind, int id, char *text, size_t size);
/* Number of elements of a kind. */
TAC_API int tac_model_count(const tacModel *model, tacKind kind);
/* Keyframe `key` (tac_model_find of TAC_KIND_KEY) -> its state x[nx] and input u[ninput] for these options: ctrl, mocap
 * poses where options.inputs has them, zero forces. x or u may be NULL, and options too where u is. TAC_ERR_NAME: there
 * is no such keyframe; the text lists those there are. */
TAC_API tacStatus tac_key_state(const tacModel *model, const tacOptions *options, int key, double *x, double *u,
                                tacError *err);

/* --- Parameters by path: body/torso.mass, geom/foot.size[0], joint/knee.damping, option.gravity[2] ---------------- */

/* Number of settable numbers in the model. */
TAC_API int tac_param_count(const tacModel *model);
/* i-th settable number -> its path, written to text (cut to size). An unnamed element is written by index:
 * geom/#3.size[0]. */
TAC_API tacStatus tac_param_path(const tacModel *model, int i, char *text, size_t size);
/* Path -> value. */
TAC_API tacStatus tac_param_get(const tacModel *model, const char *path, double *value, tacError *err);
/* Sets the number and recomputes all that depends on it; the same bits as loading an edited file. Before sharing only.
 * Setting or registering mass, ipos, iquat or inertia of a body that has them from its geoms writes them down first:
 * from then on they no longer follow the geoms. Axes and quaternions are kept at unit length: a component is one of the
 * unit vector, which is made a unit again. */
TAC_API tacStatus tac_param_set(tacModel *model, const char *path, double value, tacError *err);
/* Registers a parameter: simulations created afterwards carry their own copy of it. Its index is in *index (may be
 * NULL). Registering twice gives the same index. What steps have no derivative to, numbers at which the rule changes by
 * which others are read, is refused with the reason.
 *
 * A contact takes the larger of its two geoms' friction (docs/guide/gradients.md lists what else is mixed). Where both
 * are equal the step has a kink there, and each geom's number gets half the derivative: register the two as a group. */
TAC_API tacStatus tac_param_register(tacModel *model, const char *path, int *index, tacError *err);
/* Registers n numbers as one parameter: its value is given to all of them, and its derivative is the sum of theirs.
 * They must be equal; the text names two that are not. A number that is registered by itself or in another group is
 * refused, and so is option.timestep; the same group again gives the same index. tac_param_set of a member sets them
 * all. */
TAC_API tacStatus tac_param_register_group(tacModel *model, const char *const *paths, int n, int *index, tacError *err);
/* Registered parameter k, number `member` (0 but for groups) of those it sets -> its path, as tac_param_path writes it.
 * TAC_ERR_ARGUMENT: there is none. */
TAC_API tacStatus tac_param_registered(const tacModel *model, int k, int member, char *text, size_t size);

/* --- Simulation -------------------------------------------------------------------------------------------------- */

/* The model's own options: MJCF's integrator and timestep, contact soft, no input blocks but ctrl. */
TAC_API tacOptions tac_default_options(const tacModel *model);
/* Option number i, from 0; NULL beyond the last. */
TAC_API const tacOptionInfo *tac_option_info(int i);
/* Sets an option by its name from a word or a number: ("contact", "ncp"), ("ncp_kappa", "1e-6"). */
TAC_API tacStatus tac_option_set(tacOptions *options, const char *name, const char *text, tacError *err);
/* Bytes a simulation needs; 0 for options that tac_sim_create refuses. */
TAC_API size_t tac_sim_bytes(const tacModel *model, const tacOptions *options);
/* Lays a simulation out in caller's memory (64-byte aligned, at least tac_sim_bytes). No tac_sim_free. */
TAC_API tacStatus tac_sim_create(const tacModel *model, const tacOptions *options, void *memory, size_t bytes,
                                 tacSim **sim, tacError *err);
/* The same with malloc; the model must outlive it. P and theta of a simulation are of the parameters that were
 * registered when it was created. */
TAC_API tacStatus tac_sim_new(const tacModel *model, const tacOptions *options, tacSim **sim, tacError *err);
TAC_API void tac_sim_free(tacSim *sim);
/* The options in use, with the integrator that runs: the contact model's own where it lacks the model's, TAC_EULER for
 * lcp and ncp. */
TAC_API tacStatus tac_sim_options(const tacSim *sim, tacOptions *options);
/* What the last call with this simulation that failed has to say: the call, and which argument, entry, element, size or
 * solve it was. "" before the first; valid until the next failure. Calls that take a const simulation leave it as it
 * is. Batches have no simulation: the text of a world is had by running that world in one. */
TAC_API const char *tac_sim_error(const tacSim *sim);
/* Sizes of x and u for these options. */
TAC_API int tac_nx(const tacModel *model);
TAC_API int tac_ndx(const tacModel *model); /* of a displacement of x: 2 nv + na */
TAC_API int tac_ninput(const tacModel *model, const tacOptions *options);
/* Most scratch bytes ever used by this simulation. */
TAC_API size_t tac_sim_peak(const tacSim *sim);
/* Copies the registered parameters out of (into) the simulation: theta[nparam]. Setting recomputes what depends on
 * them; what no model may have is refused, and nothing changes. option.timestep is the dt of the simulation's own
 * options, with which it begins. */
TAC_API tacStatus tac_sim_get_params(const tacSim *sim, double *theta);
TAC_API tacStatus tac_sim_set_params(tacSim *sim, const double *theta);

/* x = (qpos_0, 0, 0) with activations inside their range; u = 0 with mocap poses from the model. */
TAC_API void tac_default_state(const tacModel *model, double *x);
TAC_API void tac_default_input(const tacModel *model, const tacOptions *options, double *u);
/* q (+) d -> out (nq); out may be q. */
TAC_API void tac_qpos_add(const tacModel *model, const double *q, const double *d, double *out);
/* q2 (-) q1 -> d (nv). */
TAC_API void tac_qpos_sub(const tacModel *model, const double *q2, const double *q1, double *d);

/* y = f(x, u). y may be x. info may be NULL. TAC_ERR_UNSOLVED: y is the best state found, and info->residual says how
 * good; TAC_ERR_IMPACTS: y is the state after the last impact, free of overlap; every other failure leaves y
 * untouched. */
TAC_API tacStatus tac_step(tacSim *sim, const double *x, const double *u, double *y, tacStepInfo *info);
/* The same map, to the bit, and its derivatives at (x, u). y may be NULL. Where there is a state (TAC_ERR_UNSOLVED,
 * TAC_ERR_IMPACTS) jac has the derivatives of how it was found; where derivatives overflow, TAC_ERR_NONFINITE. With
 * ncp_gradient_kappa derivatives are those of a solve of their own; info->kappa says which of the two was not
 * solved. */
TAC_API tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac,
                               tacStepInfo *info);
/* Reverse mode: ybar[ndx] -> gradient of ybar . f(x, u; theta). Statuses as for tac_step_jac. */
TAC_API tacStatus tac_step_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *grad,
                               tacStepInfo *info);
/* X[0] = x0, X[k+1] = f(X[k], U[k]); X is (n+1) by nx, U is n by ninput. Stops at the first failure
 * that leaves no next state; else the status is that of the first step that was not TAC_OK. info is of the last step,
 * but for that status, for start and violation, which are of x0, for energy_gain, which is the sum, and for the counts
 * of all steps: steps, unsolved, first_unsolved, worst_residual. */
TAC_API tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info);
/* Reverse mode of a rollout: the gradient of a loss of its states with respect to x0 (grad.x, ndx), U (grad.u, n by
 * ninput) and theta. Where path->X has the states of tac_rollout they are read from there, and memory->count does not
 * matter. Else memory->count states are kept and the others are stepped again, at most about log(n) / log(count)
 * times each (count 0: each from x0). `memory` is never NULL and holds scratch even for count 0; TAC_ERR_ARENA_FULL
 * when it has less than tac_rollout_vjp_bytes. The result is the same to the bit for any count. Like tac_rollout
 * it goes on where there is a next state, with the status of the last step that was not TAC_OK. info has the status,
 * the counts of all steps, and start and violation of x0; all else in it is zero. On other failures
 * grad.x and grad.theta are untouched; where the gradient itself overflows (TAC_ERR_NONFINITE), rows of grad.u from the
 * last on are written. */
TAC_API tacStatus tac_rollout_vjp(tacSim *sim, const tacTrajectory *path, const tacCheckpoints *memory,
                                  const tacGrad *grad, tacStepInfo *info);
/* Bytes it needs for n steps with `checkpoints` states kept (0 where path->X is given); n - 2 are all that help, and
 * more take no more bytes. */
TAC_API size_t tac_rollout_vjp_bytes(const tacModel *model, int n, int checkpoints);

/* n independent worlds on `threads` threads: Y[i] = f(X[i], U[i]). Same bits for any number of threads. A world that
 * fails leaves its own block of the results as tac_step does, all others are done, and the status is that of the first
 * such world. Where options->batch_info is given, batch_info[i] is what world i says of its step or rollout. A thread
 * that is cancelled (pthread_cancel) ends its batch first. This holds for all batches. */
TAC_API tacStatus tac_batch_step(const tacModel *model, const tacOptions *options, int n, const double *X,
                                 const double *U, double *Y, int threads);
/* n rollouts of `steps` steps: X is n by (steps+1) by nx with X[i][0] given, U is n by steps by ninput. */
TAC_API tacStatus tac_batch_rollout(const tacModel *model, const tacOptions *options, int n, int steps, double *X,
                                    const double *U, int threads);
/* tac_step_jac of n worlds; each array of Y and jac has one block per world, one after another. Y may be NULL. */
TAC_API tacStatus tac_batch_step_jac(const tacModel *model, const tacOptions *options, int n, const double *X,
                                     const double *U, double *Y, const tacJac *jac, int threads);
/* tac_step_vjp of n worlds; grad.theta is n by nparam: each world has its own. */
TAC_API tacStatus tac_batch_step_vjp(const tacModel *model, const tacOptions *options, int n, const double *X,
                                     const double *U, const double *Ybar, const tacGrad *grad, int threads);
/* tac_rollout_vjp of n worlds: each array of path and grad has one block per world. Each thread takes its own memory
 * for `checkpoints` states. */
TAC_API tacStatus tac_batch_rollout_vjp(const tacModel *model, const tacOptions *options, int n,
                                        const tacTrajectory *path, int checkpoints, const tacGrad *grad, int threads);

/* --- Quantities: pure functions of their arguments; the simulation only lends its workspace ---------------------- */

/* Where things are. Arrays are caller-owned; NULL skips one. World frame. */
typedef struct tacKinematics {
    tacVec3 *xpos, *xipos;           /* nbody: body origins, centres of mass */
    tacQuat *xquat;                  /* nbody */
    tacVec3 *geom_pos, *site_pos;    /* ngeom, nsite */
    tacMat3 *geom_mat, *site_mat;    /* ngeom, nsite */
    tacVec3 *joint_pos, *joint_axis; /* njnt */
    tacVec3 *subtree_com;            /* nbody: centre of mass of each subtree; entry 0 is the whole model's */
} tacKinematics;

/* q -> frames. */
TAC_API tacStatus tac_kinematics(tacSim *sim, const double *q, const double *u, tacKinematics *out);
/* (q, v) -> velocity of each body at its origin, world axes. */
TAC_API tacStatus tac_body_velocity(tacSim *sim, const double *q, const double *v, tacVec6 *velocity);
/* Jacobian of a world point fixed to a body: jacp, jacr are 3 x nv (linear, angular velocity); NULL skips one. */
TAC_API tacStatus tac_point_jacobian(tacSim *sim, const double *q, int body, tacVec3 point, double *jacp, double *jacr);
/* The same at a site's (frame Jacobian: world axes at the frame's origin) or body's frame. kind: body, geom or site. */
TAC_API tacStatus tac_frame_jacobian(tacSim *sim, const double *q, tacKind kind, int id, double *jacp, double *jacr);
/* q -> M (nv x nv, dense, armature included). */
TAC_API tacStatus tac_mass_matrix(tacSim *sim, const double *q, double *M);
/* (q, r) -> M^-1 r by the sparse factorization; r and out may be the same. */
TAC_API tacStatus tac_mass_solve(tacSim *sim, const double *q, const double *r, double *out);
/* (q, v) -> c(q, v): Coriolis, centrifugal, gravity. */
TAC_API tacStatus tac_bias(tacSim *sim, const double *q, const double *v, double *bias);
/* (q, v, a) -> M a + c, recursive Newton-Euler with armature. */
TAC_API tacStatus tac_inverse_dynamics(tacSim *sim, const double *q, const double *v, const double *a, double *tau);
/* (q, v, tau) -> a with M a + c = tau, articulated-body algorithm. */
TAC_API tacStatus tac_forward_dynamics(tacSim *sim, const double *q, const double *v, const double *tau, double *a);

/* Derivatives of inverse dynamics, tangent coordinates, nv x nv each; NULL skips one. */
typedef struct tacInverseJac {
    double *tau;       /* nv: tau itself */
    double *q, *v, *a; /* dtau/dq at fixed v and a, dtau/dv, dtau/da (the mass matrix) */
} tacInverseJac;
/* (q, v, a) -> tau = M a + c and its derivatives, exact. */
TAC_API tacStatus tac_inverse_dynamics_jac(tacSim *sim, const double *q, const double *v, const double *a,
                                           const tacInverseJac *jac);
/* Derivatives of forward dynamics, tangent coordinates, nv x nv each; NULL skips one. */
typedef struct tacForwardJac {
    double *a;           /* nv: a itself */
    double *q, *v, *tau; /* da/dq at fixed v and tau, da/dv, da/dtau (the inverse of the mass matrix) */
} tacForwardJac;
/* (q, v, tau) -> a with M a + c = tau and its derivatives, exact. */
TAC_API tacStatus tac_forward_dynamics_jac(tacSim *sim, const double *q, const double *v, const double *tau,
                                           const tacForwardJac *jac);

/* Numbers of a body's inertia, in its own axes about its origin: mass m, first moment m c (x, y, z), inertia xx, yy,
 * zz, xy, xz, yz. */
enum { TAC_INERTIAL_SIZE = 10 };
/* (q, v, a) -> Y, nv x 10 nbody: tau of inverse dynamics is Y pi, and what armature of joints and tendons adds to it.
 * Y is the exact derivative of tau by pi; columns of body b start at 10 b, and those of the world are zero. */
TAC_API tacStatus tac_inertial_regressor(tacSim *sim, const double *q, const double *v, const double *a, double *Y);
/* -> pi, 10 nbody: of the bodies as the simulation has them. */
TAC_API tacStatus tac_inertial_params(tacSim *sim, double *pi);
/* (q, v) -> springs, dampers, gravity compensation. */
TAC_API tacStatus tac_passive(tacSim *sim, const double *q, const double *v, double *passive);

/* Actuator quantities; NULL skips one. */
typedef struct tacActuation {
    double *length, *velocity, *force; /* nu */
    double *moment;                    /* nu x nv */
    double *act_dot;                   /* na */
    double *qfrc;                      /* nv: joint forces, after joint clamps */
} tacActuation;
/* (x, u) -> actuator quantities. */
TAC_API tacStatus tac_actuation(tacSim *sim, const double *x, const double *u, tacActuation *out);
/* (q, v) -> tendon lengths and velocities (ntendon each; NULL skips one). */
TAC_API tacStatus tac_tendons(tacSim *sim, const double *q, const double *v, double *length, double *velocity);
/* (x, u) -> qacc in continuous time: with constraints for contact soft, which has them there; without for the
 * others. */
TAC_API tacStatus tac_acceleration(tacSim *sim, const double *x, const double *u, double *qacc);

typedef struct tacEnergy {
    double kinetic, potential; /* potential: gravity and springs */
} tacEnergy;
TAC_API tacStatus tac_energy(tacSim *sim, const double *q, const double *v, tacEnergy *energy);
/* (q, v) -> linear momentum, and angular momentum about the whole model's centre of mass. */
TAC_API tacStatus tac_momentum(tacSim *sim, const double *q, const double *v, tacVec6 *momentum);

/* q -> A, 6 x nv, the centroidal momentum matrix: A v is tac_momentum (rows 0 to 2 angular, 3 to 5 linear). It is the
 * exact derivative of momentum by velocity. */
TAC_API tacStatus tac_momentum_matrix(tacSim *sim, const double *q, double *A);
/* (q, v) -> dJ/dt v of a frame, kind body, geom or site: what its angular and linear acceleration have besides J a,
 * world axes at its origin, gravity not counted. J is tac_frame_jacobian's. */
TAC_API tacStatus tac_frame_bias(tacSim *sim, const double *q, const double *v, tacKind kind, int id, tacVec6 *bias);

/* --- Maximal coordinates: every body as if it floated ------------------------------------------------------------- */

/* What all bodies do: as a free joint's coordinates and velocities, body by body, the world's first. A displacement has
 * 12 nbody numbers: 6 for each pose (position, world axes; turn, body axes), then 6 for each twist. */
typedef struct tacMaximal {
    double span;   /* s. 0: twists are velocities. Above: means over the time `span` before, along q (-) span v to q, as
                      contact ncp has them (docs/theory/ncp.md, W1) with span = dt */
    double *pose;  /* 7 nbody: position of the body's origin, quaternion; world frame */
    double *twist; /* 6 nbody: linear velocity of the origin, world axes; angular velocity, body axes */
} tacMaximal;

/* (x, u) -> z. jac (NULL skips): A is 12 nbody x ndx, B 12 nbody x ninput (mocap bodies), P 12 nbody x nparam (places
 * of bodies and joints). u may be NULL: mocap bodies stand where the model has them. */
TAC_API tacStatus tac_to_maximal(tacSim *sim, const double *x, const double *u, const tacMaximal *z, const tacJac *jac);

/* Coordinates of joints that bodies come nearest to their poses with, each from where its parent is. */
typedef struct tacMinimal {
    double *q;   /* nq. In: where the search begins, which tells the turns of a hinge and one of several ways in which
                  stacks of hinges do the same (q of a state near by, or of the model). Out: coordinates */
    double *v;   /* nv */
    double *jac; /* 2 nv x 12 nbody: d(q, v)/dz, exact where bodies agree with their joints; NULL skips. Where axes of a
                    stack coincide, the shortest of all displacements */
    double pose_residual, twist_residual; /* out: most that a body is off its joints by; m or rad, and a second */
} tacMinimal;

/* z -> (q, v), the inverse of tac_to_maximal for bodies that agree with their joints, and the least squares (a metre
 * counts as a radian) where they do not: out->pose_residual says so. Where mocap bodies are is not looked at. */
TAC_API tacStatus tac_to_minimal(tacSim *sim, const tacMaximal *z, tacMinimal *out);

/* A step's derivatives between bodies. With n = 12 nbody + na: of all bodies and activations, rows of the next
 * state. */
typedef struct tacMaximalStep {
    double span;   /* of twists, as above */
    double *y;     /* nx: the next state in joint coordinates; NULL skips */
    double *A;     /* n x n: along displacements of bodies that joints allow; NULL skips, as for the others */
    double *B, *P; /* n x ninput, n x nparam: at fixed joint coordinates x and span */
    void *memory;  /* 64-byte aligned */
    size_t bytes;  /* at least tac_step_maximal_bytes */
} tacMaximalStep;
/* tac_step_jac, carried over to maximal coordinates by the two maps at its start and end. */
TAC_API tacStatus tac_step_maximal_jac(tacSim *sim, const double *x, const double *u, const tacMaximalStep *step,
                                       tacStepInfo *info);
/* Bytes it needs for a model and options. */
TAC_API size_t tac_step_maximal_bytes(const tacModel *model, const tacOptions *options);

/* The gradient of ybar . (next bodies and activations) in reverse mode; n as above. Overwritten; NULL skips one. */
typedef struct tacMaximalGrad {
    double span;     /* of twists at both ends */
    const double *y; /* nx: in: what tac_step gives, where it is at hand; NULL: the step is taken first */
    double *z;       /* n: by bodies and activations, along displacements that joints allow */
    double *u;       /* ninput: this and the next at fixed joint coordinates x and span */
    double *theta;   /* nparam */
} tacMaximalGrad;
/* ybar[n] -> A^T ybar, B^T ybar, P^T ybar of tac_step_maximal_jac: tac_step_vjp between the two maps transposed. No
 * Jacobian is formed, no memory is needed beyond the simulation's. Statuses as for tac_step_jac. */
TAC_API tacStatus tac_step_maximal_vjp(tacSim *sim, const double *x, const double *u, const double *ybar,
                                       const tacMaximalGrad *grad, tacStepInfo *info);

/* --- Outputs: the same quantities as one vector z = g(x, u; theta), with derivatives ------------------------------ */

/* Numbers in z, nz; -1 where a kind or an id is not one of the model's. In the functions below such an id gives
 * TAC_ERR_ARGUMENT, and -1, a name that tac_model_find did not find, TAC_ERR_NAME. */
TAC_API int tac_outputs_size(const tacModel *model, const tacOutputs *outputs);
/* (x, u) -> z[nz]; the bits of the functions above where they give the same quantity. Mocap bodies are where u says. */
TAC_API tacStatus tac_outputs(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z);
/* The same with derivatives: jac.A is nz x ndx, jac.B nz x ninput, jac.P nz x nparam. z may be NULL. */
TAC_API tacStatus tac_outputs_jac(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z,
                                  const tacJac *jac);
/* zbar[nz] -> the gradient of zbar . z. A loss of outputs along a rollout gives tac_rollout_vjp's Xbar row by row, and
 * adds what of it is direct to the gradients of u and theta. */
TAC_API tacStatus tac_outputs_vjp(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs,
                                  const double *zbar, const tacGrad *grad);

/* --- Contacts ---------------------------------------------------------------------------------------------------- */

/* Contacts that simulations of a model have room for unless options say otherwise: 8 for each pair of geoms that have
 * collision bits, but no more than 64 and 16 for each such geom; and 8 for each explicit pair. */
TAC_API int tac_max_contacts(const tacModel *model);
/* (q, mocap) -> all contacts with dist at most the pair's margin + gap: by pair (geom[0], then geom[1]), within a pair
 * the one first that has the pair's signed distance. Which geoms may touch, and which is geom[0], is as in MuJoCo 3.x
 * (docs/theory/collision.md). u may be NULL: mocap bodies stand where the model has them. TAC_ERR_CONTACTS when there
 * are more than max or than the simulation has room for: out is untouched, *n is how many there are. */
TAC_API tacStatus tac_contacts(tacSim *sim, const double *q, const double *u, tacContact *out, int max, int *n);
/* The contacts of the step that starts at (x, u), with their forces, in the order of tac_contacts; those that the step
 * looks ahead to are among them, open or not; with tacOptions.toi those of each impact follow, where it happened. None
 * without a contact model. TAC_ERR_CONTACTS as above. Their derivatives: TAC_OUT_CONTACT_FORCE. */
TAC_API tacStatus tac_step_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max,
                                    int *n);
/* The same of every constraint of contact soft, equalities first, then friction, limits, contacts: in which zone each
 * is and how far from the next, which is why a gradient is what it is. TAC_ERR_UNSUPPORTED with other contact models;
 * what does not fit is TAC_ERR_CONTACTS with *n. */
TAC_API tacStatus tac_step_constraints(tacSim *sim, const double *x, const double *u, tacConstraint *out, int max,
                                       int *n);
/* The step that starts at (x, u) in plain sentences: whether it was solved, what the start breaks, which contacts carry
 * force, in which class and how far from the next, and why derivatives by friction or through a contact vanish. All of
 * it is derived from what the step found, and elements go by their names. text is cut to size and ends with a zero;
 * 2000 characters are enough for most steps. The status is the step's; text is empty where there is no next state. */
TAC_API tacStatus tac_explain_step(tacSim *sim, const double *x, const double *u, char *text, size_t size);
/* reason -> its one-line meaning, of a step; never NULL. */
TAC_API const char *tac_reason_text(tacReason reason);
/* The word of a contact model: "soft". */
TAC_API const char *tac_contact_text(tacContactModel contact);
/* How the search of the step that starts at (x, u) went: the first max of its *n iterations. The status is the step's.
 * TAC_ERR_UNSUPPORTED with contact models other than ncp. */
TAC_API tacStatus tac_step_history(tacSim *sim, const double *x, const double *u, tacIteration *out, int max, int *n);
/* Signed distance of two geoms, whether they may touch or not: Euclidean when apart, minus the least translation that
 * parts them when they overlap. The normal runs from geom1 to geom2. TAC_ERR_ARGUMENT for two planes, a geom and
 * itself, and what has no shape (height fields, geoms only for looks); TAC_ERR_NONFINITE where the square of the
 * distance overflows. */
TAC_API tacStatus tac_geom_distance(tacSim *sim, const double *q, const double *u, int geom1, int geom2,
                                    tacContact *out);

/* A ray and what it meets first. Fields up to ddist_dq are the caller's. World frame. */
typedef struct tacRay {
    tacVec3 from, along; /* m; along need not be of unit length */
    int excluded_body;   /* whose geoms are not looked at; -1: none */
    double *ddist_dq;    /* nv, tangent coordinates: exact, of the ray as it stands; NULL skips */
    int geom;            /* the nearest, or -1 */
    double dist;         /* m from `from`; TAC_RAY_NONE: there is none */
    tacVec3 point;
    tacVec3 normal; /* of the surface, outwards; by `from` the derivative of dist is -normal / (normal . along) */
} tacRay;
#define TAC_RAY_NONE (-1.0)
/* Down from the origin, without exceptions. */
TAC_API tacRay tac_default_ray(void);
/* (q, u) -> the nearest geom on a ray, of all shapes, whether they may touch anything or not; height fields and what is
 * only for looks are not seen. A mesh is its convex hull, as for contacts. A ray that begins inside a geom meets its
 * surface from within. u gives mocap poses and may be NULL. TAC_ERR_DEGENERATE: a derivative is asked for where the ray
 * grazes a surface. */
TAC_API tacStatus tac_ray(tacSim *sim, const double *q, const double *u, tacRay *ray);

/* Derivatives of a contact. Rows: dist, pos, normal, tangent[0], tangent[1]; columns as for steps. NULL skips one. */
enum { TAC_CONTACT_ROWS = 13 };
typedef struct tacContactJac {
    double *q;     /* TAC_CONTACT_ROWS x nv, tangent coordinates */
    double *u;     /* TAC_CONTACT_ROWS x ninput: mocap poses move contacts */
    double *theta; /* TAC_CONTACT_ROWS x nparam: places of bodies, joints and geoms, sizes, mesh scales... */
} tacContactJac;

/* Gradient of rowbar . (rows of a contact). NULL skips one. */
typedef struct tacContactGrad {
    double *q;     /* nv */
    double *u;     /* ninput */
    double *theta; /* nparam */
} tacContactGrad;

/* How a contact that tac_contacts or tac_geom_distance found at the same (q, u) moves, as long as the same features
 * touch (contact->switch_margin). Exact. TAC_ERR_DEGENERATE where they have no derivative. */
TAC_API tacStatus tac_contact_jac(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                                  const tacContactJac *jac);
/* The same in reverse: rowbar[TAC_CONTACT_ROWS]. */
TAC_API tacStatus tac_contact_vjp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                                  const double *rowbar, const tacContactGrad *grad);

/* How far a state is from satisfying its constraints, and what was done about it. */
typedef struct tacProjection {
    double tolerance;     /* in: m, rad: what counts as satisfied; 0: 1e-9 */
    void *memory;         /* in: 64-byte aligned */
    size_t bytes;         /* in: at least tac_project_bytes */
    double before, after; /* m, rad: the most that an equality is off, geoms overlap or a coordinate is out of range */
    tacConstraintKind kind; /* what that is, before */
    int id;                 /* joint, tendon, equality; -1: nothing is off */
    int geom[2];            /* of a contact */
    int iterations;
    double moved; /* sqrt(kg) m: length of the displacement of q in the kinetic metric */
} tacProjection;
/* x -> y, the state nearest to it (in the kinetic metric, to first order) at which loops are closed, nothing overlaps
 * and no joint or tendon is out of range; velocities lose what would open equalities. For every contact model, whether
 * its steps could do without or not. y may be x; NULL: nothing is done, and TAC_ERR_INCONSISTENT says that something is
 * off. TAC_ERR_UNSOLVED: constraints contradict each other or none was found near by: y is where they are broken least
 * (sum of squares), and out->after says by how much at most. Models with contacts and limits disabled have none. */
TAC_API tacStatus tac_project_state(tacSim *sim, const double *x, const double *u, double *y, tacProjection *out);
/* Bytes it needs for a model and options. */
TAC_API size_t tac_project_bytes(const tacModel *model, const tacOptions *options);

/* First impact among the geoms that may touch (as for tac_contacts, whatever their margins) over t in [0, h], as the
 * coordinates go along q (+) t v: the distance of two geoms falls to out->gap. None is missed, and pairs are all that
 * meet within 1e-9 h of the first. Two geoms that are at the gap or nearer to begin with count when they approach
 * (NEAR); when they do not, from where they come nearer than they were. u gives mocap poses and may be NULL. Gradients
 * are those of pair 0, and zero unless kind is HIT; TAC_ERR_DEGENERATE where they are asked for and the two only
 * graze (their points approach at less than 1e-6 of the speed at which they pass). On failure out->pair may hold what
 * was found so far; all else is untouched. */
TAC_API tacStatus tac_first_impact(tacSim *sim, const double *q, const double *v, const double *u, double h,
                                   tacImpact *out);

/* --- Random numbers and hashing, the same on every machine ------------------------------------------------------- */

/* (seed, stream, index) -> 64 random bits; no state. */
TAC_API uint64_t tac_random_bits(uint64_t seed, uint64_t stream, uint64_t index);
/* -> uniform in [0, 1). */
TAC_API double tac_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
/* -> standard normal. */
TAC_API double tac_random_normal(uint64_t seed, uint64_t stream, uint64_t index);
/* Bytes -> 64-bit hash, continuing from `start` (0 to begin). */
TAC_API uint64_t tac_hash(const void *bytes, size_t n, uint64_t start);

#ifdef __cplusplus
}
#endif
