"""What an audit found: frozen values, and the JSON contract ``ratingpriv.audit/1`` made from them."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.cautions import Caution
from ratingpriv.errors import ParameterError
from ratingpriv.table.description import TableDescription
from ratingpriv.target import Target

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.audit.risk import Risk
    from ratingpriv.exposure.result import Exposure

__all__ = [
    "SCHEMA",
    "AuditParameters",
    "AuditResult",
    "AuditedDataset",
    "DiversityVerdict",
    "KVerdict",
    "LVerdict",
    "SizeSummary",
    "Violator",
]

SCHEMA = "ratingpriv.audit/1"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedDataset(TableDescription):
    """What was audited, with the number of its Hamming groups, and of those of one record."""

    hamming_groups: int
    singleton_hamming_groups: int

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        described = TableDescription.to_dict(self)
        sha256 = described.pop("sha256")
        groups = {
            "hamming_groups": self.hamming_groups,
            "singleton_hamming_groups": self.singleton_hamming_groups,
        }
        return {**described, **groups, "sha256": sha256}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters(Target):
    """The target of an audit, and the ``engine`` that counts neighbourhoods."""

    engine: str = "slicing"


@dataclass(frozen=True, slots=True)
class KVerdict:
    """(k,ε)-anonymity [SWLZ11, Def. 4.2]; ``max_k`` is the largest k that holds, violators have |N| < k."""

    satisfied: bool
    max_k: int
    violators: int


@dataclass(frozen=True, slots=True)
class DiversityVerdict:
    """(k,ε,l)-anonymity under one null rule for sensitive ratings [SWLZ11, Def. 4.3].

    Attributes
    ----------
    satisfied : whether every neighbourhood has k records and an SD of at least l on every sensitive issue
    max_l : for each sensitive issue the largest float64 l that holds; None where any does (nothing is known)
    violators : records whose neighbourhood is too small or too uniform
    """

    satisfied: bool
    max_l: Mapping[str, float | None]
    violators: int


@dataclass(frozen=True, slots=True)
class LVerdict(DiversityVerdict):
    """The verdict under the rule of the parameters, and in ``by_rule`` under both, "paper" and "ignore"."""

    by_rule: Mapping[str, DiversityVerdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SizeSummary:
    """Sizes of all neighbourhoods |N(t)|; ``pairs`` counts the unordered ε-proximate pairs.

    ``histogram`` holds (size, records of that size), sizes ascending.
    """

    min: int
    median: float
    mean: float
    max: int
    pairs: int
    histogram: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Violator:
    """A record that breaks the verdict; ``sd`` is None for an issue on which nothing can be learnt."""

    record: str
    size: int
    sd: Mapping[str, float | None]


@dataclass(frozen=True, eq=False)
class AuditResult:
    """What :func:`ratingpriv.audit` found.

    Attributes
    ----------
    dataset, parameters : what was audited, and for what
    k_epsilon : the (k,ε) verdict
    k_epsilon_l : the (k,ε,l) verdict, None without l
    risk : prosecutor and marketer risk, share of records below k
    neighbourhood_sizes : summary and histogram of ``sizes``
    cautions : what to know before relying on the verdict
    record_ids : polars Series (n,), ids as in the data
    sizes : int64 (n,); |N(t)|, t included
    satisfied_by_record : bool (n,); whether N(t) is large and, with l, diverse enough
    exposure : what is left to an adversary whose knowledge is inexact; None unless it was asked for
    """

    dataset: AuditedDataset
    parameters: AuditParameters
    k_epsilon: KVerdict
    k_epsilon_l: LVerdict | None
    risk: Risk
    neighbourhood_sizes: SizeSummary
    cautions: tuple[Caution, ...]
    record_ids: pl.Series
    sizes: NDArray[np.int64]
    satisfied_by_record: NDArray[np.bool_]
    _sd: Mapping[str, NDArray[np.float64]]
    exposure: Exposure | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    @property
    def satisfied(self) -> bool:
        """The verdict: (k,ε,l)-anonymity with l, else (k,ε)-anonymity."""
        return self.k_epsilon.satisfied if self.k_epsilon_l is None else self.k_epsilon_l.satisfied

    @property
    def n_violators(self) -> int:
        """How many records break the verdict."""
        return self.k_epsilon.violators if self.k_epsilon_l is None else self.k_epsilon_l.violators

    def sd(self, name: str) -> NDArray[np.float64]:
        """Return a sensitive issue's SD over each neighbourhood, float64 (n,).

        Implements [SWLZ11, Eq. 3], with nulls counted by ``parameters.sensitive_nulls``. +inf where no
        rating in it is known, so nothing can be learnt.
        """
        if name not in self._sd:
            raise ParameterError(
                "sd", name, "one of the sensitive issues " + (", ".join(self._sd) or "(none)")
            )
        return self._sd[name]

    def violators(self, show: int | None = None) -> tuple[Violator, ...]:
        """Return the records that break the verdict, worst first.

        Worst is the smallest neighbourhood, then the smallest SD, then the position. ``show`` cuts
        the list; None gives all.
        """
        if show is not None:
            show = checks.whole_number("show", show, 0)
        positions = np.flatnonzero(~self.satisfied_by_record)
        least = np.full(len(positions), np.inf)
        for values in self._sd.values():
            least = np.minimum(least, values[positions])
        worst = positions[np.lexsort((positions, least, self.sizes[positions]))][:show]
        return tuple(
            Violator(
                record=str(self.record_ids[int(position)]),
                size=int(self.sizes[position]),
                sd={name: _finite(values[position]) for name, values in self._sd.items()},
            )
            for position in worst
        )

    def to_dict(self, show: int | None = 20) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.audit/1`` as plain dicts, lists, strings and numbers.

        ``show`` cuts the list of violators (None: all of them); counts are never cut. SDs and largest l that
        are infinite become None.
        """
        sizes, parameters = self.neighbourhood_sizes, self.parameters
        return {
            "schema": SCHEMA,
            "dataset": self.dataset.to_dict(),
            "parameters": {
                "k": parameters.k,
                "epsilon": parameters.epsilon,
                "l": parameters.l,
                "nulls": parameters.nulls,
                "sensitive_nulls": parameters.sensitive_nulls,
                "engine": parameters.engine,
            },
            "k_epsilon": {
                "satisfied": self.k_epsilon.satisfied,
                "max_k": self.k_epsilon.max_k,
                "violators": self.k_epsilon.violators,
            },
            "k_epsilon_l": None
            if self.k_epsilon_l is None
            else {
                **_diversity(self.k_epsilon_l),
                "by_rule": {rule: _diversity(verdict) for rule, verdict in self.k_epsilon_l.by_rule.items()},
            },
            "risk": {
                "prosecutor_max": self.risk.prosecutor_max,
                "marketer": self.risk.marketer,
                "share_below_k": self.risk.share_below_k,
            },
            "neighbourhood_sizes": {
                "min": sizes.min,
                "median": sizes.median,
                "mean": sizes.mean,
                "max": sizes.max,
                "pairs": sizes.pairs,
                "histogram": [{"size": size, "records": records} for size, records in sizes.histogram],
            },
            "exposure": None if self.exposure is None else self.exposure.to_dict(),
            "violators": [
                {"record": violator.record, "size": violator.size, "sd": dict(violator.sd)}
                for violator in self.violators(show)
            ],
            "warnings": list(self.warnings),
            "cautions": [caution.to_dict() for caution in self.cautions],
        }

    def __repr__(self) -> str:
        return f"<AuditResult {self.dataset.name!r}: {self._headline()}>"

    def _repr_html_(self) -> str:
        """Return a short table for notebooks."""
        rows = {
            "verdict": self._headline(),
            "records that violate it": f"{self.n_violators} of {self.dataset.records}",
            "largest k that holds": str(self.k_epsilon.max_k),
            "highest risk of one record": f"{self.risk.prosecutor_max:.3g}",
            "average risk": f"{self.risk.marketer:.3g}",
        }
        if self.k_epsilon_l is not None:
            for name, value in self.k_epsilon_l.max_l.items():
                rows[f"largest l that holds, {name}"] = "any" if value is None else f"{value:.4g}"
        for number, warning in enumerate(self.warnings, start=1):
            rows[f"warning {number}"] = warning
        cells = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>"
            for name, text in rows.items()
        )
        return f"<table><caption>{html.escape(self.dataset.name)}</caption>{cells}</table>"

    def _headline(self) -> str:
        parameters = self.parameters
        model = parameters.model
        return f"{'satisfied' if self.satisfied else 'NOT satisfied'} ({model})"


def _diversity(verdict: DiversityVerdict) -> dict[str, Any]:
    return {"satisfied": verdict.satisfied, "max_l": dict(verdict.max_l), "violators": verdict.violators}


def _finite(value: np.float64) -> float | None:
    return float(value) if math.isfinite(value) else None
