"""An attack as a page that can be read aloud: what was assumed, who was found, what that does not prove."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.evaluation.paired import Paired
from ratingpriv.attack.findings import Findings
from ratingpriv.attack.intervals import Mean, Share
from ratingpriv.report.attack_tables import sparsity_lines, sweep_lines, target_lines, theorem_lines
from ratingpriv.report.plain import count, number, percent, printable

__all__ = ["NO_PROOF", "attack_text"]

NO_PROOF = (
    "A low number is no proof of safety. It holds for this algorithm, with these parameters, and for an "
    "adversary who knows this much; a better algorithm, other ratings, dates, or facts that are not in the "
    "data find more people.",
    "The rate is an average. Who has rated rare things is found far more easily than the average says.",
    "Not being told apart from a few others is little comfort where those few agree on what is sensitive.",
)

_ALGORITHMS = {
    "scoreboard": "Scoreboard (every known rating has to agree)",
    "scoreboard-rh": "Scoreboard-RH (robust; a record is named only if it stands out)",
    "entropic": "entropic Scoreboard-RH (the likeliest record is always named)",
}


def attack_text(findings: Findings, *, show: int = 20, per_target: bool = False, width: int = 80) -> str:
    """Return the page; ``per_target`` adds a line for each of the first ``show`` targets."""
    page: list[str] = list(_headline(findings))
    before = findings.attack
    warnings = [*before.warnings]
    if findings.paired is not None:
        warnings += [*findings.paired.after.warnings, *findings.paired.warnings]
    unique = list(dict.fromkeys(warnings))
    if unique:
        page += _section("Before you rely on this", [_sentence(one) for one in unique], width)
    page += _section("What the adversary knew", _assumed(before), width)
    if findings.paired is None:
        page += _section("What the adversary could do", _found(before.measures), width)
    else:
        page += _section("On the data", _found(before.measures), width)
        page += _section("On the release", [*_found(findings.paired.after.measures)], width)
        page += _section("What the release changed", _changed(findings.paired), width)
    if per_target:
        page += ["", "Target by target", *target_lines(findings.judged, show)]
    if findings.sweep is not None:
        page += ["", "What more or less knowledge does", *sweep_lines(findings.sweep)]
    if findings.sparsity is not None:
        page += ["", "How alone the records are", *sparsity_lines(findings.sparsity)]
        page += ["", *theorem_lines(findings.theorem)] if findings.theorem else []
    page += _section("What this does not prove", NO_PROOF, width)
    page += _section("What was attacked", [_attacked(findings)], width)
    return "\n".join(page) + "\n"


def _headline(findings: Findings) -> Iterator[str]:
    """Yield the verdict in one line, however long, and the gate's."""
    judged, paired = findings.judged, findings.paired
    what = printable(judged.dataset.name)
    success = judged.measures.success
    if success.rate is None:
        yield f"NOT MEASURED: no attack on {what} could be judged. That does not mean that it is safe."
    else:
        yield (
            f"{percent(success.rate)} of {count(success.of, 'target')} identified in {what} "
            f"({_interval(success, judged)})."
        )
    if paired is not None and paired.difference.difference is not None:
        first = paired.before.measures.success
        name, rate = printable(paired.before.dataset.name), percent(first.rate or 0.0)
        yield f"Before, in {name}: {rate} ({_interval(first, paired.before)})."
    if findings.fail_above is not None:
        verdict = "PASSED" if findings.passed else "FAILED"
        limit = f"the limit is {percent(findings.fail_above)}"
        if success.rate is None:
            yield f"{verdict}: nothing was measured; {limit}."
        else:
            yield f"{verdict}: the interval reaches up to {percent(success.high)}; {limit}."


def _assumed(attack: Experiment) -> Iterator[str]:
    asked = attack.parameters
    if "known" in asked:
        yield _drawn(asked)
    else:
        known = attack.auxiliary.known
        yield (
            f"What the file says: {count(int(known.sum()), 'rating')} of "
            f"{count(attack.auxiliary.n_targets, 'target')}, "
            f"{'some with dates' if attack.auxiliary.dated else 'without dates'}."
        )
        unknown = attack.auxiliary.n_targets - attack.measures.targets
        if unknown:
            yield (
                f"For {count(unknown, 'target')} nobody knows which record is theirs, or whether there is "
                "one: they are attacked, and are in no rate."
            )
    yield "The adversary has the whole table, and knows which issue is which."
    chosen = ", ".join(
        f"{name} {number(asked[name]) if isinstance(asked[name], float) else asked[name]}"
        for name in ("alpha", "rating_tolerance", "date_tolerance", "rho0", "d0", "phi")
        if asked.get(name) is not None
    )
    yield f"The algorithm is {_ALGORITHMS[asked['algorithm']]}" + (f"; {chosen}." if chosen else ".")


