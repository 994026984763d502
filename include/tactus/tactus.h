/* Tactus: a differentiable physics engine for articulated rigid bodies in contact.
 *
 *   y = step(x, u; theta)      x = [qpos | qvel | act]      u = [ctrl | qfrc_applied | xfrc_applied | mocap]
 *
 * Arrays are row major and caller-owned. Every call that can fail returns tacStatus. Failed calls do not change
 * outputs, with two exceptions: TAC_ERR_UNSOLVED and TAC_ERR_IMPACTS return a state (tac_step).
 * An `err` argument may be NULL. Invalid arguments are a NULL where it is not allowed, an id or count out of range, and
 * options not from tac_default_options. Calls answer them by TAC_ERR_ARGUMENT, TAC_ERR_NAME or TAC_ERR_OPTIONS, or, if
 * they return no status, by 0, -1, "" or no action. */
#pragma once

#include "tactus/batch.h"
#include "tactus/contact.h"
#include "tactus/ode.h"
#include "tactus/old_names.h"
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

/* A new builder with only the world body (id 0); NULL: out of memory. */
TAC_API tacBuilder *tac_model_begin(void);
/* Each adds one element and returns its id in order of adding, or -1. tac_model_finish reports the first failure. Add a
 * parent before its children. Joints of a body act in the order of adding. */
TAC_API int tac_model_add_body(tacBuilder *b, int parent, const tacBodyDef *def);
TAC_API int tac_model_add_joint(tacBuilder *b, int body, const tacJointDef *def);
TAC_API int tac_model_add_geom(tacBuilder *b, int body, const tacGeomDef *def);
TAC_API int tac_model_add_mesh(tacBuilder *b, const tacMeshDef *def);
/* Adds the bounded polytope normal_k . y <= offset_k, k < n, as a mesh. Normals may have any length. Redundant faces
 * are dropped. def gives the other properties; its vertices and triangles are not read. */
TAC_API int tac_model_add_mesh_faces(tacBuilder *b, const tacMeshDef *def, int n, const tacVec3 *normal,
                                     const double *offset);
TAC_API int tac_model_add_site(tacBuilder *b, int body, const tacSiteDef *def);
TAC_API int tac_model_add_tendon(tacBuilder *b, const tacTendonDef *def);
TAC_API int tac_model_add_actuator(tacBuilder *b, const tacActuatorDef *def);
TAC_API int tac_model_add_equality(tacBuilder *b, const tacEqualityDef *def);
TAC_API int tac_model_add_pair(tacBuilder *b, const tacPairDef *def);
TAC_API int tac_model_add_exclude(tacBuilder *b, const char *name, int body1, int body2);
TAC_API int tac_model_add_key(tacBuilder *b, const tacKeyDef *def);
TAC_API int tac_model_add_sensor(tacBuilder *b, const char *tag, const char *name);
TAC_API void tac_model_set_option(tacBuilder *b, const tacOptionDef *def);
/* Builder -> model: validates, lays out, derives. Joints, geoms and sites are numbered body by body, in the order of
 * adding within a body. Ids in errors are in order of adding. The builder stays valid, whether this fails or not. */
TAC_API tacStatus tac_model_finish(tacBuilder *b, tacModel **model, tacError *err);
/* Frees a builder; may be NULL. */
TAC_API void tac_builder_free(tacBuilder *b);
/* The same under its former name. */
TAC_API TAC_DEPRECATED("use tac_builder_free") void tac_model_abandon(tacBuilder *b);

/* --- Changing a model -------------------------------------------------------------------------------------------- */

/* A model -> a builder with its elements, ids, present numbers and keyframes. If nothing is changed, the finished model
 * has the same hash, except that it has no registered parameters. In keyframes, elements that are added later have
 * their defaults: qpos_0, zero, the pose of a mocap body. */
TAC_API tacStatus tac_model_edit(const tacModel *model, tacBuilder **builder, tacError *err);
/* (kind, name) -> id in the builder, or -1. */
TAC_API int tac_builder_find(const tacBuilder *b, tacKind kind, const char *name);
/* Number of elements of a kind in the builder. */
TAC_API int tac_builder_count(const tacBuilder *b, tacKind kind);
/* The options of the builder. Change them and pass them to tac_model_set_option. */
TAC_API tacStatus tac_builder_option(const tacBuilder *b, tacOptionDef *def);
/* Removes an element and everything that refers to it, as mjSpec does. A body is removed with its descendants and their
 * joints, geoms and sites, a mesh with its geoms, a joint with its tendons. Their actuators, equalities, pairs,
 * excludes and numbers in keyframes are removed, too. Sensors are only names, and stay. Ids have no gaps: those above a
 * removed one decrease. TAC_ERR_ARGUMENT: there is no such element, or it is the world. */
TAC_API tacStatus tac_model_remove(tacBuilder *b, tacKind kind, int id, tacError *err);
/* Attaches a copy of a model to body `parent` of the builder. Elements of its world are fixed to the parent, and
 * constraints to its world become constraints to the parent. Its options are not copied. def->body: copies this subtree
 * and the elements that refer to nothing outside of it, without keyframes. tac_model_finish reports names that are
 * taken, and free joints and mocap bodies that are not children of the world. */
TAC_API tacStatus tac_model_attach(tacBuilder *b, int parent, const tacModel *model, const tacAttachDef *def,
                                   tacError *err);

