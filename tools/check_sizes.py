"""Sizes: no function over 100 lines, 95 % under 60, no file over 1000 lines, no line over 120 columns.

Exceptions are named in tools/sizes.allow: one `path` or `path:function` a line, with a reason after #.
`check_sizes.py --report` prints the longest functions and the percentiles.
"""

import re
import sys

import source

FUNCTION_LIMIT = 100
FUNCTION_USUAL = 60
USUAL_SHARE = 0.95
FILE_LIMIT = 1000
COLUMN_LIMIT = 120
CHECKED = ("src", "io", "python", "measure", "cli", "include", "test", "bench", "examples")

# The text just before a body's brace, from which the function's name is read.
NAME = re.compile(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "do", "else", "sizeof"}


def functions(path):
    """(name, first line, lines) of each function of a C file, by braces at depth zero."""
    text = source.bare(source.read(path))
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.MULTILINE)
    text = re.sub(r'extern\s*""\s*\{', "", text)
    depth, start, found = 0, 0, []
    head = 0
    for position, letter in enumerate(text):
        if letter == "{":
            if depth == 0:
                head, start = start, position
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                before = text[head:start]
                name = NAME.search(before)
                if name and name.group(1) not in NOT_FUNCTIONS and "=" not in before.split(";")[-1]:
                    first = source.line_of(text, start)
                    found.append((name.group(1), first, source.line_of(text, position) - first + 1))
                start = position + 1
        elif letter == ";" and depth == 0:
            start = position + 1
    return found


def allowed():
    lines = (line.split("#")[0].strip() for line in source.read("tools/sizes.allow").splitlines())
    return {line for line in lines if line}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def main():
    exempt, used = allowed(), set()
    problems, lengths = [], []
    for path in source.project_files("*.c", "*.h", "*.py"):
        name = path.as_posix()
        lines = source.read(path).splitlines()
        if len(lines) > FILE_LIMIT:
            used.add(name)
            if name not in exempt:
                problems.append(f"{name}: {len(lines)} lines")
        if path.suffix == ".py" or path.parts[0] not in CHECKED:
            continue
        problems += [f"{name}:{i}: {len(line)} columns" for i, line in enumerate(lines, 1) if len(line) > COLUMN_LIMIT and name not in exempt]
        used |= {name} & exempt if any(len(line) > COLUMN_LIMIT for line in lines) else set()
        for function, first, length in functions(path):
            if f"{name}:{function}" in exempt:
                used.add(f"{name}:{function}")
                continue
            lengths.append((length, f"{name}:{first}: {function}"))
            if length > FUNCTION_LIMIT:
                problems.append(f"{name}:{first}: {function} has {length} lines")
    problems += [f"tools/sizes.allow: {name} needs no exception" for name in sorted(exempt - used)]
    sizes = [length for length, _ in lengths]
    if percentile(sizes, USUAL_SHARE) >= FUNCTION_USUAL:
        problems.append(f"the 95th percentile of function length is {percentile(sizes, USUAL_SHARE)} lines")
    print(f"{len(sizes)} functions: median {percentile(sizes, 0.5)}, 95 % {percentile(sizes, 0.95)}, longest {max(sizes, default=0)}")
    if "--report" in sys.argv:
        for length, where in sorted(lengths, reverse=True)[:20]:
            print(f"  {length:4} {where}")
    return source.finish(problems, "sizes")


if __name__ == "__main__":
    sys.exit(main())
