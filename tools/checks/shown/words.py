"""Phrases that are hard to read at once, and may not come back into what users read."""

import re

from checks.registry import ROOT, Result, check

PLACES = ("README.md", "docs/**/*.md", "include/**/*.h", "cli/**/*.[ch]", "src/**/*.[ch]", "io/**/*.[ch]")

PHRASES = (
    "springs and servos act as of the start of the step",
    "of the last of them",
    "its search came no nearer to a solution",
    "otherwise the model's, or 100 (cg 1000) where that is more",
    "share of the slope left on a line",
    "expected --contact ncp, the one that is softened",
    "You bring a robot as people publish it",
    "A = dy/dx and B = dy/du with it",
    "`soft` has no such word: there, overlap is how contact acts",
    "What another start has to leave less than",
    "fine, 1 the answer is no",
    "print for programs",
    "than an int counts",
    "that no input gave, up to",
    "times what the motion had",
    "no state near by satisfies",
    "near by that breaks none",
    "what is mixed for them",
    "where package:// begins",
    "the last row holds on",
    "go only this share of the way",
    "begins or ends to hold",
    "off the edge of what is allowed",
    "differences are known to",
    "leaves out what is far",
    "has no such word",
    "of impacts as continuous time has it",
    "row by row the gradient that looks across contacts",
    "whose search it tells of",
    "whose constraints it tells of",
    "in proportion to what is wrong",
    "expected how many out has room for",
    "with a force that comes of kappa",
    "Actuator forces at a bound of their range do not follow",
    "more than can be told here",
    "the world stands still and weighs nothing",
    "friction of contact soft creeps as it does without",
    "a face names a vertex that there is not",
    "gave no answer that can be understood",
    "left without one",
    "it is of no use by itself",
    "expected none below zero",
    "does not go with its array",
    "steps by its own integrator",
    "what it said of them",
    "of or by a joint without a single coordinate",
    "no reason is told",
    "Nor counts what is welded to a mocap body",
    "Of places: a few units of the last digit",
    "How often features that a search overlaps by are added",
    "What touches at the poses of w",
    "takes covectors back as ever",
    "is flown to once more",
    "problem in hand",
    "poses in hand",
    "what comes along of a model",
    "come along that refer to nothing",
    "are names alone and stay",
    "which are none of its",
)


def pattern_of(phrase):
    """The phrase across line breaks, quotes of strings and marks of comments."""
    return re.compile(r"[\s\"*]+".join(re.escape(word) for word in phrase.split()), re.IGNORECASE)


def found(paths):
    patterns = [(phrase, pattern_of(phrase)) for phrase in PHRASES]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for phrase, pattern in patterns:
            for match in pattern.finditer(text):
                yield f"{path.relative_to(ROOT).as_posix()}:{text.count(chr(10), 0, match.start()) + 1}: {phrase}"


@check("shown-words", bar=f"none of {len(PHRASES)} phrases that are hard to read in README, docs, headers, cli, src, io")
def shown_words(context):
    paths = sorted({path for place in PLACES for path in ROOT.glob(place)})
    lines = list(found(paths))
    return Result(not lines, f"{len(lines)} in {len(paths)} files", lines)
