"""Groups of k records that are all proximate; as a certificate, and what came of checking one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.documents.data import (
    Caution,
    DatasetShape,
    EqualRecords,
    GroupSize,
    QuasiIdentifier,
    Selection,
    Tool,
)
from ratingpriv.documents.demands import Gate, Target
from ratingpriv.documents.form import Amount, Count, Document, Positive, Sha256


class PartitionParameters(Target):
    """What was requested.

    Attributes
    ----------
    method : How groups were looked for.
    order : Which group the greedy makes first.
    exact_up_to : Records up to which the search is complete.
    """

    method: str
    order: str
    exact_up_to: Count


class PartitionVerification(Document):
    """Of the groups against the data, counted anew."""

    valid: bool
    problems: list[str]


class Partition(Document):
    """Groups of k records that are all proximate, as far as they were found.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    found : Whether every record is in a group.
    proved_impossible : Whether there is no such partition.
    reason : What proves it, in a sentence.
    groups : How many groups there are.
    min_size : Records of the smallest group.
    max_size : Records of the largest group.
    group_sizes : How many groups have each size, ascending.
    min_sd : For each sensitive issue the least SD of a group.
    withheld : Records in no group.
    method : What made the groups, in words.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    warnings : Sentences to read before relying on the result.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    schema: Literal["ratingpriv.partition/1"]
    tool: Tool
    dataset: DatasetShape
    selection: Selection | None
    parameters: PartitionParameters
    found: bool
    proved_impossible: bool
    reason: str | None
    groups: Count
    min_size: Positive | None
    max_size: Positive | None
    group_sizes: list[GroupSize]
    min_sd: dict[str, Amount | None]
    withheld: Count
    method: str
    verification: PartitionVerification
    equal: EqualRecords | None
    warnings: list[str]
    cautions: list[Caution]
    accepted: list[str]
    gate: Gate | UnsetType = UNSET


class CertifiedDataset(Document):
    """The data."""

    name: str
    records: Count
    sha256: Sha256 | None


class CertifiedGroup(Document):
    """One group: its records, and the range of each issue in it.

    Attributes
    ----------
    ranges : For each issue that they rate the least and the largest rating.
    """

    records: Annotated[list[str | int], Meta(min_length=1)]
    ranges: dict[str, tuple[float, float]]


class Certificate(Document):
    """Groups that anybody with the data can check.

    Attributes
    ----------
    schema : Name and version of this form.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    groups : The groups.
    withheld : Records in no group.
    """

    schema: Literal["ratingpriv.certificate/1"]
    dataset: CertifiedDataset
    parameters: Target
    groups: list[CertifiedGroup]
    withheld: list[str | int]
    quasi: list[QuasiIdentifier] | UnsetType = UNSET


class CertificateCheck(Document):
    """Whether a certificate holds for data.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    right : Whether the certificate may be relied on.
    holds : Every group is what the certificate says.
    everybody : Nobody is outside.
    demanded : Null where nothing was.
    meets_demand : Whether the groups give it; null where nothing was demanded.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    sensitive : The sensitive issues that l was checked on.
    records : Records of the data.
    withheld : Records in no group.
    withheld_records : Their ids.
    hash_compared : Whether the data's hash is the one that the certificate names.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    problems : What is wrong, in sentences.
    """

    schema: Literal["ratingpriv.certificate-check/1"]
    tool: Tool
    selection: Selection | None
    right: bool
    holds: bool
    everybody: bool
    claimed: Target
    demanded: Target | None
    meets_demand: bool | None
    quasi: list[QuasiIdentifier]
    sensitive: list[str]
    records: Count
    groups: Count
    withheld: Count
    withheld_records: list[str | int]
    hash_compared: bool
    equal: EqualRecords | None
    cautions: list[Caution]
    accepted: list[str]
    problems: list[str]
