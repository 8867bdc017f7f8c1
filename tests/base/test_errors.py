"""What an error says, and what it keeps for programs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ratingpriv.base import errors
from ratingpriv.base.errors import (
    CatalogueError,
    DataError,
    DatasetIncompleteError,
    EncodingError,
    OutputError,
    ParameterError,
    Problem,
    RatingPrivError,
    ResourceError,
    StoreError,
    TargetNotReachedError,
    UnknownDatasetError,
    UnknownQueryError,
)


def test_every_error_is_one_of_ours_with_an_exit_code() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, RatingPrivError)
            assert kind.exit_code in (1, 2, 3)
    assert (ResourceError.exit_code, DatasetIncompleteError.exit_code) == (3, 2)
    assert (OutputError.exit_code, TargetNotReachedError.exit_code) == (2, 1)


def test_a_parameter() -> None:
    error = ParameterError("k", -1, "a whole number >= 1")
    assert str(error) == "k: found -1, expected a whole number >= 1"
    assert (error.name, error.found, error.remedy) == ("k", -1, "")
    assert str(ParameterError("k", -1, "1", "use 1")) == "k: found -1, expected 1; use 1"


def test_a_parameter_is_named_as_the_user_gave_it() -> None:
    error = ParameterError("issues", "top:0", "top:N", "use top:1", cell="film").of("known_items")
    assert str(error) == "known_items: found 'top:0', expected top:N; use top:1"
    assert (error.found, error.cell) == ("top:0", "film")


def test_an_encoding_has_others_that_are_likely() -> None:
    error = EncodingError(
        Problem("a.csv", "byte 0x8e", "utf-8 text", line=1), [("cp1252", "Windows", "é")]
    )
    assert (error.likely, error.total) == ((("cp1252", "Windows", "é"),), 1)
    assert str(error) == "a.csv, line 1: found byte 0x8e, expected utf-8 text"


def test_an_unknown_dataset() -> None:
    assert "which has none; load one with ratingpriv ingest" in str(UnknownDatasetError("x", []))
    some = UnknownDatasetError("x", [f"d{i}" for i in range(11)])
    assert ("'d9', ...)" in str(some), len(some.known)) == (True, 11)
    assert (
        str(UnknownDatasetError("x", ["a"]))
        == "dataset: found 'x', expected a dataset of this store ('a')"
    )


def test_an_unknown_query() -> None:
    error = UnknownQueryError("audit/kk", ["audit/k", "audit/l"], engine="neo4j")
    assert "of the library for the engine neo4j; did you mean audit/k or audit/l? " in str(error)
    assert error.near == ("audit/k", "audit/l")
    assert "a query of the library; ratingpriv query list" in str(UnknownQueryError("x", []))


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("f", "a", "b"), "f: found a, expected b"),
        (Problem("f", "a", "b", "c"), "f: found a, expected b; c"),
        (Problem("f", "a", "b", line=3), "f, line 3: found a, expected b"),
        (Problem("f", "a", "b", line=3, column="q"), "f, line 3, column q: found a, expected b"),
        (Problem("f", "a", "b", column=2), "f, column 2: found a, expected b"),
    ],
)
def test_a_problem(problem: Problem, text: str) -> None:
    assert str(problem) == text
    assert str(DataError(problem)) == text
    assert DataError(problem).total == 1


def test_more_problems_than_are_kept() -> None:
    error = DataError([Problem("f", "a", "b")], total=4)
    assert str(error).splitlines()[1] == "... and 3 more problems of this file"


def test_a_query_file_a_store_and_a_target() -> None:
    error = CatalogueError("no header")
    assert str(error) == "no header"
    error.add_note("k.cypher, line 2")
    assert str(error) == "no header; k.cypher, line 2"
    store = StoreError("bolt://x", "no answer", "start it")
    assert (str(store), store.uri) == ("bolt://x: no answer; start it", "bolt://x")
    target = TargetNotReachedError("too much", best="this")
    assert (str(target), target.best) == ("too much", "this")


@pytest.mark.parametrize(
    "found",
    [np.array([12345, 2]), pl.Series([12345]), pd.DataFrame({"a": [12345]}), 10**5000, [10**5000]],
    ids=lambda found: type(found).__name__,
)  # fmt: skip
def test_messages_show_no_content_of_arrays_and_frames_and_no_number_that_python_does_not_print(
    found,
) -> None:
    error = ParameterError("nulls", found, "strict")
    assert str(error) == f"nulls: found of type {type(found).__name__}, expected strict"
    assert error.found is found


def _cell(line: int, column: str, found: str = "a number off the scale", **more: str) -> Problem:
    return Problem(
        "f", found, "1 to 3", more.get("remedy", "correct it"), line, column, f"cell{line}"
    )


def test_one_fault_in_many_cells_is_one_message_with_count_first_places_and_its_remedy_once() -> (
    None
):
    error = DataError([_cell(line, column) for line in range(2, 60) for column in ("q1", "q2")])
    said = str(error)
    assert (said.count("\n"), said.count("correct it")) == (0, 1)
    assert said.startswith(
        "f: found a number off the scale in 116 cells of 2 columns (first: line 2, column q1;"
    )
    assert "cell2" not in said
    assert "('cell2')" in error.with_cells()
    assert (len(error.problems), error.total) == (116, 116)  # each is there, for programs


def test_two_faults_are_two_messages_and_the_first_line_leads() -> None:
    error = DataError([_cell(9, "q1"), _cell(3, "q2", "text"), _cell(4, "q1", "text")])
    first, second = str(error).splitlines()
    assert first.startswith("f, line 9, column q1: found a number off the scale, ")
    assert "in 2 cells of 2 columns (first: line 3, column q2; line 4, column q1)" in second


def test_numbers_and_the_columns_own_name_make_no_other_fault() -> None:
    columns = [f"c{number}" for number in range(1024)]
    problems = [
        Problem("f", f"text in {n} cells", "ratings", f"say drop={name!r}", 2, name)
        for n, name in enumerate(columns, 1)
    ]
    said = str(DataError(problems))
    assert said.count("\n") == 0
    assert "1,024 columns" in said
    assert "drop='c0'" in said
    assert "drop='c1'" not in said
    named = [Problem("f", f"no column {name!r}", "one of these") for name in columns[:3]]
    assert str(DataError(named)).count("\n") == 2  # the user named each
    unplaced = [
        Problem("f", "cells that hold lists", "values", column=name) for name in columns[:20]
    ]
    assert "in 20 columns (first: column c0; " in str(DataError(unplaced))


def test_lines_of_one_kind_are_counted_as_lines():
    found = [Problem("f", "a", "b", line=line) for line in (3, 4)]
    assert "in 2 lines" in str(DataError(found))


def test_a_word_that_is_nearly_one_of_those_known_is_asked_for() -> None:
    known = ("modify", "suppress", "swap")
    assert errors.meant("supress", known) == "did you mean suppress?"
    assert errors.meant("key", {"x-key": 1}, before="--") == "did you mean --x-key?"
    assert errors.meant("zzz", known) == ""
