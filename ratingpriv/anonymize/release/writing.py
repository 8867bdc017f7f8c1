"""Writing a release: proved from the written file before the file is renamed to its own name.

``temporary file -> read again by the ordinary reader -> compared -> audited again -> renamed``. What fails
on the way leaves nothing behind; see :mod:`ratingpriv.anonymize.release.staging` for how files are renamed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.anonymize.release import manifest as manifests
from ratingpriv.anonymize.release.publication import IDS, Published, publish, refuse_formulas
from ratingpriv.anonymize.release.rereading import difference
from ratingpriv.anonymize.release.result import Release, key_content, manifest_content
from ratingpriv.anonymize.release.signatures import SigningKey, signing_key
from ratingpriv.anonymize.release.staging import install, install_file, staging, sync
from ratingpriv.anonymize.release.usefulness import stated
from ratingpriv.anonymize.result import Anonymized, audit_for
from ratingpriv.audit.result import AuditResult
from ratingpriv.base import checks
from ratingpriv.base.cautions import checked_codes
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import (
    DataError,
    OutputError,
    ParameterError,
    ResourceError,
    TargetNotReachedError,
)
from ratingpriv.base.files import check_writable
from ratingpriv.base.inputs import protecting
from ratingpriv.base.keys import Key, write_key
from ratingpriv.base.numbers import rounded_down
from ratingpriv.base.partial import remember
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.writing import Rereading, WriteOptions, choose_format, write_table
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.reservations import of_written
from ratingpriv.utility.result import Utility

__all__ = ["Release", "check_places", "write_release"]

_STEPS = 7


def check_places(
    path: str | Path,
    key: str | Path | None = None,
    *,
    force: bool = False,
    inputs: Iterable[str | Path | None] = (),
) -> Path:
    """Refuse early, before long work, places that cannot be written to; return the release's real place.

    Raises
    ------
    OutputError
        The release or its manifest exists (without ``force``), the key exists, a folder is missing or not
        writable, or one of them is a device, or one of ``inputs``.
    ParameterError
        Two of the files are one.
    """
    path = check_writable(checks.path("path", path), force=force, inputs=inputs)
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: found a device or a pipe, expected a file: a release is read again")
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    beside = manifests.manifest_path(target)
    # a manifest without its release is what a killed run may leave: the next one takes its place
    check_writable(beside, force=force or (not target.exists() and _is_manifest(beside)), inputs=inputs)
    if key is not None:
        key = checks.path("key", key)
        check_writable(key, force=True, inputs=inputs)  # is there such a place at all?
        if key.resolve() in (target.resolve(), beside.resolve()):
            raise ParameterError("key", str(key), "another file than the release and its manifest")
        if key.exists():
            raise OutputError(
                f"{key}: the file exists, and a key is never replaced: without it nobody can tell which "
                "record was which; choose another name, or remove it if it is of no use any more"
            )
    return target


@checks.takes_random_state
def write_release(
    anonymized: Anonymized,
    path: str | Path,
    *,
    original: RatingTable | None = None,
    key: str | Path | None = None,
    ids: str = "shuffle",
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    format: str | None = None,  # noqa: A002 -- what loaders call it
    layout: str | None = None,
    labels: str = "words",
    timestamps: bool = False,
    csv_safe: bool = False,
    force: bool = False,
    sign: SigningKey | str | Path | None = None,
    utility: Utility | None = None,
    publish_utility: Sequence[str] = (),
    accept: Sequence[str] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Write a release and its manifest, both or neither, after the written file has passed its audit.

    Parameters
    ----------
    anonymized : what :func:`modify` or :func:`suppress` made
    path : the release; its manifest becomes ``path`` + ".manifest.json"
    original : the table that was anonymised; needed for a key where records are suppressed
    key : where to put the private key: which record became which, the input's hash, the order's seed
    ids : "shuffle", "strip" or "keep", see :mod:`ratingpriv.anonymize.release.publication`
    rng : where the random order comes from; None: the operating system, so that nobody can repeat it
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    format, layout : the release's, by the names that loaders have; None: the input's
    labels : "words", answers on a scale of words as they were, or "numbers"
    timestamps : whether timestamps are released
    csv_safe : refuse names and ids that a spreadsheet would take for formulas. They cannot be escaped here: a
        release is read again, and must then be what it was meant to be
    force : replace a release that exists. A key is never replaced
    sign : an Ed25519 private key, or the file that holds it, to sign the manifest with
    utility : what :func:`ratingpriv.anonymize.release.usefulness.usefulness` measured of it
    publish_utility : names of those measures whose values the manifest states; none by default
    accept : codes of reservations that change what it says (:data:`ratingpriv.base.cautions.BUTS`), and with
        which it is a yes to you all the same; the manifest says so
    threads, memory : for the audit

    Raises
    ------
    TargetNotReachedError
        ``anonymized``, or the file when it is read again, does not meet its target; ``best`` is
        ``anonymized``. Nothing is written.
    OutputError
        A file exists or cannot be written, or is the one that the table was read from.
    ResourceError
        The disk is full or failed, or the file is not read as it was meant. Nothing is left behind.
    """
    checks.choice("ids", ids, IDS)
    checks.choice("labels", labels, ("words", "numbers"))
    if layout is not None:
        checks.choice("layout", layout, ("long", "wide"))
    for name, said in (("timestamps", timestamps), ("csv_safe", csv_safe), ("force", force)):
        checks.flag(name, said)
    checks.instance("anonymized", anonymized, Anonymized, "what a method of anonymisation made")
    if original is not None:
        checks.instance("original", original, RatingTable, "the table that was anonymised")
    useful = stated(utility, publish_utility)
    accept = checked_codes(accept)
    resources = Resources(threads, memory, progress)
    inputs = [table.origin.place for table in (anonymized.table, original) if table is not None]
    target = check_places(path, key, force=force, inputs=inputs)
    beside = manifests.manifest_path(target)
    orphan = None if force or not beside.exists() else beside.read_bytes()
    signer = sign if isinstance(sign, SigningKey) or sign is None else signing_key(sign)
    if not anonymized.satisfied:
        raise _not_reached(anonymized, anonymized.audit, "what was made")
    suppressed = anonymized.distortion.records_withheld
    if key is not None and original is None and suppressed:
        raise ParameterError(
            "original",
            None,
            f"the table that was anonymised, as the key names the {suppressed} suppressed records",
        )
    published = publish(anonymized.table, ids=ids, rng=rng, layout=layout, timestamps=timestamps)
    if csv_safe:
        refuse_formulas(published)
    with protecting(inputs), staging(target) as folder:
        staged = folder / target.name
        _report(resources, 1)
        options = WriteOptions(
            layout=layout, record_ids=published.record_ids, labels=labels, name=target.name
        )
        read = write_table(published.table, staged, format=format, options=options, progress=progress)
        sync(staged)
        _report(resources, 2)
        found = _read_again(published, staged, read, resources)
        result = audit_for(found, anonymized.parameters, resources)
        if not result.satisfied:
            raise _not_reached(anonymized, result, "what was written")
        _report(resources, 3)
        sha256 = str(found.origin.sha256)
        nonce = secrets.token_hex(16) if key is not None else None
        content = manifest_content(
            anonymized, published, result, target, sha256, read, ids, nonce, useful, accept
        )
        if signer is not None:
            content["signature"] = signer.sign(content)
        if target.exists() and not force:
            raise OutputError(f"{target}: the file appeared meanwhile; choose another name")
        both = {**content, "replaces": _old_manifest(target)} if target.exists() else None
        manifest = _staged_json(folder / f"{target.name}.manifest", content)
        combined = None if both is None else _staged_json(folder / f"{target.name}.both", both)
        if key is not None:
            content_of_key = key_content(anonymized, published, found, original, sha256, ids, nonce)
            _install_key(content_of_key, Path(key), staged)
        _report(resources, 4)
        alone = install(
            staged,
            manifest,
            combined,
            target=target,
            manifest_target=beside,
            done=lambda step: _report(resources, 4 + step),
            orphan=orphan,
            force=force,
        )
    notes = _notes(anonymized, published, result, read, target, key=key, ids=ids, format=format)
    if signer is not None and signer.readable_by_others:
        notes = (
            *notes,
            f"others may read the signing key {signer.path}, and sign in your name: chmod 600 it",
        )
    if not alone:
        notes = (
            *notes,
            "the manifest holds that of the replaced release too: the disk failed at the last step",
        )
    return Release(
        path=Path(path),
        manifest_path=manifests.manifest_path(target),
        key_path=None if key is None else Path(key),
        sha256=sha256,
        ids=ids,
        anonymized=anonymized,
        audit=result,
        read=read,
        warnings=notes,
        signed=signer is not None,
        utility=utility,
        accept=accept,
    )


