"""What the public headers say, read for other languages: enums, open structs, functions and their comments."""

import re

import source

# Numbers that one value of a type has, and how they are kept.
VECTORS = {"tacVec3": 3, "tacQuat": 4, "tacMat3": 9, "tacSym3": 6, "tacVec6": 6, "tacForceTorque": 6, "tacTwist": 6}
# Enumerators that count the others.
COUNTS = re.compile(r"_(COUNT|TYPES|KINDS|ENDS)$")
# Headers that Python has all of: every function with its twin, every enum. A new header goes in here with its Python.
COVERED = "batch contact io ode options problem status tactus types".split()


def headers():
    return source.project_files("include/tactus/*.h")


def plain(comment):
    """The text of a C comment as one paragraph a blank line."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip().removeprefix("/*").removesuffix("*/").splitlines()]
    return re.sub(r"[ \t]+", " ", "\n".join(line.strip() for line in lines)).strip()


def one_line(comment):
    return re.sub(r"\s+", " ", re.sub(r"\n\s*\*? ?", " ", comment)).strip()


def number(text, known):
    """The value of an enumerator's expression: numbers, shifts, sums and names that came before."""
    text = re.sub(r"\b[A-Z_][A-Z0-9_]*\b", lambda m: str(known[m.group(0)]), text)
    if not re.fullmatch(r"[\d\s<+\-*()]+", text):
        raise ValueError(f"enumerator {text!r}")
    return eval(text)  # noqa: S307: digits and operators alone


def expanded(body, text):
    """The body of an enum with the list macros that it uses written out."""

    def rows(match):
        define = re.search(rf"#define {match.group(2)}\(\w+\)((?:.*\\\n)*.*)", text)
        pattern = r"\w\((\w+),(?: \w+,)?[\s\\]*((?:\"[^\"]*\"[\s\\]*)+)\)"
        out = []
        for name, meaning in re.findall(pattern, define.group(1)):
            words = "".join(re.findall(r'"([^"]*)"', meaning))
            out.append(f"{match.group(1).format(name)}, /* {words} */\n")
        return "".join(out)

    body = re.sub(r"#define X\(name, \w+\) name,\s*(TAC_\w+)\(X\)", lambda m: rows(Rows("{}", m.group(1))), body)
    body = re.sub(
        r"#define X\(NAME, name, text\) (TAC_\w+)##NAME,\s*(TAC_\w+)\(X\)",
        lambda m: rows(Rows(m.group(1) + "{}", m.group(2))),
        body,
    )
    return re.sub(r"#undef X\n?", "", body)


class Rows:
    """A form of names and the list macro that fills it, as a match has its groups."""

    def __init__(self, form, macro):
        self.parts = (form, macro)

    def group(self, i):
        return self.parts[i - 1]


def enumerators(body, known):
    """(name, value, comment) of each enumerator of a body."""
    out, value = [], -1
    for match in re.finditer(r"(TAC_\w+)\s*(?:=\s*([^,/\n]+?))?\s*(?:,|(?=/\*)|$|\n)\s*(?:/\*(.*?)\*/)?", body, re.DOTALL):
        name, written, comment = match.groups()
        value = number(written, known) if written else value + 1
        known[name] = value
        if not COUNTS.search(name):
            out.append((name, value, one_line(comment or "")))
    return out


def enums():
    """{name: (comment, [(enumerator, value, comment)])}; enums without a name have that of their first enumerator."""
    found, known = {}, {}
    for path in headers():
        if path.stem not in COVERED:
            continue
        text = source.read(path)
        for match in re.finditer(r"(/\*(?:(?!\*/).)*\*/\n)?(?:typedef )?enum \{(.*?)\}\s*(\w*);", text, re.DOTALL):
            comment, body, name = match.groups()
            rows = enumerators(expanded(body, text), known)
            if rows:
                found[name or rows[0][0]] = (plain(comment or ""), rows)
    return found


def declared(line):
    """(type, name, pointer depth, array length) of each declarator of a declaration."""
    match = re.match(r"(?:const )?(?:volatile )?(?:struct )?(unsigned|\w+)\s*(.*)$", line.strip(), re.DOTALL)
    kind, rest = match.groups()
    out = []
    for piece in rest.split(","):
        part = re.match(r"\s*((?:\*\s*(?:const\s*)?)*)(\w+)(?:\[(\w+)\])?\s*$", piece)
        if part is None:  # an array of arrays, which Python has no use for
            continue
        out.append((kind, part.group(2), part.group(1).count("*"), part.group(3)))
    return out


def fields(body):
    """(type, name, pointer depth, array length, comment) of each field; comments stand behind or before."""
    out, before = [], ""
    token = re.compile(r"/\*(.*?)\*/|([^;/]+);", re.DOTALL)
    for match in token.finditer(body):
        if match.group(1) is not None:
            same_line = "\n" not in body[body.rfind(";", 0, match.start()) + 1 : match.start()]
            if out and same_line:
                out = [(*row[:4], one_line(match.group(1))) if row[4] is None else row for row in out]
            else:
                before = one_line(match.group(1))
            continue
        if "(*" in match.group(2) or "#" in match.group(2):
            continue
        out = [(*row[:4], before if row[4] is None else row[4]) for row in out]
        before = "" if out and "\n\n" in match.group(2) else before
        out += [(*row, None) for row in declared(match.group(2))]
    return [(*row[:4], row[4] or "") for row in out]


def structs():
    """{name: (comment, fields)} of the open structs."""
    found = {}
    for path in headers():
        text = source.read(path)
        for match in re.finditer(r"(/\*(?:(?!\*/).)*\*/\n)?typedef struct (\w+) \{(.*?)\n\} (\w+);", text, re.DOTALL):
            comment, name, body, _ = match.groups()
            if name != "tacModel" and "(*" not in body:
                found[name] = (plain(comment or ""), fields(body))
    return found


def functions_of(path):
    """{name: comment} of the public functions of a header; a group shares the comment above it."""
    found, lines = {}, source.read(path).splitlines()
    for i, line in enumerate(lines):
        if not line.startswith("TAC_API"):
            continue
        name = re.search(r"\b(tac_\w+)\(", line + " " + " ".join(lines[i + 1 : i + 2])).group(1)
        end = i
        while end > 0 and lines[end - 1].strip() and not lines[end - 1].strip().endswith("*/"):
            end -= 1
        start = end
        while start > 0 and lines[end - 1].strip().endswith("*/") and not lines[start].lstrip().startswith("/*"):
            start -= 1
        found[name] = plain("\n".join(lines[start:end]))
    return found


def functions():
    """The same of all headers."""
    return {name: comment for path in headers() for name, comment in functions_of(path).items()}
