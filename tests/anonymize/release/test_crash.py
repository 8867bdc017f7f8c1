"""Whatever stops a writer, and whenever: either the old state,
or the whole release with its manifest.

A writer that is killed leaves what the file system held at that moment. So the folder is copied
before and after every call that changes a name, and at every step; each copy is looked at as a
stranger would find it.
"""

import contextlib
import errno
import os
import resource
import shutil

import pytest
from release_samples import FIVE, anonymized, survey, whole_or_nothing

from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.keys import read_key

CALLS = ("link", "replace", "unlink", "rename")


class Writer:
    """A folder, and a call that writes a release there;
    ``before`` are the bytes of one that it replaces.
    """

    def __init__(self, folder):
        self.path, self.original, self.before = folder / "folder", survey(folder), None
        self.path.mkdir()

    def old(self):
        write_release(anonymized(self.original, [0, 1, 2, 3]), self.path / "r.csv")
        self.before = (self.path / "r.csv").read_bytes()

    def write(self, folder=None, **more):
        settings = {
            "key": (folder or self.path) / "r.key",
            "force": self.before is not None,
            **more,
        }
        made = anonymized(self.original, FIVE)
        return write_release(
            made, (folder or self.path) / "r.csv", original=self.original, **settings
        )

    def names(self):
        return sorted(path.name for path in self.path.iterdir())

    @property
    def state(self):
        return whole_or_nothing(self.path / "r.csv", self.before)


@pytest.fixture
def writer(tmp_path):
    return Writer(tmp_path)


@pytest.fixture(params=[False, True], ids=["new", "replaced"])
def replacing(writer, request):
    if request.param:
        writer.old()
    return writer


def between(real, look):
    def call(*args, **more):
        look()
        done = real(*args, **more)
        look()
        return done

    return call


def snapshots(writer, folder, monkeypatch):
    folder.mkdir()
    copies = []

    def copy(*_):
        copies.append(folder / str(len(copies)))
        shutil.copytree(writer.path, copies[-1], symlinks=True)

    with monkeypatch.context() as patched:
        for name in CALLS:
            patched.setattr(os, name, between(getattr(os, name), copy))
        writer.write(progress=copy)
    copy()
    return copies


def test_killed_at_any_moment(replacing, tmp_path, monkeypatch):
    writer = replacing
    copies = snapshots(writer, tmp_path / "copies", monkeypatch)
    found = [whole_or_nothing(copy / "r.csv", writer.before) for copy in copies]
    assert len(found) > 15
    assert found == sorted(found, reverse=True)  # "the old" as long as it is there, then "the new"
    assert {"the old", "the new"} == set(found)
    for copy, state in zip(copies, found, strict=True):
        if state == "the new":
            assert read_key(copy / "r.key").facts["release_sha256"] == verify(copy / "r.csv").sha256
    for number, copy in enumerate(copies[::3]):  # and the next run finds nothing in its way
        done = found[3 * number] == "the new"
        writer.write(copy, key=copy / f"{number}.key", force=writer.before is not None or done)
        assert verify(copy / "r.csv").valid


class Stop(BaseException):
    """As a signal is turned into, by the command line."""


@pytest.mark.parametrize("step", range(1, 6))
def test_interrupted_at_any_step(replacing, step):
    writer = replacing
    before = writer.names()

    def stop(what, done, total):
        if (what, done) == ("release", step):
            raise Stop

    with contextlib.suppress(Stop):
        writer.write(progress=stop)
    assert writer.state == ("the old" if step <= 4 else "the new")
    assert writer.names() == (before if step <= 4 else ["r.csv", "r.csv.manifest.json", "r.key"])


# ---- disks ----


def failing(real, after):
    """``real``, until it was called ``after`` times; then the disk is full."""
    left = [after]

    def call(*args, **more):
        left[0] -= 1
        if left[0] == -1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*args, **more)

    return call


@pytest.mark.parametrize("call", ["fsync", "link", "replace"])
def test_a_disk_that_fails_leaves_nothing(replacing, monkeypatch, call):
    writer = replacing
    before = writer.names()
    failed = 0
    for number in range(call == "link", 12):  # the first link only keeps a name, and may fail
        with monkeypatch.context() as patched:
            patched.setattr(os, call, failing(getattr(os, call), number))
            try:
                writer.write(key=writer.path / "r.key")
            except ResourceError as error:
                assert "No space left on device" in str(error)  # noqa: PT017
                failed += 1
            else:
                break
        if writer.state == "the new":
            break  # it failed when all had their names
        assert writer.names() == before
    assert failed or (call, writer.before) == ("replace", None)  # a new release replaces nothing


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.csv.zst", "r.csv.zip", "r.parquet"])
def test_a_full_disk_leaves_nothing(writer, name):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # the writer's file may have 20 bytes
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        with pytest.raises(ResourceError, match="free some space"):
            write_release(anonymized(writer.original, FIVE), writer.path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert writer.names() == []
