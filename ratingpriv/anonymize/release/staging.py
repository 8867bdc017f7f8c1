"""A release and its manifest are renamed together: whoever reads them finds a pair that belongs together.

Two files cannot be renamed at once. The pair is whole at every moment nevertheless, kill -9 included:

* a new release: the manifest is renamed first, the release last. Until then there is no release; a
  manifest alone says nothing and is replaced by the next run.
* one that replaces another: first the manifest is replaced by one that holds both manifests, then the release
  is replaced, then the manifest by the new one alone. In between, each of the two releases finds its own.

Everything is written in a folder ``.NAME.*.partial`` beside the release that only its owner may enter. A
process that is killed leaves that folder behind; the next run for the same name removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ratingpriv.errors import OutputError, ResourceError
from ratingpriv.files import DISK_FAILED, name_new
from ratingpriv.inputs import refuse_inputs

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves behind stays there
    fcntl = None  # type: ignore[assignment]

__all__ = ["install", "install_file", "staging", "sync"]

_DISK_FAILED = (*DISK_FAILED, errno.EFBIG)


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Give a folder beside ``target`` that goes away with the block, whatever happens.

    Raises
    ------
    OutputError
        The folder cannot be made.
    ResourceError
        The disk is full or failed, there or anywhere in the block.
    """
    prefix = f".{target.name[:50]}."
    folder = target.with_name(f"{prefix}{secrets.token_hex(6)}.partial")
    _remove_abandoned(target.parent, prefix)
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        if error.errno in _DISK_FAILED:
            raise _disk(target, error) from error
        raise OutputError(f"{target}: cannot be written ({error.strerror}); choose another place") from error
    try:
        with _locked(folder):
            yield folder
    except OSError as error:
        if error.errno in _DISK_FAILED and not isinstance(error, OutputError):
            raise _disk(target, error) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sync(path: Path) -> None:
    """Make sure that the bytes of a file, or the names in a folder, survive a power failure."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if not path.is_dir() or error.errno in _DISK_FAILED:  # not every system syncs folders
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
) -> None:
    """Rename staged, synced files atomically; on an error all is as it was before.

    Parameters
    ----------
    release, manifest : the staged files
    both : where a release is replaced: a staged manifest that holds the new manifest and the old; else None
    target, manifest_target : their names
    done : called with how many of the steps are done
    orphan : without ``force``, the manifest without a release that was there at first and may be replaced
    force : whether a manifest may be replaced, and a release if ``both`` is given

    Raises
    ------
    OutputError
        A release or a manifest appeared meanwhile that must not be replaced.
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
            install_file(release, target)
        else:
            release.chmod(stat.S_IMODE(target.stat().st_mode))  # a replaced file keeps its permissions
            release.replace(target)
    except BaseException:
        _put_back(manifest_target, before, release.parent)
        raise
    sync(target.parent)
    done(2)
    if both is not None:
        manifest.replace(manifest_target)
        sync(target.parent)
        done(3)


def install_file(staged: Path, target: Path) -> None:
    """Rename a staged, synced file unless somebody else has taken the name meanwhile.

    Raises
    ------
    OutputError
        A file of this name appeared.
    """
    try:
        name_new(staged, target)
    except FileExistsError as error:
        raise OutputError(f"{target}: the file appeared meanwhile; choose another name") from error
    sync(target.parent)


def _replace_orphan(staged: Path, target: Path, orphan: bytes | None) -> None:
    """Put ``staged`` in the place of a file, if that still holds ``orphan``; OutputError if not.

    The file is taken away before it is looked at, so that no other can slip in between, and put back if it
    is another.
    """
    if orphan is not None and target.read_bytes() == orphan:
        taken = staged.with_name("orphan")
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


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder: a lock goes with its process, however that ends."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove folders that nobody holds any more."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            if not (folder.name.startswith(prefix) and folder.name.endswith(".partial") and folder.is_dir()):
                continue
            handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                continue
            finally:
                os.close(handle)


def _disk(target: Path, error: OSError) -> ResourceError:
    why = os.strerror(error.errno or 0)
    return ResourceError(f"{target}: {why}; free some space or choose another disk")
