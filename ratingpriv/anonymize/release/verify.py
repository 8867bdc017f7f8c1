"""Checking a release, by anybody, from its manifest and the file alone.

What it proves: the file is the one that the manifest speaks of, byte for byte, and it is as
anonymous as the manifest claims, counted anew. What it does not prove, without a signature: who
wrote them. Whoever can replace the release can replace its manifest too, by one that claims less;
so the claim is always shown, with how the file was read and by whose word, and what is *needed* can
be demanded (``k``, ``epsilon``, ``l``), which is counted by the receiver's reading and rules.

Every figure that can be counted again is. What cannot be (how many records the input had, what was
changed) must at least add up with what can; it is the publisher's word, and
:func:`stated_not_checked` says which.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.anonymize.release import signatures
from ratingpriv.anonymize.release.manifest import (
    OF_INPUT,
    Manifest,
    manifest_path,
    not_audited,
    of_input,
    read_manifest,
    versions,
)
from ratingpriv.anonymize.release.reading import (
    Reading,
    Receiver,
    check_sensitive,
    read_for_claim,
    read_for_demand,
)
from ratingpriv.anonymize.release.rereading import bytes_are_certain, is_as_written
from ratingpriv.anonymize.release.result import COUNTED_IN_INPUT, counted, proof
from ratingpriv.anonymize.release.signatures import PublicKey
from ratingpriv.anonymize.release.with_original import read_original
from ratingpriv.anonymize.result import audit_for
from ratingpriv.anonymize.swapping.recount import Recounted, recount
from ratingpriv.audit.result import AuditResult
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.keys import Key, read_key
from ratingpriv.base.numbers import LARGEST, two_digits
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.formats.reading import loaders
from ratingpriv.data.formats.sources import Source
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import release as documents
from ratingpriv.documents.making import document_of
from ratingpriv.partition.distortion.measure import Distortion, QuasiDistortion, mean_rating

_OTHER_BYTES = (
    "the file is not what is written of the table that was counted: cells are spelled, or parts "
    "packed, as in no release, which can distinguish records or disclose more"
)
_OTHER_VERSIONS = (
    "whether the file holds more than the table that was counted could not be seen: its bytes are "
    "others "
    "than these versions write, which may be because the manifest names others; verify it "
    "with those"
)
_CLOSE = 1e-9  # SDs may differ in the last bits from one machine to the next
_CHECKED = (
    "schema", "parameters", "issues", "sensitive", "nominal", "quasi", "carried", "verification",
    "read",
    "cautions", "accepted", "found_at_most", "ids", "replaces", "signature",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class VerifyResult(Result):
    """What :func:`verify` found; None is what was not looked at, as the file is another one.

    Attributes
    ----------
    path, sha256 : the file, and its hash
    manifest : what is claimed, be it of another file
    problems : what is wrong, a sentence each
    warnings : how little may be claimed, a sentence each
    audit : the audit of the file for what is claimed
    demanded : the audit for what was demanded; None where nothing was
    reading, demanded_reading : how the file was read for either
    as_written : whether the file is, byte for byte, what is written here of the table that was
        counted
    public_key : the key by which the manifest's signature was checked; None where it was not
    recounted : what the original and the key show; None where they were not given
    accept : codes of the reservations (:mod:`ratingpriv.base.reservations`) with which the receiver
        takes it
    """

    path: Path
    sha256: str
    manifest: Manifest
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    audit: AuditResult | None = None
    demanded: AuditResult | None = None
    reading: Reading | None = None
    demanded_reading: Reading | None = None
    as_written: bool | None = None
    public_key: PublicKey | None = None
    accept: tuple[str, ...] = ()
    recounted: Recounted | None = None

    @property
    def valid(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    @property
    def audits(self) -> list[AuditResult]:
        """The audits that were made."""
        return [result for result in (self.audit, self.demanded) if result is not None]

    @property
    def forged(self) -> str | None:
        """What is wrong with the manifest's signature, in words; None where it was not checked."""
        return None if self.public_key is None else self.public_key.problem(self.manifest.content)

    @property
    def signed_by_it(self) -> bool | None:
        """Whether the manifest is signed by the public key; None where it was not checked."""
        return None if self.public_key is None else self.forged is None

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on it: of what is claimed or demanded, and of the input.

        Where something is demanded, the claim's reservations count no more, but for that on its
        null rule.
        """
        counted = [
            caution
            for result in self.audits
            for caution in result.cautions
            if self.demanded in (None, result)
            or not caution.reservation
            or caution.code == "nulls-wildcard"
        ]
        stated = of_input(self.manifest.content) if self.audits else ()
        return tuple(dict.fromkeys((*counted, *stated)))

    @property
    def standing(self) -> Standing:
        """What the check comes to with its reservations, by the receiver's word.

        Not by the publisher's.
        """
        return Standing.of(self.valid, self.cautions, self.accept)

    @property
    def signed(self) -> bool:
        """Whether the manifest has a signature, good or not."""
        return self.manifest.content.get("signature") is not None

    def __repr__(self) -> str:
        verdict = "" if self.audit is None else f"; {self.audit.verdict}"
        return (
            f"<VerifyResult {str(self.path)!r}: {'valid' if self.valid else 'NOT valid'}{verdict}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.verify/1`` as plain dicts, lists,
        strings and numbers.
        """
        claim, options = self.manifest, self.manifest.read.options
        stated = {name: claim.content.get(name, ()) for name in ("quasi", "carried", "accepted")}
        stated |= {"sensitive": options.sensitive, "scale": options.scale, "records": claim.records}
        claimed, key = document_of(documents.Claimed, claim.target, **stated), self.public_key
        checked = {"signed": self.signed, "checked": key is not None, "valid": self.signed_by_it}
        signature = checked | {"public_key_sha256": None if key is None else key.sha256}
        return document_of(
            documents.Verification,
            self,
            release=str(self.path),
            release_sha256=self.sha256,
            is_the_manifests=self.sha256 == claim.sha256,
            claimed=claimed,
            found=_counted(self.audit),
            demanded=_counted(self.demanded),
            read={"claim": self.reading, "demand": self.demanded_reading},
            signature=signature,
            stated_not_checked=stated_not_checked(claim.content),
            accepted=self.standing.accepted,
        )


