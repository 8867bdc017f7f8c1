"""What a report is made of: documents by their part in it, and what of them is shown to whom."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.cautions import CODES
from ratingpriv.base.numbers import in_full
from ratingpriv.proximity.demands import DEMANDS
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.wording import as_options

type _Document = Mapping[str, Any]

PARTS = (
    "audit",
    "audit_release",
    "frontier",
    "attack",
    "utility",
    "recommend",
    "anonymize",
    "verify",
)
"""The documents of a report: ``audit_release`` is an audit of the release, the others are called as
the commands that print them.
"""

_OF_DATA = ("audit", "frontier", "attack", "recommend", "utility")
_OF_RELEASE = ("audit_release", "verify", "utility", "attack", "anonymize")
"""What says most of the data, and of the release, comes first."""
_DISTANCES = 40
"""So many are shown at most."""


def data_of(part: str, document: _Document) -> _Document | None:
    """Return what a document says of the data, and of how much of them it is.

    None where it says nothing.
    """
    if part in ("audit", "frontier", "attack", "recommend"):
        return {**document["dataset"], "selection": document["selection"]}
    original: _Document | None = document["original"] if part == "utility" else None
    return original


def release_of(part: str, document: _Document) -> _Document | None:
    """Return the same of the release, of which some say no more than what it is called,
    and its hash.
    """
    if part in ("verify", "anonymize"):
        return {"name": document.get("release"), "sha256": document["release_sha256"]}
    release: _Document | None = document if part == "audit_release" else document.get("release")
    if part == "utility" or release is None:
        return release
    return {**release["dataset"], "selection": release["selection"]}


@dataclass(frozen=True, slots=True)
class Material:
    """Documents by the names in :data:`PARTS`, and how their numbers are told."""

    documents: Mapping[str, _Document]
    telling: Telling

    def of(self, part: str) -> _Document | None:
        """Return a document; None where it is not there."""
        return self.documents.get(part)

    @property
    def audits(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """The audit of the data and that of the release,
        with as much of their tables as is told.
        """
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
        return "release" in attack or bool(
            {"audit_release", "utility", "verify"} & self.documents.keys()
        )

    def data_said(self, key: str) -> Any:
        """Return what the first document that says it says of the data: name, records, sha256;
        else None.
        """
        return self._first(data_of, _OF_DATA, key)

    def release_said(self, key: str) -> Any:
        """Return the same of the release."""
        return self._first(release_of, _OF_RELEASE, key)

    def _first(
        self,
        described: Callable[[str, _Document], _Document | None],
        parts: tuple[str, ...],
        key: str,
    ) -> Any:
        datasets = (
            described(part, self.documents[part]) for part in parts if part in self.documents
        )
        return next(
            (
                dataset[key]
                for dataset in datasets
                if dataset is not None and dataset.get(key) is not None
            ),
            None,
        )

    @property
    def data_name(self) -> str:
        """What the data are called; empty where no document says it."""
        return self.telling.file(name) if (name := self.data_said("name")) else ""

    @property
    def release_name(self) -> str:
        """What the release is called; empty where there is none."""
        return self.telling.file(name) if (name := self.release_said("name")) else ""

    @property
    def totals(self) -> tuple[int | None, int | None]:
        """How many records the data and the release have, as far as documents say it."""
        return self.data_said("records"), self.release_said("records")

    @property
    def method(self) -> _Document | None:
        """How the release was made, as its manifest or its maker states it.

        None where nobody does.
        """
        verified = self.of("verify")
        made = (
            verified["stated_not_checked"] if verified is not None else self.of("anonymize") or {}
        )
        method_made = made.get("method")
        return (
            method_made
            if isinstance(method_made, Mapping) and isinstance(method_made.get("name"), str)
            else None
        )

    @property
    def declares_scale(self) -> bool | None:
        """Whether somebody declared the scale; None where no document says it."""
        exposure, verified = self.judged["exposure"], self.of("verify")
        if exposure is not None:
            return bool(exposure["scale_declared"])
        claim = None if verified is None else verified["read"]["claim"]
        return (
            bool(claim["scale"]["declared"]) if claim is not None and claim.get("scale") else None
        )

    @property
    def commands(self) -> list[str]:
        """The commands that made the results, each once.

        To others none: they hold paths and answers.
        """
        typed = [
            document["tool"]["command"]
            for document in self.documents.values()
            if self.telling.internal
        ]
        return list(dict.fromkeys(filter(None, typed)))

    def pictures(self, part: str) -> list[tuple[str, str]]:
        """Return the drawings of a document with their captions: exact,
        and to others the map in ranges.
        """
        document = (
            self.of(part)
            if self.telling.internal
            else self._map_told
            if part == "recommend"
            else None
        )
        if document is None:
            return []
        from ratingpriv.report.pictures import caption, kinds, svg

        return [(svg(document, kind=kind), caption(document, kind)) for kind in kinds(document)]

    @property
    def tells_map(self) -> bool:
        """Whether what the map counts over all records is shown:
        to others not beside a release of fewer.
        """
        if self.of("recommend") is None:
            return False
        if self.telling.internal or not (self.is_of_release or "anonymize" in self.documents):
            return True
        utility, (data, release) = self.of("utility"), self.totals
        has_map = data is not None and release is not None and not self.telling.about
        gone = (
            utility["withheld"]
            if utility is not None
            else (data or 0) - (release or 0)
            if has_map
            else None
        )
        return gone == 0

    @property
    def _map_told(self) -> _Document | None:
        """The map with no more than its pictures show: its numbers are in ranges."""
        document, telling = self.of("recommend"), self.telling
        records = 0 if document is None else document["dataset"]["records"]
        if document is None or not self.tells_map or telling.whole(records, records) is None:
            return None

        def told(one: _Document | None) -> dict[str, Any] | None:
            if one is None or one["left_out"] is None:
                return None
            share_found = telling.share(one["found"]["high"] * records, records).highest
            if one["passes"] and share_found is not None:  # which tells that it is no more
                share_found = min(share_found, document["threshold"]["value"])
            cell = {name: one[name] for name in ("method", "k", "passes")}
            cell |= {"epsilon": math.ceil(one["epsilon"]), "found": {"high": share_found}}
            return (
                None
                if share_found is None
                else {**cell, "scatter": telling.upwards(one["scatter"])}
            )

        chosen = document["choice"]
        if chosen is not None:
            chosen = {name: chosen[name] for name in ("method", "k")} | {
                "epsilon": math.ceil(chosen["epsilon"])
            }
        shape = document["dataset"]
        return {
            "schema": document["schema"],
            "dataset": {
                "name": telling.file(shape["name"]),
                "records": records,
                "issues": shape["issues"],
            },
            "threshold": document["threshold"],
            "epsilons": [],
            "rounded": not telling.exact,
            "cells": [cell for one in document["cells"] if (cell := told(one)) is not None],
            "choice": chosen,
            "keeps_more": told(document["keeps_more"]),
        }

    def cautions(self, *parts: str) -> list[str]:
        """Return what to know before relying on ``parts``.

        To others without the numbers of this data.
        """
        documents = [self.documents[part] for part in parts if part in self.documents]
        beside = [
            [document, document["release"]]
            if isinstance(document.get("release"), Mapping)
            else [document]
            for document in documents
        ]
        cautions_found = [
            caution
            for each in beside
            for document in each
            for caution in document.get("cautions", ())
        ]
        if self.telling.internal:
            return list(
                dict.fromkeys(as_options(document["message"]) for document in cautions_found)
            )
        return list(
            dict.fromkeys(
                CODES.get(document["code"], document["code"]) for document in cautions_found
            )
        )

    def sizes(self, audit: _Document) -> list[tuple[str, int]]:
        """Return how many records have neighbourhoods of which size, from one record on."""
        k, histogram = audit["parameters"]["k"], audit["neighbourhood_sizes"]["histogram"]
        ends = (
            sorted({1, k - 1, 2 * k - 1, 5 * k - 1, 10 * k - 1} - {0}) if k > 1 else [1, 4, 9, 49]
        )
        classes = zip([1, *(end + 1 for end in ends)], [*ends, math.inf], strict=True)
        return [
            (
                f"{start:,} or more"
                if end == math.inf
                else f"{start:,}"
                if start == end
                else f"{start:,} to {end:,}",
                sum(bar["records"] for bar in histogram if start <= bar["size"] <= end),
            )
            for start, end in classes
        ]

    def distances(self) -> list[tuple[str, ...]]:
        """Return what holds at which distance: ε, largest k, records that are alone,
        whether it does.
        """
        return [
            (
                in_full(row["epsilon"]),
                f"{row['max_k']:,}",
                f"{row['singletons']:,}",
                {True: "holds", False: "no", None: "-"}[row["satisfied"]]
                if row["protection"]
                else "no protection",
            )
            for row in self.documents["frontier"]["rows"][:_DISTANCES]
        ]

    def _audit(self, part: str) -> dict[str, Any] | None:
        if (document := self.documents.get(part)) is None:
            return None
        verdicts = ("k_epsilon", "k_epsilon_l", *DEMANDS)
        dataset = {**document["dataset"], "name": self.telling.file(document["dataset"]["name"])}
        selection = document["selection"]
        if not self.telling.internal:
            dataset["quasi"] = [
                {key: value for key, value in column.items() if key != "recoded"}
                for column in dataset["quasi"]
            ]
            if selection is not None:
                shown = self.telling.whole(selection["records"], selection["of_records"])
                records = selection["of_records"] if shown is None else shown
                selection = {**selection, "seed": None, "records": records}
        return {
            "equal": None,
            "tolerance": None,  # older versions have none
            **document,
            "satisfied": all(
                document[name]["satisfied"] for name in verdicts if document[name] is not None
            ),
            "dataset": dataset,
            "selection": selection,
        }


def with_one_total(material: Material) -> Material:
    """Return the same with one number of records, that of the data,
    where the release lacks few of them.

    To others the two exact numbers would tell how few were suppressed. Totals are then said as
    about so many.
    """
    telling, (data, release) = material.telling, material.totals
    if telling.exact or data is None or release is None or not telling.threshold <= release <= data:
        return material
    if telling.whole(release, data) is not None:
        return material
    made = {part: dict(document) for part, document in material.documents.items()}
    if (audit := made.get("audit_release")) is not None:
        audit["dataset"] = {**audit["dataset"], "records": data}
        audit["inference"] = {
            name: {**inference, "neighbourhoods": data}
            for name, inference in audit["inference"].items()
        }
        exposure = audit["exposure"]
        if exposure is not None:
            all_of_them = {
                name: data for name in ("records", "of_records") if exposure[name] == release
            }
            audit["exposure"] = {**exposure, **all_of_them}
    return Material(made, dataclasses.replace(telling, about=True))
