"""A frontier as a page: the table of distances, then the answers in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.audit.frontier.result import Frontier, FrontierRow, Interval
from ratingpriv.base.numbers import in_full, rounded_down
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count
from ratingpriv.report.verdicts import but_no_yes, by_rules, counted_as_equal, not_in_l
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    about_part,
    audited,
    before_relying,
    other_columns,
    part,
    rule_options,
    rules,
)

__all__ = ["frontier_page"]

_NO_PROTECTION = "no protection"


def frontier_page(result: Frontier, *, data: str = "DATA") -> Page:
    """Return the page of a frontier; ``data`` as for :func:`ratingpriv.report.audit.audit_page`."""
    dataset, searched = result.dataset, result.parameters
    described = (
        f"{audited(dataset)}{other_columns(dataset)}; sensitive: {', '.join(dataset.sensitive) or 'none'}; "
        f"{rules(searched, dataset.sensitive)}; method {searched.method}"
    )
    if not searched.partition:
        described += "; partitions were not searched for (--partition)"
    return Page(
        headline=_headline(result),
        explanation=(
            *but_no_yes(result.standing),
            *counted_as_equal(
                result.equal,
                dataset.records,
                searched.k,
                result.answer if searched.has_target else result.rows[0].epsilon,  # which is 0 as a rule
            ),
            *(() if (said := about_part(dataset)) is None else (said,)),
        ),
        sections=(
            Section("What holds at each epsilon", (_table(result),)),
            Section("Answers", tuple(_answers(result))),
            *_recodes(result),
            before_relying(result.warnings),
            Section("What to do next", tuple(_next_steps(result, data))),
            Section("What was searched", (described, EPSILON_NOTE)),
        ),
        good=result.standing.good if searched.has_target else None,
    )


def _recodes(result: Frontier) -> Iterator[Section]:
    """Yield which recodes reach k, if they were searched for."""
    found = result.recodes
    if found is None:
        return
    listed = f"{count(found.searched, 'combination')} of levels of {', '.join(found.columns)}"
    k = result.parameters.k
    if not found.nodes:
        yield Section("Recodes", (f"None of {listed} reaches k = {k} at an epsilon that protects.",))
        return
    columns = ("from epsilon", *found.columns, "height", "values lost")
    rows = tuple(
        (
            in_full(node.epsilon),
            *(words[level] or "as it is" for words, level in zip(found.words, node.levels, strict=True)),
            str(found.height(node)),
            f"{100 * float(found.lost(node)):.3g} %",
        )
        for node in found.nodes
    )
    right = (True, *(False for _ in found.columns), True, True)
    yield Section(
        "Recodes",
        (
            f"Of {listed}, these reach k = {k}, and none that is finer in all of them does at the same "
            "epsilon or a smaller one:",
            Table(columns, rows, right),
            "Height: levels climbed, of all there are. Values lost: the share by which a column has fewer "
            "different values, the mean over these columns.",
        ),
    )


def _headline(result: Frontier) -> str:
    """Return the answer in a line, with what it is worth: a part of the data, a lenient rule, a k of 1."""
    name = f"{result.dataset.name}{part(result.dataset)}{by_rules(result.dataset)}"
    standing = result.standing
    if not result.parameters.has_target:
        return standing.headline(f"{name}: what holds at each distance epsilon", "")
    state = standing.headline("WITHIN REACH", "NOT WITHIN REACH")
    uncovered = not_in_l(result.dataset, result.numeric, result.parameters.l)
    return f"{state}: {_target(result)} for {name}{uncovered}"


def _target(result: Frontier) -> str:
    target = result.parameters
    k = None if target.k is None else f"k = {target.k}"
    l = None if target.l is None else f"l = {in_full(target.l)}"  # noqa: E741
    return " with ".join(part for part in (k, l) if part is not None)


def _table(result: Frontier) -> Table:
    names = result.numeric
    judged = any(row.satisfied is not None for row in result.rows)
    searched = any(row.partition is not None for row in result.rows)
    useless = not judged and not all(row.protection for row in result.rows)
    k = next((row.partition.k for row in result.rows if row.partition is not None), 0)
    columns = ["epsilon", "largest k", *(f"largest l of {name}" for name in names), "unique"]
    columns += [_target(result).replace(" with ", ", ")] if judged else []
    columns += ["protection"] if useless else []
    columns += [f"groups of {k}+"] if searched else []
    rows = (
        (
            in_full(row.epsilon),
            f"{row.max_k:,}",
            *("any" if (l := row.max_l[name]) is None else rounded_down(l, 4) for name in names),  # noqa: E741
            f"{row.singletons:,}",
            *([_judged(row)] if judged else []),
            *([("" if row.protection else _NO_PROTECTION)] if useless else []),
            *([_partition(row)] if searched else []),
        )
        for row in result.rows
    )
    right = (True,) * (2 + len(names) + 1) + (False,) * (judged + useless + searched)
    return Table(tuple(columns), tuple(rows), right)


def _judged(row: FrontierRow) -> str:
    return ("holds" if row.satisfied else "no") if row.protection else _NO_PROTECTION


def _partition(row: FrontierRow) -> str:
    found = row.partition
    if found is None:
        return ""
    if found.proved_impossible:
        return "impossible"
    if not found.found:
        return "none found"
    least = ", ".join(f"{'any' if sd is None else rounded_down(sd, 3)}" for sd in found.min_sd.values())
    same = "" if found.epsilon == row.epsilon else f" (of {in_full(found.epsilon)})"
    return count(found.groups, "group") + (f", SD {least}" if least else "") + same


def _answers(result: Frontier) -> Iterator[str]:
    searched, smallest = result.parameters, result.smallest_epsilon
    if smallest is None:
        yield from _by_row(result)
        return
    target = _target(result)
    if smallest.neighbourhood is None:
        if smallest.reason is not None:
            yield f"No epsilon that protects does: {target} holds at none below. {smallest.reason}."
        elif result.feasible is not None:
            yield f"No epsilon does: {target} does not hold at any distance."
    else:
        yield (
            f"The smallest epsilon for {target} is {in_full(smallest.neighbourhood)}: there, and at no "
            "smaller distance, every neighbourhood meets the target. This is exact."
        )
    if searched.l is not None and result.feasible:
        yield f"The epsilons that do: {_intervals(result.feasible)}. Every distance was decided."
        other = "ignore" if searched.sensitive_nulls == "paper" else "paper"
        theirs = result.feasible_by_rule[other]
        if theirs != result.feasible:
            answer = _intervals(theirs) or "none"
            yield f"Under the other rule for missing sensitive ratings ({other}): {answer}."
    if searched.method == "paper":
        yield from _paper(result)
    elif searched.partition:
        yield _smallest_partition(result)


def _next_steps(result: Frontier, data: str) -> Iterator[str | Command]:
    searched, smallest = result.parameters, result.smallest_epsilon
    if smallest is not None:
        epsilon = smallest.neighbourhood
    else:
        epsilon = next((row.epsilon for row in result.rows if row.satisfied), None)
    if epsilon is None:
        if searched.has_target:
            yield from _out_of_reach(result, data)
        return
    l = "" if searched.l is None else f" --l {in_full(searched.l)}"  # noqa: E741
    yield "See who is most at risk at that epsilon, and what it means and does not:"
    asked = f"--k {searched.k or 1} --epsilon {in_full(epsilon)}{l}"
    yield Command(f"ratingpriv audit {data} {asked}{rule_options(searched)}")


def _out_of_reach(result: Frontier, data: str) -> Iterator[str | Command]:
    """Yield what can be done where no distance serves."""
    searched = result.parameters
    if searched.epsilon is not None:
        yield "See every distance, not only those named:"
        l = "" if searched.l is None else f" --l {in_full(searched.l)}"  # noqa: E741
        k = "" if searched.k is None else f" --k {searched.k}"
        yield Command(f"ratingpriv frontier {data}{k}{l}{rule_options(searched)}")
    elif searched.k is not None and searched.k > 2:
        yield "See what the data can promise as they are:"
        yield Command(f"ratingpriv frontier {data}{rule_options(searched)}")
    if any(caution.code == "sparse-data" for caution in result.cautions):
        yield "See how easily people are found in data as sparse as these:"
        yield Command(f"ratingpriv attack {data}")
    yield (
        "Do not release the data as they are. Release fewer questions (--items, --drop), ask for less, or "
        "change the data: ratingpriv anonymize makes a release that meets a k and an epsilon that you choose."
    )


def _by_row(result: Frontier) -> Iterator[str]:
    searched = result.parameters
    if searched.k is not None or searched.l is not None:
        good = [in_full(row.epsilon) for row in result.rows if row.satisfied]
        named = ", ".join(in_full(row.epsilon) for row in result.rows)
        yield f"Of the distances named ({named}), {_target(result)} holds at: {', '.join(good) or 'none'}."
        return
    yield (
        "Largest k: every record has at least so many records (itself included) within epsilon. Unique: "
        "records that are alone in their neighbourhood, no other record is within epsilon of them. Whoever "
        "knows ratings with an error can be left with fewer records than the largest k: ratingpriv audit "
        "says more. Name a k (--k) or an l (--l) to learn which epsilons do."
    )


def _smallest_partition(result: Frontier) -> str:
    searched, smallest = result.parameters, result.smallest_epsilon
    assert smallest is not None  # noqa: S101 -- for the type checker
    groups = "2 records" if searched.k is None else count(searched.k, "record")
    what = f"groups of at least {groups} that are pairwise indistinguishable"
    if searched.l is not None:
        what += f", each with an SD of at least {in_full(searched.l)}"
    if smallest.partition is None and smallest.reason is not None:
        proved = " This is proved." if smallest.partition_proved else ""
        why = "" if smallest.neighbourhood is None else f" {smallest.reason}."
        none = "By partition: no epsilon that protects was found"
        return f"{none} at which everybody is in {what}.{proved}{why}"
    if smallest.partition is None:
        proved = " This is proved." if smallest.partition_proved else " That proves nothing."
        return f"By partition: no epsilon was found at which everybody is in {what}.{proved}"
    claim = (
        "proved to be the smallest"
        if smallest.partition_proved
        else "the smallest that the search found; a smaller one is not ruled out"
    )
    return f"By partition: at epsilon {in_full(smallest.partition)} everybody is in {what}; {claim}."


def _paper(result: Frontier) -> Iterator[str]:
    smallest = result.smallest_epsilon
    excluded = smallest is not None and smallest.partition is None and smallest.reason is not None
    steps = ", ".join(
        f"{in_full(step.epsilon)} {'serves' if step.served else 'does not'}"
        for step in result.bisection or ()
    )
    at = None if smallest is None else smallest.partition
    answer = "it finds none" if at is None else f"epsilon = {in_full(at)}"
    if excluded and smallest is not None:
        answer = f"none that protects ({smallest.reason})"
    yield f"The paper's bisection by partition: {answer}. It tried: {steps}."


def _intervals(intervals: tuple[Interval, ...]) -> str:
    return "; ".join(
        f"from {in_full(one.start)} on"
        if one.below is None
        else f"from {in_full(one.start)} to just below {in_full(one.below)}"
        for one in intervals
    )
