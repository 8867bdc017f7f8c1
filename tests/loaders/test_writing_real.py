"""Real files are written as they came: the same lines, in the order of records."""

from __future__ import annotations

import pytest

import ratingpriv
from ratingpriv.anonymize.release.publication import publish
from ratingpriv.anonymize.release.rereading import difference
from ratingpriv.data.formats.writing import WriteOptions, write_table


@pytest.mark.parametrize(
    ("place", "options", "kind"),
    [
        ("ml-100k/u.data", {}, "movielens"),
        ("netflix-prize-part/combined_data_1.first20movies.txt", {}, "netflix"),
        ("op-big5/data.csv", {"drop": ["country", "age", "race"]}, "delimited"),
    ],
)
def test_the_same_lines(test_data, tmp_path, place, options, kind):
    source, copy = test_data / place, tmp_path / "copy.txt"
    table = ratingpriv.read(source, **options)
    said = write_table(table, copy, options=WriteOptions(record_ids=kind != "delimited"))
    assert said.format == kind
    assert difference(table, said.read(copy), by_position=kind == "delimited") is None
    meant = source.read_text(encoding="utf-8").splitlines()
    if kind == "delimited":
        cells = [line.split("\t") for line in meant]
        kept = [place for place, name in enumerate(cells[0]) if name not in ("country", "age", "race")]
        meant = ["\t".join(row[place] for place in kept) for row in cells]
    assert sorted(copy.read_text(encoding="utf-8").splitlines()) == sorted(meant)


def test_a_published_one_is_read_too(test_data, tmp_path):
    table = ratingpriv.read(test_data / "ml-100k" / "u.data")
    for timestamps, kind in ((True, "movielens"), (False, "delimited")):
        published = publish(table, rng=1, timestamps=timestamps).table
        said = write_table(published, tmp_path / "r.data")
        assert said.format == kind
        assert difference(published, said.read(tmp_path / "r.data")) is None
