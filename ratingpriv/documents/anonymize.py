"""``ratingpriv.anonymize/1``: a release that was written, or why there is none."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Rate, ReleaseTarget, Shares
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share
from ratingpriv.documents.release import (
    Blanked,
    Method,
    Predictive,
    QuasiCost,
    ReleaseVerification,
    Swapped,
)
from ratingpriv.documents.utility import UtilityOfRelease


class Cells(Document):
    """Cells of the input, and what became of them."""

    total: Count  #: Records × issues of the input.
    rated: Count  #: Cells with a rating.
    changed: Count  #: Cells with another rating now.
    filled: Count  #: Imputed cells.
    erased: Count  #: Suppressed cells.


class Means(Document):
    """Mean ratings."""

    before: float | None
    after: float | None
    filled: float | None  #: Of the imputed ratings.
    filled_sd: Amount | None  #: Their SD.


class ReleasedRecords(Document):
    """Records, and what became of them."""

    original: Count
    released: Count
    touched: Count  #: Released, with a cell that is not as it was.
    withheld: Count  #: Suppressed.


class AttackOnRelease(Document):
    """Who is found by the strongest attack that was measured; a rate that is null is never safe."""

    algorithm: str  #: equal-rows and nearest-row are those of whoever also knows which ratings are missing.
    algorithms: Positive  #: Of how many it is the strongest.
    known: Count | Literal["all"]  #: How many ratings of each target it knew.
    success: Rate  #: Its upper end is the largest of all that were measured.
    original: Rate
    profile: Rate  #: The largest of the attacks that name records; a rate of null where none was made.
    not_attacked: Count  #: Records of the release of which too little is known for it: they are in no rate.
    at_most: Share  #: No adversary exceeds this share of records, proved: distinct rows / records.
    threshold: Share  #: The share from which on the release has the reservation `found`.


class ReleaseMeasures(Document):
    """The best attempt."""

    parameters: ReleaseTarget
    method: Method
    distortion: Amount  #: Information loss (L1).
    cells: Cells
    shares: Shares
    means: Means
    records: ReleasedRecords
    verification: ReleaseVerification
    quasi_cells: QuasiCost | UnsetType = UNSET
    predictive: Predictive | UnsetType = UNSET
    blank: Blanked | UnsetType = UNSET
    swap: Swapped | UnsetType = UNSET


class Released(ReleaseMeasures, kw_only=True, tag_field="schema", tag="ratingpriv.anonymize/1"):
    """A release that was written and audited."""

    tool: data.Tool
    satisfied: bool  #: There is a release.
    selection: data.SelectedPart
    utility: UtilityOfRelease | None  #: What it is still good for; null where that was not measured.
    attack: AttackOnRelease | None
    release: str  #: The file.
    release_sha256: Sha256  #: Of its bytes.
    manifest: str  #: The file beside it.
    key: str | None  #: The private key's file, null where none was requested.
    ids: Literal["shuffle", "strip", "keep"]  #: What became of ids and order.
    signed: bool  #: Whether the manifest is signed.
    read: data.ReadOptions
    warnings: list[str]  #: Sentences to read before relying on the result.
    equal: data.CountedAsEqual
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes


class MethodName(Document):
    """What was tried."""

    name: str


class NotReached(data.Contract, tag="ratingpriv.anonymize/1"):
    """The target was not reached; nothing was written."""

    satisfied: bool  #: There is no release.
    selection: data.SelectedPart
    parameters: ReleaseTarget
    method: MethodName
    message: str  #: Why, and what is within reach.
    release: None  #: Nothing was written.
    best: ReleaseMeasures | None
