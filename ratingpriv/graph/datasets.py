"""Datasets as a store's nodes say them: spec to properties and back,
and whether a question fits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ratingpriv.base.errors import DatasetIncompleteError, ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import QuasiRule
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.store import DatasetInfo, DatasetSpec, Store

KINDS = ("issues", "groups", "records", "ratings", "pairs")
"""What a load brings, in the order in which it comes."""


def _camel(name: str) -> str:
    """Return the property of a Dataset node for a field of its spec."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def check_spec(spec: DatasetSpec) -> None:
    """Raise ParameterError for a name that no dataset has, or levels at which no sizes are."""
    if not 1 <= len(spec.name) <= 200 or "\0" in spec.name:
        raise ParameterError("dataset", spec.name, "a name of 1 to 200 characters")
    rising = all(a < b for a, b in itertools.pairwise(spec.levels))
    if spec.levels and not (rising and spec.levels[0] == 0 and spec.levels[-1] == spec.epsilon_max):
        expected = f"distances that ascend from 0 to {in_full(spec.epsilon_max)}, or none"
        raise ParameterError("levels", spec.levels, expected)


def token_of(spec: DatasetSpec, base: DatasetSpec | None = None) -> str:
    """Name the load of ``spec``: equal specs have equal tokens,
    so a second load goes on with the first.

    ``base`` : what is there, to which the load adds the rest
    """
    specs = [
        dataclasses.asdict(spec_given) for spec_given in (spec, base) if spec_given is not None
    ]
    text = json.dumps(specs, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def properties_of(spec: DatasetSpec) -> dict[str, Any]:
    """Return the properties of a Dataset node; None (no property) for what is not known.

    Of quasi-identifiers: ``quasi`` says the rules in words, ``quasiRules`` as JSON text, and
    ``quasiProperties`` in which properties of HammingGroup (equal) and Record (within) the values
    are.
    """
    properties = {_camel(name): value for name, value in dataclasses.asdict(spec).items()}
    rules = spec.quasi
    return {
        **properties,
        "levels": list(spec.levels) or None,
        "everyLevel": spec.every_level if spec.levels else None,
        "quasi": rules_in_words(rules) if rules else None,
        "quasiRules": json.dumps([rule.to_dict() for rule in rules]) if rules else None,
        "quasiProperties": list(quasi_properties(rules)) if rules else None,
    }


def rules_in_words(rules: Sequence[QuasiRule]) -> str:
    """Return the rules of quasi-identifiers as ``age equal (band=10), income within 5000``."""
    return ", ".join(
        f"{rule.name} {rule}" + (f" ({rule.recoded})" if rule.recoded else "") for rule in rules
    )


def quasi_properties(rules: Sequence[QuasiRule]) -> tuple[str, ...]:
    """Return the property that holds the values of each quasi-identifier.

    ``quasi_`` and the name where that is plain ASCII letters, digits and underscores, else its
    number, so that no name is taken for another property, needs quoting in Cypher, or means
    something to an import.
    """
    return tuple(
        f"quasi_{rule.name if _PLAIN.fullmatch(rule.name) else number}"
        for number, rule in enumerate(rules)
    )


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}", re.ASCII)


