"""What survey people look at first: each question's answers, correlations, Cronbach's α,
before and after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import single_threaded
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured
from ratingpriv.utility.tables import IssueMoments, levels_of, moments_of, nearest_level

_Whole = NDArray[np.int64]
_DENSE = 0.1  # of the cells are rated: beyond, plain matrices are faster
_CELLS = 1 << 22  # of a plain matrix at once


def questions(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    most: int = 500,
    least_raters: int = 10,
) -> Measured:
    """Return the mean change of the correlation of two questions, |r - r'|. Lower is better;
    0 is none.

    [ours] Questions are the original's non-sensitive issues, the ``most`` rated, ties by name. r is
    Pearson's correlation over the records that rate both; of fewer than ``least_raters`` it is
    noise and not taken. Needs no pairing. Details: ``documents.utility.MeasuredQuestions``;
    Cronbach's α is None where it says nothing: of a question alone, or where no two records' sums
    differ.
    """
    original, release = pair.original, pair.release
    issues_compared = original.n_issues - pair.issues_added
    before, after, levels = moments_of(original), moments_of(release), levels_of(original)
    by_rank = sorted(
        range(issues_compared), key=lambda j: (-int(before.counts[j]), original.issues[j])
    )
    chosen = np.sort(np.array(by_rank[:most], dtype=np.int64))
    old = correlations(original, before, chosen, least_raters)
    resources.report("correlating items", 1, 2)
    new = correlations(release, after, chosen, least_raters)
    resources.report("correlating items", 2, 2)
    upper = np.triu(np.ones_like(old, dtype=bool), 1)
    defined = upper & ~np.isnan(old)
    both = defined & ~np.isnan(new)
    off = np.abs(new - old)
    by_level = [_distributions(table, chosen, levels) for table in (original, release)]
    rows = []
    for number, issue in enumerate(chosen.tolist()):
        counts = [None if side is None else side[number] for side in by_level]
        sides = {"before": _side(before, issue, counts[0]), "after": _side(after, issue, counts[1])}
        rows.append({"name": original.issues[issue], **sides, "moved": _moved(*counts)})
    details: dict[str, Any] = {
        "levels": None if len(levels) > 100 else levels.tolist(),
        "questions": rows,
        "of_questions": issues_compared,
        "correlations": dict.fromkeys(("pairs", "undefined_after", "greatest", "greatest_of")),
        "cronbach_alpha": {
            "before": _alpha(original, issues_compared),
            "after": _alpha(release, issues_compared),
        },
    }
    correlated = details["correlations"]
    correlated["pairs"], correlated["undefined_after"] = (
        int(both.sum()),
        int((defined & ~both).sum()),
    )
    if not both.any():
        return Measured(None, details=details, reason="no two items have a correlation in both")
    worst = np.unravel_index(int(np.argmax(np.where(both, off, -1))), off.shape)
    correlated["greatest"] = float(off[worst])
    correlated["greatest_of"] = [original.issues[int(chosen[number])] for number in worst]
    words = f"mean change of {int(both.sum())} correlations"
    return Measured(float(off[both].mean()), of=words, details=details)


def _side(moments: IssueMoments, issue: int, counts: NDArray[np.int64] | None) -> dict[str, Any]:
    rated = bool(moments.counts[issue])
    return {
        "ratings": int(moments.counts[issue]),
        "mean": float(moments.means[issue]) if rated else None,
        "sd": float(moments.sds[issue]) if rated else None,
        "distribution": None if counts is None else counts.tolist(),
    }


def _moved(before: NDArray[np.int64] | None, after: NDArray[np.int64] | None) -> float | None:
    """Return half the sum of the differences of the shares; None where one has no ratings."""
    if before is None or after is None or not (before.sum() and after.sum()):
        return None
    return float(np.abs(before / before.sum() - after / after.sum()).sum() / 2)


def _distributions(
    table: RatingTable, issues: NDArray[np.int64], levels: NDArray[np.float64]
) -> NDArray[np.int64] | None:
    """Count the ratings of each of ``issues`` by level, int64 (q, L).

    None without levels, or beyond 100.
    """
    if not 0 < len(levels) <= 100:
        return None
    column_of = _places(table, issues)[table.indices]
    level = nearest_level(levels, table.levels)[table.codes]
    counts = np.bincount(
        (column_of * len(levels) + level)[column_of >= 0], minlength=len(issues) * len(levels)
    )
    return counts.reshape(len(issues), len(levels))


def _places(table: RatingTable, issues: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each issue of ``table`` is in ``issues``, int64 (n_issues,);
    -1 where it is not.
    """
    column_of = np.full(table.n_issues, -1, dtype=np.int64)
    column_of[issues] = np.arange(len(issues))
    return column_of