/* --- A model as a whole ------------------------------------------------------------------------------------------ */

/* Frees a model; may be NULL. */
TAC_API void tac_model_free(tacModel *model);
/* A deep copy. */
TAC_API tacStatus tac_model_copy(const tacModel *model, tacModel **copy, tacError *err);
/* Bytes that tac_model_pack writes. */
TAC_API size_t tac_model_pack_bytes(const tacModel *model);
/* Model -> bytes, little endian, with version and checksum. */
TAC_API tacStatus tac_model_pack(const tacModel *model, void *bytes, size_t size, tacError *err);
/* Bytes -> model. Damaged, truncated or foreign bytes are an error. */
TAC_API tacStatus tac_model_unpack(const void *bytes, size_t size, tacModel **model, tacError *err);
/* Hash of the whole model, including registered parameters. */
TAC_API uint64_t tac_model_hash(const tacModel *model);
/* (kind, name) -> id; -1: none. No function accepts -1 as an element. */
TAC_API int tac_model_find(const tacModel *model, tacKind kind, const char *name);
/* (kind, id) -> name; "": none. */
TAC_API const char *tac_model_name(const tacModel *model, tacKind kind, int id);
/* (kind, id) -> its label in messages, written to text (cut to size). Returns text; "": size is 0. The label is the
 * name in quotes, "foot". Unnamed geoms, sites and joints have number and body, #3 of "torso" or #3 of body #2. Other
 * unnamed elements have the number, #3. Body 0 is the world. */
TAC_API const char *tac_model_label(const tacModel *model, tacKind kind, int id, char *text, size_t size);
/* Number of elements of a kind. */
TAC_API int tac_model_count(const tacModel *model, tacKind kind);
/* Keyframe `key` (tac_model_find of TAC_KIND_KEY) -> its state x[nx] and input u[ninput] for these options: ctrl, mocap
 * poses if options.inputs has them, zero forces. x or u may be NULL; options may be NULL if u is. TAC_ERR_NAME: no such
 * keyframe; the text lists all keyframes. */
TAC_API tacStatus tac_key_state(const tacModel *model, const tacOptions *options, int key, double *x, double *u,
                                tacError *err);

/* --- Parameters by path: body/torso.mass, geom/foot.size[0], joint/knee.damping, option.gravity[2] ---------------- */

/* Number of settable numbers in the model. */
TAC_API int tac_param_count(const tacModel *model);
/* i-th settable number -> its path, written to text (cut to size). Unnamed elements have their index:
 * geom/#3.size[0]. */
TAC_API tacStatus tac_param_path(const tacModel *model, int i, char *text, size_t size);
/* Path -> value. */
TAC_API tacStatus tac_param_get(const tacModel *model, const char *path, double *value, tacError *err);
/* Sets the number and recomputes all that depends on it, to the same bits as loading an edited file. Only before the
 * model is shared. A body may have its inertia from geoms. Setting or registering its mass, ipos, iquat or inertia
 * fixes these values: they no longer depend on the geoms. Axes and quaternions are normalized after a component is
 * set. */
TAC_API tacStatus tac_param_set(tacModel *model, const char *path, double value, tacError *err);
/* Registers a parameter: simulations created afterwards have their own copy of it. Its index is in *index (may be
 * NULL). Registering twice gives the same index. Numbers without a derivative, which change how other numbers are read,
 * are refused with the reason.
 *
 * A contact has the larger friction of its two geoms (docs/guide/gradients.md lists all mixed numbers). If both are
 * equal, the step has a kink, and each geom's number gets half the derivative: register the two as a group. */
TAC_API tacStatus tac_param_register(tacModel *model, const char *path, int *index, tacError *err);
/* Registers n numbers as one parameter. All have its value, and its derivative is the sum of theirs. They must be
 * equal; the error names two that are not. A number that is registered already, alone or in another group, is refused.
 * So is option.timestep. The same group again gives the same index. tac_param_set of a member sets all members. */
TAC_API tacStatus tac_param_register_group(tacModel *model, const char *const *paths, int n, int *index, tacError *err);
/* (registered parameter k, member of its group; 0 without a group) -> path, as of tac_param_path. TAC_ERR_ARGUMENT:
 * there is none. */
TAC_API tacStatus tac_param_registered(const tacModel *model, int k, int member, char *text, size_t size);

/* --- Simulation -------------------------------------------------------------------------------------------------- */

/* The model's options: MJCF's integrator and timestep, contact soft, only ctrl in u. */
TAC_API tacOptions tac_default_options(const tacModel *model);
/* Option i, from 0; NULL after the last. */
TAC_API const tacOptionInfo *tac_option_info(int i);
/* Sets an option by name to a word or a number: ("contact", "ncp"), ("ncp_kappa", "1e-6"). */
TAC_API tacStatus tac_option_set(tacOptions *options, const char *name, const char *text, tacError *err);
/* Bytes of a simulation; 0: tac_sim_create refuses the options. */
TAC_API size_t tac_sim_bytes(const tacModel *model, const tacOptions *options);
/* Creates a simulation in caller-owned memory (64-byte aligned, at least tac_sim_bytes). Do not call tac_sim_free. */
TAC_API tacStatus tac_sim_create(const tacModel *model, const tacOptions *options, void *memory, size_t bytes,
                                 tacSim **sim, tacError *err);
