"""Draws docs/theory/figures/collision_pairs.svg: every pair of shapes, apart with its nearest points and touching with
its contacts, as the program `print_touches` finds them. Called by ./dev figures.

`draw_pairs.py PRINT_TOUCHES [--check]`: --check writes nothing and fails when the figure in the tree is another one.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, replace

from outlines import Camera, Solid, add, outline, quat_mul, scaled, turn, unit

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURE = ROOT / "docs" / "theory" / "figures" / "collision_pairs.svg"

# --- What is drawn: sizes in metres, and how a shape lies below, above and beside another --------------------------------

KINDS = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "cone")
NUMBER = {"plane": 0, "sphere": 2, "capsule": 3, "ellipsoid": 4, "cylinder": 5, "box": 6, "mesh": 7, "cone": 8}  # tacGeomType
SIZES = {
    "plane": (0.85, 0.85, 1.0), "sphere": (0.42, 0.0, 0.0), "capsule": (0.25, 0.4, 0.0), "ellipsoid": (0.56, 0.4, 0.3),
    "cylinder": (0.4, 0.36, 0.0), "box": (0.44, 0.36, 0.3), "mesh": (0.0, 0.0, 0.0), "cone": (0.46, 0.42, 0.0),
}  # fmt: skip
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
UPRIGHT, LYING = turn(Z, 0), quat_mul(turn(Z, 75), turn(Y, 90))
BELOW = {kind: turn(Z, 47) for kind in KINDS} | {"plane": UPRIGHT, "capsule": LYING, "cone": turn(X, 180)}
ABOVE = {kind: turn(Z, 78) for kind in KINDS} | {"capsule": LYING}
ABOVE_AT = (0.08, 0.14, 3.0)  # aside, so that no edges coincide
LEFT = {kind: quat_mul(turn(Z, 50), turn(unit((1.0, -0.5, 0.0)), 14)) for kind in KINDS} | {"plane": UPRIGHT, "capsule": turn(X, 25)}
RIGHT = {kind: quat_mul(turn(Z, -35), turn(unit((1.0, 0.7, 0.0)), 32)) for kind in KINDS}
RIGHT_AT, OVER = (0.4, 1.7, 1.3), (0.0, 0.0, 3.0)
APART, DEEP = 0.42, -0.06  # signed distances

# The mesh: a hexagonal frustum about its centre of mass.
SIDES, HEIGHT, LOWER, UPPER = 6, 0.62, 0.5, 0.32
CENTRE = HEIGHT / 4 * (LOWER**2 + 2 * LOWER * UPPER + 3 * UPPER**2) / (LOWER**2 + LOWER * UPPER + UPPER**2)


def frustum():
    """-> corners, faces as loops that run counter-clockwise seen from outside."""
    angles = [2 * math.pi * k / SIDES for k in range(SIDES)]
    levels = ((LOWER, -CENTRE), (UPPER, HEIGHT - CENTRE))
    corners = [(radius * math.cos(angle), radius * math.sin(angle), z) for radius, z in levels for angle in angles]
    around = [[k, (k + 1) % SIDES, SIDES + (k + 1) % SIDES, SIDES + k] for k in range(SIDES)]
    return corners, [list(reversed(range(SIDES))), list(range(SIDES, 2 * SIDES)), *around]


def box_faces(size):
    corners = [tuple(s if number >> k & 1 else -s for k, s in enumerate(size)) for number in range(8)]
    return corners, [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def solid(kind, quat, pos=(0.0, 0.0, 0.0)):
    size = SIZES[kind]
    corners, faces = frustum() if kind == "mesh" else box_faces(size) if kind == "box" else ([], [])
    return Solid(kind, size, pos, quat, corners, faces)


# --- Where they touch ----------------------------------------------------------------------------------------------


@dataclass
class Scene:
    """Two shapes and what Tactus says of them."""

    solids: tuple
    wanted: float  # signed distance
    touches: dict = None


def scenes():
    """(i, j, apart) -> scene, the second shape on its way to the first."""
    found = {}
    for j, second in enumerate(KINDS):
        for i, first in enumerate(KINDS[: j + 1]):
            if second != "plane":  # two planes never touch
                place = OVER if first == "plane" else RIGHT_AT
                found[i, j, True] = Scene((solid(first, LEFT[first]), solid(second, RIGHT[second], place)), APART)
                found[i, j, False] = Scene((solid(first, BELOW[first]), solid(second, ABOVE[second], ABOVE_AT)), DEEP)
    return found


def numbers(*values):
    return " ".join(repr(value) for value in values)


def ask(program, some):
    """Fills in the touches of scenes."""
    corners, faces = frustum()
    triangles = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    lines = [numbers(len(corners), len(triangles)), *(numbers(*row) for row in corners + triangles)]
    for scene in some:
        lines += [numbers(NUMBER[s.kind], *s.size, *s.pos, *s.quat) for s in scene.solids]
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=False)
    answers = done.stdout.splitlines()
    if done.returncode != 0 or len(answers) != len(some):
        raise SystemExit(f"draw_pairs: {program}: exit {done.returncode}: {done.stderr.strip()}")
    for scene, answer in zip(some, answers, strict=True):
        scene.touches = json.loads(answer)


def settled(program):
    """All scenes at the distance they are wanted at: moving a shape along the normal changes the distance by as much."""
    found = scenes()
    ask(program, list(found.values()))
    for scene in found.values():
        first, second = scene.solids
        way = scaled(scene.touches["normal"], scene.wanted - scene.touches["dist"])
        scene.solids = (first, replace(second, pos=add(second.pos, way)))
    ask(program, list(found.values()))
    return found


# --- The page ------------------------------------------------------------------------------------------------------

CAMERA = Camera(azimuth=14, elevation=24)
CELL, HEAD, GAP = 116, 26, 6  # px
LARGEST, BORDER = 60, 7  # px a metre, px left free at the edge of a cell
ARROW = 0.42  # m: length of a normal

STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #7d8590; }
  .cell { fill: #7d8590; fill-opacity: .07; }
  .half { stroke: #7d8590; stroke-opacity: .25; }
  .first { color: #3f87d0; }
  .second { color: #e3962c; }
  .border, .front, .back { fill: none; stroke: currentColor; stroke-linejoin: round; stroke-linecap: round; }
  .border { stroke-width: 1.3; }
  .front { stroke-width: .9; stroke-opacity: .8; }
  .back { stroke-width: .7; stroke-opacity: .35; stroke-dasharray: 2 2; }
  .line { stroke: #e3256f; stroke-width: 1.4; fill: none; }
  .head { fill: #e3256f; }
  .dot { fill: #e3256f; stroke: #fff; stroke-width: .8; }
"""


