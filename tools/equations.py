"""The index from equations to code and tests: docs/theory/equations.md, written by tools/make_docs.py.

An equation is defined in docs/theory by \\tag{W12}, or by its number at the end of a line. Comments of src/ cite it. A
citation of what is not defined is a problem. A table names the tests of each equation. Another names the tests that run
the files of a folder, for the measurement of their lines.
"""

import pathlib
import re

import source

LABEL = r"[A-Z]{1,3}\d+[a-z]?"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CITATION = re.compile(rf"\b({LABEL})(?:\s*(?:-|to)\s*({LABEL}))?\b")
# What looks like an equation's number in a comment and is none: blocks of matrices, a standard, a method.
SYMBOLS = {"A0", "B11", "C17", "M0", "N0", "RK4", "T0", "V0"}
# Symbols of one file that are labels elsewhere.
SYMBOLS_OF = {
    "src/smooth/turning.c": {"D1", "D2"},
    "src/collide/flush.c": {"N1"},
    "src/collide/nearest_system.c": {"T1"},
}

# Tests of the equations, the first row that has the label.
EQUATION_TESTS = (
    ("AD1-AD8", ("step/test_ode.c", "step/test_adaptive.c", "physics/test_adaptive_motion.c")),
    ("AD9-AD10", ("step/test_adaptive.c", "step/test_adaptive_contact.c")),
    ("AD11-AD13", ("step/test_ode.c", "step/test_adaptive.c", "step/test_adaptive_contact.c")),
    ("AD14", ("step/test_adaptive_contact.c",)),
    ("D1-D5", ("collide/test_nearest.c", "collide/test_closed_form.c", "collide/test_stability.c")),
    ("D6-D8", ("collide/test_feature.c", "collide/test_touch_deriv.c")),
    ("D8a", ("collide/test_rim.c",)),
    ("D9-D14", ("collide/test_touch_deriv.c", "collide/test_touch_margin.c")),
    ("E1-E9", ("step/test_growth.c", "step/test_growth_models.c")),
    ("E10-E13", ("step/test_growth.c",)),
    ("F1", ("collide/test_sphere_ellipsoid.c",)),
    ("F2", ("collide/test_capsule_capsule.c",)),
    ("F3-F4", ("collide/test_capsule_box.c",)),
    ("FI1-FI11", ("optimize/test_fit.c",)),
    ("FD1", ("step/test_quantities.c", "step/test_dynamics_jac.c")),
    ("G1-G9", ("collide/test_gjk.c", "collide/test_convex.c")),
    ("G10-G13", ("collide/test_epa.c",)),
    ("G14-G15", ("collide/test_nearest.c",)),
    ("H1-H10", ("physics/test_time_of_impact.c",)),
    ("I1-I5", ("collide/test_impact.c", "step/test_first_impact.c")),
    ("ID1-ID7", ("dynamics/test_inverse_deriv.c",)),
    ("ID8", ("dynamics/test_forward_deriv.c", "step/test_derivative.c")),
    ("ID9", ("dynamics/test_inverse_deriv.c",)),
    ("J1-J2", ("math/test_eig3.c",)),
    ("K1-K4", ("step/test_quantities.c", "physics/test_known_motions.c")),
    ("L1-L4", ("solve/test_boxed.c", "physics/test_contact_lcp.c")),
    ("L5-L6", ("step/test_shared_forces.c", "physics/test_contact_lcp.c")),
    ("L7-L8", ("physics/test_restitution.c",)),
    ("L9", ("step/test_contact_outputs.c", "step/test_pair_forces.c")),
    ("L10", ("step/test_aware_gradient.c",)),
    ("L11", ("physics/test_mass_ratio.c",)),
    ("L12-L15", ("physics/test_contact_lcp.c", "contact/test_equality_bias.c")),
    ("L16", ("step/test_time_derivative.c",)),
    ("L17-L22", ("physics/test_spin.c", "step/test_energy_gain.c")),
    ("LS1", ("math/test_dense_qr.c",)),
    ("M1", ("step/test_quantities.c",)),
    ("N1", ("math/test_random_normal.c",)),
    ("NE1-NE2", ("step/test_quantities.c", "step/test_dynamics_jac.c")),
    ("O1-O8", ("step/test_outputs.c",)),
    ("O9-O10", ("step/test_contact_outputs.c",)),
    ("P1-P4", ("collide/test_box_box.c", "collide/test_manifold.c")),
    ("P5-P7", ("collide/test_clip_boxes.c",)),
    ("P8-P9", ("collide/test_flush.c",)),
    ("PA1-PA9", ("model/test_derive_deriv.c", "step/test_param_derivative.c")),
    ("PA10", ("dynamics/test_param_tangent.c", "step/test_param_derivative.c")),
    ("PA11-PA16", ("dynamics/test_param_tangent.c", "step/test_param_derivative.c")),
    ("Q1-Q11", ("math/test_quat.c",)),
    ("R1-R5", ("contact/test_problem.c", "physics/test_contact_lcp.c")),
    ("R6", ("contact/test_coordinate.c",)),
    ("R7", ("contact/test_ball_limit.c",)),
    ("R8-R10", ("contact/test_equality.c",)),
    ("R11-R12", ("contact/test_equality_bias.c",)),
    ("S1", ("collide/test_filter.c",)),
    ("S2", ("collide/test_broad.c",)),
    ("SL1-SL11", ("contact/test_ncp_pairs.c",)),
    ("ST1-ST6", ("step/test_euler.c", "step/test_integrators.c", "step/test_derivative.c")),
    ("ST7-ST8", ("step/test_rollout_vjp.c", "solve/test_checkpoint.c")),
    ("ST9-ST12", ("step/test_project.c",)),
    ("ST13-ST18", ("physics/test_spin.c",)),
    ("ST19-ST20", ("step/test_energy_gain.c",)),
    ("ST21-ST22", ("physics/test_spin.c",)),
    ("T1-T4", ("math/test_tree.c",)),
    ("PL1-PL7", ("optimize/test_planner.c",)),
    ("T5", ("math/test_tree_lu.c",)),
    ("V1-V3", ("math/test_spatial.c",)),
    ("W1-W4", ("contact/test_ncp.c", "physics/test_conservation.c")),
    ("W5-W5d", ("contact/test_ncp_contacts.c", "physics/test_ncp_rolling.c")),
    ("W6-W8", ("contact/test_ncp.c", "contact/test_ncp_contacts.c", "physics/test_contact_ncp.c")),
    ("W9-W13", ("contact/test_ncp_contacts.c", "solve/test_friction_cone.c")),
    ("W14-W14e", ("solve/test_interior.c", "contact/test_ncp.c")),
    ("W15-W15a", ("contact/test_ncp.c", "physics/test_contact_ncp.c")),
    ("W16-W19", ("solve/test_block_ldu.c", "contact/test_ncp_contacts.c")),
    ("W20-W26", ("step/test_ncp_grad.c", "step/test_ncp_adjoint.c")),
    ("W27-W28", ("step/test_contact_outputs.c", "step/test_pair_forces.c")),
    ("W29-W33", ("contact/test_ncp_rows.c",)),
    ("W34-W35", ("contact/test_ncp_contacts.c",)),
    ("W36", ("solve/test_friction_cone.c",)),
    ("W37", ("physics/test_contact_ncp.c",)),
    ("W38-W40", ("step/test_time_derivative.c",)),
    ("W41-W46", ("solve/test_cone_contact.c", "solve/test_coulomb.c")),
    ("W47-W49", ("contact/test_ncp_contacts.c", "physics/test_contact_ncp.c")),
    ("W50", ("step/test_infeasible_start.c", "step/test_ncp_unsolved.c")),
    ("W51-W55", ("physics/test_spin.c", "step/test_energy_gain.c")),
    ("X1-X8", ("step/test_maximal.c",)),
    ("X9-X14", ("step/test_maximal_step.c",)),
    ("Z1-Z8", ("step/test_soft.c", "step/test_soft_solver.c")),
    ("Z9-Z13", ("step/test_soft_jac.c", "step/test_soft_params.c")),
)

