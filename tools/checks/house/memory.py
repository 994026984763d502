"""Memory of simulations: sizes, and that they are measured by dry runs, not counted by hand."""

import re

from checks.registry import ROOT, Failed, Result, check, last_line

MIB = 1 << 20
MOST = {"panda": 4 * MIB, "quadruped": 4 * MIB, "humanoid": 4 * MIB, "atlas": 8 * MIB}
# Sums of rounded sizes are counts by hand. The arena has them, and the model, which is one block laid out by its table.
COUNTS = re.compile(r"\btac_arena_round\s*\(")
SIZES = re.compile(r"^(?:static )?(?:inline )?(?:size_t|ptrdiff_t|u?intptr_t|(?:unsigned )?long) (\w+)\([^;{]*\) \{( [^\n]*\}$|\n.*?^\})", re.MULTILINE | re.DOTALL)
MEASURES = re.compile(r"\btac_arena_dry\b|_bytes\(")  # lays out on a dry arena, or asks who does
MAY_COUNT = ("src/base/", "src/model/")


def counts_by_hand():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(MAY_COUNT):
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n"), 1):
            if COUNTS.search(line):
                yield f"{name}:{number}: {line.strip()}"
        for function, body in SIZES.findall(text):
            counts = "sizeof" in body or re.search(r"bytes|scratch|memory", function)
            if counts and not MEASURES.search(body):
                yield f"{name}: {function} counts bytes"


@check("house-memory", bar="simulations with lcp at most 4 MiB for panda, quadruped, humanoid, 8 MiB for atlas; no size counted by hand")
def house_memory(context):
    program = context.program("evidence_sim_bytes")
    done = context.run(program, *(ROOT / "models" / f"{name}.xml" for name in MOST))
    if done.returncode != 0:
        raise Failed(last_line(done.stderr))
    rows = [line.split() for line in done.stdout.splitlines()]
    lcp = {name: int(size) for name, contact, size in rows if contact == "lcp"}
    counts = list(counts_by_hand())
    ok = not counts and all(lcp[name] <= most for name, most in MOST.items())
    figure = ", ".join(f"{name} {lcp[name] / MIB:.2f}" for name in MOST) + f" MiB; {len(counts)} counts by hand"
    return Result(ok, figure, [f"{name:12} {contact:5} {int(size) / MIB:8.2f} MiB" for name, contact, size in rows] + counts)