class View:
    """From metres to the page: the middle of what is drawn goes to a place."""

    def __init__(self, scene, place, room):
        points = [point for s in scene.solids for point in outline(CAMERA, s).points()]
        low, high = ([pick(p[k] for p in points) for k in range(2)] for pick in (min, max))
        self.middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        self.place = place
        self.scale = min(LARGEST, *(room / (b - a) for a, b in zip(low, high, strict=True)))

    def to(self, x, y):
        return tuple(place + self.scale * (value - middle) for place, value, middle in zip(self.place, (x, y), self.middle, strict=True))

    def path(self, commands):
        words = []
        for command in commands:
            values = list(command[1:])
            if len(values) > 2:
                words.append(f"A{values[0] * self.scale:.1f} {values[1] * self.scale:.1f} {values[2]:.1f} 0 {values[3]}")
            if values:
                x, y = self.to(*values[-2:])
                words.append(f"{'' if len(values) > 2 else command[0]}{x:.1f} {y:.1f}")
            else:
                words.append(command[0])
        return " ".join(words)


def draw_solid(view, s, name):
    drawn = outline(CAMERA, s)
    lines = [f'<path class="back" d="{view.path(path)}"/>' for path in drawn.back]
    for path, light in drawn.fills:
        fill = f"url(#{name})" if light is None else "currentColor"
        opacity = "" if light is None else f' fill-opacity="{0.62 - 0.42 * light:.2f}"'
        lines.append(f'<path fill="{fill}"{opacity} d="{view.path(path)}"/>')
    for role, paths in (("front", drawn.front), ("border", drawn.border)):
        lines += [f'<path class="{role}" d="{view.path(path)}"/>' for path in paths]
    return [f'<g class="{name}">', *lines, "</g>"]


def dot(view, point):
    x, y = view.to(*CAMERA.flat(point))
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.4"/>'


def arrow(view, start, end):
    """A line with a head at its end; a head alone where the line points at the viewer."""
    a, b = view.to(*CAMERA.flat(start)), view.to(*CAMERA.flat(end))
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    if length < 1:
        return []
    ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    back = (b[0] - 5 * ux, b[1] - 5 * uy)
    head = [b, (back[0] - 2.6 * uy, back[1] + 2.6 * ux), (back[0] + 2.6 * uy, back[1] - 2.6 * ux)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in head)
    return [
        f'<path class="line" d="M{a[0]:.1f} {a[1]:.1f} L{back[0]:.1f} {back[1]:.1f}"/>',
        f'<polygon class="head" points="{corners}"/>',
    ]


