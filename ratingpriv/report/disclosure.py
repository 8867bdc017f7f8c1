"""What an attack learned of people: who is found in a release, disclosed profiles, inferred values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ratingpriv.anonymize.release.attacked import Attacked
from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.inference import Inferred
from ratingpriv.attack.intervals import Mean, Share
from ratingpriv.report.overview.figures import LIMIT
from ratingpriv.report.page import Table
from ratingpriv.report.plain import count, number, percent, printable

__all__ = [
    "assumed_of_traits", "disclosure", "disclosure_headline", "right_both_ways", "too_many_found",
    "what_many_found_mean", "who_is_found",
]  # fmt: skip


def disclosure_headline(attacks: Sequence[Experiment]) -> Iterator[str]:
    """Yield what the headline must not hide: more is disclosed than records are named.

    Parameters
    ----------
    attacks : of the same targets with the same knowledge, one an algorithm
    """
    profile = _largest([one.measures.profile for one in attacks])
    named = _largest([one.measures.success for one in attacks])
    if profile is not None and named is not None and (profile.rate or 0.0) > (named.rate or 0.0):
        yield (
            f"Profile disclosure: for {percent(profile.rate or 0.0)} the records that fit best are "
            "identical, the target's among them: all that is in the file about these people is disclosed."
        )
    ratings = _of_ratings_alone(attacks)
    if ratings is not None and named is not None and (ratings.rate or 0.0) > (named.rate or 0.0):
        yield (
            f"Disclosure of all ratings: for {percent(ratings.rate or 0.0)} the records that fit best have "
            "identical ratings, the target's among them; only their sensitive answers differ."
        )
    for name, inferred in _sensitive(attacks).items():
        correct, baseline = inferred.correct.rate, inferred.baseline.rate
        if inferred.above_baseline and correct is not None and baseline is not None:
            yield (
                f"Attribute inference: {printable(name)} is guessed correctly for {percent(correct)}; its "
                f"commonest answer is correct for {percent(baseline)}."
            )


def disclosure(attacks: Sequence[Experiment], before: Sequence[Experiment] = ()) -> Iterator[str | Table]:
    """Yield the lines of what was learned; by the attack that learns most.

    Parameters
    ----------
    attacks : what was attacked, one an algorithm
    before : the same on the original, where that was a release
    """
    profile = _largest([one.measures.profile for one in attacks])
    if profile is None or profile.rate is None:
        yield "No attack could be judged."
        return
    yield (
        f"Profile disclosure {_ends(profile)}{_before([one.measures.profile for one in before])}: the "
        "records that fit best are all identical and the target's is one of them, so that its whole record "
        "is read, whether or not it is told apart."
    )
    ratings = _of_ratings_alone(attacks)
    if ratings is not None:
        yield (
            f"Disclosure of all ratings {_ends(ratings)}"
            f"{_before([one.measures.rating_profile for one in before])}: the same, sensitive answers left "
            "aside, so that every rating in the file of the target is read."
        )
    similar = _largest([one.measures.similar for one in attacks if one.measures.similar is not None])
    if similar is not None:
        theta = number(float(attacks[0].parameters["theta"]))
        of_before = [one.measures.similar for one in before if one.measures.similar is not None]
        yield (
            f"Success by similarity {_ends(similar)}{_before(of_before)}: the named record has a similarity "
            f"of at least {theta} with the target's own; of several equally good ones the least similar has."
        )
    rows = [(printable(name), one) for name, one in _sensitive(attacks).items()]
    unknown = _best([one.inference.unknown for one in attacks if one.inference is not None])
    if unknown is not None and unknown.correct.of:
        rows.append(("unknown ratings", unknown))
    if rows:
        yield (
            "Attribute inference: what the adversary's probabilities make likeliest, beside the commonest "
            "answer, which needs no knowledge. Shares are in percent; the error is that of the mean."
        )
        then = {printable(name): one for name, one in _sensitive(before).items()}
        earlier = _best([one.inference.unknown for one in before if one.inference is not None])
        if earlier is not None:
            then["unknown ratings"] = earlier
        columns: tuple[str, ...] = (
            "learned", "correct", "interval", "baseline", "error", "its baseline", "values",
        )  # fmt: skip
        table = []
        for name, one in rows:
            correct = one.correct
            cells: tuple[str, ...] = (
                name, _rate(correct), f"{100 * correct.low:.1f}-{100 * correct.high:.1f}",
                _rate(one.baseline), _number(one.error), _number(one.baseline_error), f"{correct.of:,}",
            )  # fmt: skip
            table.append((*cells, _rate(then[name].correct) if name in then else "") if before else cells)
        if before:
            columns = (*columns, "before")
        yield Table(columns, tuple(table), (False, *(True,) * (len(columns) - 1)))


def right_both_ways(attack: Experiment) -> Iterator[str]:
    """Yield how often the answer is right with the target's record in the table, and with it taken out."""
    right = attack.measures.both_right
    if right.rate is not None:
        yield (
            f"Right both ways, the record named while it is there and none once it is taken out: "
            f"{percent(right.rate)} ({percent(right.low)} to {percent(right.high)})."
        )


