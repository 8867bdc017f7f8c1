"""Writing a release: proved from the written file before the file is renamed to its own name.

``temporary file -> read again by the ordinary reader -> compared -> audited again -> renamed``.
What fails on the way leaves nothing behind. The key is named first, then the manifest, and the
release last (:func:`ratingpriv.base.files.together`): a release that is there has both, also where
``kill -9`` came between. A manifest alone says nothing, and the next run replaces it; a key alone
fits no file that anybody has, and is never replaced. Where a release is replaced, one killed in
that moment has the new manifest beside the old file, which is said to be another file's.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET

from ratingpriv.anonymize.release.manifest import (
    SUFFIX,
    manifest_path,
    not_audited,
    read_manifest,
)
from ratingpriv.anonymize.release.publication import IDS, Published, publish, refuse_formulas
from ratingpriv.anonymize.release.rereading import difference
from ratingpriv.anonymize.release.result import Release, key_content, manifest_content
from ratingpriv.anonymize.release.signatures import SigningKey, signing_key
from ratingpriv.anonymize.result import Anonymized, audit_for
from ratingpriv.anonymize.swapping.earlier import refuse_near_the_same
from ratingpriv.anonymize.swapping.swapped import Swapped
from ratingpriv.audit.result import AuditResult
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import (
    DataError,
    OutputError,
    ParameterError,
    ResourceError,
    TargetNotReachedError,
)
from ratingpriv.base.files import check_writable, name_together, replacing, together
from ratingpriv.base.inputs import protecting
from ratingpriv.base.keys import write_key
from ratingpriv.base.numbers import rounded_down, two_digits
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import FOUND_AT_MOST, checked_codes
from ratingpriv.base.unfinished import undivided
from ratingpriv.data.formats.writing import WriteOptions, check_format, choose_format, write_table
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import StatedUtility
from ratingpriv.utility.measures import QUICK, chosen
from ratingpriv.utility.result import Utility

__all__ = ["Publish", "Release", "check_places", "write", "write_release"]

AMOUNTS = ("quick", "all", "none")
"""What is measured: the measures that take a pass over the ratings or few, all, or none."""

_STEPS = 5
_NUMBERS = ("value", "low", "high", "original", "worthless")


def check_places(
    path: str | Path,
    key: str | Path | None = None,
    *,
    force: bool = False,
    inputs: Iterable[str | Path | None] = (),
) -> Path:
    """Refuse early, before long work, places that cannot be written to.

    Return the release's real place.

    OutputError where the release or its manifest exists (without ``force``), the key exists, a
    folder is missing or not writable, or one of them is a device, or one of ``inputs``.
    """
    path = check_writable(checks.path("path", path), force=force, inputs=inputs)
    if path.exists() and not path.is_file():
        raise OutputError(
            f"{path}: found a device or a pipe, expected a file: a release is read again"
        )
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    beside = manifest_path(target)
    orphan = False
    # what a killed run may leave: the next one takes its place
    if beside.exists() and not target.exists():
        with contextlib.suppress(DataError):
            orphan = bool(read_manifest(beside))
    check_writable(beside, force=force or orphan, inputs=inputs)
    if key is not None:
        key = checks.path("key", key)
        check_writable(key, force=True, inputs=inputs)  # is there such a place at all?
        if key.resolve() in (target.resolve(), beside.resolve()):
            raise ParameterError("key", str(key), "another file than the release and its manifest")
        if key.exists() and not target.exists():  # the key is named first: what a killed run leaves
            raise OutputError(
                f"{key}: the file exists, the key of a release that was never finished: there is "
                f"no {path}; "
                "remove the key and run the command again, or choose another name if the release "
                "is elsewhere"
            )
        if key.exists():
            raise OutputError(
                f"{key}: the file exists, and a key is never replaced: without it no released "
                "record can be linked to its original; choose another name, or remove it if you "
                "do not need it any more"
            )
    return target


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """How a release is published, and what is measured of it before; checked when it is made.

    Attributes
    ----------
    path : the release; its manifest becomes ``path`` + ".manifest.json"
    key : where to put the private key: which record became which, the input's hash, the order's
        seed
    ids : "shuffle", "strip" or "keep", see :mod:`ratingpriv.anonymize.release.publication`
    order_seed : where the random order comes from; None: the operating system, so that nobody can
        repeat it
    format, layout : the release's, by the names that loaders have; None: the input's
    labels : "words", answers on a scale of words as they were, or "numbers"
    timestamps : whether timestamps are released
    csv_safe : refuse names and ids that a spreadsheet would take for formulas. They cannot be
        escaped here: a release is read again, and must then be what it was meant to be
    force : replace a release that exists. A key is never replaced
    sign : an Ed25519 private key, or the file that holds it, to sign the manifest with
    utility : "quick", "all" or "none" of the measures of use are taken; with "none" nobody who
        knows a few ratings is measured either
    found_at_most : the share of people who may be re-identified; above it a release has the
        reservation ``found`` (:data:`ratingpriv.base.reservations.FOUND_AT_MOST`)
    publish_utility : names of those measures whose values the manifest states; none by default
    accept : codes of reservations that change what it says (:mod:`ratingpriv.base.reservations`),
        and with which it is a yes to you all the same; the manifest says so

    Raises
    ------
    ParameterError, OutputError
        A value is out of range, or a file could not be written in the end.
    """

    path: str | Path
    key: str | Path | None = None
    ids: str = "shuffle"
    order_seed: int | np.random.Generator | None = None
    format: str | None = None
    layout: str | None = None
    labels: str = "words"
    timestamps: bool = False
    csv_safe: bool = False
    force: bool = False
    sign: SigningKey | str | Path | None = None
    utility: str = "quick"
    publish_utility: Sequence[str] = ()
    accept: Sequence[str] = ()
    found_at_most: float = FOUND_AT_MOST

    def __post_init__(self) -> None:
        """Check what needs no data for that."""
        checks.choice("ids", self.ids, IDS)
        checks.choice("labels", self.labels, ("words", "numbers"))
        checks.share_limit("found_at_most", self.found_at_most)
        for name in ("timestamps", "csv_safe", "force"):
            checks.flag(name, getattr(self, name))
        if self.layout is not None:
            checks.choice("layout", self.layout, ("long", "wide"))
        if self.format is not None:
            check_format(self.format)
        checked: dict[str, Any] = {
            "publish_utility": _published_measures(self.publish_utility, self.utility),
            "accept": checked_codes(self.accept),
        }
        check_places(self.path, self.key, force=self.force)
        if self.sign is not None and not isinstance(self.sign, SigningKey):
            checked["sign"] = signing_key(self.sign)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def files(self) -> tuple[Path, ...]:
        """What is written: the release, its manifest and its key."""
        release = Path(self.path).resolve()
        return (
            release,
            manifest_path(release),
            *(() if self.key is None else (Path(self.key).resolve(),)),
        )


@checks.takes_random_state
def write_release(
    anonymized: Anonymized,
    path: str | Path,
    *,
    original: RatingTable | None = None,
    utility: Utility | None = None,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **how: Any,
) -> Release:
    """Write a release and its manifest, both or neither,
    after the written file has passed its audit.

    Parameters
    ----------
    anonymized : what :func:`ratingpriv.anonymize` made
    path : the release; its manifest becomes ``path`` + ".manifest.json"
    original : the table that was anonymised; needed for a key where records are suppressed
    utility : what :func:`ratingpriv.anonymize.release.releasing.usefulness` measured of it
    rng : where the random order comes from; None: the operating system, so that nobody can repeat
        it
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads, memory : for the audit
    how : key, ids, format, layout, labels, timestamps, csv_safe, force, sign, publish_utility,
        accept and found_at_most of :class:`Publish`

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
    publication = Publish(path=path, order_seed=rng, utility="all", **how)
    checks.instance("anonymized", anonymized, Anonymized, "what a method of anonymisation made")
    if original is not None:
        checks.instance("original", original, RatingTable, "the table that was anonymised")
    if utility is not None:
        checks.instance("utility", utility, Utility, "what was measured of the release")
    return write(anonymized, publication, original, utility, Resources(threads, memory, progress))


