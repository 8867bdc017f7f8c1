"""Where data are that are no table here: a graph store, and how one is opened; a file for Spark."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.unfinished import finishing, interruptible
from ratingpriv.cli.options.data import Data
from ratingpriv.cli.options.parameters import given
from ratingpriv.cli.options.rules import AuditModel
from ratingpriv.cli.options.values import STORE, group, key_value, option, store_uri, writes
from ratingpriv.cli.output.reporter import progress_bars

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters, AuditResult
    from ratingpriv.graph.running import GraphStore

NOT_ON_SPARK = {
    *(
        "attributes",
        "decimal_comma",
        "delimiter",
        "duplicates",
        "encoding",
        "exposure",
        "format",
        "header",
    ),
    *("multiline", "known", "known_error", "known_items", "sample", "seed", "sheet", "threads"),
}
"""The parameters of the audit that the engine spark has no answer to."""

_store = partial(option, panel=STORE)

DATASET = _store("A dataset in the graph store.", metavar="NAME")


@group
class Store:
    """Where the graph store is.

    Who may log in is said by the environment or a prompt, never here.
    """

    store: str | None = _store(
        "Else RATINGPRIV_STORE, NEO4J_URI, or a file here.", parser=store_uri
    )

    def is_there(self) -> bool:
        """Return whether it can be opened before anything is made;
        ParameterError where it would not last.
        """
        from ratingpriv.graph.address import parse_address

        address = parse_address(self.store)
        if address.engine == "embedded" and address.path is None:
            remedy = "name a file: embedded:ratingpriv.grafeo"
            raise ParameterError("store", address.uri, "a store that lasts", remedy)
        return address.path is None or address.path.exists()

    @contextlib.contextmanager
    def open(self, mode: Literal["read", "change", "write"]) -> Iterator[GraphStore]:
        """Give the store; errors as :func:`ratingpriv.graph.connect.open_store`."""
        from ratingpriv.graph.connect import open_store

        with open_store(self.store, mode=mode, password_prompt=password_prompt()) as store:
            if store.engine != "embedded":  # a server itself undoes what is unfinished
                yield store
                return
            with finishing(store.close):
                yield store


def at_terminal() -> bool:
    """Return whether somebody can be asked; standard input may be closed by the caller (<&-)."""
    return sys.stdin is not None and sys.stdin.isatty()


def password_prompt() -> Callable[[str], str] | None:
    """Return what reads a password without showing it, or None where nobody can type one."""

    def typed(question: str) -> str:
        import getpass

        with contextlib.suppress(EOFError), interruptible():  # Ctrl-D: the store refuses it
            return getpass.getpass(question)
        return ""

    return typed if at_terminal() else None


@group
class Source(Store):
    """Where a dataset is that is no file, and where Spark runs."""

    dataset: str | None = DATASET
    spark_master: str | None = option(
        "Spark's master, or sc://HOST of Connect; else spark-submit's or SPARK_REMOTE, else "
        "local[*].",
        metavar="URL",
    )
    spark_conf: tuple[str, ...] = option("Such as spark.executor.memory=4g.", parser=key_value)
    work: str | None = writes(
        "Folder or URI that every executor reaches; emptied at the end.", metavar="DIR"
    )

    def check(self, data: str | None, *, on_spark: bool) -> None:
        """Refuse none and several, and options of another source."""
        typed = given()
        for name in sorted(
            typed & (NOT_ON_SPARK if on_spark else {"spark_master", "spark_conf", "work"})
        ):
            shown = name.replace("_", "-")
            if on_spark:
                remedy = "it is for data on one machine"
                raise ParameterError(shown, "with --engine spark", f"no `{name}`", remedy)
            raise ParameterError(
                shown, "with another engine", f"no `{name}` without --engine spark"
            )
        if data is not None and (self.dataset, self.store) != (None, None):
            raise ParameterError("data", data, "either DATA or --dataset (with --store), not both")
        if data is None and self.dataset is None:
            raise ParameterError("data", None, "DATA, or --dataset NAME of a graph store")
        of_files = {field.name for field in dataclasses.fields(Data)}
        for name in sorted(typed & of_files) if data is None else ():
            remedy = "it was for ratingpriv ingest to declare what the data are"
            raise ParameterError(name.replace("_", "-"), "with --dataset", f"no `{name}`", remedy)

    def audit(
        self,
        data: str | None,
        target: AuditParameters,
        reading: Data,
        model: AuditModel,
        known: dict[str, Any],
        **listing: Any,
    ) -> AuditResult:
        """Read and audit it; ``known``: to an adversary; ``listing``:
        what Spark itself names and writes.
        """
        words: dict[str, Any] = dataclasses.asdict(target)
        if data is not None and words["engine"] == "spark":
            from ratingpriv.spark import audit_file

            del words["engine"]
            words |= {
                **reading.words(),
                "issues": reading.issues,
                "memory": model.memory,
                **listing,
            }
            words |= {"conf": dict(setting.split("=", 1) for setting in self.spark_conf)}
            with progress_bars() as progress:
                return audit_file(
                    data, **words, master=self.spark_master, work=self.work, progress=progress
                )
        words |= {name: words[name] if name in given() else None for name in ("engine", "nulls")}
        if data is not None:
            from ratingpriv.audit import audit

            table = reading.read(data)
            with progress_bars() as progress:
                return audit(table, **words, **model.resources, **known, progress=progress)
        from ratingpriv.audit import audit_stored

        _refuse_of_tables({**model.resources, **known}, words.pop("engine"))
        with self.open("read") as store, progress_bars() as progress:
            return audit_stored(store.dataset(str(self.dataset)), **words, progress=progress)


def _refuse_of_tables(words: Mapping[str, Any], engine: str | None) -> None:
    """Refuse what no dataset in a graph store can be told."""
    for name, value in words.items():
        if value is not None:
            remedy = "audit the data file: a store was told at the ingest what the data are"
            raise ParameterError(name, "with a dataset in a graph store", f"no `{name}`", remedy)
    if engine is not None:
        raise ParameterError("engine", engine, "cypher, which audits a dataset in a graph store")
