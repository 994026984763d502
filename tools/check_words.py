"""Words: files speak of the project alone. No absolute paths of one machine, no unfinished marks, no names that say
nothing.
"""

import re
import sys

import source

# The patterns are put together from pieces so that this file does not match itself.
WORDS = {
    r"(?<![\w.])/" + r"(?:work|root|home/\w+|Users/\w+)(?:/|\b)": "a path of one machine",
    r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b": "an unfinished mark",
    r"(?i)\b(?:pypi|registry|mirror|pythonhosted|npmjs)\.(?:[a-z0-9\-]+\.)*(?:com|org|io|net)\b": "a package host",
    r"^(?:<{7}|>{7}) ": "a merge mark",
}
EMPTY_NAMES = re.compile(r"(?:^|[/_])(?:utils?|misc|common|helpers?|archive|v2|experimental)(?:[/._]|$)")
BINARY = {".stl", ".png", ".jpg", ".msh", ".tac", ".glb", ".ico"}


def main():
    problems = []
    for path in source.project_files():
        name = path.as_posix()
        if EMPTY_NAMES.search(name) and not name.startswith("test/data/"):
            problems.append(f"{name}: the name does not say what it does")
        if path.suffix in BINARY or (source.ROOT / path).is_symlink() or name == "LICENSE":
            continue
        text = source.read(path)
        for pattern, why in WORDS.items():
            for match in re.finditer(pattern, text, re.MULTILINE):
                problems.append(f"{name}:{source.line_of(text, match.start())}: '{match.group(0)}': {why}")
    return source.finish(problems, "words")


if __name__ == "__main__":
    sys.exit(main())
