"""A release and its manifest are renamed together: whoever reads them finds a pair that belongs together.

Two files cannot be renamed at once. The pair is whole at every moment nevertheless, kill -9 included:

* a new release: the manifest is renamed first, the release last. Until then there is no release; a
  manifest alone says nothing and is replaced by the next run.
* one that replaces another: first the manifest is replaced by one that holds both manifests, then the release
  is replaced, then the manifest by the new one alone. In between, each of the two releases finds its own.

Everything is written in a folder ``.NAME.*.partial`` beside the release that only its owner may enter. A
process that is killed leaves that folder behind, which nothing reads.

The private key gets its name before the release does, so that no release is ever without its key. What fails,
or is interrupted, before the release has its name takes the key back; a kill leaves the key of a release that
nobody has, and as no key is ever replaced, the next run is refused and says so.

Two processes for the same names: the first one to name its key (or, without
keys, its manifest) wins, and the other one ends with an error and takes back what it named.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ratingpriv.base.errors import OutputError
from ratingpriv.base.files import DISK_FAILED, disk_failure, name_new, refuse_failed, sync_folder
from ratingpriv.base.inputs import refuse_inputs
from ratingpriv.base.partial import partial_folder


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
    """Make sure that the bytes of a file, or the names in a folder, survive a power failure."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if not path.is_dir() or error.errno in DISK_FAILED:  # not every system syncs folders
            raise


def install(
    release: Path,
    manifest: Path,
    both: Path | None,
    *,
    target: Path,
    manifest_target: Path,
    done: Callable[[int], None],
    orphan: bytes | None = None,
    force: bool = True,
) -> bool:
    """Rename the staged, synced ``release`` and ``manifest``; on an error all is as it was before.

    Once the release has its name nothing is taken back, and nothing that fails is an error: the release is
    whole, and its manifest is there. Returns whether that holds this manifest alone; if it still holds the
    one of the replaced release too, each of the two finds its own. ``both``: where a release is replaced, a
    staged manifest that holds the new manifest and the old. ``done`` is told how many steps are done.
    Without ``force`` a manifest is replaced only if it is the ``orphan``, one without a release, that was
    there at first; OutputError where a release or a manifest appeared that must not be.
    """
    if both is not None:
        refuse_inputs(target)
    refuse_inputs(manifest_target)
    before = manifest_target.read_bytes() if manifest_target.exists() else None
    first = manifest if both is None else both
    if before is None:
        install_file(first, manifest_target)  # another process may be at it: the first one wins
    elif force:
        first.replace(manifest_target)
    else:
        _replace_orphan(first, manifest_target, orphan)
    try:
        sync(target.parent)
        done(1)
        if both is None:
            _name(release, target)
        else:
            release.chmod(stat.S_IMODE(target.stat().st_mode))  # a replaced file keeps its permissions
            release.replace(target)
    except BaseException:
        if release.exists() and release.stat().st_nlink == 1:  # neither renamed nor linked to
            _put_back(manifest_target, before, release.parent)
        raise
    sync_folder(target.parent)
    done(2)
    if both is None:
        return True
    alone = False
    for _ in range(2):  # a second attempt
        with contextlib.suppress(OSError, MemoryError):
            manifest.replace(manifest_target)
            alone = True
            break
    sync_folder(target.parent)
    done(3)
    return alone


def install_file(staged: Path, target: Path) -> None:
    """Rename a staged, synced file, or do nothing where somebody else has taken the name meanwhile."""
    _name(staged, target)
    try:
        sync(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            target.replace(staged)
        raise


def _name(staged: Path, target: Path) -> None:
    try:
        name_new(staged, target)
    except FileExistsError as error:
        raise OutputError(f"{target}: the file appeared meanwhile; choose another name") from error


def _replace_orphan(staged: Path, target: Path, orphan: bytes | None) -> None:
    """Put ``staged`` in the place of a file, if that still holds ``orphan``; OutputError if not.

    The file is taken away before it is looked at, so that no other can slip in between, and put back if it
    is another.
    """
    if orphan is not None and target.read_bytes() == orphan:
        taken = staged.with_name(f"{target.name}.orphan")
        with contextlib.suppress(FileNotFoundError):  # another process was quicker: the link below decides
            target.rename(taken)
            if taken.read_bytes() == orphan:
                taken.unlink()
            else:
                with contextlib.suppress(FileExistsError):
                    name_new(taken, target)
    install_file(staged, target)


def _put_back(manifest_target: Path, before: bytes | None, folder: Path) -> None:
    with contextlib.suppress(OSError):
        if before is None:
            manifest_target.unlink(missing_ok=True)
            return
        old = folder / "before"
        old.write_bytes(before)
        sync(old)
        old.replace(manifest_target)
