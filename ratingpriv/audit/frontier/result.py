"""What a search for parameters found: frozen values,
and the JSON contract ``ratingpriv.frontier/1``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import frame_of
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import Target
from ratingpriv.documents import frontier as documents
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.audit.result import AuditedDataset
    from ratingpriv.proximity.neighbourhoods import EqualRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierParameters:
    """The parameters of a search, as :func:`.frontier` takes them, checked when they are made.

    ``epsilon`` holds the given distances, ascending, or is None: all that matter. ``accept``: codes
    of the reservations (:mod:`ratingpriv.base.reservations`) with which an answer is a yes.
    """

    k: int | None = None
    l: float | None = None  # noqa: E741 -- the theory's word
    epsilon: tuple[float, ...] | None = None
    partition: bool = False
    nulls: str = "strict"
    sensitive_nulls: str = "paper"
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every value and bring it to its type."""
        target, distances = self.target(0.0), self.epsilon
        if distances is not None:
            given = list(distances) if isinstance(distances, Sequence) else [distances]
            if not given:
                expected = "at least one distance, or nothing at all for every one"
                raise ParameterError("epsilon", "none", expected)
            distances = tuple(
                sorted({checks.non_negative_number("epsilon", value) for value in given})
            )
        checks.flag("partition", self.partition)
        checked = {"k": None if self.k is None else target.k, "l": target.l, "epsilon": distances}
        for name, value in {**checked, "accept": checked_codes(self.accept)}.items():
            object.__setattr__(self, name, value)

    @property
    def has_target(self) -> bool:
        """Whether k or l is given."""
        return self.k is not None or self.l is not None

    def target(self, epsilon: float, *, k: int = 1) -> Target:
        """Return what a table shall meet at ``epsilon``; ``k`` where none is given."""
        return Target(
            k=k if self.k is None else self.k,
            epsilon=epsilon,
            l=self.l,
            nulls=self.nulls,
            sensitive_nulls=self.sensitive_nulls,
        )


@dataclass(frozen=True, slots=True)
class Interval:
    """All ε from ``start`` on that are smaller than ``below``; None: however large."""

    start: float
    below: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Frontier(Result):
    """What k, ε and l are within reach.

    Attributes
    ----------
    dataset, parameters : what was searched, and for what
    rows : what holds at each ε, ascending
    complete : whether ``rows`` has every ε at which anything changes; if not, they are some of
        them. All other answers are exact in either case
    smallest_epsilon : the smallest ε that does; None where neither k nor l is given, or where ε is
    feasible : every ε that protects and for which the given k and l hold, as intervals, under the
        given rule for sensitive nulls; None where ``smallest_epsilon`` is
    feasible_by_rule : the same under each rule
    cautions : what to know before relying on it
    equal : the records counted as equal, at ε = 0; None where that was not counted
    recodes : which recodes of quasi-identifiers reach k; None where they were not searched for. All
        else is about the data as they are
    """

    dataset: AuditedDataset
    parameters: FrontierParameters
    rows: tuple[documents.FrontierRow, ...]
    complete: bool
    smallest_epsilon: documents.SmallestEpsilon | None
    feasible: tuple[Interval, ...] | None
    feasible_by_rule: Mapping[str, tuple[Interval, ...]]
    cautions: tuple[Caution, ...]
    equal: EqualRecords | None = None
    recodes: documents.Recodes | None = None

    @property
    def numeric(self) -> tuple[str, ...]:
        """The sensitive issues that have an SD: those that are not nominal."""
        return tuple(name for name in self.dataset.sensitive if name not in self.dataset.nominal)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    @property
    def satisfied(self) -> bool:
        """Whether the given k and l are within reach: at one of the given ε, or at any at all.

        By neighbourhoods, the definition.
        """
        return not self.parameters.has_target or self.answer is not None

    @property
    def answer(self) -> float | None:
        """The smallest of the ε that are an answer.

        None where there is none, or nothing was asked.
        """
        if self.smallest_epsilon is None:
            return next((row.epsilon for row in self.rows if row.satisfied), None)
        return self.smallest_epsilon.neighbourhood

    @property
    def standing(self) -> Standing:
        """What the answer comes to with its reservations,
        those of ``parameters.accept`` accepted.
        """
        found = Standing.of(self.satisfied, self.cautions, self.parameters.accept)
        return found if self.parameters.has_target else replace(found, reservations=())

    def _verdict(self) -> bool | None:
        return self.standing.plain if self.parameters.has_target else None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.frontier/1`` as plain dicts, lists,
        strings and numbers.
        """
        ends = {
            rule: [(interval.start, interval.below) for interval in held]
            for rule, held in self.feasible_by_rule.items()
        }
        return document_of(
            documents.Frontier,
            self,
            selection=self.dataset.selection,
            parameters=document_of(documents.FrontierParameters, self.parameters, method="exact"),
            feasible=None if self.feasible is None else ends[self.parameters.sensitive_nulls],
            feasible_by_rule=ends,
            bisection=None,
            accepted=self.standing.accepted,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return ``rows``, one an ε, ascending.

        Columns: those of the JSON's ``rows``, keys joined by dots: ``epsilon``, ``max_k``,
        ``max_l.<issue>`` and ``max_l_by_rule.<rule>.<issue>`` (Float64; null where any l holds),
        ``singletons``, ``pairs``, ``satisfied``, ``protection``, and of a partition, null where
        none was searched for, ``partition.k``, ``.found``, ``.proved_impossible``, ``.groups``,
        ``.min_size``, ``.min_sd.<issue>``, ``.epsilon``.
        """
        columns: dict[tuple[str, ...], type] = {("epsilon",): float, ("max_k",): int}
        columns |= {("max_l", name): float for name in self.numeric}
        rules = self.rows[0].max_l_by_rule if self.rows else ()
        columns |= {("max_l_by_rule", rule, name): float for rule in rules for name in self.numeric}
        columns |= {
            ("singletons",): int,
            ("pairs",): int,
            ("satisfied",): bool,
            ("protection",): bool,
        }
        kinds = {"k": int, "found": bool, "proved_impossible": bool, "groups": int, "min_size": int}
        columns |= {("partition", name): kind for name, kind in kinds.items()}
        columns |= {("partition", "min_sd", name): float for name in self.numeric}
        rows = (document_of(documents.FrontierRow, row) for row in self.rows)
        return frame_of(rows, {**columns, ("partition", "epsilon"): float})

    def __repr__(self) -> str:
        return f"<Frontier {self.dataset.name!r}: {len(self.rows)} distances>"
