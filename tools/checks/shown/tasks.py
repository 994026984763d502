"""The commands and programs of the README and of the task pages, run as a reader runs them."""

import run_pages

from checks.registry import CannotRun, Result, check


@check("shown-tasks", bar="every command and program of the README and of docs/guide/tasks runs and prints what the page states")
def shown_tasks(context):
    if not context.tactus.exists():
        raise CannotRun("tactus is not built")
    figures, problems, left_out = run_pages.run_pages(context.build)
    figure = f"{len(figures)} of {len(figures) + len(problems)} pages, {len(left_out)} blocks left out"
    return Result(bool(figures) and not problems, figure, [*figures, *left_out, *problems])