def draw_scene(scene, place, room, apart):
    view, got = View(scene, place, room), scene.touches
    lines = draw_solid(view, scene.solids[0], "first") + draw_solid(view, scene.solids[1], "second")
    if apart:
        return lines + arrow(view, got["pos1"], got["pos2"]) + [dot(view, got["pos1"]), dot(view, got["pos2"])]
    for contact in got["contacts"]:
        lines += arrow(view, contact["pos"], add(contact["pos"], scaled(contact["normal"], ARROW)))
    return lines + [dot(view, contact["pos"]) for contact in got["contacts"]]


def corner(row, column):
    return HEAD + GAP + column * (CELL + GAP), HEAD + GAP + row * (CELL + GAP)


def draw_cell(found, row, column):
    x, y = corner(row, column)
    i, j = min(row, column), max(row, column)
    lines = [f'<rect class="cell" x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="6"/>']
    if (i, j, True) not in found:
        return lines + [f'<text x="{x + CELL / 2}" y="{y + CELL / 2 + 4}" text-anchor="middle">never touch</text>']
    if row != column:
        apart = row < column
        return lines + draw_scene(found[i, j, apart], (x + CELL / 2, y + CELL / 2), CELL - 2 * BORDER, apart)
    lines.append(f'<path class="half" d="M{x + 6} {y + 6} L{x + CELL - 6} {y + CELL - 6}"/>')
    for apart, share in ((True, 0.71), (False, 0.29)):
        lines += draw_scene(found[i, j, apart], (x + share * CELL, y + (1 - share) * CELL), CELL / 2, apart)
    return lines


def gradient(name):
    stops = "".join(f'<stop offset="{at}" stop-color="currentColor" stop-opacity="{opacity}"/>' for at, opacity in ((0, 0.18), (1, 0.6)))
    return f'<linearGradient id="{name}" class="{name}" x1="0.2" y1="0" x2="0.7" y2="1">{stops}</linearGradient>'


def draw(found):
    size = HEAD + GAP + len(KINDS) * (CELL + GAP)
    height = size + 22
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {height}" width="{size}" height="{height}" role="img">',
        "<title>Nearest points and contacts of every pair of shapes</title>",
        f"<style>{STYLE}</style>",
        f"<defs>{gradient('first')}{gradient('second')}</defs>",
    ]
    for k, kind in enumerate(KINDS):
        x, y = corner(k, k)
        lines.append(f'<text x="{x + CELL / 2}" y="{HEAD - 6}" text-anchor="middle">{kind}</text>')
        lines.append(f'<text transform="translate({HEAD - 6} {y + CELL / 2}) rotate(-90)" text-anchor="middle">{kind}</text>')
    for row in range(len(KINDS)):
        for column in range(len(KINDS)):
            lines += draw_cell(found, row, column)
    legend = "above the diagonal: apart, from nearest point to nearest point · below: touching, every contact with its normal"
    lines.append(f'<text x="{(size + HEAD) / 2}" y="{height - 8}" text-anchor="middle">{legend}</text>')
    return "\n".join([*lines, "</svg>", ""])


# --- The figure in the tree ----------------------------------------------------------------------------------------

NUMERAL = re.compile(r"-?\d+\.\d+|-?\d+")
ROUNDING = 0.11  # px: a last printed digit


def same(a, b):
    """The same drawing, whichever way a last digit was rounded."""
    if NUMERAL.sub("#", a) != NUMERAL.sub("#", b):
        return False
    pairs = zip(NUMERAL.findall(a), NUMERAL.findall(b), strict=True)
    return all(abs(float(x) - float(y)) <= ROUNDING for x, y in pairs)


def main():
    parser = argparse.ArgumentParser(description="Draw the pairs of shapes.")
    parser.add_argument("program", help="print_touches, built")
    parser.add_argument("--check", action="store_true", help="compare with the figure in the tree")
    options = parser.parse_args()
    text = draw(settled(options.program))
    if not options.check:
        FIGURE.parent.mkdir(parents=True, exist_ok=True)
        FIGURE.write_text(text, encoding="utf-8")
        print(FIGURE.relative_to(ROOT))
        return 0
    if FIGURE.exists() and same(FIGURE.read_text(encoding="utf-8"), text):
        return 0
    print(f"{FIGURE.relative_to(ROOT)} is out of date: ./dev figures draws it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
