"""What a check is, and what it may ask for: the command line tool, the shared material, scratch space.

    @check("robots-load-time", bar="under 5 ms")
    def load_time(context):
        ...
        return Result(ok=ms < 5, figure=f"{ms:.2f} ms")
"""

import json
import os
import pathlib
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_PER_COMMAND = 600

CHECKS = {}


class CannotRun(Exception):
    """What the check needs is not here: shared material, a peer, a program."""


class Failed(Exception):
    """What is checked went wrong before it gave a figure: it crashed, stopped, or printed what cannot be read."""


@dataclass
class Result:
    ok: bool
    figure: str
    details: list = field(default_factory=list)  # lines for --verbose


@dataclass
class Check:
    name: str
    bar: str
    run: object
    slow: bool = False  # minutes: left out with --quick, unless named


def check(name, bar, slow=False):
    """Registers the function below as the check `name`."""

    def register(function):
        assert name not in CHECKS, name
        CHECKS[name] = Check(name, bar, function, slow)
        return function

    return register


class Context:
    """What one run of verify shares between its checks."""

    def __init__(self, build, only=None):
        self.build = pathlib.Path(build)
        self.tactus = self.build / "tactus"
        self.shared = pathlib.Path(os.environ.get("TACTUS_SHARED", ROOT.parent / "shared"))
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="tactus-verify-"))
        self.only = only  # substring of model names to look at, or None
        self.memory = {}  # results that several checks read
        self.lock = threading.RLock()  # of memory: parts of a check run side by side
        # programs that do not lie beside it find the mesh reader by this
        os.environ.setdefault("TACTUS_MESH_READER", str(self.build.resolve() / "tactus-mesh"))

    def once(self, key, function):
        """function(self), computed the first time it is asked for; a failure is remembered as well."""
        with self.lock:
            if key not in self.memory:
                try:
                    self.memory[key] = (function(self), None)
                except (CannotRun, Failed) as reason:
                    self.memory[key] = (None, reason)
        value, reason = self.memory[key]
        if reason is not None:
            raise reason
        return value

    def shared_models(self):
        """The folders of the shared robots that have true numbers."""
        folders = sorted(path.parent for path in (self.shared / "models").glob("*/truth.json"))
        if not folders:
            raise CannotRun(f"no shared models under {self.shared} (set TACTUS_SHARED)")
        return [folder for folder in folders if not self.only or self.only in folder.name]

    def run(self, *command, seconds=SECONDS_PER_COMMAND, **options):
        """Runs a command; returns the finished process with text output."""
        try:
            return subprocess.run(
                [str(word) for word in command],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                cwd=options.pop("cwd", ROOT),
                check=False,
                **options,
            )
        except FileNotFoundError as reason:
            raise CannotRun(f"{command[0]}: not built") from reason

    def program(self, name):
        """A compiled program of the build tree, by the name of its target."""
        for path in sorted(self.build.rglob(name)):
            if path.is_file() and os.access(path, os.X_OK):
                return path
        raise CannotRun(f"program {name} is not built (its peer may be missing: ./dev peers)")

    def json_from(self, *command, **options):
        """Runs a command that prints one JSON document; a command that fails, or prints something else, is a failure."""
        done = self.run(*command, **options)
        if done.returncode != 0:
            raise RuntimeError(f"{pathlib.Path(str(command[0])).name}: exit {done.returncode}: {last_line(done.stderr)}")
        return json.loads(done.stdout)


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""
