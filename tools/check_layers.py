"""Layers: include, src, io, python, measure, cli stand on each other in this order, and so do the folders of src/ and of cli/; no
cycles between files. Tests, benchmarks and experiments stand on measure/ and never on cli/. src/ prints, exits and allocates nowhere but where it may; transcendental functions come from math/scalar alone. What is
installed is found by the build system, which compiles anew when that changes; never by the compiler.
"""

import pathlib
import re
import sys

import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# Calls that src/ may not make, and the folders or files that are exempt.
FORBIDDEN = {
    r"(?:f|v|vf|d)?printf|puts|fputs|putchar|perror": [],
    r"exit|_exit|abort|quick_exit|signal|raise|system|popen": [],
    r"f?open|fclose|fread|fwrite|fgets|getenv": [],
    r"malloc|calloc|realloc|free|aligned_alloc|tac_aligned_new|tac_aligned_free|posix_memalign|strdup": ["src/base/", "src/model/"],
    r"time|clock|gettimeofday|rand|srand|random|drand48": ["src/base/"],
}
# Creation functions outside base/ and model/ allocate too; a file here may.
ALLOCATING_FILES = {"src/dynamics/finish.c", "src/step/sim.c", "src/step/batch.c"} | {f"src/optimize/{name}.c" for name in ("problem", "planner", "starts", "hold", "lqr", "check", "pose", "contact_inverse", "fit/problem", "fit/variables", "fit/fitter", "fit/judge")}

# Top folder -> the folders it may include besides itself.
MAY_INCLUDE = {
    "include": (),
    "src": ("include",),
    "io": ("include", "src"),
    "python": ("include",),
    "measure": ("include",),
    "experiments": ("include", "measure"),
    "cli": ("include", "measure"),
    "bench": ("include", "src", "io", "measure"),
    "test": ("include", "src", "io", "measure"),
    "examples": ("include",),
}
# What src/optimize stands on besides the public headers.
OPTIMIZE_MAY_INCLUDE = {"base", "math", "optimize"}
# Files that look further: their work is on what is not public alone, and one verb runs the experiments.
LOOKS_FURTHER = {
    "experiments/jade_dantzig.c": "src",
    "experiments/barrier.c": "src",
    "experiments/silico_contact_frames.c": "src",
    "bench/bench_pairs.c": "test",
    "cli/peer/bench_model.c": "src",
    "cli/peer/soft_answer.c": "src",
    "cli/verbs/reproduce.c": "experiments",
}
# The folders of cli/ in the order in which they may include each other; "" is cli/ itself, without main.c.
CLI_LAYERS = ["", "input", "simulation", "report", "derivatives", "peer", "verbs"]

TRANSCENDENTAL = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p pow cbrt hypot "
    "erf erfc tgamma lgamma sincos"
).split()
TRANSCENDENTAL_FILES = {"src/math/scalar.c", "src/math/scalar.h"}


def includes(path):
    """Quoted and <tactus/...> includes of a file, as written, with their line."""
    text = source.read(path)
    return [(m.group(2), source.line_of(text, m.start())) for m in INCLUDE.finditer(text)]


def resolve(path, name):
    """An include as a path of this project, or None."""
    for base in (path.parent, pathlib.Path("src"), pathlib.Path("include"), pathlib.Path("test"), pathlib.Path(".")):
        candidate = base / name
        if (source.ROOT / candidate).is_file():
            return pathlib.Path(*[part for part in candidate.parts if part != "."])
    return None


def layer(path):
    return path.parts[1] if path.parts[0] == "src" and len(path.parts) > 2 else None


def cli_layer(path):
    return path.parts[1] if len(path.parts) > 2 else ""


def contact_model(path):
    """The contact model whose folder a file of src/ is in, or None."""
    return path.parts[2] if path.parts[:2] == ("src", "contact") and len(path.parts) > 3 else None