/* tac_sim_create with malloc. The model must outlive the simulation. P and theta have the parameters that were
 * registered when it was created. */
TAC_API tacStatus tac_sim_new(const tacModel *model, const tacOptions *options, tacSim **sim, tacError *err);
TAC_API void tac_sim_free(tacSim *sim);
/* The options in use, with the integrator that runs: TAC_INTEGRATOR_EULER for lcp and ncp if they do not support the
 * model's. */
TAC_API tacStatus tac_sim_options(const tacSim *sim, tacOptions *options);
/* Text of the last failed call with this simulation: the call, and the argument, entry, element, size or solve in
 * error. "": no failure yet. Valid until the next failure. Calls with a const simulation do not change it. Batches have
 * no simulation: to get the text of a world, run that world in a simulation. */
TAC_API const char *tac_sim_error(const tacSim *sim);
/* Sizes of x, of a displacement of x, and of u for these options. */
TAC_API int tac_nx(const tacModel *model);
TAC_API int tac_ndx(const tacModel *model); /* 2 nv + na */
TAC_API int tac_ninput(const tacModel *model, const tacOptions *options);
/* Peak of scratch bytes used by this simulation. */
TAC_API size_t tac_sim_peak(const tacSim *sim);
/* Copies the registered parameters out of (into) the simulation: theta[nparam]. Setting recomputes all that depends on
 * them. Invalid values are refused, and nothing changes. The value of option.timestep is dt; it starts as
 * options.dt. */
TAC_API tacStatus tac_sim_get_params(const tacSim *sim, double *theta);
TAC_API tacStatus tac_sim_set_params(tacSim *sim, const double *theta);

/* Changes ncp_gradient_kappa for the calls that follow, without a new simulation: 0, or TAC_NCP_LEAST_KAPPA or more.
 * TAC_ERR_UNSUPPORTED: the contact model is not ncp, and kappa is not 0. */
TAC_API tacStatus tac_sim_set_gradient_kappa(tacSim *sim, double kappa);

/* x = (qpos_0, 0, 0) with activations inside their range. u = 0 with mocap poses from the model. */
TAC_API void tac_default_state(const tacModel *model, double *x);
TAC_API void tac_default_input(const tacModel *model, const tacOptions *options, double *u);
/* u -> its block xfrc_applied, one entry a body, the world first. NULL: the options have no such block. */
TAC_API tacForceTorque *tac_input_forces(const tacModel *model, const tacOptions *options, double *u);
/* (qvel, joint) -> the six velocities of a free joint. NULL: the joint is no free joint. */
TAC_API tacTwist *tac_free_twist(const tacModel *model, int joint, double *qvel);
/* q (+) d -> out (nq); out may be q. */
TAC_API void tac_qpos_add(const tacModel *model, const double *q, const double *d, double *out);
/* q2 (-) q1 -> d (nv). */
TAC_API void tac_qpos_sub(const tacModel *model, const double *q2, const double *q1, double *d);
/* Gradients by the plain numbers of q, quaternions with four, and gradients in the tangent space. down: g[nq] by the
 * numbers of q -> d[nv] by the displacement e of q (+) e, for unit quaternions. up: d[nv] by the displacement of
 * q/|q| -> g[nq] by the numbers of q, of any length; what a step returns for its x. No array may overlap another. */
TAC_API void tac_covector_down(const tacModel *model, const double *q, const double *g, double *d);
TAC_API void tac_covector_up(const tacModel *model, const double *q, const double *d, double *g);

/* y = f(x, u). y may be x. info may be NULL. TAC_ERR_UNSOLVED: y is the best state found, with info->residual.
 * TAC_ERR_IMPACTS: y is the state after the last impact, without overlap. Every other failure leaves y
 * unchanged. */
TAC_API tacStatus tac_step(tacSim *sim, const double *x, const double *u, double *y, tacStepInfo *info);
/* The same map, to the bit, and its derivatives at (x, u). y may be NULL. With TAC_ERR_UNSOLVED and TAC_ERR_IMPACTS,
 * jac has the derivatives of the computation of y. TAC_ERR_NONFINITE: derivatives overflow. With ncp_gradient_kappa,
 * derivatives have a solve of their own; info->kappa says which of the two is unsolved. */
TAC_API tacStatus tac_step_jac(tacSim *sim, const double *x, const double *u, double *y, const tacJac *jac,
                               tacStepInfo *info);
/* Reverse mode: ybar[ndx] -> gradient of ybar . f(x, u; theta). Statuses as for tac_step_jac. */
TAC_API tacStatus tac_step_vjp(tacSim *sim, const double *x, const double *u, const double *ybar, const tacGrad *grad,
                               tacStepInfo *info);
/* Forward mode: dy[ndx] = A dx + B du + P dtheta, with dx[ndx], du[ninput], dtheta[nparam]; NULL: zero. For
 * models of some size it costs less than tac_step_jac (docs/guide/gradients.md). It forms the Jacobian with toi,
 * implicit Coriolis forces, TAC_GRADIENT_BOUNCE and few degrees of freedom. Statuses as for tac_step_jac. */
TAC_API tacStatus tac_step_jvp(tacSim *sim, const double *x, const double *u, const double *dx, const double *du,
                               const double *dtheta, double *dy, tacStepInfo *info);
