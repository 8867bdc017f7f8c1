"""What a killed writer leaves is swept; what a living one holds, and what somebody may need, is not."""

import contextlib
import errno
import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from ratingpriv.base import partial
from ratingpriv.base.errors import OutputError
from ratingpriv.base.files import replacing
from ratingpriv.base.partial import forgetting, partial_file, partial_folder, partial_link, remember, sweep

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


# ---- what a folder remembers ----


class Broken:
    """A folder that its writer left, with a release in it, and a key outside."""

    def __init__(self, at):
        self.at, self.folder, self.key = at, at / LEFT, at / "key"
        self.folder.mkdir()
        (self.folder / "out").write_text("release")
        self.key.write_text("key of this release")
        remember(self.folder, "out", self.key, hashlib.sha256(self.key.read_bytes()).hexdigest())

    def sweep(self):
        sweep(self.at / "out")
        return names(self.at)


@pytest.fixture
def broken(tmp_path):
    return Broken(tmp_path)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda folder, at: None, []),  # of a release that never was: its key goes
        (
            lambda folder, at: (folder / "out").rename(at / "out").unlink(),
            ["key"],
        ),  # of one that was, wherever it is
        (lambda folder, at: os.link(folder / "out", at / "elsewhere"), ["elsewhere", "key"]),
        (lambda folder, at: (at / "key").write_text("key of another release"), ["key"]),
        (lambda folder, at: (at / "key").unlink(), []),  # not named yet
        # half a record is none: it is written before the key is named
        (lambda folder, at: (folder / "out.remembered").write_text(""), ["key"]),
        (lambda folder, at: (folder / "out.remembered").write_text('{"path": '), ["key"]),
    ],
)
def test_a_key_goes_with_a_release_that_never_was_alone(broken, change, left):
    change(broken.folder, broken.at)
    assert broken.sweep() == left


def test_a_copy_of_the_folder_tells_nothing(broken, tmp_path):
    """A backup made while the folder was in use; the release was named afterwards."""
    backup = tmp_path / "backup"
    backup.mkdir()
    shutil.copytree(broken.folder, backup / LEFT)
    (broken.folder / "out").rename(broken.at / "out")
    sweep(backup / "out")
    assert names(backup) == []
    assert broken.key.exists()


def test_a_record_of_another_user_is_not_obeyed(broken, monkeypatch):
    real = os.fstat
    monkeypatch.setattr(
        os, "fstat", lambda handle: os.stat_result([*real(handle)[:4], 12345, *real(handle)[5:10]])
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    partial._discard(broken.folder, "out")
    assert names(broken.at) == [LEFT, "key"]


def test_forgetting(broken):
    with contextlib.suppress(KeyError), forgetting(broken.folder, "out"):
        raise KeyError
    assert (broken.folder / "out.remembered").exists()
    with forgetting(broken.folder, "out"):
        assert not (broken.folder / "out.remembered").exists()
    assert broken.sweep() == ["key"]
    with contextlib.suppress(KeyError), forgetting(broken.at, "nothing"):
        raise KeyError
