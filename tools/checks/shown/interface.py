"""The interface: models that change, derivatives of the dynamics, rays, C++."""

import os
import sys

from checks.registry import ROOT, Result, check, last_line
from checks.unit import unit_tests

# Programs of the unit tests, and what each of their tests holds.
PROGRAMS = {
    "test_edit": "a model back in a builder: unchanged, with more, with less, attached",
    "test_edit_files": "an unchanged edit of every model file has the same hash",
    "test_dynamics_jac": "dynamics derivatives 1e-8, regressor and momentum matrix 1e-12, dJ/dt v 1e-8",
    "test_pair_forces": "forces of pairs sum to the constraint force 1e-12, derivatives 1e-6, also by contact",
    "test_jvp": "forward mode equals the Jacobian's product 1e-12, dot product with reverse mode 1e-10",
    "test_ray": "rays against all shapes, derivatives 1e-8",
}
LEAST_TESTS = 31


@check("shown-interface", bar="edit, dynamics derivatives, pair forces, forward mode, rays, command line, C++: all tests pass")
def interface(context):
    passed, failed, details = 0, [], []
    for program, meaning in PROGRAMS.items():
        tests = unit_tests(context, program)
        bad = [name for name, (ok, _) in tests.items() if not ok]
        passed += len(tests) - len(bad)
        failed += bad
        details += [f"{program} ({meaning}): {len(tests) - len(bad)} of {len(tests)}"]
        details += [line for _, lines in tests.values() for line in lines]
    environment = dict(os.environ, TACTUS=str(context.tactus), TACTUS_BUILD=str(context.build.resolve()))
    for script in ("test/cpp/test_cpp.py", "test/cli/test_ground.py", "test/cli/test_forces.py"):
        done = context.run(sys.executable, "-B", ROOT / script, env=environment)
        details.append(f"{script}: {last_line(done.stderr)}")
        if done.returncode == 0:
            passed += 1
        else:
            failed.append(script)
    return Result(not failed and passed >= LEAST_TESTS, f"{passed} tests pass, {len(failed)} fail", details)
