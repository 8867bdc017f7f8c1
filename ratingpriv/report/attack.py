"""An attack as a page that can be read aloud: what was assumed, who was found, what that does not prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.evaluation.paired import Paired
from ratingpriv.attack.evaluation.sweeps import Sweep
from ratingpriv.attack.findings import Findings
from ratingpriv.attack.intervals import Mean, Share
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.attack.sparsity.theorem import FalseMatches
from ratingpriv.base.numbers import in_full
from ratingpriv.report.disclosure import (
    assumed_of_traits,
    disclosure,
    disclosure_headline,
    right_both_ways,
)
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count, number, percent, plural
from ratingpriv.report.wording import audited, before_relying, part

__all__ = ["NO_PROOF", "attack_page", "suite_table", "sweep_table"]

NO_PROOF = (
    "A low number is no proof. It holds for these algorithms, with these parameters, and for an adversary "
    "who knows this much and no more; a better algorithm, other ratings, dates, or facts that are not in the "
    "data find more people.",
    "The rate is an average. Who has rated rare things is found far more easily than the average says.",
    "Not being found is not being safe: where all who could be the target agree on what is sensitive, it is "
    "disclosed without finding anybody.",
)

_ALGORITHMS = {
    "scoreboard": "the only record that agrees with every known rating, or nobody",
    "matching-set": "any of the records that agree with every known rating, by a coin",
    "scoreboard-rh": "the record that agrees best, if it stands out (robust to errors)",
    "entropic": "the record that agrees best, unless two do",
    "best-candidate": "the record that agrees best, of equals any, by a coin",
}

_BEST = 3
"""So many candidates are shown for a target; JSON has all that were kept."""

_TITLES = {
    "known": "known",
    "wrong": "wrong",
    "rating_error": "rating ±",
    "date_error": "days ±",
    "items": "questions",
    "unrated": "unrated",
    "knows_count": "count ±",
}


def attack_page(findings: Findings, *, data: str = "DATA", show: int = 20, per_target: bool = False) -> Page:
    """Return the page of an attack.

    Parameters
    ----------
    data : as for :func:`ratingpriv.report.audit.audit_page`
    show, per_target : whether to add a row for each target, and of how many
    """
    headline, *explanation = _headlines(findings)
    before, paired = findings.attack, findings.paired
    warnings = [*before.warnings]
    sections = [Section("What the adversary knew", tuple(_assumed(before)))]
    if len(findings.attacks) > 1 and findings.judged.measures.measured:
        sections += [Section("How often each attack succeeds", (suite_table(findings), *_legend(findings)))]
    name = before.parameters["algorithm"]
    if paired is None:
        sections += [Section(f"What the adversary could do ({name})", tuple(_found(before)))]
    else:
        warnings += [*paired.after.warnings, *paired.warnings]
        sections += [
            Section(f"On the data ({name})", tuple(_found(before))),
            Section(f"On the release ({name})", tuple(_found(paired.after))),
            Section("What the release changed", tuple(_changed(paired))),
        ]
    learned = disclosure(findings.judged_each, findings.attacks if findings.pairs else ())
    sections += [Section("What is learned of the targets", tuple(learned))]
    if per_target:
        sections += [Section("Target by target", tuple(_targets(findings.judged, show)))]
    elif "aux" in before.parameters:
        hint = "The targets are not listed, as names identify: --show 20 lists so many"
        sections += [Section("Target by target", (hint,))]
    if findings.sweep is not None:
        sections += [Section("What more or less knowledge does", (sweep_table(findings.sweep),))]
    if findings.sparsity is not None:
        alone = (*_sparsity(findings.sparsity), *(_theorem(findings.theorem) if findings.theorem else ()))
        sections += [Section("How alone the records are", alone)]
    if paired is None:
        promise = (
            "see which k and epsilon the data can promise as they are:",
            Command(f"ratingpriv frontier {data}"),
        )
        sections += [Section("What to do next", promise)]
    return Page(
        headline=headline,
        explanation=tuple(explanation),
        sections=(
            before_relying(warnings),
            *sections,
            Section("What this does not prove", NO_PROOF),
            Section("What was attacked", (_attacked(findings),)),
        ),
        good=findings.passed,
    )


def _headlines(findings: Findings) -> Iterator[str]:
    """Yield the verdict, that on the data if there is a release, and the gate's."""
    judged, paired = findings.judged, findings.paired
    what = judged.dataset.name + part(judged.dataset)
    success = judged.measures.success
    if success.rate is None:
        yield f"NOT MEASURED: no attack on {what} could be judged. That does not mean that it is safe."
    else:
        yield (
            f"{percent(success.rate)} of {count(success.of, 'target')} identified in {what} "
            f"({_interval(success, judged)}) {_by(findings)}."
        )
    if paired is not None and paired.difference.difference is not None:
        first = paired.before.measures.success
        name, rate = paired.before.dataset.name, percent(first.rate or 0.0)
        yield f"Before, in {name}: {rate} ({_interval(first, paired.before)}) by the same attack."
        strongest = findings.strongest
        if strongest.measures.success.count > first.count:
            most = strongest.measures.success
            yield (
                f"The strongest attack there: {percent(most.rate or 0.0)} ({_interval(most, strongest)}) by "
                f"{strongest.parameters['algorithm']}."
            )
    yield from disclosure_headline(findings.judged_each)
    if findings.fail_above is not None:
        verdict = "PASSED" if findings.passed else "FAILED"
        limit = f"the limit is {percent(findings.fail_above)}"
        if success.rate is None:
            yield f"{verdict}: nothing was measured; {limit}."
        else:
            yield f"{verdict}: {_reach(findings)}; {limit}."


