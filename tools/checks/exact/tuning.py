"""The numbers on the path of contact ncp: in tables, few, each with its unit, reason and measured effect."""

import re

from checks.registry import ROOT, Result, check

MOST_NUMBERS = 30
TABLES = ("src/contact/ncp/tuning.h", "src/solve/tuning.h")
# What a step runs through: the problem, its searches and the interior point. Derivatives are not searched.
FILES = (
    "src/contact/ncp/solve.c",
    "src/contact/ncp/step.c",
    "src/contact/ncp/setup.c",
    "src/contact/ncp/features.c",
    "src/contact/ncp/find_features.c",
    "src/contact/ncp/fallback.c",
    "src/contact/ncp/project_to_path.c",
    "src/solve/interior.c",
    "src/solve/interior_path.c",
    "src/solve/interior_run.c",
    "src/solve/interior_run.h",
    "src/solve/friction_cone.c",
    "src/solve/yield.c",
)
PLAIN = {0, 1, 2, 0.5}
NUMBER = re.compile(r"(?<![\w.])(\d+\.?\d*(?:[eE][+-]?\d+)?)(?![\w.])")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DEFINE = re.compile(r"^#define\s+(\w+)\s+(.+)$", re.MULTILINE)
ENUM = re.compile(r"enum \{[^}]*\}")  # sizes


def code_of(path):
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), (ROOT / path).read_text(encoding="utf-8"))


def table_numbers(path):
    """(name, value) of every entry; a row of several numbers counts as several."""
    if not (ROOT / path).exists():
        return []
    return [(name, value) for name, text in DEFINE.findall(code_of(path)) for value in NUMBER.findall(text)]


def stray_numbers(path):
    """Literals that a listed file has beside 0, 1, 2 and 0.5."""
    for number, line in enumerate(ENUM.sub("", code_of(path)).split("\n"), 1):
        if line.startswith("#include"):
            continue
        bare = re.sub(r"\[[^\]]*\]|\"[^\"]*\"", "", line)  # indices and sizes
        whole_are_sizes = not line.startswith("#define")
        for value in NUMBER.findall(bare):
            if float(value) not in PLAIN and not (whole_are_sizes and value.isdigit()):
                yield f"{path}:{number}: {value} in {line.strip()[:80]}"


@check("exact-tuning", bar=f"at most {MOST_NUMBERS} numbers on the path of ncp, all in tables; no other literal than 0, 1, 2 and 0.5 in {len(FILES)} files")
def tuning(context):
    del context
    listed = [entry for path in TABLES for entry in table_numbers(path)]
    stray = [line for path in FILES for line in stray_numbers(path)]
    total = len(listed) + len(stray)
    return Result(total <= MOST_NUMBERS and not stray, f"{len(listed)} numbers in tables, {len(stray)} elsewhere", stray)
