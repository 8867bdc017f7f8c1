"""Groups of k records that are all proximate; as a certificate, and what came of checking one."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256


class PartitionParameters(Target):
    """What was requested."""

    method: str  #: How groups were looked for.
    order: str  #: Which group the greedy makes first.
    exact_up_to: Count  #: Records up to which the search is complete.


class PartitionVerification(Document):
    """Of the groups against the data, counted anew."""

    valid: bool
    problems: list[str]


class Partition(data.Contract, tag="ratingpriv.partition/1"):
    """Groups of k records that are all proximate, as far as they were found."""

    dataset: data.DatasetShape
    selection: data.SelectedPart
    parameters: PartitionParameters
    found: bool  #: Whether every record is in a group.
    proved_impossible: bool  #: Whether there is no such partition.
    reason: str | None  #: What proves it, in a sentence.
    groups: Count  #: How many groups there are.
    min_size: Positive | None  #: Records of the smallest group.
    max_size: Positive | None  #: Records of the largest group.
    group_sizes: list[data.GroupSize]  #: How many groups have each size, ascending.
    min_sd: dict[str, Amount | None]  #: For each sensitive issue the least SD of a group.
    withheld: Count  #: Records in no group.
    method: str  #: What made the groups, in words.
    verification: PartitionVerification
    equal: data.CountedAsEqual
    warnings: list[str]  #: Sentences to read before relying on the result.
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes
    gate: Gate | UnsetType = UNSET


class CertifiedDataset(Document):
    """The data."""

    name: str
    records: Count
    sha256: Sha256 | None


class CertifiedGroup(Document):
    """One group: its records, and the range of each issue in it."""

    records: Annotated[list[str | int], Meta(min_length=1)]
    ranges: dict[str, tuple[float, float]]  #: For each issue that they rate the least and the largest rating.


class Certificate(Document, tag_field="schema", tag="ratingpriv.certificate/1"):
    """Groups that anybody with the data can check."""

    dataset: CertifiedDataset
    parameters: Target
    groups: list[CertifiedGroup]  #: The groups.
    withheld: list[str | int]  #: Records in no group.
    quasi: data.QuasiIdentifiers | UnsetType = UNSET


class CertificateCheck(data.Contract, tag="ratingpriv.certificate-check/1"):
    """Whether a certificate holds for data."""

    selection: data.SelectedPart
    right: bool  #: Whether the certificate may be relied on.
    holds: bool  #: Every group is what the certificate says.
    everybody: bool  #: Nobody is outside.
    claimed: Target
    demanded: Target | None  #: Null where nothing was.
    meets_demand: bool | None  #: Whether the groups give it; null where nothing was demanded.
    quasi: data.QuasiIdentifiers
    sensitive: list[str]  #: The sensitive issues that l was checked on.
    records: Count  #: Records of the data.
    groups: Count
    withheld: Count  #: Records in no group.
    withheld_records: list[str | int]  #: Their ids.
    hash_compared: bool  #: Whether the data's hash is the one that the certificate names.
    equal: data.CountedAsEqual
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes
    problems: list[str]  #: What is wrong, in sentences.
