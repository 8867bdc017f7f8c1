"""Cutting at once and the plain scanner together find what the dialect says, for any text,
delimiter and pieces.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import example, given, settings

import ratingpriv
from ratingpriv.data.table.building.delimited import RAGGED, STRAY, Fault, rows
from ratingpriv_loaders.text import scan as scanning
from ratingpriv_loaders.text.scan import (
    ISSUE,
    RATING,
    RECORD,
    ROLES,
    SKIP,
    TIME,
    Lines,
    Scan,
    scan_text,
)

DELIMITERS = [",", ";", "\t", "|", "::", " ", "§"]


def time_of(cell: str, known: dict[str, int]) -> tuple[bool, int]:
    """Return whether a timestamp is a whole number, and that, else the position of its text."""
    if re.fullmatch("[+-]?[0-9]{1,18}", cell, re.ASCII) and len(cell) <= 18:
        return True, int(cell)
    return False, known.setdefault(cell, len(known))


def naive_stray(cells: Sequence[str], delimiter: str, columns: int, line: int) -> Fault | None:
    """Return the fault of a cell whose lines look like rows,
    by the lines of the row written out again.
    """
    shown = [cell if "\n" in cell else "" for cell in cells]
    written = delimiter.join(shown).split("\n")
    many = [part.count(delimiter) == columns - 1 for part in written]
    for place, cell in enumerate(shown):
        start = sum(one.count("\n") for one in shown[:place])
        below = range(start + 1, start + 1 + cell.count("\n"))
        judged = [many[row] for row in below if written[row].strip("\r") or columns == 1]
        if cell and many[start] and sum(judged) > len(judged) / 2:
            return Fault(STRAY, line + start, cell.count("\n") + 1)
    return None


def naive_scan(
    text: str, delimiter: str, roles: Sequence[int], *, skip: int = 0
) -> SimpleNamespace:
    """Return what is to be found, cell by cell as the dialect cuts them."""
    labels: tuple[dict[str, int], ...] = tuple({} for _ in range(ROLES))
    codes: dict[int, list[int]] = {RECORD: [], ISSUE: [], RATING: []}
    times: list[tuple[bool, int]] = []
    starts: list[int] = []
    faults: list[Fault] = []
    widths: dict[int, int] = {}
    spans: list[int] = []
    for number, (line, cells, _) in enumerate(rows(text, delimiter, len(roles))):
        title = number < skip and len(cells) == 1 < len(roles) if isinstance(cells, list) else False
        width = len(cells) if number < skip and isinstance(cells, list) else len(roles)
        stray = (
            None
            if isinstance(cells, Fault) or title
            else naive_stray(cells, delimiter, width, line)
        )
        if stray is not None:
            faults.append(stray)
            continue
        if number < skip:
            continue
        if isinstance(cells, Fault):
            faults.append(cells)
            continue
        if len(cells) != len(roles):
            faults.append(Fault(RAGGED, line, len(cells)))
            widths[len(cells)] = widths.get(len(cells), 0) + 1
            continue
        starts.append(line)
        spans += [cell.count("\n") + 1 for cell in cells if "\n" in cell]
        for cell, role in zip(cells, roles, strict=True):
            if role == TIME:
                times.append(time_of(cell, labels[TIME]))
            elif role != SKIP:
                codes[role].append(labels[role].setdefault(cell, len(labels[role])))
    lines = Lines()
    lines.append(0, np.array(starts, dtype=np.int64))
    return SimpleNamespace(
        rows=len(starts),
        records=np.array(codes[RECORD], dtype=np.int32),
        issues=np.array(codes[ISSUE], dtype=np.int32),
        ratings=np.array(codes[RATING], dtype=np.min_scalar_type(max(len(labels[RATING]) - 1, 0))),
        times=np.array([value for _, value in times], dtype=np.int64),
        whole=np.array([whole for whole, _ in times], dtype=bool),
        texts=tuple(pl.Series("text", list(known), dtype=pl.String) for known in labels),
        lines=lines,
        faults=faults,
        total_faults=len(faults),
        widths=widths,
        multiline=(len(spans), max(spans, default=0)),
    )


def assert_same(expected: SimpleNamespace, found: Scan) -> None:
    assert (expected.faults, expected.total_faults, expected.widths) == (
        found.faults,
        found.total_faults,
        found.widths,
    )
    assert (expected.rows, expected.multiline) == (found.rows, found.multiline)
    assert [expected.lines.of(row) for row in range(expected.rows)] == [
        found.lines.of(row) for row in range(found.rows)
    ]
    for name in ("records", "issues", "times", "whole"):
        assert np.array_equal(getattr(expected, name), getattr(found, name)), name
        assert getattr(expected, name).dtype == getattr(found, name).dtype, name
    for role in (RECORD, ISSUE, TIME):
        assert expected.texts[role].to_list() == found.texts[role].to_list()
    assert expected.ratings.dtype == found.ratings.dtype
    ours, theirs = expected.texts[RATING], found.texts[RATING]
    assert sorted(ours.to_list()) == sorted(theirs.to_list())
    assert ours.gather(expected.ratings).to_list() == theirs.gather(found.ratings).to_list()


def cut(text: str, size: int) -> list[bytes]:
    return [text[at : at + size].encode() for at in range(0, len(text), size)]


@pytest.fixture
def cut_at_once(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bool]]:
    """Cut even the smallest text at once; return what it was given, and whether it cut that."""
    return forced(monkeypatch)


def forced(patch: pytest.MonkeyPatch) -> list[tuple[bytes, bool]]:
    given_at_once: list[tuple[bytes, bool]] = []
    at_once = scanning.Scan._cut_at_once

    def noted(scanner: scanning.Scan, data: bytes, *, final: bool) -> int:
        used = at_once(scanner, data, final=final)
        given_at_once.append((data, used > 0))
        return used

    patch.setattr(scanning, "SMALL", 0)
    patch.setattr(scanning.Scan, "_cut_at_once", noted)
    return given_at_once


def at_once_alone(patch: pytest.MonkeyPatch) -> None:
    keep = scanning.Scan._keep

    def kept(scanner: scanning.Scan, role: int, cells: Any) -> None:
        assert not isinstance(cells, list)
        keep(scanner, role, cells)

    patch.setattr(scanning.Scan, "_keep", kept)


@st.composite
def plans(draw: st.DrawFn) -> list[int]:
    roles = draw(st.lists(st.sampled_from([SKIP, RATING]), min_size=0, max_size=3))
    for role in draw(st.sets(st.sampled_from([RECORD, ISSUE, TIME]))):
        roles.insert(draw(st.integers(0, len(roles))), role)
    return roles or [RATING]


TOKENS = [
    "\n",
    "\n",
    "\r\n",
    "\r",
    '"',
    '""',
    "1",
    "2",
    "007",
    "0",
    "3.5",
    "-1",
    "a",
    "é",
    "漢",
    ":",
    "§",
]
TOKENS += ["2005-02-29", "2004-02-29", "99999999", "4194303", "4194304", "12345678", "-", " "]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    delimiter = draw(st.sampled_from(DELIMITERS))
    tokens = draw(
        st.lists(
            st.sampled_from([*TOKENS, delimiter, delimiter, delimiter, delimiter]), max_size=40
        )
    )
    return "".join(tokens), delimiter


@st.composite
def clean_texts(draw: st.DrawFn) -> tuple[str, str, list[int]]:
    """Make rows that are nearly all cut at once: of equal width,
    quoted where they must be or not.
    """
    delimiter, roles = draw(st.sampled_from(DELIMITERS)), draw(plans())
    plain = st.sampled_from(
        ["1", "2", "007", "3.5", "-1", "", "a", "é", "漢", "2004-02-29", "881250949", " "]
    )
    quoted = st.text(st.sampled_from('1é" ,;|\n\t§'), max_size=3).map(
        lambda text: text.replace('"', '""')
    )
    cell = st.one_of(plain, plain, quoted.map(lambda text: f'"{text}"'))
    row = st.lists(cell, min_size=len(roles), max_size=len(roles)).map(delimiter.join)
    odd = st.sampled_from(
        ["", "", 'a"b', '"a', '"a"b', "\r", "\ufeff1", "\x1f", delimiter * len(roles)]
    )
    lines = draw(st.lists(st.one_of(*[row] * draw(st.sampled_from([5, 50])), odd), max_size=12))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end])), delimiter, roles


@given(texts(), plans(), st.integers(0, 1), st.integers(1, 12), st.booleans())
@example(('"a\n', ","), [RATING], 0, 1, True)
@example(("1,2\r", ","), [RATING, RATING], 0, 1, True)
@example(('"1"\r\n"2"\r', ","), [RATING], 0, 2, True)
@settings(max_examples=300 * DEPTH)
def test_any_text(
    text: tuple[str, str], roles: list[int], skip: int, size: int, wide: bool
) -> None:
    content, delimiter = text
    with pytest.MonkeyPatch.context() as patch:
        forced(patch)
        found = scan_text(cut(content, size), delimiter, roles, skip=skip, wide=wide)
    assert_same(naive_scan(content, delimiter, roles, skip=skip), found)


@pytest.mark.deep
@given(clean_texts(), st.integers(0, 1), st.integers(1, 100), st.booleans())
@example(("\ufeff1\n2\n", ",", [RATING]), 0, 100, True)
@example(('1,2\n3,"4\n5,6\n\n7,8"\n', ",", [RATING, RATING]), 0, 100, True)
@example(('1,2\n"3,x\n5,6","4\n4"\n1,"a\nb ""c"""\n', ",", [RATING, RATING]), 0, 100, True)
@example(("1\n\n\r\n", ",", [RATING]), 0, 100, True)
# ids of two bytes at most keep their order
@example(("2,b\n1,a\n", ",", [RECORD, ISSUE]), 0, 100, False)
@example(('1,"\r\n"\r\n2,"a\r\nb"', ",", [RECORD, RATING]), 0, 100, True)
@settings(max_examples=300 * DEPTH)
def test_text_that_is_nearly_all_clean(text, skip, size, wide):
    content, delimiter, roles = text
    with pytest.MonkeyPatch.context() as patch:
        forced(patch)
        found = scan_text(cut(content, size), delimiter, roles, skip=skip, wide=wide)
    expected = naive_scan(content, delimiter, roles, skip=skip)
    assert_same(expected, found)
    assert_same(expected, scan_text([content.encode()], delimiter, roles, skip=skip))


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n", "1,2\r\n3,4\r\n", "1,2\n3,4", "\n1,2\n\r\n3,4\n\n", '"1","2"\n"3","4"',
        'é,"2,\n"\r\n"","a ""b"""\r\n', '"",""\n', ",\n,\n",
        "0x1F, 5\nNA,null\n", "#N/A,\\\n1,'2'\n",
    ],
)  # fmt: skip
def test_what_is_cut_at_once(text, cut_at_once, monkeypatch):
    at_once_alone(monkeypatch)
    found = scan_text([text.encode()], ",", [RATING, RATING])
    assert cut_at_once[0][1]
    assert_same(naive_scan(text, ",", [RATING, RATING]), found)


