"""A release, and its check by anybody, as pages: what was changed, what is proved, what to keep secret."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.anonymize.release.reading import Reading
from ratingpriv.anonymize.release.result import Release
from ratingpriv.anonymize.release.verify import VerifyResult
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.audit.result import AuditResult
from ratingpriv.base.numbers import in_full, largest_l, rounded_down
from ratingpriv.data.formats.reading import ReadOptions, null_tokens
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.parts import Selection
from ratingpriv.partition.distortion.measure import Distortion, QuasiDistortion
from ratingpriv.report.disclosure import too_many_found, what_many_found_mean, who_is_found
from ratingpriv.report.page import Command, Page, Section
from ratingpriv.report.plain import count, number, percent, plural, share
from ratingpriv.report.utility.release import stated_measure, what_is_left, worthless_on
from ratingpriv.report.verdicts import (
    audit_headline,
    but_no_yes,
    by_rules,
    counted_as_equal,
    means_and_not,
)
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    as_options,
    before_relying,
    every_record,
    model,
    most_are_gone,
    part,
    rules,
)

__all__ = ["anonymized_page", "release_page", "verification_page"]


def release_page(
    made: Release, *, data: str = "DATA", release: str | None = None, key: str | None = None
) -> Page:
    """Return the page of a release.

    Parameters
    ----------
    data : as for :func:`ratingpriv.report.audit.audit_page`
    release, key : how the commands to run next call the files; as they were written if None
    """
    release = str(made.path) if release is None else release
    if key is None and made.key_path is not None:
        key = str(made.key_path)
    target, selection = made.anonymized.parameters, _input_selection(made.anonymized)
    input_part = part(dataclasses.replace(made.audit.dataset, selection=selection)).strip(" ()")
    of_part = f" (made from {input_part})" if input_part else ""
    return Page(
        headline=(
            f"{made.standing.headline('RELEASED', '')}: {made.path}{of_part} is ({model(target)})-anonymous."
        ),
        explanation=(
            *but_no_yes(made.standing),
            "The file was read again and audited before it was renamed atomically to this name; "
            f"{made.manifest_path.name} says what is claimed, for anybody to check.",
            *what_many_found_mean(made.attack),
        ),
        sections=(
            Section("What was done", tuple(_done(made.anonymized, made.read.options))),
            Section("Who is found", tuple(who_is_found(made.attack))),
            Section("What is left", tuple(what_is_left(made.utility))),
            Section("What is proved", tuple(_proved(made.anonymized, made.audit, "by the written file"))),
            Section("What the released ratings give away", tuple(_links(made.anonymized))),
            before_relying(made.warnings, "Before you publish"),
            Section("What to keep secret", tuple(_secret(made))),
            Section("What to do next", tuple(_next_steps(made, data, release, key))),
        ),
        good=made.standing.good if made.attack is not None and not too_many_found(made.attack) else None,
    )


def anonymized_page(made: Anonymized) -> Page:
    """Return the page of records that may be released, and that nobody has written."""
    result = made.audit
    dataset = dataclasses.replace(result.dataset, selection=_input_selection(made))
    headline = audit_headline(dataclasses.replace(result, dataset=dataset))
    if made.satisfied:
        headline = (
            f"{result.standing.headline('MADE, not written', '')}: a release of {dataset.name}"
            f"{part(dataset)} that is ({model(made.parameters)})-anonymous{by_rules(dataset)}."
        )
    proved = tuple(_proved(made, result, "as audited in memory")) if made.satisfied else ()
    return Page(
        headline=headline,
        sections=(
            Section("What was done", tuple(_done(made))),
            Section("What holds", proved),
            Section("What the released ratings give away", tuple(_links(made))),
            before_relying((*result.warnings, *made.notes)),
        ),
        good=result.standing.good,
    )


def verification_page(result: VerifyResult) -> Page:
    """Return the page of a check."""
    if result.valid and result.audit is not None:
        headline = (
            f"{result.standing.headline('VALID', '')}: {result.path} is "
            f"({model(result.manifest.target)})-anonymous, as its manifest claims{_as_demanded(result)}."
        )
    else:
        headline = f"NOT VALID: {result.path} is not what its manifest claims or what you demand."
    limits = (*result.warnings, *_limits(result))
    return Page(
        headline=headline,
        explanation=tuple(but_no_yes(result.standing)),
        sections=(
            before_relying(result.problems, "What is wrong"),
            Section("What is claimed", tuple(_claimed(result))),
            Section("How the file was read", tuple(_read(result))),
            Section("What was found in the file", tuple(_found(result))),
            Section("Stated by the publisher, not checked", tuple(_stated(result))),
            before_relying(limits),
        ),
        good=result.standing.good,
    )


def _input_selection(made: Anonymized) -> Selection | None:
    """Return which part of the data the input was, before records were suppressed."""
    selection, suppressed = made.table.selection, made.distortion.records_withheld
    if selection is None:
        return None
    numbers = {field.name: getattr(selection, field.name) for field in dataclasses.fields(Selection)}
    return Selection.made(**{**numbers, "records": selection.records + suppressed})


def _done(made: Anonymized, read: ReadOptions | None = None) -> Iterator[str]:
    """Say what was done to the records; ``read`` is how the written file is read."""
    cost, chosen = made.distortion, made.parameters
    total = made.table.n_records + cost.records_withheld
    how = f"method {made.method}"
    how += "" if chosen.strategy is None else f", strategy {chosen.strategy}"
    how += "" if chosen.grouping is None else f", grouping {chosen.grouping}"
    how += "" if chosen.fill is None else f", fill {chosen.fill}"
    how += "" if chosen.scheme is None else f", scheme {chosen.scheme}, labels {chosen.labels}"
    yield f"{how}: {as_options(made.statement)}"
    yield from _columns(made.table)
    suppressed = cost.records_withheld
    yield (
        f"{count(made.table.n_records, 'record')} of {total:,} released; "
        + (f"{suppressed:,} suppressed ({share(suppressed, total)})" if suppressed else "none suppressed")
        + (
            f", and with them {share(cost.ratings_withheld, max(1, cost.ratings))} of the ratings"
            if suppressed
            else ""
        )
    )
    if read is not None and read.layout == "long" and not read.timestamps:
        yield "timestamps, if the input has any, are not released"
    if cost.quasi is not None:
        yield _quasi_cost(cost.quasi)
    if cost.cells_touched == 0:
        yield "no rating of a released record was changed"
        return
    yield from _cost(cost, chosen.fill)


def _columns(table: RatingTable) -> Iterator[str]:
    """Say which columns beside ratings are released, and how many of which role are not."""
    if table.quasi:
        recoded = [f"{one.name} by {one.recoded}" for one in table.quasi if one.recoded]
        more = f"; recoded: {', '.join(recoded)}" if recoded else ""
        yield f"quasi-identifiers in the release: {_rules(table)}{more}"
    if table.carried:
        yield f"released though NOBODY AUDITED them: {', '.join(one.name for one in table.carried)}"
    roles = [] if table.roles is None else [role for _, role in table.roles.columns]
    left_out = [
        count(roles.count(role), noun)
        for role, noun in (("identifier", "direct identifier"), ("drop", "dropped column"))
        if role in roles
    ]
    if left_out:
        yield f"not in the release, nor named by its manifest: {' and '.join(left_out)}"


def _rules(table: RatingTable) -> str:
    return ", ".join(f"{one.name} ({one.described})" for one in table.quasi)


def _quasi_cost(cost: QuasiDistortion) -> str:
    """Say what became of the quasi-identifiers."""
    if not cost.erased and not cost.changed:
        return f"quasi-identifiers of released records are as they were ({count(cost.cells, 'value')} in all)"
    whole = max(1, cost.cells)
    moved = f"{cost.changed:,} moved ({share(cost.changed, whole)}) and " if cost.changed else ""
    return (
        f"of {count(cost.cells, 'value')} of quasi-identifiers {moved}{cost.erased:,} suppressed "
        f"({share(cost.erased, whole)}), in {count(cost.records_touched, 'record')}; no category was changed "
        "into another, and none invented"
    )


def _cost(cost: Distortion, fill: str | None) -> Iterator[str]:
    """Say what became of the ratings, as shares of them, and how that shifts them."""
    ratings = max(1, cost.ratings)
    imputed = ""
    if cost.filled:
        as_many = f"as many as {share(cost.filled, ratings)} of them"
        imputed = f"; {cost.filled:,} imputed where there was none ({as_many})"
    yield (
        f"of the input's {count(cost.ratings, 'rating')} {cost.changed:,} changed "
        f"({share(cost.changed, ratings)}) and {cost.erased:,} suppressed ({share(cost.erased, ratings)})"
        f"{imputed}; in {count(cost.records_touched, 'record')}"
    )
    text = (
        f"information loss (L1, the papers' distortion) {number(cost.total)}: the sum of all differences "
        f"between old and new ratings, {cost.total / ratings:.2g} for each rating of the input"
    )
    if cost.filled or cost.erased:
        text += ". The papers' measure counts an unanswered cell as 0"
        if cost.total == 0:
            amount = cost.filled + cost.erased
            text += (
                f": to suppress or impute a 0, as here in {count(amount, 'cell')}, adds nothing to it, but "
                f"{plural(amount, 'is a change', 'are changes')} all the same"
            )
    yield text
    if cost.mean_before is None or cost.mean_after is None:
        return
    means = f"the mean of all ratings was {cost.mean_before:.3g} and is {cost.mean_after:.3g}"
    if cost.mean_filled is None:
        yield means
        return
    means += f"; that of the imputed ones is {cost.mean_filled:.3g} (SD {cost.sd_filled:.2g})"
    if fill == "metric":
        means += (
            ". These were chosen for that measure, by which ratings near 0 cost least; --set fill=median "
            "imputes medians instead"
        )
    yield means


def _proved(made: Anonymized, result: AuditResult, how: str) -> Iterator[str]:
    target = result.parameters
    yield (
        f"{how}: {every_record(target.k, target.epsilon)} The largest k that holds is "
        f"{result.k_epsilon.max_k}"
    )
    yield from counted_as_equal(result.equal, result.dataset.records, target.k, target.epsilon)
    if made.table.quasi:
        yield f"such records are the same on the quasi-identifiers: {_rules(made.table)}"
    yield from means_and_not(result)
    if result.k_epsilon_l is not None and target.l is not None:
        yield (
            "the sensitive ratings of every such neighbourhood have a standard deviation of at least "
            f"{in_full(target.l)}; the largest l that holds: {largest_l(result.k_epsilon_l.max_l)}"
        )
    yield f"counted with the rules: {rules(target, result.dataset.sensitive)}"
    yield EPSILON_NOTE


def _links(made: Anonymized) -> Iterator[str]:
    """Say what the ratings of identical records give away of who answered what."""
    claims, k = made.claims, made.parameters.k
    if claims is None:
        return
    links = claims.links
    yield (
        "by the file alone nobody is told apart from the others of the group: they are identical on all but "
        "what is sensitive or not audited"
    )
    if links.mean is None or links.percentile_95 is None or links.largest is None:
        return
    yield (
        f"a released rating says that somebody of its group gave one, not who. Of {links.edges:,} released "
        f"ratings {links.real:,} belong to people who answered that question ({percent(links.mean)}). For "
        f"one of them that is so with a chance (link confidence) of up to {percent(links.percentile_95)} for "
        f"95 % of them, up to {percent(links.largest)} for the most exposed"
    )
    yield (
        f"this chance is above 1/k = {number(1 / k)} for {percent(links.above or 0.0)} of the released "
        f"ratings, above 2/k for {percent(links.above_twice or 0.0)}. For {links.certain:,} everybody of the "
        "group answered. That it is at most 1/k, as Theorem 5.2 of the method's paper says, is false; "
        "neither it nor Theorem 5.3 is a guarantee"
    )
    if claims.exact is not None:
        exact = claims.exact
        yield (
            f"EXACT MEANS GIVE RATERS AWAY: by their denominators {exact.prove_two:,} of {exact.cells:,} "
            f"means prove that at least two of the group answered, and {exact.prove_all:,} that everybody "
            "did; --labels rounded gives no denominators"
        )


def _secret(release: Release) -> Iterator[str]:
    if release.key_path is not None:
        yield (
            f"the key {release.key_path}: it says which record became which, and the hash of the input. "
            "Only its owner may read it. Do not publish it, and do not lose it if you must be able to look a "
            "record up"
        )
    if release.ids != "keep":
        yield "the input: beside it, the release gives away which record is whose"


def _next_steps(made: Release, data: str, release: str, key: str | None) -> Iterator[str | Command]:
    gone, kept = made.anonymized.distortion.records_withheld, made.anonymized.table.n_records
    yield from most_are_gone(made.anonymized.method, gone, kept)
    yield "check the release, as anybody can who has it and its manifest:"
    yield Command(f"ratingpriv verify {shlex.quote(release)}")
    yield from _to_be_measured(made, data, release, key)
    if made.attack is not None and made.utility is not None:
        if too_many_found(made.attack):
            yield (
                f"do not publish {made.path} on the strength of this verdict. Ask for a larger k, a smaller "
                "epsilon or fewer questions; ratingpriv recommend compares what that costs"
            )
        else:
            yield f"{worthless_on(made.utility)}; where that will do, publish {made.path} and " + (
                f"{made.manifest_path} together, unchanged"
            )
    if made.audit.dataset.sensitive and made.anonymized.parameters.l is None:
        yield (
            "set --l as well: without it a neighbourhood may agree on one sensitive answer. Such an SD does "
            "not prevent that one is guessed: ratingpriv audit reports the largest share of an answer"
        )


def _to_be_measured(made: Release, data: str, release: str, key: str | None) -> Iterator[str | Command]:
    """Yield what is to be looked at before it is published, and that it was not where it was not."""
    absent = [what for what, one in (("attack", made.attack), ("utility", made.utility)) if one is None]
    if absent:
        yield (
            f"{' and '.join(absent)} {plural(len(absent), 'has', 'have')} not been measured yet: do not "
            f"publish {made.path} before"
        )
    truth = "ids" if made.ids == "keep" else None if key is None else shlex.quote(key)
    if truth is None:
        yield "attack the release in every detail: that takes a key (--key FILE), which was not kept"
    else:
        yield "attack the release in every detail:"
        yield Command(f"ratingpriv attack {data} --release {shlex.quote(release)} --truth {truth}")
    if made.utility is None:
        yield "measure what it is still good for:"
        by = "" if truth is None else f"--truth {truth}"
        yield Command(f"ratingpriv utility {data} {shlex.quote(release)} {by}".strip())


def _claimed(result: VerifyResult) -> Iterator[str]:
    claim, target = result.manifest, result.manifest.target
    options = claim.read.options
    yield (
        f"every record has at least k = {target.k} {plural(target.k, 'record', 'records')} within epsilon = "
        f"{in_full(target.epsilon)}"
        + ("" if target.l is None else f", with a standard deviation of at least l = {in_full(target.l)}")
        + f"; {rules(target, options.sensitive)}"
    )
    scale = ""
    if options.scale is not None:
        scale = f" on the scale {in_full(options.scale[0])} to {in_full(options.scale[1])}"
    yield f"{count(claim.records, 'record')}{scale}; sensitive: {', '.join(options.sensitive) or 'none'}"
    if rules_of := claim.content.get("quasi"):
        yield "and by quasi-identifiers: " + ", ".join(
            f"{rule['name']} ({rule['rule']}{_amount(rule)})" for rule in rules_of
        )
    if carried := claim.content.get("carried"):
        yield f"of columns that NOBODY AUDITED nothing is claimed: {', '.join(carried)}"
    if result.public_key is not None:
        yield (
            f"signed by the key {result.public_key.path} (SHA-256 {result.public_key.sha256})"
            if result.signed_by_it
            else f"NOT signed by the key {result.public_key.path}"
        )
    elif result.signed:
        yield "signed; the signature was not checked"
    else:
        yield "not signed: anybody may have written it"


def _amount(rule: Mapping[str, Any]) -> str:
    return f" {in_full(rule['within'])}" if "within" in rule else ""


def _read(result: VerifyResult) -> Iterator[str]:
    """Say how the file was read, and by whose word."""
    if result.reading is None:
        return
    columns, options = result.reading.columns, result.reading.options
    whose = "by your word" if result.reading.words["columns"] == "receiver" else "as the file shows it"
    how = f"{result.reading.format}, a row a {'rating' if columns.layout == 'long' else 'record'}"
    how += f"; records by {'their rows' if columns.record is None else f'column {columns.record!r}'}"
    if columns.layout == "long":
        how += f", issues by {columns.issue!r}, ratings by {columns.rating!r}"
    yield f"{how}: {whose}"
    if result.reading.format != "parquet":
        tokens = ", ".join(token for token in null_tokens(options) if token)
        yield f"unanswered: an empty cell, {tokens}; never a number"
    for title, one in (("for the claim", result.reading), ("for your demand", result.demanded_reading)):
        if one is not None:
            yield f"{title}, {_taken(one)}"


def _taken(one: Reading) -> str:
    """Say what was taken for sensitive, and for the scale, and by whose word."""
    whose = {"manifest": "by the manifest's word", "receiver": "by your word", "file": "as found"}
    names = ", ".join(column.name for column in one.table.sensitive)
    text = f"sensitive: {names} ({whose[one.words['sensitive']]})" if names else "no issue is sensitive"
    if one.table.quasi:
        text = f"quasi-identifiers: {_rules(one.table)} ({whose[one.words['quasi']]}); {text}"
    scale = one.table.scale
    if scale is None:
        return text
    ends = f"{in_full(scale.minimum)} to {in_full(scale.maximum)}"
    return f"{text}; scale {ends} ({whose[one.words['scale']]})"


def _as_demanded(result: VerifyResult) -> str:
    if result.demanded is None:
        return ""
    return f"; as you demand, ({model(result.demanded.parameters)})-anonymous"


def _stated(result: VerifyResult) -> Iterator[str]:
    """Say what nobody can count again from the release."""
    content = result.manifest.content
    method, cost = content["method"], content["distortion"]
    yield f"made by {method['name']}: {as_options(method['statement'])}"
    yield (
        f"{count(content['records']['withheld'], 'record')} suppressed; {cost['changed']:,} ratings changed, "
        f"{cost['filled']:,} imputed and {cost['erased']:,} suppressed; information loss (L1) "
        f"{number(cost['total'])}"
    )
    for name, measure in content.get("utility", {}).items():
        yield f"utility, {stated_measure(name, measure)}"


def _found(result: VerifyResult) -> Iterator[str]:
    for title, one in (("for the claim", result.audit), ("for your demand", result.demanded)):
        if one is not None:
            yield f"{title}, {_numbers(one)}"
            target = one.parameters
            yield from counted_as_equal(one.equal, one.dataset.records, target.k, target.epsilon)
    if result.as_written:
        yield "byte for byte it is what is written of the table that was read"


def _numbers(result: AuditResult) -> str:
    target = result.parameters
    text = f"at epsilon = {in_full(target.epsilon)} the largest k that holds is {result.k_epsilon.max_k}"
    if result.k_epsilon_l is not None:
        for name, value in result.k_epsilon_l.max_l.items():
            text += f", the largest l of {name} is {'any' if value is None else rounded_down(value)}"
    verdict = "satisfied" if result.satisfied else "NOT satisfied"
    sought = f"k = {target.k}" + ("" if target.l is None else f", l = {in_full(target.l)}")
    return f"{text}: {sought} {verdict}, with {rules(target, result.dataset.sensitive)}"


def _limits(result: VerifyResult) -> Iterator[str]:
    if not result.valid:
        return
    if result.public_key is None:
        yield (
            "this proves what the file holds, not who wrote it: who can replace the release can replace its "
            "manifest by one that claims less, so compare the claim with what you were promised"
        )
    if result.demanded is None:
        yield "demand what you need with --k, --epsilon and --l"
    yield EPSILON_NOTE
