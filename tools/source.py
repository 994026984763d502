"""The project's files as the checks see them: tracked or new, not ignored; C text without comments and strings."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ["base", "math", "solve", "model", "collide", "dynamics", "contact", "step", "optimize"]

# One token of C that may hide the others: a comment, a string, a character.
HIDING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def project_files(*patterns):
    """Paths relative to the root of the files that match (all when there is no pattern)."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    return sorted(pathlib.Path(name) for name in names.split("\0") if name and (ROOT / name).is_file())


def read(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def bare(text):
    """C text with comments and the insides of strings blanked; line numbers stay."""

    def blank(match):
        token = match.group(0)
        if token.startswith('"'):
            return '""'
        if token.startswith("'"):
            return "' '"
        return "\n" * token.count("\n") or " "

    return HIDING.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def finish(problems, what):
    """Prints the problems; the exit code."""
    for problem in problems:
        print(problem)
    print(f"{what}: {len(problems)} problems" if problems else f"{what}: ok")
    return 1 if problems else 0
