"""The data that figures are made on, by name: read once a run, as each is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.generating import generators
from ratingpriv.data.formats.reading import read
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.papers.figure import Setting

if TYPE_CHECKING:
    import polars as pl

DATA = {
    "ml-100k": "MovieLens 100K: the folder, or its u.data (u.user beside it where people are "
    "asked about)",
    "big5": "Big Five answers of openpsychometrics.org: the folder, or its data.csv",
    "netflix": "Netflix Prize ratings or a part of them, in their own layout or as "
    "film,customer,rating",
    "survey": "a Likert survey of 1..5; synthesised where none is given",
    "sparse": "sparse ratings with dates; synthesised where none are given",
}
"""What each name means."""

NETFLIX = {"subscribers": 480_189, "films": 17_770}
"""The size of the Netflix Prize data, as [NS08] has them."""

SYNTHESISED = ("survey", "sparse")
"""The data that can always be had."""

_FILES = {"ml-100k": "u.data", "big5": "data.csv"}
_SPARSE = ("ml-100k", "netflix", "sparse")
_SHAPE: Mapping[str, Mapping[str, Any]] = {
    "survey": {"records": 2_000, "issues": 20, "sensitive": ()},
    "sparse": {"records": 100_000, "issues": 5_000, "ratings": 2_000_000},
}
_SMALL: Mapping[str, Mapping[str, Any]] = {
    "survey": {"records": 60, "issues": 6, "sensitive": ()},
    "sparse": {"records": 120, "issues": 40, "ratings": 1_200},
}
# film,customer,rating: parts of the data that go around
_LINE = re.compile(r"\d+,\d+,\d(\.0)?\s*$")
_PEOPLE = ("race", "age", "engnat", "gender", "hand", "source", "country")


def available(names: tuple[str, ...], setting: Setting) -> tuple[str, ...]:
    """Return those of ``names`` that can be read or synthesised."""
    return tuple(name for name in names if name in setting.data or name in SYNTHESISED)


def part_of_netflix(name: str, table: RatingTable) -> str:
    """Return how small a part of the Netflix Prize data a table is, in words;
    "" where it is none, or all.
    """
    people, films = NETFLIX["subscribers"], NETFLIX["films"]
    if name != "netflix" or (table.n_records >= people and table.n_issues >= films):
        return ""
    return (
        f"a part of what the paper speaks of: {table.n_records:,} of {people:,} people, "
        f"{table.n_issues:,} of {films:,} films, {table.n_ratings:,} ratings"
    )


def file_of(name: str, setting: Setting) -> Path:
    """Return the file of the ratings of a data set that was given."""
    if name not in setting.data:
        raise ParameterError(
            "data", name, "a data set with a path", f"add `data={{{name!r}: PATH}}`"
        )
    place = Path(setting.data[name])
    return place / _FILES[name] if place.is_dir() and name in _FILES else place


def table_of(name: str, setting: Setting) -> RatingTable:
    """Return a data set, whole: all issues, nothing sensitive, no quasi-identifiers.

    What is synthesised is small in a quick run. ParameterError where it was not given; else errors
    as :func:`ratingpriv.read`.
    """

    def table() -> RatingTable:
        if name in SYNTHESISED and name not in setting.data:
            shape = (_SMALL if setting.quick else _SHAPE)[name]
            return generators()[name].table(**shape, seed=setting.seed)
        path = file_of(name, setting)
        if name == "big5":
            return read(path, null=("0",), drop=_PEOPLE)
        if name == "netflix" and path.is_file():
            with path.open(encoding="utf-8", errors="replace") as file:
                parts = _LINE.match(file.readline(100))
            if parts:
                return read(path, header=False, layout="long", issue="1", id="2", rating="3")
        return read(path)

    return setting.shared(("table", name), table)


def most_rated(name: str, table: RatingTable) -> RatingTable:
    """Return sparse data on the 20 films that most people rate, all where there are no more.

    Others whole.
    """
    return table.select_issues("top:20") if name in _SPARSE and table.n_issues > 20 else table


def genders_of(name: str, setting: Setting) -> pl.Series | None:
    """Return the gender of each record of :func:`table_of`, null where it is not known;
    None without any.

    Of ml-100k, u.user beside the ratings says it; of big5, a column.
    """
    import polars as pl

    ids = table_of(name, setting).record_ids.cast(pl.String)
    if name == "ml-100k" and (people := file_of(name, setting).parent / "u.user").is_file():
        columns = ["id", "age", "gender", "occupation", "zip"]
        found = pl.read_csv(
            people, separator="|", has_header=False, new_columns=columns, infer_schema=False
        ).select("id", "gender")
        return ids.to_frame("id").join(found, on="id", how="left", maintain_order="left")["gender"]
    if name == "big5":
        codes = pl.read_csv(file_of(name, setting), separator="\t", infer_schema=False)["gender"]
        if len(codes) == len(ids):
            return codes.replace_strict({"1": "male", "2": "female", "3": "other"}, default=None)
    return None
