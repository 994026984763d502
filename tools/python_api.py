"""Every public C function has its Python twin, or is in EXCEPTIONS with a reason. A twin is known by the C name in braces in
python/core.pyi.in; python/src must call the function. What Python has under another roof is in ELSEWHERE.

`python_api.py --list` prints C names and twins.
"""

import re
import sys

import headers
import make_python
import source

# C function -> where Python has it, for those that no docstring of core.pyi.in names.
ELSEWHERE = {
    "tac_version": "version",
    "tac_default_load_options": "load",
    "tac_report_name": "Model.name",
    "tac_report_ignored": "Model.ignored",
    "tac_report_ignored_count": "Model.ignored",
    "tac_report_warning": "Model.warnings",
    "tac_report_warning_count": "Model.warnings",
    "tac_report_free": "load",
    "tac_write_page": "write_page",
    "tac_default_page": "page",
    "tac_default_chain": "chain",
    "tac_chain_model": "chain_text",
    "tac_problem_bytes": "solve_problem",
    "tac_option_info": "option_info",
    "tac_option_set": "Sim",
    "tac_default_options": "Sim",
    "tac_sim_new": "Sim",
    "tac_sim_free": "Sim",
    "tac_sim_bytes": "Sim.nbytes",
    "tac_sim_get_params": "Sim.theta",
    "tac_default_input": "Sim.input",
    "tac_covector_up": "Model.covector_up",
    "tac_nx": "Model.nx",
    "tac_ndx": "Model.ndx",
    "tac_ninput": "Sim.ninput",
    "tac_qpos_add": "Model.qpos_add",
    "tac_qpos_sub": "Model.qpos_sub",
    "tac_random_uniform": "random_uniform",
    "tac_random_normal": "random_normal",
    "tac_kinematics": "Sim.kinematics",
    "tac_rollout_vjp_bytes": "Sim.rollout_vjp",
    "tac_step_maximal_bytes": "Sim.step_maximal_jac",
    "tac_project_bytes": "Sim.project_state",
    "tac_step_history": "Sim.step_history",
    "tac_default_ray": "Sim.ray",
    "tac_default_batch_options": "Batch",
    "tac_batch_new": "Batch",
    "tac_batch_free": "Batch",
    "tac_default_ode_options": "Ode",
    "tac_ode_bytes": "Ode",
    "tac_model_begin": "Builder",
    "tac_model_edit": "Model.edit",
    "tac_builder_free": "Builder",
    "tac_builder_option": "Builder.option",
    "tac_model_add_exclude": "Builder.exclude",
    "tac_model_add_sensor": "Builder.sensor",
    "tac_default_attach": "Builder.attach",
    "tac_model_free": "Model",
    "tac_model_pack_bytes": "Model.pack",
    "tac_model_label": "Model.label",
    "tac_param_count": "Model.paths",
    "tac_param_path": "Model.paths",
    "tac_param_registered": "Model.registered",
    "tac_param_register_group": "Model.register",
    **{
        f"tac_{verb}_{kind}": f"Builder.{kind}"
        for verb in ("default", "model_add")
        for kind in "body joint geom mesh site tendon actuator equality pair key".split()
    },
}

# C function -> why Python has no twin of it.
EXCEPTIONS = {
    "tac_default_option": "Builder.option starts from the options that the builder has",
    "tac_load": "tactus.load calls tac_load_with, which does all that it does",
    "tac_model_abandon": "the former name of tac_builder_free",
    "tac_sim_create": "memory is Python's to manage",
    "tac_input_forces": "a cast of pointers; in Python a slice of u",
    "tac_free_twist": "a cast of pointers; in Python a slice at joint_dof_adr",
    **dict.fromkeys(
        (
            "tac_batch_step",
            "tac_batch_rollout",
            "tac_batch_step_jac",
            "tac_batch_step_vjp",
            "tac_batch_step_jvp",
            "tac_batch_rollout_jvp",
            "tac_batch_rollout_vjp",
        ),
        "a batch for one call; in Python a Batch of one call",
    ),
}
# Functions of covered headers (headers.COVERED) whose twins are to come.
COMING = {"tac_inverse_dynamics_contact", "tac_inverse_dynamics_contact_bytes", "tac_sim_set_gradient_kappa"}


def named_twins():
    """C name -> the Python name whose docstring names it."""
    found = {}
    for name, node in make_python.parts():
        if isinstance(node, make_python.ast.Expr):
            continue
        for c_name in re.findall(r"\{(tac_\w+)\}", make_python.ast.get_docstring(node) or ""):
            found.setdefault(c_name, name)
    return found


def python_names():
    """Every name that the package or its extension defines: load, Sim, Sim.step."""
    ast = make_python.ast
    names = {name for name, _ in make_python.parts()}
    for path in source.project_files("python/tactus/*.py"):
        for node in ast.parse(source.read(path)).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            if isinstance(node, ast.ClassDef):
                names |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return names


def problems():
    public, twins, names = set(headers.functions()), named_twins(), python_names()
    due = set().union(*(headers.functions_of(f"include/tactus/{name}.h") for name in headers.COVERED)) - COMING
    text = "\n".join(source.bare(source.read(path)) for path in source.project_files("python/src/*.c"))
    called = set(re.findall(r"\btac_[a-z0-9_]+\b", text))
    for name in sorted(public):
        if name not in due and name not in called:
            continue
        if name in EXCEPTIONS:
            if name in called:
                yield f"tools/python_api.py: {name} needs no exception: python/src calls it"
            continue
        twin = twins.get(name) or ELSEWHERE.get(name)
        if twin is None or name not in called:
            yield f"{name} has no Python twin: see python/README.md, or give a reason in tools/python_api.py"
        elif twin not in names:
            yield f"tools/python_api.py: {name}: there is no {twin} in Python"
    for table in (EXCEPTIONS, ELSEWHERE):
        yield from (f"tools/python_api.py: {name} is not a public function" for name in sorted(set(table) - public))


def main():
    if "--list" in sys.argv:
        twins = {**ELSEWHERE, **named_twins()}
        for name in sorted(headers.functions()):
            print(f"{name:34} {twins.get(name) or '- ' + EXCEPTIONS.get(name, '?')}")
        return 0
    return source.finish(list(problems()), f"python api ({len(headers.functions())} functions)")


if __name__ == "__main__":
    sys.exit(main())
