"""Synthetic data: one set of ratings whatever the way to it, and what is exact about it."""

import functools

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.synthetic import generators as synthetic_files
from ratingpriv_loaders.synthetic import models as synthetic_models
from ratingpriv_loaders.synthetic.generators import (
    SparseGenerator,
    SurveyGenerator,
    likert_survey,
    sparse_ratings,
)

SURVEY = {
    "records": 300,
    "issues": 7,
    "seed": 5,
    "missing": 0.3,
    "patterns": 4,
    "sensitive_missing": 0.2,
}
SPARSE = {"records": 200, "issues": 60, "ratings": 3000, "seed": 5}


def rows(table):
    """The ratings as text, in a fixed order: what two tables of the same data have in common."""
    frame = table.to_long("polars")
    texts = frame.select(pl.all().cast(pl.String))
    return texts.sort(texts.columns)


def wide_answers(table):
    return table.to_wide("polars").drop(table.origin.record_name).to_numpy().astype(float)


# --- one set of data, many ways to it


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"])
@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize(
    ("generator", "asked"), [(SurveyGenerator(), SURVEY), (SparseGenerator(), SPARSE)]
)
def test_a_file_has_what_the_table_has(tmp_path, generator, asked, layout, suffix):
    path = tmp_path / f"made{suffix}"
    table = generator.table(**asked)
    written = generator.write(path, layout=layout, **asked)
    sensitive = [column.name for column in table.sensitive]
    back = ratingpriv.read(path, sensitive=sensitive)
    if layout == "wide":
        table = table.replace(timestamps=None)
    assert rows(back).equals(rows(table))
    assert (written.layout, written.path, written.seed) == (layout, path, 5)
    assert (written.records, written.issues, written.ratings) == (
        back.n_records,
        back.n_issues,
        back.n_ratings,
    )
    assert list(written.sensitive) == sensitive
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


MANY = {"records": 40_000, "issues": 9, "seed": 2, "missing": 0.2, "patterns": 5}
LONG = {"records": 9000, "issues": 300, "seed": 2, "ratings": 700_000}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("generator", "asked"), [(SurveyGenerator(), MANY), (SparseGenerator(), LONG)]
)
def test_neither_block_size_nor_processors_change_a_file(tmp_path, monkeypatch, generator, asked):
    assert len(list(generator.model(**asked).parts())) > 1
    files = []
    for block, processors in ((1, 1), (300_000, 3), (1 << 40, 2)):
        monkeypatch.setattr(
            synthetic_models, "available_cores", lambda processors=processors: processors
        )
        monkeypatch.setattr(
            synthetic_files, "blocks", functools.partial(synthetic_models.blocks, size=block)
        )
        files.append(tmp_path / f"{block}.csv")
        generator.write(files[-1], layout="long", **asked)
    first, *others = (path.read_bytes() for path in files)
    assert all(other == first for other in others)


def test_seeds():
    for make in (
        lambda rng: likert_survey(60, 5, rng=rng),
        lambda rng: sparse_ratings(60, 30, 400, rng=rng),
    ):
        assert rows(make(1)).equals(rows(make(1)))
        assert not rows(make(1)).equals(rows(make(2)))
        drawn = make(np.random.default_rng(7))
        assert rows(drawn).equals(rows(make(np.random.default_rng(7))))
        assert rows(drawn).equals(rows(make(drawn.origin.details["seed"])))
        assert not rows(make(None)).equals(rows(make(None)))


# a part has 13107 records of 20 answers
@pytest.mark.parametrize("records", [1, 999, 13_107, 13_108])
def test_a_short_survey_is_the_beginning_of_a_long_one(records):
    asked = {"missing": 0.1, "patterns": 6, "sensitive": (), "rng": 4}
    long, short = likert_survey(20_000, 20, **asked), likert_survey(records, 20, **asked)
    assert wide_answers(short).tobytes() == wide_answers(long)[:records].tobytes()


@pytest.mark.parametrize("name", ["made.csv", "made.csv.gz", "made.parquet"])
def test_an_interrupted_run_leaves_nothing(tmp_path, name):
    def interrupt(what, done, total):
        if what == "making records":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SparseGenerator().write(tmp_path / name, progress=interrupt, **SPARSE)
    assert list(tmp_path.iterdir()) == []


