"""The examples of all public docstrings run, and every public name has one."""

import doctest
import inspect

import numpy as np
import pytest
from conftest import MODELS

import tactus as tac


def public_objects():
    """(name, object) of what the package shows: names, and the methods and properties of its classes."""
    yield "tactus", tac
    for name in tac.__all__:
        thing = getattr(tac, name)
        yield name, thing
        if inspect.isclass(thing) and thing.__module__.startswith("tactus"):
            for inner in dir(thing):
                if not inner.startswith("_") and has_doc_of_its_own(thing, inner):
                    yield f"{name}.{inner}", inspect.getattr_static(thing, inner)


def has_doc_of_its_own(owner, name):
    """Is the member ours, not one of a built-in base?"""
    return any(name in base.__dict__ for base in owner.__mro__ if base.__module__.startswith("tactus"))


@pytest.fixture
def names(tmp_path):
    model = tac.load(MODELS / "quadruped.xml").register("body/trunk.mass")
    sim = tac.Sim(model)
    batch = tac.Batch(model, 4, threads=2)
    return {"tac": tac, "np": np, "models": MODELS, "scratch": tmp_path, "model": model, "sim": sim, "batch": batch,
            "x": sim.state("home"), "u": sim.input("home")}  # fmt: skip


def test_examples_run(names):
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    count = 0
    for name, thing in public_objects():
        text = inspect.getdoc(thing) or ""
        if ">>>" not in text:
            continue
        test = doctest.DocTestParser().get_doctest(text, dict(names), name, None, 0)
        failed, tried = runner.run(test)
        assert failed == 0, name
        count += tried
    assert count > 150


def is_call(thing):
    return callable(thing) or isinstance(thing, (classmethod, staticmethod))


def test_public_names_have_docstrings():
    for name, thing in public_objects():
        text = inspect.getdoc(thing)
        if not (is_call(thing) or isinstance(thing, property) or inspect.isgetsetdescriptor(thing)):
            continue  # a plain value: a member of an enum, a field
        assert text, name
        if is_call(thing) and not inspect.isclass(thing):
            assert ">>>" in text, f"{name} has no example"
