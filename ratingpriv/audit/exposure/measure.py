"""Exposure at an error: what is left to whoever knows ratings about, not exactly [ours].

A neighbourhood N(t) is centred on t. An adversary holds knowledge x̃ instead, off by at most E on
every issue that t rates, and is left with the records within E of x̃. These can be fewer than N(t):
down to t alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure.arrays import Findings, Plan
from ratingpriv.audit.exposure.examine import Examiner, nothing_found
from ratingpriv.audit.exposure.knowledge import knowledge_of
from ratingpriv.audit.exposure.result import CONFIDENCE, Exposure
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import AUDIT_NULL_RULES
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.proximity.classes import identical_rows
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates

_MEMORY = 1 << 30
_SAMPLES = 1 << 21  # drawn in all, at least 16 and at most 1024 a record
_EFFORT = 4 * 10**9  # words of bitsets for enumerating in all
_LISTED = 2048  # members: of more that fit some knowledge of a record, knowledge is drawn at once
_LARGEST_EFFORT = 1 << 34  # for one record, where it has to be exact
_WORK = 10**11  # words in all; where all records need more, a random sample of them is examined
_FEW = 2048  # records: so many are always examined


@checks.takes_random_state
@takes_frames
def exposure(
    table: TableLike,
    *,
    error: float,
    nulls: str = "strict",
    samples: int | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    exact: bool | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> Exposure:
    """Measure how many records fit knowledge that is off by up to ``error``,
    in expectation and at worst.

    For a record t, knowledge x̃ has a value for each issue that t rates, |x̃_j − t_j| ≤ E, on the
    scale; its count is the number of records within E of x̃ (t is one). Reported are the
    expectation of 1 / count, x̃ uniform, and the fewest.

    *On the scale*: a declared scale bounds x̃ (a rating off the scale stretches it). Where none was
    declared, its ends are unknown: x̃ may then lie beyond the ratings found, by up to E. x̃
    takes the values that ratings can take: whole numbers, halves for half stars, ... (the greatest
    step of which all ratings, the ends of a declared scale and 1 are multiples); any number where
    ratings are no decimals.

    *Within E of x̃*, by the null rule. strict: u rates what t rates, no more and no less, each
    within E of x̃; at E of r or more a null separates no records [SWLZ11, Eq. 1]. wildcard: a null
    of u fits anything. known: u rates at least what t rates, each within E of x̃.

    Quasi-identifiers that have to be equal are known, exactly: u has the same values. Others are
    refused.

    All knowledge, a few stretches an issue, is enumerated with bitsets where that is affordable.
    Else it is drawn for every record, and the interval of the expectation is Hoeffding's [J. Am.
    Stat. Assoc. 58 (1963) 13], which holds for any number of draws; the fewest are those of a draw
    or of a greedy choice. A witness proves exposure; that none was found proves nothing, and
    ``worst_exact`` and ``certain_exact`` say whether a bound was reached. Where even that is too
    much for all records, a random sample of them is examined. Efforts are counted, never timed: the
    same seed gives the same result.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    error : E >= 0, in units of the ratings. 0: knowledge is exact, and the count is how often t's
        row stands in the table
    nulls : "strict", "wildcard" or "known"
    samples : knowledge to draw for each record whose expectation is not enumerated; None: as many
        as give about two million in all
    rng : seed of the draws, or a generator; None is unpredictable. The result has the seed
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    exact : True: enumerate very long before giving up; False: draw and choose greedily only; None:
        enumerate as far as is quick
    threads : how many threads; None: one for each available core
    memory : bytes for working arrays, about; None: 1 GiB
    progress : called with (what is being done, units done, units in all or None) as long work goes
        on

    Raises
    ------
    ParameterError
        An argument is out of range, or the table has no records.
    ResourceError
        ``memory`` is not enough for one record.
    """
    error = checks.non_negative_number("error", error)
    nulls = checks.choice("nulls", nulls, AUDIT_NULL_RULES)
    if samples is not None:
        samples = checks.whole_number("samples", samples, 1)
    if exact is not None and not isinstance(exact, bool):
        raise ParameterError("exact", exact, "True, False or None")
    seed = checks.seed_from(rng)
    resources = Resources(threads, memory, progress)
    n = table.n_records
    if n == 0:
        raise ParameterError("table", "no records", "at least one record")
    knowledge = knowledge_of(table, error)
    groups = hamming_groups(table, threads=resources.threads)
    separates = null_separates(table.scale, error, nulls)
    # quasi-identifiers that part records into Hamming groups are examined with these
    loose = [column.name for column in table.quasi if column.within is not None or not separates]
    if loose:
        raise ParameterError(
            "exposure",
            loose[0],
            "quasi-identifiers that have to be equal, under `nulls='strict'` and an "
            "error below the scale's maximum",
            "exposure measures knowledge of ratings, and that of others only where it is exact; "
            "put the "
            "values into bands, or leave `exposure` out",
        )
    examiner = Examiner(
        table,
        knowledge.positions,
        groups if separates else None,
        nulls != "known" and not separates,
        _MEMORY if resources.memory is None else resources.memory,
        Run(resources.threads, resources.progress, "measuring exposure"),
    )
    class_of = identical_rows(table, groups.order, groups.starts).of
    first = np.unique(class_of, return_index=True)[1]
    plan, multiples = _plan(len(first), samples, exact, seed), np.bincount(class_of)[class_of]
    findings = nothing_found(multiples)
    chosen = _examine(examiner, class_of, first, plan, findings, exact=exact)

    def witness(position: int) -> dict[str, float]:
        ratings = knowledge.ratings(
            examiner.witness(int(first[class_of[position]]), plan, multiples)
        )
        names = (table.issues[issue] for issue in table.support(position))
        return dict(zip(names, ratings.tolist(), strict=True))

    settings = {
        "error": error,
        "nulls": nulls,
        "seed": seed,
        "samples": plan.samples,
        "step": knowledge.step,
    }
    settings |= {"scale_declared": knowledge.closed, "_witness": witness}
    # those that are identical to one
    of_all = Findings._make(finding[first[class_of]] for finding in findings)
    return _conclude(of_all, class_of, chosen, settings)


def _plan(targets: int, samples: int | None, exact: bool | None, seed: int) -> Plan:
    if samples is None:
        samples = min(max(_SAMPLES // targets, 16), 1024)
    effort = {True: _LARGEST_EFFORT, False: 0, None: min(_EFFORT // targets, _LARGEST_EFFORT)}[
        exact
    ]
    listed = _LARGEST_EFFORT if exact else max(_LISTED, _EFFORT // (100 * targets))
    return Plan(samples, effort, listed, np.uint64(seed % (1 << 64)))


def _examine(
    examiner: Examiner,
    class_of: NDArray[np.int64],
    first: NDArray[np.int64],
    plan: Plan,
    findings: Findings,
    *,
    exact: bool | None,
) -> NDArray[np.int64] | None:
    """Examine one record of each class.

    Return the records of a sample if only those were, or None.
    """
    run, n = examiner.run, len(class_of)
    run.total = len(first)
    if len(first) <= _FEW or exact:
        examiner(first, plan, findings)
        return None
    drawn = np.random.default_rng(int(plan.seed)).permutation(n)
    pilot = np.unique(class_of[drawn[: _FEW // 4]])
    examiner(first[pilot], plan, findings)
    work = float(findings.work[first[pilot]].mean())
    affordable = max(int(_WORK / max(work, 1.0)), _FEW)
    rest = np.ones(len(first), dtype=bool)
    if affordable < len(first):
        rest[:] = False
        rest[class_of[drawn[:affordable]]] = True
    rest[pilot] = False
    run.total = len(pilot) + int(np.count_nonzero(rest))
    examiner(first[rest], plan, findings)
    return None if affordable >= len(first) else np.sort(drawn[:affordable])


def _conclude(
    findings: Findings,
    class_of: NDArray[np.int64],
    chosen: NDArray[np.int64] | None,
    parameters: Mapping[str, Any],
) -> Exposure:
    """Put together what was found of the records; ``chosen`` are those examined, None for all."""
    n = len(class_of)
    expectation = np.minimum(findings.expected, 1.0)  # a sum of shares may be rounded up
    examined = np.zeros(n, dtype=bool)
    examined[slice(None) if chosen is None else chosen] = True
    count = int(np.count_nonzero(examined))
    expected = float(np.mean(expectation[examined]))
    # the draws of a class serve all its records: each draw counts with the class's share over the
    # draws
    share = np.bincount(class_of[examined], minlength=1) / count
    spread = np.zeros(len(share))
    spread[class_of[examined]] = findings.spread[examined]
    sampled = chosen is not None
    miss = (1 - CONFIDENCE) / (2 if sampled else 1)
    reach = math.sqrt(
        math.log(2 / miss) / 2 * float(np.sum((share * spread) ** 2)) / parameters["samples"]
    )
    if sampled:
        reach += math.sqrt(math.log(2 / miss) / (2 * count))
    worst = int(findings.worst[examined].min())
    least = int(findings.least[examined].min()) if not sampled else 1
    open_ = examined & (findings.worst > 1) & (findings.least == 1)
    return Exposure(
        **parameters,
        expected=expected,
        expected_low=max(expected - reach, 0.0),
        expected_high=min(expected + reach, 1.0),
        expected_exact=not sampled and not bool(np.any(findings.spread > 0)),
        worst=worst,
        worst_exact=worst == least,
        certain=int(np.count_nonzero(examined & (findings.worst == 1))),
        certain_exact=not sampled and not bool(np.any(open_)),
        records=count,
        of_records=n,
        expected_by_record=np.where(examined, expectation, np.nan),
        worst_by_record=np.where(examined, findings.worst, 0),
        expected_exact_by_record=examined & (findings.spread == 0),
        worst_exact_by_record=examined & (findings.worst == findings.least),
    )
