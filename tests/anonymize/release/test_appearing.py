"""A release, a manifest or a key that appears while a release is written
is never replaced without `force`.

Somebody else makes the file before the n-th call that touches names or the disk, for every n there
is.
"""

import contextlib
import os

import pytest
from release_samples import anonymized, survey, whole_or_nothing

from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import OutputError

CALLS = ("fsync", "link", "replace", "rename", "unlink")
MANIFEST = "r.csv.manifest.json"
OTHER = b"somebody else's"


class Meanwhile:
    """Before the ``at``-th call somebody makes a file.

    One that is there stays, unless it is the orphan.
    """

    def __init__(self, at, path, orphan):
        self.at, self.path, self.orphan, self.calls, self.made = at, path, orphan, 0, False

    def before(self, real):
        def call(*args, **more):
            if self.calls == self.at and (
                not self.path.exists() or self.path.read_bytes() == self.orphan
            ):
                self.path.write_bytes(OTHER)
                self.made = True
            self.calls += 1
            return real(*args, **more)

        return call

    @contextlib.contextmanager
    def watching(self):
        with pytest.MonkeyPatch.context() as patch:
            for call in CALLS:
                patch.setattr(os, call, self.before(getattr(os, call)))
            yield


@pytest.mark.parametrize(
    ("name", "orphan"), [("r.csv", False), (MANIFEST, False), ("r.key", False), ("r.csv", True)]
)
def test_what_appears_meanwhile_is_kept(tmp_path, name, orphan):
    table = survey(tmp_path)
    made = anonymized(table, [0, 1, 2, 3])
    refused = 0
    for at in range(1000):
        folder = tmp_path / str(at)
        folder.mkdir()
        left = None
        if orphan:  # what a killed run leaves
            write_release(made, folder / "r.csv")
            (folder / "r.csv").unlink()
            left = (folder / MANIFEST).read_bytes()
        somebody, error = Meanwhile(at, folder / name, left if name == MANIFEST else None), None
        with somebody.watching():
            try:
                write_release(made, folder / "r.csv", original=table, key=folder / "r.key")
            except OutputError as found:
                error = found
        if somebody.made:
            refused += 1
            assert error is not None, at
            assert "appeared" in str(error) or "exists" in str(error)
            assert somebody.path.read_bytes() == OTHER, at
            others = {path.name for path in folder.iterdir()} - {name}
            assert others <= ({MANIFEST} if orphan else set()), at
        else:
            assert error is None
            assert whole_or_nothing(folder / "r.csv", None) == "the new"
        if somebody.calls <= at:
            break
    assert refused >= 3


def test_the_file_that_the_table_was_read_from_is_never_replaced(tmp_path):
    table = survey(tmp_path)
    before = (tmp_path / "input.csv").read_bytes()
    made = anonymized(table, [0, 1, 2, 3])
    (tmp_path / "soft.csv").symlink_to("input.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "input.csv")
    for name in ("input.csv", "soft.csv", "hard.csv"):
        with pytest.raises(OutputError, match="this is the input"):
            write_release(made, tmp_path / name, force=True)
    out = tmp_path / "r.csv"
    out.write_text("old")

    def link(what, done, total):
        if what == "release" and done == 4:
            out.unlink()
            out.hardlink_to(tmp_path / "input.csv")

    with pytest.raises(OutputError, match="this is the input"):
        write_release(made, out, force=True, progress=link)
    assert (tmp_path / "input.csv").read_bytes() == before
    assert out.samefile(tmp_path / "input.csv")
