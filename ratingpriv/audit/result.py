"""What an audit found: frozen values, and the JSON contract
``ratingpriv.audit/1`` made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ratingpriv.audit.inference import Demand, Inference
from ratingpriv.audit.parameters import AuditParameters as AuditParameters
from ratingpriv.audit.parameters import Tolerance
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import audit as documents
from ratingpriv.documents import data
from ratingpriv.documents.making import document_of
from ratingpriv.documents.verdicts import KEpsilonVerdict
from ratingpriv.proximity.demands import DEMANDS, Demanded

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ratingpriv.audit.diversity import LVerdict
    from ratingpriv.audit.exposure.result import Exposure
    from ratingpriv.audit.known.verdict import KnownRatings
    from ratingpriv.audit.records import AuditedRecords, WorstRecords
    from ratingpriv.proximity.counts import SensitiveCounts
    from ratingpriv.proximity.neighbourhoods import EqualRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedDataset(TableDescription):
    """What was audited, with the sizes of its Hamming groups: (size,
    groups of that size), ascending.
    """

    hamming_group_sizes: tuple[tuple[int, int], ...]

    @property
    def hamming_groups(self) -> int:
        """How many Hamming groups there are."""
        return sum(groups for _, groups in self.hamming_group_sizes)

    @property
    def singleton_hamming_groups(self) -> int:
        """How many of them have one record."""
        return sum(groups for size, groups in self.hamming_group_sizes if size == 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        return document_of(data.AuditedDataset, self)


@dataclass(frozen=True, eq=False)
class AuditResult(Result, Demanded[Demand]):
    """The result of :func:`ratingpriv.audit`.

    ``record_ids``, ``sizes``, ``satisfied_by_record``, ``sd()``, ``counts()`` and ``to_frame()``
    are about every record. An audit beyond one machine has no list of them: then they raise
    ParameterError, and ``violators()`` has as many as were collected.

    Attributes
    ----------
    dataset, parameters : what was audited, and for what
    n_violators : how many records break the verdict
    k_epsilon : the (k,ε) verdict
    k_epsilon_l : the (k,ε,l) verdict, None without l
    risk : prosecutor and marketer risk, share of records below k
    neighbourhood_sizes : summary and histogram of the sizes
    cautions : what to know before relying on the verdict
    equal : the same records counted as equal, at ε = 0; None where that was not counted
    inference : for each sensitive issue what neighbourhoods give away of it
    demands : the verdicts on :data:`ratingpriv.proximity.demands.DEMANDS`, by parameter, of those
        that were requested; each is also an attribute of its own, None where it was not
    exposure : the exposure to an adversary with a rating error; None unless it was requested
    known : the verdict against any few known ratings; None unless it was asked for, and then it is
        what passes
    records : the results of every record; None where there is no list of them
    worst : then the worst of them, as they were collected
    """

    dataset: AuditedDataset
    parameters: AuditParameters
    n_violators: int
    k_epsilon: KEpsilonVerdict
    k_epsilon_l: LVerdict | None
    risk: documents.PickRisk
    neighbourhood_sizes: documents.NeighbourhoodSizes
    cautions: tuple[Caution, ...]
    equal: EqualRecords | None = None
    inference: Mapping[str, Inference] = field(default_factory=dict)
    demands: Mapping[str, Demand] = field(default_factory=dict)
    exposure: Exposure | None = None
    known: KnownRatings | None = None
    records: AuditedRecords | None = None
    worst: WorstRecords | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    @property
    def satisfied(self) -> bool:
        """The verdict: (k,ε,l)-anonymity with l, else (k,ε)-anonymity,
        and whatever else was requested.
        """
        return self.n_violators == 0

    @property
    def held(self) -> bool | None:
        """Whether what passes holds: the verdict against a few known ratings,
        where that was asked for.
        """
        return self.satisfied if self.known is None else self.known.satisfied

    @property
    def tolerance(self) -> Tolerance | None:
        """What ``at_most`` tolerates; None without one.

        ``satisfied`` is the definition's in any case.
        """
        at_most = self.parameters.at_most
        return (
            None if at_most is None else Tolerance(at_most, self.n_violators, self.dataset.records)
        )

    @property
    def standing(self) -> Standing:
        """What the verdict comes to with its reservations,
        those of ``parameters.accept`` accepted.
        """
        held = self.held
        tolerated = not held and self.tolerance is not None and self.tolerance.within
        return Standing.of(held, self.cautions, self.parameters.accept, tolerated=tolerated)

    @property
    def contradicting_rules(self) -> tuple[str, ...]:
        """The rules for sensitive nulls by which the verdict would be another one."""
        if self.k_epsilon_l is None or not all(
            demand.satisfied for demand in self.demands.values()
        ):
            return ()
        by_rule = self.k_epsilon_l.by_rule
        return tuple(
            rule
            for rule, demand in by_rule.items()
            if demand.satisfied != self.k_epsilon_l.satisfied
        )

    @property
    def numeric(self) -> tuple[str, ...]:
        """The sensitive issues that have an SD: those that are not nominal."""
        if self.parameters.sensitive_kind == "nominal":
            return ()
        return tuple(name for name in self.dataset.sensitive if name not in self.dataset.nominal)

    @property
    def record_ids(self) -> pl.Series:
        """Ids as in the data, polars Series (n,)."""
        return self._by_record("record_ids").ids

    @property
    def sizes(self) -> NDArray[np.int64]:
        """|N(t)| of each record, t included; int64 (n,)."""
        return self._by_record("sizes").sizes

    @property
    def satisfied_by_record(self) -> NDArray[np.bool_]:
        """Whether N(t) is large and, with l and the further demands, diverse enough; bool (n,)."""
        return self._by_record("satisfied_by_record").satisfied

    def sd(self, name: str) -> NDArray[np.float64]:
        """Return a sensitive issue's SD over each neighbourhood, float64 (n,).

        Implements [SWLZ11, Eq. 3], with nulls counted by ``parameters.sensitive_nulls``. +inf where
        no rating in it is known, so nothing can be learnt.
        """
        if name not in self.numeric:
            nominal = name in self.dataset.sensitive
            remedy = "an SD of codes means nothing; their counts are there" if nominal else ""
            raise ParameterError(
                "sd",
                name,
                "one of the sensitive items " + (", ".join(self.numeric) or "(none)"),
                remedy,
            )
        return self._by_record("sd").sd(name)

    def counts(self, name: str) -> SensitiveCounts:
        """Return how often the values of a sensitive issue occur in each neighbourhood, summed up.

        Its arrays are by record: the largest share, the distinct values, the entropy.
        """
        if name not in self.dataset.sensitive:
            raise ParameterError(
                "counts",
                name,
                "one of the sensitive items " + (", ".join(self.dataset.sensitive) or "(none)"),
            )
        return self._by_record("counts").counts(name)

    def violators(self, show: int | None = None) -> tuple[documents.Violator, ...]:
        """Return the records that break the verdict, worst first.

        Worst is the smallest neighbourhood, then the smallest SD, then the largest share of one
        value, then the position; where there is no list of records, then the id: whole numbers as
        numbers, before anything else as text. ``show`` cuts the list; None gives all.

        Raises
        ------
        ParameterError
            There is no list of records, and more are asked for than were collected.
        """
        if show is not None:
            show = checks.whole_number("show", show, 0)
        wanted = self.n_violators if show is None else min(show, self.n_violators)
        if wanted == 0:
            return ()
        if self.records is not None:
            return self.records.violators(show)
        collected = () if self.worst is None else self.worst.violators
        if wanted > len(collected):
            raise ParameterError(
                "show",
                "all" if show is None else show,
                f"at most {len(collected)}, the number collected of {self.n_violators} violators",
                "audit again with a larger `show`; `per_record` writes the results of every record",
            )
        return collected[:wanted]

    def _by_record(self, what: str) -> AuditedRecords:
        """Return what was found about every record."""
        if self.records is None:
            raise ParameterError(
                what,
                "an audit that has no list of its records",
                "one on a single machine",
                "`per_record` writes the results of every record to Parquet files",
            )
        return self.records

    def to_dict(self, show: int | None = 20) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.audit/1`` as plain dicts, lists,
        strings and numbers.

        ``show`` cuts the list of violators (None: all of them; 0: no record is named anywhere);
        counts are never cut. SDs and largest l that are infinite become None.
        """
        given_away = {}
        for name, inference in self.inference.items():
            record, farthest = None, None
            if show != 0 and self.records is not None:
                record, farthest = (
                    None if at is None else str(self.records.ids[at])
                    for at in (inference.record, inference.distance_record)
                )
            elif show != 0 and self.worst is not None:
                record = (self.worst.given_away[name] or (0, 0, None))[2]
            given_away[name] = document_of(
                documents.IssueInference, inference, record=record, distance_record=farthest
            )
        demands: dict[str, Any] = dict.fromkeys(DEMANDS)
        for name, of in self.demands.items():
            best = {DEMANDS[name].best_key: dict(of.best)}
            demands[name] = {"satisfied": of.satisfied, **best, "violators": of.violators}
        more = {"selection": self.dataset.selection, "accepted": self.standing.accepted, **demands}
        violators = self.violators(show)
        return document_of(documents.Audit, self, violators=violators, inference=given_away, **more)

    def to_frame(self) -> pl.DataFrame:
        """Return one row a record, in the order of the data; it names records by their ids.

        Columns: ``record`` (ids as in the data), ``size`` (Int64, |N(t)|), ``satisfied`` (Boolean)
        and for each sensitive issue ``sd:<issue>`` (Float64; not where issues are nominal),
        ``share:<issue>`` (Float64, of the commonest value), ``distinct:<issue>`` (Int64) and
        ``entropy:<issue>`` (Float64, bits): null where nothing can be learnt. With an exposure
        ``exposure_expected`` (Float64), ``exposure_worst`` (Int64) and ``exposure_worst_exact``
        (Boolean): null for a record that was not examined. Where something was left out of the
        data, ``selection`` says in each row what the sizes are about.
        """
        import polars as pl

        records = self._by_record("to_frame")
        frame = records.frame(self.dataset.sensitive, self.numeric)
        if self.exposure is not None:
            exposed = self.exposure.to_frame().select("expected", "worst", "worst_exact")
            frame = frame.hstack([column.alias(f"exposure_{column.name}") for column in exposed])
        if self.known is not None:
            frame = frame.hstack(self.known.to_frame().drop("position"))
        if self.dataset.selection is not None:
            selection = pl.Series("selection", [str(self.dataset.selection)] * frame.height)
            frame = frame.hstack([selection])
        return frame

    def __repr__(self) -> str:
        return f"<AuditResult {self.dataset.name!r}: {self.verdict}>"

    @property
    def verdict(self) -> str:
        """The verdict in a line, with what it must not be read without."""
        parameters = self.parameters
        adversary = "nulls" if self.known is None else f"any {self.known.m}"
        model = parameters.model + (f", {adversary} known" if parameters.nulls == "known" else "")
        parts = [
            f"{self.standing.headline('satisfied', 'NOT satisfied')} ({model})",
            *self.standing.sentences,
        ]
        if not self.satisfied and self.tolerance is not None:
            parts.append(str(self.tolerance))
        if self.dataset.quasi:
            parts.append(f"and {self.dataset.rules}")
        if not self.satisfied:
            rules = self.contradicting_rules
            parts += [f"satisfied by the rule {rule} for sensitive nulls" for rule in rules]
        if self.dataset.selection is not None:
            parts.append(f"of {self.dataset.selection}")
        return "; ".join(parts)
