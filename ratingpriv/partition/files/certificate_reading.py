"""A certificate's text becomes its claim, or is refused: every key, type and number is looked at.

A file like this may come from anybody. What a certificate does not have, or has twice, is refused by name,
and so is a number that float64 does not keep: what is checked must be what stands there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.numbers import inexact
from ratingpriv.base.target import Target
from ratingpriv.data.formats.strict_json import strict_json

_SCHEMA = "ratingpriv.certificate/1"

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_INT64 = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True, slots=True)
class Group:
    """Ids of its records, and the least and the largest rating by issue, as stated."""

    records: tuple[int | str, ...]
    ranges: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """The rule of a quasi-identifier as stated: equal values where ``within`` is None."""

    name: str
    within: float | None
    recoded: str

    def __str__(self) -> str:
        """Return it in words."""
        said = "equal" if self.within is None else f"within {self.within:.15g}"
        return f"{said}, {self.recoded}" if self.recoded else said

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contracts have it."""
        within = {} if self.within is None else {"within": self.within}
        recoded = {"recoded": self.recoded} if self.recoded else {}
        return {"name": self.name, "rule": "within" if within else "equal", **within, **recoded}


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a certificate says; ``sha256`` is None where it names no hash of the data."""

    records: int
    sha256: str | None
    claim: Target
    groups: tuple[Group, ...]
    withheld: tuple[int | str, ...]
    quasi: tuple[Rule, ...] = ()


class _RefusedError(ValueError):
    """What is wrong, in words."""


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate; DataError where it cannot be read, or is none, names what is missing or wrong."""
    try:
        return _certificate(strict_json(Path(path).read_bytes(), whole=_INT64, exact=True))
    except OSError as error:
        problem = error.strerror or "no readable file"
    except RecursionError:
        problem = "lists in lists, too deep to be read"
    except UnicodeDecodeError:
        problem = "a file that is not UTF-8"
    except json.JSONDecodeError as error:
        problem = f"no JSON (line {error.lineno}: {error.msg})"
    except ValueError as error:
        problem = str(error)
    expected = f"a certificate ({_SCHEMA}), as ratingpriv partition --certificate writes it"
    raise DataError(Problem(file=str(path), found=problem, expected=expected))


def _certificate(content: Any) -> Certificate:
    keys = ("schema", "dataset", "parameters", "groups", "withheld")
    rules = isinstance(content, dict) and "quasi" in content
    top = _object("the file", content, *keys, *(["quasi"] if rules else []))
    if top["schema"] != _SCHEMA:
        raise _RefusedError("another schema")
    dataset = _object("dataset", top["dataset"], "name", "records", "sha256")
    parameters = _object("parameters", top["parameters"], "k", "epsilon", "l", "nulls", "sensitive_nulls")
    _a(str, "dataset.name", dataset["name"], "a text")
    sha256 = dataset["sha256"]
    if sha256 is not None and not (isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
        raise _RefusedError("dataset.sha256 that is neither null nor 64 hexadecimal digits")
    return Certificate(
        records=_count("dataset.records", dataset["records"], 0),
        sha256=sha256,
        claim=Target(
            k=_count("parameters.k", parameters["k"], 1),
            epsilon=_amount("parameters.epsilon", parameters["epsilon"]),
            l=None if parameters["l"] is None else _amount("parameters.l", parameters["l"], 1e-100),
            nulls=_word("parameters.nulls", parameters["nulls"], "strict", "wildcard"),
            sensitive_nulls=_word(
                "parameters.sensitive_nulls", parameters["sensitive_nulls"], "paper", "ignore"
            ),
        ),
        groups=tuple(
            _group(f"groups[{g}]", group)
            for g, group in enumerate(_a(list, "groups", top["groups"], "a list"))
        ),
        withheld=_ids("withheld", top["withheld"]),
        quasi=_rules(top["quasi"]) if rules else (),
    )


def _rules(content: Any) -> tuple[Rule, ...]:
    rules = [_rule(f"quasi[{i}]", one) for i, one in enumerate(_a(list, "quasi", content, "a list"))]
    if not rules or len({rule.name for rule in rules}) < len(rules):
        raise _RefusedError("quasi that is empty, or names a column twice")
    return tuple(sorted(rules, key=lambda rule: rule.name))


def _rule(where: str, content: Any) -> Rule:
    found = _a(dict, where, content, "an object")
    optional = [key for key in ("within", "recoded") if key in found]
    rule = _object(where, found, "name", "rule", *optional)
    name = _a(str, f"{where}.name", rule["name"], "a text")
    kind = _word(f"{where}.rule", rule["rule"], "equal", "within")
    if (kind == "within") != ("within" in rule):
        raise _RefusedError(f"{where}.rule that does not go with the rest of it")
    within = _amount(f"{where}.within", rule["within"]) if kind == "within" else None
    return Rule(name, within, _a(str, f"{where}.recoded", rule.get("recoded", ""), "a text"))


def _group(where: str, content: Any) -> Group:
    group = _object(where, content, "records", "ranges")
    ranges = _a(dict, f"{where}.ranges", group["ranges"], "an object")
    for ends in ranges.values():
        if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_number, ends)):
            raise _RefusedError(f"{where}.ranges with something other than [least, largest]")
    stated = {name: (float(least), float(largest)) for name, (least, largest) in ranges.items()}
    return Group(_ids(f"{where}.records", group["records"]), stated)


def _object(where: str, content: Any, *keys: str) -> dict[str, Any]:
    fields: dict[str, Any] = _a(dict, where, content, "an object")
    missing = [key for key in keys if key not in fields]
    if missing:
        raise _RefusedError(f"no {missing[0]!r} in {where}")
    unknown = [key for key in fields if key not in keys]
    if unknown:
        raise _RefusedError(f"{len(unknown)} unknown key{'s' if len(unknown) > 1 else ''} in {where}")
    return fields


def _a(kind: type, where: str, value: Any, expected: str) -> Any:
    if not isinstance(value, kind):
        raise _RefusedError(f"{where} that is not {expected}")
    return value


def _ids(where: str, value: Any) -> tuple[int | str, ...]:
    ids = _a(list, where, value, "a list")
    if not all(isinstance(one, str) or (isinstance(one, int) and not isinstance(one, bool)) for one in ids):
        raise _RefusedError(f"{where} with something other than record ids, texts or whole numbers")
    return tuple(ids)


def _count(where: str, value: Any, minimum: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise _RefusedError(f"{where} that is not a whole number >= {minimum}")
    return value


def _amount(where: str, value: Any, least: float = 0.0) -> float:
    if not _is_number(value) or value < 0 or inexact(repr(value)) is not None or 0 < value < least:
        above = f"0, or a number >= {least:g}," if least else "a number >= 0"
        raise _RefusedError(f"{where} that is not {above} of at most 15 significant digits")
    return float(value)


def _word(where: str, value: Any, *words: str) -> str:
    if not isinstance(value, str) or value not in words:
        raise _RefusedError(f"{where} that is none of {', '.join(words)}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
