"""``ratingpriv.report``: what a report is made of; a part that no saved result has is measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv.anonymize.release.manifest import manifest_path
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.attack import study
from ratingpriv.audit import audit
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.base.reservations import FOUND_AT_MOST, checked_codes
from ratingpriv.data.codebook.table_like import TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.report.overview.documents import read_documents
from ratingpriv.studies.recommend import recommend
from ratingpriv.utility.utility import utility

type _Document = dict[str, Any]

_STAGES = {
    "audit": "audit of the data, and exposure, which is the longer part",
    "audit_release": "audit of the release, and exposure",
    "frontier": "frontier, an audit for each distance",
    "attack": "attack, five of them on up to 1,000 people, which often takes longest",
    "utility": "utility, with the random baseline",
    "verify": "verification of the manifest",
    "recommend": "what may be published: releases made and compared",
}


_MOST_RATINGS = 200_000
"""Of so many at most a map is measured for a report: some seconds, or twenty where nothing is soon
chosen.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measuring:
    """Which parts of a report are measured, and how.

    Attributes
    ----------
    skip : parts that are not: "exposure", "frontier", "attack", "utility", "verify", "recommend"
    named : so many records that break the verdict are named
    seed : of what is drawn
    note : called with a sentence before each part, and where one is not measured
    """

    skip: Collection[str] = ()
    named: int = 0
    seed: int = 0
    note: Callable[[str], object] = lambda _: None


@takes_frames
def report(
    table: TableLike | None = None,
    release: TableLike | None = None,
    *,
    target: AuditParameters | None = None,
    truth: Key | str | None = None,
    saved: Sequence[str] = (),
    accept: Sequence[str] = (),
    measuring: Measuring = Measuring(),
    resources: Resources = Resources(),
) -> dict[str, _Document]:
    """Return the documents of a report: audits, frontier, attack, utility and verification,
    each as JSON.

    :func:`ratingpriv.report.overview.report_html` makes a page of them.

    Parameters
    ----------
    table : the data, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes; None:
        nothing is measured
    release : what was released of them; the manifest beside the file that it was read from is
        verified
    target : what both are audited for; None: what the saved audits are for
    truth : links of released to original records: the release's key, or "ids" if it kept the
        records' ids
    saved : files of results as JSON, about the same data, that are taken instead of measuring again
    accept : codes of reservations (:mod:`ratingpriv.base.reservations`) with which an audit is a
        yes to you

    Returns
    -------
    dict
        Documents by the names in :data:`ratingpriv.report.overview.material.PARTS`.

    Raises
    ------
    ParameterError, DataError
        A saved result is none, or is about other data; there is no audit; and all errors of what is
        measured.
    """
    documents = read_documents(saved, data=table, release=release)
    if table is not None:
        target = target or target_of(documents)
        parts = _parts(table, release, target, truth, measuring, resources.keywords)
        missing = {part: measure for part, measure in parts.items() if part not in documents}
        for number, (part, measure) in enumerate(missing.items(), start=1):
            measuring.note(f"report: {number} of {len(missing)}, {_STAGES[part]}")
            documents[part] = measure()
    audits = {"audit", "audit_release"} & documents.keys()
    if not audits:
        raise ParameterError(
            "from", "no audit", "the JSON of an audit among them, or DATA with `k` and `epsilon`"
        )
    for part in audits:
        codes = dict.fromkeys((*documents[part].get("accepted", ()), *checked_codes(accept)))
        documents[part] = {**documents[part], "accepted": list(codes)}
    return documents


