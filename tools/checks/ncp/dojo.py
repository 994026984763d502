"""Dojo's own list of tests, line by line, at its tolerances: which test here holds each of them."""

from checks.unit import unit_check, unit_checks

# The list (facts/dojo.md, section 4) row by row, and the checks that hold each; dojo-list-* are below, the others where their
# names say (physics.py, derivatives.py, and the folders gradients, collision, experiments).
#
#   integrator                     dojo-list-integrator
#   minimal: set/get               dojo-list-set-get
#   minimal: round trip            dojo-list-round-trip; n-slider, n-pendulum, snake and twister are chains of dojo-list-set-get
#   minimal: Jacobians             dojo-list-minimal-jacobians, and of the humanoid dojo-list-disabled-two
#   minimal <-> maximal Jacobians  the same two: both maps, their product, half-cheetah and Atlas among them
#   mrp                            dojo-list-turns (rotation vectors to quaternions and back), -components (a quaternion's numbers,
#                                  normalized where they are read), -axes (axis pairs). Modified Rodrigues parameters there are
#                                  none here: rotations move along rotation vectors. Axis pairs are used where files are
#                                  read, and have no derivative; a hinge's axis has, dojo-list-data
#   damper                         dojo-list-dampers
#   jacobian (solution matrix)     dojo-list-solution-matrix, ncp-system-*: the matrix; dojo-list-solution, -spheres-solution,
#                                  -joints-solution: what is made of it, the step's derivative, in flight and in contact
#   data                           dojo-list-data-round-trip; gradients-params-reload and -sim: setting is reloading an edited file, to the bit
#   data Jacobian                  dojo-list-data, -data-contact, -data-frictions, and ncp-derivatives at 10,000 states in contact
#   collisions sphere-sphere       points, normals, tangents, distances and derivatives of all pairs of shapes: collision-distance,
#                                  collision-derivatives (1e-6); drops and pushes: dojo-list-spheres
#   sphere-capsule, sphere-box     the same two; dojo-list-sphere-shapes
#   string                         dojo-list-string
#   momentum                       dojo-list-momentum (snake, twister), -momentum-robots (box, humanoid, Atlas, quadruped with springs,
#                                  dampers and joint forces), -momentum-pendulum; ncp-momentum, reproduce-dojo-energy
#   energy: block, pendulum,       reproduce-dojo-energy; amplitude and speed of the slider dojo-list-slider
#     slider
#   energy: robots with springs    dojo-list-energy-robots; the astronaut's, ten and a hundred seconds, reproduce-dojo-energy
#   energy: twister                dojo-list-energy-joints, each type at the least of Dojo's bars
#   behaviour: quadruped           ncp-dojo-quadruped
#   behaviour: box toss            ncp-dojo-box-toss
#   behaviour: external force      ncp-dojo-push
#   behaviour: four-bar            dojo-list-four-bar: by places, from which a linkage's angles follow
#   behaviour: Dzhanibekov         reproduce-dojo-dzhanibekov
#   joint limits                   ncp-truths-limit
#   impulse map                    dojo-list-map: displacements by joints (1e-8), a wrench on a body as forces on its joints (1e-12); the
#                                  derivative of that by the state is part of dojo-list-data, whose steps are under wrenches.
#                                  Impulses of joints are summed along the tree, not solved for (docs/theory/ncp.md, W7): their
#                                  map is the joints' axes, whose derivatives are those of dojo-list-solution-matrix
#   mechanism                      storage and equal gradients dojo-list-storage, force as impulse dojo-list-impulse, merging
#                                  dojo-list-merged; states are arrays of the caller's, which no mechanism keeps: nothing to set or get
#   simulate                       ncp-dojo-push: left alone nothing moves
#   environments, mechanisms       dojo-list-models
#   visuals                        no part of a step: pages that show motions are tested with the command line (test_cli_page)
#
# Name of the check -> (the line, test program, its test).
LINES = {
    "integrator": ("update of positions and orientations by position, orientation and velocities, fifteen joint types on free bodies: 1e-8", "test_dojo_derivatives", "update_of_coordinates"),
    "set-get": ("joint coordinates and velocities of ten links on each of fifteen joint types, set and read again through the bodies: 1e-8 (here 1e-12)", "test_maximal", "round_trip_of_joint_types"),
    "round-trip": ("minimal to maximal to minimal at random states of twelve robots: 1e-8 (here 1e-11)", "test_maximal", "round_trip_of_robots"),
    "minimal-jacobians": ("both maps between joints and bodies, fifteen joint types, against differences: 1e-8; their product is the identity", "test_maximal", "derivatives_of_joint_types"),
    "disabled-two": ("the same of half-cheetah and Atlas, the two comparisons that Dojo leaves out, and of a humanoid: 1e-8", "test_maximal", "derivatives_of_robots"),
    "turns": ("rotation vectors to quaternions and back, from the identity to next to a half turn, against differences: 1e-8", "test_dojo_derivatives", "rotation_vectors"),
    "components": ("a quaternion's own numbers, normalized where they are read: how it turns with each, against differences: 1e-8 (here 1e-9)", "test_quat", "component_turns"),
    "axes": ("the rotation that takes an axis to another, also where they are the same and opposite: 1e-5 (here 1e-14)", "test_quat", "from_direction"),
    "dampers": ("forces of springs and dampers by state, fifteen joint types, against differences: 1e-8", "test_dojo_derivatives", "dampers_of_joint_types"),
    "solution": ("the solution's Jacobian in flight, no contact within reach, and where contacts carry, at kappa 1e-7 and 1e-4: Atlas, quadruped, humanoid, block with three frictions, ant, half-cheetah, hopper; pendulums and slides: 1e-7", "test_dojo_derivatives", "solutions_of_mechanisms"),
    "spheres-solution": ("the same of a sphere with three frictions: 1e-7", "test_dojo_derivatives", "solutions_of_spheres"),
    "joints-solution": ("the same of chains on fifteen joint types: 1e-7", "test_dojo_derivatives", "solutions_of_joint_types"),
    "solution-matrix": ("the system's matrix against differences of all equations, in contact: 1e-7", "test_ncp", "direction_in_contact"),
    "data-round-trip": ("every parameter of a model, got and set again, to the bit", "test_params", "the_list_round_trips"),
    "data": ("the step by state, inputs and data (masses, inertias, places, springs, dampers, time step) under joint forces and wrenches, fifteen joint types, against differences: 1e-6", "test_dojo_derivatives", "data_of_joint_types"),
    "data-contact": ("the same in contact and at limits, contact data included: 1e-6", "test_ncp_grad", "gradient_is_that_of_the_step"),
    "data-frictions": ("the same with friction pyramid and impact alone: 1e-6", "test_ncp_grad", "gradient_of_other_frictions"),
    "map": ("displacements of a body by its joints, fifteen joint types, against differences: 1e-8; a wrench on it acts as those say on the joints: 1e-12", "test_dojo_derivatives", "map_of_joint_types"),
    "spheres": ("spheres pushed along x, y, z to fixed and floating ones, dropped on fixed and on free ones, three frictions: gaps never below 0, rest within 1e-4", "test_dojo_list", "spheres_do_not_overlap"),
    "sphere-shapes": ("a sphere dropped on a capsule and on a box: the distance stays above 0", "test_dojo_list", "sphere_on_capsule_and_box"),
    "string": ("a bob on a string: never farther than its length", "test_dojo_list", "string_has_its_length"),
    "momentum": ("chains on fifteen joint types with springs, dampers and joint forces: momentum within 1e-8", "test_dojo_list", "momentum_of_joint_types"),
    "momentum-robots": ("box, humanoid, Atlas and quadruped with springs, dampers and joint forces: momentum within 1e-8", "test_dojo_list", "momentum_of_robots"),
    "momentum-pendulum": ("angular momentum of a pendulum about its hinge: 1e-8", "test_dojo_list", "momentum_of_a_pendulum"),
    "energy-joints": ("energy of chains on fifteen joint types with springs after a second: 1e-3 each (Dojo's bars are 1e-3 to 1e-2)", "test_dojo_list", "energy_of_joint_types"),
    "energy-robots": ("energy of humanoid, Atlas and quadruped with springs after a second: 2e-3, 3e-3, 1e-2", "test_dojo_list", "energy_of_robots"),
    "slider": ("amplitude and largest speed of a slide on a spring: 1e-4", "test_dojo_list", "slider_swings"),
    "four-bar": ("a four-bar linkage under random torque for 5 s at four time steps: its loop closed to 1e-5", "test_dojo_list", "four_bar_stays_closed"),
    "merged": ("bodies welded together fly as the one they are; 1e-5", "test_dojo_list", "welded_bodies_are_one"),
    "impulse": ("a force over a step is an impulse: 1e-8", "test_dojo_list", "force_is_an_impulse"),
    "storage": ("a motion in contact is stored as its steps are, and a step's gradient is the same alone, again and in a batch, to the bit; the motion's is the product of its steps' to 1e-8", "test_dojo_list", "motions_are_their_steps"),
    "models": ("all eighteen models run for a second, driven at random, every step solved", "test_dojo_list", "models_run"),
}  # fmt: skip
unit_checks("dojo-list", LINES)