def _reach(findings: Findings) -> str:
    """Return how high the success of any of the attacks, or what they disclose, may be."""
    attacks = findings.judged_each
    success = max(one.measures.success.high for one in attacks)
    profile = max(max(one.measures.profile.high, one.measures.rating_profile.high) for one in attacks)
    if profile > success:
        return f"the interval of profile disclosure reaches up to {percent(profile)}"
    return f"the interval reaches up to {percent(success)}"


def _by(findings: Findings) -> str:
    """Return by which attack that is, and of how many it is the strongest."""
    name, number = findings.judged.parameters["algorithm"], len(findings.attacks)
    return (
        f"by {name}, the only attack made"
        if number == 1
        else f"by the strongest of {number} attacks ({name})"
    )


def suite_table(findings: Findings) -> Table:
    """Return a row an algorithm, in percent; with a release before and after."""
    names = [str(one.parameters["algorithm"]) for one in findings.attacks]
    if not findings.pairs:
        measured = ("identified", "interval", "wrong record", "false positives", "residual bits")
        of_data = (_row(name, one.measures) for name, one in zip(names, findings.attacks, strict=True))
        return Table(("attack", *measured), tuple(of_data), (False, *(True,) * len(measured)))
    columns = ("attack", "data", "interval", "release", "interval", "change, points", "false positives")
    rows = []
    for name, pair in zip(names, findings.pairs, strict=True):
        first, second = pair.before.measures.success, pair.after.measures.success
        change = pair.difference.difference
        points = "" if change is None else f"{100 * change:+.1f}"
        false = _rate(pair.after.measures.false_positive)
        rows.append((name, _rate(first), _ends(first), _rate(second), _ends(second), points, false))
    return Table(columns, tuple(rows), (False, *(True,) * (len(columns) - 1)))


def _row(name: str, measures: Measures) -> tuple[str, ...]:
    success, bits = measures.success, measures.entropy_bits.median
    return (
        name, _rate(success), _ends(success), _rate(measures.wrong_match), _rate(measures.false_positive),
        "" if bits is None else f"{bits:.2f}",
    )  # fmt: skip


def _legend(findings: Findings) -> Iterator[str | Table]:
    yield "Shares are in percent. These are the attacks:"
    names = [str(attack.parameters["algorithm"]) for attack in findings.attacks]
    yield Table(("attack", "names"), tuple((name, _ALGORITHMS[name]) for name in names), (False, False))


def _ends(share: Share) -> str:
    return "" if share.rate is None else f"{100 * share.low:.1f}-{100 * share.high:.1f}"


def _assumed(attack: Experiment) -> Iterator[str]:
    settings = attack.parameters
    if "known" in settings:
        yield _drawn(settings)
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
    yield from assumed_of_traits(settings)
    yield "The adversary has the whole table, and knows which question is which."
    chosen = ", ".join(
        f"{name} {in_full(settings[name]) if isinstance(settings[name], float) else settings[name]}"
        for name in ("alpha", "rating_tolerance", "date_tolerance", "rho0", "d0", "phi")
        if settings.get(name) is not None
    )
    name = settings["algorithm"]
    yield f"The attack {name} names {_ALGORITHMS[name]}" + (f" ({chosen})." if chosen else ".")


