"""Slips that published model files have, and that need not refuse them."""

import unittest

from driver import Case

TOL_ROUNDING = 1e-12
TOL_MUJOCO = 1e-9  # digits that the table below has

LINK = '<link name="{}"><inertial>{}</inertial></link>'
HEAVY = '<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
JOINT = '<joint name="{0}_{1}" type="{2}"><parent link="{0}"/><child link="{1}"/></joint>'

# Mass and largest principal inertia of <mesh builtin=... scale=".5 .6 .7"/> of density 1000 in MuJoCo 3.14.
BUILTIN = [
    ("sphere", "0", 532.5915992591051, 65.51576919076776),
    ("sphere", "2", 849.8793789467173, 141.20862348549306),
    ("hemisphere", "0", 140, 8.54),
    ("hemisphere", "4", 414.33378887271874, 48.58962774205349),
    ("cone", "3 1", 545.5959945917128, 113.66583132528336),
    ("cone", "7 .5", 670.4204889898346, 132.59737591640967),
    ("cone", "5 0", 332.86978785376124, 38.30076582006675),
    ("supersphere", "30 .4 .4", 1445.576788467804, 355.0907280245067),
    ("supersphere", "12 2 0.3", 785.6504370553406, 161.42717188483576),
    ("supertorus", "30 .5 .4 2", 908.0758693309471, 202.24880479162218),
    ("supertorus", "7 1 1 1", 3151.455665305181, 1388.9919547493507),
    ("wedge", "10 8 45 20 0", 29.38352714650615, 0.9545322949134974),
    ("wedge", "6 5 180 90 0.5", 575.5465405486517, 75.09107736643794),
    ("plate", "4 5", 720.0000107288363, 89.04600297483809),
]

TWO_HINGES = """<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/>
  <body pos="1 0 0"><joint name="b"/><geom size="0.1"/></body></body></worldbody>
  <keyframe><key name="short" qpos="1"/><key name="good" qpos="0.5 0.25"/><key name="long" ctrl="1 2 3"/></keyframe></mujoco>"""


def builtin_model(kinds, touching=0):
    meshes = "".join(f'<mesh name="m{i}" builtin="{k}" params="{p}" scale=".5 .6 .7"/>' for i, (k, p) in enumerate(kinds))
    bodies = "".join(
        f'<body name="b{i}" pos="{3 * i} 0 0"><freejoint/>'
        f'<geom type="mesh" mesh="m{i}" contype="{touching}" conaffinity="{touching}"/></body>'
        for i in range(len(kinds))
    )
    return f"<mujoco><asset>{meshes}</asset><worldbody>{bodies}</worldbody></mujoco>"


