"""What a Cypher text of the user's own may do: read the graph;
write to it only where that was asked for.

Three things hold it to that, each by itself: what stands in the text (here), the plan that the
engine makes of it (here), and the store's own read mode, or a transaction that is never committed
(the stores). The plan alone would not do: it does not show the functions of plug-ins. Files,
addresses, schema, administration and procedures with effects outside of the graph are refused even
where writing is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.texts.lexer import Statement

PROCEDURES = frozenset(
    (
        "db.index.fulltext.listavailableanalyzers db.index.fulltext.querynodes "
        "db.index.fulltext.queryrelationships db.index.vector.querynodes "
        "db.index.vector.queryrelationships "
        "db.info db.labels db.ping db.propertykeys db.relationshiptypes "
        "db.schema.nodetypeproperties "
        "db.schema.reltypeproperties db.schema.visualization grafeo.articulation_points "
        "grafeo.bellman_ford "
        "grafeo.betweenness_centrality grafeo.bfs grafeo.bridges grafeo.closeness_centrality "
        "grafeo.clustering_coefficient grafeo.connected_components grafeo.degree_centrality "
        "grafeo.dfs "
        "grafeo.dijkstra grafeo.floyd_warshall grafeo.kcore grafeo.kruskal "
        "grafeo.label_propagation "
        "grafeo.labels grafeo.louvain grafeo.max_flow grafeo.min_cost_max_flow grafeo.pagerank "
        "grafeo.prim "
        "grafeo.procedures grafeo.propertykeys grafeo.relationshiptypes grafeo.search.mmr "
        "grafeo.search.text grafeo.search.vector grafeo.sssp grafeo.strongly_connected_components "
        "grafeo.topological_sort"
    ).split()
)
"""Procedures that read the graph and do nothing else, in lower case; no other one is called."""

FUNCTIONS = (
    "date",
    "datetime",
    "duration",
    "localdatetime",
    "localtime",
    "point",
    "time",
    "vector",
)
"""What functions with a dot in their name begin with; a plug-in's could do anything."""

UNNAMED = "the statement"
"""The name of a text that has none."""

_ADVICE = "Neo4j Browser or cypher-shell runs it, as a user who may"
_WRITES = re.compile(
    r"Create|Merge(?!Join)|Delete|Foreach|Insert|^(Add|Set|Drop|Alter|RemoveLabel|RemoveProperty)"
)
_FILES = re.compile(r"^LoadCsv", re.IGNORECASE)
_BATCHES = re.compile(r"^Transaction(Foreach|Apply)")
_COMMANDS = re.compile(r"^(Show|Terminate|Administration)")
_SHOWN = ("ShowIndexes", "ShowConstraints", "ShowFunctions", "ShowProcedures")
_CALLS = ("ProcedureCall", "CallProcedure")


@dataclass(frozen=True, slots=True)
class Plan:
    """What an engine is going to do.

    Attributes
    ----------
    kind : ``r`` reads, ``w`` writes, ``rw`` does both, ``s`` changes the schema or administers, as
        a server says; None where an engine does not say
    operators : each with what the plan says about it
    """

    kind: str | None
    operators: tuple[tuple[str, str], ...]


def server_plan(kind: str | None, plan: dict[str, Any] | None) -> Plan:
    """Return the plan that a Neo4j server sends; one that it does not send cannot be judged."""
    return Plan(kind or "", tuple(_server_operators(plan or {})))


def _server_operators(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if plan:
        name = str(plan.get("operatorType", "")).partition("@")[0]
        yield name, str(plan.get("args", {}).get("Details", ""))
        for child in plan.get("children", ()):
            yield from _server_operators(child)


def embedded_plan(text: str) -> Plan:
    """Return the plan that the embedded engine prints: an operator a line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Plan(
        None, tuple((name, rest) for name, _, rest in (line.partition(" ") for line in lines))
    )


def check_text(statement: Statement, name: str) -> None:
    """Refuse a statement that reaches beyond the graph, or that nobody could judge by its plan."""
    refused, first = partial(_refused, statement, name), statement.first
    if first.kind == "sign" and first.text == ":":
        expected = "a statement of Cypher"
        raise refused("a command of Neo4j Browser", expected, "give parameters with -p NAME=VALUE")
    if first.is_word("EXPLAIN", "PROFILE", "USE"):
        expected = "a statement to be run in the store's database"
        raise refused(first.text.upper(), expected, "leave that word out")
    if statement.loads_files:
        raise refused(*_READS_FILES)
    for procedure in statement.procedures:
        if procedure.lower() not in PROCEDURES:
            raise refused(f"CALL {procedure}", _NO_EFFECTS)
    for function in statement.functions:
        if function.partition(".")[0].lower() not in FUNCTIONS:
            remedy = f"what a plug-in's does is not known; {_ADVICE}"
            raise refused(f"the function {function}", "one of Cypher's own", remedy)


def check_plan(plan: Plan, statement: Statement, name: str, *, write: bool = False) -> None:
    """Refuse a statement by what the engine would do."""
    refused = partial(_refused, statement, name)
    for operator, details in plan.operators:
        if _FILES.match(operator):
            raise refused(*_READS_FILES)
        if operator in _CALLS:
            called = details.strip().lstrip("(").partition("(")[0].rstrip(")")
            if called.lower() not in PROCEDURES:
                raise refused(f"CALL {called}", _NO_EFFECTS)
        if _BATCHES.match(operator):
            expected = "a statement that is one transaction"
            raise refused(
                "CALL ... IN TRANSACTIONS", expected, f"else it could not be taken back; {_ADVICE}"
            )
        if _COMMANDS.match(operator) and operator not in _SHOWN:
            raise refused(operator, _NO_COMMAND)
    if plan.kind is not None and plan.kind not in ("r", "w", "rw"):
        raise refused(
            plan.operators[0][0] if plan.operators else "a statement without a plan", _NO_COMMAND
        )
    writes = next((operator for operator, _ in plan.operators if _WRITES.search(operator)), "")
    if not write and (writes or plan.kind in ("w", "rw")):
        expected, remedy = "one that only reads", "`write=True` lets it write"
        raise refused("a statement that writes", expected, remedy, detail=writes and f" ({writes})")


def refuse_command(statement: Statement, name: str) -> ParameterError:
    """Return the error for a statement that is no query: schema, administration."""
    return _refused(statement, name, f"{statement.tokens[0].text.upper()} ...", _NO_COMMAND)


_READS_FILES = (
    "LOAD CSV",
    "a statement that reads the graph only",
    "ratingpriv ingest brings data in",
)
_NO_EFFECTS = "a procedure that is known to read the graph and do nothing else"
_NO_COMMAND = "a query of the graph, no schema command and no administration"


def _refused(
    statement: Statement,
    name: str,
    what: str,
    expected: str,
    remedy: str = _ADVICE,
    *,
    detail: str = "",
) -> ParameterError:
    """Return the error for a statement that does what it may not, with its place."""
    where = f" in line {statement.line}" + ("" if name == UNNAMED else f" of {name}")
    return ParameterError("query", f"{what}{where}{detail}", expected, remedy)
