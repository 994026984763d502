"""Dojo's own list of tests, line by line, at its tolerances: which test here holds each of them."""

from checks.gradients import unit_check, unit_checks

# Name of the check -> (the line, test program, its test). What is run by the command line or over many states has checks of its own:
# momentum of robots (ncp-momentum), energies of single bodies (dojo-energy), data Jacobians at 10,000 states (ncp-derivatives),
# quadruped, box toss, push, no force (ncp-dojo-*), joint limit (ncp-truths-limit), Dzhanibekov (dojo-dzhanibekov), contact points,
# normals and distances of shapes with derivatives (collision-*), get and set of all data (gradients-params-reload).
LINES = {
    "integrator": ("update of positions and orientations by position, orientation and velocities, fifteen joint types on free bodies: 1e-8", "test_dojo_list", "update_of_coordinates"),
    "set-get": ("joint coordinates and velocities of ten links on each of fifteen joint types, set and read again through the bodies: 1e-8 (here 1e-12)", "test_maximal", "round_trip_of_joint_types"),
    "round-trip": ("minimal to maximal to minimal at random states of twelve robots: 1e-8 (here 1e-11)", "test_maximal", "round_trip_of_robots"),
    "minimal-jacobians": ("both maps between joints and bodies, fifteen joint types, against differences: 1e-8; their product is the identity", "test_maximal", "derivatives_of_joint_types"),
    "disabled-two": ("the same of half-cheetah and Atlas, the two comparisons that Dojo leaves out, and of a humanoid: 1e-8", "test_maximal", "derivatives_of_robots"),
    "dampers": ("forces of springs and dampers by state, fifteen joint types, against differences: 1e-8", "test_dojo_list", "dampers_of_joint_types"),
    "solution": ("the solution's Jacobian in flight and in contact, Atlas, quadruped, block with three frictions, ant, half-cheetah, hopper, pendulums, chains of fifteen joint types: 1e-7", "test_dojo_list", "solutions_of_mechanisms"),
    "solution-matrix": ("the system's matrix against differences of all equations, in contact: 1e-7", "test_ncp", "direction_in_contact"),
    "data": ("the step by state, inputs and data (masses, inertias, places, springs, dampers, time step), fifteen joint types, against differences: 1e-6", "test_dojo_list", "data_of_joint_types"),
    "data-contact": ("the same in contact and at limits, contact data included: 1e-6", "test_ncp_grad", "gradient_is_that_of_the_step"),
    "data-frictions": ("the same with friction pyramid and impact alone: 1e-6", "test_ncp_grad", "gradient_of_other_frictions"),
    "spheres": ("spheres dropped and pushed along x, y, z to fixed and floating ones, three frictions: no overlap, rest within 1e-4", "test_dojo_list", "spheres_do_not_overlap"),
    "sphere-shapes": ("a sphere dropped on a capsule and on a box: the distance stays above 0", "test_dojo_list", "sphere_on_capsule_and_box"),
    "string": ("a bob on a string: never farther than its length", "test_dojo_list", "string_has_its_length"),
    "momentum": ("chains on fifteen joint types with springs, dampers and joint forces: momentum within 1e-8", "test_dojo_list", "momentum_of_joint_types"),
    "energy-joints": ("energy of chains on fifteen joint types with springs after a second: 1e-2", "test_dojo_list", "energy_of_joint_types"),
    "energy-robots": ("energy of humanoid, Atlas and quadruped with springs after a second: 2e-3, 3e-3, 1e-2", "test_dojo_list", "energy_of_robots"),
    "four-bar": ("a four-bar linkage under random torque for 5 s at four time steps: its loop closed to 1e-5", "test_dojo_list", "four_bar_stays_closed"),
    "merged": ("bodies welded together fly as the one they are; 1e-5", "test_dojo_list", "welded_bodies_are_one"),
    "impulse": ("a force over a step is an impulse: 1e-8", "test_dojo_list", "force_is_an_impulse"),
}  # fmt: skip
unit_checks("dojo-list", LINES)

unit_check("ncp-gradient-kappa", "derivatives of a hard step at a softer ncp_gradient_kappa have the bits of the step at that kappa, both modes, parameters included, and its state those of the hard step: six robots in contact, kappa 1e-8 and 1e-10 beside 1e-6, 1e-4, 1e-2", "test_ncp_grad", "gradient_kappa_has_the_bits_of_a_kappa")

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
