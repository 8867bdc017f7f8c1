"""What a notebook shows says in ``help()`` what each of its attributes means."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import ratingpriv
from ratingpriv.base.display import Displayed

_NAMES = re.compile(r"^(\w+(?:, \w+)*) : ", re.MULTILINE)
_UNSAID = {"Map"}  # its room is being changed


def modules():
    """Import the rooms in which results are; spark and the desk have none of their own."""
    for room in ("anonymize", "attack", "audit", "data", "partition", "studies", "utility"):
        package = importlib.import_module(f"ratingpriv.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)


def below(cls):
    """Yield the classes derived from one, each before those derived from it."""
    for derived in cls.__subclasses__():
        yield derived
        yield from below(derived)


def meant(cls):
    """Return the attributes that the docstrings of a class and of what it derives from explain."""
    docs = (
        inspect.getdoc(one) or "" for one in cls.__mro__ if one.__module__.startswith("ratingpriv")
    )
    return {name for doc in docs for names in _NAMES.findall(doc) for name in names.split(", ")}


def unsaid(cls):
    """Return the public fields of a result that no docstring explains."""
    names = [field.name for field in dataclasses.fields(cls) if not field.name.startswith("_")]
    return [name for name in names if name not in meant(cls)]


def test_results_say_what_their_attributes_mean():
    modules()
    results = [cls for cls in below(Displayed) if dataclasses.is_dataclass(cls)]
    assert ratingpriv.AuditResult in results
    assert len(results) > 10
    assert {
        cls.__name__: unsaid(cls) for cls in results if cls.__name__ not in _UNSAID and unsaid(cls)
    } == {}


@pytest.mark.parametrize(
    ("doc", "left"), [("A.", ["one", "two"]), ("A.\n\n    one, two : b\n", [])]
)
def test_an_attribute_without_a_meaning_is_found(doc, left):
    made = dataclasses.make_dataclass("Made", ["one", "two", "_own"])
    made.__doc__, made.__module__ = doc, "ratingpriv.made"
    assert unsaid(made) == left
