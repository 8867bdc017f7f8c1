"""Groups of k records that are all proximate; as a certificate, and what came of checking one."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256, meaning


class PartitionParameters(Target):
    __doc__ = "What was requested."

    method: Annotated[str, meaning("How groups were looked for.")]
    order: Annotated[str, meaning("Which group the greedy makes first.")]
    exact_up_to: Annotated[Count, meaning("Records up to which the search is complete.")]


class PartitionVerification(Document):
    __doc__ = "Of the groups against the data, counted anew."

    valid: Annotated[
        bool, meaning("Whether every group has k proximate records and, with l, is diverse enough.")
    ]
    problems: Annotated[
        list[str], meaning("What is wrong, in sentences; the first few of each kind.")
    ]


class Partition(data.Contract, tag="ratingpriv.partition/1"):
    __doc__ = "Groups of k records that are all proximate, as far as they were found."

    dataset: data.DatasetShape
    selection: data.SelectedPart
    parameters: PartitionParameters
    found: Annotated[bool, meaning("Whether every record is in a group.")]
    proved_impossible: Annotated[
        bool,
        meaning(
            "Whether there is no such partition. Where this and `found` are false, none was "
            "found, which "
            "proves nothing."
        ),
    ]
    reason: Annotated[
        str | None,
        meaning("What proves it, in a sentence, with the records it is about; else null."),
    ]
    groups: Annotated[
        Count,
        meaning(
            "How many groups there are. Each is large enough and, with l, diverse enough, even "
            "where some "
            "record is in none."
        ),
    ]
    min_size: Annotated[
        Positive | None, meaning("Records of the smallest group; null without groups.")
    ]
    max_size: Annotated[
        Positive | None, meaning("Records of the largest group; null without groups.")
    ]
    group_sizes: Annotated[
        list[data.GroupSize], meaning("How many groups have each size, ascending.")
    ]
    min_sd: Annotated[
        dict[str, Amount | None],
        meaning(
            "For each sensitive item the smallest SD of a group; null where no value is known."
        ),
    ]
    withheld: Annotated[Count, meaning("Records in no group.")]
    method: Annotated[str, meaning("What made the groups, in words.")]
    verification: PartitionVerification
    equal: data.CountedAsEqual
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    cautions: Annotated[list[data.Caution], meaning("The same with codes for programs.")]
    accepted: data.AcceptedCodes
    gate: Gate | UnsetType = UNSET


class CertifiedDataset(Document):
    __doc__ = "The data."

    name: Annotated[str, meaning("The data as they were named.")]
    records: Annotated[Count, meaning("Records of the data.")]
    sha256: Annotated[Sha256 | None, meaning("Of the bytes that were read; null for a data frame.")]


class CertifiedGroup(Document):
    __doc__ = "One group: its records, and the range of each item in it."

    records: Annotated[list[str | int], Meta(min_length=1), meaning("Ids of its records.")]
    ranges: Annotated[
        dict[str, tuple[float, float]],
        meaning("For each item that they rate the least and the largest rating."),
    ]


class Certificate(Document, tag_field="schema", tag="ratingpriv.certificate/1"):
    __doc__ = "Groups that anybody with the data can check."

    dataset: CertifiedDataset
    parameters: Target
    groups: Annotated[list[CertifiedGroup], meaning("The groups.")]
    withheld: Annotated[list[str | int], meaning("Records in no group.")]
    quasi: data.QuasiIdentifiers | UnsetType = UNSET


class CertificateCheck(data.Contract, tag="ratingpriv.certificate-check/1"):
    __doc__ = "Whether a certificate holds for data."

    selection: data.SelectedPart
    right: Annotated[
        bool,
        meaning(
            "Whether the certificate may be relied on: it `holds`, for `everybody`, meets the "
            "demand, and "
            "every reservation was accepted."
        ),
    ]
    holds: Annotated[bool, meaning("Every group is what the certificate says.")]
    everybody: Annotated[bool, meaning("Whether every record is in a group.")]
    claimed: Annotated[
        Target, meaning("What the certificate claims. An edited certificate can claim less.")
    ]
    demanded: Annotated[
        Target | None,
        meaning(
            "What the groups were held to: other numbers as claimed, other rules strict and "
            "paper; null "
            "where nothing was demanded."
        ),
    ]
    meets_demand: Annotated[
        bool | None,
        meaning("Whether the groups give it; null where nothing was demanded."),
    ]
    quasi: Annotated[
        data.QuasiIdentifiers,
        meaning(
            "The quasi-identifiers of the data, which every group was held to. A certificate that "
            "states "
            "others, or other rules or recodings, has a problem."
        ),
    ]
    sensitive: Annotated[list[str], meaning("The sensitive items that l was checked on.")]
    records: Annotated[Count, meaning("Records of the data.")]
    groups: Annotated[Count, meaning("Groups of the certificate.")]
    withheld: Annotated[Count, meaning("Records in no group.")]
    withheld_records: Annotated[
        list[str | int],
        meaning("Ids of the records in no group, of which nothing is said."),
    ]
    hash_compared: Annotated[
        bool,
        meaning(
            "Whether the data's hash is the one that the certificate names; false: there was "
            "none to "
            "compare. A file with a certificate that names none has a problem."
        ),
    ]
    equal: data.CountedAsEqual
    cautions: Annotated[
        list[data.Caution],
        meaning(
            "Why what was checked says little, with codes; with one that is not accepted it is "
            "not `right`."
        ),
    ]
    accepted: data.AcceptedCodes
    problems: Annotated[list[str], meaning("What is wrong, in sentences; the first 20.")]
