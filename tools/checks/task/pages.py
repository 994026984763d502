"""The newcomer's page, and the reports that plans write, in a browser."""

import run_pages

from checks.registry import ROOT, Failed, Result, check, last_line
from checks.shown.browser import Browser

PAGE = "docs/guide/tasks/plan.md"
TASKS = ROOT / "examples" / "tasks"
REPORTS = {"dojo-plan-hopper": True, "dojo-plan-quadruped": True, "plan-post": True, "dojo-plan-cartpole": False}  # has targets
PICTURES = ROOT / "build" / "shown"
VIEWS = [(1400, 1000, "light"), (390, 844, "dark")]


def slider_problems(page):
    """Every iteration is shown when it is chosen, and says its own cost."""
    most = int(page.value("document.getElementById('iteration').max"))
    said = []
    for i in range(most + 1):
        page.value(f"(() => {{ const s = document.getElementById('iteration'); s.value = {i}; s.dispatchEvent(new Event('input')); }})()")
        page.drawn()
        said.append(page.value("document.getElementById('iteration-now').textContent + document.getElementById('iteration-text').textContent"))
    if most < 1:
        yield "there is one iteration alone"
    if len(set(said)) != len(said):
        yield f"{len(said) - len(set(said))} iterations say what others say"
    if not said[-1].startswith("the plan"):
        yield f"the last one is {said[-1]!r}"


def page_problems(page, name, targets):
    yield from slider_problems(page)
    for heading in ("Cost", "Violation", "Controls", "Cost by term"):
        if not page.value(f"[...document.querySelectorAll('h2')].some(h => h.firstChild.textContent === '{heading}')"):
            yield f"no {heading}"
    if page.value("document.getElementById('show-targets').hidden") == targets:
        yield "the button of targets"
    if page.value("document.getElementById('show-ghosts').hidden"):
        yield "no earlier iterations"
    loaded = page.value("performance.getEntriesByType('resource').length")
    if loaded:
        yield f"{loaded} files were asked for"
    yield from (f"console: {text}" for text in page.complaints())


def look_at(context, browser, name, targets):
    folder = context.scratch / f"report-{name}"
    done = context.run(context.tactus, "plan", TASKS / f"{name}.yaml", "-o", folder)
    if done.returncode != 0:
        raise Failed(f"{name}: exit {done.returncode}: {last_line(done.stderr)}")
    problems = []
    for width, height, scheme in VIEWS:
        page = browser.open((folder / "report.html").as_uri() + "#t=0.4", width, height, scheme)
        problems += [f"{name}, {width} x {height} {scheme}: {problem}" for problem in page_problems(page, name, targets)]
        page.picture(PICTURES / f"plan-{name}-{width}-{scheme}.png")
        page.close()
    return problems


@check("plan-newcomer", bar="every command of the newcomer's page runs and prints what the page states; reports work in a browser, without network and complaints", slow=True)
def newcomer(context):
    figures, problems, left_out = run_pages.run_pages(context.build, [PAGE])
    with Browser(context.scratch / "browser") as browser:
        for name, targets in REPORTS.items():
            problems += look_at(context, browser, name, targets)
    figure = f"{figures[0] if figures else 'the page fails'}; {len(REPORTS)} reports in {len(VIEWS)} views, {len(problems)} problems"
    return Result(bool(figures) and not problems and not left_out, figure, [*left_out, *problems])
