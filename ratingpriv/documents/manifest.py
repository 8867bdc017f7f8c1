"""What a release is, beside it, and the private key that belongs to it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.data import AcceptedCodes, CarriedColumns, Caution, QuasiIdentifiers, ReadOptions
from ratingpriv.documents.demands import ReleaseTarget
from ratingpriv.documents.form import Count, Document, Sha256
from ratingpriv.documents.release import Method, ReleaseVerification, WholeDistortion
from ratingpriv.documents.utility import StatedUtility


class ManifestRelease(Document):
    """The release."""

    file: str  #: Name of the released file.
    sha256: Sha256  #: Of its bytes.


class ManifestRecords(Document):
    """Records released and suppressed."""

    released: Count
    withheld: Count


class LeftOut(Document):
    """How many columns of the input are in no release, by role; their names are not told.

    Null where no roles were given.
    """

    identifier: Count
    drop: Count


class ManifestInput(Document):
    """Proves later which input it was."""

    sha256: None  #: Not published.
    why: str
    commitment: Sha256 | None  #: SHA-256 of nonce:input_sha256 of the key.


class Signature(Document):
    """Of everything else that it says; only where it was signed."""

    algorithm: str  #: Name of the algorithm.
    public_key_sha256: Sha256  #: Which key checks it.
    value: Annotated[str, Meta(pattern="^[0-9a-f]+$")]  #: The signature, in hex.


class Manifest(Document, kw_only=True, tag_field="schema", tag="ratingpriv.manifest/1"):
    """What a release claims, for everybody."""

    release: ManifestRelease
    parameters: ReleaseTarget
    method: Method
    ids: Literal["shuffle", "strip", "keep"]  #: What became of ids and order.
    records: ManifestRecords
    issues: Count  #: Non-sensitive issues.
    sensitive: list[str]  #: Names of sensitive issues.
    nominal: list[str]  #: Names of those sensitive ones whose values are categories.
    quasi: QuasiIdentifiers
    recoded: dict[str, str]  #: How the values of quasi-identifiers were recoded, in words, by name.
    carried: CarriedColumns
    left_out: LeftOut | None
    distortion: WholeDistortion
    #: Measures of utility that the publisher states, by name, in two digits; nobody can check them without
    #: the original.
    utility: dict[str, StatedUtility] | UnsetType = UNSET
    verification: ReleaseVerification
    read: ReadOptions
    cautions: list[Caution]  #: The same with codes for programs.
    accepted: AcceptedCodes | UnsetType = UNSET
    input: ManifestInput
    versions: dict[str, str]  #: Of what made it.
    signature: Signature | UnsetType = UNSET
    #: The manifest of the release that was being replaced, if that was broken off.
    replaces: Manifest | UnsetType | None = UNSET


class KeyRecord(Document):
    """Which released record is whose; null where it was withheld."""

    original: str | int  #: Id in the input.
    released: str | int | None  #: Id in the release; null where it was suppressed.


class ReleaseKey(Document, tag_field="schema", tag="ratingpriv.key/1"):
    """Which released record is which original one; never published."""

    records_sha256: Sha256  #: Of the pairs as JSON without blanks and in ASCII.
    records: list[KeyRecord]  #: One for each record of the input, in its order.
    release_sha256: Sha256 | UnsetType = UNSET  #: Of the release.
    input_sha256: Sha256 | UnsetType | None = UNSET  #: Of the input.
    nonce: str | UnsetType | None = UNSET  #: Of the manifest's commitment.
    ids: Literal["shuffle", "strip", "keep"] | UnsetType = UNSET  #: What became of ids and order.
    seed: Count | UnsetType | None = UNSET  #: Of the order; null where it came from the operating system.
    method_seed: Count | UnsetType | None = UNSET  #: Of the changes; null where nothing was drawn.
