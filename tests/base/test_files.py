"""Outputs appear whole or not at all."""

import contextlib
import errno
import os
import stat

import pytest

from ratingpriv.base import files
from ratingpriv.base.errors import OutputError, ResourceError
from ratingpriv.base.files import check_writable, name_together, once_named, replacing, together


def write(path, text="new", **more):
    with replacing(path, **more) as temporary:
        temporary.write_text(text, encoding="utf-8")


def held(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def refusing(number):
    """Stand in for a call of the system that fails."""

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    return refuse


def fail(path, error, **more):
    """Write half of a file, then raise."""
    with replacing(path, **more) as temporary:
        temporary.write_text("half")
        raise error


def write_while_another_does(path):
    with replacing(path) as temporary:
        temporary.write_text("new")
        path.write_text("other")


def test_nothing_is_seen_before_the_end(tmp_path):
    with replacing(tmp_path / "out") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "out").exists()
        assert temporary.parent == tmp_path
    assert held(tmp_path) == {"out": "half"}


def test_a_file_that_exists_needs_force(tmp_path):
    (tmp_path / "out").write_text("old")
    with pytest.raises(OutputError, match="`force=True`"):
        write(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "old"
    write(tmp_path / "out", force=True)
    assert (tmp_path / "out").read_text() == "new"


def test_a_file_that_appeared_meanwhile_is_kept(tmp_path):
    with pytest.raises(OutputError, match="exists"):
        write_while_another_does(tmp_path / "out")
    assert held(tmp_path) == {"out": "other"}


@pytest.mark.parametrize("before", [{}, {"out": "old"}])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, ValueError, SystemExit, IsADirectoryError(errno.EISDIR, "x")]
)
def test_a_failed_write_leaves_nothing_or_the_old_file(tmp_path, before, error):
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(error if isinstance(error, type) else IsADirectoryError):
        fail(tmp_path / "out", error, force=True)
    assert held(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_a_failed_resource(tmp_path, number):
    with pytest.raises(ResourceError, match="out: ") as caught:
        fail(tmp_path / "out", OSError(number, os.strerror(number)))
    assert caught.value.exit_code == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (".", "directory"), ("no/out", "does not exist"), ("file/out", "file"),
        ("x" * 300, "cannot be written|too long"),
    ],
)  # fmt: skip
def test_wrong_places(tmp_path, place, message):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=message):
        write(tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    # root may write anywhere
    monkeypatch.setattr(os, "access", lambda place, mode: not mode & os.W_OK)
    with pytest.raises(OutputError, match="cannot be written to"):
        check_writable(tmp_path / "out")


def test_permissions_follow_the_umask_or_the_old_file(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    (tmp_path / "out").chmod(0o600)
    write(tmp_path / "out", force=True)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600
    (tmp_path / "out").chmod(0o644)
    write(tmp_path / "out", force=True, private=True)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


@pytest.mark.parametrize("dangling", [False, True])
def test_a_symbolic_link_stays_one(tmp_path, dangling):
    if not dangling:
        (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP])
def test_a_file_system_without_hard_links(tmp_path, monkeypatch, number):
    monkeypatch.setattr(files.os, "link", refusing(number))
    write(tmp_path / "out")
    with pytest.raises(OutputError, match="exists"):
        write_while_another_does(tmp_path / "late")
    assert held(tmp_path) == {"late": "other", "out": "new"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_a_device_is_written_to_and_never_replaced(tmp_path):
    write("/dev/null", force=True)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116
    with pytest.raises(ResourceError, match="/dev/full"):
        write("/dev/full")


@pytest.mark.parametrize(
    ("number", "error", "words"),
    [
        (errno.EROFS, OutputError, r"cannot be written .*choose another place"),
        (errno.ENOSPC, ResourceError, "free some space"),
    ],
)
def test_a_temporary_file_that_cannot_be_made(tmp_path, monkeypatch, number, error, words):
    monkeypatch.setattr(files.os, "open", refusing(number))
    with pytest.raises(error, match=words):
        write(tmp_path / "out")


def test_a_place_that_cannot_be_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(files.Path, "is_dir", refusing(errno.EACCES))
    with pytest.raises(OutputError, match="Permission denied; choose another place"):
        check_writable(tmp_path / "out")


def test_a_broken_pipe_is_no_failed_disk(tmp_path, monkeypatch):
    """Whoever reads the output may stop; the command line ends in silence then."""

    with pytest.raises(BrokenPipeError):
        fail(tmp_path / "out", BrokenPipeError(errno.EPIPE, "pipe"))
    monkeypatch.setattr(files.shutil, "copyfileobj", refusing(errno.EPIPE))
    with pytest.raises(BrokenPipeError):
        write("/dev/null")


def test_an_error_of_the_file_system_itself_stays_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "link", refusing(errno.ENODEV))
    with pytest.raises(OSError, match="No such device"):
        write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# ---- several files ----


@together()
def write_three(folder, last):
    write(folder / "a", force=True)
    write(folder / "b")
    last(folder / "c")


def test_files_that_get_their_names_together(tmp_path):
    (tmp_path / "b").write_text("old")
    with together():
        write(tmp_path / "a")
        write(tmp_path / "b", force=True)
        assert not (tmp_path / "a").exists()
        assert (tmp_path / "b").read_text() == "old"
        name_together()
        assert (tmp_path / "b").read_text() == "new"
    assert held(tmp_path) == {"a": "new", "b": "new"}
    write(tmp_path / "c")  # alone there is nothing to wait for
    name_together()
    assert held(tmp_path)["c"] == "new"


def test_one_that_fails_leaves_none(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ResourceError, match=r"c: .*; nothing was written"):
        write_three(tmp_path, lambda path: fail(path, OSError(errno.ENOSPC, "full")))
    assert held(tmp_path) == {"a": "old"}


def test_a_name_that_cannot_be_given_takes_back_the_others(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    with pytest.raises(OutputError, match="c: the file exists"):
        write_three(tmp_path, lambda path: (write(path), path.write_text("other")))
    assert held(tmp_path) == {"a": "old", "c": "other"}
    (tmp_path / "c").unlink()
    monkeypatch.setattr(files, "name_new", refusing(errno.EIO))
    with pytest.raises(ResourceError, match="b: "):
        write_three(tmp_path, write)
    assert held(tmp_path) == {"a": "old"}


def test_libraries_tell_of_a_full_disk_in_words(tmp_path):
    with pytest.raises(ResourceError, match="No space left"):
        fail(tmp_path / "out", RuntimeError("parquet: underlying IO error: full (os error 28)"))
    with pytest.raises(RuntimeError, match="os error 13"):
        fail(tmp_path / "out", RuntimeError("(os error 13)"))


def test_what_is_said_of_a_file_is_said_once_it_has_its_name(tmp_path):
    said = []
    path = tmp_path / "a"

    def note():
        said.append(path.exists())

    once_named(note)
    assert said == [False]  # alone: now
    with together():
        with replacing(path) as temporary:
            temporary.write_text("1")
        once_named(note)
        assert said == [False]
    assert said == [False, True]
    with contextlib.suppress(KeyError), together():
        once_named(note)
        raise KeyError
    assert said == [False, True]  # what got no name was not written