def info_of(store: Store, node: Mapping[str, Any], load: Mapping[str, Any] | None) -> DatasetInfo:
    """Read a Dataset node of ``store``, and the Load node of its name where there is one."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(DatasetSpec):
        if field.name == "quasi":
            rules = json.loads(node.get("quasiRules") or "[]")
            values["quasi"] = tuple(
                QuasiRule(rule["name"], rule.get("within"), rule.get("recoded", ""))
                for rule in rules
            )
            continue
        if field.name == "levels":  # a dataset that was ingested before there were any has none
            values["levels"] = tuple(map(float, node.get("levels") or ()))
            continue
        value = node.get(_camel(field.name))
        if value is None and field.default is dataclasses.MISSING:
            value = 0  # a Dataset node of another tool
        values[field.name] = field.default if value is None else value
    return DatasetInfo(
        spec=DatasetSpec(**values),
        complete=node.get("complete") is True and node.get("changing") is None,
        created_at=str(node.get("createdAt", "")),
        loading=load is not None,
        loaded=None if load is None else arrived(load),
        growing=load is not None and load.get("appends") is True,
        store=store,
    )


def arrived(load: Mapping[str, Any]) -> dict[str, int]:
    """Return how much of each kind a Load node says has arrived."""
    return {kind: int(load[f"{kind}Done"]) for kind in KINDS}


def check_fits(info: DatasetInfo, query: Query, params: Mapping[str, Any], uri: str) -> None:
    """Refuse a question that the dataset cannot answer rightly."""
    spec = info.spec
    if not info.complete:
        raise DatasetIncompleteError(
            uri, _progress(info), "run the same ratingpriv ingest again to complete it"
        )
    epsilon = params.get("epsilon")
    if isinstance(epsilon, int) and not isinstance(epsilon, bool):
        epsilon = float(epsilon)  # of 64 bits; a text of the user's own takes a whole number, too
    if isinstance(epsilon, float) and epsilon < 0:
        raise ParameterError("epsilon", epsilon, "a finite number >= 0")
    if isinstance(epsilon, float) and epsilon > spec.epsilon_max:
        raise ParameterError(
            "epsilon",
            epsilon,
            f"at most {in_full(spec.epsilon_max)}, as far as dataset {spec.name!r} was ingested",
            f"ingest it again with `epsilon={in_full(epsilon)}`",
        )
    if spec.quasi and "RATED-ONLY" in query.reads:
        names = ", ".join(rule.name for rule in spec.quasi)
        what = (
            f"a query that knows the rules of the quasi-identifiers of dataset {spec.name!r} "
            f"({names})"
        )
        raise ParameterError("query", query.id, what, "audit the data file instead")
    if spec.edges == "all":
        return
    few = f"with fewer than {spec.k} in their neighbourhood"
    only = f"dataset {spec.name!r} holds only the pairs of records {few}"
    again = "ingest it again with `edges='all'`"
    if "PROXIMATE" in query.reads:
        remedy = f"{again}, or query the records at risk"
        raise ParameterError(
            "query", query.id, f"a query that needs no other pairs: {only}", remedy
        )
    distance = epsilon if isinstance(epsilon, float) else None
    if (
        "PROXIMATE-OR-SIZES" in query.reads
        and distance is not None
        and spec.level_at(distance) is None
    ):
        if not spec.levels:
            remedy = "ingest it again, so that records have their sizes"
            raise ParameterError("epsilon", distance, f"none without sizes: {only}", remedy)
        levels_text = (
            f"{' or '.join(map(in_full, spec.levels))}, the distances at which records have "
            f"their sizes"
        )
        raise ParameterError("epsilon", distance, f"{levels_text}: {only}", again)
    if "PROXIMATE-AT-RISK" in query.reads:
        k = params.get("k")
        if isinstance(k, int) and spec.k is not None and k > spec.k:
            raise ParameterError(
                "k", k, f"at most {spec.k}: {only}", f"ingest it again with `k={k}`"
            )
        if distance is not None and distance != spec.epsilon_max:
            raise ParameterError("epsilon", distance, f"{in_full(spec.epsilon_max)}: {only}", again)


def _progress(info: DatasetInfo) -> str:
    text = f"dataset {info.spec.name!r} is not complete"
    if info.loaded is None:
        return text
    if info.growing:
        return (
            f"{text} (more records are being added to its {info.spec.records}, or that broke off)"
        )
    announced = {kind: getattr(info.spec, kind) for kind in KINDS}
    short = [
        f"{info.loaded[k]} of {most} {k}" for k, most in announced.items() if info.loaded[k] < most
    ]
    arrived = f"{', '.join(short)} arrived" if short else "everything arrived, not yet counted"
    return f"{text} ({arrived})"
