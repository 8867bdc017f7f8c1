"""What a question leaves out: the parameters that a dataset itself suggests.

Every query that reads is answered with a dataset alone; :func:`completed` returns what was taken,
and the command line says it. Nothing that a query removes or changes for good is guessed: where a
merge or a loan lacks its cliques, the error names the first candidates.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ratingpriv.base.errors import ParameterError, StoreError
from ratingpriv.base.numbers import in_full
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Parameter, Query
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import DatasetInfo, Row
from ratingpriv.proximity.demands import DEMANDS

_USUAL_K = 5
_USUAL: Mapping[tuple[str, str], Any] = {
    ("l", "FLOAT"): 1.0,  # a standard deviation
    ("l", "INTEGER"): 2,  # groups
    ("b", "INTEGER"): 1,
    ("groups", "INTEGER"): 5,
    ("hamming_group", "INTEGER"): 0,
    ("group", "INTEGER"): 0,
    ("rating_unit", "FLOAT"): 0.0,  # ratings are compared as they are, with epsilon itself
    ("first", "INTEGER"): 0,
    **{
        (name, "INTEGER" if isinstance(value, int) else "FLOAT"): value
        for name, value in (demand.query for demand in DEMANDS.values() if demand.query)
    },
}
"""What is asked where nothing is said, by a parameter's name and type."""

_RUNS = "partition/decompose makes a run"
_RELEASES = "ratingpriv ingest RELEASE --release-of DATASET loads a release"
_SENSITIVE = "ratingpriv ingest --sensitive NAME loads a sensitive issue"
_SOURCES: Mapping[str | None, str] = {
    "run": _RUNS,
    "complete-run": _RUNS,
    "release": _RELEASES,
    "linked-release": _RELEASES,
    "swapped-release": _RELEASES,
    "release-run": "partition/clique-components --dataset DATASET/RUN makes a run of a release",
    "record": "audit/record-ids lists the ids",
    "sensitive-issue": _SENSITIVE,
    "numeric-issue": _SENSITIVE,
}
"""By what a parameter names: where one comes from."""

type Asking = Callable[[Parameter, list[str]], str | None]
"""Asks a person for a value, given those that there are; None where nothing was said."""


def completed(
    store: GraphStore, query: Query, given: Mapping[str, object], ask: Asking | None = None
) -> dict[str, Any]:
    """Return ``given`` with the parameters that it lacks, as the store suggests them.

    The dataset is the only one of the store; ε and k are those of its ingest, k else 5; a record is
    the first at risk, a run or a release the latest that is complete, a sensitive issue the first.

    Raises
    ------
    ParameterError
        Something is missing that the store does not suggest; the message names all of it, a line to
        type, and for a merge or a loan the first candidates.
    """
    params = dict(given)
    lacking = {
        param.name: param
        for param in query.params
        if param.name not in params and param.default is None
    }

    def fill(parameter: Parameter, choices: list[Any]) -> None:
        if len(choices) == 1:
            params[parameter.name] = choices[0]
        elif ask is not None and (text := ask(parameter, choices)):
            params.update(bind(query, parse_text(query, {parameter.name: text}), partial=True))

    if "dataset" in lacking:
        fill(lacking["dataset"], [stored.spec.name for stored in store.datasets()])
    candidates: list[str] = []
    if isinstance(dataset := params.get("dataset"), str) and lacking.keys() - params.keys():
        suggested = _Suggested(store, store.dataset(dataset), query, params)
        for of in (suggested.number, suggested.named):  # a record is at risk at k and epsilon
            for name, parameter in lacking.items():
                if name not in params and (value := of(parameter)) is not None:
                    params[name] = value
        if lacking.keys() - params.keys():
            candidates = suggested.candidates()
        for parameter in lacking.values():
            if parameter.name not in params and not candidates:
                fill(parameter, [])
    missing = [parameter for parameter in lacking.values() if parameter.name not in params]
    if missing:
        raise _incomplete(query, params, missing, candidates)
    return params


