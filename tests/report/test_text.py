"""The page a privacy officer reads aloud."""

import io
import os
import pty

import pytest

from ratingpriv.report.page import Table
from ratingpriv.report.pages import page_of
from ratingpriv.report.plain import chance, share
from ratingpriv.report.text import print_page, render, table_text, wrapped

pytestmark = pytest.mark.small


def audit_text(result, *, width=80, **more):
    return render(page_of(result, **{"show": 20, **more}), width=width)


def test_the_verdict_stays_on_one_line(result_of):
    first = audit_text(result_of([(1, 5), (1, 5), (9, 5), (9, 5)], name="long " * 40)).splitlines()[
        0
    ]
    assert first.startswith("SATISFIED: long ")
    assert first.endswith("-anonymous.")


def test_violators_are_cut_and_counted(result_of):
    alone = result_of([(row, 1) for row in range(0, 100, 2)])
    text = audit_text(alone, show=3)
    assert "(3 of 50 shown)" in text
    assert "t4 " not in text
    unnamed = audit_text(alone, show=0)
    assert "are not listed, as ids identify: --show 20" in " ".join(unnamed.split())
    assert "t1" not in unnamed


@pytest.mark.parametrize("width", [40, 80, 120])
def test_lines_fit_and_carry_no_spaces_at_their_end(result, width):
    lines = audit_text(result, width=width).splitlines()
    prose = [line for line in lines[1:] if " ratingpriv " not in line]  # commands are not broken
    assert max(map(len, prose)) <= width
    assert not [line for line in lines if line != line.rstrip()]


def test_escape_sequences_of_the_data_do_not_reach_the_terminal(result_of):
    evil = result_of(
        [(1, 5), (9, 5)],
        ids=["\x1b[2J", "[red]b[/red]\r\n"],
        name="\x1b]0;x\x07",
        sensitive="\x9bs",
    )
    text = audit_text(evil)
    assert not {char for char in text if not char.isprintable()} - {"\n"}
    assert r"\x1b[2J" in text
    assert "[red]b[/red]" in text


def test_colours_only_on_a_terminal(result, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    file = io.StringIO()
    print_page(page_of(result), file)
    assert "\x1b" not in file.getvalue()
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        print_page(page_of(result), terminal, width=100)
    with os.fdopen(master, "rb") as seen:
        assert b"\x1b[1;31mNOT SATISFIED" in os.read(seen.fileno(), 4096)


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 9, "0 %"), (9, 9, "100 %"), (1, 3, "33.3 %"), (1, 9999, "under 0.1 %"),
    (9998, 9999, "over 99.9 %"),
     (1, 4, "25 %"), (1, 1000, "0.1 %")],
)  # fmt: skip
def test_shares_never_round_to_nobody_or_everybody(part, whole, text):
    assert share(part, whole) == text
    assert chance(part / whole) == text


def test_prose_is_wrapped_by_columns_and_a_long_word_is_cut():
    assert wrapped("one two three", 9, "- ", "  ") == ["- one two", "  three"]
    assert wrapped("abcdefghij kl", 6, "- ", "  ") == ["- abcd", "  efgh", "  ij", "  kl"]
    assert wrapped("日本語 日本", 8, "", "") == ["日本語", "日本"]
    assert wrapped("日本語日本語", 5, "", "") == ["日本", "語日", "本語"]
    assert wrapped("", 10, "- ", "  ") == ["- "]


def test_tables_line_up_by_columns_of_the_terminal():
    table = Table(("name", "n"), (("日本", "1"), ("e\u0301", "12"), ("a\tb", "")), (False, True))
    assert table_text(table).splitlines() == ["name   n", "日本   1", "e\u0301     12", "a\\tb"]
