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


def data_of(part: str, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a document says of the data, and of how much of them it is; None where it says nothing."""
    if part in ("audit", "frontier", "attack", "recommend"):
        return {**document["dataset"], "selection": document["selection"]}
    original: Mapping[str, Any] | None = document["original"] if part == "utility" else None
    return original


def release_of(part: str, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the same of the release, of which some say no more than what it is called, and its hash."""
    release: Mapping[str, Any] | None = None
    if part == "audit_release":
        release = {**document["dataset"], "selection": document["selection"]}
    elif part in ("verify", "anonymize"):
        release = {"name": document.get("release"), "sha256": document["release_sha256"]}
    elif part == "utility":
        release = document["release"]
    elif part == "attack" and document.get("release") is not None:
        release = {**document["release"]["dataset"], "selection": document["release"]["selection"]}
    return release


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

    def data_said(self, key: str) -> Any:
        """Return what the first document that says it says of the data: name, records, sha256; else None."""
        parts = ("audit", "frontier", "attack", "recommend", "utility")
        return self._first(
            (data_of(part, self.documents[part]) for part in parts if part in self.documents), key
        )

    def release_said(self, key: str) -> Any:
        """Return the same of the release."""
        parts = ("audit_release", "verify", "utility", "attack", "anonymize")
        return self._first(
            (release_of(part, self.documents[part]) for part in parts if part in self.documents), key
        )

    @staticmethod
    def _first(described: Iterator[Mapping[str, Any] | None], key: str) -> Any:
        said = (one.get(key) for one in described if one is not None)
        return next((value for value in said if value is not None), None)

    @property
    def data_name(self) -> str:
        """What the data are called; empty where no document says it."""
        return self.telling.file(self.data_said("name")) if self.data_said("name") else ""

    @property
    def release_name(self) -> str:
        """What the release is called; empty where there is none."""
        return self.telling.file(self.release_said("name")) if self.release_said("name") else ""

    @property
    def totals(self) -> tuple[int | None, int | None]:
        """How many records the data and the release have, as far as documents say it."""
        return self.data_said("records"), self.release_said("records")

    def cautions(self, *parts: str) -> Iterator[tuple[str, str]]:
        """Yield code and message of every caution in the documents of ``parts``, each message once."""
        seen: dict[tuple[str, str], None] = {}
        for document in (self.documents[part] for part in parts if part in self.documents):
            beside = document.get("release")
            for one in (document, *([beside] if isinstance(beside, Mapping) else [])):
                for caution in one.get("cautions", ()):
                    seen[caution["code"], caution["message"]] = None
        yield from seen

    def _audit(self, part: str) -> dict[str, Any] | None:
        if (document := self.documents.get(part)) is None:
            return None
        verdicts = ("k_epsilon", "k_epsilon_l", "max_share", "distinct", "entropy")
        dataset = {**document["dataset"], "name": self.telling.file(document["dataset"]["name"])}
        selection = document["selection"]
        if not self.telling.internal:
            dataset["quasi"] = [
                {key: value for key, value in one.items() if key != "recoded"} for one in dataset["quasi"]
            ]
            if selection is not None:
                shown = self.telling.rounding.whole(selection["records"], selection["of_records"])
                records = selection["of_records"] if shown is None else shown
                selection = {**selection, "seed": None, "records": records}
        return {
            "equal": None,
            "tolerance": None,  # older versions have none
            **document,
            "satisfied": all(document[name]["satisfied"] for name in verdicts if document[name] is not None),
            "dataset": dataset,
            "selection": selection,
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
