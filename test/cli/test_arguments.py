"""Verbs, help, exit codes, and what bad arguments are met with."""

import pathlib
import re
import unittest

from driver import Case


class Verbs(Case):
    def test_help_lists_every_verb(self):
        for words in (["help"], ["--help"], ["-h"]):
            text = self.fine(*words).out
            for verb in ("info", "eval", "sim", "reproduce", "random", "help", "version"):
                self.assertIn(f"\n  {verb} ", text)

    def test_every_verb_has_help(self):
        for verb in ("info", "eval", "sim", "reproduce", "random", "help", "version"):
            direct = self.fine(verb, "--help").out
            self.assertTrue(direct.startswith(f"usage: tactus {verb}"), direct)
            self.assertIn("exit code: 0 success; 1 negative result (a check failed, a step was not solved); 2 error", direct)
            self.assertEqual(self.fine("help", verb).out.splitlines()[0], direct.splitlines()[0])

    def test_help_lists_the_shared_options(self):
        for verb in ("info", "eval", "sim"):
            text = self.fine(verb, "--help").out
            for option in ("--lenient", "--base", "--actuate", "--allow-outside", "--package-dirs", "--ground", "--set", "--json"):
                self.assertIn(option, text)

    def test_help_lists_every_option_of_the_table(self):
        table = pathlib.Path("include/tactus/option_table.h").read_text()
        rows = re.findall(r'"(--[a-z-]+)",[\s\\]*"([^"]+)"\)', table)
        text = " ".join(self.fine("sim", "--help").out.split())
        self.assertGreater(len(rows), 15)
        for flag, meaning in rows:
            self.assertIn(f"{flag} ", text)
            self.assertIn(meaning, text)

    def test_integrators_are_those_of_the_guide(self):
        """The table of the guide: which integrator runs with which contact model, and what a file's own becomes."""
        text = pathlib.Path("docs/guide/command_line.md").read_text().split("### Integrators")[1].split("\n\n")[1]
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
        contacts = [cell.strip("`") for cell in head[2:]]
        self.assertEqual(contacts, ["none", "lcp", "ncp", "soft"])
        tried = 0
        for names, _, *cells in rows:
            for name in re.findall(r"`(\w+)`", names):
                for contact, cell in zip(contacts, cells, strict=True):
                    words = ("sim", "models/cartpole.xml", "--steps", "1", "--contact", contact)
                    done = self.run_tactus(*words, "--integrator", name, "--json")
                    self.assertEqual(done.code, 0 if cell else 2, (name, contact, done.err))
                    if cell:
                        self.assertEqual(done.json()["integrator"], name if cell == "yes" else cell)
                    tried += 1
        self.assertEqual(tried, 60)

    def test_a_files_own_integrator_is_replaced(self):
        model = self.file("m.xml", pathlib.Path("models/cartpole.xml").read_text().replace("<worldbody>", '<option integrator="RK4"/><worldbody>', 1))
        for contact, runs in (("none", "rk4"), ("soft", "rk4"), ("lcp", "euler"), ("ncp", "variational")):
            self.assertEqual(self.fine("sim", model, "--steps", "1", "--contact", contact, "--json").json()["integrator"], runs)

    def test_version(self):
        self.assertRegex(self.fine("version").out, r"^tactus \d+\.\d+\.\d+\n$")
        self.assertRegex(self.fine("--version").out, r"^tactus \d+\.\d+\.\d+\n$")
        self.assertRegex(self.fine("version", "--json").json()["version"], r"^\d+\.\d+\.\d+$")

    def test_unknown_verb(self):
        self.refused("the verbs are info, eval, distance, sim, show, plan, pose, fit, grad, check, bench, solve, compare, reproduce, random, help, version", "frobnicate")
        self.refused("did you mean eval?", "evla")
        self.refused("unknown verb", "help", "frobnicate")
        self.refused("the verb is missing")


