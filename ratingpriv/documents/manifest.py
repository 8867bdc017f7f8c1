"""What a release is, beside it, and the private key that belongs to it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.data import Caution, QuasiIdentifier, ReadOptions
from ratingpriv.documents.demands import ReleaseTarget
from ratingpriv.documents.form import Count, Document, Sha256
from ratingpriv.documents.measures import StatedUtility
from ratingpriv.documents.release import Method, ReleaseVerification, WholeDistortion


class ManifestRelease(Document):
    """The release.

    Attributes
    ----------
    file : Name of the released file.
    sha256 : Of its bytes.
    """

    file: str
    sha256: Sha256


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
    """Proves later which input it was.

    Attributes
    ----------
    sha256 : Not published.
    commitment : SHA-256 of nonce:input_sha256 of the key.
    """

    sha256: None
    why: str
    commitment: Sha256 | None


class Signature(Document):
    """Of everything else that it says; only where it was signed.

    Attributes
    ----------
    algorithm : Name of the algorithm.
    public_key_sha256 : Which key checks it.
    value : The signature, in hex.
    """

    algorithm: str
    public_key_sha256: Sha256
    value: Annotated[str, Meta(pattern="^[0-9a-f]+$")]


class Manifest(Document, kw_only=True):
    """What a release claims, for everybody.

    Attributes
    ----------
    schema : Name and version of this form.
    ids : What became of ids and order.
    issues : Non-sensitive issues.
    sensitive : Names of sensitive issues.
    nominal : Names of those sensitive ones whose values are categories.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    recoded : How the values of quasi-identifiers were recoded, in words, by name.
    carried : Names of the columns that are released though nobody audited them.
    utility : Measures of utility that the publisher states, by name, in two digits; nobody can check them
        without the original.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    versions : Of what made it.
    replaces : The manifest of the release that was being replaced, if that was broken off.
    """

    schema: Literal["ratingpriv.manifest/1"]
    release: ManifestRelease
    parameters: ReleaseTarget
    method: Method
    ids: Literal["shuffle", "strip", "keep"]
    records: ManifestRecords
    issues: Count
    sensitive: list[str]
    nominal: list[str]
    quasi: list[QuasiIdentifier]
    recoded: dict[str, str]
    carried: list[str]
    left_out: LeftOut | None
    distortion: WholeDistortion
    utility: dict[str, StatedUtility] | UnsetType = UNSET
    verification: ReleaseVerification
    read: ReadOptions
    cautions: list[Caution]
    accepted: list[str] | UnsetType = UNSET
    input: ManifestInput
    versions: dict[str, str]
    signature: Signature | UnsetType = UNSET
    replaces: Manifest | UnsetType | None = UNSET


class KeyRecord(Document):
    """Which released record is whose; null where it was withheld.

    Attributes
    ----------
    original : Id in the input.
    released : Id in the release; null where it was suppressed.
    """

    original: str | int
    released: str | int | None


class ReleaseKey(Document):
    """Which released record is which original one; never published.

    Attributes
    ----------
    schema : Name and version of this form.
    release_sha256 : Of the release.
    input_sha256 : Of the input.
    nonce : Of the manifest's commitment.
    ids : What became of ids and order.
    seed : Of the order; null where it came from the operating system.
    method_seed : Of the changes; null where nothing was drawn.
    records_sha256 : Of the pairs as JSON without blanks and in ASCII.
    records : One for each record of the input, in its order.
    """

    schema: Literal["ratingpriv.key/1"]
    records_sha256: Sha256
    records: list[KeyRecord]
    release_sha256: Sha256 | UnsetType = UNSET
    input_sha256: Sha256 | UnsetType | None = UNSET
    nonce: str | UnsetType | None = UNSET
    ids: Literal["shuffle", "strip", "keep"] | UnsetType = UNSET
    seed: Count | UnsetType | None = UNSET
    method_seed: Count | UnsetType | None = UNSET
