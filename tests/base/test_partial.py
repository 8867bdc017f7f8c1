"""What a killed writer leaves is swept; what a living one holds, and what somebody may need, is not."""

import contextlib
import errno
import os
import shutil
import subprocess
import sys

import pytest

from ratingpriv.base import partial
from ratingpriv.base.errors import OutputError
from ratingpriv.base.files import replacing
from ratingpriv.base.partial import partial_file, partial_folder, partial_link, sweep

pytestmark = pytest.mark.skipif(partial.fcntl is None, reason="no locks here: nothing is swept")

LEFT = ".out.0123456789ab.partial"
MAKERS = [partial_file, partial_folder, partial_link]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_abandoned_goes_with_the_next_write_done_or_refused(tmp_path):
    for _ in range(2):
        (tmp_path / LEFT).write_text("half")
        (tmp_path / LEFT.replace("0", "f")).mkdir()
        (tmp_path / LEFT.replace("0", "f") / "file").touch()
        with contextlib.suppress(OutputError), replacing(tmp_path / "out") as temporary:
            temporary.write_text("new")
        assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    "other",
    [".other.0123456789ab.partial", ".out.txt.0123456789ab.partial", ".out.mine.partial", "out.partial"],
)
def test_other_files_stay(tmp_path, other):
    (tmp_path / other).touch()
    sweep(tmp_path / "out")
    assert names(tmp_path) == [other]


def test_what_belongs_to_another_user_stays(tmp_path, monkeypatch):
    (tmp_path / LEFT).touch()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    sweep(tmp_path / "out")
    assert names(tmp_path) == [LEFT]


def test_a_link_or_a_pipe_is_not_opened(tmp_path):
    (tmp_path / "mine").touch()
    (tmp_path / LEFT).symlink_to("mine")
    os.mkfifo(tmp_path / LEFT.replace("0", "f"))
    sweep(tmp_path / "out")
    assert "mine" in names(tmp_path)
    assert LEFT in names(tmp_path)


@pytest.mark.parametrize("make", MAKERS)
def test_two_writers_leave_each_other_alone(tmp_path, make):
    (tmp_path / "out").touch()
    with make(tmp_path / "out") as first:
        with make(tmp_path / "out") as second:
            assert first != second
            assert first.exists()
            sweep(tmp_path / "out")
            assert second.exists()
        assert names(tmp_path) == [first.name, "out"]
    assert names(tmp_path) == ["out"]


def test_many_processes_write_beside_each_other(tmp_path):
    """Each sweeps before it makes its own, which nobody holds for a moment."""
    code = (
        "import pathlib; from ratingpriv.base.partial import partial_folder\n"
        "for _ in range(400):\n"
        f"    with partial_folder(pathlib.Path({str(tmp_path)!r}, 'out')) as path: (path / 'a').touch()\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [one.wait() for one in running] == [0] * 4
    assert names(tmp_path) == []


@pytest.mark.parametrize("before", ["open", "flock"])
@pytest.mark.parametrize("make", MAKERS)
def test_a_sweep_between_making_and_locking(tmp_path, make, before, monkeypatch):
    """The other process has the lock first, and removes what it takes for abandoned: another one is made."""
    (tmp_path / "out").touch()
    module = partial.fcntl if before == "flock" else partial.os
    real, swept = getattr(module, before), []

    def overtaken(first, how, *more, **named):
        left = [path for path in tmp_path.iterdir() if path.name != "out"]
        if not swept and left:
            swept.extend(left)
            shutil.rmtree(swept[0]) if swept[0].is_dir() else swept[0].unlink()
        return real(first, how, *more, **named)

    monkeypatch.setattr(module, before, overtaken)
    with make(tmp_path / "out") as path:
        assert path.exists()
        assert swept
        assert path not in swept
    assert names(tmp_path) == ["out"]


def test_without_locks_nothing_is_swept(tmp_path, monkeypatch):
    (tmp_path / LEFT).touch()

    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patched:
        patched.setattr(partial.fcntl, "flock", refuse)
        with partial_file(tmp_path / "out") as path:
            assert path.exists()
    monkeypatch.setattr(partial, "fcntl", None)
    with partial_folder(tmp_path / "out") as path:
        assert path.exists()
    assert names(tmp_path) == [LEFT]