def _drawn(settings: Any) -> str:
    error = settings["rating_error"]
    ratings = "exact" if error == 0 else f"correct within {in_full(error)}"
    wrong = f", of which {settings['wrong']} {plural(settings['wrong'], 'is', 'are')} completely wrong"
    others = "others" if settings["wrong"] or settings.get("unrated") else "ratings"
    unrated = f", {settings.get('unrated')} of questions that the target did not answer"
    dates = settings["date_error"]
    when = (
        "no dates"
        if dates is None
        else "exact dates" if dates == 0 else f"dates correct within {_days(dates)}"
    )  # fmt: skip
    items = {"uniform": "of any questions", "rarest": "of the target's least answered questions"}.get(
        settings["items"],
        f"of questions outside the {str(settings['items']).partition(':')[2]} most answered",
    )
    known = settings["known"]
    whose = settings.get("adversary")
    amount = "all ratings" if known == "all" else count(known, "rating")
    return (
        f"{'' if whose is None else f'Adversary {whose}: '}{amount} of each target, {items}"
        f"{wrong if settings['wrong'] else ''}{unrated if settings.get('unrated') else ''}; "
        f"the {others} are {ratings}, with {when}."
    )


def _days(days: float) -> str:
    return f"{in_full(days)} day" + ("" if days == 1 else "s")


def _found(attack: Experiment) -> Iterator[str]:
    measures = attack.measures
    success, of = measures.success, measures.targets
    if success.rate is None:
        yield "No attack could be judged."
        return
    lift = measures.lift or 0.0
    times = f"{lift:,.0f}" if lift >= 100 else f"{lift:.3g}"
    yield (
        f"Identified {_people(success.count)} of {of:,}: {percent(success.rate)}, by the interval "
        f"{percent(success.low)} to {percent(success.high)}. The random-guess baseline is "
        f"{percent(measures.baseline)}; this is {times} times that."
    )
    yield (
        f"Named the wrong record for {percent(measures.wrong_match.rate or 0.0)} and none for "
        f"{percent(measures.no_match.rate or 0.0)}."
    )
    if attack.attacked.by_coin:
        yield "Of equally good records any is named: what is counted is the expected number."
    false = measures.false_positive
    if false.rate is not None:
        yield (
            f"With the target's own record taken out, a record is still named for {percent(false.rate)} "
            f"({percent(false.low)} to {percent(false.high)}): so often the adversary is mistaken about "
            "somebody who is not in the data."
        )
    yield from right_both_ways(attack)
    largest = max(measures.top)
    yield (
        f"The target is among the {largest} best candidates for {_mean(measures.top[largest])}. A random "
        f"pick by the adversary's own probabilities is correct in {_mean(measures.expected_risk)}, for the "
        f"most exposed target in {percent(measures.worst_risk or 0.0)}."
    )
    bits = measures.entropy_bits
    if bits.median is not None and bits.lower is not None and bits.upper is not None:
        yield (
            f"Residual entropy, what the adversary still lacks to be certain: median {bits.median:.3g} bits "
            f"(half of the targets between {bits.lower:.3g} and {bits.upper:.3g}); knowing nothing it would "
            f"be {bits.prior:.3g}."
        )


def _changed(paired: Paired) -> Iterator[str]:
    change = paired.difference
    if change.difference is None:
        yield "No target was judged on both."
        return
    points = 100 * change.difference
    lost, new, both = change.first_only, change.second_only, change.both
    yield (
        f"Success changed by {points:+.1f} points (interval {100 * change.low:+.1f} to "
        f"{100 * change.high:+.1f}): no longer found {_people(lost)}, found only now {_people(new)}, found "
        f"in both {_people(both)}."
    )
    if change.low <= 0 <= change.high:
        yield "The interval includes no change at all: these targets do not show that the release helps."
    if paired.withheld:
        known = paired.of_released
        rate = (
            "" if known.rate is None else f" Of the {known.of:,} others {percent(known.rate)} are identified."
        )
        yield (
            f"{count(paired.withheld, 'target')} of {paired.released + paired.withheld:,} "
            f"{plural(paired.withheld, 'was suppressed and counts', 'were suppressed and count')} as not "
            f"found.{rate}"
        )
    if paired.lost[0]:
        yield (
            f"{paired.lost[0]:,} of {count(paired.lost[1], 'known rating')} "
            f"{plural(paired.lost[0], 'is', 'are')} of questions that the release does not have: lost "
            "knowledge, with which no record agrees."
        )


def _people(number: float) -> str:
    """Return a number of people, or an expected one."""
    return f"{number:,.0f}" if number == round(number) else f"{number:,.1f}"