unit_check("ncp-derivatives-default", "derivatives at default options are those at tight ones to 1e-6 where dry friction creeps", "test_ncp_grad", "derivatives_are_of_the_path")
unit_check("ncp-residual", "what is not solved has a residual above the tolerance and a reason, however few systems there are", "test_ncp_history", "what_is_not_solved_has_a_residual")
unit_check("ncp-gradient-kappa", "derivatives of a hard step at a softer ncp_gradient_kappa have the bits of the step at that kappa, both modes, parameters included, and its state those of the hard step: six robots in contact, kappa 1e-8 and 1e-10 beside 1e-6, 1e-4, 1e-2", "test_ncp_grad", "gradient_kappa_has_the_bits_of_a_kappa")
# Beyond that list: steps between bodies, both modes.
MAXIMAL = {
    "steps": ("a step from bodies to bodies by bodies, inputs and parameters (time step, gravity, masses, places), half-cheetah, box, ant, quadruped, humanoid in contact, against differences: 1e-6", "steps_between_bodies"),
    "steps-others": ("the same with contacts lcp, none and soft: 1e-6", "steps_of_other_contacts"),
    "reverse": ("the reverse mode of such a step is its Jacobian transposed, all contact models: 1e-10", "reverse_equals_jacobian"),
    "reverse-ways": ("the same of softer derivatives, impacts within a step, and a step without a solution, statuses alike: 1e-10", "reverse_of_other_ways"),
    "reverse-joints": ("the same of fifteen joint types and a mocap body that carries stacks, its pose and places, and of axes that coincide: 1e-10", "reverse_of_joints_and_places"),
    "reverse-once": ("it has the same bits whatever the workspace held, with the next state given and of each gradient alone", "reverse_has_one_answer"),
    "reverse-fails": ("where it fails nothing is written", "failures_write_nothing"),
}  # fmt: skip
unit_checks("maximal", MAXIMAL, "test_maximal_step")

