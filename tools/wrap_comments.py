"""Breaks comment lines of C files that are wider than the project's columns; ./dev format runs it after clang-format,
which leaves comments alone. Words that do not fit move to the next line of the same comment.
"""

import re
import sys

import source

COLUMNS = 120
CONTINUED = re.compile(r"^(\s*) \* (?=\S)(.*)$")  # a plain line inside a comment; deeper indentation is layout
STARTED = re.compile(r"^(\s*)/\*+ (.*)$")


def split(line, limit):
    """line -> (what fits, the rest) at a space; the rest is empty when it cannot be broken."""
    first = len(line) - len(line.lstrip()) + 3
    cut = line.rfind(" ", first, limit + 1)
    if line[cut:].strip() == "*/":
        cut = line.rfind(" ", first, cut)
    return (line[:cut].rstrip(), line[cut:].strip()) if cut > 0 else (line, "")


def wrapped(lines):
    """The lines with wide comment lines broken."""
    out, todo = [], list(reversed(lines))
    while todo:
        line = todo.pop()
        start, middle = STARTED.match(line), CONTINUED.match(line)
        if len(line) <= COLUMNS or not (start or middle) or re.search(r"\*/\s*\S", line):
            out.append(line)
            continue
        if re.search(r"-{10,} \*/$", line):  # a ruled heading: a shorter rule
            out.append(re.sub(r"-+ \*/$", "-" * (COLUMNS - len(re.sub(r"-+ \*/$", "", line)) - 3) + " */", line))
            continue
        indent = (start or middle).group(1)
        fits, rest = split(line, COLUMNS)
        out.append(fits)
        if not rest:
            continue
        following = todo[-1] if todo else ""
        joins = CONTINUED.match(following) if not rest.endswith("*/") else None
        if joins and joins.group(1) == indent and joins.group(2) != "*/":
            todo[-1] = f"{indent} * {rest} {joins.group(2)}"
        else:
            todo.append(f"{indent} * {rest}")
    return out


def main():
    for path in source.project_files(*(sys.argv[1:] or ["*.c", "*.h"])):
        text = source.read(path)
        new = "\n".join(wrapped(text.split("\n")))
        if new != text:
            (source.ROOT / path).write_text(new, encoding="utf-8")
            print(f"wrapped {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
