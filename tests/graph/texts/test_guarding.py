"""Plans of both engines, written by hand: what they would do is refused, by itself and without a server."""

from typing import Any

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.texts.guarding import UNNAMED, Plan, check_plan, embedded_plan, server_plan
from ratingpriv.graph.texts.lexer import one_statement

STATEMENT = one_statement("MATCH (n) RETURN n", UNNAMED)


def plan_of(*names: str, **details: str) -> dict[str, Any]:
    """A server's plan, the operators one inside the other."""
    found: dict[str, Any] = {}
    for name in reversed(names):
        inside = [found] if found else []
        said = {"Details": details.get(name, "")}
        found = {"operatorType": f"{name}@neo4j", "args": said, "children": inside}
    return found


@pytest.mark.parametrize(
    ("kind", "plan", "said"),
    [
        ("w", plan_of("ProduceResults", "Create"), "writes"),
        ("rw", plan_of("ProduceResults", "SetProperty"), "writes"),
        ("r", plan_of("ProduceResults", "DeleteNode"), "writes"),  # whatever the server calls it
        ("w", {}, "writes"),
        (None, None, "without a plan"),
        ("s", plan_of("CreateIndex"), "schema"),
        ("r", plan_of("ProduceResults", "LoadCSV"), "LOAD CSV"),
        ("r", plan_of("ProcedureCall", ProcedureCall="apoc.load.json(x) :: (value)"), "apoc.load.json"),
        ("r", plan_of("ProduceResults", "TransactionForeach"), "IN TRANSACTIONS"),
        ("r", plan_of("TerminateTransactions"), "TerminateTransactions"),
    ],
)
def test_a_plan_of_a_server_that_does_more_than_read(
    kind: str | None, plan: dict[str, Any] | None, said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        check_plan(server_plan(kind, plan), STATEMENT, UNNAMED)


@pytest.mark.parametrize(
    ("kind", "plan", "said"),
    [
        ("s", plan_of("CreateIndex"), "schema"),
        ("w", plan_of("LoadCSV", "Create"), "LOAD CSV"),
        ("w", plan_of("TransactionApply", "Create"), "IN TRANSACTIONS"),
        ("w", plan_of("ProcedureCall", ProcedureCall="dbms.killQuery(x)"), "dbms.killQuery"),
    ],
)
def test_what_is_refused_even_where_writing_is_allowed(kind: str, plan: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        check_plan(server_plan(kind, plan), STATEMENT, UNNAMED, write=True)


def test_reading_is_allowed_and_writing_where_it_was_asked_for() -> None:
    for plan in (
        plan_of("ProduceResults", "NodeByLabelScan"),
        plan_of("ProduceResults", "MergeJoin"),  # joins, and merges nothing
        plan_of("ProcedureCall", ProcedureCall="db.labels() :: (label)"),
        plan_of("ShowIndexes"),
    ):
        check_plan(server_plan("r", plan), STATEMENT, UNNAMED)
    check_plan(server_plan("rw", plan_of("ProduceResults", "Create")), STATEMENT, UNNAMED, write=True)


def test_a_plan_of_the_embedded_engine() -> None:
    check_plan(embedded_plan("Project (n)\n  NodeScan (n:Record)\n"), STATEMENT, UNNAMED)
    for line in ("CreateNode (n)", "SetProperty (n.x)", "MergeNode (n)", "DeleteEdge (e)"):
        with pytest.raises(ParameterError, match="writes"):
            check_plan(embedded_plan(f"Project (n)\n  {line}\n"), STATEMENT, UNNAMED)
    assert embedded_plan("\n A b c\n") == Plan(None, (("A", "b c"),))
