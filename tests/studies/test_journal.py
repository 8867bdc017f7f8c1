"""The journal: what a kill leaves is taken up again, what is not as it was written is refused."""

import os
import subprocess
import sys

import pytest

from ratingpriv.base.errors import OutputError, ResourceError
from ratingpriv.studies import cells as module
from ratingpriv.studies.cells import journal_at

ABOUT = {"version": "1", "specification": {"k": [2]}, "data d": "aa"}
ROWS = [{"measure": "max_k", "value": 0.1 + 0.2, "reason": "ε"}]


def written(path, cells=("a", "b")):
    with journal_at(path, ABOUT) as journal:
        for cell in cells:
            journal.measured(cell, lambda: ROWS)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "j"


@pytest.fixture
def whole(path):
    """The bytes of a journal that is written to its end."""
    return written(path)


def test_a_kill_at_any_byte_leaves_whole_cells_and_the_same_end(path, whole, monkeypatch):
    """Every beginning of the file is what some kill leaves."""
    monkeypatch.setattr(module.os, "fsync", lambda handle: None)
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        with journal_at(path, ABOUT) as journal:
            finished = sum(end <= cut for end in ends[1:])
            assert list(journal.finished) == ["a", "b"][:finished]
            for cell in ("a", "b")[finished:]:
                journal.measured(cell, lambda: ROWS)
        assert path.read_bytes() == whole


def test_where_nothing_was_finished_no_journal_stays(path):
    with pytest.raises(KeyError), journal_at(path, ABOUT):
        raise KeyError
    assert not path.exists()


@pytest.mark.parametrize("changed", ["version", "specification", "data d"])
def test_another_experiment_is_refused_with_what_changed(path, whole, changed):
    said = f"{changed} changed since; .* delete the journal"
    with pytest.raises(OutputError, match=said), journal_at(path, {**ABOUT, changed: "other"}):
        pass
    assert path.read_bytes() == whole


def test_a_line_that_was_changed_is_refused(path, whole):
    path.write_bytes(whole.replace(b"max_k", b"min_k", 1))
    with (
        pytest.raises(OutputError, match="line 2 is not as it was written"),
        journal_at(path, ABOUT),
    ):
        pass


@pytest.mark.parametrize(
    "content", [b"some text", b"id,q1\n1,2\n", b"{}\n", b'{"journal": "other"}\n']
)
def test_a_file_that_is_no_journal_stays_as_it_is(path, content):
    path.write_bytes(content)
    with pytest.raises(OutputError, match="no journal"), journal_at(path, ABOUT):
        pass
    assert path.read_bytes() == content


def test_a_first_line_of_another_experiment_that_was_cut_off_has_nothing_to_lose(path, whole):
    path.write_bytes(whole[:40])
    with journal_at(path, {**ABOUT, "version": "22"}) as journal:
        assert journal.finished == {}


def test_two_processes_at_once_are_kept_apart(path):
    with journal_at(path, ABOUT):
        code = f"""
from ratingpriv.studies.cells import journal_at
from ratingpriv.base.errors import OutputError
try:
    with journal_at({str(path)!r}, {ABOUT!r}):
        print("both")
except OutputError as error:
    print("another process" in str(error))
"""
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert ended.stdout == "True\n"


def test_a_full_disk_says_how_to_go_on(path, monkeypatch):
    def full(handle):
        raise OSError(28, os.strerror(28))

    with journal_at(path, ABOUT) as journal:
        monkeypatch.setattr(module.os, "fsync", full)
        with pytest.raises(ResourceError, match="run the same command again"):
            journal.measured("a", lambda: ROWS)
        monkeypatch.undo()


def test_half_a_line_that_is_longer_than_the_next_one_leaves_nothing(path, whole):
    path.write_bytes(whole + b'{"cell": "c", "rows": [' + b"1, " * 1000)
    with journal_at(path, ABOUT) as journal:
        journal.measured("c", list)
    assert path.read_bytes().endswith(b'"}\n')
    with journal_at(path, ABOUT) as journal:
        assert list(journal.finished) == ["a", "b", "c"]


@pytest.mark.skipif(os.name != "posix", reason="devices with a path")
@pytest.mark.parametrize("name", ["/dev/null", "/dev/full", "pipe"])
def test_a_device_is_no_journal(tmp_path, monkeypatch, name):
    """/dev/full and /dev/zero are read without an end."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")

    def nothing(*_):
        raise AssertionError("it was opened")

    monkeypatch.setattr(module, "_lock", nothing)
    with pytest.raises(OutputError, match=f"{name}: found a device or a pipe, expected a file"):
        written(name)


@pytest.mark.skipif(os.name != "posix", reason="rights of a file")
@pytest.mark.parametrize("mask", [0, 0o377])
def test_a_journal_is_its_owners_alone_whatever_the_umask(path, mask):
    before = os.umask(mask)
    try:
        written(path)
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)  # of an earlier version
        written(path, ("a", "b", "c"))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_another_process_measured_is_told_from_what_this_one_did(path, whole):
    with journal_at(path, ABOUT) as journal:
        for cell in ("c", "b", "c"):
            journal.measured(cell, lambda: ROWS)
        assert list(journal.taken) == ["b"]
