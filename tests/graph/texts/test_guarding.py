"""Plans of both engines, written by hand: what they would do is refused,
by itself and without a server.
"""

from typing import Any

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.texts.guarding import UNNAMED, Plan, check_plan, embedded_plan, server_plan
from ratingpriv.graph.texts.lexer import one_statement
from ratingpriv.graph.texts.own import own_query

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
        (
            "r",
            plan_of("ProcedureCall", ProcedureCall="apoc.load.json(x) :: (value)"),
            "apoc.load.json",
        ),
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
def test_what_is_refused_even_where_writing_is_allowed(
    kind: str, plan: dict[str, Any], said: str
) -> None:
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
    check_plan(
        server_plan("rw", plan_of("ProduceResults", "Create")), STATEMENT, UNNAMED, write=True
    )


def test_a_plan_of_the_embedded_engine() -> None:
    check_plan(embedded_plan("Project (n)\n  NodeScan (n:Record)\n"), STATEMENT, UNNAMED)
    for line in ("CreateNode (n)", "SetProperty (n.x)", "MergeNode (n)", "DeleteEdge (e)"):
        with pytest.raises(ParameterError, match="writes"):
            check_plan(embedded_plan(f"Project (n)\n  {line}\n"), STATEMENT, UNNAMED)
    assert embedded_plan("\n A b c\n") == Plan(None, (("A", "b c"),))


def test_a_parameter_that_a_header_does_not_declare_is_refused():
    """Also where it is in quotes of a name.

    What only looks like one, in a text or a comment, is none.
    """
    header = "// title: Some\n// params:\n//   most: INTEGER -- how many\n"
    for used in ("$much", "$`much`"):
        with pytest.raises(ParameterError, match=r"\$much") as caught:
            own_query(f"{header}MATCH (n) WHERE n.a < {used} RETURN n LIMIT $most", "mine.cypher")
        assert "mine.cypher" in str(caught.value)
    kept = own_query(
        f"{header}MATCH (n) WHERE n.a = '$much' /* $much */ RETURN n LIMIT $most", "mine.cypher"
    )
    assert [parameter.name for parameter in kept.query.params] == ["most"]


def test_without_a_header_the_parameters_are_those_that_the_text_uses():
    asked = own_query("MATCH (n) WHERE n.a = $a RETURN n LIMIT $most", "mine.cypher")
    assert asked.parameters({"a": "1", "most": "2"}) == {"a": 1, "most": 2}
    for wrong in ({"a": "1"}, {"a": "1", "most": "2", "much": "3"}):
        with pytest.raises(ParameterError, match="much" if "much" in wrong else "most"):
            asked.parameters(wrong)
