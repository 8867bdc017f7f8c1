"""What a report is made of: documents by their part in it, and for whom they are told."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.report.overview.telling import Telling

PARTS = ("audit", "audit_release", "frontier", "attack", "utility", "recommend", "anonymize", "verify")
"""The documents of a report: ``audit_release`` is an audit of the release, the others are called as the
commands that print them."""

_OF_DATA = ("audit", "frontier", "attack", "recommend")


@dataclass(frozen=True, slots=True)
class Material:
    """Documents by the names in :data:`PARTS`, and how their numbers are told."""

    documents: Mapping[str, Mapping[str, Any]]
    telling: Telling

    def of(self, part: str) -> Mapping[str, Any] | None:
        """Return a document; None where it is not there."""
        return self.documents.get(part)

    @property
    def audits(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """The audit of the data and that of the release, with as much of their tables as is told."""
        return (self._audit("audit"), self._audit("audit_release"))

    @property
    def judged(self) -> dict[str, Any]:
        """The audit that the verdict is of: the release's, where there is one."""
        data, release = self.audits
        audit = release or data
        assert audit is not None  # noqa: S101 -- there is one in every report
        return audit

    @property
    def is_of_release(self) -> bool:
        """Whether anything here is about a release."""
        attack = self.documents.get("attack", {})
        return "release" in attack or bool({"audit_release", "utility", "verify"} & self.documents.keys())

    @property
    def data_name(self) -> str:
        """What the data are called; empty where no document says it."""
        for part in _OF_DATA:
            if part in self.documents:
                return self.telling.file(self.documents[part]["dataset"]["name"])
        if "utility" in self.documents:
            return self.telling.file(self.documents["utility"]["original"]["name"])
        return ""

    @property
    def release_name(self) -> str:
        """What the release is called; empty where there is none."""
        documents = self.documents
        if "audit_release" in documents:
            return self.telling.file(documents["audit_release"]["dataset"]["name"])
        if "verify" in documents:
            return self.telling.file(documents["verify"]["release"])
        if "utility" in documents:
            return self.telling.file(documents["utility"]["release"]["name"])
        if "release" in documents.get("attack", {}):
            return self.telling.file(documents["attack"]["release"]["dataset"]["name"])
        return ""

    @property
    def totals(self) -> tuple[int | None, int | None]:
        """How many records the data and the release have, as far as documents say it."""
        documents = self.documents
        utility, beside = documents.get("utility"), documents.get("attack", {}).get("release")
        data = next((documents[part]["dataset"]["records"] for part in _OF_DATA if part in documents), None)
        if data is None and utility is not None:
            data = utility["original"]["records"]
        release = documents["audit_release"]["dataset"]["records"] if "audit_release" in documents else None
        if release is None and utility is not None:
            release = utility["release"]["records"]
        if release is None and beside is not None:
            release = beside["dataset"]["records"]
        return data, release

    def cautions(self, *parts: str) -> Iterator[tuple[str, str]]:
        """Yield code and message of every caution in the documents of ``parts``, each message once."""
        seen = set()
        for document in (self.documents[part] for part in parts if part in self.documents):
            beside = document.get("release")
            for one in (document, *([beside] if isinstance(beside, Mapping) else [])):
                for caution in one.get("cautions", ()):
                    found = (caution["code"], caution["message"])
                    if found not in seen:
                        seen.add(found)
                        yield found

    def _audit(self, part: str) -> dict[str, Any] | None:
        document = self.documents.get(part)
        if document is None:
            return None
        verdicts = ("k_epsilon", "k_epsilon_l", "max_share", "distinct", "entropy")
        return {
            "equal": None,
            "tolerance": None,  # older versions have none
            **document,
            "satisfied": all(document[name]["satisfied"] for name in verdicts if document[name] is not None),
            "dataset": self._dataset(document["dataset"]),
            "selection": self._part(document["selection"]),
        }

    def _dataset(self, dataset: Mapping[str, Any]) -> dict[str, Any]:
        told = {**dataset, "name": self.telling.file(dataset["name"])}
        if not self.telling.internal:
            told["quasi"] = [
                {key: value for key, value in one.items() if key != "recoded"} for one in dataset["quasi"]
            ]
        return told

    def _part(self, selection: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if selection is None or self.telling.internal:
            return selection
        shown = self.telling.rounding.whole(selection["records"], selection["of_records"])
        return {
            **selection,
            "seed": None,
            "records": selection["of_records"] if shown is None else selection["records"],
        }


def with_one_total(material: Material) -> Material:
    """Return the same with one number of records, that of the data, where the release lacks few of them.

    To others the two exact numbers would tell how few were suppressed. Totals are then said as about so many.
    """
    documents, telling = material.documents, material.telling
    data, release = material.totals
    if telling.rounding.exact or data is None or release is None:
        return material
    if telling.rounding.whole(release, data) is not None or release > data or release < telling.threshold:
        return material
    made = {part: dict(document) for part, document in documents.items()}
    if "audit_release" in made:
        audit = made["audit_release"]
        audit["dataset"] = {**audit["dataset"], "records": data}
        audit["inference"] = {
            name: {**one, "neighbourhoods": data} for name, one in audit["inference"].items()
        }
        exposure = audit["exposure"]
        if exposure is not None:
            all_of_them = {name: data for name in ("records", "of_records") if exposure[name] == release}
            audit["exposure"] = {**exposure, **all_of_them}
    return Material(made, dataclasses.replace(telling, about=True))
