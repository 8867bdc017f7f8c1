"""``ratingpriv.anonymize/1``: a release that was written, or why there is none."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import Caution, EqualRecords, ReadOptions, Selection, Tool
from ratingpriv.documents.demands import Rate, ReleaseTarget, Shares
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256
from ratingpriv.documents.release import Blanked, Method, Predictive, QuasiCost, ReleaseVerification
from ratingpriv.documents.utility import UtilityOfRelease


class Cells(Document):
    """Cells of the input, and what became of them.

    Attributes
    ----------
    total : Records × issues of the input.
    rated : Cells with a rating.
    changed : Cells with another rating now.
    filled : Imputed cells.
    erased : Suppressed cells.
    """

    total: Count
    rated: Count
    changed: Count
    filled: Count
    erased: Count


class Means(Document):
    """Mean ratings.

    Attributes
    ----------
    filled : Of the imputed ratings.
    filled_sd : Their SD.
    """

    before: float | None
    after: float | None
    filled: float | None
    filled_sd: Amount | None


class ReleasedRecords(Document):
    """Records, and what became of them.

    Attributes
    ----------
    touched : Released, with a cell that is not as it was.
    withheld : Suppressed.
    """

    original: Count
    released: Count
    touched: Count
    withheld: Count


class AttackOnRelease(Document):
    """Who is found by the strongest attack; null where that was not measured, which is never safe.

    Attributes
    ----------
    algorithms : Of how many it is the strongest.
    known : How many ratings of each target it knew.
    """

    algorithm: str
    algorithms: Positive
    known: Count | Literal["all"]
    success: Rate
    original: Rate
    profile: Rate


class ReleaseMeasures(Document):
    """The best attempt.

    Attributes
    ----------
    distortion : Information loss (L1).
    """

    parameters: ReleaseTarget
    method: Method
    distortion: Amount
    cells: Cells
    shares: Shares
    means: Means
    records: ReleasedRecords
    verification: ReleaseVerification
    quasi_cells: QuasiCost | UnsetType = UNSET
    predictive: Predictive | UnsetType = UNSET
    blank: Blanked | UnsetType = UNSET


class Released(ReleaseMeasures, kw_only=True):
    """A release that was written and audited.

    Attributes
    ----------
    schema : Name and version of this form.
    satisfied : There is a release.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    utility : What it is still good for; null where that was not measured.
    release : The file.
    release_sha256 : Of its bytes.
    manifest : The file beside it.
    key : The private key's file, null where none was requested.
    ids : What became of ids and order.
    signed : Whether the manifest is signed.
    warnings : Sentences to read before relying on the result.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    schema: Literal["ratingpriv.anonymize/1"]
    tool: Tool
    satisfied: bool
    selection: Selection | None
    utility: UtilityOfRelease | None
    attack: AttackOnRelease | None
    release: str
    release_sha256: Sha256
    manifest: str
    key: str | None
    ids: Literal["shuffle", "strip", "keep"]
    signed: bool
    read: ReadOptions
    warnings: list[str]
    equal: EqualRecords | None
    cautions: list[Caution]
    accepted: list[str]


class MethodName(Document):
    """What was tried."""

    name: str


class NotReached(Document):
    """The target was not reached; nothing was written.

    Attributes
    ----------
    schema : Name and version of this form.
    satisfied : There is no release.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    message : Why, and what is within reach.
    release : Nothing was written.
    """

    schema: Literal["ratingpriv.anonymize/1"]
    tool: Tool
    satisfied: bool
    selection: Selection | None
    parameters: ReleaseTarget
    method: MethodName
    message: str
    release: None
    best: ReleaseMeasures | None
