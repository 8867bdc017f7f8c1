"""The first section: the verdict in a sentence that is true, and what it covers."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.numbers import in_full, largest_l
from ratingpriv.report.known_rule import left_with
from ratingpriv.report.overview.items import Facts, Item, Lines, Note, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.saved import SavedAudit
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.plain import count
from ratingpriv.report.verdicts import audit_headline, but_no_yes, means_and_not
from ratingpriv.report.wording import about_part, alike, as_options, every_record, rules

__all__ = ["covers", "verdict"]


def verdict(material: Material) -> Part:
    """Return the section of the verdict: of the release, where there is one, and then of the data."""
    audit, telling = material.judged, material.telling
    news = audit.standing.good
    items: list[Item] = [
        Note("open" if news is None else "good" if news else "bad", audit_headline(audit, counted=False)),
        Lines(tuple(_explained(audit, telling))),
        *_verified(material),
        *_before(material),
        Facts(tuple(covers(audit, telling))),
    ]
    return Part("verdict", "The verdict", tuple(items))


def _explained(audit: SavedAudit, telling: Telling) -> Iterator[str]:
    target, data = audit.parameters, audit.dataset
    yield from but_no_yes(audit.standing)
    yield from left_with(target)
    found = audit.k_epsilon
    if found.satisfied:
        yield f"Size: met. {every_record(target.k, target.epsilon, data)}"
    else:
        near = alike(data, f"within a rating distance of {in_full(target.epsilon)}")
        bad = telling.share_of(found.violators, data.records)
        has = telling.verb(found.violators, data.records, "has", "have")
        them = telling.verb(found.violators, data.records, "itself", "themselves")
        yield (
            f"Size: not met. {bad[0].upper()}{bad[1:]} {has} fewer than {count(target.k, 'record')} ({them} "
            f"included) {near}."
        )
    size = telling.rounding.size(found.max_k, at_least=target.k if found.satisfied else 1)
    if size.exact:
        yield f"The largest k that holds is {found.max_k:,}."
    elif size.least is not None and size.least > target.k:
        yield f"The largest k that holds is at least {size.least:,}."
    if audit.equal is not None and target.epsilon > 0:
        unique = telling.share_of(audit.equal.unique, data.records)
        verb = telling.verb(audit.equal.unique, data.records, "is", "are")
        yield f"Counted as equal records (epsilon 0, all other rules the same), {unique} {verb} unique."
    yield from _diverse(audit, telling)
    yield from means_and_not(audit, how=False)
    if (said := about_part(data)) is not None:
        yield said


def _diverse(audit: SavedAudit, telling: Telling) -> Iterator[str]:
    target, data, diversity = audit.parameters, audit.dataset, audit.k_epsilon_l
    if diversity is not None and target.l is not None:
        uniform = [name for name, most in diversity.max_l.items() if most is not None and most < target.l]
        best = largest_l(diversity.max_l)
        yield (
            f"Diversity: {'not met' if uniform else 'met'}. The sensitive ratings of every neighbourhood "
            f"{'should have, but do not all have,' if uniform else 'have'} a standard deviation of at least "
            f"{in_full(target.l)}." + (f" The largest l that holds: {best}." if telling.internal else "")
        )
    for name, found in audit.demands.items():
        asked = f"{name.replace('_', ' ')} = {in_full(target.demands[name])}"
        bad = found["violators"]
        yield (
            f"Demand {asked}: met."
            if found["satisfied"]
            else f"Demand {asked}: not met in the neighbourhoods of {telling.share_of(bad, data.records)}."
        )


def _verified(material: Material) -> Iterator[Item]:
    found = material.of("verify")
    if found is None:
        return
    claim = found["claimed"]
    asked = f"k = {claim['k']}, epsilon = {in_full(claim['epsilon'])}"
    asked += "" if claim["l"] is None else f", l = {in_full(claim['l'])}"
    name = material.telling.file(found["release"])
    if found["valid"]:
        rule = " under wildcard" if claim["nulls"] == "wildcard" else ""
        yield (
            f"The manifest of {name} claims ({asked})-anonymity{rule}. The file was counted again: it is so."
        )
    else:
        why = [as_options(one) for one in found["problems"]] if material.telling.internal else []
        yield Note("bad", f"NOT VALID: {name} is not what its manifest claims ({asked}).")
        if why:
            yield Lines(tuple(why))


def _before(material: Material) -> Iterator[Item]:
    data, release = material.audits
    if release is None:
        if material.is_of_release:
            yield Note(
                "missing",
                "This verdict is about the data, not about the release: the release was not audited.",
                f"ratingpriv audit {material.release_name} --k {material.judged.parameters.k} "
                f"--epsilon {in_full(material.judged.parameters.epsilon)}",
            )
        return
    if data is None:
        yield Note("missing", "The data that the release was made from were not audited.")
    else:
        headline = audit_headline(data, counted=False)
        yield f"Before, the data: {headline}"


def covers(audit: SavedAudit, telling: Telling) -> Iterator[tuple[str, str]]:
    """Yield what a verdict is about."""
    data, target = audit.dataset, audit.parameters
    yield "File", data.name
    yield "Records", telling.records(data.records)
    yield "Questions that an adversary may know", f"{data.issues:,}"
    quasi = ", ".join(f"{one.name} ({one})" for one in data.quasi)
    if quasi:
        yield "Quasi-identifiers, and when they are the same", quasi
    yield "Sensitive", ", ".join(data.sensitive) or "none named"
    asked = f"k = {target.k}, epsilon = {in_full(target.epsilon)}"
    asked += "" if target.l is None else f", l = {in_full(target.l)}"
    asked += "".join(f", {name.replace('_', ' ')} = {in_full(one)}" for name, one in target.demands.items())
    yield "Asked for", asked
    yield "Unanswered questions", rules(target, data.sensitive)
