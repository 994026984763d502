/* One row for each quantity of a task file: first those that tacQuantityKind has, then those that tacOutputKind has.
 *
 *   X(name, FORM, element, kind, "numbers", "unit", "meaning")
 *
 * FORM: how it is written, one of TAC_TASK_FORMS. Element: the kind of what it is of. */
#pragma once

/* X(FORM, how it is written; %s: its name) */
#define TAC_TASK_FORMS(X)                                                                                              \
    X(WHOLE, "%s, or {%s: all}")                                                                                       \
    X(ELEMENT, "{%s: NAME}, or {%s: all}")                                                                             \
    X(DOF, "{%s: JOINT}, {%s: \"JOINT[i]\"} of a joint with more than one, or {%s: all}")                              \
    X(PAIR, "{%s: [GEOM, GEOM]}")                                                                                      \
    X(FRAME, "{%s: body/NAME}, geom/NAME or site/NAME; {%s: ..., in: body/NAME} in the axes of another")               \
    X(COORDINATE, "%s, {%s: JOINT}, or {%s: all}")                                                                     \
    X(CONTROL, "%s, {%s: ACTUATOR}, or {%s: all}")

/* clang-format off */
#define TAC_TASK_QUANTITIES(X)                                                                                         \
    X(state, WHOLE, NONE, TAC_OF_STATE, "2 nv + na", "", "the state, differences in tangent coordinates; its target has nq + nv + na numbers") \
    X(qpos, COORDINATE, JOINT, TAC_OF_STATE, "nv", "m, rad", "positions, differences in tangent coordinates; the target of a free joint has 7 numbers, of a ball joint 4") \
    X(qvel, COORDINATE, JOINT, TAC_OF_STATE, "nv", "m/s, rad/s", "velocities")                                         \
    X(act, WHOLE, NONE, TAC_OF_STATE, "na", "", "activations")                                                         \
    X(ctrl, CONTROL, ACTUATOR, TAC_OF_CTRL, "nu", "of the control", "controls")                                        \
    X(ctrl_change, CONTROL, ACTUATOR, TAC_OF_CHANGE, "nu", "of the control", "changes of controls from step to step")  \
    X(position, FRAME, NONE, TAC_OF_POSITION, "3", "m", "origin of a frame in the axes of another, or of the world")   \
    X(orientation, FRAME, NONE, TAC_OF_ORIENTATION, "3", "rad", "rotation from the target, a quaternion, to a frame; smooth up to half a turn") \
    X(distance, PAIR, GEOM, TAC_OF_DISTANCE, "1", "m", "signed distance of two geoms")                                 \
    X(param, WHOLE, NONE, TAC_OF_PARAM, "one each", "of the parameter", "the unknown parameters")                      \
    X(rest, WHOLE, NONE, TAC_OF_REST, "nv", "m/s^2, rad/s^2", "acceleration of the step; 0: an equilibrium")

#define TAC_TASK_OUTPUTS(X)                                                                                           \
    X(body_pos, ELEMENT, BODY, TAC_OUT_BODY_POS, "3", "m", "origin of a body")                                         \
    X(body_mat, ELEMENT, BODY, TAC_OUT_BODY_MAT, "9", "", "its orientation, row major")                                \
    X(body_com, ELEMENT, BODY, TAC_OUT_BODY_COM, "3", "m", "its centre of mass")                                       \
    X(geom_pos, ELEMENT, GEOM, TAC_OUT_GEOM_POS, "3", "m", "origin of a geom")                                         \
    X(geom_mat, ELEMENT, GEOM, TAC_OUT_GEOM_MAT, "9", "", "its orientation, row major")                                \
    X(site_pos, ELEMENT, SITE, TAC_OUT_SITE_POS, "3", "m", "origin of a site")                                         \
    X(site_mat, ELEMENT, SITE, TAC_OUT_SITE_MAT, "9", "", "its orientation, row major")                                \
    X(joint_pos, ELEMENT, JOINT, TAC_OUT_JOINT_POS, "3", "m", "anchor of a joint")                                     \
    X(joint_axis, ELEMENT, JOINT, TAC_OUT_JOINT_AXIS, "3", "", "its axis")                                             \
    X(subtree_com, ELEMENT, BODY, TAC_OUT_SUBTREE_COM, "3", "m", "centre of mass of a body and what hangs on it")      \
    X(subtree_velocity, ELEMENT, BODY, TAC_OUT_SUBTREE_VELOCITY, "3", "m/s", "its velocity")                           \
    X(body_velocity, ELEMENT, BODY, TAC_OUT_BODY_VELOCITY, "6", "rad/s, m/s", "angular velocity, then that of the origin, world axes") \
    X(site_velocity, ELEMENT, SITE, TAC_OUT_SITE_VELOCITY, "6", "rad/s, m/s", "the same of a site")                    \
    X(momentum, WHOLE, NONE, TAC_OUT_MOMENTUM, "6", "N m s, N s", "angular momentum about the centre of mass, then linear") \
    X(kinetic, WHOLE, NONE, TAC_OUT_KINETIC, "1", "J", "kinetic energy")                                               \
    X(potential, WHOLE, NONE, TAC_OUT_POTENTIAL, "1", "J", "energy of gravity and springs")                            \
    X(tendon_length, ELEMENT, TENDON, TAC_OUT_TENDON_LENGTH, "1", "m, rad", "length of a tendon")                      \
    X(tendon_velocity, ELEMENT, TENDON, TAC_OUT_TENDON_VELOCITY, "1", "m/s, rad/s", "its rate")                        \
    X(actuator_length, ELEMENT, ACTUATOR, TAC_OUT_ACTUATOR_LENGTH, "1", "m, rad", "length of an actuator")             \
    X(actuator_velocity, ELEMENT, ACTUATOR, TAC_OUT_ACTUATOR_VELOCITY, "1", "m/s, rad/s", "its rate")                  \
    X(actuator_force, ELEMENT, ACTUATOR, TAC_OUT_ACTUATOR_FORCE, "1", "N, N m", "its force, after clamping")           \
    X(act_dot, WHOLE, NONE, TAC_OUT_ACT_DOT, "na", "1/s", "rates of activations")                                      \
    X(qfrc_actuator, DOF, JOINT, TAC_OUT_QFRC_ACTUATOR, "1", "N, N m", "force of actuators on a joint")                \
    X(qfrc_passive, DOF, JOINT, TAC_OUT_QFRC_PASSIVE, "1", "N, N m", "force of springs, dampers, gravity compensation") \
    X(acceleration, DOF, JOINT, TAC_OUT_ACCELERATION, "1", "m/s^2, rad/s^2", "in continuous time; with constraints only for contact soft") \
    X(contact_force, ELEMENT, BODY, TAC_OUT_CONTACT_FORCE, "6", "N m, N", "torque about the origin of a body, then force, of all its contacts") \
    X(qfrc_constraint, DOF, JOINT, TAC_OUT_QFRC_CONSTRAINT, "1", "N, N m", "force of contacts, limits, dry friction and equalities") \
    X(pair_force, PAIR, GEOM, TAC_OUT_PAIR_FORCE, "3", "N", "force of the first geom on the second: normal, two of friction") \
    X(growth, PAIR, GEOM, TAC_OUT_GROWTH, "9", "", "alpha, dual value, gap, point, normal of the growth of two geoms at `kappa`")
/* clang-format on */
