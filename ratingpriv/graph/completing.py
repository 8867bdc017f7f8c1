"""What a question leaves out and the store knows: its only dataset, that one's ε, k = 5, its only run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Parameter, Query
from ratingpriv.graph.store import DatasetInfo, GraphStore

_USUAL_K = 5
_RUN = ("load/runs", "partition/decompose makes a run")
_RELEASE = ("load/releases", "ratingpriv ingest RELEASE --release-of DATASET loads a release")
_SENSITIVE = ("load/sensitive-issues", "ratingpriv ingest --sensitive NAME loads a sensitive issue")
_NAMED: Mapping[str | None, tuple[str | None, str]] = {
    "run": _RUN,
    "complete-run": _RUN,
    "release": _RELEASE,
    "linked-release": _RELEASE,
    "record": (None, "audit/record-ids lists the ids"),
    "sensitive-issue": _SENSITIVE,
    "numeric-issue": _SENSITIVE,
}
"""By what a parameter names: the query whose first column has all there are, and where one comes from."""

type _Ask = Callable[[Parameter, list[str]], str | None]
"""Asks a person for a value, given those that there are; None where nothing was said."""


def completed(
    store: GraphStore, query: Query, given: Mapping[str, object], ask: _Ask | None = None
) -> dict[str, Any]:
    """Return ``given`` with the parameters that it lacks, as far as the store knows them.

    Only what can be one thing is taken: the only dataset, its only run, release or sensitive issue, and its
    largest ε. k is the one the dataset was ingested with, else 5.
    """
    params = dict(given)
    lacking = {
        param.name: param for param in query.params if param.name not in params and param.default is None
    }

    def fill(parameter: Parameter, choices: list[Any]) -> None:
        if len(choices) == 1:
            params[parameter.name] = choices[0]
        elif ask is not None and (text := ask(parameter, choices)):
            params.update(bind(query, parse_text(query, {parameter.name: text}), partial=True))

    if "dataset" in lacking:
        fill(lacking["dataset"], [stored.spec.name for stored in store.datasets()])
    if isinstance(name := params.get("dataset"), str) and lacking.keys() - params.keys():
        info = store.dataset(name)
        for parameter in lacking.values():
            if parameter.name not in params:
                fill(parameter, _choices(store, query, info, parameter))
    missing = [parameter for parameter in lacking.values() if parameter.name not in params]
    if missing:
        raise _incomplete(query, params, missing)
    return params


def _choices(store: GraphStore, query: Query, info: DatasetInfo, parameter: Parameter) -> list[Any]:
    """Return what a parameter can be in a dataset, as far as that can be listed."""
    known = {
        "epsilon": info.spec.epsilon_max,
        "k": info.spec.k or _USUAL_K,
        "rating_unit": 0.0,  # ratings are compared as they are, with epsilon itself
        "reach": info.spec.epsilon_max,
        "first": 0,
        "last": info.spec.records,
    }
    if parameter.name in known:
        return [known[parameter.name]]
    listing, _ = _NAMED.get(parameter.names, (None, ""))
    if listing is None or not query.is_read:  # nobody removes the only run without naming it
        return []
    return [row[0] for row in store.run(listing, dataset=info.spec.name).rows]


def parameter_text(value: Any) -> str:
    """Return a value as a command line takes it."""
    if isinstance(value, float):
        return in_full(value)
    return value if isinstance(value, str) else json.dumps(value)


def _incomplete(query: Query, params: Mapping[str, Any], missing: list[Parameter]) -> ParameterError:
    """Return the error that names everything that is missing."""
    needed = "; ".join(f"{one.name}, {one.meaning}" for one in missing)
    words = [f"-p {shlex.quote(f'{name}={parameter_text(value)}')}" for name, value in params.items()]
    words += [f"-p {one.name}={one.name.upper()}" for one in missing]
    expected = f"{len(missing)} more parameters ({needed})" if len(missing) > 1 else needed
    hints = [f"ratingpriv query run {query.id} {' '.join(words)}"]
    hints += dict.fromkeys(_NAMED[one.names][1] for one in missing if one.names in _NAMED)
    return ParameterError(missing[0].name, None, expected, "; ".join(hints))
