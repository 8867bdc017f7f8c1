"""How things are said: options instead of Python parameters, and the phrases that several pages share."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ratingpriv.base.cautions import WILDCARD
from ratingpriv.base.numbers import in_full
from ratingpriv.report.page import Section
from ratingpriv.report.plain import count, plural, share

if TYPE_CHECKING:
    from ratingpriv.anonymize.result import AnonymizeParameters
    from ratingpriv.attack.evaluation.experiments import AttackedDataset
    from ratingpriv.audit.frontier.result import FrontierParameters
    from ratingpriv.audit.result import AuditParameters
    from ratingpriv.base.target import Target
    from ratingpriv.data.table.description import TableDescription
    from ratingpriv.partition.result import PartitionParameters

    type _Target = AuditParameters | PartitionParameters | AnonymizeParameters | Target
    type _Rules = _Target | FrontierParameters
    type _Dataset = TableDescription | AttackedDataset

__all__ = [
    "EPSILON_NOTE",
    "SETTINGS",
    "WILDCARD",
    "about_part",
    "alike",
    "alone",
    "as_options",
    "audited",
    "before_relying",
    "every_record",
    "knowledge",
    "model",
    "most_are_gone",
    "not_meant",
    "other_columns",
    "part",
    "pick_at_random",
    "rule_options",
    "rules",
    "target_options",
    "what_it_means",
]

EPSILON_NOTE = (
    "Epsilon is a distance between ratings here: two ratings that differ by no more are indistinguishable. "
    "It is not the epsilon of differential privacy, and nothing of that kind is promised."
)

_PARAMETER = re.compile(r"(?<!`)`([A-Za-z]\w*)(?:=([^`\n]+))?`(?!`)")
_PYTHON_ONLY = frozenset(("frame", "on_detect", "options", "progress", "record_ids", "table"))
SETTINGS = frozenset((
    "alpha", "attributes", "bins", "centres", "confidence",
    "csv-safe", "d0", "date-tolerance", "decimal-comma", "delimiter", "distinct", "diversity",
    "duplicates", "encoding", "entropy", "factors", "fill", "grouping", "header", "interval", "keep",
    "knows-count", "max-share", "memory", "no-fabricate", "only-null", "output-format", "output-layout",
    "phi", "plot-kind", "rating-tolerance", "rho0", "scheme", "sensitive-kind",
    "sensitive-nulls", "sensitive-scale", "sheet", "short", "spark-conf", "spark-master",
    "strategy", "theta", "threads", "timestamp", "unrated", "work",
))  # fmt: skip
"""Options that few need, which the command line takes as ``--set NAME=VALUE``."""
_RENAMED = {
    "issues": "items",
    "items": "known-items",
    "pseudonym_key": "pseudonymize",
    "ratings": "rating",
    "rng": "seed",
    "timestamps": "keep-timestamps",
}
_NEGATED = frozenset(("fabricate", "header", "partition", "sensitive"))  # have a --no- form
_WORDED = {
    "decimal_comma=False": "--set decimal-comma=no",
    "ids": "--strip-ids or --keep-ids",
    "ratings=True": "--ratings",
    "ids='shuffle'": "no --strip-ids and no --keep-ids",
    "ids='strip'": "--strip-ids",
    "ids='keep'": "--keep-ids",
    "date_error=None": "--date-error none",
    "targets=None": "--targets all",
}


def as_options(text: str) -> str:
    """Return a message of the library with the parameters it names in backquotes as options.

    The library speaks Python and the command line options: ```null``` becomes ``--null``,
    ```scale=(1, 5)``` becomes ``--scale 1:5``, ```header=False``` becomes ``--no-header``. What is in
    backquotes and is no parameter stays as it is.
    """
    return _PARAMETER.sub(_as_option, text)


def _as_option(match: re.Match[str]) -> str:
    whole, name, written = match[0], match[1], match[2]
    if name in _PYTHON_ONLY:
        return whole
    if whole[1:-1] in _WORDED:
        return _WORDED[whole[1:-1]]
    stem = _RENAMED.get(name, name.replace("_", "-"))
    if stem in SETTINGS or f"no-{stem}" in SETTINGS:
        return _as_setting(stem, written)
    if written is None:
        return f"--{stem}"
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):  # a placeholder, such as epsilon=E
        return f"--{stem} {written}"
    if value is True:
        return f"--{stem}"
    if value is False or (name in _NEGATED and value in ([], ())):
        return f"--no-{stem}" if name in _NEGATED else f"no --{stem}"
    if value is None:
        return f"no --{stem}"
    if isinstance(value, list | tuple):
        if name == "scale":
            return f"--{stem} " + ":".join(map(_argument, value))
        if name == "issues":
            return f"--{stem} " + shlex.quote(",".join(map(str, value)))
        return " ".join(f"--{stem} {_argument(one)}" for one in value)
    return f"--{stem} {_argument(value)}"


def _as_setting(name: str, written: str | None) -> str:
    """Return a setting as it is typed."""
    if written is None:
        return f"--set {name}"
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return f"--set {name}={written}"
    if isinstance(value, bool):
        if name not in SETTINGS:  # fabricate=False
            name, value = f"no-{name}", not value
        return f"--set {name}={'yes' if value else 'no'}"
    if value is None:
        return f"no --set {name}"
    several = value if isinstance(value, list | tuple) else (value,)
    return " ".join(f"--set {shlex.quote(f'{name}={_plain(one)}')}" for one in several)


def _plain(value: Any) -> str:
    return in_full(value) if isinstance(value, float) else str(value)


def _argument(value: Any) -> str:
    """Return a value as an option takes it, quoted for a shell."""
    if value is Ellipsis:
        return "..."
    return in_full(value) if isinstance(value, float) else shlex.quote(str(value))


def target_options(target: _Target) -> str:
    """Return the options of a target, as ``--k 5 --epsilon 1``, with those of its rules."""
    l = "" if target.l is None else f" --l {in_full(target.l)}"  # noqa: E741
    return f"--k {target.k} --epsilon {in_full(target.epsilon)}{l}{rule_options(target)}"


def rule_options(parameters: _Rules) -> str:
    """Return the options of rules that are not the default, each after a blank; those every command knows."""
    paper = parameters.sensitive_nulls == "paper"
    default = parameters.nulls in ("strict", "known")  # known is of audits alone: others count by strict
    nulls = "" if default else f" --nulls {parameters.nulls}"
    return nulls + ("" if paper else f" --set sensitive-nulls={parameters.sensitive_nulls}")


def model(target: _Target) -> str:
    """Return ``k = 5, epsilon = 1, l = 0.5``."""
    l = "" if target.l is None else f", l = {in_full(target.l)}"  # noqa: E741
    return f"k = {target.k}, epsilon = {in_full(target.epsilon)}{l}"


def rules(parameters: _Rules, sensitive: Sequence[str]) -> str:
    """Return how missing ratings count, and missing sensitive ones where there are any."""
    text = f"missing ratings {parameters.nulls}"
    return f"{text}, missing sensitive ratings {parameters.sensitive_nulls}" if sensitive else text


def audited(dataset: _Dataset) -> str:
    """Return ``300 records, 6 questions, 1,758 ratings``."""
    return (
        f"{count(dataset.records, 'record')}, {count(dataset.issues, 'question')}, "
        f"{count(dataset.ratings, 'rating')}"
    )


def other_columns(dataset: _Dataset) -> str:
    """Return what is beside the ratings, ``; quasi-identifiers: age within 5 (round=1)``; or nothing."""
    said = [
        f"{column.name} {column}{f' ({column.recoded})' if column.recoded else ''}"
        for column in dataset.columns.quasi
    ]
    quasi = f"; quasi-identifiers: {', '.join(said)}" if said else ""
    carried = dataset.columns.carried
    return quasi + (f"; released unaudited: {', '.join(carried)}" if carried else "")


def alike(dataset: _Dataset | None, near: str, *, joined: str = " and ") -> str:
    """Return what records have to be to be indistinguishable: ``near``, and the same on quasi-identifiers.

    ``near`` alone without quasi-identifiers; those alone where there are no ratings.
    """
    if dataset is None or not dataset.columns.quasi:
        return near
    return f"{f'{near}{joined}' if dataset.issues else ''}{dataset.columns.rules}"


def before_relying(warnings: Iterable[str], title: str = "Before you rely on this") -> Section:
    """Return a section of a result's warnings, in options, each once."""
    return Section(title, tuple(dict.fromkeys(map(as_options, warnings))))