def layer_problem(path, target):
    """Why `path` may not include `target`, or None."""
    top, other = path.parts[0], target.parts[0]
    if top != other and other not in MAY_INCLUDE.get(top, ()) and LOOKS_FURTHER.get(path.as_posix()) != other:
        return f"{top}/ may not include {other}/"
    if top == other == "src" and source.LAYERS.index(layer(target)) > source.LAYERS.index(layer(path)):
        return f"{layer(path)}/ comes before {layer(target)}/"
    if top == other == "src" and layer(path) == "optimize" and layer(target) not in OPTIMIZE_MAY_INCLUDE:
        return "optimize/ sees the public headers, base/ and math/ alone"
    if top == "src" and contact_model(target) and contact_model(path) != contact_model(target):
        return f"contact model {contact_model(target)} is for its own folder"
    if top == other == "cli" and path.name != "main.c" and CLI_LAYERS.index(cli_layer(target)) > CLI_LAYERS.index(cli_layer(path)):
        return f"cli/{cli_layer(path)} comes before cli/{cli_layer(target)}"
    return None


def build_problems():
    """Build files of tests, benchmarks and experiments that compile a file of cli/."""
    for path in source.project_files("test/*CMakeLists.txt", "bench/*CMakeLists.txt", "experiments/*CMakeLists.txt"):
        text = source.read(path)
        for match in re.finditer(r"\}/cli/\S+\.[ch]\b", text):
            yield f"{path}:{source.line_of(text, match.start())}: compiles a file of cli/"


def find_cycle(graph):
    """A list of files that include each other in a ring, or None."""
    done, stack = set(), []

    def visit(node):
        if node in stack:
            return stack[stack.index(node) :] + [node]
        if node in done:
            return None
        stack.append(node)
        for follower in graph.get(node, []):
            ring = visit(follower)
            if ring:
                return ring
        stack.pop()
        done.add(node)
        return None

    for node in graph:
        ring = visit(node)
        if ring:
            return ring
    return None


def call_problems(path):
    """Calls in a file of src/ that do not belong there."""
    text = source.bare(source.read(path))
    name = path.as_posix()
    for words, exempt in FORBIDDEN.items():
        allowed = any(name.startswith(prefix) for prefix in exempt) or ("malloc" in words and name in ALLOCATING_FILES)
        if allowed:
            continue
        for match in re.finditer(rf"(?<![\w.>])({words})\s*\(", text):
            yield f"{name}:{source.line_of(text, match.start())}: calls {match.group(1)}"
    if name not in TRANSCENDENTAL_FILES:
        for match in re.finditer(rf"(?<![\w.>])((?:__builtin_)?(?:{'|'.join(TRANSCENDENTAL)})[fl]?)\s*\(", text):
            yield f"{name}:{source.line_of(text, match.start())}: calls {match.group(1)}; use math/scalar.h"
        for match in re.finditer(r"#\s*include\s*<(math|tgmath|complex)\.h>", text):
            yield f"{name}:{source.line_of(text, match.start())}: includes <{match.group(1)}.h>; use math/scalar.h"


def state_problems(path):
    """Variables of file scope or static in a function that are not const: global state."""
    text = source.bare(source.read(path))
    pattern = r"^[ \t]*static\s+(?!inline\b|const\b|_Thread_local\b)([\w\s*]+?)(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=[^=]|;)"
    for match in re.finditer(pattern, text, re.MULTILINE):
        if "(" not in match.group(0) and "const" not in match.group(1).split():
            yield f"{path}:{source.line_of(text, match.start())}: '{match.group(2)}' is global state"


def main():
    problems, graph = [], {}
    for path in source.project_files("*.c", "*.h"):
        if path.parts[0] == "src" and (layer(path) is None or layer(path) not in source.LAYERS):
            problems.append(f"{path}: not in a known layer")
            continue
        if path.parts[0] == "cli" and cli_layer(path) not in CLI_LAYERS:
            problems.append(f"{path}: not in a known folder of cli/")
            continue
        text = source.read(path)
        if path.suffix == ".h" and "#pragma once" not in text:
            problems.append(f"{path}: no #pragma once")
        if "__has_include" in source.bare(text):
            problems.append(f"{path}: __has_include; let CMake look for the header and pass a definition")
        graph[path] = []
        for name, line in includes(path):
            target = resolve(path, name)
            if target is None:
                continue
            graph[path].append(target)
            why = layer_problem(path, target)
            if why:
                problems.append(f"{path}:{line}: includes {name}: {why}")
        if path.parts[0] == "src":
            problems += call_problems(path)
            problems += state_problems(path)
    problems += build_problems()
    ring = find_cycle(graph)
    if ring:
        problems.append("include cycle: " + " -> ".join(map(str, ring)))
    return source.finish(problems, f"layers ({len(graph)} files)")


if __name__ == "__main__":
    sys.exit(main())
