"""The project's files as the checks see them: tracked or new, not ignored; C text without comments and strings."""

import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ["base", "math", "solve", "model", "collide", "dynamics", "smooth", "contact", "step", "optimize"]

# One token of C that may hide the others: a comment, a string, a character.
HIDING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def project_files(*patterns):
    """Paths relative to the root of the files that match (all when there is no pattern); * crosses folders."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 0:
        names = [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    else:  # an archive without history
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
        names = [name for name in names if not name.startswith(("build/", ".git/")) and "__pycache__" not in name]
    chosen = [name for name in names if not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
    return sorted(pathlib.Path(name) for name in chosen)


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


if __name__ == "__main__":  # prints the project's files that match the patterns
    print(*project_files(*sys.argv[1:]), sep="\n")