# --- what is exact


@pytest.mark.parametrize(
    ("records", "issues", "ratings"),
    [(1, 1, 1), (5, 4, 20), (5, 4, 5), (1, 50, 49), (40, 30, 1111), (300, 2000, 9000), (7, 10, 64)],
)
@pytest.mark.parametrize("exponent", [0, 0.9, 10])
def test_as_many_distinct_pairs_as_asked(records, issues, ratings, exponent):
    table = sparse_ratings(records, issues, ratings, popularity=exponent, activity=exponent, rng=1)
    assert (table.n_records, table.n_issues, table.n_ratings) == (records, issues, ratings)
    lengths = np.diff(table.indptr)
    assert lengths.min() >= 1
    for record in range(records):
        assert (np.diff(table.support(record)) > 0).all()


@pytest.mark.parametrize("levels", [2, 5, 7, 255])
def test_ratings_are_on_the_scale(levels):
    survey = likert_survey(3000, 5, levels=levels, rng=0)
    sparse = sparse_ratings(300, 50, 6000, levels=levels, rng=0)
    for table in (survey, sparse):
        assert (table.scale.minimum, table.scale.maximum, table.scale.declared) == (1, levels, True)
        assert set(table.levels) <= set(range(1, levels + 1))
    for column in survey.sensitive:
        assert set(column.values[column.present]) <= set(range(1, levels + 1))
    if levels <= 7:
        assert list(survey.levels) == list(sparse.levels) == list(range(1, levels + 1))


@pytest.mark.parametrize(("items", "patterns"), [(1, 1), (3, 4), (8, 128), (20, 200)])
def test_there_are_as_many_skip_patterns_as_asked(items, patterns):
    """With 100 records a pattern, P(a pattern has none) < patterns * exp(-100)."""
    table = likert_survey(100 * patterns, items, patterns=patterns, rng=6)
    seen = {tuple(table.support(record)) for record in range(table.n_records)}
    assert len(seen) == patterns
    assert tuple(range(items)) in seen
    assert () not in seen


# --- wrong parameters


WRONG = {
    SurveyGenerator: {
        "records": (0, 2**31, 1.5),
        "issues": (0,),
        "seed": (-1,),
        "factors": (0, 2.5),
        "levels": (1, 256),
        "missing": (1, -0.1, float("nan")),
        "sensitive_missing": (1.5,),
        "patterns": (0, 65, 10**30),  # of 7 items; half of all sets are 64
        "sensitive": ("income", ("a", "a"), ("q7",), ("record",), ("NA",), ("",), (" a",), (3,)),
        "shuffled": (True,),
        "ratings": (5,),
        "layout": ("square", ""),
    },
    SparseGenerator: {
        "issues": (10**8,),
        "records": ("many",),
        "ratings": (199, 12_001, 300.5),
        "popularity": (-1, 11),
        "activity": (float("inf"), "steep"),
        "dates": ("false",),
        "levels": (0,),
        "factors": (3,),
        "seed": (2**64,),
    },
}


@pytest.mark.parametrize(
    ("made", "name", "value"),
    [
        (made, name, value)
        for made in WRONG
        for name, values in WRONG[made].items()
        for value in values
    ],
)
def test_wrong_parameters(tmp_path, made, name, value):
    for asked in [SURVEY] if made is SurveyGenerator else [SPARSE, SPARSE | {"ratings": None}]:
        with pytest.raises(ParameterError) as caught:
            made().write(tmp_path / "made.csv", **{**asked, name: value})
        assert caught.value.name == name
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["made.xlsx", "made", "made.gz", "made.parquet.gz", ".csv", "csv"])
def test_another_suffix(tmp_path, name):
    with pytest.raises(ParameterError, match="ends in"):
        SparseGenerator().write(tmp_path / name, **SPARSE)


@pytest.mark.parametrize(("issues", "ratings"), [(60, 4000), (5, 1000)])
def test_ratings_by_default(issues, ratings):
    assert SparseGenerator().table(records=200, issues=issues, seed=0).n_ratings == ratings
