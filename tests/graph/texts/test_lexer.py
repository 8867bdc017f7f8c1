"""A text is taken apart as an engine would: what is in quotes or comments
is no statement and no call.
"""

import pytest

from ratingpriv.base.errors import DataError
from ratingpriv.graph.texts.lexer import one_statement, split, unfinished


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("RETURN 1", [1]),
        ("RETURN 1;", [1]),
        ("RETURN 1;;\n;\n", [1]),
        ("// title\n\nRETURN 1; // end; of it\n/* ; */", [3]),
        ("RETURN ';' AS a, \"a;'\" AS b, `x;y` AS c", [1]),
        ("RETURN 'it\\'s; one' AS a", [1]),
        ("RETURN `a``;b` AS a", [1]),
        ("MATCH (n)\nRETURN n;\n\n// more\nMATCH (m) RETURN m;", [1, 5]),
        ("RETURN 1; CREATE (:X)", [1, 1]),
        ("\r\nRETURN 1;\r\nRETURN 2\r\n", [2, 3]),
        ("", []),
        ("// nothing", []),
        ("/* nothing; */ ;", []),
    ],
)
def test_statements_and_where_they_begin(text: str, lines: list[int]) -> None:
    assert [one.line for one in split(text, "x")] == lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RETURN 'a", "line 1, column 8: found a text in quotes without its end"),
        ('RETURN 1\n, "a', "line 2, column 3: found a text in quotes"),
        ("RETURN `a", "a quoted name without its end"),
        ("RETURN 1 /* a", "a comment without its end"),
        ("RETURN '\\u0027 AS a, '", "an escape that stands for an ASCII character"),
        ("RETURN 1 \\u0041S a", "an escape that stands for an ASCII character"),
        ("RETURN '\\\\uu0027'", "an escape that stands for an ASCII character"),
        ("RETURN 1 // \\u000aCREATE (:X)", "an escape that stands for an ASCII character"),
        ("RETURN 1 \\ 2", "a backslash outside of quotes"),
        ("RETURN 1 // a\rCREATE (:X)", "a carriage return without a line feed"),
        ("RETURN '\0'", "a NUL"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        split(text, "mine.cypher")
    assert said in str(caught.value)
    assert str(caught.value).startswith("mine.cypher, line")


def test_escapes_of_other_characters_stay() -> None:
    assert len(split("RETURN '\\u00e9 \\u2028 \\n' AS a", "x")) == 1


def test_one_statement_says_where_the_second_begins() -> None:
    with pytest.raises(DataError, match=r"mine.cypher, line 3: found a second statement"):
        one_statement("RETURN 1;\n\nRETURN 2", "mine.cypher")
    with pytest.raises(DataError, match="no statement"):
        one_statement("// title: x\n", "mine.cypher")


def test_parameters_are_those_used() -> None:
    text = "MATCH (n {id: $id}) WHERE n.a = '$no' AND n.b IN $`the ids` RETURN n, $id, $1 // $none"
    assert one_statement(text, "x").parameters == ("id", "the ids", "1")


@pytest.mark.parametrize(
    ("text", "procedures", "functions"),
    [
        ("CALL db.labels()", ("db.labels",), ()),
        ("call\n`db` . `labels` YIELD label RETURN label", ("db.labels",), ()),
        ("MATCH (n) CALL { WITH n RETURN 1 AS a } RETURN a", (), ()),
        ("MATCH (n) CALL (n) { RETURN 1 AS a } RETURN a", (), ()),
        ("OPTIONAL CALL apoc.x.y(1) YIELD value RETURN value", ("apoc.x.y",), ()),
        ("RETURN apoc.version(), size([1]), n.a", (), ("apoc.version",)),
        (
            "RETURN `apoc`.`util`. `x` (1), 'apoc.load.json(1)' /* apoc.z(1) */",
            (),
            ("apoc.util.x",),
        ),
        ("RETURN EXISTS { CALL dbms.x() YIELD a RETURN a }", ("dbms.x",), ()),
        ("MATCH (n) WHERE n.a IN [1] AND (n.b) RETURN n.c", (), ()),
    ],
)
def test_what_it_calls(text: str, procedures: tuple[str, ...], functions: tuple[str, ...]) -> None:
    found = one_statement(text, "x")
    assert found.procedures == procedures
    assert found.functions == functions


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("LOAD CSV FROM 'x' AS row RETURN row", True),
        ("MATCH (n)\nload /* x */ csv WITH HEADERS FROM $x AS row RETURN row", True),
        ("RETURN 'LOAD CSV' AS a // LOAD CSV", False),
        ("MATCH (load:CSV) RETURN load", False),
    ],
)
def test_whether_it_loads_files(text: str, loads: bool) -> None:
    assert one_statement(text, "x").loads_files is loads


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("MATCH (a)-[p:PROXIMATE]->(b) RETURN p", True),
        ("MATCH (a)-[:RATED|PROXIMATE*1..2]->(b) RETURN b", True),
        ("MATCH (a)-[:`PROXIMATE`]-(b) RETURN b", True),
        ("MATCH (a)-[p]-(b) RETURN b", True),
        ("MATCH (a)<-[p {distance: 0}]-(b) RETURN b", True),
        ("MATCH (a)-[*]-(b) RETURN b", True),
        ("MATCH (a) - [] - (b) RETURN b", True),
        ("MATCH (a)-[p WHERE type(p) STARTS WITH 'PROX']-(b) RETURN b", True),
        ("MATCH (a)-->(b) RETURN b", True),
        ("MATCH (a)<--(b) RETURN b", True),
        ("MATCH (a)-[p:!RATED]-(b) RETURN b", True),
        ("MATCH (a)-[p:%]-(b) RETURN b", True),
        ("MATCH (a)-[p:$($kind)]-(b) RETURN b", True),
        ("MATCH (a)-[:RATED", True),
        ("MATCH (a)-[p:RATED]-(b) RETURN b", False),
        (
            "MATCH (a)-[p:RATED|:IN_GROUP {x: 1}]-(b)<-[:RATED*2]-(c) RETURN [x IN [1] | x - 1]",
            False,
        ),
        ("MATCH (a:Record) RETURN a.id - 1 AS n, 'PROXIMATE' AS t", False),
    ],
)
def test_whether_it_follows_a_type_of_relationship(text: str, follows: bool) -> None:
    assert one_statement(text, "x").follows("PROXIMATE") is follows
    assert one_statement(text, "x").reaches("PROXIMATE") is follows


@pytest.mark.parametrize(
    "text",
    [
        "MATCH p = (a)- -(b) RETURN p",
        "MATCH p = (a)-/* */->(b) RETURN p",
        "MATCH (a)\u2014[p]\u2014(b) RETURN p",
        "MATCH (a)~[p]~(b) RETURN p",
        "CALL db.index.fulltext.queryRelationships('a', 'b') YIELD relationship RETURN "
        "relationship",
    ],
)
def test_what_might_give_relationships_is_taken_to_do_so(text: str) -> None:
    assert one_statement(text, "x").reaches("PROXIMATE")


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("RETURN 1;", False),
        ("RETURN 1; // and so on", False),
        ("RETURN 1", True),
        ("RETURN 'a;", True),
        ("RETURN 1 /* ;", True),
        ("RETURN 1 // ;", True),
        ("RETURN 1; RETURN", True),
    ],
)
def test_a_statement_waits_for_its_end(text: str, waits: bool) -> None:
    assert unfinished(text) is waits