def every_record(k: int, epsilon: float, dataset: _Dataset | None = None) -> str:
    """Return what (k,ε)-anonymity says; of a ``dataset`` with quasi-identifiers, those too."""
    near = alike(dataset, f"within a rating distance of {in_full(epsilon)}")
    return f"Every record has at least {count(k, 'record')} (itself included) {near}."


def what_it_means(k: int, epsilon: float, dataset: _Dataset | None = None) -> str:
    """Return what follows from (k,ε)-anonymity for an adversary."""
    known, near = "ratings", f"within {in_full(epsilon)} of them"
    if dataset is not None and dataset.columns.quasi:
        names = dataset.columns.shown([column.name for column in dataset.columns.quasi])
        known, near = f"ratings and {names}" if dataset.issues else names, alike(dataset, near)
    return (
        f"Whoever knows someone's {known} exactly, and accepts every record {near}, is left with at least "
        f"{count(k, 'record')}."
    )


def not_meant(k: int, epsilon: float, dataset: _Dataset | None = None, *, how: bool = True) -> str:
    """Return what does not follow from (k,ε)-anonymity, of knowledge in between; or nothing.

    ``how`` : whether to say which option measures it
    """
    quasi = () if dataset is None else dataset.columns.quasi
    off = [f"by up to {in_full(epsilon)}"] if epsilon > 0 and (dataset is None or dataset.issues) else []
    off += [f"on {one.name} by up to {in_full(one.within)}" for one in quasi if one.within]
    if not off:
        return ""
    measured = "" if quasi or not how else f" Exposure (--exposure {in_full(epsilon)}) measures that."
    return (
        f"It does not say that somebody whose knowledge is off {', or '.join(off)} is left with "
        f"{k:,}: knowledge in between can fit fewer records, down to one.{measured}"
    )