def _install_key(content: Key, path: Path, release: Path) -> None:
    """Write the key beside the staged release and name it; it goes if the release never gets its name."""
    staged = release.with_name(release.name + ".key")
    write_key(content, staged)
    remember(release.parent, release.name, path, hashlib.sha256(staged.read_bytes()).hexdigest())
    sync(release.parent)
    try:
        install_file(staged, path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        write_key(content, path)  # on another disk


def _read_again(published: Published, staged: Path, read: Rereading, resources: Resources) -> RatingTable:
    """Read the written file as anybody would; it must hold what it was meant to."""
    remedy = "nothing was written; report it, and try the output format delimited or parquet meanwhile"
    try:
        found = read.read(staged, progress=resources.progress)
    except (DataError, ParameterError) as error:
        raise ResourceError(f"the release could not be read again ({error}); {remedy}") from error
    wrong = difference(published.table, found, by_position=not published.record_ids)
    if wrong is not None:
        raise ResourceError(f"the release was read again and holds {wrong}; {remedy}")
    return found


def _not_reached(anonymized: Anonymized, result: AuditResult, what: str) -> TargetNotReachedError:
    target, verdict = anonymized.parameters, result.k_epsilon
    model = target.model
    near = f"k={verdict.max_k}"
    if result.k_epsilon_l is not None:
        for name, value in result.k_epsilon_l.max_l.items():
            near += f", l={'any' if value is None else rounded_down(value)} ({name})"
    return TargetNotReachedError(
        f"{what} is not ({model})-anonymous: {result.n_violators} of {result.dataset.records} records "
        f"violate it. With the same ε the largest that hold are {near}; nothing was written",
        best=anonymized,
    )


def _notes(
    made: Anonymized,
    published: Published,
    result: AuditResult,
    read: Rereading,
    target: Path,
    *,
    key: str | Path | None,
    ids: str,
    format: str | None,  # noqa: A002
) -> tuple[str, ...]:
    cautions = [caution.message for caution in of_written(result.cautions, made.table)]
    notes = [*cautions, *published.warnings, *made.notes]
    wanted = choose_format(made.table, target.name, format)
    if read.format != wanted:
        notes.append(
            f"the layout of {wanted} has no place for what is released (a record or an issue without a "
            "rating, or a rating without a date; dates are released only on request): the release is "
            "delimited text"
        )
    if carried := [column.name for column in published.table.carried]:
        notes.append(
            f"the release carries columns that NOBODY AUDITED: {', '.join(carried)}. Nothing is claimed of "
            "them, and who knows what stands in one may tell records apart"
        )
    if made.table.timestamps is not None and published.table.timestamps is None:
        notes.append("the release has no timestamps: they are no part of what was made anonymous")
    if key is None and ids != "keep":
        notes.append("which record became which was not kept: no key was requested")
    return tuple(notes)


def _old_manifest(target: Path) -> dict[str, Any] | None:
    """Return the manifest of the release that is about to be replaced, if there is a good one."""
    path = manifests.manifest_path(target)
    if not _is_manifest(path):
        return None
    content = dict(manifests.read_manifests(path)[0].content)
    content.pop("replaces", None)
    return content


def _is_manifest(path: Path) -> bool:
    try:
        return bool(manifests.read_manifests(path))
    except DataError:
        return False


def _staged_json(path: Path, content: dict[str, Any]) -> Path:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    sync(path)
    return path


def _report(resources: Resources, step: int) -> None:
    resources.report("release", step, _STEPS)
