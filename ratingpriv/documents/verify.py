"""``ratingpriv.verify/1``: whether a release is what its manifest claims."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.data import Caution, EqualRecords, QuasiIdentifier, StoredScale, Tool
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share


class Claimed(Target):
    """What the manifest claims.

    Attributes
    ----------
    m : Any at most so many known ratings leave k records; not there where all are known.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    carried : Names of the columns that are released though nobody audited them.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    sensitive: list[str]
    quasi: list[QuasiIdentifier]
    carried: list[str]
    scale: tuple[float, float] | None
    records: Count
    accepted: list[str]
    m: Positive | UnsetType = UNSET


class Found(Target):
    """An audit of the file.

    Attributes
    ----------
    largest_l : For each sensitive issue; null without l.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    highest_risk : Largest 1 / neighbourhood size.
    cautions : The same with codes for programs.
    known : The verdict against any few known ratings, where that is what is claimed or demanded: the one that
        counts. The rest is then about an adversary who knows all ratings of a record.
    """

    satisfied: bool
    violators: Count
    largest_k: Count
    largest_l: dict[str, Amount | None] | None
    equal: EqualRecords | None
    highest_risk: Share
    cautions: list[Caution]
    known: KnownVerdict | UnsetType = UNSET


class ReadingColumns(Document):
    """What each column was taken for."""

    record: str | int | None
    issue: str | int | None
    rating: str | int | None
    timestamp: str | int | None


class ByTheWordOf(Document):
    """Who said so."""

    columns: Literal["file", "receiver", "manifest"]
    quasi: Literal["file", "receiver", "manifest"]
    sensitive: Literal["file", "receiver", "manifest"]
    scale: Literal["file", "receiver", "manifest"]


class Reading(Document):
    """How a release was read.

    Attributes
    ----------
    layout : A row a rating, or a row a record.
    null : Texts that mean unanswered.
    sensitive : Names of sensitive issues.
    nominal : Names of those whose values are categories.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    carried : Names of the columns that are released though nobody audited them.
    words : Names of the columns whose words were put in order by what was said of them.
    """

    format: str
    layout: Literal["long", "wide"]
    columns: ReadingColumns
    header: bool | None
    delimiter: str | None
    encoding: str | None
    null: list[str]
    sensitive: list[str]
    nominal: list[str]
    quasi: list[QuasiIdentifier]
    carried: list[str]
    words: list[str]
    scale: StoredScale | None
    by_the_word_of: ByTheWordOf


class ReadBack(Document):
    """How the file was read.

    Attributes
    ----------
    claim : For the claim.
    demand : For what was demanded.
    """

    claim: Reading | None
    demand: Reading | None


class SignatureCheck(Document):
    """Who wrote the manifest, as far as that was checked.

    Attributes
    ----------
    signed : Whether the manifest has one.
    checked : Whether a public key was given.
    valid : Whether it is by that key; null where it was not checked.
    public_key_sha256 : Of the key that was given.
    """

    signed: bool
    checked: bool
    valid: bool | None
    public_key_sha256: Sha256 | None


class Verification(Document):
    """Whether a release is what its manifest claims.

    Attributes
    ----------
    schema : Name and version of this form.
    valid : Whether there is no problem.
    release : The file.
    release_sha256 : Of its bytes.
    is_the_manifests : Whether the manifest names that hash.
    as_written : Whether the file is, byte for byte, what is written here of the table that was counted; null
        where it was not read.
    found : The file, counted again for the claim; null where it is another one.
    demanded : The same for what was demanded; null where nothing was.
    stated_not_checked : What is the publisher's word alone, under the manifest's keys.
    problems : What is wrong.
    warnings : What makes the claim a small one.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    schema: Literal["ratingpriv.verify/1"]
    tool: Tool
    valid: bool
    release: str
    release_sha256: Sha256
    is_the_manifests: bool
    as_written: bool | None
    claimed: Claimed
    found: Found | None
    demanded: Found | None
    read: ReadBack
    signature: SignatureCheck
    stated_not_checked: dict[str, Any]
    problems: list[str]
    warnings: list[str]
    cautions: list[Caution]
    accepted: list[str]
    gate: Gate | UnsetType = UNSET