/* X[0] = x0, X[k+1] = f(X[k], U[k]); X is (n+1) by nx, U is n by ninput. Stops at the first failure without a next
 * state. Otherwise the status is that of the first step that was not TAC_OK. info is that of the last step, except:
 * status; start and violation, which are of x0; energy_gain, which is the sum; and the counts of all steps, which are
 * steps, unsolved, first_unsolved, worst_residual. */
TAC_API tacStatus tac_rollout(tacSim *sim, const double *x0, const double *U, int n, double *X, tacStepInfo *info);
/* Reverse mode of a rollout: the gradient of a loss of its states by x0 (grad.x, ndx), U (grad.u, n by ninput) and
 * theta.
 *
 * States: with path->X they are read from there, and memory->count has no effect. Otherwise memory->count states are
 * kept and the others recomputed, at most about log(n) / log(count) times each (count 0: each from x0). The result is
 * the same to the bit for any count. `memory` must not be NULL, as it holds scratch even for count 0.
 * TAC_ERR_ARENA_FULL: it has less than tac_rollout_vjp_bytes.
 *
 * Status: like tac_rollout it continues while there is a next state. It returns the status of the last step that was
 * not TAC_OK. info has the status, the counts of all steps, and start and violation of x0; the rest is zero. Other
 * failures leave grad.x and grad.theta unchanged. If the gradient overflows (TAC_ERR_NONFINITE), the last rows of
 * grad.u are written. */
TAC_API tacStatus tac_rollout_vjp(tacSim *sim, const tacTrajectory *path, const tacCheckpoints *memory,
                                  const tacGrad *grad, tacStepInfo *info);
/* Bytes of its memory for n steps and `checkpoints` kept states (0 with path->X). More than n - 2 states have no
 * effect, and take no more bytes. */
TAC_API size_t tac_rollout_vjp_bytes(const tacModel *model, int n, int checkpoints);

/* Forward mode of a rollout: X as of tac_rollout, and dX[k], (n+1) by ndx, the derivative of X[k] along x0, U and
 * theta. Statuses and info are those of tac_rollout, without energy_gain and violation. A failure without a next state
 * ends X and dX with the rows before it. */
TAC_API tacStatus tac_rollout_jvp(tacSim *sim, const double *x0, const double *U, int n, const tacTangent *along,
                                  double *X, double *dX, tacStepInfo *info);

/* n independent worlds on `threads` threads: Y[i] = f(X[i], U[i]). Each of these calls creates and frees a tacBatch
 * (batch.h). For many calls, keep a tacBatch. For all batches: the bits are the same for any number of threads. If a
 * world fails, its block of the results is as after tac_step, and all other worlds are computed. The status is that of
 * the first such world. options->batch_info[i], if given, is the info of world i. A thread that is cancelled
 * (pthread_cancel) completes its batch first. */
TAC_API tacStatus tac_batch_step(const tacModel *model, const tacOptions *options, int n, const double *X,
                                 const double *U, double *Y, int threads);
/* n rollouts of `steps` steps: X is n by (steps+1) by nx with X[i][0] given, U is n by steps by ninput. */
TAC_API tacStatus tac_batch_rollout(const tacModel *model, const tacOptions *options, int n, int steps, double *X,
                                    const double *U, int threads);
/* tac_step_jac of n worlds. Each array of Y and jac has one block per world, in order. Y may be NULL. */
TAC_API tacStatus tac_batch_step_jac(const tacModel *model, const tacOptions *options, int n, const double *X,
                                     const double *U, double *Y, const tacJac *jac, int threads);
/* tac_step_vjp of n worlds. grad.theta is n by nparam: one gradient per world. */
TAC_API tacStatus tac_batch_step_vjp(const tacModel *model, const tacOptions *options, int n, const double *X,
                                     const double *U, const double *Ybar, const tacGrad *grad, int threads);
/* tac_step_jvp of n worlds: arrays of `along` have one block per world, dY is n by ndx. */
TAC_API tacStatus tac_batch_step_jvp(const tacModel *model, const tacOptions *options, int n, const double *X,
                                     const double *U, const tacTangent *along, double *dY, int threads);
/* tac_rollout_jvp of n worlds from X0 (n by nx): U and along->u are n by steps by ninput, along->x and along->theta
 * have one row per world, X is n by (steps+1) by nx, dX n by (steps+1) by ndx. */
TAC_API tacStatus tac_batch_rollout_jvp(const tacModel *model, const tacOptions *options, int n, int steps,
                                        const double *X0, const double *U, const tacTangent *along, double *X,
                                        double *dX, int threads);
/* tac_rollout_vjp of n worlds. Each array of path and grad has one block per world. Each thread allocates memory for
 * `checkpoints` states. */
TAC_API tacStatus tac_batch_rollout_vjp(const tacModel *model, const tacOptions *options, int n,
                                        const tacTrajectory *path, int checkpoints, const tacGrad *grad, int threads);

/* --- Quantities: pure functions of their arguments; the simulation is only a workspace ---------------------------- */

/* Positions and orientations in the world frame. Arrays are caller-owned; NULL skips one. */
typedef struct tacKinematics {
    tacVec3 *xpos, *xipos;           /* nbody: body origins, centres of mass */
    tacQuat *xquat;                  /* nbody */
    tacVec3 *geom_pos, *site_pos;    /* ngeom, nsite */
    tacMat3 *geom_mat, *site_mat;    /* ngeom, nsite */
    tacVec3 *joint_pos, *joint_axis; /* njnt */
    tacVec3 *subtree_com;            /* nbody: centre of mass of each subtree; entry 0: of the whole model */
} tacKinematics;

