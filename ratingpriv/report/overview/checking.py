"""The seventh section: how anybody can check what this report says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.report.overview.items import Facts, Item, Note, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.page import Command

__all__ = ["checking"]

_TITLES = {
    "audit": "audit of the data",
    "audit_release": "audit of the release",
    "anonymize": "making of the release",
}


def checking(material: Material) -> Part:
    """Return the section: verification, hashes, versions, seeds, commands."""
    return Part(
        "checking",
        "How to check it",
        (*_release(material), Facts(tuple(_facts(material))), *_commands(material)),
    )


def _release(material: Material) -> Iterator[Item]:
    if not material.is_of_release:
        yield "There is no release to verify. Whoever has the data can repeat the commands below."
        return
    found, name = material.of("verify"), material.release_name
    if found is None:
        yield Note(
            "missing",
            "The release was not verified: no manifest was found beside it.",
            f"ratingpriv verify {name}",
        )
        return
    signature = found["signature"]
    if not signature["signed"]:
        signed = "It is not signed: who can replace the release can replace its manifest, too."
    elif signature["valid"]:
        signed = "It is signed, and the signature is by the key that was given."
    elif signature["checked"]:
        signed = "Its signature is NOT by the key that was given."
    else:
        signed = "It is signed, and the signature was not checked: --public-key does."
    yield f"Anybody who has {name} and {name}.manifest.json can verify the claim without the data. {signed}"
    yield Command(f"ratingpriv verify {name}")


def _facts(material: Material) -> Iterator[tuple[str, str]]:
    documents, telling = material.documents, material.telling
    versions = sorted({str(one["tool"]["version"]) for one in documents.values()})
    yield "Version of ratingpriv", ", ".join(versions)
    data, release = _hashes(documents)
    if release:
        yield "SHA-256 of the release", release
    if not data:
        yield "SHA-256 of the data", "not in any of these results"
    elif telling.internal:
        yield "SHA-256 of the data", data
    else:
        yield (
            "SHA-256 of the data",
            "not shown: who can guess the data could prove the guess by it. The report for the team has it.",
        )
    sampled = any(_sampled(document) for document in documents.values())
    for part, document in documents.items():
        seed = _seed(document)
        if seed is not None and not (sampled and not telling.internal):
            yield f"Seed, {_TITLES.get(part, part)}", str(seed)
    if sampled and not telling.internal:
        yield "Seeds", "not shown: with them and the order of the data one knows who is in the sample"
    verified = material.of("verify")
    made = None if verified is None else verified["stated_not_checked"].get("versions")
    if isinstance(made, Mapping):
        yield "The release was made with", ", ".join(f"{name} {one}" for name, one in made.items())
    if not telling.internal:
        yield (
            "Numbers of people",
            f"those below {telling.threshold} are said as fewer than {telling.threshold}, also where they "
            f"would follow from a total; others are rounded up to a multiple of {telling.rounding.step}, and "
            "intervals hold for every number that is rounded so. No record is named, and no answer shown.",
        )


def _hashes(documents: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """Return the SHA-256 of the data and of the release; each empty where no document has it."""
    of_data = [
        *(documents[part]["dataset"]["sha256"] for part in ("audit", "frontier", "attack", "recommend")
          if part in documents),
        *([documents["utility"]["original"]["sha256"]] if "utility" in documents else []),
    ]  # fmt: skip
    of_release = [
        *([documents["audit_release"]["dataset"]["sha256"]] if "audit_release" in documents else []),
        *([documents["utility"]["release"]["sha256"]] if "utility" in documents else []),
        *(documents[part]["release_sha256"] for part in ("verify", "anonymize") if part in documents),
    ]
    beside = documents.get("attack", {}).get("release")
    of_release += [beside["dataset"]["sha256"]] if beside is not None else []
    return next(filter(None, of_data), ""), next(filter(None, of_release), "")


def _sampled(document: Mapping[str, Any]) -> bool:
    """Return whether records were drawn."""
    beside = document.get("original", {})
    found = document.get("selection") or (beside.get("selection") if isinstance(beside, Mapping) else None)
    return found is not None and found["records"] < found["of_records"]


def _seed(document: Mapping[str, Any]) -> int | None:
    parameters = document.get("parameters", {})
    found = parameters.get("seed") if isinstance(parameters, Mapping) else None
    exposure = document.get("exposure")
    if found is None and isinstance(exposure, Mapping):
        found = exposure["seed"]
    return None if found is None else int(found)


def _commands(material: Material) -> Iterator[Item]:
    typed = [one["tool"]["command"] for one in material.documents.values()]
    lines = list(dict.fromkeys(material.telling.command(line) for line in typed if line))
    if lines:
        hidden = (
            "" if material.telling.internal else ", without folders and without values that may be answers"
        )
        yield f"These commands made the results{hidden}:"
        yield from map(Command, lines)
    if any(line is None for line in typed):
        yield "Some of the results were made by a Python program, whose command is not known."
