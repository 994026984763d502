"""What the extension needs from the system, said in words where it is missing."""

import importlib.util
import pathlib

# Files that the loader names -> Debian packages that have them.
PACKAGES = {
    "libxml2": "libxml2",
    "libjansson": "libjansson4",
    "libqhull": "libqhull-r8.0",
    "libtactus": "the build or wheel of tactus itself",
}


def check() -> None:
    """Imports the extension, and explains why it cannot be."""
    if importlib.util.find_spec("numpy") is None:
        raise ImportError("tactus needs NumPy: install python3-numpy")
    try:
        import tactus._core  # noqa: F401
    except ImportError as error:
        text = str(error)
        for name, package in PACKAGES.items():
            if name in text:
                raise ImportError(f"{text}\ntactus needs {name}: install {package}") from error
        if "_core" in text and not list(pathlib.Path(__file__).parent.glob("_core*.so")):
            raise ImportError("tactus has no compiled part here: build it with ./dev python") from error
        raise