def _drawn(asked: Any) -> str:
    error = asked["rating_error"]
    ratings = "exact" if error == 0 else f"right within {number(error)}"
    wrong = f", of which {asked['wrong']} {'is' if asked['wrong'] == 1 else 'are'} completely wrong"
    dates = asked["date_error"]
    when = (
        "no dates"
        if dates is None
        else "exact dates" if dates == 0 else f"dates right within {_days(dates)}"
    )  # fmt: skip
    items = {"uniform": "of any issues", "rarest": "of the target's least rated issues"}.get(
        asked["items"], f"of issues outside the {str(asked['items']).partition(':')[2]} most rated"
    )
    return (
        f"{count(asked['known'], 'rating')} of each target, {items}{wrong if asked['wrong'] else ''}; "
        f"the {'others' if asked['wrong'] else 'ratings'} are {ratings}, with {when}."
    )


def _days(days: float) -> str:
    return f"{number(days)} day" + ("" if days == 1 else "s")


def _found(measures: Measures) -> Iterator[str]:
    success, of = measures.success, measures.targets
    if success.rate is None:
        yield "No attack could be judged."
        return
    lift = measures.lift or 0.0
    yield (
        f"Identified {success.count:,} of {of:,}: {percent(success.rate)}, by the interval "
        f"{percent(success.low)} to {percent(success.high)}. Naming a record at random finds "
        f"{percent(measures.baseline)}; this is {lift:,.3g} times that."
    )
    yield (
        f"Named the wrong record for {percent(measures.wrong_match.rate or 0.0)} and none for "
        f"{percent(measures.no_match.rate or 0.0)}."
    )
    yield (
        f"Whoever always names the best candidate is right for {_mean(measures.top[min(measures.top)])} "
        "(two equally good: a coin)."
    )
    false = measures.false_positive
    if false.rate is not None:
        yield (
            f"With the target's own record taken out, a record is still named for {percent(false.rate)} "
            f"({percent(false.low)} to {percent(false.high)}): so often the adversary is mistaken about "
            "somebody who is not in the data."
        )
    largest = max(measures.top)
    yield (
        f"The target is among the {largest} best candidates for {_mean(measures.top[largest])}. A random "
        f"pick by the adversary's own probabilities is right with {_mean(measures.expected_risk)}; for the "
        f"most exposed target with {percent(measures.worst_risk or 0.0)}."
    )
    bits = measures.entropy_bits
    if bits.median is not None and bits.lower is not None and bits.upper is not None:
        yield (
            f"To be certain the adversary still lacks {bits.median:.2g} bits in the middle (half of the "
            f"targets between {bits.lower:.2g} and {bits.upper:.2g}); knowing nothing it would be "
            f"{bits.prior:.3g}."
        )


def _changed(paired: Paired) -> Iterator[str]:
    change = paired.difference
    if change.difference is None:
        yield "No target was judged on both."
        return
    points = 100 * change.difference
    yield (
        f"Success changed by {points:+.1f} points (interval {100 * change.low:+.1f} to "
        f"{100 * change.high:+.1f}): {change.first_only:,} targets are no longer found, "
        f"{change.second_only:,} are found only now, {change.both:,} are found in both."
    )
    if change.low <= 0 <= change.high:
        yield "The interval includes no change at all: these targets do not show that the release helps."
    if paired.withheld:
        known = paired.of_released
        rate = (
            "" if known.rate is None else f" Of the {known.of:,} others {percent(known.rate)} are identified."
        )
        yield (
            f"{count(paired.withheld, 'target')} of {paired.released + paired.withheld:,} were withheld and "
            f"count as not found.{rate}"
        )
    if paired.lost[0]:
        yield (
            f"{paired.lost[0]:,} of {count(paired.lost[1], 'known rating')} are of issues that the release "
            "does not have: lost knowledge, with which no record agrees."
        )


def _attacked(findings: Findings) -> str:
    attack = findings.attack
    data, seed = attack.dataset, attack.parameters.get("seed")
    text = (
        f"{count(data.records, 'record')}, {count(data.issues, 'issue')}, {count(data.ratings, 'rating')}"
        f"{' with dates' if data.dates else ', no dates'}"
    )
    if findings.paired is not None:
        after = findings.paired.after.dataset
        text += f"; release: {count(after.records, 'record')}, {count(after.ratings, 'rating')}"
    asked = attack.parameters
    text += f". Intervals: {asked['interval']}, {number(100 * asked['confidence'])} %"
    return text + ("." if seed is None else f"; seed {seed}.")


def _interval(share: Share, attack: Experiment) -> str:
    confidence = number(100 * attack.parameters["confidence"])
    return f"{confidence} % interval {percent(share.low)} to {percent(share.high)}"


def _mean(mean: Mean) -> str:
    return "nobody" if mean.rate is None else percent(mean.rate)


def _section(title: str, sentences: Any, width: int) -> list[str]:
    lines = ["", title]
    for sentence in sentences:
        lines += textwrap.wrap(
            printable(sentence), width, initial_indent=" - ", subsequent_indent="   ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].removesuffix(".") + "."