def write(
    made: Anonymized,
    how: Publish,
    original: RatingTable | None,
    utility: Utility | None,
    resources: Resources,
    attack: dict[str, Any] | None = None,
) -> Release:
    """Write a release, as :func:`write_release` does."""
    useful = _stated(utility, how.publish_utility)
    inputs = [table.origin.place for table in (made.table, original) if table is not None]
    target = check_places(how.path, how.key, force=how.force, inputs=inputs)
    beside = manifest_path(target)
    orphan = None if how.force or not beside.exists() else beside.read_bytes()
    if not made.satisfied:
        raise _not_reached(made, made.audit, "what was made")
    if isinstance(made.claims, Swapped):
        made = _of_exchange(made, made.claims, how, target)
    suppressed = made.distortion.records_withheld
    if how.key is not None and original is None and suppressed:
        expected = (
            f"the table that was anonymised, as the key names the {suppressed} suppressed records"
        )
        raise ParameterError("original", None, expected)
    published = publish(
        made.table, ids=how.ids, rng=how.order_seed, layout=how.layout, timestamps=how.timestamps
    )
    if how.csv_safe:
        refuse_formulas(published)
    with protecting(inputs), together():
        with replacing(target, force=how.force) as staged:
            mode = stat.S_IMODE(staged.stat().st_mode)
            staged.chmod(0o600)  # what is not proved yet is for nobody else
            resources.report("release", 1, _STEPS)
            options = WriteOptions(
                layout=how.layout,
                record_ids=published.record_ids,
                labels=how.labels,
                name=target.name,
            )
            progress = resources.progress
            read = write_table(
                published.table, staged, format=how.format, options=options, progress=progress
            )
            resources.report("release", 2, _STEPS)
            # as anybody would read it: it must hold what it was meant to
            remedy = (
                "nothing was written; report it, and try the output format delimited or "
                "parquet meanwhile"
            )
            try:
                table = read.read(staged, progress=progress)
            except (DataError, ParameterError) as error:
                raise ResourceError(
                    f"the release could not be read again ({error}); {remedy}"
                ) from error
            wrong = difference(published.table, table, by_position=not published.record_ids)
            if wrong is not None:
                raise ResourceError(f"the release was read again and holds {wrong}; {remedy}")
            result = audit_for(table, made.parameters, resources, other_kernel=True)
            if not result.held:
                raise _not_reached(made, result, "what was written")
            resources.report("release", 3, _STEPS)
            release = Release(
                path=Path(how.path),
                manifest_path=beside,
                key_path=None if how.key is None else Path(how.key),
                sha256=str(table.origin.sha256),
                ids=how.ids,
                anonymized=made,
                audit=result,
                read=read,
                warnings=(),
                signed=how.sign is not None,
                utility=utility,
                accept=tuple(how.accept),
                attack=attack,
                found_at_most=how.found_at_most,
            )
            nonce = None if how.key is None else secrets.token_hex(16)
            content = manifest_content(release, published, nonce, useful)
            if isinstance(how.sign, SigningKey):
                content["signature"] = how.sign.sign(content)
            if how.key is not None:
                write_key(key_content(release, published, table, original, nonce), how.key)
            if orphan is not None and beside.exists() and beside.read_bytes() == orphan:
                beside.unlink()
            with replacing(beside, force=how.force) as manifest:
                text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
                manifest.write_text(text, encoding="utf-8", errors="backslashreplace")
            staged.chmod(mode)
        resources.report("release", 4, _STEPS)
        with undivided():
            name_together()
    resources.report("release", 5, _STEPS)
    return replace(release, warnings=tuple(_notes(release, published, how)))