def _attacked(findings: Findings) -> str:
    attack = findings.attack
    data, seed = attack.dataset, attack.parameters.get("seed")
    text = audited(data) + (" with dates" if data.dates else ", no dates")
    if findings.paired is not None:
        after = findings.paired.after.dataset
        text += f"; release: {count(after.records, 'record')}, {count(after.ratings, 'rating')}"
    settings = attack.parameters
    text += f". Intervals: {settings['interval']}, {number(100 * settings['confidence'])} %"
    return text + ("." if seed is None else f"; seed {seed}.")


def _interval(share: Share, attack: Experiment) -> str:
    confidence = number(100 * attack.parameters["confidence"])
    return f"{confidence} % interval {percent(share.low)} to {percent(share.high)}"


def _mean(mean: Mean) -> str:
    return "nobody" if mean.rate is None else percent(mean.rate)


def _targets(attack: Experiment, show: int) -> Iterator[str | Table]:
    """Yield a row a target: the verdict, how sure, and the best candidates with their probabilities."""
    rows = attack.per_target(show)
    total = len(attack.names)
    yield Table(
        ("target", "verdict", "correct?", "eccentricity", "bits", "best candidates"),
        tuple(
            (
                str(row["target"]),
                "one of several" if row["coin"] else _verdict(row["match"]),
                _correct(row),
                _figure(row["eccentricity"]),
                _figure(row["entropy_bits"]),
                ", ".join(f"{one['record']} ({one['probability']:.2g})" for one in row["candidates"][:_BEST])
                or "none scores",
            )
            for row in rows
        ),
        (False, False, False, True, True, False),
    )
    if len(rows) < total:
        yield f"{len(rows):,} of {count(total, 'target')} shown; --show N or --json give more"


def _verdict(match: str | None) -> str:
    return "no match" if match is None else f"is {match}"


def _correct(row: dict[str, Any]) -> str:
    if row["chance"] is None:
        return "not known"
    return f"chance {row['chance']:.2g}" if row["coin"] else "yes" if row["correct"] else "no"


def sweep_table(sweep: Sweep) -> Table:
    """Return what varied, the strongest attack's success with interval, false positives, ⊥, bits, skipped.

    Shares are in percent. A point at which nobody could be attacked says so.
    """
    measured = (
        "identified", "interval", "by", "false positives", "no match", "residual bits", "targets",
        "not attacked",
    )  # fmt: skip
    columns = (*(_TITLES[name] for name in sweep.varied), *measured)
    rows = []
    for point in sweep.points:
        measures = point.measures
        bits = measures.entropy_bits.median
        rows.append(
            (
                *(_value(point.setting[name]) for name in sweep.varied),
                _rate(measures.success) or "not measured",
                _ends(measures.success),
                point.algorithm if measures.measured else "",
                _rate(measures.false_positive),
                _rate(measures.no_match),
                "" if bits is None else f"{bits:.2f}",
                f"{measures.targets:,}",
                f"{point.could_not_attack:,}",
            )
        )
    return Table(columns, tuple(rows), (True,) * len(columns))


def _sparsity(found: Sparsity) -> Iterator[str | Table]:
    """Yield the curve of [NS08, Fig. 1]: who has a neighbour at least so similar."""
    about = f"of {count(len(found.similarity), 'record')}" + (
        f" drawn from {found.rated:,}, each compared with all," if found.sampled else ""
    )
    yield f"share {about} whose most similar other record is at least so similar:"
    curve = found.curve([step / 10 for step in range(1, 11)])
    yield Table(
        ("similarity", "records %"), tuple((number(x), f"{100 * y:.1f}") for x, y in curve), (True, True)
    )


def _theorem(found: Sequence[FalseMatches]) -> Iterator[str | Table]:
    """Yield how often there is a false match, beside the most that [NS08, Theorem 1] allows."""
    yield (
        f"targets for whom some record agrees on all that is known, and on less than "
        f"{100 * (1 - found[0].delta):g} % of the target's ratings; and the most that Theorem 1 allows:"
    )
    yield Table(
        ("known", "false match %", "at most %", "targets"),
        tuple(
            (f"{one.known}", _rate(one.measured), f"{100 * one.bound:.3g}", f"{one.measured.of:,}")
            for one in found
        ),
        (True,) * 4,
    )


def _rate(share: Share) -> str:
    return "" if share.rate is None else f"{100 * share.rate:.1f}"


def _value(value: Any) -> str:
    return "none" if value is None else number(value) if isinstance(value, float) else str(value)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
