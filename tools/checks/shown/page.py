"""The demo's page in a browser: arrows, legends, sizes and schemes; and a long motion that was made elsewhere."""

import base64
import json
import re
import shlex
import struct
import time

from checks.registry import ROOT, CannotRun, Failed, Result, check, last_line
from checks.shown.browser import Browser

VIEWS = [(1400, 1000, "light"), (1400, 1000, "dark"), (390, 844, "light"), (390, 844, "dark")]
PICTURES = ROOT / "build" / "shown"
FRAMES, DOFS, RATE = 10000, 36, 30
WARM_SECONDS, WATCH_SECONDS = 4, 8

LEGEND = "[...document.querySelectorAll('.legend button')].filter(b => b.offsetParent !== null)"


def demo_words():
    """The words of `tactus sim` in tools/demo."""
    text = (ROOT / "tools" / "demo").read_text(encoding="utf-8").replace("\\\n", " ")
    model = re.search(r"model=\$\{1:-([^}]+)\}", text).group(1)
    return [model, *shlex.split(re.search(r"set -- (--key .*)", text).group(1))]


def make_page(context, path, *words):
    done = context.run(context.tactus, *words, "-o", path)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {last_line(done.stderr)}")
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def frame_times(data):
    raw = base64.b64decode(data["motion"]["time"])
    return struct.unpack(f"<{len(raw) // 4}f", raw)


def contact_counts(context, data):
    """Contacts with a force at each frame of the page, from the motion written as JSON. An open contact has none."""
    path = context.scratch / "demo.json"
    done = context.run(context.tactus, "sim", *demo_words(), "-o", path)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {last_line(done.stderr)}")
    motion = json.loads(path.read_text(encoding="utf-8"))["trajectory"]
    counts = {round(time, 5): sum(contact["state"] != "open" for contact in forces["contacts"]) for time, forces in zip(motion["time"], motion["forces"])}
    return [counts[round(time, 5)] for time in frame_times(data)]


def wrong_arrows(page, counts):
    """Frames whose arrows are not their contacts, gone through by key."""
    wrong = []
    page.value("document.activeElement.blur()")
    page.key("Home")
    for frame, count in enumerate(counts):
        if frame > 0:
            page.key("ArrowRight")
        page.drawn()
        seen = page.value("(({frame, arrows}) => [+frame, +arrows])(document.querySelector('[data-arrows]').dataset)")
        if seen != [frame, count]:
            wrong.append(f"frame {frame} with {count} contacts: drawn frame {seen[0]} with {seen[1]} arrows")
    return wrong


def unreachable_by_mouse(page, n):
    """Legend entries that a click does not reach: each must show or hide its curve, and back."""
    missed = []
    for i in range(n):
        spot = page.value(
            f"(b => {{ b.scrollIntoView({{ block: 'center' }}); const r = b.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;"
            f" return [x, y, b.contains(document.elementFromPoint(x, y)), b.getAttribute('aria-pressed')]; }})({LEGEND}[{i}])"
        )
        page.click(spot[0], spot[1])
        after = page.value(f"{LEGEND}[{i}].getAttribute('aria-pressed')")
        page.click(spot[0], spot[1])
        again = page.value(f"{LEGEND}[{i}].getAttribute('aria-pressed')")
        if not spot[2] or after == spot[3] or again != spot[3]:
            missed.append(f"legend entry {i} by mouse: covered {not spot[2]}, {spot[3]} -> {after} -> {again}")
    return missed


def unreachable_by_keys(page, n):
    """Legend entries that Tab never comes to, or that Enter does not change."""
    page.value("document.activeElement.blur(), scrollTo(0, 0), 1")
    seen, missed = set(), []
    for _ in range(20 * n + 200):
        page.key("Tab")
        i = page.value(f"{LEGEND}.indexOf(document.activeElement)")
        if i < 0 or i in seen:
            if len(seen) == n:
                break
            continue
        seen.add(i)
        before = page.value("document.activeElement.getAttribute('aria-pressed')")
        page.key("Enter")
        after = page.value("document.activeElement.getAttribute('aria-pressed')")
        page.key("Enter")
        if before == after:
            missed.append(f"legend entry {i}: Enter does nothing")
    return missed + [f"legend entry {i}: Tab never comes to it" for i in range(n) if i not in seen]


