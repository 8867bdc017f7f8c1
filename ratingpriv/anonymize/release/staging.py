"""A release, its manifest and its key get their names: whoever reads them finds what belongs together.

Several files cannot be renamed at once. A release has its manifest and its key at every moment nevertheless,
kill -9 included: the key is named first, then the manifest, and the release last.

* a new release: until the last rename there is none. A manifest alone says nothing and is replaced by the
  next run. A key alone, which only a kill leaves, fits no file that anybody has; it is never replaced, so
  that the next run asks for another name.
* one that replaces another: first the manifest is replaced by one that holds both manifests, then the release
  is replaced, then the manifest by the new one alone. In between, each of the two releases finds its own.

Everything is written in a folder ``.NAME.*.partial`` beside the release that only its owner may enter
(:mod:`ratingpriv.base.partial`). Two processes for the same names: the first one to name its key (or, without
keys, its manifest) wins, and the other one ends with an error and takes back what it named.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ratingpriv.anonymize.release.manifest import manifest_path
from ratingpriv.base.errors import OutputError
from ratingpriv.base.files import disk_failure, name_new, refuse_failed, sync_folder
from ratingpriv.base.inputs import refuse_inputs
from ratingpriv.base.keys import Key, write_key
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.unfinished import finishing, undivided


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Give a folder beside ``target`` that goes away with the block, whatever happens.

    ResourceError where the disk is full or failed, there or anywhere in the block.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(partial_folder(target))
        except OSError as error:
            if disk_failure(error) is None:
                words = f"cannot be written ({error.strerror}); choose another place"
                raise OutputError(f"{target}: {words}") from error
            refuse_failed(target, error)
        try:
            yield folder
        except Exception as error:
            refuse_failed(target, error)


def sync(path: Path) -> None:
    """Make sure that the bytes of a file survive a power failure."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class Staged:
    """Files in their folder, synced, that wait for their names.

    ``both``: where a release is replaced, a manifest that holds the new manifest and the old. Without
    ``force`` a manifest is replaced only if it is the ``orphan``, one without a release, that was there at
    first.
    """

    release: Path
    manifest: Path
    both: Path | None
    orphan: bytes | None
    force: bool

    def install(self, target: Path, key: tuple[Key, Path] | None, done: Callable[[int], None]) -> None:
        """Give all their names; on an error before the release has its own, all is as it was before.

        ``done`` is told how many steps are done. OutputError where a file appeared that must not be.
        """
        beside, new = manifest_path(target), self.both is None
        if not new:
            refuse_inputs(target)
        refuse_inputs(beside)
        before = beside.read_bytes() if beside.exists() else None
        named: list[Path] = []

        def take_back() -> None:
            if not self.release.exists() or self.release.stat().st_nlink > 1:
                return  # it has its name
            for path in named:
                with contextlib.suppress(OSError):
                    if path == beside and before is not None:
                        old = self.release.with_name("before")
                        old.write_bytes(before)
                        old.replace(beside)
                    else:
                        path.unlink(missing_ok=True)

        with finishing(take_back):
            with undivided():
                if key is not None:
                    write_key(*key)
                    named.append(key[1])
                self._name_manifest(beside, before)
                named.append(beside)
            sync_folder(target.parent)
            done(1)
            if new:
                _name(self.release, target)
            else:
                self.release.chmod(stat.S_IMODE(target.stat().st_mode))  # which a replaced file keeps
                self.release.replace(target)
        sync_folder(target.parent)
        done(2)
        if not new:
            self.manifest.replace(beside)
            sync_folder(target.parent)
            done(3)

    def _name_manifest(self, beside: Path, before: bytes | None) -> None:
        first = self.manifest if self.both is None else self.both
        if before is not None and (self.force or before == self.orphan):
            first.replace(beside)
        else:
            _name(first, beside)  # another process may be at it: the first one wins


def _name(staged: Path, target: Path) -> None:
    try:
        name_new(staged, target)
    except FileExistsError as error:
        raise OutputError(f"{target}: the file appeared meanwhile; choose another name") from error