def target_of(documents: Mapping[str, _Document], **demand: Any) -> AuditParameters:
    """Return the target of saved audits, which ``k``, ``epsilon`` and ``l`` must not contradict.

    Without one it is ``demand``, the parameters of a target.

    Raises
    ------
    ParameterError
        They do; or there is no audit, and no ``k`` or ``epsilon``.
    """
    audited = documents.get("audit") or documents.get("audit_release")
    if audited is None:
        for name in ("k", "epsilon"):
            if demand.get(name) is None:
                raise ParameterError(name, None, f"`{name}`, or an audit that was saved")
        return AuditParameters(**demand)
    target = AuditParameters(**audited["parameters"])
    for name in ("k", "epsilon", "l"):
        if demand.get(name) not in (None, getattr(target, name)):
            raise ParameterError(
                name, demand[name], f"that of the saved audit, {getattr(target, name)}"
            )
    return target


def _parts(
    table: RatingTable,
    release: RatingTable | None,
    target: AuditParameters,
    truth: Key | str | None,
    measuring: Measuring,
    limits: Mapping[str, Any],
) -> dict[str, Callable[[], _Document]]:
    """Return how each part that belongs to the report is measured; those that decide come first."""
    rules: dict[str, Any] = {"l": target.l, "nulls": target.nulls, **limits}
    drawn: dict[str, Any] = {"rng": measuring.seed, **limits}
    near = "strict" if target.nulls == "known" else target.nulls
    demands: dict[str, Any] = {
        "k": target.k,
        "sensitive_nulls": target.sensitive_nulls,
        "partition": False,
    }
    parts: dict[str, Callable[[], _Document]] = {
        "audit": lambda: _audited(table, target, measuring, limits),
    }
    if release is not None:
        parts["audit_release"] = lambda: _audited(release, target, measuring, limits)
    if target.nulls != "known":
        parts["frontier"] = lambda: frontier(table, **rules, **demands).to_dict()
    if table.n_ratings:
        release_known = None if truth is None else release
        parts["attack"] = lambda: study(table, release_known, truth=truth, **drawn).to_dict()
    if release is not None:
        parts["utility"] = lambda: utility(
            table, release, truth=truth, epsilon=target.epsilon, nulls=near, **drawn
        ).to_dict()
        if (file := release.origin.place) and manifest_path(file).exists():
            named = {"release": release.origin.name}  # no result says where a file lies
            parts["verify"] = lambda: verify(file, **limits).to_dict() | named
    if "recommend" not in measuring.skip:
        if (why := _no_map(table, target)) is None:
            parts["recommend"] = lambda: recommend(
                table, **rules, sensitive_nulls=target.sensitive_nulls, rng=measuring.seed
            ).to_dict()
        else:
            measuring.note(f"report: what may be published is not measured: {why}")
    return {part: measure for part, measure in parts.items() if part not in measuring.skip}


def _no_map(table: RatingTable, target: AuditParameters) -> str | None:
    """Return why no map of these data is measured for a report; None where it is."""
    others = [
        name for name, value in target.of_sensitive.items() if name != "l" and value is not None
    ]
    reasons = {
        "under `nulls='known'` there are no pairs of records": target.nulls == "known",
        "nothing is rated": not table.n_ratings,
        f"{table.n_records} records are too few for any release": table.n_records * FOUND_AT_MOST
        < 1,
        f"it knows no demand {', '.join(name.replace('_', '-') for name in others)}": bool(others),
        f"it is of more than {_MOST_RATINGS:,} ratings; take what `recommend` saved with `from`": (
            table.n_ratings > _MOST_RATINGS
        ),
    }
    return next((why for why, holds in reasons.items() if holds), None)


def _audited(
    table: RatingTable, target: AuditParameters, measuring: Measuring, limits: Mapping[str, Any]
) -> _Document:
    demands = {**dataclasses.asdict(target), **limits}
    if table.n_issues and "exposure" not in measuring.skip:
        try:
            return audit(table, exposure=target.epsilon, **demands).to_dict(measuring.named)
        # of rules by which there is no exposure: the report says so
        except ParameterError as error:
            if error.name != "exposure":
                raise
            measuring.note(f"report: exposure is not measured: {error.expected}")
    return audit(table, **demands).to_dict(measuring.named)