class _Suggested:
    """What a dataset suggests for the parameters of a query,
    ``params`` being those that are known.
    """

    def __init__(
        self, store: GraphStore, info: DatasetInfo, query: Query, params: dict[str, Any]
    ) -> None:
        self._store, self._info, self._query, self._params = store, info, query, params

    def number(self, parameter: Parameter) -> Any:
        spec = self._info.spec
        suggestions = {
            "epsilon": spec.epsilon_max,
            "reach": spec.epsilon_max,
            "last": spec.records,
            "k": spec.k or _USUAL_K,
        }
        return suggestions.get(parameter.name, _USUAL.get((parameter.name, parameter.type)))

    def named(self, parameter: Parameter) -> Any:
        """Return the first, or the latest, of what a parameter names; None where there is none."""
        match parameter.names:
            case "record" if parameter.type.startswith("LIST"):
                return self._records()
            case "record":
                return self._at_risk()
            case "complete-run":
                return self._latest_run(self._info.spec.name)
            case "release" | "linked-release" | "swapped-release":
                rows = self._rows("load/releases")
                key = {"linked-release": 2, "swapped-release": 4}.get(str(parameter.names), 1)
                runs = any(one.names == "release-run" for one in self._query.params)
                fits = [
                    row
                    for row in rows
                    if row[1] and row[key] and not (runs and self._latest_run(row[3]) is None)
                ]
                taken = [
                    self._params.get(one.name) for one in self._query.params if one != parameter
                ]
                others = [row for row in fits if row[0] not in taken]  # two releases are compared
                return _latest(others or fits, lambda _: True)
            case "release-run":
                datasets = {row[0]: row[3] for row in self._rows("load/releases")}
                released = datasets.get(self._params.get("run"))
                return None if released is None else self._latest_run(released)
            case "sensitive-issue" | "numeric-issue":
                rows = self._rows("load/sensitive-issues")
                numbers = parameter.names == "numeric-issue"
                issues = [name for name, labels in rows if labels is None or not numbers]
                return issues[0] if issues else None
        if parameter.name == "components" and (placed := self._not_placed()):
            return [placed[0][3]]
        return None

    def candidates(self) -> list[str]:
        """Return, for a merge or a loan, the first lines that could be typed.

        Empty for any other query.
        """
        listing = {
            "partition/merge": ("partition/merging-candidates", ("a", "b")),
            "partition/borrow": ("partition/borrowing-candidates", ("record",)),
        }.get(self._query.id)
        run = self._params.get("run") or self._latest_run(self._info.spec.name)
        if listing is None or run is None:
            return []
        values: dict[str, Any] = {"dataset": self._info.spec.name, "run": run}
        if self._query.id == "partition/borrow":
            self._params, before = {**self._params, "run": run}, self._params
            values["records"] = before.get("records") or self._records()
            self._params = before
        if None in values.values():
            return []
        rows = self._store.run(listing[0], **values).dicts()
        renamed = {"record": "lent"}
        return [
            _line(
                self._query,
                {**values, **{renamed.get(name, name): row[name] for name in listing[1]}},
            )
            for row in rows[:3]
            if not row["problem"]
        ]

    def _rows(self, query_id: str) -> list[Row]:
        return list(self._store.run(query_id, dataset=self._info.spec.name).rows)

    def _latest_run(self, dataset: str) -> str | None:
        return _latest(list(self._store.run("load/runs", dataset=dataset).rows), lambda row: row[1])

    def _at_risk(self) -> Any:
        spec = self._info.spec
        k, epsilon = (self._params.get(name) for name in ("k", "epsilon"))
        try:
            answer = self._store.run(
                "audit/degree-violators",
                dataset=spec.name,
                k=spec.k or _USUAL_K if k is None else k,
                epsilon=spec.epsilon_max if epsilon is None else epsilon,
            )
        except (ParameterError, StoreError):  # what is asked is refused by its own words
            return None
        rows = answer.rows or self._rows("audit/record-ids")
        return rows[0][answer.columns.index("record")] if rows else None

    def _records(self) -> list[Any] | None:
        """Return those left out of the first component with any.

        Without a run, whom a record is near.
        """
        if "run" in {parameter.name for parameter in self._query.params}:
            return [row[0] for row in self._not_placed()] or None
        record = self._at_risk()
        if record is None:
            return None
        where = {"dataset": self._info.spec.name, "epsilon": self._params["epsilon"]}
        return self._store.run("audit/neighbourhood", record=record, **where).column("record")

    def _not_placed(self) -> list[Row]:
        """Return, of a run, the records left out of the first component with any,
        else its first clique.
        """
        if (run := self._params.get("run")) is None:
            return []
        rows = list(
            self._store.run("partition/members", dataset=self._info.spec.name, run=run).rows
        )
        left = [row for row in rows if row[2] is None]
        return [row for row in left or rows if row[2:] == (left or rows)[0][2:]]


def _latest(rows: list[Row], fits: Callable[[Row], bool]) -> str | None:
    """Return the name in the first column of the row that was written last.

    Its last column says when.
    """
    return max(((row[-1], row[0]) for row in rows if fits(row)), default=(None, None))[1]


def parameter_text(value: Any) -> str:
    """Return a value as a command line takes it."""
    if isinstance(value, float):
        return in_full(value)
    return value if isinstance(value, str) else json.dumps(value)


def _line(query: Query, params: Mapping[str, Any]) -> str:
    words = [
        f"-p {shlex.quote(f'{name}={parameter_text(value)}')}" for name, value in params.items()
    ]
    return " ".join(["ratingpriv query run", query.id, *words])


def _incomplete(
    query: Query, params: Mapping[str, Any], missing: list[Parameter], candidates: list[str]
) -> ParameterError:
    """Return the error that names everything that is missing."""
    needed = "; ".join(f"{parameter.name}, {parameter.meaning}" for parameter in missing)
    words = [
        _line(query, params),
        *(f"-p {parameter.name}={parameter.name.upper()}" for parameter in missing),
    ]
    expected = f"{len(missing)} more parameters ({needed})" if len(missing) > 1 else needed
    hints = candidates or [" ".join(words)]
    hints += dict.fromkeys(
        _SOURCES[parameter.names] for parameter in missing if parameter.names in _SOURCES
    )
    return ParameterError(missing[0].name, None, expected, "; ".join(hints))
