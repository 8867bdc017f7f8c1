"""What is drawn on a terminal, and only there."""

import io
import sys

import pytest

from ratingpriv.cli.options import source
from ratingpriv.cli.output.invocation import invocation
from ratingpriv.cli.output.reporter import progress_bars


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_bars_for_each_piece_of_work(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(invocation(), "quiet", False)
    with progress_bars() as show:
        assert show is not None
        show("reading \x1b[31mred", 1, 2)
        show("counting", 5, None)
        show("reading \x1b[31mred", 2, 2)
    drawn = terminal.getvalue()
    assert "reading" in drawn
    assert "\x1b[31mred" not in drawn  # a name moves no cursor and has no colour


@pytest.mark.parametrize("quiet", [True, False])
def test_none_where_nobody_would_see_them(monkeypatch, quiet):
    monkeypatch.setattr(sys, "stderr", Terminal() if quiet else io.StringIO())
    monkeypatch.setattr(invocation(), "quiet", quiet)
    with progress_bars() as show:
        assert show is None
    assert sys.stderr.getvalue() == ""


def test_a_password_is_asked_for_where_somebody_can_type_one(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert source.password_prompt() is None
    monkeypatch.setattr(sys, "stdin", None)
    assert source.password_prompt() is None
    monkeypatch.setattr(sys, "stdin", Terminal())
    prompt = source.password_prompt()
    monkeypatch.setattr("getpass.getpass", lambda question: f"typed at {question}")
    assert prompt("here: ") == "typed at here: "

    def gone(_):
        raise EOFError

    monkeypatch.setattr("getpass.getpass", gone)
    assert prompt("here: ") == ""
