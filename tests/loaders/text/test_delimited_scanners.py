"""The compiled scanner finds exactly what the plain one finds, for any text, dialect and cut into pieces."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

import ratingpriv
from ratingpriv_loaders.text import layouts as text_layouts
from ratingpriv_loaders.text.fast_scan import fast_scan
from ratingpriv_loaders.text.plain_scan import plain_scan, rows, time_of
from ratingpriv_loaders.text.scanned import ISSUE, OTHER, RATING, RECORD, SKIP, TIME, Plan, Scan

DELIMITERS = [",", ";", "\t", "|", "::", " ", "§"]


def assert_same(plain: Scan, fast: Scan) -> None:
    assert (plain.faults, plain.total_faults, plain.widths) == (fast.faults, fast.total_faults, fast.widths)
    assert plain.rows == fast.rows
    assert [plain.lines.of(row) for row in range(plain.rows)] == [
        fast.lines.of(row) for row in range(fast.rows)
    ]
    assert plain.kinds.tolist() == fast.kinds.tolist()
    for role, ours, theirs in (
        (RECORD, plain.records, fast.records),
        (ISSUE, plain.issues, fast.issues),
        (RATING, plain.ratings, fast.ratings),
    ):
        assert plain.texts[role].gather(ours).to_list() == fast.texts[role].gather(theirs).to_list()
        if not plain.total_faults:  # texts of faulty lines may be among those of the compiled scanner
            assert plain.texts[role].to_list() == fast.texts[role].to_list()
            assert np.array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype
    for kind, ours, theirs in zip(
        plain.kinds.tolist(), plain.times.tolist(), fast.times.tolist(), strict=True
    ):
        if kind == OTHER:
            assert plain.texts[TIME][ours] == fast.texts[TIME][theirs]
        else:
            assert ours == theirs


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    roles = draw(st.lists(st.sampled_from([SKIP, RATING]), min_size=0, max_size=3))
    for role in draw(st.sets(st.sampled_from([RECORD, ISSUE, TIME]))):
        roles.insert(draw(st.integers(0, len(roles))), role)
    return Plan.of(roles or [RATING])


TOKENS = ["\n", "\n", "\r\n", "\r", '"', '""', "1", "2", "007", "0", "3.5", "-1", "a", "é", "漢", ":", "§"]
TOKENS += ["2005-02-29", "2004-02-29", "99999999", "4194303", "4194304", "12345678", "-", " "]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    delimiter = draw(st.sampled_from(DELIMITERS))
    tokens = draw(
        st.lists(st.sampled_from([*TOKENS, delimiter, delimiter, delimiter, delimiter]), max_size=40)
    )
    return "".join(tokens), delimiter


@pytest.mark.small
@pytest.mark.filterwarnings("ignore:overflow encountered")  # meant; NumPy says so with the JIT off
@given(texts(), plans(), st.integers(0, 1), st.integers(1, 12))
@example(('"a\n', ","), Plan.of([RATING]), 0, 1)
@example(("1,2\r", ","), Plan.of([RATING, RATING]), 0, 1)
@example(('"1"\r\n"2"\r', ","), Plan.of([RATING]), 0, 2)
@settings(max_examples=300)
def test_any_text(text: tuple[str, str], plan: Plan, skip: int, size: int) -> None:
    content, delimiter = text
    data = content.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert_same(
        plain_scan(content, delimiter, plan, skip=skip), fast_scan(pieces, delimiter, plan, skip=skip)
    )


def test_more_texts_than_the_tables_start_with() -> None:
    lines = [
        f"user-{number},{number * 7 % 5_000_000},{number % 300 / 10},{'x' * (number % 50)}\n"
        for number in range(150_000)
    ]
    lines[77_777] = f"{'y' * 3_000_000},1,2,3\n"
    plan = Plan.of([RECORD, ISSUE, RATING, TIME])
    text = "".join(lines)
    data = text.encode()
    assert_same_quickly(
        plain_scan(text, ",", plan),
        fast_scan([data[at : at + 100_000] for at in range(0, len(data), 100_000)], ",", plan),
    )


def assert_same_quickly(plain: Scan, fast: Scan) -> None:
    for name in ("records", "issues", "ratings", "times", "kinds"):
        assert np.array_equal(getattr(plain, name), getattr(fast, name)), name
    for ours, theirs in zip(plain.texts, fast.texts, strict=True):
        assert ours.equals(theirs)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(2, 4))
    cell = st.text(st.sampled_from('ab1,;"\n\r |\té'), max_size=4)
    return draw(st.lists(st.lists(cell, min_size=width, max_size=width), max_size=8))


@given(tables(), st.sampled_from([",", ";", "|"]), st.sampled_from(["\n", "\r\n"]))
def test_what_pythons_csv_module_writes_is_read_as_it_was(
    table: list[list[str]], delimiter: str, end: str
) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(table)
    assert [cells for _, cells in rows(out.getvalue(), delimiter, 2)] == table


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["", "NA", "1", "2", "3", "4.5", "-1", "0"])] * 3),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(DELIMITERS[:5]),
    st.booleans(),
    st.booleans(),
)
def test_both_scanners_make_the_same_table(
    tmp_path_factory: pytest.TempPathFactory,
    cells: list[tuple[str, ...]],
    delimiter: str,
    crlf: bool,
    quoted: bool,
) -> None:
    quote = '"' if quoted else ""
    lines = [["id", "a", "b", "c"], *([f"{number:03}", *row] for number, row in enumerate(cells))]
    text = "".join(
        delimiter.join(quote + cell + quote for cell in line) + ("\r\n" if crlf else "\n") for line in lines
    )
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(text, newline="")
    plain = ratingpriv.read(path, delimiter=delimiter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_layouts, "PLAIN", 0)
        fast = ratingpriv.read(path, delimiter=delimiter)
    assert (
        plain.record_ids.to_list()
        == fast.record_ids.to_list()
        == [f"{number:03}" for number in range(len(cells))]
    )
    assert plain.issues == fast.issues
    for name in ("indptr", "indices", "codes", "levels"):
        assert np.array_equal(getattr(plain, name), getattr(fast, name)), name
    expected = [float(cell) for row in cells for cell in row if cell not in ("", "NA")]
    assert plain.values.tolist() == expected


@given(st.text(st.sampled_from("0123456789-"), max_size=12))
def test_compiled_time_of_a_text_is_the_plain_one(text: str) -> None:
    from ratingpriv_loaders.text._fast_scan import _time

    assert tuple(_time(np.frombuffer(text.encode() or b"x", dtype=np.uint8), 0, len(text))) == time_of(text)


@given(st.dates())
def test_days(day: object) -> None:
    from ratingpriv_loaders.text._fast_scan import _time

    text = str(day)
    assert tuple(_time(np.frombuffer(text.encode(), dtype=np.uint8), 0, 10)) == time_of(text)
    assert time_of(text)[0] == 2


def test_large_file_is_read_by_the_compiled_scanner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\n" + "".join(f"u{n},{n % 5 + 1},{n % 3 + 1}\n" for n in range(80_000)))
    monkeypatch.setattr(text_layouts, "plain_scan", None)
    assert path.stat().st_size > text_layouts.PLAIN
    assert ratingpriv.read(path).n_ratings == 160_000
