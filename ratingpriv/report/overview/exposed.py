"""The second section: who is exposed, and to whom."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.numbers import in_full
from ratingpriv.report.overview.counts import Rate
from ratingpriv.report.overview.drawn import Mark, bars, intervals
from ratingpriv.report.overview.items import Item, Lines, Note, Part, Picture, Sides
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.pictures import pictures
from ratingpriv.report.overview.saved import SavedAudit
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.page import Table
from ratingpriv.report.plain import count, percent, plural
from ratingpriv.report.wording import alike, pick_at_random

__all__ = ["exposed"]

_KNOWS = {
    "scoreboard": "names the only record that agrees with every known rating, or nobody",
    "matching-set": "names any of the records that agree with every known rating, by a coin",
    "scoreboard-rh": "names the record that agrees best, if it stands out",
    "entropic": "names the record that agrees best, unless two do",
    "best-candidate": "names the record that agrees best, of equals any, by a coin",
}


def exposed(material: Material) -> Part:
    """Return the section: exact knowledge, inexact knowledge, a few known ratings, no finding at all."""
    data, release = material.audits
    items: list[Item] = []
    if data is not None and release is not None:
        items.append(Sides(tuple(_of_audit(data, material)), tuple(_of_audit(release, material))))
    else:
        items += _of_audit(material.judged, material)
    items += _attacked(material)
    return Part("exposed", "Who is exposed, and to whom", tuple(items))


def _of_audit(audit: SavedAudit, material: Material) -> Iterator[Item]:
    telling = material.telling
    yield Lines((*_exact(audit, telling), *_inexact(audit, telling), *_given_away(audit, telling)))
    if audit.document["exposure"] is None:
        yield Note(
            "missing",
            "Exposure was not measured: what inexact knowledge leaves is not known.",
            f"ratingpriv audit {audit.dataset.name} --k {audit.parameters.k} --epsilon "
            f"{in_full(audit.parameters.epsilon)} --exposure {in_full(audit.parameters.epsilon)}",
        )
    if not audit.dataset.sensitive:
        yield Note(
            "missing", "No question was named sensitive, so nothing was measured about what is inferred of "
            "people without finding them (--sensitive NAME)."
        )  # fmt: skip
    sizes = _sizes(audit, telling)
    yield sizes
    total = audit.dataset.records
    if not telling.internal and total >= 2 * telling.threshold:
        yield _drawn_sizes(sizes, total)
    yield from pictures(material, audit.document)
    if telling.internal and audit.document["violators"]:
        rows = tuple((one["record"], f"{one['size']:,}") for one in audit.document["violators"])
        yield "Records that break the verdict, worst first:"
        yield Table(("record", "neighbourhood"), rows, (False, True))


def _exact(audit: SavedAudit, telling: Telling) -> Iterator[str]:
    data, epsilon = audit.dataset, audit.parameters.epsilon
    near = alike(data, f"within {in_full(epsilon)} of them")
    lonely = _alone(audit.document)
    if lonely:
        said = telling.share_of(lonely, data.records)
        verb = telling.verb(lonely, data.records, "is", "are")
        yield f"{said[0].upper()}{said[1:]} {verb} alone in their neighbourhood: no other record is {near}."
    else:
        yield "Nobody is alone in their neighbourhood."
    sizes, risk = audit.document["neighbourhood_sizes"], audit.document["risk"]
    if telling.internal:
        yield pick_at_random(sizes["min"], risk["marketer"], epsilon, data)
        return
    of_exact = alike(data, f"within {in_full(epsilon)} of the exact ratings")
    held = audit.parameters.k if audit.k_epsilon.satisfied else 1
    least = telling.rounding.size(sizes["min"], at_least=held).least
    average = telling.rate(telling.rounding.rate(risk["marketer"] * data.records, data.records))
    highest = "a chance that is not shown" if least is None else f"a chance of at most 1 in {least:,}"
    yield (
        f"A pick at random among the records {of_exact} is right with {highest} for the record with the "
        f"fewest; on average over all records: {average}."
    )


def _alone(document: Mapping[str, Any]) -> int:
    """Return how many records an audit found alone in their neighbourhood."""
    histogram = document["neighbourhood_sizes"]["histogram"]
    return sum(one["records"] for one in histogram if one["size"] == 1)


def _inexact(audit: SavedAudit, telling: Telling) -> Iterator[str]:
    found = audit.document["exposure"]
    if found is None:
        return
    rounding, examined = telling.rounding, found["records"]
    chance = rounding.rate(
        found["expected"] * examined, examined, low=found["expected_low"], high=found["expected_high"]
    )
    between = "" if found["expected_exact"] else f" ({telling.interval(chance)})"
    if telling.internal:
        said = f"a chance of {100 * found['expected']:.3g} %"
    else:
        said = telling.some(chance, "a chance of ", "a chance that is not shown")
        if not found["expected_exact"]:
            between = " (from draws)"
    least = rounding.size(found["worst"])
    if least.least is None and not least.exact:
        worst = f"in the worst case fewer than {telling.threshold} records remain"
    elif least.exact:
        fewest = found["worst"]
        worst = (
            f"in the worst case {count(fewest, 'record')} {plural(fewest, 'remains', 'remain')}"
            if found["worst_exact"]
            else f"a search found knowledge that leaves {count(fewest, 'record')}, which may not be the "
            "fewest"
        )
    elif found["worst_exact"]:
        worst = f"in the worst case at least {least.least:,} records remain"
    else:
        worst = "the fewest records that remain were searched for and are not decided"
    yield (
        f"Knowledge that is off by up to {in_full(found['error'])} leaves, in expectation, {said}"
        f"{between} of picking the right record; {worst}. {_fits_nobody_else(found, telling)}"
    )
    if examined < found["of_records"]:
        part = rounding.whole(examined, found["of_records"])
        yield (
            f"{'Some' if part is None else f'{part:,} of {found["of_records"]:,}'} records, drawn at random, "
            "were examined; of the others nothing is said."
        )
    if not found["scale_declared"]:
        yield (
            "No scale was declared, so knowledge may lie beyond the ratings found; --scale MIN:MAX bounds it."
        )


def _fits_nobody_else(found: Mapping[str, Any], telling: Telling) -> str:
    certain, of = found["certain"], found["records"]
    if not certain:
        if found["certain_exact"]:
            return "For no record does such knowledge fit nobody else."
        return "A search found no knowledge that fits a single record; that proves nothing."
    more = "" if found["certain_exact"] else " and perhaps more"
    return f"For {telling.share_of(certain, of)}{more} some such knowledge fits nobody else."


def _given_away(audit: SavedAudit, telling: Telling) -> Iterator[str]:
    for name, found in audit.document["inference"].items():
        if found["agreeing"]:
            total = found["neighbourhoods"]
            said = telling.share_of(found["agreeing"], total, "neighbourhood")
            yield (
                f"In {said} all known answers to {name} are the same: there the answer is disclosed without "
                "re-identifying anybody."
            )
        elif found["largest_share"] is not None:
            share = telling.rounding.upwards(found["largest_share"])
            if telling.internal:
                share = math.ceil(round(1000 * share, 6)) / 1000
            yield (
                f"The commonest answer to {name} makes up at most {percent(share)} of the known ones of a "
                "neighbourhood."
            )
        else:
            yield f"No answer to {name} is known in any neighbourhood: nothing was measured about it."


def _sizes(audit: SavedAudit, telling: Telling) -> Table:
    """Return how many records have neighbourhoods of which size; small classes are joined with the next."""
    k, total = audit.parameters.k, audit.dataset.records
    histogram = audit.document["neighbourhood_sizes"]["histogram"]
    ends = sorted({1, k - 1, 2 * k - 1, 5 * k - 1, 10 * k - 1} - {0}) if k > 1 else [1, 4, 9, 49]
    if not telling.internal:
        ends = [end for end in ends if end != 1 or k <= 2]
    classes: list[tuple[int, int | None, int]] = []
    start = 1
    for end in [*ends, None]:
        inside = [
            one["records"]
            for one in histogram
            if one["size"] >= start and (end is None or one["size"] <= end)
        ]
        classes.append((start, end, sum(inside)))
        start = start if end is None else end + 1
    if not telling.rounding.exact:
        classes = _joined(classes, telling.threshold)
    rows = tuple((_class(start, end), telling.cell(records, total)) for start, end, records in classes)
    return Table(("records in the neighbourhood, oneself included", "people"), rows, (False, True))


def _drawn_sizes(sizes: Table, total: int) -> Picture:
    """Return the table as bars, of the numbers as they are told."""
    rows = tuple((name, _first_number(said) / total, said) for name, said in sizes.rows)
    return bars(
        rows, "Records by the size of their neighbourhood.",
        "How many records have a neighbourhood of which size, oneself included, as a share of all records",
    )  # fmt: skip


def _first_number(said: str) -> float:
    found = re.search(r"\d[\d,]*", said)
    return 0.0 if found is None else float(found[0].replace(",", ""))


def _joined(classes: list[tuple[int, int | None, int]], threshold: int) -> list[tuple[int, int | None, int]]:
    """Join classes, the first with those after it, until each has nobody or at least ``threshold``."""
    made: list[tuple[int, int | None, int]] = []
    for start, end, records in classes:
        if made and 0 < made[-1][2] < threshold:
            first, _, before = made.pop()
            made.append((first, end, before + records))
        else:
            made.append((start, end, records))
    while len(made) > 1 and 0 < made[-1][2] < threshold:
        _, end, records = made.pop()
        first, _, before = made.pop()
        made.append((first, end, before + records))
    return made


def _class(start: int, end: int | None) -> str:
    if end is None:
        return f"{start:,} or more"
    return f"{start:,}" if start == end else f"{start:,} to {end:,}"


def _attacked(material: Material) -> Iterator[Item]:
    found, telling = material.of("attack"), material.telling
    if found is None:
        yield Note(
            "missing",
            "No attack was made: how many people somebody finds who knows a few of their ratings is not "
            "known.",
            f"ratingpriv attack {material.data_name or 'DATA'}",
        )
        return
    attack = _Attack(found, telling)
    yield from attack.headline(material)
    yield Lines(tuple(attack.assumed()))
    yield attack.table()
    if not telling.internal:
        yield from attack.drawn(material)
    yield from pictures(material, found)
    if material.is_of_release and "release" not in found:
        yield Note(
            "missing",
            "The release was not attacked: which of its records is whose was not said (--truth KEY or ids).",
            f"ratingpriv attack {material.data_name or 'DATA'} --release {material.release_name} --truth KEY",
        )
    yield Lines(tuple(attack.learned()))


class _Attack:
    """A ``ratingpriv.attack/2`` document in words."""

    def __init__(self, document: Mapping[str, Any], telling: Telling) -> None:
        self._document, self._telling = document, telling
        self._settings = document["parameters"]
        self._total = document["dataset"]["records"]

    @property
    def _release(self) -> Mapping[str, Any] | None:
        return self._document.get("release")

    def _rate(self, found: Mapping[str, Any] | None) -> Rate:
        """Return a rate of targets; what it is of has to be a number that may be shown, too."""
        rounding = self._telling.rounding
        if found is None or found["rate"] is None:
            return rounding.rate(None, 0)
        of, asked = found["of"], self._asked
        if rounding.whole(of, asked) is None and of < rounding.threshold:
            return rounding.rate(found["rate"] * of, of)
        of_shown = of if rounding.whole(of, asked) is not None else asked
        return rounding.rate(
            found.get("count", found["rate"] * of), of_shown,
            method=self._settings["interval"], confidence=self._settings["confidence"],
            low=found["low"], high=found["high"],
        )  # fmt: skip

    @property
    def _asked(self) -> int:
        return int(self._document["targets"]) + int(self._document["could_not_attack"])

    def headline(self, material: Material) -> Iterator[Item]:
        judged = self._release or self._document
        name = material.release_name if self._release else material.data_name
        rate = self._rate(judged["success"])
        strongest = f"the strongest of {len(self._document.get('suite', [0]))} attacks"
        if rate.amount is None:
            yield Note(
                "missing",
                f"NOT MEASURED: no attack on {name} could be judged. That does not mean that it is safe.",
            )
            return
        between = self._telling.interval(rate)
        interval = f" (interval {between})" if between else ""
        targets = self._telling.records(judged["targets"], "target")
        if self._telling.rounding.whole(judged["targets"], self._asked) is None:
            targets = "the targets"
        said = self._telling.some(rate)
        said = said[0].upper() + said[1:]
        line = (
            f"{said} of {targets} identified in {name}{interval} by {strongest} "
            f"({self._settings['algorithm']})."
        )
        if self._release is not None:
            before = self._rate(self._document["success"])
            between = self._telling.interval(before)
            line += (
                f" Before, in {material.data_name}: {self._telling.rate(before)}"
                + (f" (interval {between})" if between else "")
                + " by the same attack."
            )
        yield line + " A low number is no proof."

    def assumed(self) -> Iterator[str]:
        settings = self._settings
        if "known" in settings:
            error = settings["rating_error"]
            known = settings["known"]
            ratings = "all ratings" if known == "all" else count(known, "rating")
            wrong = f", {settings['wrong']} of them wrong" if settings["wrong"] else ""
            how = "exactly" if error == 0 else f"each off by up to {in_full(error)}"
            yield f"The adversary has the whole file and knows {ratings} of each target, {how}{wrong}."
        if isinstance(settings.get("knows"), list) and settings["knows"]:
            yield f"Known beside the ratings: {', '.join(settings['knows'])}."
        left = self._document["could_not_attack"]
        if left:
            said = self._telling.share_of(left, self._asked, "target")
            yield (
                f"{said[0].upper()}{said[1:]} could not be attacked, as too little is known of them: they "
                "are in no rate, and nothing is said about their safety."
            )
        if self._release is not None and self._release["withheld"]:
            whole = self._telling.rounding.whole(self._document["targets"], self._asked)
            of = self._asked if whole is None else whole
            gone = self._telling.share_of(self._release["withheld"], of, "target")
            yield f"Suppressed in the release, and counted as not found: {gone}."

    def table(self) -> Table:
        suite = self._document.get("suite") or [{"algorithm": self._settings["algorithm"], **self._document}]
        sides = ("data", "release") if self._release is not None else ("data",)
        rows = []
        for one in suite:
            found = [one, one["release"]] if self._release is not None else [one]
            told = [self._told(side["success"]) for side in found]
            rows.append(
                (one["algorithm"], *told, self._telling.rate(self._rate(found[-1]["false_positive"])))
            )
        columns = ("attack", *(f"identified in the {side}" for side in sides), "false positives")
        return Table(columns, tuple(rows), (False, *(True,) * (len(columns) - 1)))

    def _told(self, found: Mapping[str, Any]) -> str:
        rate = self._rate(found)
        between = self._telling.interval(rate)
        return self._telling.rate(rate) + (f" ({between})" if between else "")

    def drawn(self, material: Material) -> Iterator[Picture]:
        """Yield the table as a picture, without what is not shown."""
        rows: list[tuple[str, list[Mark]]] = []
        for one in self._document.get("suite", []):
            sides = [(material.data_name, one["success"])]
            if self._release is not None:
                sides.append((material.release_name, one["release"]["success"]))
            rates = [(side, self._rate(found)) for side, found in sides]
            marks = [
                Mark(side, rate.highest, rate.low, rate.high, f"{self._telling.rate(rate)} "
                     f"({self._telling.interval(rate)})")
                for side, rate in rates
                if rate.highest is not None and rate.amount is not None and rate.amount.kind != "some"
            ]  # fmt: skip
            if marks:
                rows.append((str(one["algorithm"]), marks))
        if rows:
            yield intervals(
                rows, "How often each attack identifies a target.",
                "Share of the targets that each attack identifies, with its interval",
            )  # fmt: skip

    def learned(self) -> Iterator[str]:
        judged = self._release or self._document
        suite = self._document.get("suite", [])
        each = [one["release"] if self._release is not None else one for one in suite] or [judged]
        profile = self._largest([one["profile"] for one in each])
        if profile.amount is not None and not profile.amount.none:
            yield (
                f"Profile disclosure: for {self._telling.some(profile)} of the targets the records that fit "
                "best are identical, the target's among them: all that is in the file about these people is "
                "disclosed."
            )
        named = [one["inference"]["sensitive"] for one in each if one["inference"] is not None]
        for name in named[0] if named else ():
            best = max((one[name] for one in named), key=lambda one: one["correct"]["rate"] or 0.0)
            correct, baseline = self._rate(best["correct"]), self._rate(best["baseline"])
            if correct.amount is None:
                yield f"Attribute inference: nothing could be measured about {name}."
                continue
            between = self._telling.interval(correct)
            yield (
                f"Attribute inference: {name} is guessed correctly for {self._telling.some(correct)} of the "
                f"targets{f' (interval {between})' if between else ''}; its commonest answer, which needs no "
                f"knowledge, is correct for {self._telling.some(baseline)}."
            )
        for one in suite:
            yield f"{one['algorithm']}: {_KNOWS.get(one['algorithm'], 'an attack')}."

    def _largest(self, found: list[Mapping[str, Any]]) -> Rate:
        best = max(found, key=lambda one: one["rate"] or 0.0)
        return self._rate(best)
