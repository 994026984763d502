"""Draws the README's picture: a moment of the demo's page, whole, by Chromium. draw_page.py TACTUS OUTPUT"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from checks.registry import CannotRun, Failed  # noqa: E402
from checks.shown.browser import Browser  # noqa: E402
from checks.shown.page import demo_words  # noqa: E402

# As wide as a page is read, and as high as its head and four plots: no card is cut.
WIDTH, HEIGHT, MOMENT = 1400, 1064, 0.62


def main():
    tactus, output = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch:
        page = pathlib.Path(scratch) / "demo.html"
        subprocess.run([tactus, "sim", *demo_words(), "-o", str(page)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        with Browser(pathlib.Path(scratch) / "browser") as browser:
            shown = browser.open(f"file://{page}#t={MOMENT}", WIDTH, HEIGHT)
            shown.value("document.getElementById('hint').remove()")
            shown.drawn()
            shown.picture(output)
    print(output)


if __name__ == "__main__":
    try:
        main()
    except (CannotRun, Failed) as reason:
        sys.exit(f"picture: {reason}")
