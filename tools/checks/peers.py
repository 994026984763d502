"""Where `./dev peers` puts what checks compare with."""

from checks.registry import ROOT

PACKAGE = ROOT / "build" / "peers" / "node_modules" / "@mujoco" / "mujoco"  # MuJoCo 3.x
