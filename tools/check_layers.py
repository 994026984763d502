"""Layers: a folder of src/ includes only itself and earlier ones; no cycles between files; include/ never sees src/;
src/ prints, exits and allocates nowhere but where it may; transcendental functions come from math/scalar alone. What is
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
    r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup": ["src/base/", "src/model/"],
    r"time|clock|gettimeofday|rand|srand|random|drand48": ["src/base/"],
}
# Creation functions outside base/ and model/ allocate too; a file here may.
ALLOCATING_FILES = {"src/dynamics/finish.c", "src/step/sim.c", "src/step/batch.c"}

# Experiments on what is not public alone.
EXPERIMENTS_INSIDE = {"jade_dantzig.c", "barrier.c"}

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


def layer_problem(path, target):
    """Why `path` may not include `target`, or None."""
    top, other = path.parts[0], target.parts[0]
    if top == "include" and other != "include":
        return "include/ may include only include/"
    if top == "src":
        if other not in ("src", "include"):
            return f"src/ may not include {other}/"
        if other == "src" and source.LAYERS.index(layer(target)) > source.LAYERS.index(layer(path)):
            return f"{layer(path)}/ comes before {layer(target)}/"
    if top == "experiments" and other not in ("include", "cli", "bench", "experiments") and path.name not in EXPERIMENTS_INSIDE:
        return "experiments stand on the public headers and on parts of cli/"
    if other == "experiments" and top != "experiments" and path.as_posix() != "cli/cmd_reproduce.c":
        return "experiments are called by their verb alone"
    if top == "examples" and other != "include":
        return "examples use the public headers alone"
    return None


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
    ring = find_cycle(graph)
    if ring:
        problems.append("include cycle: " + " -> ".join(map(str, ring)))
    return source.finish(problems, f"layers ({len(graph)} files)")


if __name__ == "__main__":
    sys.exit(main())