# Tests that run the files of src/, the first row that fits; patterns of test/.
TESTS = (
    ("src/base/", ("base/*",)),
    ("src/math/", ("math/*", "dynamics/*")),
    ("src/solve/boxed", ("solve/*boxed*", "physics/test_piles*", "physics/test_contact_lcp*", "physics/test_mass_ratio*")),
    ("src/solve/ode/", ("step/test_ode*", "step/test_adaptive*", "physics/test_adaptive*")),
    ("src/solve/cone_program", ("step/test_growth*",)),
    ("src/solve/", ("solve/*", "contact/test_ncp*", "physics/*ncp*", "physics/test_dojo*", "step/*ncp*")),
    ("src/model/", ("model/*", "io/*", "step/test_sim*", "step/test_param*", "first_day/*")),
    ("src/collide/growth", ("step/test_growth*",)),
    ("src/collide/ray", ("step/test_ray*",)),
    ("src/collide/", ("collide/*", "step/test_contacts*", "step/test_first_impact*", "physics/*")),
    ("src/dynamics/", ("dynamics/*", "step/*")),
    ("src/smooth/", ("step/*", "physics/test_time_of_impact*")),
    ("src/contact/none/", ("step/*",)),
    ("src/contact/lcp/", ("physics/*lcp*", "physics/test_piles*", "physics/test_restitution*", "physics/test_time_of_impact*",
                          "physics/test_contact*", "physics/test_mass_ratio*", "step/*")),
    ("src/contact/ncp/", ("contact/test_ncp*", "contact/CMakeLists.txt", "physics/*ncp*", "physics/test_contact*", "physics/test_dojo*",
                          "physics/test_restitution*", "step/*")),
    ("src/contact/soft/", ("contact/test_hessian*", "physics/test_soft*", "step/*soft*", "step/*")),
    ("src/contact/", ("contact/*", "physics/*", "step/*")),
    ("src/step/", ("step/*", "first_day/*")),
    ("src/optimize/", ("optimize/*", "io/test_task*", "io/test_run*", "cli/test_plan*", "cli/test_pose*", "cli/test_fit*")),
)