def assumed_of_traits(settings: Mapping[str, object]) -> Iterator[str]:
    """Yield what the adversary knows of a target beside its ratings: their number, and quasi-identifiers."""
    error = settings.get("knows_count")
    if isinstance(error, float | int):
        yield (
            f"About how many questions each target answered is known, within {percent(float(error))}: "
            "records with other numbers of answers are ruled out."
        )
    names = settings.get("knows")
    if isinstance(names, list) and names:
        yield (
            f"Known of every target beside its ratings: {', '.join(names)}. Records with other values are "
            "ruled out."
        )


def _sensitive(attacks: Sequence[Experiment]) -> dict[str, Inferred]:
    """Return, for each sensitive issue, the prediction that is most often correct."""
    found = [one.inference.sensitive for one in attacks if one.inference is not None]
    names = list(found[0]) if found else []
    best = {name: _best([one[name] for one in found]) for name in names}
    return {name: one for name, one in best.items() if one is not None}


def _best(inferred: Sequence[Inferred]) -> Inferred | None:
    return max(inferred, key=lambda one: one.correct.rate or 0.0, default=None)


def _largest(shares: Sequence[Share]) -> Share | None:
    return max(shares, key=lambda one: one.rate or 0.0, default=None)


def _of_ratings_alone(attacks: Sequence[Experiment]) -> Share | None:
    """Return the disclosure of all ratings, where it is more than that of whole profiles."""
    profile = _largest([one.measures.profile for one in attacks])
    ratings = _largest([one.measures.rating_profile for one in attacks])
    more = profile is not None and ratings is not None and (ratings.rate or 0.0) > (profile.rate or 0.0)
    return ratings if more else None


def _ends(share: Share) -> str:
    return (
        f"of {count(share.of, 'target')}: {percent(share.rate or 0.0)} ({percent(share.low)} to "
        f"{percent(share.high)})"
    )


def _before(shares: Sequence[Share]) -> str:
    before = _largest(shares)
    return "" if before is None or before.rate is None else f", on the data {percent(before.rate)}"


def _rate(mean: Mean) -> str:
    return "" if mean.rate is None else f"{100 * mean.rate:.1f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def what_many_found_mean(found: Attacked | None) -> Iterator[str]:
    """Say at once what the verdict does not: that many are found, or that nobody has looked."""
    if found is None:
        yield "How many people are found in it was not measured."
    elif too_many_found(found):
        yield (
            f"All the same, more than {percent(LIMIT)} of the people in it may be found, or what they "
            "answered be read: this verdict is no reason to publish it."
        )


def who_is_found(found: Attacked | None) -> Iterator[str]:
    """Say whom the strongest attack finds in a release."""
    if found is None:
        return
    known = "all ratings" if found.known == "all" else count(int(found.known), "rating")
    yield (
        f"{found.algorithm}, the strongest of {found.algorithms} attacks, finds {_share(found.success)} of "
        f"the people in it by {known} of each, exactly; in the data {_share(found.original)}. A low number "
        "is no proof"
    )
    if found.profile.count:
        yield (
            f"profile disclosure: of {_share(found.profile)} all that is released is disclosed, as the "
            "records that fit best are identical"
        )


def _share(found: Share) -> str:
    interval = f"{percent(found.low)} to {percent(found.high)}"
    return f"{percent(found.rate or 0.0)} ({interval})"


def too_many_found(found: Attacked) -> bool:
    """Return whether more people may be found, or read, than the limit for what is made public."""
    return max(found.success.high, found.profile.rate or 0.0) > LIMIT