class Options(Case):
    def test_unknown_option_is_named_with_the_nearest(self):
        self.refused("unknown option --stpes; did you mean --steps?", "sim", self.arm, "--stpes", 3)
        self.refused("unknown option --frobnicate (", "info", self.arm, "--frobnicate")
        self.refused("unknown option -x", "info", self.arm, "-x")
        for near in ("--step", "--stepss", "--staps", "--teps"):  # a letter less, more, another
            self.refused(f"unknown option {near}; did you mean --steps?", "sim", self.arm, near, 3)

    def test_missing_and_surplus_operands(self):
        self.refused("MODEL is missing", "info")
        self.refused('unexpected argument "two"', "info", self.arm, "two")
        self.refused("--state requires a value: FILE", "eval", self.arm, "--state")
        self.refused('--json takes no value, got "1"', "info", self.arm, "--json=1")

    def test_wrong_values(self):
        self.refused('--base: got "flying", expected auto|fixed|floating', "info", self.arm, "--base", "flying")
        self.refused('--base: got "fixe", expected auto|fixed|floating', "info", self.arm, "--base", "fixe")
        for text in ("nan", "inf", "-inf", "1e400", "0x10", "1.5.2", "1,5", "two", ""):
            self.refused(f'--dt: got "{text}", expected a finite number', "sim", self.arm, "--dt", text)
        for text in ("-3", "3x", "99999999999999999999", ""):
            self.refused(f'--steps: got "{text}", expected a non-negative integer', "sim", self.arm, "--steps", text)
        for text in ("-1", "18446744073709551616", "x"):
            self.refused(f'--random: got "{text}", expected an integer', "sim", self.arm, "--random", text)

    def test_the_largest_seed_is_one(self):
        runs = [self.fine("sim", self.arm, "--json", "--steps", 3, "--random", seed).json() for seed in (2**64 - 1, 2**64 - 2, 0)]
        self.assertEqual(len({str(run["final"]) for run in runs}), 3)

    def test_lists(self):
        one = self.fine("info", self.arm, "--json", "--set=geom/lower.density=2000", "--set", "geom/upper.density=500").json()
        other = self.fine("info", self.arm, "--json", "--set", "geom/upper.density=500", "--set", "geom/lower.density=2000").json()
        plain = self.fine("info", self.arm, "--json").json()
        self.assertEqual(one["bodies"], other["bodies"])
        self.assertNotEqual(one["bodies"], plain["bodies"])
        many = ["--set=geom/lower.density=2000"] * 64
        self.fine("info", self.arm, *many)
        self.refused("--set: given more than 64 times", "info", self.arm, *many, many[0])

    def test_short_names_and_the_end_of_the_options(self):
        out = self.folder / "m.csv"
        self.fine("sim", "-o", out, "--steps", 2, "--", self.arm)
        self.assertTrue(out.exists())
        self.refused('unexpected argument "--json"', "info", self.arm, "--", "--json")
        self.refused("tactus info: -: ", "info", "-")  # an operand

    def test_options_may_stand_anywhere_and_carry_values_after_an_equals_sign(self):
        a = self.fine("sim", "--steps=3", "--json", self.arm).json()
        b = self.fine("sim", self.arm, "--json", "--steps", 3).json()
        self.assertEqual(a["final"], b["final"])

    def test_full_output_device_is_a_failure(self):
        try:
            full = open("/dev/full", "w", encoding="ascii")
        except OSError:
            self.skipTest("no /dev/full")
        import subprocess
        from driver import TACTUS

        with full:
            done = subprocess.run([TACTUS, "info", self.arm, "--json"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write", done.stderr)


class Models(Case):
    def test_missing_file(self):
        for verb in ("info", "eval", "sim"):
            self.refused("nothing.xml", verb, self.folder / "nothing.xml")

    def test_malformed_file(self):
        self.refused("bad.xml", "info", self.file("bad.xml", "<mujoco><worldbody>"))
        self.refused("empty.xml", "info", self.file("empty.xml", ""))

    def test_set(self):
        heavy = self.fine("info", self.arm, "--json", "--set", "geom/lower.density=2000").json()
        plain = self.fine("info", self.arm, "--json").json()
        mass = {body["name"]: body["mass"] for body in plain["bodies"]}
        double = {body["name"]: body["mass"] for body in heavy["bodies"]}
        self.assertAlmostEqual(double["lower"], 2 * mass["lower"], delta=1e-12)
        self.assertEqual(double["upper"], mass["upper"])
        self.refused("--set: got", "info", self.arm, "--set", "geom/lower.density")
        self.refused("--set: got", "info", self.arm, "--set", "geom/lower.density=heavy")
        self.refused("nobody", "info", self.arm, "--set", "body/nobody.mass=1")


if __name__ == "__main__":
    unittest.main()