class PublishedFiles(Case):
    def info(self, name, text, *words):
        return self.fine("info", self.file(name, text), "--json", *words).json()

    def warned(self, info, text):
        self.assertTrue(any(text in line for line in info["warnings"]), info["warnings"])

    # --- XML declarations

    def test_unknown_version(self):
        robot = f'<robot name="r">{LINK.format("a", HEAVY)}</robot>'
        plain = self.info("plain.urdf", f'<?xml version="1.0"?>\n{robot}')
        self.assertEqual(plain["warnings"], [])
        for declaration in ('<?xml version="0.0"?>', '<?xml version="2.0" encoding="utf-8"?>'):
            strange = self.info("strange.urdf", f"{declaration}\n{robot}")
            self.assertEqual(strange["bodies"], plain["bodies"])
            self.warned(strange, "strange.urdf:1: the XML declaration names an unknown version: it is read as 1.0")

    def test_other_malformed_declarations_are_refused(self):
        for declaration in ('<?xml version="0.0>', '<?xml version="0.0" <'):
            self.refused("bad.urdf:", "info", self.file("bad.urdf", f'{declaration}\n<robot name="r"/>'))
        text = '<?xml version="0.0"?>\n<robot name="r"><link name="a"></robot>'
        self.refused("bad.urdf:2: malformed XML", "info", self.file("bad.urdf", text))

    # --- Inertials

    def test_inertial_without_mass(self):
        """Mass 0 on a link that is fixed to a heavy one."""
        for inertial in ('<origin xyz="0 0 1"/>', '<inertia ixx="3" iyy="4" izz="5" ixy="0" ixz="0" iyz="0"/>'):
            links = LINK.format("a", HEAVY) + LINK.format("b", inertial) + JOINT.format("a", "b", "fixed")
            info = self.info("r.urdf", f'<robot name="r">{links}</robot>')
            self.warned(info, 'element <link name="b">: <inertial> without <mass>: the mass is 0')
            self.assertEqual(info["mass"], 2)
            self.close(sorted(info["bodies"][2]["inertia"]), [3, 4, 5] if "inertia" in inertial else [0, 0, 0], TOL_ROUNDING)

    def test_a_joint_that_moves_nothing_is_still_an_error(self):
        links = LINK.format("a", HEAVY) + LINK.format("b", "") + JOINT.format("a", "b", "continuous")
        path = self.file("r.urdf", f'<robot name="r">{links}</robot>')
        self.refused("moves no inertia", "info", path)

    def test_inertial_without_inertia_is_still_an_error(self):
        path = self.file("r.urdf", f'<robot name="r">{LINK.format("a", "<mass value=" + chr(34) + "1" + chr(34) + "/>")}</robot>')
        self.refused("<inertial> without <inertia>", "info", path)

    # --- Built-in meshes

    def test_builtin_meshes_weigh_what_mujoco_says(self):
        info = self.info("builtin.xml", builtin_model([row[:2] for row in BUILTIN]))
        for (kind, params, mass, inertia), body in zip(BUILTIN, info["bodies"][1:], strict=True):
            self.assertAlmostEqual(body["mass"] / mass, 1, delta=TOL_MUJOCO, msg=(kind, params))
            self.assertAlmostEqual(max(body["inertia"]) / inertia, 1, delta=TOL_MUJOCO, msg=(kind, params))

    def test_builtin_meshes_have_the_volumes_of_solids(self):
        """An icosahedron and half an octahedron in a unit sphere, a prism, a pyramid."""
        edge = 4 / (10 + 2 * 5**0.5) ** 0.5  # of an icosahedron of circumradius 1
        volumes = [5 / 12 * (3 + 5**0.5) * edge**3, 2 / 3, 4, 4 / 3]
        kinds = [("sphere", "0"), ("hemisphere", "0"), ("cone", "4 1"), ("cone", "4 0")]
        bodies = self.info("solids.xml", builtin_model(kinds))["bodies"][1:]
        self.close([b["mass"] / 210 for b in bodies], volumes, 1e-6)  # vertices in single precision

    def test_builtin_meshes_touch(self):
        kinds = [row[:2] for row in BUILTIN if row[0] != "plate"]
        motion = self.file("touch.xml", builtin_model(kinds, touching=1))
        self.fine("sim", motion, "--contact", "soft", "--steps", "2", "--json")

    def test_wrong_parameters(self):
        for kind, params, message in [
            ("cube", "1", "attribute 'builtin': found \"cube\", expected one of sphere, hemisphere"),
            ("sphere", "5", "attribute 'params': sphere subdivision is 5, expected a whole number from 0 to 4"),
            ("sphere", "1.5", "sphere subdivision is 1.5, expected a whole number"),
            ("sphere", "1 2", "attribute 'params': found 2 numbers, expected 1 for a sphere"),
            ("sphere", "", "attribute 'params': found 0 numbers, expected 1 for a sphere"),
            ("supertorus", "9 0 1 1", "supertorus radius is 0, expected a number above 0 to 1"),
            ("supersphere", "1e9 1 1", "supersphere resolution is 1e+09, expected a whole number from 3 to 1000"),
            ("cone", "100000 1", "cone nvert is 100000, expected a whole number from 3 to 2000"),  # its hull takes hours
            ("wedge", "4 4 200 20 0", "wedge fov_phi is 200"),
        ]:
            path = self.file("bad.xml", builtin_model([(kind, params)]))
            self.assertIn('<mesh name="m0">', self.refused(message, "info", path).err)

    # --- Keyframes

    def test_keyframes_of_another_length(self):
        path = self.file("keys.xml", TWO_HINGES)
        self.refused("<key name=\"short\">: attribute 'qpos': found 1 number, expected 2", "info", path)
        info = self.fine("info", path, "--lenient", "--json").json()
        self.assertEqual(info["keys"], ["good"])
        self.warned(info, "<key name=\"short\">: attribute 'qpos': found 1 number, expected 2: the key is ignored")
        self.warned(info, "<key name=\"long\">: attribute 'ctrl': found 3 numbers, expected 0: the key is ignored")
        motion = self.fine("sim", path, "--lenient", "--key", "good", "--steps", "1", "--contact", "none", "--json").json()
        self.assertEqual(motion["final"]["qpos"], [0.5, 0.25])  # the hinges are upright: nothing moves

    def test_keyframes_with_words_are_refused_leniently_too(self):
        path = self.file("keys.xml", TWO_HINGES.replace('qpos="1"', 'qpos="one"'))
        self.refused('found "one", expected a finite number', "info", path, "--lenient")

    # --- Paths of Windows

    def test_backslashes(self):
        for name in ("parts", "parts/mesh"):
            (self.folder / name).mkdir()
        self.file("parts/arm.xml", '<mujoco><worldbody><body name="arm"><geom type="mesh" mesh="t"/></body></worldbody></mujoco>')
        self.file("parts/mesh/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        include = '<include file="parts\\arm.xml"/>'
        for asset in (
            '<asset><mesh file="parts\\mesh\\t.obj"/></asset>',
            '<compiler meshdir="parts\\mesh"/><asset><mesh file="t.obj"/></asset>',
            '<compiler strippath="true" meshdir="parts/mesh"/><asset><mesh file="C:\\robot\\t.obj"/></asset>',
        ):
            info = self.info("main.xml", f"<mujoco>{asset}{include}</mujoco>")
            self.assertEqual([b["name"] for b in info["bodies"]], ["world", "arm"])
        collision = '<collision><geometry><mesh filename="parts\\mesh\\t.obj"/></geometry></collision>'
        robot = f'<robot name="r"><link name="a"><inertial>{HEAVY}</inertial>{collision}</link></robot>'
        self.assertEqual(self.info("r.urdf", robot)["nmesh"], 1)

    def test_backslashes_do_not_lead_out(self):
        inner = self.folder / "inner"
        inner.mkdir()
        self.file("secret.xml", "<mujoco><worldbody/></mujoco>")
        path = self.file("inner/main.xml", '<mujoco><include file="..\\secret.xml"/></mujoco>')
        self.refused("outside the model's folder", "info", path)
        twice = self.file("twice.xml", '<mujoco><include file=".\\secret.xml"/><include file="secret.xml"/></mujoco>')
        self.refused("is already included", "info", twice)


if __name__ == "__main__":
    unittest.main()
