"""Graph stores and the datasets in them, as text."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.graph.datasets import rules_in_words
from ratingpriv.report.page import Table
from ratingpriv.report.templating import phrase
from ratingpriv.report.text import table_text

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import Ingested, OfflineImport
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetInfo, DatasetSpec


def dataset_sentence(info: DatasetInfo) -> str:
    """Return what a dataset holds in one line."""
    return _phrase("dataset", info, rules_in_words(info.spec.quasi))


def datasets_text(infos: Sequence[DatasetInfo]) -> str:
    """Return a table of datasets, one a line."""
    if not infos:
        return "no datasets; ratingpriv ingest loads one\n"
    columns = ("dataset", "records", "pairs", "epsilon", "nulls", "edges", "ingested", "state")
    rows = tuple(
        (
            *(
                spec.name,
                f"{spec.records:,}",
                f"{spec.pairs:,}",
                in_full(spec.epsilon_max),
                spec.nulls,
            ),
            spec.edges if spec.k is None else f"{spec.edges}, k={spec.k}",
            info.created_at,
            _phrase("state", info),
        )
        for info in infos
        for spec in [info.spec]
    )
    return (
        table_text(Table(columns, rows, (False, True, True, True, False, False, False, False)))
        + "\n"
    )


def ingest_text(loaded: Ingested, store: GraphStore) -> str:
    """Return what was loaded, and where it is, in a line; of a release in one or two more."""
    where = f"{store.uri} ({store.version()})"
    return _phrase("ingested", loaded, where, rules_in_words(loaded.dataset.spec.quasi))


def next_steps(loaded: Ingested, where: str = "") -> tuple[str, ...]:
    """Return what to ask next of what was loaded, command lines that run as they stand.

    ``where`` : the options that name the store, where the environment does not
    """
    if loaded.release is not None:
        name = shlex.quote(loaded.release.dataset)
        if loaded.release.groups is not None:
            in_run = f"--dataset {name}{where} -p run={shlex.quote(loaded.release.run)}"
            picture = re.sub(r"\W+", "-", f"{loaded.release.released} group 0").strip("-")
            return (
                f"ratingpriv query run anonymize/swap-check {in_run}",
                f"ratingpriv query run browse/swapped {in_run} -p group=0 --picture {picture}.svg",
            )
        return (f"ratingpriv query run anonymize/releases --dataset {name}{where}",)
    spec = loaded.dataset.spec
    named = f"--dataset {shlex.quote(spec.name)}{where}"
    k, epsilon = spec.k or 5, in_full(spec.epsilon_max)
    picture = re.sub(r"\W+", "-", f"{spec.name} at risk").strip("-")
    return (
        f"ratingpriv audit {named} --k {k} --epsilon {epsilon}",
        f"ratingpriv query run audit/degree-violators {named} -p k={k} -p epsilon={epsilon}",
        f"ratingpriv query run browse/at-risk {named} -p k={k} -p epsilon={epsilon} --picture "
        f"{picture}.svg",
    )


def offline_text(spec: DatasetSpec, files: OfflineImport) -> str:
    """Return what was written, and what to do with it."""
    return _phrase("offline", spec, files)


def status_text(store: GraphStore, infos: Sequence[DatasetInfo]) -> str:
    """Return a store and its datasets as text."""
    return _phrase(
        "status", store, store.version(), infos, [rules_in_words(info.spec.quasi) for info in infos]
    )


_phrase = functools.partial(phrase, template="stores.jinja")
