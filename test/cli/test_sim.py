"""tactus sim: motion against a closed form, controls, output files, refusals."""

import csv
import json
import math
import os
import unittest

from driver import ARM, NQ, NU, NV, Case

BALL = """<mujoco><option timestep="0.001"/><worldbody>
  <body name="ball" pos="0 0 5"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>"""

SLIDE = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="9 9 1" friction="0.25"/>
  <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.25"/></body></worldbody>
  <keyframe><key qpos="0 0 0.1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"""

GIMBAL = """<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body>
  <joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/><geom type="box" size="0.01 0.012 0.5" mass="1"/>
  </body></worldbody><keyframe><key qvel="50 60 40"/></keyframe></mujoco>"""

CAN = """<body pos="{x!r} 0 {z!r}" euler="0 0 {yaw!r}"><freejoint/><geom type="cylinder" size="0.1 0.1"/></body>"""
CANS = """<mujoco><compiler angle="radian"/><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 1"/>{}
  </worldbody></mujoco>"""


class Motion(Case):
    def sim(self, *words, model=None):
        return self.fine("sim", model or self.arm, "--json", *words).json()

    def test_a_ball_falls(self):
        ball = self.file("ball.xml", BALL)
        end = self.sim("--contact", "none", "--time", 0.5, model=ball)
        dt, n = 0.001, 500
        # semi-implicit Euler: v_n = -g n dt, z_n = z_0 - g dt^2 n (n + 1) / 2
        self.assertEqual(end["steps"], n)
        self.close(end["final"]["qvel"][2], -9.81 * n * dt, 1e-12)
        self.close(end["final"]["qpos"][2], 5 - 9.81 * dt * dt * n * (n + 1) / 2, 1e-12)
        self.assertEqual(end["status"], "success")
        self.assertEqual(end["penetration_max"], 0)
        self.assertEqual(len(end["energy"]), n + 1)
        self.close(end["time"], 0.5, 1e-12)
        self.assertGreaterEqual(end["seconds"], 0)

    def test_energy_that_nobody_gave_is_told(self):
        model = self.file("gimbal.xml", GIMBAL)
        words = ["sim", model, "--key", 0, "--contact", "none", "--steps", 40]
        grown = self.fine(*words, "--json")
        run = grown.json()
        self.assertTrue(run["energy_warning"])
        self.assertGreater(run["energy_gain_max"], 2 * run["energy"][0])
        self.close(run["energy_gain"], run["energy"][-1] - run["energy"][0], 1e-6 * run["energy"][-1])
        self.assertLess(run["energy_warning_step"], 40)
        self.assertIn("warning: energy grew", grown.err)
        self.assertIn("GAINED", self.fine(*words).out)
        untold = self.fine(*words, "--energy-bound", 1e300, "--json")
        self.assertFalse(untold.json()["energy_warning"])
        self.assertIsNone(untold.json()["energy_warning_step"])
        self.assertNotIn("energy grew", untold.err)
        kept = self.fine(*words, "--integrator", "coriolis", "--json")
        self.assertFalse(kept.json()["energy_warning"])
        self.assertNotIn("energy grew", kept.err)

    def test_steps_and_time_agree(self):
        a = self.sim("--steps", 50)
        b = self.sim("--time", 0.1)
        self.assertEqual(a["final"], b["final"])
        self.assertEqual(self.sim("--time", 0.1, "--dt", 0.001)["steps"], 100)
        self.assertEqual(self.sim("--time", 0.0995)["steps"], 50)
        self.assertEqual(self.sim("--steps", 0)["steps"], 0)
        self.assertEqual(self.sim("--time", 0)["steps"], 0)

    def test_a_run_can_be_cut_in_two(self):
        whole = self.sim("--key", "bent", "--steps", 40)["final"]
        half = self.sim("--key", "bent", "--steps", 20)["final"]
        state = self.file("half.json", {**half, "ctrl": [1.5, 0]})
        self.assertEqual(self.sim("--state", state, "--steps", 20)["final"], whole)

    def test_energy_is_kept_without_damping(self):
        chain = self.file("chain.xml", self.fine("random", "--chain", 4).out)
        run = self.sim("--contact", "none", "--steps", 1000, "--dt", 1e-5, "--set", "option.gravity[0]=1", model=chain)
        self.assertGreater(max(run["kinetic"]), 0)
        scale = max(1.0, max(run["kinetic"]))
        self.assertLess(max(run["energy"]) - min(run["energy"]), 1e-3 * scale)

    def test_cans_stand_on_each_other(self):
        """Equal cans, one above the other exactly or but for a nanometre, turned against each other or not."""
        for count, shift, yaw in ((3, 1e-9, 1), (3, -1e-9, 1), (2, 0, 0), (3, 0, 0), (3, 0, 1)):
            cans = [CAN.format(x=i * shift, z=0.1 + 0.2 * i, yaw=yaw * float(i)) for i in range(count)]
            model = self.file("cans.xml", CANS.format("".join(cans)))
            for contact, off, sinks in ("lcp", 1e-8, 1e-7), ("ncp", 1e-8, 1e-7), ("soft", 2e-3, 2e-3):
                with self.subTest(count=count, shift=shift, yaw=yaw, contact=contact):
                    run = self.fine("sim", model, "--json", "--contact", contact, "--time", 1)
                    self.assertNotIn("not solved", run.err)
                    end = run.json()
                    self.assertLess(end["seconds"], 2)  # 100 steps; 20 s with rims halved a million times a step
                    self.assertLess(max(map(abs, end["final"]["qvel"])), 1e-5)
                    for i in range(count):
                        x, y, z, _, qx, qy, _ = end["final"]["qpos"][7 * i : 7 * i + 7]
                        self.assertLess(max(math.hypot(x, y), math.hypot(qx, qy)), off)
                        self.assertLess(abs(z - 0.1 - 0.2 * i), sinks)

    def test_every(self):
        self.assertEqual(len(self.sim("--steps", 10, "--every", 4)["energy"]), 4)  # 0, 4, 8, and the end

    def test_contact_models_with_an_integrator_of_their_own(self):
        ball = self.file("ball.xml", BALL.replace("<option ", '<option integrator="RK4" '))
        for contact, word in ("lcp", "euler"), ("ncp", "variational"):
            self.assertIn(f"integrator {word}", self.fine("sim", ball, "--contact", contact, "--steps", 1).out)
            self.refused(f"--integrator rk4 is not available with --contact {contact}, which uses {word}", "sim", ball,
                         "--contact", contact, "--integrator", "rk4")
        self.fine("sim", ball, "--contact", "lcp", "--integrator", "euler", "--steps", 1)

    def test_integrators(self):
        ball = self.file("ball.xml", BALL)
        dt, n = 0.001, 500
        rk4 = self.sim("--time", 0.5, "--integrator", "rk4", model=ball)
        self.close(rk4["final"]["qpos"][2], 5 - 9.81 * 0.5**2 / 2, 1e-12)  # exact for a parabola
        for word in ("euler", "implicit", "implicitfast"):
            end = self.sim("--time", 0.5, "--integrator", word, model=ball)
            self.close(end["final"]["qpos"][2], 5 - 9.81 * dt * dt * n * (n + 1) / 2, 1e-12)
        # without a word, the file's own
        model = self.file("rk4.xml", BALL.replace('timestep="0.001"', 'timestep="0.001" integrator="RK4"'))
        self.assertEqual(self.sim("--time", 0.5, model=model)["final"], rk4["final"])
        self.assertIn("integrator rk4", self.fine("sim", model).out)
        # damping tells them apart
        ends = {tuple(self.sim("--key", "bent", "--steps", 20, "--integrator", word)["final"]["qpos"])
                for word in ("euler", "rk4", "implicit")}
        self.assertEqual(len(ends), 3)

    def test_soft_contact_takes_every_integrator(self):
        ends = {tuple(self.sim("--key", "bent", "--steps", 20, "--contact", "soft", "--integrator", word)["final"]["qpos"])
                for word in ("euler", "rk4", "implicit")}
        self.assertEqual(len(ends), 3)

    def test_an_open_start_is_closed(self):
        bars, state = "models/four_bar.xml", self.file("open.json", '{"qpos": [0.3, -0.2, 0.25]}')
        done = self.fine("sim", bars, "--state", state, "--project", "--contact", "ncp", "--steps", 1, "--json")
        self.assertIn('equality "loop"', done.err)
        self.assertIn("--project moved the initial state", done.err)
        moved = done.json()["final"]["qpos"]
        self.assertGreater(abs(moved[0] - 0.3), 1e-3)
        self.assertEqual(self.fine("sim", bars, "--project", "--contact", "ncp", "--steps", 1, "--json").err, "")

    def test_a_start_that_breaks_constraints_is_told(self):
        bars, state = "models/four_bar.xml", self.file("open.json", '{"qpos": [0.3, -0.2, 0.25]}')
        for contact in ("lcp", "ncp"):
            done = self.fine("sim", bars, "--state", state, "--contact", contact, "--steps", 3, "--json")
            self.assertEqual(done.err.count("the initial state violates constraints"), 1)
            self.assertIn('equality "loop": ', done.err)
            self.assertIn("--project", done.err)
            self.assertIn("breaks its constraints", done.json()["start"])
            self.assertGreater(done.json()["start_violation"], 0.02)
            mended = self.fine("sim", bars, "--state", state, "--project", "--contact", contact, "--steps", 3, "--json")
            self.assertNotIn("violates constraints", mended.err)
            self.assertEqual(mended.json()["start"], "success")
        box = self.file("sunk.xml", SLIDE)
        deep = self.file("deep.json", '{"qpos": [0, 0, 0.02, 1, 0, 0, 0]}')
        done = self.fine("grad", box, "--state", deep, "--contact", "ncp", "--json")
        self.assertRegex(done.err, "geoms #0 of the world and #1 of body #1: 0.08")
        self.assertGreater(done.json()["info"]["start_violation"], 0.01)

    def test_friction_of_ncp(self):
        box = self.file("slide.xml", SLIDE)
        ends = {kind: self.sim("--key", 0, "--contact", "ncp", "--friction", kind, "--time", 0.2, model=box)["final"]["qvel"][0]
                for kind in ("cone", "pyramid", "none")}  # fmt: skip
        self.close(ends["none"], 1, 1e-9)
        self.close(ends["cone"], 1 - 0.25 * 9.81 * 0.2, 1e-3)
        self.close(ends["pyramid"], 1 - 0.25 * 9.81 * 0.2, 1e-3)
        self.refused("--friction", "sim", box, "--contact", "lcp", "--friction", "pyramid")

    def test_wrong_times(self):
        self.refused('--dt: got "0"', "sim", self.arm, "--dt", "0")
        self.refused('--dt: got "-1"', "sim", self.arm, "--dt", "-1")
        self.refused("--time: got -1", "sim", self.arm, "--time", "-1")
        self.refused("--time: got 1e+12", "sim", self.arm, "--time", "1e12")
        self.refused("--steps and --time exclude each other", "sim", self.arm, "--time", 1, "--steps", 3)
        self.refused("--every: got 0, expected 1 or more", "sim", self.arm, "--every", 0)
        self.refused("--steps: got", "sim", self.arm, "--steps", 99999999999)

    def test_a_run_that_blows_up_says_so(self):
        state = self.file("fast.json", {"qvel": [1e160] * NV})
        result = self.run_tactus("sim", self.arm, "--json", "--state", state)
        self.assertEqual(result.code, 1)
        self.assertIn("stopped after", result.err)
        self.assertNotEqual(result.json()["status"], "success")
        self.assertTrue(all(math.isfinite(x) for x in result.json()["final"]["qpos"]))