/* q -> frames. */
TAC_API tacStatus tac_kinematics(tacSim *sim, const double *q, const double *u, tacKinematics *out);
/* (q, v) -> velocity of each body at its origin, world axes. */
TAC_API tacStatus tac_body_velocity(tacSim *sim, const double *q, const double *v, tacVec6 *velocity);
/* Jacobian of a world point fixed to a body: jacp, jacr are 3 x nv (linear, angular velocity); NULL skips one. */
TAC_API tacStatus tac_point_jacobian(tacSim *sim, const double *q, int body, tacVec3 point, double *jacp, double *jacr);
/* The same for the frame of a body, geom or site: at its origin, world axes. */
TAC_API tacStatus tac_frame_jacobian(tacSim *sim, const double *q, tacKind kind, int id, double *jacp, double *jacr);
/* q -> M (nv x nv, dense, armature included). */
TAC_API tacStatus tac_mass_matrix(tacSim *sim, const double *q, double *M);
/* (q, r) -> M^-1 r by sparse factorization; out may be r. */
TAC_API tacStatus tac_mass_solve(tacSim *sim, const double *q, const double *r, double *out);
/* (q, v) -> c(q, v): Coriolis, centrifugal, gravity. */
TAC_API tacStatus tac_bias(tacSim *sim, const double *q, const double *v, double *bias);
/* (q, v, a) -> M a + c, by recursive Newton-Euler with armature. */
TAC_API tacStatus tac_inverse_dynamics(tacSim *sim, const double *q, const double *v, const double *a, double *tau);
/* (q, v, tau) -> a with M a + c = tau, by the articulated-body algorithm. */
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
/* (q, v, a) -> Y, nv x 10 nbody: tau of inverse dynamics is Y pi plus the forces of armature.
 * Y is the exact derivative of tau by pi; columns of body b start at 10 b, and those of the world are zero. */
TAC_API tacStatus tac_inertial_regressor(tacSim *sim, const double *q, const double *v, const double *a, double *Y);
/* -> pi, 10 nbody: the inertial parameters of the bodies of the simulation. */
TAC_API tacStatus tac_inertial_params(tacSim *sim, double *pi);
/* (q, v) -> forces of springs, dampers and gravity compensation. */
TAC_API tacStatus tac_passive(tacSim *sim, const double *q, const double *v, double *passive);

/* Actuator quantities; NULL skips one. */
typedef struct tacActuation {
    double *length, *velocity, *force; /* nu */
    double *moment;                    /* nu x nv */
    double *act_dot;                   /* na */
    double *qfrc;                      /* nv: joint forces, after clamping at joints */
} tacActuation;
/* (x, u) -> actuator quantities. */
TAC_API tacStatus tac_actuation(tacSim *sim, const double *x, const double *u, tacActuation *out);
/* (q, v) -> tendon lengths and velocities (ntendon each; NULL skips one). */
TAC_API tacStatus tac_tendons(tacSim *sim, const double *q, const double *v, double *length, double *velocity);
/* (x, u) -> qacc in continuous time: with constraints for contact soft, without for the others. */
TAC_API tacStatus tac_acceleration(tacSim *sim, const double *x, const double *u, double *qacc);

typedef struct tacEnergy {
    double kinetic, potential; /* potential: gravity and springs */
} tacEnergy;
TAC_API tacStatus tac_energy(tacSim *sim, const double *q, const double *v, tacEnergy *energy);
/* (q, v) -> angular momentum about the whole model's centre of mass, and linear momentum. */
TAC_API tacStatus tac_momentum(tacSim *sim, const double *q, const double *v, tacVec6 *momentum);

/* q -> A, 6 x nv, the centroidal momentum matrix: A v is tac_momentum (rows 0 to 2 angular, 3 to 5 linear). It is the
 * exact derivative of momentum by velocity. */
TAC_API tacStatus tac_momentum_matrix(tacSim *sim, const double *q, double *A);
/* (q, v) -> dJ/dt v of the frame of a body, geom or site, world axes at its origin: its angular and linear acceleration
 * minus J a, without gravity. J: tac_frame_jacobian. */
TAC_API tacStatus tac_frame_bias(tacSim *sim, const double *q, const double *v, tacKind kind, int id, tacVec6 *bias);

/* --- Maximal coordinates: every body as a free body --------------------------------------------------------------- */

/* Poses and twists of all bodies, as coordinates and velocities of free joints, the world first. A displacement has
 * 12 nbody numbers: 6 for each pose (position, world axes; rotation, body axes), then 6 for each twist. */
typedef struct tacMaximal {
    double span;   /* s. 0: twists are velocities. Above 0: means over the time `span` before, along q (-) span v to q;
                      those of contact ncp (docs/theory/ncp.md, W1) have span = dt */
    double *pose;  /* 7 nbody: position of the body's origin, quaternion; world frame */
    double *twist; /* nbody times the six numbers of tacTwist */
} tacMaximal;

/* (x, u) -> z. jac (NULL skips): A is 12 nbody x ndx, B 12 nbody x ninput (mocap bodies), P 12 nbody x nparam (poses of
 * bodies and joints). u may be NULL: mocap bodies have the model's poses. */
