"""The models that checks look at: our own robots, and the files of shared ones."""

import json

from checks.registry import ROOT, CannotRun


def our_models():
    models = sorted(path.relative_to(ROOT) for path in (ROOT / "models").glob("*.xml"))
    if not models:
        raise CannotRun("no models/*.xml")
    return models


def entry_of(folder):
    """The file of the folder that the truth belongs to."""
    for name in ("meta.json", "../manifest.json"):
        path = folder / name
        if not path.exists():
            continue
        found = json.loads(path.read_text())
        found = next((e for e in found if e["name"] == folder.name), {}) if isinstance(found, list) else found
        if "entry" in found:
            return folder / found["entry"]
    raise CannotRun(f"{folder}: no entry file named in meta.json")
