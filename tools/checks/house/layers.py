"""Rooms of the source: their order, and that a contact model is one folder and one row of one table."""

import pathlib
import re
import subprocess
import tempfile

from checks.registry import ROOT, Failed, Result, check, last_line

PAGE = ROOT / "docs" / "developer" / "adding_a_contact_model.md"
APART = ("test", "bench", "experiments", "measure")


def includes_of_cli():
    """Files outside cli/ that include one of its headers."""
    for folder in APART:
        for path in sorted((ROOT / folder).rglob("*.[chp]*")):
            if path.suffix in (".c", ".h", ".cpp") and '#include "cli/' in path.read_text(encoding="utf-8"):
                yield path.relative_to(ROOT).as_posix()


def patch_of_page():
    found = re.search(r"```diff\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if not found:
        raise Failed(f"{PAGE.name} has no patch")
    return found.group(1)


def reach(patch):
    """Folders of new files, and (file, lines added, lines removed) of those that are there."""
    folders, changes = set(), []
    for part in patch.split("diff --git ")[1:]:
        name = re.search(r"\+\+\+ b/(\S+)", part).group(1)
        lines = part.split("\n")
        added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
        removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
        if "--- /dev/null" in part:
            folders.add(str(pathlib.PurePath(name).parent))
        else:
            changes.append((name, added, removed))
    return folders, changes


def copy_of_tree(folder):
    """The working tree's own files, as they are."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True).stdout
    archive = subprocess.run(["tar", "-c", "--null", "-T", "-"], input=listed, cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)


def run_toy(context, folder, word):
    """Builds the patched copy and runs its contact model."""
    for command in (
        ("cmake", "--preset", "release", "-DTACTUS_TESTS=OFF", "-DTACTUS_BENCH=OFF"),
        ("cmake", "--build", "--preset", "release", "--target", "tactus_cli"),
        ("build/release/tactus", "sim", "models/humanoid.xml", "--contact", word, "--steps", "200"),
        ("build/release/tactus", "check", "models/humanoid.xml", "--contact", word, "--samples", "5"),
    ):
        done = context.run(*command, cwd=folder, seconds=1800)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: {last_line(done.stderr) or last_line(done.stdout)}")


@check("house-layers", bar="layers hold; nothing outside cli/ includes it; a toy contact model is one folder and one line, builds, and its derivatives pass", slow=True)
def house_layers(context):
    layers = context.run("python3", ROOT / "tools" / "check_layers.py")
    strangers = list(includes_of_cli())
    patch = patch_of_page()
    folders, changes = reach(patch)
    word = pathlib.PurePath(next(iter(folders))).name
    small = len(folders) == 1 and folders == {f"src/contact/{word}"} and len(changes) == 1 and changes[0][1:] == (1, 0)
    with tempfile.TemporaryDirectory(prefix="tactus-toy-") as place:
        copy_of_tree(place)
        (pathlib.Path(place) / "toy.patch").write_text(patch, encoding="utf-8")
        applied = context.run("patch", "-p1", "-i", "toy.patch", cwd=place)
        if applied.returncode != 0:
            raise Failed(f"the page's patch does not apply: {last_line(applied.stdout)}")
        run_toy(context, place, word)
    ok = layers.returncode == 0 and not strangers and small
    figure = f"{last_line(layers.stdout)}; {len(strangers)} includes of cli/; the toy: {len(folders)} folder, {sum(c[1] for c in changes)} line elsewhere, runs and is differentiated right"
    return Result(ok, figure, strangers)