TAC_API tacStatus tac_to_maximal(tacSim *sim, const double *x, const double *u, const tacMaximal *z, const tacJac *jac);

/* Joint coordinates for which bodies are nearest to their poses, each relative to its parent's pose. */
typedef struct tacMinimal {
    double *q;   /* nq. In: start of the search (q of a nearby state, or of the model). It decides the whole turns of a
                  hinge, and which of several solutions of a stack of hinges is found. Out: coordinates */
    double *v;   /* nv */
    double *jac; /* 2 nv x 12 nbody: d(q, v)/dz, exact if bodies satisfy their joints; NULL skips. If axes of a stack
                    coincide, the shortest displacement */
    double pose_residual, twist_residual; /* out: largest violation of joints; m or rad, m/s or rad/s */
} tacMinimal;

/* z -> (q, v), the inverse of tac_to_maximal for bodies that satisfy their joints. For others it is the least-squares
 * solution (a metre counts as a radian), with out->pose_residual. Poses of mocap bodies are not read. */
TAC_API tacStatus tac_to_minimal(tacSim *sim, const tacMaximal *z, tacMinimal *out);

/* Derivatives of a step in maximal coordinates: n = 12 nbody + na numbers, bodies then activations. Rows: next
 * state. */
typedef struct tacMaximalStep {
    double span;   /* of twists, as above */
    double *y;     /* nx: the next state in joint coordinates; NULL skips */
    double *A;     /* n x n: along displacements that joints allow; NULL skips, as for B and P */
    double *B, *P; /* n x ninput, n x nparam: at fixed joint coordinates x and span */
    void *memory;  /* 64-byte aligned */
    size_t bytes;  /* at least tac_step_maximal_bytes */
} tacMaximalStep;
/* tac_step_jac in maximal coordinates, by the chain rule with the two maps above. */
TAC_API tacStatus tac_step_maximal_jac(tacSim *sim, const double *x, const double *u, const tacMaximalStep *step,
                                       tacStepInfo *info);
/* Bytes of its memory. */
TAC_API size_t tac_step_maximal_bytes(const tacModel *model, const tacOptions *options);

/* A direction between bodies; NULL: zero. */
typedef struct tacMaximalTangent {
    double span;         /* of twists at both ends */
    const double *z;     /* n: of bodies and activations at the start, n as above */
    const double *u;     /* ninput */
    const double *theta; /* nparam */
} tacMaximalTangent;
/* Forward mode: dz[n] = A z + B u + P theta of tac_step_maximal_jac. It forms no matrix. Statuses as for
 * tac_step_jac. */
TAC_API tacStatus tac_step_maximal_jvp(tacSim *sim, const double *x, const double *u, const tacMaximalTangent *along,
                                       double *dz, tacStepInfo *info);

/* The gradient of ybar . (next bodies and activations) in reverse mode; n as above. Overwritten; NULL skips one. */
typedef struct tacMaximalGrad {
    double span;     /* of twists at both ends */
    const double *y; /* nx: in: the result of tac_step, if known; NULL: computed */
    double *z;       /* n: by bodies and activations, along displacements that joints allow */
    double *u;       /* ninput: u and theta at fixed joint coordinates x and span */
    double *theta;   /* nparam */
} tacMaximalGrad;
/* ybar[n] -> A^T ybar, B^T ybar, P^T ybar of tac_step_maximal_jac, by tac_step_vjp between the two transposed maps. It
 * forms no Jacobian and needs no further memory. Statuses as for tac_step_jac. */
TAC_API tacStatus tac_step_maximal_vjp(tacSim *sim, const double *x, const double *u, const double *ybar,
                                       const tacMaximalGrad *grad, tacStepInfo *info);

/* --- Outputs: the same quantities as one vector z = g(x, u; theta), with derivatives ------------------------------ */

/* Length of z, nz; -1: a kind or id that the model does not have. For the functions below such an id is
 * TAC_ERR_ARGUMENT; the id -1, of a name that tac_model_find did not find, is TAC_ERR_NAME. */
TAC_API int tac_outputs_size(const tacModel *model, const tacOutputs *outputs);
/* (x, u) -> z[nz], to the bit as from the functions above. Mocap poses are those of u. */
TAC_API tacStatus tac_outputs(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z);
/* The same with derivatives: jac.A is nz x ndx, jac.B nz x ninput, jac.P nz x nparam. z may be NULL. */
TAC_API tacStatus tac_outputs_jac(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs, double *z,
                                  const tacJac *jac);
/* zbar[nz] -> the gradient of zbar . z. For a loss of outputs along a rollout, grad.x is a row of Xbar for
 * tac_rollout_vjp; grad.u and grad.theta are added to its result. */
TAC_API tacStatus tac_outputs_vjp(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs,
                                  const double *zbar, const tacGrad *grad);

/* dz[nz] = the derivative of z along dx (ndx), du (ninput), dtheta (nparam); NULL in `along`: zero. Forces on dofs and
 * bodies, and accelerations, cost as much as with tac_outputs_jac. */
TAC_API tacStatus tac_outputs_jvp(tacSim *sim, const double *x, const double *u, const tacOutputs *outputs,
                                  const tacTangent *along, double *dz);

/* --- Contacts ---------------------------------------------------------------------------------------------------- */