@pytest.mark.parametrize(
    "text",
    [
        '1,"4"5\n', '1,"4\n', '1,a"b\n', "1,2,3\n", "1\n", "1,2\r3,4\n", "1,2\r", '1,"2" \n',
        '1, "2"\n',
        "\ufeff1,2\n", '1,"a\rb"\n', '"1""","2"3"\n',
    ],
)  # fmt: skip
def test_what_is_not_cut_at_once(text: str, cut_at_once: list[tuple[bytes, bool]]) -> None:
    found = scan_text([text.encode()], ",", [RATING, RATING])
    assert cut_at_once[0] == (text.encode(), False)
    assert_same(naive_scan(text, ",", [RATING, RATING]), found)


def test_large_file_is_cut_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a,b\n" + "".join(f"u{n},{n % 5 + 1},{n % 3 + 1}\n" for n in range(80_000)))
    assert path.stat().st_size > scanning.SMALL
    at_once_alone(monkeypatch)
    assert ratingpriv.read(path).n_ratings == 160_000


def test_plain_and_clean_parts_of_a_large_text_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_BLOCK", 1 << 12)
    clean = "".join(f"{n % 7},{n % 11}\n" for n in range(20_000))
    text = clean + 'a"b,1\n' + clean + "1\n" + clean + '"1"2,3\n' + clean + '"\n'
    monkeypatch.setattr(scanning, "SMALL", 1 << 14)
    given_at_once = forced(monkeypatch)
    found = scan_text(cut(text, 30_000), ",", [RATING, RATING])
    assert {taken for _, taken in given_at_once} == {True, False}
    assert_same(naive_scan(text, ",", [RATING, RATING]), found)
