"""What a recommendation is: a table of costs and of what is left to an adversary, with fronts; no verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratingpriv.base.display import Displayed
from ratingpriv.base.provenance import tool
from ratingpriv.data.table.description import TableDescription
from ratingpriv.studies.experiment.experiment import COLUMNS
from ratingpriv.studies.experiment.tidy import tidy_frame
from ratingpriv.studies.recommend.staircase import Staircase

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FRONT", "SCHEMA", "Considered", "Front", "Option", "Recommendation"]

SCHEMA = "ratingpriv.recommend/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""

FRONT = (
    ("max_k", "more"),
    ("records_suppressed", "less"),
    ("ratings_kept", "more"),
    ("query_error", "less"),
    ("exposure_expected", "less"),
    ("attack_success", "less"),
    ("profile_disclosed", "less"),
)
"""The columns that fronts are of, and whether more or less of each is better."""


@dataclass(frozen=True, slots=True)
class Considered:
    """A distance, and whether rows were made for it.

    Attributes
    ----------
    epsilon : the distance
    max_k, alone : what holds for the data as they are: the largest k; how many records are alone
    reason : why no row was made for it; empty where some were
    """

    epsilon: float
    max_k: int
    alone: int
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {"epsilon": self.epsilon, "max_k": self.max_k, "alone": self.alone, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Option:
    """One release that could be made.

    Attributes
    ----------
    method, k, epsilon, l : how
    measures : for each measure its value, low, high, original, worthless and reason; the names are those of
        :data:`ratingpriv.studies.experiment.measuring.GROUPS`
    reason : why no such release can be made; empty where one was
    front : whether no other row of this ε beats it in the columns of the front; None where that cannot be
        said: there is no release, or a column was not measured
    """

    method: str
    k: int
    epsilon: float
    l: float | None  # noqa: E741 -- the theory's word
    measures: Mapping[str, Mapping[str, Any]]
    reason: str
    front: bool | None = None

    def value(self, measure: str) -> float | None:
        """Return the value of a measure; None where there is none."""
        found: float | None = self.measures.get(measure, {}).get("value")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {
            "method": self.method, "k": self.k, "epsilon": self.epsilon, "l": self.l, "reason": self.reason,
            "front": self.front, "measures": {name: dict(one) for name, one in self.measures.items()},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Front:
    """What the front of one ε is of.

    Attributes
    ----------
    epsilon : the distance; rows of different ε are never compared, their exposure is to different errors
    columns : the names of FRONT that were measured for some row there
    compared : how many rows have all of them, and were compared
    """

    epsilon: float
    columns: tuple[str, ...]
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {"epsilon": self.epsilon, "columns": list(self.columns), "compared": self.compared}


@dataclass(frozen=True, slots=True)
class Recommendation(Displayed):
    """What :func:`ratingpriv.recommend` found: costs, and what is left to an adversary. It is no verdict.

    Attributes
    ----------
    dataset : what was looked at
    parameters : what was asked for
    epsilons : every distance that was considered, and why some have no rows
    suppression : for each distance the fewest records to suppress for every k
    options : the rows
    fronts : what their fronts are of, one an ε
    notes : what to know before relying on it, a sentence each
    rows : the same as a tidy table, by the columns of
        :data:`ratingpriv.studies.experiment.experiment.COLUMNS` and ``front``
    """

    dataset: TableDescription
    parameters: Mapping[str, Any]
    epsilons: tuple[Considered, ...]
    suppression: tuple[Staircase, ...]
    options: tuple[Option, ...]
    fronts: tuple[Front, ...]
    notes: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.recommend/1``."""
        return {
            "schema": SCHEMA,
            "tool": tool(),
            "dataset": self.dataset.to_dict(),
            "selection": self.dataset.selection_dict(),
            "parameters": dict(self.parameters),
            "epsilons": [one.to_dict() for one in self.epsilons],
            "suppression": [one.to_dict() for one in self.suppression],
            "options": [one.to_dict() for one in self.options],
            "fronts": [one.to_dict() for one in self.fronts],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<Recommendation on {self.dataset.name!r}: {len(self.options)} options, no verdict>"

    def to_frame(self) -> pl.DataFrame:
        """Return ``rows``: the tidy table with a row for each measure (and attack) of each release.

        Columns and types are those of :meth:`ratingpriv.studies.experiment.experiment.Experimented.to_frame`,
        and ``front`` (Boolean).
        """
        return tidy_frame(self.rows, (*COLUMNS, "front"))
