"""The library's files are contracts: every one is read,
and a malformed one is an error that names it.
"""

import importlib
from pathlib import Path

import pytest

from ratingpriv.base.errors import CatalogueError, UnknownQueryError
from ratingpriv.graph import Column, Parameter, catalogue, query
from ratingpriv.graph.catalogue import facts_about, library_folder, read_query

# its name is the function's, too
catalogue_module = importlib.import_module("ratingpriv.graph.catalogue")

GOOD = """\
// title: Records alone
// definition: |N(t)| = 1 [SWLZ11, Def. 4.1]
//   and a line that goes on
// params:
//   dataset: STRING -- the dataset's name
//   ids: LIST<STRING> -- some ids,
//     many of them
// columns:
//   record: ANY -- its id
//   sd: FLOAT? -- or null
// order: record,
//   sd
// reads: Record, PROXIMATE
// writes: nothing
// complexity: O(n)
// example: ratingpriv query run alone

MATCH (r:Record {dataset: $dataset}) // a comment inside
RETURN r.id AS record, null AS sd
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "audit").mkdir()
    return tmp_path


def written(folder: Path, text: str, name: str = "audit/alone.cypher") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_header_is_read(folder: Path) -> None:
    found = read_query(written(folder, GOOD), folder)
    assert found.id == "audit/alone"
    assert found.definition == "|N(t)| = 1 [SWLZ11, Def. 4.1] and a line that goes on"
    assert found.params == (
        Parameter("dataset", "STRING", "the dataset's name"),
        Parameter("ids", "LIST<STRING>", "some ids, many of them"),
    )
    assert found.columns == (Column("record", "ANY", "its id"), Column("sd", "FLOAT?", "or null"))
    assert found.order == ("record", "sd")
    assert found.reads == ("Record", "PROXIMATE")
    assert found.writes == ()
    assert found.is_read
    assert found.statement.startswith("MATCH (r:Record")
    assert found.text == GOOD
    assert found.engine is None


def test_none_is_no_params_and_no_columns(folder: Path) -> None:
    text = GOOD.split("// params:")[0] + "// params: none\n// columns: none\n// order: none\n"
    text += "// reads: nothing\n// writes: Record.component, (:Clique {id, size})\n"
    text += "// complexity: O(1)\n// example: x\nRETURN 1\n"
    found = read_query(written(folder, text), folder)
    assert (found.params, found.columns, found.order, found.reads) == ((), (), (), ())
    assert found.writes == ("Record.component", "(:Clique {id, size})")


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("// title: Records alone\n", "", "expected // title", 1),
        ("// order: record,\n//   sd\n", "", "expected // order", 11),
        ("// title", "// titel", "titel", 1),
        ("// complexity: O(n)\n", "// complexity:\n", "nothing behind 'complexity:'", 1),
        ("// example: ratingpriv query run alone\n", "", "ends before 'example:'", 16),
        ("dataset: STRING", "dataset: TEXT", "TEXT", 5),
        ("dataset: STRING", "dataset: STRING?", "STRING?", 5),
        ("dataset: STRING -- the", "dataset STRING the", "expected name: TYPE -- meaning", 5),
        ("//   ids: LIST", "//   dataset: LIST", "declared twice", 6),
        (GOOD[GOOD.index("\nMATCH") :], "", "expected a statement", 16),
        ("// writes: nothing\n", "// writes: nothing\n// writes: nothing\n", "writes", 15),
    ],
)
def test_a_malformed_header_names_the_file(
    folder: Path, old: str, new: str, message: str, line: int
) -> None:
    assert old in GOOD
    path = written(folder, GOOD.replace(old, new))
    with pytest.raises(CatalogueError, match=r"in .*alone\.cypher, line") as caught:
        read_query(path, folder)
    assert message in str(caught.value)
    assert f"line {line}" in str(caught.value)


@pytest.fixture
def other_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue_module, "library_folder", lambda: folder)
    catalogue_module._library.cache_clear()
    return folder


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield
    catalogue_module._library.cache_clear()


def test_an_engines_own_text_is_chosen(other_library: Path) -> None:
    written(other_library, GOOD)
    special = GOOD.replace("a comment inside", "for Neo4j")
    written(other_library, special, "audit/alone.neo4j.cypher")
    written(other_library, GOOD, "audit/here.embedded.cypher")
    assert list(catalogue()) == ["audit/alone", "audit/here"]
    assert query("audit/alone").text == query("audit/alone", "embedded").text == GOOD
    assert query("audit/alone", "neo4j").text == special
    assert query("audit/alone", "neo4j").engine == "neo4j"
    assert query("audit/here").engine == "embedded"
    with pytest.raises(UnknownQueryError, match="for the engine neo4j"):
        query("audit/here", "neo4j")


def test_a_fact_is_read(other_library: Path) -> None:
    facts = (
        "// facts:\n//   records counts audit/alone where sd\n//   a and b draw at most 5 of "
        "audit/all\n"
    )
    written(other_library, GOOD)
    written(other_library, GOOD.replace("// order:", f"{facts}// order:", 1), "audit/count.cypher")
    said = ("records counts audit/alone where sd", "a and b draw at most 5 of audit/all")
    assert query("audit/count").facts == said
    assert facts_about("audit/alone") == [("audit/count", said[0])]
    assert facts_about("audit/all") == [("audit/count", said[1])]


def test_unknown_queries_are_answered_with_near_ones(other_library: Path) -> None:
    written(other_library, GOOD)
    with pytest.raises(UnknownQueryError, match="did you mean audit/alone") as caught:
        query("audit/alon")
    assert caught.value.near == ("audit/alone",)
    assert caught.value.exit_code == 2


def test_a_packaged_library_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "ratingpriv"
    (package / "graph").mkdir(parents=True)
    monkeypatch.setattr(catalogue_module, "__file__", str(package / "graph" / "catalogue.py"))
    with pytest.raises(CatalogueError, match="install ratingpriv again"):
        library_folder()
    (tmp_path / "site" / "cypher").mkdir()
    assert library_folder() == tmp_path / "site" / "cypher"
    (package / "_cypher").mkdir()
    assert library_folder() == package / "_cypher"
