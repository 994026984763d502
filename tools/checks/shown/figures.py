"""The figures of docs: every text box and every colour, measured in the browser."""

import json

from checks.registry import ROOT, Result, check
from checks.shown.browser import Browser

FOLDERS = ("docs/images", "docs/theory/figures")
TOLERANCE = 1.0  # px that boxes may share: a box has the font's full height, its letters have not

# Texts with their boxes, shapes with their colour, and the colours of the key.
MEASURE = """(() => {
  const size = document.documentElement.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('text')].map(text => {
    const b = text.getBoundingClientRect();
    return { text: text.textContent, x0: b.left, x1: b.right, y0: b.top, y1: b.bottom };
  });
  const colour = shape => { const s = getComputedStyle(shape); return shape.matches('path,line,polyline') ? s.stroke : s.fill; };
  const data = [...document.querySelectorAll('path,polyline,line:not(.grid),circle,rect:not(.back)')].filter(s => !s.closest('.key'));
  return JSON.stringify({
    width: size.width, height: size.height, boxes,
    used: [...new Set(data.map(colour))],
    key: [...document.querySelectorAll('.key rect')].map(colour),
  });
})()"""


def overlaps(boxes):
    """Pairs of texts whose boxes share more than a hair."""
    wrong = []
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            across = min(a["x1"], b["x1"]) - max(a["x0"], b["x0"])
            along = min(a["y1"], b["y1"]) - max(a["y0"], b["y0"])
            if across > TOLERANCE and along > 3 * TOLERANCE:
                wrong.append(f"\"{a['text']}\" and \"{b['text']}\" share {across:.0f} x {along:.0f} px")
    return wrong


def outside(found):
    return [f"\"{box['text']}\" leaves the picture" for box in found["boxes"] if box["x0"] < 0 or box["y0"] < 0 or box["x1"] > found["width"] or box["y1"] > found["height"]]


def unexplained(found):
    return [f"no key for {colour}" for colour in found["used"] if colour not in found["key"]]


@check("shown-figures", bar="each figure of docs: no two texts overlap, none leaves the picture; experiments: a key for every colour of the data")
def figures(context):
    wrong, files, texts = [], [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.svg"))], 0
    with Browser(context.scratch / "browser") as browser:
        for path in files:
            page = browser.open(path.as_uri(), 1200, 1200, ready="true")
            found = json.loads(page.value(MEASURE))
            page.close()
            texts += len(found["boxes"])
            bad = overlaps(found["boxes"]) + outside(found) + (unexplained(found) if path.parent.name == "images" else [])
            wrong += [f"{path.name}: {words}" for words in bad]
    return Result(not wrong and len(files) > 10 and texts > 100, f"{len(files)} figures with {texts} texts: {len(wrong)} wrong", wrong)
