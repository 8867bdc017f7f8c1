"""The sixth section: what this report does not prove."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.report.overview.items import Lines, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.wording import EPSILON_NOTE, about_part, not_meant

__all__ = ["limits"]


def limits(material: Material) -> Part:
    """Return the section; it is there whatever was measured."""
    return Part("limits", "What this does not prove", (Lines(tuple(_limits(material))),))


def _limits(material: Material) -> Iterator[str]:
    audit = material.judged
    target, data = audit.parameters, audit.dataset
    if said := not_meant(target.k, target.epsilon, data, how=False):
        yield f"The verdict is about exact knowledge. {said}"
    else:
        yield "The verdict is about exact knowledge, and about records that are equal."
    if (part := about_part(data)) is not None:
        yield part
    yield (
        "A low number of an attack is no proof. It holds for these algorithms, with these parameters, and "
        "for an adversary who knows this much and no more; a better algorithm, other ratings, dates, or "
        "facts that are not in the data find more people."
    )
    yield (
        "A rate of an attack is an average. Who has rated rare things is found far more easily than the "
        "average says."
    )
    yield (
        "Not being found is not being safe: where all who could be the target agree on what is sensitive, it "
        "is disclosed without finding anybody."
    )
    yield (
        "A column that was not declared a question or a quasi-identifier was not looked at, and neither were "
        "other files about the same people, earlier releases among them."
    )
    if data.columns.carried:
        yield f"Released without having been audited: {', '.join(data.columns.carried)}."
    yield "What was not measured is not known; this report says where that is so."
    yield EPSILON_NOTE
    yield "Anonymisation is a statement about a file and its parameters here, not about the law."
