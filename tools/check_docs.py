"""Documentation: every public function is commented, every relative link of a page resolves, generated tables are
current, what a page or comment names in code marks exists, equations have one label each, of letters that belong to their
page alone, and what is cited is there; and the page of the command line has every verb and option that the program has
(once it is built).
"""

import re
import subprocess
import sys

import make_docs
import make_python
import python_api
import source

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
PROGRAM = source.ROOT / "build/release/tactus"
COMMANDS = "docs/guide/command_line.md"
# An equation's label: a tag of its formula, or in brackets at the end of a line of plain text.
LABEL = re.compile(r"\\tag\{([A-Z]{1,2})(\d+)\}|\s{2}\(([A-Z]{1,2})(\d+)\)$", re.MULTILINE)
# A place that cites one: (D4), (D4 to D6), [Q6]; or with its page: dynamics.md, ID2.
CITED = re.compile(r"[(\[]([A-Z]{1,2}\d+)(?: (?:to|and) ([A-Z]{1,2}\d+))?[)\]]")
CITED_ON = re.compile(r"(\w+\.md), ([A-Z]{1,2}\d+)")
PUBLIC_CALL = re.compile(r"\b(tac_[a-z0-9_]+)\(")


def strip_fences(text):
    """Markdown without fenced code; line numbers stay."""
    return re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.DOTALL | re.MULTILINE)


def declarations(path):
    """(name, line index) of each public function of a header."""
    lines = source.read(path).splitlines()
    for i, line in enumerate(lines):
        if line.startswith("TAC_API"):
            name = re.search(r"\b(tac_\w+)\(", line + " ".join(lines[i + 1 : i + 2]))
            yield (name.group(1) if name else line), i


def commented(lines, i):
    """Is there a comment directly above, or above the group of declarations this one belongs to?"""
    while i > 0:
        above = lines[i - 1].strip()
        if above.endswith("*/"):
            return True
        if not above or above.startswith("#") or above == "{":
            return False
        i -= 1
    return False


def doc_problems():
    for path in source.project_files("include/*.h"):
        lines = source.read(path).splitlines()
        for name, i in declarations(path):
            if not commented(lines, i):
                yield f"{path}:{i + 1}: {name} has no comment"


def anchors(text):
    """The anchors that headings of a page make."""
    titles = re.findall(r"^#+\s+(.*)$", strip_fences(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def link_problems():
    for path in source.project_files("*.md"):
        text = strip_fences(source.read(path))
        for match in LINK.finditer(text):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            place = (source.ROOT / path.parent / file).resolve() if file else source.ROOT / path
            where = f"{path}:{source.line_of(text, match.start())}"
            if not place.exists():
                yield f"{where}: {target} does not exist"
            elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text(encoding="utf-8")):
                yield f"{where}: no heading for #{anchor}"


def name_problems():
    """Functions that a page calls but no public header declares. ARCHITECTURE may speak of what is to come."""
    known = {name for path in source.project_files("include/*.h") for name, _ in declarations(path)}
    for path in source.project_files("README.md", "docs/guide/*.md"):
        text = source.read(path)
        for match in PUBLIC_CALL.finditer(text):
            if match.group(1) not in known:
                yield f"{path}:{source.line_of(text, match.start())}: {match.group(1)} is not a public function"


def equation_labels():
    """-> {label: page}, and problems: labels given twice, letters of two pages."""
    pages, letters, problems = {}, {}, []
    for path in source.project_files("docs/theory/*.md"):
        text = source.read(path)
        for match in LABEL.finditer(text):
            prefix, number = (match.group(1), match.group(2)) if match.group(1) else (match.group(3), match.group(4))
            where = f"{path}:{source.line_of(text, match.start())}"
            if letters.setdefault(prefix, path.name) != path.name:
                problems.append(f"{where}: {prefix}{number}: equations {prefix} are those of {letters[prefix]}")
            elif prefix + number in pages:
                problems.append(f"{where}: {prefix}{number} is another equation already")
            pages.setdefault(prefix + number, path.name)
    return pages, problems


def equation_problems():
    """Labels that repeat, and citations of equations that are not there. Code cites in comments; letters that no page uses
    are no citation there."""
    pages, problems = equation_labels()
    yield from problems
    letters = {re.sub(r"\d", "", label) for label in pages}
    for path in source.project_files("docs/theory/*.md", "src/*.c", "src/*.h"):
        text = source.read(path)
        if path.suffix != ".md":  # comments alone, in their places
            text = re.sub(r"/\*.*?\*/|[^\n]", lambda m: m.group(0) if len(m.group(0)) > 1 else " ", text, flags=re.DOTALL)
        for match in CITED.finditer(text):
            for label in filter(None, match.groups()):
                if label not in pages and (path.suffix == ".md" or re.sub(r"\d", "", label) in letters):
                    yield f"{path}:{source.line_of(text, match.start())}: there is no equation {label}"
        for match in CITED_ON.finditer(text):
            if pages.get(match.group(2)) != match.group(1):
                yield f"{path}:{source.line_of(text, match.start())}: {match.group(1)} has no equation {match.group(2)}"


def is_built():
    """Is there a program, and no source of the command line younger than it?"""
    sources = source.project_files("cli/*.c", "cli/*.h", "measure/*.c", "measure/*.h")
    return PROGRAM.exists() and all((source.ROOT / path).stat().st_mtime <= PROGRAM.stat().st_mtime for path in sources)


def help_text(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, check=True, text=True).stdout


def sections(text):
    """Title -> text of the parts of a page that begin with ##."""
    parts = re.split(r"^## +(.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def command_problems():
    """Verbs and options on one side only: of the program's own help, or of the page. A verb's own options are in its
    section, shared ones anywhere; both with the word or choice that follows them."""
    if not is_built():
        return
    page = source.read(COMMANDS).replace("\\|", "|")
    parts, seen = sections(page), set()
    for verb in re.findall(r"^  ([a-z]+) ", help_text("help"), re.MULTILINE):
        if f"`{verb}" not in parts["Verbs"]:
            yield f"{COMMANDS}: {verb} is not in the table of verbs"
        if verb in ("help", "version"):
            continue
        for group, body in re.findall(r"^(.*ptions):\n((?: .*\n)+)", help_text(verb, "--help"), re.MULTILINE):
            place = parts.get(verb, "") + parts["Verbs"] if group.lower() == "options" else page
            for option in re.findall(r"^  (?:-\w, )?(--\S+(?: \S+)?)(?:  |$)", body, re.MULTILINE):
                seen.add(option.split()[0])
                if f"`{option}`" not in place:
                    yield f"{COMMANDS}: {option} of {verb} is missing"
    for option in sorted(set(re.findall(r"`(--[a-z-]+)", page)) - seen):
        yield f"{COMMANDS}: no verb has {option}"


def main():
    problems = [*doc_problems(), *link_problems(), *name_problems(), *equation_problems(), *make_docs.stale(), *make_python.stale(), *python_api.problems(), *command_problems()]
    return source.finish(problems, "docs")


if __name__ == "__main__":
    sys.exit(main())
