"""What ratingpriv finds around it, and whether it works there: the substance of ``ratingpriv doctor``."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.compute.resources import available_cores
from ratingpriv.base.provenance import tool
from ratingpriv.report.doctor.check import Check
from ratingpriv.report.doctor.kernel_cache import kernel_cache_check
from ratingpriv.report.doctor.spark import spark_check
from ratingpriv.report.doctor.stores import store_checks

_REPAIR = "remove or update the package that brings it"
DEPENDENCIES = (
    "numpy",
    "scipy",
    "numba",
    "polars",
    "pyarrow",
    "typer",
    "rich",
    "neo4j",
    "grafeo",
    "networkx",
)


@dataclass(frozen=True, slots=True)
class Environment:
    """Facts about this installation, and checks of it.

    Attributes
    ----------
    facts : name and text, such as Python's version, cores, memory
    versions : of ratingpriv and its dependencies; None for one that is missing
    loaders, generators : what is installed, by name
    checks : what was tried
    """

    facts: dict[str, str]
    versions: dict[str, str | None]
    loaders: tuple[str, ...]
    generators: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Whether every check works and nothing is missing."""
        return all(check.works for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists, schema ``ratingpriv.doctor/1``."""
        return {
            "schema": "ratingpriv.doctor/1",
            "tool": tool(),
            "healthy": self.healthy,
            "facts": dict(self.facts),
            "versions": dict(self.versions),
            "loaders": list(self.loaders),
            "generators": list(self.generators),
            "checks": [
                {"name": check.name, "works": check.works, "seen": check.seen} for check in self.checks
            ],
        }


def examine(store: str | None = None) -> Environment:
    """Look around and try everything; never raises for what it finds, takes seconds (it compiles).

    ``store`` is the address of a graph store to try, instead of those that the environment names.
    """
    versions = {name: _version(name) for name in ("ratingpriv", *DEPENDENCIES)}
    missing = [name for name, version in versions.items() if version is None]
    checks = [
        Check(
            "dependencies",
            not missing,
            f"missing: {', '.join(missing)}; install them" if missing else "all installed",
        )
    ]
    loaders: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    for name, find in (("loaders", _loaders), ("generators", _generators)):
        found, check = _plugins(name, find)
        checks.append(check)
        loaders, generators = (found, generators) if name == "loaders" else (loaders, found)
    checks += [
        _try("compiler", _compiles),
        kernel_cache_check(),
        _try("worked example, slicing", lambda: _worked_example("slicing")),
        _try("worked example, pairwise", lambda: _worked_example("pairwise")),
        _plugins("ingesters", _ingesters)[1],
        spark_check(),
        *store_checks(store),
    ]
    return Environment(_facts(), versions, loaders, generators, tuple(checks))


def _facts() -> dict[str, str]:
    memory = "unknown"
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GiB"
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "cores": str(available_cores()),
        "memory": memory,
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _loaders() -> tuple[str, ...]:
    from ratingpriv.data.formats.reading import loaders

    return tuple(loaders())


def _generators() -> tuple[str, ...]:
    from ratingpriv.data.formats.generating import generators

    return tuple(generators())


def _ingesters() -> tuple[str, ...]:
    from ratingpriv.graph.ingesting import ingesters

    return tuple(ingesters())


def _plugins(name: str, find: Callable[[], tuple[str, ...]]) -> tuple[tuple[str, ...], Check]:
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            plugins = find()
        except Exception as error:  # a plugin of somebody else's may fail in any way
            return (), Check(name, False, f"{type(error).__name__}: {error}; {_REPAIR}")
    if raised:
        messages = "; ".join(str(warning.message) for warning in raised)
        return plugins, Check(name, False, f"{messages}; {_REPAIR}")
    if not plugins:
        return (), Check(name, False, "none installed; install ratingpriv again")
    return plugins, Check(name, True, f"{len(plugins)} installed")


def _try(name: str, attempt: Callable[[], str]) -> Check:
    try:
        return Check(name, True, attempt())
    except Exception as error:  # whatever goes wrong is the finding
        return Check(name, False, f"{type(error).__name__}: {error}")


def _compiles() -> str:
    numba: Any = importlib.import_module("numba")
    if numba.config.DISABLE_JIT:
        return "switched off by NUMBA_DISABLE_JIT; everything works, slowly"
    start = time.perf_counter()
    seven = numba.njit(_next)(6)
    if seven != 7:
        raise ArithmeticError(f"compiled 6 + 1 gave {seven}; reinstall numba and llvmlite")
    return f"compiled in {time.perf_counter() - start:.1f} s"


def _next(value: int) -> int:
    return value + 1


def _worked_example(engine: str) -> str:
    """Audit Table 1 of [SWLZ11]: with ε = 5 it is (2,5,2)-anonymous, and neighbourhoods are known."""
    import polars as pl

    from ratingpriv.audit import audit
    from ratingpriv.data.table import RatingTable

    columns = {
        "issue 1": [6, 1, 2, 1, 2],
        "issue 2": [1, 6, 5, None, None],
        "issue 3": [None, None, None, 5, 6],
    }
    frame = pl.DataFrame({**columns, "issue 4": [6, 1, 1, 1, 5]})
    result = audit(RatingTable.from_wide(frame, sensitive=["issue 4"]), k=2, epsilon=5, l=2, engine=engine)
    if result.sizes.tolist() != [3, 3, 3, 2, 2] or not result.satisfied:
        raise ArithmeticError(f"neighbourhoods of {result.sizes.tolist()} records, expected 3, 3, 3, 2, 2")
    return "Table 1 of the papers comes out right"
