"""The checker of certificates: small, in plain Python, straight from the definitions.

A certificate may come from anybody: every key, type and number is looked at, and what it does not
have, has twice, or states as a number that float64 does not keep is refused by name. Ratings are
read from the table alone; the ranges that are stated are compared with them, never relied on.
Decimals are compared as the decimals that are written. What is claimed may be too little: so the
claim is part of the result, and who receives a certificate can demand more.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.numbers import in_full, inexact, strict_json
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import Target
from ratingpriv.data.table import QuasiColumn, QuasiRule, RatingTable
from ratingpriv.documents.data import QuasiIdentifier
from ratingpriv.documents.partition import Certificate
from ratingpriv.proximity.neighbourhoods import EqualRecords, equal_records
from ratingpriv.proximity.reservations import reservations

_SCHEMA = "ratingpriv.certificate/1"
_INT64 = range(-(1 << 63), 1 << 63)

type _Rules = dict[str, QuasiRule]


def read_certificate(path: str | Path) -> tuple[Certificate, Target, _Rules]:
    """Return what a certificate says, what it claims, and the rules of quasi-identifiers by name.

    DataError where it cannot be read, or is none, names what is missing or wrong.
    """
    try:
        content = strict_json(Path(path).read_bytes(), whole=_INT64, exact=True)
        stated = msgspec.convert(content, Certificate)
        claim = Target(**msgspec.structs.asdict(stated.parameters))
        rules = {} if isinstance(stated.quasi, msgspec.UnsetType) else _rules(stated.quasi)
        for number in (claim.epsilon, claim.l, *(rule.within for rule in rules.values())):
            if number is not None and inexact(repr(number)) is not None:
                raise ValueError("an epsilon, an l or a rule of more than 15 significant digits")
        return stated, claim, rules
    except OSError as error:
        problem = error.strerror or "no readable file"
    except UnicodeDecodeError:
        problem = "a file that is not UTF-8"
    except json.JSONDecodeError as error:
        problem = f"no JSON (line {error.lineno}: {error.msg})"
    except ValueError as error:  # as a ParameterError is, and a ValidationError
        problem = _shown(error, 200)
    expected = f"a certificate ({_SCHEMA}), as ratingpriv partition --certificate writes it"
    raise DataError(Problem(file=str(path), found=problem, expected=expected))


def _rules(stated: Sequence[QuasiIdentifier]) -> _Rules:
    """Return the rules of quasi-identifiers that are stated, by name."""
    rules = {}
    for rule in stated:
        if (rule.rule == "equal") != isinstance(rule.within, msgspec.UnsetType):
            raise ValueError("a rule of quasi that does not go with the rest of it")
        within = None if isinstance(rule.within, msgspec.UnsetType) else rule.within
        rules[rule.name] = QuasiRule(rule.name, within, rule.recoded or "")
    if len(rules) < max(len(stated), 1):
        raise ValueError("quasi that is empty, or names a column twice")
    return rules


_SHOWN = 20

type _Row = dict[int, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateCheck:
    """What :func:`check_certificate` found.

    Attributes
    ----------
    holds : whether every group is what the certificate says
    everybody : whether every record is in a group: with ``holds``, the data is (k,ε)-anonymous, and
        (k,ε,l) by groups where l is stated
    claim, demand : what the certificate claims; what was demanded, numbers that were not given as
        claimed
    meets_demand : whether the groups give it; None: nothing was demanded
    quasi : the rules of the data's quasi-identifiers, which every group was held to
    sensitive : the sensitive issues that l was checked on; other ones were not looked at
    withheld, withheld_records : how many records are in no group, and their ids: nothing is said of
        them
    hash_compared : whether the data's SHA-256 is the one that the certificate names; False: the
        certificate and the data have none to compare
    cautions : why what was claimed, or demanded, says little: k = 1, an ε that covers ratings,
        wildcard
    equal : the records counted as equal, at ε = 0; None where there is none
    problems : what is wrong, in sentences; the first few
    """

    holds: bool
    everybody: bool
    claim: Target
    demand: Target | None
    meets_demand: bool | None
    quasi: tuple[QuasiRule, ...]
    sensitive: tuple[str, ...]
    records: int
    groups: int
    withheld: int
    withheld_records: tuple[int | str, ...]
    hash_compared: bool
    cautions: tuple[Caution, ...]
    accept: tuple[str, ...]
    equal: EqualRecords | None
    problems: tuple[str, ...]

    @property
    def asked(self) -> Target:
        """What the groups were held to: what was demanded, or else what is claimed."""
        return self.claim if self.demand is None else self.demand

    @property
    def standing(self) -> Standing:
        """What the check comes to with its reservations."""
        held = self.holds and self.everybody and self.meets_demand is not False
        return Standing.of(held, self.cautions, self.accept)

    @property
    def right(self) -> bool:
        """Whether the certificate may be relied on."""
        return self.standing.passes

    def __bool__(self) -> bool:
        """Whether the certificate may be relied on."""
        return self.standing.plain


def check_certificate(
    path: str | Path, table: RatingTable, *, accept: Sequence[str] = (), **demands: Any
) -> CertificateCheck:
    """Confirm a certificate against the data it is about.

    Checks [SWLP10, §4.3]: every record of ``table`` is in one group or among those suppressed,
    once; each group has k records, which rate the same issues (where a null separates) with a range
    of at most ε on each, and the SD that is stated [SWLZ11, Eq. 3]; the ranges are as stated; the
    data have the SHA-256 that is named, and one is named where the data are from a file. The
    quasi-identifiers of the data are those that are stated, with the same rules and recoding, and
    each group meets the rules.

    ``accept`` has codes of reservations that change what a check says
    (:mod:`ratingpriv.base.reservations`). ``demands`` (those of :class:`Target`) are what is
    needed, whatever is claimed, counted in the data as the claim is. A number that is not given is
    as claimed; a rule is what it is in a Target, and so never the certificate's.
    """
    accept = checked_codes(accept)
    stated, claim, named = read_certificate(path)
    demand = _demand(claim, demands, table)
    number = _as_numbers(table.levels.tolist())
    rules = {
        column.name: column.described for column in sorted(table.quasi, key=lambda one: one.name)
    }
    problems = [*_wrong_data(stated, claim, table), *_wrong_rules(named, rules)]
    short: list[str] = []
    position = {record: row for row, record in enumerate(table.record_ids.to_list())}
    met: set[int] = set()
    for g, group in enumerate(stated.groups):
        members = _members(group.records, position, met, f"group {g}", problems)
        rows = [_row(table, t, number) for t in members]
        actual = {table.issues[issue]: ends for issue, ends in _ranges(rows).items()}
        ranges = {
            issue: (number(least), number(largest))
            for issue, (least, largest) in group.ranges.items()
        }
        if ranges != actual:
            problems.append(f"group {g}: the ranges stated are not those of the data")
        problems += _wrong(rows, members, claim, table, number, f"group {g}")
        if demand is not None:
            short += _wrong(rows, members, demand, table, number, f"demanded, group {g}")
    withheld = _members(stated.withheld, position, met, "withheld", problems)
    if len(met) < table.n_records:
        problems.append(
            f"{table.n_records - len(met)} records of the data are not in the certificate"
        )
    target = claim if demand is None else demand
    by_sd = claim.l is not None or target.l is not None
    return CertificateCheck(
        holds=not problems,
        everybody=not stated.withheld and len(met) == table.n_records,
        claim=claim,
        demand=demand,
        meets_demand=None if demand is None else not short,
        quasi=tuple(rules.values()),
        sensitive=tuple(column.name for column in table.numeric_sensitive if by_sd),
        records=table.n_records,
        groups=len(stated.groups),
        withheld=len(withheld),
        withheld_records=tuple(table.record_ids[t] for t in withheld),
        hash_compared=stated.dataset.sha256 is not None and table.origin.sha256 is not None,
        cautions=tuple(one for one in reservations(table, target, k=target.k) if one.reservation),
        accept=accept,
        equal=equal_records(table, target.k, target.nulls, Resources())
        if table.n_records
        else None,
        problems=tuple((problems + short)[:_SHOWN]),
    )


def _row(table: RatingTable, t: int, number: Any) -> _Row:
    """Return the ratings of a record by the position of their issue."""
    entries = range(*table.indptr[t : t + 2])
    return {int(table.indices[e]): number(table.levels[table.codes[e]]) for e in entries}


def _demand(claim: Target, demands: Mapping[str, Any], table: RatingTable) -> Target | None:
    """Return what was demanded, checked; None where nothing was."""
    given = {name: value for name, value in demands.items() if value is not None}
    fields = [field.name for field in dataclasses.fields(Target)]
    for name in given:
        if name not in fields:
            raise ParameterError("check_certificate", name, "one of " + ", ".join(fields))
    if "l" in given and not table.numeric_sensitive:
        raise ParameterError(
            "l", given["l"], "data with a sensitive item", "name one with `sensitive`"
        )
    numbers = {"k": claim.k, "epsilon": claim.epsilon, "l": claim.l}
    return Target(**{**numbers, **given}) if given else None


def _wrong_data(stated: Certificate, claim: Target, table: RatingTable) -> Iterator[str]:
    """Yield why the certificate is not of this data."""
    records, sha256 = stated.dataset.records, stated.dataset.sha256
    if records != table.n_records:
        yield f"the data has {table.n_records} records, and the certificate is of {records}"
    if sha256 is None and table.origin.sha256 is not None:
        yield "the certificate names no SHA-256 of the data, which are from a file and have one"
    elif table.origin.sha256 is not None and sha256 != table.origin.sha256:
        yield "the data has another SHA-256 than the certificate names"
    if claim.l is not None and not table.numeric_sensitive:
        yield "l is stated, but no item of the data is sensitive"


def _wrong_rules(named: _Rules, actual: _Rules) -> Iterator[str]:
    """Yield where the quasi-identifiers that are named are not those of the data."""
    for name, rule in named.items():
        if name not in actual:
            yield (
                f"{_shown(name)} is stated as a quasi-identifier, and is none here: name it "
                f"with `quasi`"
            )
        elif actual[name] != rule:
            stated_text, so = (
                f"{one}, {one.recoded}" if one.recoded else str(one) for one in (rule, actual[name])
            )
            yield f"the rule of {_shown(name)} is stated as {_shown(stated_text)}, and is {so} here"
    for name in actual:
        if name not in named:
            yield f"{_shown(name)} is a quasi-identifier here, and the certificate does not say so"


def _as_numbers(values: Iterable[float]) -> Any:
    """Return what turns a value into what is compared: a fraction of its decimal,
    or the float64 itself.

    The latter where one has more than 15 significant digits, and so was no text.
    """
    if all(inexact(repr(float(value))) is None for value in values):
        return lambda value: Fraction(Decimal(repr(float(value))))
    return float


def _members(
    records: Iterable[int | str],
    position: Mapping[Any, int],
    met: set[int],
    where: str,
    problems: list[str],
) -> list[int]:
    members = []
    for number, record in enumerate(records, start=1):
        row = position.get(record)
        if row is None:
            problems.append(f"{where}: its record no. {number} is not in the data")
        elif row in met:
            problems.append(f"{where}: its record no. {number} is duplicated")
        else:
            met.add(row)
            members.append(row)
    return members


def _ranges(rows: list[_Row]) -> dict[int, tuple[Fraction, Fraction]]:
    """Return the least and the largest rating of every issue that some row rates."""
    ratings: dict[int, list[Fraction]] = {}
    for row in rows:
        for issue, rating in row.items():
            ratings.setdefault(issue, []).append(rating)
    return {issue: (min(values), max(values)) for issue, values in sorted(ratings.items())}


def _wrong(
    rows: list[_Row],
    members: list[int],
    target: Target,
    table: RatingTable,
    number: Any,
    where: str,
) -> Iterator[str]:
    """Yield why a group is not what is asked of it."""
    epsilon = number(target.epsilon)
    scale = None if table.scale is None else number(table.scale.maximum)
    separates = target.nulls != "wildcard" and (scale is None or scale <= 0 or epsilon < scale)
    if len(rows) < target.k:
        yield f"{where}: {len(rows)} records, fewer than {target.k}"
    if separates and any(set(row) != set(rows[0]) for row in rows):
        yield f"{where}: its records do not rate the same items"
    for issue, (least, largest) in _ranges(rows).items():
        if largest - least > epsilon:
            yield (
                f"{where}: a range of more than {in_full(target.epsilon)} on "
                f"{_shown(table.issues[issue])}"
            )
    for column in table.quasi:
        for wrong in _differing(column, members, wildcard=target.nulls == "wildcard"):
            yield f"{where}: {wrong}"
    if target.l is not None and members:
        for name in _uniform(members, target.l, target.sensitive_nulls, table):
            yield f"{where}: an SD below {target.l:g} on {_shown(name)}"


def _differing(column: QuasiColumn, members: list[int], *, wildcard: bool) -> Iterator[str]:
    """Yield why records do not meet the rule of a quasi-identifier; ``wildcard`` :
    a null meets any.
    """
    values = column.values.to_list()
    cells = [None if code < 0 else values[code] for code in column.codes[members].tolist()]
    present = [cell for cell in cells if cell is not None]
    if not wildcard and 0 < len(present) < len(cells):
        yield f"some of its records have no {_shown(column.name)}, and others have"
    if column.within is None:
        if len(set(present)) > 1:
            yield f"its records differ on {_shown(column.name)}"
    elif present:
        number_of = _as_numbers(values)
        if number_of(max(present)) - number_of(min(present)) > number_of(column.within):
            yield f"a range of more than {column.within:g} on {_shown(column.name)}"


def _uniform(
    members: list[int],
    l: float,  # noqa: E741
    rule: str,
    table: RatingTable,
) -> Iterator[str]:
    """Compare SD² with l² in fractions [SWLZ11, Eq. 3]; a null counts mean², or nothing."""
    for column in table.numeric_sensitive:
        values = [
            Fraction(Decimal(repr(float(column.values[t])))) for t in members if column.present[t]
        ]
        if not values:
            continue
        mean = sum(values) / len(values)
        spread = sum((value - mean) ** 2 for value in values)
        if rule == "ignore":
            variance = spread / len(values)
        else:
            variance = (spread + (len(members) - len(values)) * mean**2) / len(members)
        if variance < Fraction(Decimal(repr(l))) ** 2:
            yield column.name


def _shown(name: object, longest: int = 60) -> str:
    """Return an id or a name on one line, cut where it is long."""
    text = str(name)
    text = text if text.isprintable() else text.encode("unicode_escape", "surrogatepass").decode()
    return text if len(text) <= longest else text[: longest - 3] + "..."
