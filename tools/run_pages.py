"""Runs what pages of the guide show: every `sh` block and every `c` program, in a temporary folder with the built tactus on
the PATH, and compares the output with what the page states.

    run_pages.py --build build/release [PAGE...]        exit code 1: a page states what does not happen

A fenced block after an `sh` block, without a language, states output: each of its lines must appear, in this order, words
alike and numbers within tolerance; `...` stands for lines left out. Comments directly above a block:

    <!-- file: NAME -->           the c block is written to NAME, and to examples/NAME it must be equal where that exists
    <!-- part of: examples/X -->  the c block is an excerpt: its lines are in that file, in this order
    <!-- needs: VERB -->          run only where tactus has this verb
    <!-- not run: REASON -->      left out
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/guide/tasks/*.md")
BLOCK = re.compile(r"(?:^<!-- ([^\n]*?) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
RELATIVE = 1e-3  # of a stated number: other compilers round otherwise, other formulas do not come so near
ABSOLUTE = 1e-9
CHANGE = 1.01  # what must be noticed
SECONDS = 300


class Wrong(Exception):
    """The page states what does not happen."""


@dataclass
class Block:
    page: str
    line: int
    mark: str  # the comment above it, or ""
    kind: str  # sh, c, or "" for output
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    def said(self, word):
        """What the comment above says after `word:`, or None."""
        return self.mark[len(word) + 1 :].strip() if self.mark.startswith(word + ":") else None


def blocks_of(path):
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    for match in BLOCK.finditer(text):
        yield Block(name, text.count("\n", 0, match.start()) + 1, match.group(1) or "", match.group(2), match.group(3))


def pages(names):
    """The pages of these names; without any, all that show tasks."""
    return [ROOT / name for name in names] or [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]


def same_number(stated, found):
    return abs(float(stated) - float(found)) <= ABSOLUTE + RELATIVE * abs(float(stated))


def same_line(stated, found):
    """Words alike, numbers within tolerance; spaces do not count."""
    numbers, others = NUMBER.findall(stated), NUMBER.findall(found)
    if NUMBER.sub("#", stated).split() != NUMBER.sub("#", found).split() or len(numbers) != len(others):
        return False
    return all(map(same_number, numbers, others))


def missing_line(stated, found):
    """The first stated line that is not in what was found, in order; None where all are."""
    rest = iter(found.splitlines())
    for line in stated.splitlines():
        if line.strip() in ("", "..."):
            continue
        if not any(same_line(line, other) for other in rest):
            return line
    return None


def notices_change(stated, found):
    """Would another number have been noticed? Each one that is not zero is changed in turn."""
    for match in NUMBER.finditer(stated):
        if float(match.group()) == 0:
            continue
        changed = f"{float(match.group()) * CHANGE:.9g}"
        if missing_line(stated[: match.start()] + changed + stated[match.end() :], found) is None:
            raise Wrong(f"{match.group()} could as well be {changed}")


class Folder:
    """A temporary folder as a reader has it: models and examples, tactus on the PATH, libraries by pkg-config."""

    def __init__(self, build, place, prefix):
        self.place = place
        for name in ("models", "examples"):
            (place / name).symlink_to(ROOT / name)
        libraries = next(prefix.rglob("libtactus.so")).parent
        self.environment = os.environ | {
            "PATH": f"{build.resolve()}:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
            "LD_LIBRARY_PATH": str(libraries),
        }
        self.verbs = re.findall(r"^  ([a-z]+) ", self.run("tactus help").stdout, re.MULTILINE)

    def run(self, script):
        command = ["sh", "-eu", "-c", script]
        return subprocess.run(
            command, cwd=self.place, env=self.environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def write_program(self, block):
        """A c block goes to its file, or is an excerpt of an example."""
        name, whole = block.said("file"), block.said("part of")
        if whole is not None:
            lines = iter((ROOT / whole).read_text(encoding="utf-8").splitlines())
            for line in filter(str.strip, block.text.splitlines()):
                if not any(line.strip() == other.strip() for other in lines):
                    raise Wrong(f"{whole} has no line '{line.strip()}' there")
        elif name is not None:
            example = ROOT / "examples" / name
            if example.exists() and example.read_text(encoding="utf-8") != block.text:
                raise Wrong(f"the program is not that of examples/{name}")
            (self.place / name).write_text(block.text, encoding="utf-8")
        else:
            raise Wrong("a c block needs <!-- file: NAME --> or <!-- part of: examples/NAME --> above it")

    def run_commands(self, block, stated):
        done = self.run(block.text)
        if done.returncode != 0:
            raise Wrong(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-400:]}")
        if stated is None:
            return
        found = done.stdout + done.stderr
        line = missing_line(stated, found)
        if line is not None:
            raise Wrong(f"stated but not printed: {line.strip()}\n--- printed:\n{found[-3000:]}")
        notices_change(stated, found)


def run_page(path, build, prefix):
    """-> (blocks run, outputs compared, what was left out); raises Wrong."""
    blocks = list(blocks_of(path))
    ran, compared, left_out = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="tactus-page-") as place:
        folder = Folder(build, pathlib.Path(place), prefix)
        for block, after in zip(blocks, [*blocks[1:], None]):
            verb = block.said("needs")
            if block.kind not in ("sh", "c"):
                continue
            if block.said("not run") is not None or (verb is not None and verb not in folder.verbs):
                left_out.append(f"{block.where}: {block.mark}")
                continue
            try:
                if block.kind == "c":
                    folder.write_program(block)
                else:
                    stated = after.text if after is not None and after.kind == "" else None
                    folder.run_commands(block, stated)
                    compared += stated is not None
                ran += 1
            except (Wrong, subprocess.TimeoutExpired) as reason:
                raise Wrong(f"{block.where}: {reason}") from reason
    if compared == 0 and not left_out:
        raise Wrong(f"{path.relative_to(ROOT)}: states no output, so that nothing is tested")
    return ran, compared, left_out


def run_pages(build, names=()):
    """-> (figures, problems, blocks left out), one text each."""
    figures, problems, left_out = [], [], []
    with tempfile.TemporaryDirectory(prefix="tactus-installed-") as prefix:
        command = ["cmake", "--install", str(build), "--prefix", prefix]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return [], [f"cmake --install: {done.stderr.strip()[-400:]}"], []
        for path in pages(names):
            try:
                ran, compared, without = run_page(path, build, pathlib.Path(prefix))
                figures.append(f"{path.relative_to(ROOT)}: {ran} blocks ran, {compared} outputs agree")
                left_out += without
            except Wrong as reason:
                problems.append(str(reason))
    return figures, problems, left_out


def main():
    parser = argparse.ArgumentParser(description="Run what pages of the guide show.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build tree with tactus")
    parser.add_argument("pages", nargs="*", help="pages, relative to the project; default: README and tasks")
    options = parser.parse_args()
    figures, problems, left_out = run_pages(options.build, options.pages)
    print(*figures, *(f"left out: {text}" for text in left_out), *(f"wrong: {text}" for text in problems), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
