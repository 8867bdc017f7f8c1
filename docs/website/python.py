"""The reference of the Python API: directives that numpydoc and autodoc fill from the docstrings.

Public are the names of ``ratingpriv.__all__``, what its functions return with everything that a
result holds, the errors, and the names of the packages that the pages of this documentation use.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Iterator

import ratingpriv

__all__ = ["PACKAGES", "pages", "results"]

PACKAGES = {
    "ratingpriv.anonymize": "Releases: making, writing and verifying them",
    "ratingpriv.attack": "Attacks and their parts",
    "ratingpriv.graph": "Graph stores and queries",
    "ratingpriv.spark": "Audits beyond one machine, on Apache Spark",
    "ratingpriv.data.table": "The data model",
    "ratingpriv.studies.papers": "The papers' figures",
    "ratingpriv.base.errors": "Errors",
}


def results() -> dict[str, type]:
    """Return what the public functions return, and the dataclasses in it, by their dotted names."""
    found: dict[str, type] = {}
    waiting = [
        kind
        for one in (getattr(ratingpriv, name) for name in ratingpriv.__all__)
        if inspect.isfunction(one)
        for kind in _classes(one.__module__, one.__annotations__["return"])
    ]
    while waiting:
        kind = waiting.pop(0)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name not in found and name.startswith("ratingpriv.") and dataclasses.is_dataclass(kind):
            found[name] = kind
            waiting += [
                held
                for said in kind.__annotations__.values()
                for held in _classes(kind.__module__, said)
            ]
    return found


def _classes(module: str, said: object) -> Iterator[type]:
    """Yield the public classes of ratingpriv that an annotation names,
    imported for types only or not.
    """
    homes = _homes(module)
    for name in re.findall(r"[A-Za-z_]\w*", str(said)):
        home = homes.get(name, module)
        if not name.startswith("_") and str(home).startswith("ratingpriv"):
            thing = getattr(importlib.import_module(str(home)), name, None)
            if inspect.isclass(thing):
                yield thing


@functools.cache
def _homes(module: str) -> dict[str, str | None]:
    """Return where the names come from that a module imports, at any place."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        one.asname or one.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }


def pages() -> dict[str, str]:
    """Return the pages by their names: an index, a page a function or class, the results,
    the packages.
    """
    found = {
        f"{name}.rst": _page(f"ratingpriv.{name}", [f"ratingpriv.{name}"])
        for name in ratingpriv.__all__
    }
    shown = {f"ratingpriv.{name}" for name in ratingpriv.__all__}
    taken = {_home(getattr(ratingpriv, name)) for name in ratingpriv.__all__}
    for package, title in PACKAGES.items():
        module = importlib.import_module(package)
        names = [
            f"{package}.{name}"
            for name in module.__all__
            if callable(getattr(module, name)) and _home(getattr(module, name)) not in taken
        ]
        taken |= {_home(getattr(module, name.rpartition(".")[2])) for name in names}
        found[f"{package.rpartition('.')[2]}-package.rst"] = _page(f"{package}: {title}", names)
        shown.update(names)
    held = [
        name
        for name in sorted(results(), key=lambda name: name.rpartition(".")[2])
        if name not in taken
    ]
    found["results.rst"] = _page("What results hold", held)
    lines = [_title("Python"), "``import ratingpriv`` gives these.", ""]
    lines += [
        f"* :py:obj:`ratingpriv.{name}`: {_summary(getattr(ratingpriv, name))}"
        for name in ratingpriv.__all__
    ]
    lines += [
        "",
        "What they return, attribute by attribute, is in :doc:`results`. The packages have more:",
        "",
    ]
    lines += [f"* :doc:`{package.rpartition('.')[2]}-package`" for package in PACKAGES]
    listed = [
        *ratingpriv.__all__,
        "results",
        *(f"{one.rpartition('.')[2]}-package" for one in PACKAGES),
    ]
    lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in listed), ""]
    found["index.rst"] = "\n".join(lines)
    return found


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"


def _summary(thing: object) -> str:
    """Return the first sentence of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def _home(thing: object) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"  # type: ignore[attr-defined]


def _page(title: str, names: list[str]) -> str:
    return "\n".join([_title(title), *(line for name in names for line in _entry(name))])


def _entry(name: str) -> Iterator[str]:
    module, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    if inspect.isclass(thing):
        yield f".. autoclass:: {name}"
        yield "   :members:"
    else:
        yield f".. autofunction:: {name}"
    yield ""