/* Default of tacOptions.max_contacts: 8 for each pair of geoms with collision bits, at most 64 plus 16 for each such
 * geom; and 8 for each explicit pair. */
TAC_API int tac_max_contacts(const tacModel *model);
/* (q, mocap) -> all contacts with dist at most the pair's margin + gap. They are sorted by geom[0], then geom[1]; the
 * first of a pair has the pair's signed distance. MuJoCo 3.x defines which geoms may touch, and which is geom[0]
 * (docs/theory/collision.md). u may be NULL: mocap bodies have the model's poses. TAC_ERR_CONTACTS: there are more than
 * max or than the simulation has room for; out is unchanged, and *n is their number. */
TAC_API tacStatus tac_contacts(tacSim *sim, const double *q, const double *u, tacContact *out, int max, int *n);
/* The contacts of the step that starts at (x, u), with their forces, in the order of tac_contacts. They include those
 * that the step looks ahead to, open or not. With tacOptions.toi the contacts of each impact follow, at its time. None
 * with TAC_CONTACT_MODEL_NONE. TAC_ERR_CONTACTS as above. */
TAC_API tacStatus tac_step_contacts(tacSim *sim, const double *x, const double *u, tacContactForce *out, int max,
                                    int *n);
/* Derivatives of the forces of these contacts, in their order: rows 3 k, 3 k + 1, 3 k + 2 are force[0], force[1],
 * force[2] of contact k. jac.A has room for 3 max x ndx numbers, jac.B 3 max x ninput, jac.P 3 max x nparam; the first
 * 3 *n rows are written. Forces are those of an exact solution: soft at the start of the step, lcp and ncp means over
 * it. For derivatives of point, normal, tangents and distance give a contact to tac_contact_jac; with ncp the contact
 * is listed at the start of the step, its force acts at the end. With tacOptions.toi forces change with the times of
 * impacts, too. TAC_ERR_CONTACTS: more than max; *n is their number. */
TAC_API tacStatus tac_step_contacts_jac(tacSim *sim, const double *x, const double *u, const tacJac *jac, int max,
                                        int *n);
/* All constraints of such a step with contact soft: equalities, friction, limits, contacts. The zone of each, and its
 * distance to the next, explain the gradient. TAC_ERR_UNSUPPORTED: another contact model. TAC_ERR_CONTACTS: more than
 * max; *n is their number. */
TAC_API tacStatus tac_step_constraints(tacSim *sim, const double *x, const double *u, tacConstraint *out, int max,
                                       int *n);
/* The step that starts at (x, u) in plain sentences: whether it was solved, which constraints the start violates, which
 * contacts have a force, their state and its margin, and why derivatives by friction or through a contact vanish.
 * Elements have their names. text is cut to size and ends with a zero; 2000 characters are enough for most steps. The
 * status is that of the step. text is empty if there is no next state. */
TAC_API tacStatus tac_explain_step(tacSim *sim, const double *x, const double *u, char *text, size_t size);
/* reason -> its one-line meaning; never NULL. */
TAC_API const char *tac_reason_text(tacReason reason);
/* The word of a contact model: "soft". */
TAC_API const char *tac_contact_text(tacContactModel contact);
/* The first max of the *n solver iterations of the step that starts at (x, u). The status is that of the step.
 * TAC_ERR_UNSUPPORTED: the contact model is not ncp. */
TAC_API tacStatus tac_step_history(tacSim *sim, const double *x, const double *u, tacIteration *out, int max, int *n);
/* Signed distance of two geoms, whether they may touch or not. Apart: Euclidean. Overlapping: minus the least
 * separating translation. The normal points from geom1 to geom2. TAC_ERR_ARGUMENT: two planes, a geom and itself, or a
 * geom without a shape (height field, visual geom). TAC_ERR_NONFINITE: the square of the distance overflows. */
TAC_API tacStatus tac_geom_distance(tacSim *sim, const double *q, const double *u, int geom1, int geom2,
                                    tacContact *out);

/* Growth distance of two geoms, with pads and sums, at a kappa in (0, 1]. The normal points from the first geom to the
 * second. At most max_duals numbers are written to duals. TAC_ERR_ARGUMENT: kappa, or two geoms without a growth
 * distance (as tac_geom_distance). TAC_ERR_DEGENERATE: centres coincide so that there is no normal. TAC_ERR_NONFINITE:
 * a number overflows. On failure out is unchanged, except with TAC_ERR_UNSOLVED: out is the best point found. */
TAC_API tacStatus tac_geom_growth(tacSim *sim, const double *q, const double *u, int geom1, int geom2, double kappa,
                                  tacGrowth *out);
/* The same for two different bodies, each the union of its geoms: the smallest alpha of all pairs of geoms. Collision
 * bits have no effect. Pairs whose bounding balls prove a larger alpha are skipped. TAC_ERR_ARGUMENT: one body has no
 * geom with a shape. */
TAC_API tacStatus tac_body_growth(tacSim *sim, const double *q, const double *u, int body1, int body2, double kappa,
                                  tacGrowth *out);
