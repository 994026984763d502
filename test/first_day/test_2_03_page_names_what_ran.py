"""The page of a motion names the contact model, the integrator and the step that ran, and says when steps were not solved."""

import json
import re
import shutil
import subprocess
import unittest

from driver import Case

BALL = """<mujoco><option timestep="0.002"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="ball" pos="0 0 0.2"><freejoint name="root"/><geom type="sphere" size=".1" mass="1"/></body>
</worldbody></mujoco>"""

# Enough of a document for the script to say what stands at the top.
DOCUMENT = """
const nodes = {};
const node = () => ({ append() {}, style: {}, textContent: "", hidden: true });
const document = { getElementById: id => (nodes[id] ??= node()) };
const element = () => node(), short = x => String(x), duration = 1;
"""


class Page(Case):
    def page(self, *words, code=0):
        out = self.folder / "m.html"
        result = self.run_tactus("sim", self.file("ball.xml", BALL), "-o", out, "--steps", 20, *words)
        self.assertEqual(result.code, code, result.err)
        text = out.read_text(encoding="utf-8")
        data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, re.S).group(1)
        return text, json.loads(data)

    def said(self, text, data):
        """What the page's own script writes under the title and into the notice."""
        start = text.index("const plural"), text.index("/* columns: [heading")
        script = f"{DOCUMENT} const run = {json.dumps(data)}, model = run.model; {text[start[0] : start[1]]} showFacts();"
        script += "console.log(JSON.stringify([nodes.subtitle.textContent, nodes.notice.hidden ? '' : nodes.notice.textContent]))"
        return json.loads(subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True).stdout)

    def test_every_contact_model(self):
        for contact, integrator, word in (("none", "rk4", "rk4"), ("lcp", "euler", "euler"), ("ncp", "euler", "variational"), ("soft", "implicit", "implicit")):
            text, data = self.page("--contact", contact, "--integrator", integrator, "--dt", 0.003)
            self.assertEqual((data["contact"], data["integrator"], data["dt"]), (contact, word, 0.003))
            self.assertNotIn("semi-implicit Euler, no contact", text)
            for part in ("run.contact", "run.integrator", "run.dt"):
                self.assertIn(part, text)
            if shutil.which("node"):
                subtitle, notice = self.said(text, data)
                self.assertIn("no contact" if contact == "none" else f"contact {contact}", subtitle)
                self.assertIn(f"integrator {word}", subtitle)
                self.assertIn("steps of 3 ms", subtitle)
                self.assertEqual(notice, "")

    def test_unsolved_steps(self):
        state = self.file("tilt.json", '{"qpos": [0, 0, 0.09, 1, 0, 0, 0], "qvel": [1, 0, -1, 9, 5, 2]}')
        text, data = self.page("--contact", "soft", "--state", state, "--solver", "cg", "--iterations", 1, code=1)
        self.assertGreater(data["unsolved"], 0)
        self.assertIn("not solved", data["status"])
        if shutil.which("node"):
            self.assertIn("steps were not solved", self.said(text, data)[1])


if __name__ == "__main__":
    unittest.main()
