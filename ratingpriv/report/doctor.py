"""What ratingpriv finds around it, and whether it works there:
the substance of ``ratingpriv doctor``.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.compute.compiling import switched
from ratingpriv.base.compute.resources import available_cores
from ratingpriv.base.errors import RatingPrivError, ResourceError
from ratingpriv.documents.making import document_of
from ratingpriv.documents.program import Doctor

DEPENDENCIES = (
    "numpy",
    "scipy",
    "numba",
    "polars",
    "typer",
    "rich",
    "neo4j",
    "grafeo",
    "networkx",
)
_REPAIR = "remove or update the package that brings it"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: its name, whether it works,
    and what was seen (a remedy if it does not).
    """

    name: str
    works: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Environment:
    """Facts about this installation, and checks of it.

    Attributes
    ----------
    facts : name and text, such as Python's version, cores, memory
    versions : of ratingpriv and its dependencies; None for one that is missing
    loaders, generators : what is installed, by name
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
        return document_of(Doctor, self)


def examine(store: str | None = None) -> Environment:
    """Look around and try everything; never raises for what it finds, takes seconds (it compiles).

    ``store`` is the address of a graph store to try, instead of those that the environment names.
    """
    versions = {name: _version(name) for name in ("ratingpriv", *DEPENDENCIES)}
    missing = [name for name, version in versions.items() if version is None]
    seen = f"missing: {', '.join(missing)}; install them" if missing else "all installed"
    loaders, check_loaders = _plugins("loaders", "ratingpriv.data.formats.reading")
    generators, check_generators = _plugins("generators", "ratingpriv.data.formats.generating")
    checks = (
        Check("dependencies", not missing, seen),
        check_loaders,
        check_generators,
        _try("compiler", _compiles),
        _try("compiler's cache", kernel_cache_check),
        _try("worked example, slicing", lambda: _worked_example("slicing")),
        _try("worked example, pairwise", lambda: _worked_example("pairwise")),
        _plugins("ingesters", "ratingpriv.graph.ingesting")[1],
        _try("spark", _spark),
        *store_checks(store),
    )
    memory = "unknown"
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GiB"
    facts = {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "cores": str(available_cores()),
        "memory": memory,
    }
    return Environment(facts, versions, loaders, generators, checks)


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plugins(name: str, module: str) -> tuple[tuple[str, ...], Check]:
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            plugins = tuple(getattr(importlib.import_module(module), name)())
        except Exception as error:  # a plugin of somebody else's may fail in any way
            return (), Check(name, False, f"{type(error).__name__}: {error}; {_REPAIR}")
    if raised:
        messages = "; ".join(str(warning.message) for warning in raised)
        return plugins, Check(name, False, f"{messages}; {_REPAIR}")
    if not plugins:
        return (), Check(name, False, "none installed; install ratingpriv again")
    return plugins, Check(name, True, f"{len(plugins)} installed")


def _try(name: str, attempt: Callable[[], str | Check]) -> Check:
    try:
        seen = attempt()
    except RatingPrivError as error:  # names an address itself, without credentials
        return Check(name, False, str(error))
    except Exception as error:  # whatever goes wrong is the finding
        return Check(name, False, f"{type(error).__name__}: {error}")
    return seen if isinstance(seen, Check) else Check(name, True, seen)


def _compiles() -> str:
    numba: Any = importlib.import_module("numba")
    if numba.config.DISABLE_JIT:
        return "switched off by NUMBA_DISABLE_JIT; everything works, slowly"
    start = time.perf_counter()
    seven = numba.njit(lambda value: value + 1)(6)
    if seven != 7:
        raise ArithmeticError(f"compiled 6 + 1 gave {seven}; reinstall numba and llvmlite")
    return f"compiled in {time.perf_counter() - start:.1f} s"


def _worked_example(engine: str) -> str:
    """Audit Table 1 of [SWLZ11]: with ε = 5 it is (2,5,2)-anonymous,
    and neighbourhoods are known.
    """
    import polars as pl

    from ratingpriv.audit import audit
    from ratingpriv.data.table import RatingTable

    columns = {
        "issue 1": [6, 1, 2, 1, 2],
        "issue 2": [1, 6, 5, None, None],
        "issue 3": [None, None, None, 5, 6],
        "issue 4": [6, 1, 1, 1, 5],
    }
    table = RatingTable.from_wide(pl.DataFrame(columns), sensitive=["issue 4"])
    result = audit(table, k=2, epsilon=5, l=2, engine=engine)
    if result.sizes.tolist() != [3, 3, 3, 2, 2] or not result.satisfied:
        raise ArithmeticError(
            f"neighbourhoods of {result.sizes.tolist()} records, expected 3, 3, 3, 2, 2"
        )
    return "Table 1 of the papers comes out right"


def _spark() -> str:
    """Look for what Spark needs without starting it.

    Without pyspark nothing is wrong, as it is optional.
    """
    if importlib.util.find_spec("pyspark") is None:
        return "not installed, optional (pip install 'ratingpriv[spark]')"
    if os.environ.get("SPARK_REMOTE"):
        return "a session is elsewhere, at SPARK_REMOTE"
    if os.environ.get("JAVA_HOME") is None and shutil.which("java") is None:
        raise ResourceError(
            "pyspark is here and no java; install Java 17 or later, or name it in JAVA_HOME"
        )
    version = importlib.metadata.version("pyspark")
    return (
        f"pyspark {version} (4 or later is needed) and java are here; the first audit on Spark "
        f"tries them"
    )


# ---- where compiled kernels are kept ----


def kernel_cache_check() -> str | Check:
    """Look at the folder in which kernels are kept, or would be."""
    if switched("NUMBA_DISABLE_JIT"):
        return "not used (NUMBA_DISABLE_JIT)"
    from ratingpriv.base.compute.cache import cache_folder, refusal

    folder = cache_folder()
    why = refusal(folder)
    if why is not None:
        remedy = "kernels are compiled anew in every process; remove the folder"
        return Check("compiler's cache", False, f"{folder} is not used, as {why}: {remedy}")
    with tempfile.TemporaryFile(
        dir=next(existing for existing in (folder, *folder.parents) if existing.exists())
    ):
        return (
            f"{folder} can be written to, and holds {len(list(folder.glob('*.kernel')))} "
            f"compiled kernels"
        )


# ---- graph stores that can be reached ----

_MEMORY = "embedded::memory:"


def store_checks(
    uri: str | None = None, environ: Mapping[str, str] | None = None
) -> Iterator[Check]:
    """Try the embedded engine and every store that is named; never raises for what it finds.

    Named are ``uri``, or else ``RATINGPRIV_STORE`` (else the file ratingpriv.grafeo here, where
    there is one) and ``NEO4J_URI``. Nothing is made or changed.
    """
    environ = os.environ if environ is None else environ
    yield _try("embedded store", lambda: _reached(_MEMORY, environ))
    for name, one in [("store", uri)] if uri is not None else _stores(environ):
        yield _try(name, lambda one=one: _reached(one, environ))  # type: ignore[misc]


def _stores(environ: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    from ratingpriv.graph.address import DEFAULT, parse_address

    default = parse_address(DEFAULT).path
    if environ.get("RATINGPRIV_STORE"):
        yield "store", None
    elif default is not None and default.exists():
        yield "store", DEFAULT
    if environ.get("NEO4J_URI") and environ.get("RATINGPRIV_STORE") not in ("neo4j", "neo4j:"):
        yield "NEO4J_URI", "neo4j"


def _reached(uri: str | None, environ: Mapping[str, str]) -> str:
    from ratingpriv.graph.connect import open_store  # an installation without a store is a finding

    if uri == _MEMORY:
        with open_store(uri, environ=environ) as store:
            return str(store.version())
    with open_store(uri, mode="read", environ=environ) as store:
        held = len(store.datasets())
        return f"{store.uri} is {store.version()}, {held:,} dataset" + ("" if held == 1 else "s")