def knowledge(error: float) -> str:
    """Return what an adversary has whose knowledge is off by up to ``error``."""
    return f"knowledge that is off by up to {in_full(error)}" if error else "exact knowledge"


def most_are_gone(method: str, gone: int, kept: int) -> Iterator[str]:
    """Yield, where suppression leaves few people, what keeps them."""
    if method == "suppress" and gone > kept:
        yield (
            f"most of the people are gone ({share(gone, gone + kept)}): --method modify looks for a release "
            "that keeps them, by changing ratings and blanking cells"
        )


def alone(records: int, epsilon: float, dataset: _Dataset | None = None) -> str:
    """Return how many records have nobody near them."""
    return (
        f"{count(records, 'record')} {plural(records, 'is', 'are')} alone in their neighbourhood: no other "
        f"record is {alike(dataset, f'within {in_full(epsilon)} of them')}."
    )


def pick_at_random(fewest: int, marketer: float, epsilon: float, dataset: _Dataset | None = None) -> str:
    """Return prosecutor and marketer risk as chances: of one who picks at random among what fits."""
    near = alike(dataset, f"within {in_full(epsilon)} of the exact ratings")
    return (
        f"A pick at random among the records {near} is right with a "
        f"chance of 1 in {fewest:,} for the record with the fewest; {100 * marketer:.3g} % on average over "
        "all records."
    )


def part(dataset: _Dataset) -> str:
    """Return which part of the data it is, as `` (20 of 1,682 questions)`` to follow its name; or nothing."""
    chosen = _chosen(dataset)
    return f" ({chosen})" if chosen else ""


def about_part(dataset: _Dataset) -> str | None:
    """Return that the result is about a part of the data, where something was left out; else None."""
    chosen = _chosen(dataset)
    if chosen is None:
        return None
    names = dataset.selection.dropped if dataset.selection is not None else ()
    dropped = f" Left out by name: {', '.join(names)}." if names else ""
    return f"This is about {chosen}, not about the whole data.{dropped}"


def _chosen(dataset: _Dataset) -> str | None:
    selection = dataset.selection
    if selection is None:
        return None
    parts = []
    if selection.issues < selection.of_issues:
        parts.append(f"{selection.issues:,} of {selection.of_issues:,} questions")
    if selection.records < selection.of_records:
        parts.append(f"{selection.records:,} of {selection.of_records:,} records")
    return " and ".join(parts) or f"the data without {', '.join(selection.dropped)}"
