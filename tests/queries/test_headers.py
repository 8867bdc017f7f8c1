"""Every file of the library keeps its header's promises that can be checked without an engine."""

import re
import shlex

import pytest

from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Query, catalogue, library_folder, query, read_query, texts_of

OURS = tuple(id for id in catalogue() if id.split("/")[0] not in ("schema", "load"))  # noqa: A001
FILES = sorted(
    path.relative_to(library_folder()).as_posix()
    for path in library_folder().rglob("*.cypher")
    if path.parent.name not in ("schema", "load")  # tests/graph looks after these
)


def code(found: Query) -> str:
    return re.sub(r"//[^\n]*|'[^']*'", "", found.statement)


@pytest.mark.parametrize("file", FILES)
def test_declared_parameters_are_those_used(file: str) -> None:
    found = read_query(library_folder() / file, library_folder())
    assert found.title
    assert not found.title.endswith(".")
    assert {parameter.name for parameter in found.params} == set(
        re.findall(r"\$(\w+)", code(found))
    )


@pytest.mark.parametrize("query_id", OURS)
def test_the_dataset_is_always_a_parameter(query_id: str) -> None:
    found = query(query_id)
    assert found.params[0].name == "dataset"
    for pattern in re.findall(r"\(\w*:(?:Record|Issue|HammingGroup)\b[^)]*\)", code(found)):
        reached = re.search(r"\(:Record\)|\((near|later|a|b|g):\w+[^)]*\)", pattern)
        # of the release, too
        tied = re.search(r"dataset: (\$dataset|x\.released|name|one\.name)\b", pattern)
        rated = pattern == "(i:Issue {sensitive: false})"  # by a record that is tied
        assert tied or reached or rated, f"{pattern} is not tied to the dataset"


@pytest.mark.parametrize("query_id", OURS)
def test_rows_have_a_key_and_a_total_order_and_a_paper_is_cited(query_id: str) -> None:
    found = query(query_id)
    assert re.search(r"\nORDER BY [^\n]+(\nLIMIT \d+)?\n$", found.statement)
    assert bool(found.key) == bool(found.order)
    assert set(found.key) <= {column.name for column in found.columns}
    writes = bool(re.search(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|DROP)\b", code(found)))
    assert writes == (not found.is_read)
    assert re.search(r"\[(SWL10|SWLZ11|SWLP10|NS08|CTWY10), [^]]+\]", found.definition)
    if query_id.startswith("browse/") and found.is_read:  # Browser can draw it
        assert re.search(r"LIMIT \d|\[0\.\.\d+\]", code(found))


@pytest.mark.parametrize("query_id", OURS)
def test_what_is_read_is_declared(query_id: str) -> None:
    found = query(query_id)
    used = {
        kind for kinds in re.findall(r"[(\[]\w*:([\w|]+)", code(found)) for kind in kinds.split("|")
    }
    declared = {
        name.removesuffix("-AT-RISK")
        .removesuffix("-ANY")
        .removesuffix("-ONLY")
        .removesuffix("-OR-SIZES")
        for name in found.reads
    }
    made = {name.partition(".")[0].partition(":")[0] for name in found.writes}
    assert used <= declared | made
    assert declared - used <= {"PROXIMATE"}


@pytest.mark.parametrize("query_id", OURS)
def test_the_example_can_be_typed(query_id: str) -> None:
    found = query(query_id)
    words = shlex.split(found.example)
    assert words[:4] == ["ratingpriv", "query", "run", query_id]
    assert words[4::2] == ["--param"] * len(found.params)
    texts = dict(word.split("=", 1) for word in words[5::2])
    bound = bind(found, parse_text(found, texts))
    assert list(bound) == [parameter.name for parameter in found.params]


@pytest.mark.parametrize("query_id", catalogue())
def test_texts_for_different_engines_have_one_contract(query_id: str) -> None:
    texts = texts_of(query_id)
    assert len({one.columns for one in texts.values()}) == 1
    ours = {"graph"} if "gds" in texts else set()  # the projection, and what one is not asked for
    ours |= {
        param.name
        for one in texts.values()
        for param in one.params
        if ours and param.default is not None
    }
    asked = {
        tuple(param for param in one.params if param.name not in ours) for one in texts.values()
    }
    assert len(asked) == 1