def _of_exchange(made: Anonymized, claims: Swapped, how: Publish, target: Path) -> Anonymized:
    """Return what was made by an exchange of values; refuse what would undo it."""
    if how.ids == "keep":
        expected = "shuffle or strip: the ids and the order of the input tell who is in which group"
        raise ParameterError("ids", how.ids, expected)
    folders = [Path(path).parent for path in (target, how.key) if path is not None]
    people = made.table.record_ids.to_list()
    refuse_near_the_same(people, claims.answers_sha256, made.parameters.k, folders)
    if how.order_seed is None:
        return made
    return replace(made, claims=replace(claims, seeded=True))


def _published_measures(names: Sequence[str], amount: str) -> tuple[str, ...]:
    """Return the measures whose values the manifest shall state, in their order; "all":
    all that are made.

    One that is no measure, or not measured, is refused.
    """
    measured, names = measures_of(amount), checks.texts("publish_utility", names)
    if "all" in names and measured:
        return measured
    for name in names:
        if name not in measured:
            checks.choice("publish_utility", name, (*chosen(None), "all"))
            more = "all" if amount == "quick" else "quick"
            remedy = f"measure it with `utility={more!r}`"
            raise ParameterError("publish_utility", name, "a measure that is measured", remedy)
    return tuple(name for name in measured if name in names)