def verify(
    release: str | Path,
    *,
    k: int | None = None,
    epsilon: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    m: int | None = None,
    nulls: str | None = None,
    sensitive_nulls: str | None = None,
    sensitive: Sequence[str] | None = None,
    quasi: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    codebook: Codebook | str | Path | None = None,
    scale: tuple[float, float] | None = None,
    layout: str | None = None,
    id: str | None = None,  # noqa: A002 -- what loaders call it
    issue: str | None = None,
    rating: str | None = None,
    public_key: str | Path | None = None,
    original: str | Path | None = None,
    key: Key | str | Path | None = None,
    accept: Sequence[str] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> VerifyResult:
    """Check the file ``release`` against its manifest beside it,
    and count again what the manifest claims.

    Parameters
    ----------
    k, epsilon, l : what the release shall hold at least, whatever its manifest claims; of these
        three, what is not given is as claimed
    m : it shall hold against any so many known ratings, by the null rule "known"; None: against all
        of them, also where less is claimed
    nulls, sensitive_nulls : the rules of the demand, by default "strict" and "paper", whatever
        those of the manifest are
    sensitive : names of the sensitive issues of the demand, empty for none; needed where the
        manifest names any, as k and ε say nothing of them
    quasi : quasi-identifiers of the demand, ``NAME`` or ``NAME=WITHIN``; those that the manifest
        names have to be equal, and it needs your word where records may differ on one
    carry : columns that nobody audited and that you accept; others fail the demand
    codebook : what the released columns are, to your demand: roles, tolerances, and the words of
        scales
    scale : of the demand; by default as found
    layout, id, issue, rating : what the columns are, where the file does not show it by their names
    public_key : a file with the publisher's public key (Ed25519, PEM): the manifest must be signed
        by it
    original, key : of a release by swap: the file that was anonymised, and the key. Every group
        table is counted again in both files; for the publisher, who has them. What a column is, the
        manifest says; a ``codebook`` says how the original is read, and alone is no demand then
    accept : codes of reservations that change what it says (:mod:`ratingpriv.base.reservations`),
        and with which it is a yes to you all the same: ``standing.passes``. What the publisher
        accepted counts nothing
    threads, memory : for the audit

    Raises
    ------
    DataError
        The file or its manifest is missing or cannot be read as such.
    ParameterError
        A demand is out of range; ``l`` is demanded and no issue is sensitive; the receiver has to
        say what only the manifest says; the public key is none.
    ResourceError
        There is no room for a second copy of the release in the folder of temporary files.
    """
    release = checks.path("release", release)
    accept = checked_codes(accept)
    if (original is None) != (key is None):
        expected = "both the original and its key, to count group tables again"
        raise ParameterError("original" if original is None else "key", None, expected)
    whose = key if isinstance(key, Key) or key is None else read_key(key)
    signer = None if public_key is None else signatures.public_key(public_key)
    receiver = _receiver(
        sensitive,
        quasi,
        carry,
        codebook,
        {"layout": layout, "id": id, "issue": issue, "rating": rating},
        scale,
    )
    source, beside = _beside_manifest(release)
    claim, sha256 = read_manifest(beside), source.sha256()
    outcome = VerifyResult(release, sha256, claim, public_key=signer, accept=accept)
    if claim.sha256 != sha256:
        problem = (
            "this is not the file that the manifest speaks of: the file, or the manifest, was "
            "changed after "
            f"the release was written (SHA-256 is {sha256}, expected {claim.sha256})"
        )
        return dataclasses.replace(outcome, problems=(problem,))
    if m is not None and nulls is None:
        nulls = "known"
    demand = {
        "k": k,
        "epsilon": epsilon,
        "l": l,
        "m": m,
        "nulls": nulls,
        "sensitive_nulls": sensitive_nulls,
    }
    demand = {name: value for name, value in demand.items() if value is not None}
    needed = None
    # beside the original a codebook says how that is read, and alone demands nothing of the release
    asks = receiver if original is None else dataclasses.replace(receiver, codebook=None)
    if demand or asks.demands:  # wrong usage is said before a long read
        receiver = _with_columns(receiver, source, claim)
        needed = _needed(claim, receiver, demand)
    resources = Resources(threads, memory, progress)
    reading = read_for_claim(source, claim, receiver, progress)
    audit = audit_for(reading.table, claim.target, resources)
    as_written = is_as_written(source, reading, claim, progress)
    outcome = dataclasses.replace(outcome, reading=reading, audit=audit, as_written=as_written)
    if needed is not None:
        again = read_for_demand(source, reading, receiver, needed, progress)
        demanded = audit_for(again.table, needed, resources)
        outcome = dataclasses.replace(outcome, demanded_reading=again, demanded=demanded)
    problems, warnings = [*_problems(outcome, reading, audit)], [*_warnings(outcome, reading)]
    if original is not None and whose is not None:
        data = read_original(original, reading.table, receiver.codebook)
        recounted = recount(reading.table, data, whose, claim.target, resources)
        outcome = dataclasses.replace(outcome, recounted=recounted)
        problems += recounted.problems
    if not outcome.as_written and not bytes_are_certain(source, claim):
        warnings.append(_OTHER_VERSIONS)
    elif not outcome.as_written and not reading.problems:
        problems.append(_OTHER_BYTES)
    return dataclasses.replace(outcome, problems=tuple(problems), warnings=tuple(warnings))


def _receiver(
    sensitive: Sequence[str] | None,
    quasi: Sequence[str] | None,
    carry: Sequence[str],
    codebook: Codebook | str | Path | None,
    columns: Mapping[str, str | None],
    scale: tuple[float, float] | None,
) -> Receiver:
    """Return what the receiver says of columns, checked;
    ``columns`` has the layout and the names of some.
    """
    for name in ("id", "issue", "rating"):
        if columns[name] is not None:
            checks.text(name, columns[name])
    layout, names = columns["layout"], "names of columns"
    return Receiver(
        layout=None if layout is None else checks.choice("layout", layout, ("long", "wide")),
        id=columns["id"],
        issue=columns["issue"],
        rating=columns["rating"],
        scale=scale,
        sensitive=None if sensitive is None else checks.texts("sensitive", sensitive, names),
        quasi=None if quasi is None else checks.texts("quasi", quasi, names),
        carry=checks.texts("carry", carry, names),
        codebook=codebook
        if isinstance(codebook, Codebook) or codebook is None
        else read_codebook(codebook),
    )


def _beside_manifest(release: Path) -> tuple[Source, Path]:
    """Return the file of a release, and where its manifest lies."""
    source = Source(release)
    if source.is_dir or source.is_stdin:
        remedy = "name the file that was released; its manifest lies beside it"
        raise DataError(Problem(source.name, "no file", "a release, which is one file", remedy))
    # by the name that was given, else by the file that a link leads to
    beside = manifest_path(release)
    if not beside.exists() and release.is_symlink():
        beside = manifest_path(release.resolve())
    return source, beside


def _needed(claim: Manifest, receiver: Receiver, demand: dict[str, Any]) -> ReleaseTarget:
    """Return what is demanded: of k, ε and l, what was not named is as claimed;
    the rules are never.
    """
    check_sensitive(claim.read.options.sensitive, receiver)
    of_claim: dict[str, Any] = {"k": claim.target.k, "epsilon": claim.target.epsilon}
    if receiver.sensitive and "m" not in demand:
        of_claim["l"] = claim.target.l
    needed = ReleaseTarget(**{**of_claim, **demand})
    for name, value in (("epsilon", needed.epsilon), ("l", needed.l or 0)):
        if value > LARGEST:
            raise ParameterError(name, value, "a number up to 2^53, beyond which no rating is")
    needed.check_data(1, sensitive=bool(receiver.sensitive))
    return needed


def _with_columns(receiver: Receiver, source: Source, claim: Manifest) -> Receiver:
    """Return the receiver with what was said of each column of the release.

    The sensitive ones among them.
    """
    columns = loaders()[claim.read.format].columns(source, claim.read.options)
    specs = receiver.of([name for name in columns.names if name != columns.record])
    by_codebook = tuple(name for name, spec in specs.items() if spec.role == "sensitive")
    sensitive = receiver.sensitive if receiver.sensitive is not None else by_codebook or None
    both = [
        name for name in sensitive or () if name in specs and specs[name].role in ("quasi", "carry")
    ]
    if both:
        raise ParameterError("sensitive", both[0], "one role a column", "it has another role, too")
    return dataclasses.replace(receiver, sensitive=sensitive, columns=specs)


def _problems(outcome: VerifyResult, reading: Reading, audit: AuditResult) -> Iterator[str]:
    if outcome.forged is not None:
        yield outcome.forged
    if reading.table.origin.sha256 not in (None, outcome.sha256):
        yield "the file was changed while it was read"
    for result, what in ((audit, "claimed"), (outcome.demanded, "demanded")):
        if result is None or result.held:
            continue
        records, verdict = f"{result.dataset.records:,} records", result.known
        short = f"{result.n_violators:,} of {records} violate ({result.parameters.model})"
        if verdict is not None:
            sure = verdict.satisfied is False
            narrowed = "narrowed down" if sure else "perhaps narrowed down, not all was looked at"
            below = int(np.count_nonzero(verdict.smallest_m))
            short = f"{below:,} of {records} are {narrowed} by some {verdict.m} known ratings"
        yield f"the file is not as anonymous as {what}: {short}"
    for how in (reading, outcome.demanded_reading):
        yield from () if how is None else how.problems
    yield from differences(outcome.manifest, reading.table, audit)


def _warnings(outcome: VerifyResult, reading: Reading) -> Iterator[str]:
    """Yield what makes the claim a small one."""
    claim, table, demanded = outcome.manifest, reading.table, outcome.demanded
    content = claim.content
    yield from dict.fromkeys(warning for result in outcome.audits for warning in result.warnings)
    yield from (caution.message for caution in of_input(content))
    if accepted := content.get("accepted"):
        yield f"the publisher accepted, which does not bind you: {', '.join(accepted)}"
    names = ", ".join(column.name for column in table.sensitive)
    if not names:
        yield "no item is named as sensitive: if one is, nothing is claimed of it"
    else:
        if demanded is None:
            yield (
                f"k and ε do not cover items that the manifest declares sensitive ({names}): "
                "known values of these may distinguish records"
            )
        if claim.target.l is None:
            yield f"no l is claimed: a neighbourhood may agree on a sensitive item ({names})"
    if table.carried:
        yield not_audited(table)
    loose = [
        f"{column.name} ({column.described})" for column in table.quasi if column.within is not None
    ]
    if loose and demanded is None:
        yield (
            "only by the manifest's word, records count as the same that differ on "
            f"{', '.join(loose)}: say `quasi` for a rule of yours"
        )
    if reading.worded and demanded is None:
        yield (
            f"the order of the words of {', '.join(reading.worded)} is only the manifest's word: "
            "the distance of two ratings depends on it"
        )
    if claim.content["ids"] == "keep":
        yield (
            "the release keeps the input's ids and order, against which anonymous ratings do "
            "not help"
        )
    if table.timestamps is not None:
        yield "the release has timestamps, of which nothing is claimed"
    if outcome.public_key is None and outcome.signed:
        yield (
            "the manifest is signed; that was not checked: name the publisher's public key "
            "(`public_key`)"
        )


def _counted(result: AuditResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    content = proof(result) | {"equal": result.equal, "cautions": result.cautions}
    content |= {} if result.known is None else {"known": result.known.to_dict()}
    return document_of(documents.Found, result.parameters, **content)


def differences(claim: Manifest, table: RatingTable, result: AuditResult) -> Iterator[str]:
    """Yield where the manifest says one thing and the file another,
    and where it contradicts itself.
    """
    content, again = claim.content, counted(table, result)
    if claim.records != table.n_records:
        yield _differ("records", claim.records, table.n_records)
    recounted = again.pop("verification")
    if "known" in claim.claimed and "known" not in recounted:
        yield "known: the manifest says more of known ratings than it claims"
    for name, value in recounted.items():
        stated = claim.claimed.get(name)
        if not _same(stated, value):
            yield _differ(name, stated, value)
    for name, value in again.items():
        if name == "issues" and content[name] != value:
            yield _differ("items that are not sensitive", content[name], value)
        elif name != "issues" and _listed(content.get(name, [])) != _listed(value):
            yield f"{name}: the manifest names others than those that it has the file read with"
    yield from _distortion(content, table)
    # another version may word or give others, and one that does not say which were accepted gave
    # fewer
    if content["versions"].get("ratingpriv") == versions()["ratingpriv"] and "accepted" in content:
        cautions = [caution for caution in content["cautions"] if caution["code"] not in OF_INPUT]
        if cautions != [one.to_dict() for one in result.cautions if one.code not in OF_INPUT]:
            yield "the manifest gives other cautions than the file, counted again, calls for"


def stated_not_checked(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is the publisher's word alone, under the manifest's keys."""
    cost = content["distortion"]
    names = [
        part.name for part in fields(Distortion) if part.name != "mean_after" and part.name in cost
    ]
    return {name: value for name, value in content.items() if name not in _CHECKED} | {
        "release": {"file": content["release"]["file"]},
        "records": {"withheld": content["records"]["withheld"]},
        "distortion": {name: cost[name] for name in names},
    }


def _listed(stated: list[Any]) -> list[Any]:
    """Return names, or rules as (name, within), in one order."""
    rules = [
        (rule["name"], rule.get("within")) if isinstance(rule, dict) else rule for rule in stated
    ]
    return sorted(rules, key=str)


def _distortion(content: Mapping[str, Any], table: RatingTable) -> Iterator[str]:
    """Yield where the costs contradict the file or one another."""
    stated, withheld = content["distortion"], content["records"]["withheld"]
    cost = Distortion(**{field.name: stated.get(field.name) for field in fields(Distortion)})
    records = table.n_records + withheld
    mean = mean_rating(table)
    # either way to round a tie
    near = [None] if mean is None else [two_digits(mean * (1 + by)) for by in (0, _CLOSE, -_CLOSE)]
    if cost.mean_after not in near:
        yield _differ("the mean of its ratings", cost.mean_after, near[0])
    counted_names = [name for name in COUNTED_IN_INPUT if stated.get(name) is not None]
    if len(counted_names) < len(COUNTED_IN_INPUT):  # they would tell of the input's rows
        if counted_names or content["method"]["name"] != "swap":
            yield "the manifest does not state all costs of the release, without a reason"
        if cost.records_withheld != withheld or cost.cells != records * table.n_issues:
            yield ("the costs in the manifest do not add up: suppressed records, or cells")
        return
    left = cost.ratings - cost.ratings_withheld - cost.erased + cost.filled
    if left != table.n_ratings:
        yield _differ("ratings of the release", left, table.n_ratings)
    contradictions = _contradictions(cost, stated, records=records, withheld=withheld, table=table)
    if ("quasi" in stated) != bool(table.quasi):
        yield (
            "the manifest has costs on quasi-identifiers where the file has none, or none where "
            "it has some"
        )
    elif table.quasi:
        of_quasi = QuasiDistortion(
            **{part.name: stated["quasi"][part.name] for part in fields(QuasiDistortion)}
        )
        released = sum(int((column.codes >= 0).sum()) for column in table.quasi)
        if of_quasi.cells - of_quasi.withheld - of_quasi.erased != released:
            yield _differ(
                "values of quasi-identifiers",
                of_quasi.cells - of_quasi.withheld - of_quasi.erased,
                released,
            )
        contradictions |= _quasi_contradictions(of_quasi, released, withheld=withheld, table=table)
    for name, wrong in contradictions.items():
        if wrong:
            yield f"what the manifest says of what it cost does not add up: {name}"


def _contradictions(
    cost: Distortion, stated: Mapping[str, Any], *, records: int, withheld: int, table: RatingTable
) -> dict[str, bool]:
    """Return what of the costs on ratings cannot be,
    of ``records`` of which some were ``withheld``.
    """
    touched, left_in = cost.records_touched, cost.ratings - cost.ratings_withheld
    unchanged = cost.cells_touched + cost.ratings_withheld == 0
    return {
        "suppressed records": cost.records_withheld != withheld,
        "the ratings of suppressed records": bool(cost.ratings_withheld) and not withheld,
        "the cells of the input": bool(cost.cells % max(1, records))
        or cost.cells < records * table.n_issues,
        "the ratings of the input": cost.ratings > cost.cells
        or left_in < cost.changed + cost.erased,
        "the changed and imputed ratings": cost.changed + cost.filled > table.n_ratings,
        "the records that were touched": touched > min(cost.cells_touched, table.n_records)
        or cost.cells_touched * max(1, records) > touched * cost.cells,
        "the information loss": bool(
            cost.total if cost.cells_touched == 0 else cost.changed and not cost.total
        ),
        "the shares": any(
            not _same(stated["shares"][name], share) for name, share in cost.shares.items()
        ),
        "the mean before": (cost.mean_before is None) != (cost.ratings == 0)
        or (unchanged and not _same(cost.mean_before, cost.mean_after)),
        "the mean of imputed ratings": {cost.mean_filled is None, cost.sd_filled is None}
        != {cost.filled == 0},
    }


def _quasi_contradictions(
    own: QuasiDistortion, released: int, *, withheld: int, table: RatingTable
) -> dict[str, bool]:
    """Return what of the costs on quasi-identifiers cannot be; ``released`` :
    values in the file.
    """
    moved = own.changed + own.erased
    return {
        "the values that were changed": own.changed > released
        or (own.changed == 0 and own.moved > 0),
        "the records that lost or changed values": own.records_touched > min(moved, table.n_records)
        or moved > own.records_touched * len(table.quasi),
        "the values of suppressed records": own.withheld > withheld * len(table.quasi),
    }


def _differ(name: str, stated: object, counted: object) -> str:
    stated_text, is_ = (
        f"{value:.10g}" if isinstance(value, float) else str(value) for value in (stated, counted)
    )
    return f"{name.replace('_', ' ')}: the manifest says {stated_text}; counted again, it is {is_}"


def _same(one: Any, other: Any) -> bool:
    """Whether two figures, or those of the same names, are the same but for the last digits."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return bool(one == other)