# --- Bad input -------------------------------------------------------------------------------------------------------

unit_check("ncp-time-steps", "steps from 1e-4 to 0.2 s: a thrown box comes to rest on the floor, never through it", "test_ncp_history", "time_steps_of_three_decades")
unit_check("ncp-kappa", "kappa below 1e-12, negative or not a number is refused", "test_ncp_history", "kappa_has_a_range")
unit_check("ncp-reason", "a step that is not solved has a state, a residual and a reason", "test_ncp_history", "iterations_used_up")
unit_check("ncp-redundant", "a linkage whose loop is held once and three times moves the same way to 1e-7, its loop closed to 1e-9", "test_ncp_rows", "redundant_loops_share")
unit_check("ncp-turns", "a step that turns a body or joint by 3 rad or more is never taken for solved: no whole turn is lost", "test_ncp_unsolved", "whole_turns_are_not_lost")
unit_check("ncp-vanish", "features that vanish on the way end no step: a state, a residual and a reason", "test_ncp_unsolved", "features_that_vanish")
unit_check("ncp-best", "the state of a step that is not solved runs into contacts and limits by no more than 0.2 m/s, and is not too fast", "test_ncp_unsolved", "ends_do_no_harm")
unit_check("ncp-start", "a step from a state with loops open, bodies overlapping or joints out of range says so, names it and by how much; lcp and ncp", "test_project", "steps_say_how_they_began")
unit_check("project-loops", "a linkage opened by hand: its loop is closed to 1e-9 at the nearest place and velocity", "test_project", "loops_are_closed")
unit_check("project-overlaps", "boxes that overlap come apart by the shares of their masses", "test_project", "overlaps_come_apart")
unit_check("project-contradictions", "loops that contradict each other: a status, and what is least wrong", "test_project", "contradictions_are_told")