/* Rows of a growth's derivative: alpha, dual, gap, point (3), normal (3), barrier. */
enum { TAC_GROWTH_ROWS = 10 };
/* Derivatives by q (tangent), by u (as ninput), by theta; row major; NULL skips one. */
typedef struct tacGrowthJac {
    double *q, *u, *theta;                   /* TAC_GROWTH_ROWS x nv, x ninput, x nparam */
    double *duals_q, *duals_u, *duals_theta; /* nduals rows each, of the duals */
} tacGrowthJac;
typedef struct tacGrowthGrad {
    double *q, *u, *theta; /* nv, ninput, nparam */
} tacGrowthGrad;
/* Exact derivatives of the growth distance of growth->geom at growth->kappa. Other fields of growth are not read. The
 * rows are smooth at any distance or overlap. The row of the barrier's value needs no linear system. TAC_ERR_DEGENERATE
 * as above, and where a pad of 0 is a parameter. */
TAC_API tacStatus tac_growth_jac(tacSim *sim, const double *q, const double *u, const tacGrowth *growth,
                                 const tacGrowthJac *jac);
/* The same in reverse mode from one factored system: rowbar[TAC_GROWTH_ROWS]. */
TAC_API tacStatus tac_growth_vjp(tacSim *sim, const double *q, const double *u, const tacGrowth *growth,
                                 const double *rowbar, const tacGrowthGrad *grad);

/* A ray and its first hit, world frame. The caller sets the fields up to ddist_dq. */
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
/* (q, u) -> the first geom on a ray. Collision bits have no effect. Height fields and visual geoms are ignored. A mesh
 * is its convex hull, as for contacts. A ray that begins inside a geom hits its surface from inside. u gives mocap
 * poses and may be NULL. TAC_ERR_DEGENERATE: a derivative is asked for where the ray grazes a surface. */
TAC_API tacStatus tac_ray(tacSim *sim, const double *q, const double *u, tacRay *ray);

/* Derivatives of a contact. Rows: dist, pos, normal, tangent[0], tangent[1]; columns as for steps. NULL skips one. */
enum { TAC_CONTACT_ROWS = 13 };
typedef struct tacContactJac {
    double *q;     /* TAC_CONTACT_ROWS x nv, tangent coordinates */
    double *u;     /* TAC_CONTACT_ROWS x ninput: mocap poses move contacts */
    double *theta; /* TAC_CONTACT_ROWS x nparam: poses of bodies, joints and geoms, sizes, mesh scales... */
} tacContactJac;

/* Gradient of rowbar . (rows of a contact). NULL skips one. */
typedef struct tacContactGrad {
    double *q;     /* nv */
    double *u;     /* ninput */
    double *theta; /* nparam */
} tacContactGrad;

/* Exact derivatives of a contact from tac_contacts or tac_geom_distance at the same (q, u). They hold while the same
 * features touch (contact->switch_margin). TAC_ERR_DEGENERATE: the features have no derivative. */
TAC_API tacStatus tac_contact_jac(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                                  const tacContactJac *jac);
/* The same along one direction: drows[TAC_CONTACT_ROWS]. Of along->x (ndx) the first nv numbers count. */
TAC_API tacStatus tac_contact_jvp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                                  const tacTangent *along, double *drows);
/* The same in reverse mode: rowbar[TAC_CONTACT_ROWS]. */
TAC_API tacStatus tac_contact_vjp(tacSim *sim, const double *q, const double *u, const tacContact *contact,
                                  const double *rowbar, const tacContactGrad *grad);

/* Projection of a state on its constraints: settings and result. */
typedef struct tacProjection {
    double tolerance;       /* in: m, rad: largest violation that counts as none; 0: 1e-9 */
    void *memory;           /* in: 64-byte aligned */
    size_t bytes;           /* in: at least tac_project_bytes */
    double before, after;   /* m, rad: largest gap of an equality, overlap, or distance beyond a range */
    tacConstraintKind kind; /* of the largest violation before */
    int id;                 /* joint, tendon, equality; -1: no violation */
    int geom[2];            /* of a contact */
    int iterations;
    double moved; /* sqrt(kg) m: length of the displacement of q in the kinetic metric */
} tacProjection;
/* x -> y, the nearest state (in the kinetic metric, to first order) at which loops are closed, nothing overlaps and no
 * joint or tendon is out of range. Velocities are projected on those that keep equalities closed. Works for every
 * contact model. Disabled contacts and limits do not count. y may be x. y NULL: only checks; TAC_ERR_INCONSISTENT:
 * there is a violation. TAC_ERR_UNSOLVED: constraints contradict each other, or no such state was found nearby; y then
 * has the least sum of squared violations, and out->after is the largest of them. */
TAC_API tacStatus tac_project_state(tacSim *sim, const double *x, const double *u, double *y, tacProjection *out);
/* Bytes of its memory. */
TAC_API size_t tac_project_bytes(const tacModel *model, const tacOptions *options);

/* First impact over t in [0, h] along q (+) t v: the distance of two geoms falls to out->gap. Geoms that may touch
 * count, as in tac_contacts, at any margin. No impact is missed. `pair` has all pairs that meet within 1e-9 h of the
 * first. Two geoms at the gap or nearer at the start count if they approach (NEAR). Otherwise they count once they are
 * nearer than at the start. u gives mocap poses and may be NULL.
 *
 * Gradients are those of pair 0, and zero unless kind is HIT. TAC_ERR_DEGENERATE: gradients are asked for, and the two
 * geoms only graze (their points approach at less than 1e-6 of their relative speed). On failure out->pair may hold
 * pairs found so far; all else is unchanged. */
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
