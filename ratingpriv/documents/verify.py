"""``ratingpriv.verify/1``: whether a release is what its manifest claims."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.audit import KnownVerdict
from ratingpriv.documents.data import (
    AcceptedCodes,
    CarriedColumns,
    Caution,
    Contract,
    CountedAsEqual,
    QuasiIdentifiers,
    StoredScale,
)
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share


class Claimed(Target):
    """What the manifest claims."""

    sensitive: list[str]
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    scale: tuple[float, float] | None
    records: Count
    accepted: AcceptedCodes
    #: Any at most so many known ratings leave k records; not there where all are known.
    m: Positive | UnsetType = UNSET


class Found(Target):
    """An audit of the file."""

    satisfied: bool
    violators: Count
    largest_k: Count
    largest_l: dict[str, Amount | None] | None  #: For each sensitive issue; null without l.
    equal: CountedAsEqual
    highest_risk: Share  #: Largest 1 / neighbourhood size.
    cautions: list[Caution]  #: The same with codes for programs.
    #: The verdict against any few known ratings, where that is what is claimed or demanded: the one that
    #: counts. The rest is then about an adversary who knows all ratings of a record.
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
    """How a release was read."""

    format: str
    layout: Literal["long", "wide"]  #: A row a rating, or a row a record.
    columns: ReadingColumns
    header: bool | None
    delimiter: str | None
    encoding: str | None
    null: list[str]  #: Texts that mean unanswered.
    sensitive: list[str]  #: Names of sensitive issues.
    nominal: list[str]  #: Names of those whose values are categories.
    quasi: QuasiIdentifiers
    carried: CarriedColumns
    words: list[str]  #: Names of the columns whose words were put in order by what was said of them.
    scale: StoredScale | None
    by_the_word_of: ByTheWordOf


class ReadBack(Document):
    """How the file was read."""

    claim: Reading | None  #: For the claim.
    demand: Reading | None  #: For what was demanded.


class SignatureCheck(Document):
    """Who wrote the manifest, as far as that was checked."""

    signed: bool  #: Whether the manifest has one.
    checked: bool  #: Whether a public key was given.
    valid: bool | None  #: Whether it is by that key; null where it was not checked.
    public_key_sha256: Sha256 | None  #: Of the key that was given.


class Verification(Contract, tag="ratingpriv.verify/1"):
    """Whether a release is what its manifest claims."""

    valid: bool  #: Whether there is no problem.
    release: str  #: The file.
    release_sha256: Sha256  #: Of its bytes.
    is_the_manifests: bool  #: Whether the manifest names that hash.
    #: Whether the file is, byte for byte, what is written here of the table that was counted; null where it
    #: was not read.
    as_written: bool | None
    claimed: Claimed
    found: Found | None  #: The file, counted again for the claim; null where it is another one.
    demanded: Found | None  #: The same for what was demanded; null where nothing was.
    read: ReadBack
    signature: SignatureCheck
    stated_not_checked: dict[str, Any]  #: What is the publisher's word alone, under the manifest's keys.
    problems: list[str]  #: What is wrong.
    warnings: list[str]  #: What makes the claim a small one.
    cautions: list[Caution]  #: The same with codes for programs.
    accepted: AcceptedCodes
    gate: Gate | UnsetType = UNSET