class Controls(Case):
    def final(self, *words):
        return self.fine("sim", self.arm, "--json", "--steps", 30, *words).json()["final"]

    def test_one_motion_by_json_csv_and_state(self):
        rows = [[1.5, 0.2]] * 30
        by_state = self.final("--state", self.file("s.json", {"ctrl": rows[0]}))
        self.assertEqual(self.final("--ctrl", self.file("a.json", rows)), by_state)
        self.assertEqual(self.final("--ctrl", self.file("b.json", rows[0])), by_state)
        self.assertEqual(self.final("--ctrl", self.file("c.csv", "push,turn\n1.5,0.2\n")), by_state)
        self.assertNotEqual(self.final(), by_state)

    def test_rows_go_with_steps_and_the_last_holds_on(self):
        rows = [[k / 10, -k / 20] for k in range(10)]
        held = self.final("--ctrl", self.file("a.json", rows))
        self.assertEqual(self.final("--ctrl", self.file("b.json", rows + [rows[-1]] * 20)), held)
        self.assertNotEqual(self.final("--ctrl", self.file("c.json", rows[::-1])), held)

    def test_random_controls_stay_in_their_ranges_and_repeat(self):
        out = self.folder / "r.csv"
        a = self.final("--random", 7, "-o", out)
        self.assertEqual(self.final("--random", 7), a)
        self.assertNotEqual(self.final("--random", 8), a)
        with open(out, encoding="ascii") as file:
            push = [float(row["ctrl:push"]) for row in csv.DictReader(file)]
        self.assertTrue(all(-3 <= x <= 3 for x in push))
        self.assertGreater(max(push) - min(push), 3)

    def test_a_recorded_motion_gives_its_controls_back(self):
        out = self.folder / "r.csv"
        a = self.final("--random", 7, "--random-period", 0.02, "-o", out)
        self.assertEqual(self.final("--ctrl", out), a)

    def test_csv_may_have_spaces_empty_lines_and_a_header(self):
        rows = self.final("--ctrl", self.file("a.json", [[1, -2.5], [3e-3, 0.5]]))
        for text in ("1,-2.5\n3e-3,0.5\n", " 1 , -2.5 \r\n\r\n 3e-3,\t0.5", "a,b\n1,-2.5\n3e-3,0.5\n"):
            self.assertEqual(self.final("--ctrl", self.file("b.csv", text)), rows)
        self.final("--ctrl", self.file("c.csv", "1e-320,0\n"))  # smaller than the smallest normal number

    def test_csv_columns_go_by_name(self):
        rows = self.final("--ctrl", self.file("a.json", [[1, 2], [3, 4]]))
        text = 'time,ctrl:a,qpos:x,"ctrl:b,""c"""\n0,1,9,2\n1,3,9,4\n'
        self.assertEqual(self.final("--ctrl", self.file("b.csv", text)), rows)

    def test_csv_of_many_rows(self):
        rows = [[k / 3000, -k / 6000] for k in range(3000)]
        text = "".join(f"{a!r},{b!r}\n" for a, b in rows)
        words = ("sim", self.arm, "--json", "--steps", len(rows), "--ctrl")
        by_csv, by_json = (self.fine(*words, path).json() for path in (self.file("a.csv", text), self.file("a.json", rows)))
        self.assertEqual(by_csv["final"], by_json["final"])

    def test_a_share_of_nothing_is_the_start(self):
        state = self.file("s.json", {"ctrl": [1.5, 0.2]})
        self.assertEqual(self.final("--state", state, "--random", 7, "--random-share", 0), self.final("--state", state))
        self.refused("--random-share: got 2", "sim", self.arm, "--random", 7, "--random-share", 2)

    def test_wrong_controls(self):
        self.refused(f"row 2 has 3 numbers, expected {NU}", "sim", self.arm, "--ctrl", self.file("a.json", [[1, 2], [1, 2, 3]]))
        self.refused("row 1 is not a list of numbers", "sim", self.arm, "--ctrl", self.file("b.json", ["x"]))
        self.refused(f"expected a list of rows of {NU} numbers", "sim", self.arm, "--ctrl", self.file("c.json", []))
        for message, text in (
            ("d.csv:2: the row has 3 numbers, expected 2", "1,2\n1,2,3\n"),
            ("d.csv:2: the row has 1 numbers, expected 2", "1,2\n3\n"),
            ('d.csv:1: column 1: expected a finite number, got "1O"', "1O,2\n3,4\n"),
            ('d.csv:1: column 2: expected a finite number, got "inf"', "1,inf\n3,4\n"),
            ('d.csv:2: column 2: expected a finite number, got "x"', "1,2\n3,x\n"),
            ('d.csv:2: column 2: expected a finite number, got "nan"', "1,2\n3,nan\n"),
            ("the file has no row of numbers", "a,b\n"),
            ("the file has no row of numbers", ""),
        ):
            self.refused(message, "sim", self.arm, "--ctrl", self.file("d.csv", text))
        self.refused("cannot open the file", "sim", self.arm, "--ctrl", self.folder / "none.csv")
        self.refused("exclude each other", "sim", self.arm, "--ctrl", "x.csv", "--random", 1)