def repeated_colours(page):
    """Plots that show all their curves, with a colour twice."""
    return page.value(
        "[...document.querySelectorAll('.choice')].filter(b => b.textContent === 'All').forEach(b => b.click()),"
        "[...document.querySelectorAll('.plot')].map(plot => {"
        "  const colours = [...plot.querySelectorAll('.legend button[aria-pressed=true] i')].map(i => getComputedStyle(i).backgroundColor);"
        "  return colours.length - new Set(colours).size; }).reduce((a, b) => a + b, 0)"
    )


def look(browser, address, counts, width, height, scheme):
    name = f"{width}x{height}-{scheme}"
    page = browser.open(f"{address}#t=0", width, height, scheme)
    page.drawn()
    page.picture(PICTURES / f"page-{name}-first.png")
    problems = wrong_arrows(page, counts)
    page.picture(PICTURES / f"page-{name}.png")
    n = page.value(f"{LEGEND}.length")
    problems += unreachable_by_mouse(page, n) + unreachable_by_keys(page, n)
    repeated = repeated_colours(page)
    if repeated:
        problems.append(f"{repeated} colours repeat among curves that are shown")
    wide = page.value("document.documentElement.scrollWidth")
    if wide > width:
        problems.append(f"the page is {wide} pixels wide")
    problems += [f"console: {text}" for text in page.complaints()]
    page.close()
    return n, [f"{name}: {problem}" for problem in problems]


@check("shown-page", bar="no console error; arrows = contacts of the motion's JSON in every frame; every legend entry by mouse and keyboard; 4 views")
def shown_page(context):
    path = context.scratch / "demo.html"
    data = make_page(context, path, "sim", *demo_words())
    counts = contact_counts(context, data)
    if not any(counts):
        raise Failed("the demo has no contacts")
    problems, entries = [], 0
    with Browser(context.scratch / "browser") as browser:
        for width, height, scheme in VIEWS:
            n, found = look(browser, f"file://{path}", counts, width, height, scheme)
            entries += n
            problems += found
    figure = f"{len(VIEWS)} views, {len(counts)} frames with {sum(counts)} arrows, {entries // len(VIEWS)} legend entries, {len(problems)} problems"
    return Result(not problems, figure, problems + [f"pictures in {PICTURES.relative_to(ROOT)}"])


def long_motion(context):
    """10,000 states of our robot with 36 degrees of freedom."""
    model = ROOT / "models" / "atlas.xml"
    info = context.json_from(context.tactus, "info", model, "--json")
    if info["nv"] != DOFS:
        raise CannotRun(f"{model.name} has {info['nv']} degrees of freedom, expected {DOFS}")
    states = context.scratch / "states.csv"
    context.run(context.tactus, "sim", model, "--steps", FRAMES - 1, "--every", 1, "--random", 1, "--random-period", 0.5,
                "--random-share", 0.2, "-o", states)  # fmt: skip
    return model, states


@check("shown-trajectory", bar=f"{FRAMES:,} frames of a robot with {DOFS} degrees of freedom at {RATE} frames a second or more")
def shown_trajectory(context):
    model, states = long_motion(context)
    path = context.scratch / "long.html"
    start = time.monotonic()
    data = make_page(context, path, "show", model, states)
    seconds = time.monotonic() - start
    with Browser(context.scratch / "browser-long") as browser:
        page = browser.open(f"file://{path}", 1400, 1000)
        time.sleep(WARM_SECONDS)
        drawn, passed = page.value(
            "new Promise(done => { let n = 0; const begin = performance.now(), watch = new MutationObserver(list => { n += list.length; });"
            " watch.observe(document.querySelector('[data-arrows]'), { attributes: true, attributeFilter: ['data-arrows'] });"
            f" setTimeout(() => done([n, (performance.now() - begin) / 1000]), {1000 * WATCH_SECONDS}); }})"
        )
        page.picture(PICTURES / "trajectory.png")
        complaints = page.complaints()
        page.close()
    rate, frames = drawn / passed, data["motion"]["frames"]
    figure = f"{frames:,} frames, {rate:.0f} a second; page of {path.stat().st_size / 1e6:.1f} MB written in {seconds:.1f} s"
    return Result(frames == FRAMES and rate >= RATE and not complaints, figure, complaints)
