"""tactus grad and tactus check: derivatives as a program reads them, and whether they are right."""

import unittest

import driver

NDX = 2 * driver.NV + driver.NA


class Grad(driver.Case):
    def grad(self, *words):
        return self.fine("grad", self.arm, "--json", *words).json()

    def test_keys_and_shapes(self):
        got = self.grad("--param", "joint/*.damping", "--param", "body/upper.mass")
        self.assertEqual(set(got), {"A", "B", "P", "params", "next", "info", "contacts", "explanation"})
        self.assertEqual(set(got["next"]), {"qpos", "qvel", "act"})
        self.assertEqual([len(got["A"]), len(got["A"][0])], [NDX, NDX])
        self.assertEqual([len(got["B"]), len(got["B"][0])], [NDX, driver.NU])
        self.assertEqual([len(got["P"]), len(got["P"][0])], [NDX, len(got["params"])])
        self.assertEqual(got["params"][-1], "body/upper.mass")
        self.assertIn("joint/shoulder.damping", got["params"])
        self.assertEqual(len(got["info"]["rows"]), NDX)
        self.assertEqual(got["info"]["rows"][0], "dq:shoulder")
        self.assertEqual(got["info"]["rows"][NDX - 1], "da:turn")
        self.assertEqual(got["info"]["inputs"], ["ctrl:push", "ctrl:turn"])

    def test_next_is_the_state_that_sim_makes(self):
        state = self.file("state.json", {"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0], "qvel": [1, 2, 0, 0, 0, 0.1, 0.2, 0.3]})
        got = self.grad("--state", state)
        made = self.fine("sim", self.arm, "--state", state, "--steps", 1, "--json").json()
        self.assertEqual(got["next"], made["final"])

    def test_inner_steps_are_reported(self):
        """A ball that lands within the step; options out of range are named."""
        ball = self.file("ball.xml", """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
          <body pos="0 0 0.15"><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>""")
        words = ("grad", ball, "--integrator", "tsit5", "--rtol", 1e-9, "--atol", 1e-9, "--dt", 0.12, "--json")
        inner = self.fine(*words).json()["info"]["inner"]
        self.assertGreater(inner["accepted"], 5)
        self.assertEqual([inner[key] for key in ("events", "ties", "switches")], [1, 0, 0])
        self.assertLessEqual(inner["error_estimate"], 1)
        self.refused("--rtol", "grad", ball, "--integrator", "tsit5", "--rtol", 2)
        self.refused("tsit5", "grad", ball, "--integrator", "tsit5", "--contact", "lcp")
        self.refused("more events", "grad", ball, "--integrator", "tsit5", "--dt", 0.12, "--event-max", 0, code=1)

    def test_time_step_is_the_one_that_is_asked_for(self):
        """The column of option.timestep, at --dt, against a difference of two runs of the program itself."""
        step, column = 1e-6, [row[0] for row in self.grad("--key", "bent", "--dt", 0.01, "--param", "option.timestep")["P"]]
        ends = [self.fine("sim", self.arm, "--key", "bent", "--dt", 0.01 + s, "--steps", 1, "--json").json()["final"]["qvel"] for s in (-step, step)]
        for got, low, high in zip(column[driver.NV :], *ends):
            self.assertAlmostEqual(got, (high - low) / (2 * step), delta=1e-4)
        self.assertGreater(abs(column[driver.NV]), 1)

    def test_a_grain_on_the_floor(self):
        """Contact as hard as it is beside an inertia of 1e-13 kg m^2, which is not singular: no message says so."""
        grain = self.file("grain.xml", """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>
          <body pos="0 0 0.0005"><freejoint/><geom type="sphere" size="0.0005" mass="1e-6"/></body></worldbody></mujoco>""")
        self.fine("grad", grain, "--contact", "ncp", "--kappa", 1e-6)
        hard = self.run_tactus("grad", grain, "--contact", "ncp")
        self.assertNotIn("the joint-space inertia is singular", hard.err)
        if hard.code != 0:
            self.refused("a step's system of inertia and contacts, is singular to rounding", "grad", grain, "--contact", "ncp", code=1)

    def test_columns_are_what_a_moved_state_gives(self):
        """A column of A and of B against a difference of two runs of the program itself."""
        start = {"qpos": [0.5, 1, 1, 0, 1, 1, 0, 0, 0], "qvel": [1, 2, 0, 0, 0, 0, 0, 0], "ctrl": [0.5, 0.1]}
        got = self.grad("--state", self.file("start.json", start))
        step = 1e-6
        for key, index, column in (("qpos", 1, [row[1] for row in got["A"]]), ("ctrl", 0, [row[0] for row in got["B"]])):
            rates = []
            for sign in (1, -1):
                moved = {name: list(values) for name, values in start.items()}
                moved[key][index] += sign * step
                final = self.grad("--state", self.file("moved.json", moved))["next"]
                rates.append([*final["qpos"][:2], *final["qvel"][:2]])
            difference = [(a - b) / (2 * step) for a, b in zip(*rates)]
            mine = [column[0], column[1], column[driver.NV], column[driver.NV + 1]]
            self.assertGreater(max(map(abs, mine)), 1e-6)
            self.close(mine, difference, 1e-8)

    def test_inputs_that_the_state_has_are_columns_of_B(self):
        state = self.file("state.json", {"qfrc_applied": [0] * driver.NV, "mocap_pos": [[0, 1, 0]], "mocap_quat": [[1, 0, 0, 0]]})
        got = self.grad("--state", state)
        self.assertEqual(len(got["B"][0]), driver.NU + driver.NV + 7)
        self.assertEqual(got["info"]["inputs"][driver.NU], "qfrc:shoulder")
        self.assertEqual(got["info"]["inputs"][-1], "mocap:hand.qz")

    def test_complementarity_looks_across_a_contact(self):
        """A ball of 2 kg on the floor: its weight hides small forces from the exact gradient, not from this one."""
        ball = '<body><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><geom size="0.1"/></body>'
        text = f'<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>{ball}</worldbody></mujoco>'
        state = {"qpos": [0, 0, 0.1, 1, 0, 0, 0], "qvel": [0] * 6, "qfrc_applied": [0] * 6}
        words = (self.file("ball.xml", text), "--json", "--contact", "lcp", "--state", self.file("rest.json", state))
        rise = {mode: self.fine("grad", *words, "--mode", mode).json() for mode in ("exact", "complementarity")}
        self.assertEqual(rise["complementarity"]["info"]["mode"], "complementarity")
        self.assertEqual(rise["complementarity"]["next"], rise["exact"]["next"])
        self.assertAlmostEqual(rise["exact"]["B"][8][2], 0, delta=1e-6)
        self.assertAlmostEqual(rise["complementarity"]["B"][8][2], 0.01 / 2, delta=1e-12)

    def test_text_names_entries(self):
        text = self.fine("grad", self.arm, "--param", "joint/shoulder.damping", "--key", "bent").out
        for word in ("A = dy/dx", "17 x 17", "dv/dtheta", "by ctrl:push", "by joint/shoulder.damping"):
            self.assertIn(word, text)

    def test_what_is_refused_is_named(self):
        self.refused("body/nope.mass", "grad", self.arm, "--param", "body/nope.mass")
        self.refused("matches none of the", "grad", self.arm, "--param", "body/*.nope")
        self.refused("none of the matching parameters can be registered", "grad", self.arm, "--param", "option.settotal*")
        self.refused("body/upper.name", "grad", self.arm, "--param", "body/upper.name")
        self.refused('--mode: got "foo", expected exact|bounce|complementarity', "grad", self.arm, "--mode", "foo")
        self.refused("--mode bounce is not available with --contact none", "grad", self.arm, "--contact", "none", "--mode", "bounce")
        self.refused("--kappa requires --contact ncp", "grad", self.arm, "--kappa", "1e-3")
        self.refused("--dt", "grad", self.arm, "--dt", "0")
        self.refused('"qpos" has 2 numbers', "grad", self.arm, "--state", self.file("s.json", {"qpos": [1, 2]}))

    def test_masses_that_come_from_geoms_are_found_by_pattern(self):
        got = self.grad("--param", "body/*.mass")
        self.assertEqual(got["params"], ["body/upper.mass", "body/lower.mass", "body/ball.mass", "body/hand.mass"])
        self.assertGreater(max(abs(row[1]) for row in got["P"]), 0)


class Check(driver.Case):
    KEYS = {"samples", "passed", "switching", "flagged", "unflagged", "failed", "broken", "step_status", "in_contact", "sticking", "sliding", "tol", "worst", "blocks", "odd", "named"}

    def test_keys_and_counts(self):
        words = ("--contact", "none", "--samples", 20, "--param", "joint/*.damping", "--inputs", "all")
        got = self.fine("check", self.arm, *words, "--json").json()
        self.assertEqual(set(got), self.KEYS)
        self.assertEqual((got["samples"], got["passed"], got["tol"]), (20, 20, 1e-7))
        self.assertEqual((got["in_contact"], got["sticking"], got["sliding"]), (0, 0, 0))
        for block in ("dq/dq", "dv/dv", "da/da", "dv/du", "da/du", "dv/dtheta", "dy/djoint.damping", "reverse"):
            self.assertIn(block, got["blocks"])
            self.assertLess(got["blocks"][block], 1e-7)
        self.assertGreater(got["worst"], 0)

    def test_the_same_seed_gives_the_same_numbers(self):
        words = ("check", self.arm, "--samples", 5, "--json", "--seed")
        self.assertEqual(self.fine(*words, 7).out, self.fine(*words, 7).out)
        self.assertNotEqual(self.fine(*words, 7).out, self.fine(*words, 8).out)

    def test_too_small_a_tolerance_is_a_no(self):
        result = self.refused("", "check", self.arm, "--samples", 3, "--tol", "1e-17", "--json", code=1)
        got = result.json()
        self.assertLess(got["passed"] + got["switching"], got["samples"])
        odd = got["odd"][0]
        self.assertEqual(odd["what"], "failed")
        again = self.refused("", "check", self.arm, "--samples", 1, "--first", odd["sample"], "--tol", "1e-17", "--json", code=1).json()
        self.assertEqual(again["worst"], odd["error"])

    def test_states_that_switch_are_no_evidence(self):
        model = self.file("narrow.xml", """<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
          <actuator><motor joint="j" gear="1000" ctrllimited="true" ctrlrange="-1e-12 1e-12"/></actuator></mujoco>""")
        result = self.refused("only 0 of 8 states were compared, expected at least 50 %", "check", model, "--samples", 8, "--json", code=1)
        self.assertEqual((result.json()["switching"], result.json()["failed"]), (8, 0))

    def test_parameters_on_the_edge_are_moved_inside(self):
        text = self.fine("check", self.arm, "--samples", 3, "--param", "joint/elbow.armature").out
        self.assertIn("moved      1 parameters", text)

    def test_text_names_the_worst_entry(self):
        text = self.fine("check", self.arm, "--samples", 3).out
        self.assertIn("passed     3 of 3", text)
        self.assertRegex(text, r"worst +[0-9.e-]+: d[qva]:\S+ by ")

    def test_states_that_fail_are_kept(self):
        words = ("check", self.arm, "--samples", 3, "--tol", "1e-17", "--json", "--keep")
        kept = self.folder / "kept"
        for _ in range(2):  # the folder is made, and may be there
            failed = self.refused("", *words, kept, code=1).json()["failed"]
            self.assertGreater(failed, 0)
            self.assertEqual(len(list(kept.glob("sample_*.txt"))), failed)

    def test_a_folder_that_cannot_be_is_refused_before_the_samples(self):
        """All of which pass: that nothing could be kept would never be said."""
        words = ("check", self.arm, "--samples", 1, "--keep")
        self.refused("no/kept: cannot create the folder: No such file", *words, self.folder / "no" / "kept")
        self.refused("arm.xml: is a file, expected a folder", *words, self.arm)
        self.refused("too long", *words, "x" * 5000)

    def test_bad_arguments(self):
        self.refused("--samples", "check", self.arm, "--samples", "-1")
        self.refused("--tol", "check", self.arm, "--tol", "-1")
        self.refused("--param", "check", self.arm, "--param", "joint/no.damping")


if __name__ == "__main__":
    unittest.main()