class Files(Case):
    def test_csv_shape_and_digits(self):
        out = self.folder / "m.csv"
        end = self.fine("sim", self.arm, "--json", "--key", "bent", "--steps", 10, "-o", out).json()
        with open(out, encoding="ascii") as file:
            rows = list(csv.reader(file))
        header = rows[0]
        self.assertEqual(len(rows), 12)
        self.assertTrue(all(len(row) == len(header) == 1 + NQ + NV + 1 + NU + 2 for row in rows))
        self.assertEqual(header[:4], ["time", "qpos:shoulder", "qpos:elbow", "qpos:float.x"])
        self.assertEqual(header[6:10], ["qpos:float.qw", "qpos:float.qx", "qpos:float.qy", "qpos:float.qz"])
        self.assertEqual(header[-5:], ["act:turn", "ctrl:push", "ctrl:turn", "kinetic", "potential"])
        self.assertEqual([float(x) for x in rows[-1][1 : 1 + NQ]], end["final"]["qpos"])
        self.assertEqual(float(rows[-1][-1]) + float(rows[-1][-2]), end["energy"][-1])

    def test_csv_quotes_names_that_need_it(self):
        out = self.folder / "m.csv"
        model = self.file("odd.xml", ARM.replace('"shoulder"', '"a,&quot;b&quot;"'))
        self.fine("sim", model, "--steps", 1, "-o", out)
        text = out.read_text(encoding="ascii")
        self.assertTrue(text.startswith('time,"qpos:a,""b""",qpos:elbow,'), text[:60])
        self.assertEqual(next(csv.reader(text.splitlines()))[1], 'qpos:a,"b"')

    def test_an_unnamed_joint_goes_by_its_body(self):
        out = self.folder / "b.csv"
        self.fine("sim", self.file("ball.xml", BALL), "--steps", 1, "-o", out)
        header = out.read_text(encoding="ascii").splitlines()[0].split(",")
        self.assertEqual(header[1:4], ["qpos:ball.x", "qpos:ball.y", "qpos:ball.z"])

    def test_json_trajectory(self):
        out = self.folder / "m.json"
        end = self.fine("sim", self.arm, "--json", "--steps", 5, "-o", out).json()
        written = json.loads(out.read_text(encoding="ascii"))
        self.assertEqual(written["final"], end["final"])
        self.assertEqual(len(written["trajectory"]["qpos"]), 6)
        self.assertEqual(written["trajectory"]["qpos"][-1], end["final"]["qpos"])
        self.assertEqual(written["trajectory"]["columns"]["ctrl"], ["ctrl:push", "ctrl:turn"])

    def test_nothing_is_left_under_the_name_when_it_fails(self):
        out = self.folder / "m.csv"
        self.refused("ends in .csv, .json or .html", "sim", self.arm, "-o", self.folder / "m.txt")
        self.refused("no keyframe", "sim", self.arm, "--key", "x", "-o", out)
        self.refused("cannot write the file", "sim", self.arm, "-o", self.folder / "no" / "m.csv")
        self.assertEqual(sorted(os.listdir(self.folder)), ["arm.xml"])

    def test_an_old_file_is_replaced_whole(self):
        out = self.folder / "m.csv"
        out.write_text("old", encoding="ascii")
        self.fine("sim", self.arm, "--steps", 3, "-o", out)
        self.assertTrue(out.read_text(encoding="ascii").startswith("time,"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["arm.xml", "m.csv"])

    def test_text_is_readable(self):
        text = self.fine("sim", self.arm, "--steps", 5).out
        for part in ("5 steps of 0.002 s", "energy", "qpos", "qvel", "act"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