def definitions():
    """{label: (page, line)}"""
    strong, weak = {}, {}
    for path in source.project_files("docs/theory/*.md"):
        for number, line in enumerate(source.read(path).split("\n"), 1):
            place = (path.name, number)
            for label in re.findall(rf"\\tag\{{({LABEL})\}}", line):
                strong.setdefault(label, place)
            end = re.search(rf"(\s*)\(({LABEL})\)\s*$", line)
            if end and path.name != "equations.md":
                (strong if len(end.group(1)) > 1 else weak).setdefault(end.group(2), place)
    return weak | strong


def spread(first, last):
    """W20-W22 -> W20, W21, W22"""
    if not last:
        return [first]
    (kind, low, _), (other, high, _) = parts(first), parts(last)
    return [first, *(f"{kind}{k}" for k in range(low + 1, high)), last] if kind == other else [first, last]


def parts(label):
    """W14a -> ("W", 14, "a")"""
    kind, number, rest = re.match(r"([A-Z]+)(\d+)(.*)", label).groups()
    return kind, int(number), rest


def citations():
    """{label: files of src/ that cite it}"""
    cited = {}
    for path in source.project_files("src/*.c", "src/*.h"):
        for comment in COMMENT.findall(source.read(path)):
            text = re.sub(r"\n\s*\*", " ", comment)
            for match in CITATION.finditer(text):
                for label in spread(*match.groups()):
                    if label not in SYMBOLS_OF.get(path.as_posix(), ()):
                        cited.setdefault(label, set()).add(path.as_posix())
    return {label: sorted(files) for label, files in cited.items() if label not in SYMBOLS}


def problems():
    known = definitions()
    for label, files in sorted(citations().items()):
        if label not in known:
            yield f"{files[0]}: cites equation {label}, which no page of docs/theory has"
            continue
        tests = tests_of_equation(label)
        if not tests:
            yield f"{files[0]}: equation {label} has no test (EQUATION_TESTS of tools/equations.py)"
        for test in tests:
            if not (source.ROOT / "test" / test).exists():
                yield f"equation {label}: there is no test/{test}"


def tests_of_equation(label):
    """Files of test/."""
    for row, tests in EQUATION_TESTS:
        first, _, last = row.partition("-")
        if parts(first)[0] == parts(label)[0] and parts(first) <= parts(label) <= parts(last or first):
            return tests
    return ()


def tests_of(path):
    """Test programs of a file of src/, and lists of them that name runs of `tactus check` (paths)."""
    for prefix, patterns in TESTS:
        if path.startswith(prefix):
            found = source.project_files(*(f"test/{pattern}" for pattern in patterns))
            return [test.as_posix() for test in found if is_test(test)]
    return []


def is_test(path):
    return path.name == "CMakeLists.txt" or (path.name.startswith("test_") and path.suffix in (".c", ".py"))


def page():
    known, cited = definitions(), citations()
    lines = [
        "<!-- Generated by tools/make_docs.py from docs/theory and the comments of src; change it there. -->\n",
        "# Equations, code, tests\n",
        "Every equation that code cites: the page that has it, the files that compute it, and its tests.\n",
        "| equation | page | code | tests |",
        "|---|---|---|---|",
    ]
    for label in sorted((label for label in known if label in cited), key=parts):
        code = ", ".join(f"[{pathlib.PurePath(file).relative_to('src')}](../../{file})" for file in cited[label])
        tests = ", ".join(f"[{test}](../../test/{test})" for test in tests_of_equation(label))
        lines.append(f"| {label} | [{known[label][0][:-3]}]({known[label][0]}) | {code} | {tests} |")
    silent = sorted((label for label in known if label not in cited), key=parts)
    lines.append(f"\nNo comment cites: {', '.join(silent)}. They are steps of a derivation, definitions, or symbols of an equation beside them.")
    return "\n".join(lines) + "\n"
