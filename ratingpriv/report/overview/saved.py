"""What a saved JSON document says, as the rest of the program has it: tables described, audits judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.audit.result import AuditParameters, DiversityVerdict, KVerdict, LVerdict
from ratingpriv.audit.tolerance import Tolerance
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.data.table.description import ColumnsDescription, TableDescription
from ratingpriv.data.table.parts import QuasiRule, Scale, Selection
from ratingpriv.proximity.neighbourhoods import EqualRecords

__all__ = ["SavedAudit", "cautions_of", "described"]


def described(dataset: Mapping[str, Any], selection: Mapping[str, Any] | None, name: str) -> TableDescription:
    """Return the description of a table from a document's ``dataset``, under another name."""
    scale = dataset.get("scale")
    return TableDescription(
        name=name,
        records=dataset["records"],
        issues=dataset["issues"],
        sensitive=tuple(dataset.get("sensitive", ())),
        ratings=dataset["ratings"],
        scale=None if scale is None else Scale(scale["min"], scale["max"], declared=False),
        sha256=dataset["sha256"],
        selection=None if selection is None else Selection.from_dict(selection),
        nominal=tuple(dataset.get("nominal", ())),
        columns=ColumnsDescription(
            quasi=tuple(
                QuasiRule(one["name"], one.get("within"), one.get("recoded", "")) for one in dataset["quasi"]
            ),
            carried=tuple(dataset["carried"]),
        ),
    )


def cautions_of(document: Mapping[str, Any]) -> tuple[Caution, ...]:
    """Return the cautions of a document."""
    return tuple(map(Caution.from_dict, document.get("cautions", ())))


@dataclass(frozen=True, slots=True)
class SavedAudit:
    """A ``ratingpriv.audit/1`` document, as verdicts are stated (:class:`ratingpriv.report.verdicts.Judged`).

    Attributes
    ----------
    document : the JSON
    dataset : its table, under the name that the report gives it
    """

    document: Mapping[str, Any]
    dataset: TableDescription

    @property
    def parameters(self) -> AuditParameters:
        """What was asked for."""
        return AuditParameters(**self.document["parameters"], accept=self.document.get("accepted", ()))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on it."""
        return cautions_of(self.document)

    @property
    def k_epsilon(self) -> KVerdict:
        """The (k,ε) verdict."""
        return KVerdict(**self.document["k_epsilon"])

    @property
    def k_epsilon_l(self) -> LVerdict | None:
        """The (k,ε,l) verdict."""
        found = self.document["k_epsilon_l"]
        if found is None:
            return None
        by_rule = {rule: DiversityVerdict(**one) for rule, one in found["by_rule"].items()}
        return LVerdict(**{**found, "by_rule": by_rule})

    @property
    def demands(self) -> dict[str, Mapping[str, Any]]:
        """The verdicts on demands on sensitive answers that were made."""
        named = {name: self.document[name] for name in ("max_share", "distinct", "entropy")}
        return {name: found for name, found in named.items() if found is not None}

    @property
    def satisfied(self) -> bool:
        """Whether everything holds that was asked for."""
        verdicts = [self.document["k_epsilon"], self.document["k_epsilon_l"], *self.demands.values()]
        return all(one["satisfied"] for one in verdicts if one is not None)

    @property
    def standing(self) -> Standing:
        """What the verdict comes to with its reservations."""
        tolerated = not self.satisfied and self.tolerance is not None and self.tolerance.within
        accepted = self.document.get("accepted", ())
        return Standing.of(self.satisfied, self.cautions, accepted, tolerated=tolerated)

    @property
    def equal(self) -> EqualRecords | None:
        """The records counted as equal."""
        found = self.document.get("equal")
        return None if found is None else EqualRecords(**found)

    @property
    def tolerance(self) -> Tolerance | None:
        """What was tolerated, if anything."""
        said = self.document.get("tolerance")
        if said is None:
            return None
        return Tolerance(said["at_most"], self.document["n_violators"], self.dataset.records)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The sensitive issues that have an SD."""
        if self.document["parameters"]["sensitive_kind"] == "nominal":
            return ()
        return tuple(name for name in self.dataset.sensitive if name not in self.dataset.nominal)

    @property
    def contradicting_rules(self) -> tuple[str, ...]:
        """The rules for sensitive nulls by which the verdict would be another one."""
        verdict = self.k_epsilon_l
        if verdict is None or not all(one["satisfied"] for one in self.demands.values()):
            return ()
        return tuple(rule for rule, one in verdict.by_rule.items() if one.satisfied != verdict.satisfied)