def _stated(utility: Utility | None, names: Sequence[str]) -> dict[str, Any] | None:
    """Return what a manifest states of measures, for everybody: two digits, no details and no seed.

    None where there are no ``names``, of ``publish_utility``; those that ``utility`` lacks are
    refused.
    """
    if not names:
        return None
    if utility is None:
        raise ParameterError("publish_utility", names[0], "a `utility` that was measured")
    content: dict[str, Any] = {}
    for name in names:
        measure = utility[checks.choice("publish_utility", name, utility.measured)]
        numbers = {key: two_digits(getattr(measure, key)) for key in _NUMBERS}
        content[name] = document_of(
            StatedUtility, measure, **numbers, reason=measure.reason or UNSET
        )
    return content


def measures_of(amount: str) -> tuple[str, ...]:
    """Return the measures that are taken before a release is written, by one of AMOUNTS."""
    checks.choice("utility", amount, AMOUNTS)
    return () if amount == "none" else QUICK if amount == "quick" else chosen(None)


def _not_reached(anonymized: Anonymized, result: AuditResult, what: str) -> TargetNotReachedError:
    model = anonymized.parameters.model
    near = f"k={result.k_epsilon.max_k}"
    for name, value in ({} if result.k_epsilon_l is None else result.k_epsilon_l.max_l).items():
        near += f", l={'any' if value is None else rounded_down(value)} ({name})"
    text = (
        f"{what} is not ({model})-anonymous: {result.n_violators} of {result.dataset.records} "
        f"records "
        f"violate it. With the same ε the largest that hold are {near}"
    )
    if result.known is not None:
        text = f"{what} is not known to be ({model})-anonymous: {result.known!r}"
    return TargetNotReachedError(f"{text}; nothing was written", best=anonymized)


def _notes(release: Release, published: Published, how: Publish) -> Iterator[str]:
    made, table = release.anonymized, published.table
    yield from (caution.message for caution in release.cautions)
    yield from published.warnings
    yield from made.notes
    name = release.manifest_path.name.removesuffix(SUFFIX)
    wanted = choose_format(made.table, name, how.format)
    if release.read.format != wanted:
        yield (
            f"the layout of {wanted} has no place for what is released (a record or an item "
            "without a rating, or a rating without a date; dates are released only on request): "
            "the release is delimited text"
        )
    if table.carried:
        yield not_audited(table)
    if made.table.timestamps is not None and table.timestamps is None:
        yield "the release has no timestamps: they are no part of what was made anonymous"
    if how.key is None and how.ids != "keep":
        yield "which record became which was not kept: no key was requested"
    if isinstance(how.sign, SigningKey) and how.sign.readable_by_others:
        yield (
            f"others may read the signing key {how.sign.path}, and sign in your name: chmod 600 it"
        )
