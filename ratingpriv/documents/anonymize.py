"""``ratingpriv.anonymize/1``: a release that was written, or why there is none."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Rate, ReleaseTarget, Shares
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, Share, meaning
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
    __doc__ = "Cells of the input, and what became of them."

    total: Annotated[Count, meaning("Records × items of the input.")]
    rated: Annotated[Count, meaning("Cells of the input with a rating.")]
    changed: Annotated[Count, meaning("Cells with another rating now.")]
    filled: Annotated[Count, meaning("Imputed cells.")]
    erased: Annotated[Count, meaning("Suppressed cells.")]


class Means(Document):
    __doc__ = "Mean ratings."

    before: Annotated[float | None, meaning("Mean rating of the input; null without ratings.")]
    after: Annotated[float | None, meaning("Mean rating of the release; null without ratings.")]
    filled: Annotated[float | None, meaning("Mean of the imputed ratings; null without any.")]
    filled_sd: Annotated[Amount | None, meaning("SD of the imputed ratings; null without any.")]


class ReleasedRecords(Document):
    __doc__ = "Records, and what became of them."

    original: Annotated[Count, meaning("Records of the input.")]
    released: Annotated[Count, meaning("Released records.")]
    touched: Annotated[Count, meaning("Released, with a cell that is not as it was.")]
    withheld: Annotated[Count, meaning("Suppressed.")]


class AttackOnRelease(Document):
    __doc__ = (
        "Who is found by the strongest attack that was measured; a rate that is null is never safe."
    )

    algorithm: Annotated[
        str,
        meaning(
            "The strongest attack that was measured. equal-rows and nearest-row know every "
            "rating and "
            "which ratings are missing."
        ),
    ]
    algorithms: Annotated[Positive, meaning("Of how many it is the strongest.")]
    known: Annotated[Count | Literal["all"], meaning("How many ratings of each target it knew.")]
    success: Annotated[
        Rate,
        meaning(
            "Among the released records; its upper end is the largest of all that were measured. "
            "The rate "
            "is null where the search is too dear: its ends are what is proved."
        ),
    ]
    original: Annotated[Rate, meaning("The same in the original data.")]
    profile: Annotated[
        Rate,
        meaning(
            "The largest of the attacks that name records; a rate of null where none was made."
        ),
    ]
    not_attacked: Annotated[
        Count,
        meaning("Records of the release of which too little is known for it: they are in no rate."),
    ]
    at_most: Annotated[
        Share,
        meaning("No adversary exceeds this share of records, proved: distinct rows / records."),
    ]
    threshold: Annotated[
        Share, meaning("The share from which on the release has the reservation `found`.")
    ]


class ReleaseMeasures(Document):
    __doc__ = "The best attempt."

    parameters: ReleaseTarget
    method: Method
    distortion: Annotated[
        Amount,
        meaning(
            "Information loss (L1): the sum of all differences between old and new ratings, a "
            "missing one "
            "counted as 0. It can be 0 although cells were suppressed or imputed, where "
            "ratings of 0 "
            "exist."
        ),
    ]
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
    __doc__ = "A release that was written and audited."

    tool: data.Tool
    satisfied: Annotated[bool, meaning("There is a release.")]
    selection: Annotated[
        data.SelectedPart,
        meaning(
            "Null where all data were used; otherwise the part that was anonymized, without the "
            "seed: with it one knows who is in the sample."
        ),
    ]
    utility: Annotated[
        UtilityOfRelease | None,
        meaning("What it is still good for, without the tables; null where that was not measured."),
    ]
    attack: AttackOnRelease | None
    release: Annotated[str, meaning("The file.")]
    release_sha256: Annotated[Sha256, meaning("Of its bytes.")]
    manifest: Annotated[str, meaning("The file beside it.")]
    key: Annotated[str | None, meaning("The private key's file, null where none was requested.")]
    ids: Annotated[Literal["shuffle", "strip", "keep"], meaning("What became of ids and order.")]
    signed: Annotated[bool, meaning("Whether the manifest is signed.")]
    read: data.ReadOptions
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    equal: data.CountedAsEqual
    cautions: Annotated[
        list[data.Caution],
        meaning("Cautions of the written file's audit and of the input's columns, with codes."),
    ]
    accepted: data.AcceptedCodes


class MethodName(Document):
    __doc__ = "What was tried."

    name: Annotated[str, meaning("Name of the method.")]


class NotReached(data.Contract, tag="ratingpriv.anonymize/1"):
    __doc__ = "The target was not reached; nothing was written."

    satisfied: Annotated[bool, meaning("There is no release.")]
    selection: data.SelectedPart
    parameters: ReleaseTarget
    method: MethodName
    message: Annotated[str, meaning("Why, and what is within reach.")]
    release: Annotated[None, meaning("Nothing was written.")]
    best: ReleaseMeasures | None