def correlations(
    table: RatingTable, moments: IssueMoments, issues: NDArray[np.int64], least: int
) -> NDArray[np.float64]:
    """Return Pearson's r of each pair of ``issues`` over the records that rate both,
    float64 (q, q).

    NaN where those are fewer than ``least``, or do not vary on one of the two.
    """
    column_of = _places(table, issues)[table.indices]
    rated = column_of >= 0
    rows, columns = (
        np.repeat(np.arange(table.n_records), np.diff(table.indptr))[rated],
        column_of[rated],
    )
    # centred first: sums of squares of what is far from 0 lose the digits that count
    centred = table.values[rated] - moments.means[table.indices[rated]]
    n, s, q, xy = np.zeros((4, len(issues), len(issues)))
    share = len(rows) / max(table.n_records * len(issues), 1)
    step = max(_CELLS // max(len(issues), 1), 1) if share > _DENSE else max(table.n_records, 1)
    for first in range(0, table.n_records, step):
        part = slice(*np.searchsorted(rows, (first, first + step)))
        rows_of_part, shape = (
            (rows[part] - first, columns[part]),
            (min(step, table.n_records - first), len(issues)),
        )
        n_matrix, x, xx = (
            _matrix(data, rows_of_part, shape, dense=share > _DENSE)
            for data in (np.ones(len(rows_of_part[0])), centred[part], centred[part] ** 2)
        )
        products = ((n, n_matrix, n_matrix), (s, x, n_matrix), (q, xx, n_matrix), (xy, x, x))
        with single_threaded():  # threads wait for each other longer than they work
            for total, left, right in products:
                product = left.T @ right
                total += product if share > _DENSE else product.toarray()
    with np.errstate(all="ignore"):
        spread, other = q - s**2 / n, (q - s**2 / n).T
        r = (xy - s * s.T / n) / np.sqrt(spread * other)
    noise = 1e-12 * np.maximum(q, 1e-300)
    r[(n < max(least, 2)) | (spread <= noise) | (other <= noise.T)] = np.nan
    return np.asarray(np.clip(r, -1.0, 1.0))


def _matrix(
    data: NDArray[np.float64], cells: tuple[_Whole, _Whole], shape: tuple[int, int], *, dense: bool
) -> Any:
    if not dense:
        from scipy.sparse import csr_array

        return csr_array((data, cells), shape=shape)
    matrix = np.zeros(shape)
    matrix[cells] = data
    return matrix


def cronbach_alpha(answers: NDArray[np.float64]) -> float | None:
    """Return α = p/(p - 1) · (1 - Σ variances / variance of the sums) [Cronbach 1951, (2)].

    ``answers`` float64 (n, p), without nulls. None with fewer than two records or questions, or
    where all sums are equal.
    """
    n, p = answers.shape
    if n < 2 or p < 2:
        return None
    total = answers.sum(axis=1)
    if np.ptp(total) <= 1e-12 * max(1.0, float(np.abs(total).max())):
        return None
    return float(p / (p - 1) * (1 - answers.var(axis=0).sum() / total.var()))


def _alpha(table: RatingTable, questions: int) -> dict[str, Any]:
    """Return α over the records that rate the first ``questions`` issues,
    and how many those are.
    """
    if not questions:
        return {"value": None, "records": 0}
    is_question = table.indices < questions
    record = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    complete = np.bincount(record[is_question], minlength=table.n_records) == questions
    answers = table.values[is_question & complete[record]].reshape(-1, questions)
    return {"value": cronbach_alpha(answers), "records": len(answers)}
