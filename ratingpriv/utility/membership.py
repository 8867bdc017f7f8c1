"""Membership changing ratio: how many records another cluster takes in
the release [SWLP10, §5.3, Fig. 15d].

The paper clusters both files "keeping the same initial seeds and identical k" and counts the points
whose cluster changes. How many clusters there are and what a null is are ours: see
:func:`membership_change`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import single_threaded
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import issues_by_name, records_by_id

CLUSTER_NULLS = ("zero", "mean")
"""What a null is for a distance: 0, as in [SWLP10, Def. 5], or the mean of the issue in the same
data.
"""

_ROUNDS = 300
_SPARSE = 0.25  # below this share of ratings k-means works on those that are there


def membership_change(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    clusters: int = 5,
    nulls: str = "zero",
    runs: int = 10,
) -> Measured:
    """Return the share of records that k-means puts into another cluster.

    Lower is better, the original's 0.

    Implements [SWLP10, §5.3]. Not in the paper, and so ours:

    * Vectors are over the issues of the original; a null is 0 (as in Def. 5), or the issue's mean.
    * Each run draws ``clusters`` records, and k-means starts from these records' own vectors in
      either data (Lloyd's rounds until nothing moves, 300 at most, in scikit-learn: a record
      between two centres goes to the lower number, but for rounding, and a cluster that loses all
      its records is begun anew).
    * Clusters are compared by number, as in the paper. The numbers can drift although the clusters
      agree: so there is also the share under the best relabelling, and the adjusted Rand index.

    Suppressed records take no part. Draws are by record id: the order of records and issues changes
    nothing, and all releases of one original get the same draws. Needs a pairing; ``nulls`` is one
    of :data:`CLUSTER_NULLS`. Details: ``documents.utility.MeasuredMembershipChange``.
    """
    clusters = checks.whole_number("clusters", clusters, 2)
    nulls = checks.choice("nulls", nulls, CLUSTER_NULLS)
    if pair.pairing is None:
        return not_measured("it is not known which released record is which original one")
    by_id = records_by_id(pair.original)
    in_release = pair.pairing[by_id] >= 0
    records = by_id[in_release]
    if len(records) < clusters:
        return not_measured(
            f"{len(records)} records are in both, fewer than the {clusters} clusters"
        )
    issues = issues_by_name(pair.original)
    issues = issues[issues < pair.original.n_issues - pair.issues_added]
    sparse = pair.original.n_ratings < _SPARSE * pair.original.n_records * max(len(issues), 1)
    before = record_vectors(pair.original, records, issues, nulls, sparse)
    same = pair.release is pair.original and np.array_equal(pair.pairing[records], records)
    after = (
        before
        if same
        else record_vectors(pair.release, pair.pairing[records], issues, nulls, sparse)
    )
    for data, what in ((before, "original"), (after, "release")):
        if not data.nonzero()[0].size:
            return not_measured(f"the {what} has no ratings that distinguish records")
    position = np.cumsum(in_release) - 1
    moves = np.empty((runs, 3))
    for run in range(runs):
        resources.report("clustering", run, runs)
        drawn = rng.permutation(len(by_id))
        seeds = position[drawn[in_release[drawn]][:clusters]]
        labels = cluster_labels(before, seeds)
        moves[run] = moved(labels, labels if same else cluster_labels(after, seeds))
    details = {"clusters": clusters, "nulls": nulls, "runs": runs, "records": len(records)}
    for name, values in zip(("relabelled", "adjusted_rand"), moves.T[1:], strict=True):
        mean, low, high = float(values.mean()), float(values.min()), float(values.max())
        details[name] = {"mean": mean, "low": low, "high": high}
    words = f"share of records in another cluster, mean and range of {runs} runs"
    return Measured.of_runs(moves[:, 0], words, details)


def moved(
    before: NDArray[np.integer[Any]], after: NDArray[np.integer[Any]]
) -> tuple[float, float, float]:
    """Compare two clusterings of the same records, labels 0, 1, ... (n,), n >= 1.

    Returns (the share of records whose number differs, the same after the relabelling that makes it
    smallest, the adjusted Rand index).
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score

    most = int(max(before.max(), after.max())) + 1
    both = np.bincount(before.astype(np.int64) * most + after, minlength=most * most).reshape(
        most, most
    )
    n, chosen = len(before), linear_sum_assignment(both, maximize=True)
    agree = int(both[chosen].sum())
    return 1 - int(np.trace(both)) / n, 1 - agree / n, float(adjusted_rand_score(before, after))


def record_vectors(
    table: RatingTable,
    records: NDArray[np.int64],
    issues: NDArray[np.int64],
    nulls: str,
    sparse: bool,
) -> Any:
    """Return records x issues for k-means: float64, an array or compressed sparse rows.

    The issue's mean instead of a null is 0 instead of a null, with the mean taken off the ratings:
    all points, and so all centres, are moved by the same, and no distance changes.
    """
    from scipy.sparse import csr_array

    shape = (table.n_records, table.n_issues)
    chosen = csr_array((table.values, table.indices, table.indptr), shape=shape)[records]
    if nulls == "mean":
        count = np.bincount(chosen.indices, minlength=table.n_issues)
        total = np.bincount(chosen.indices, weights=chosen.data, minlength=table.n_issues)
        chosen.data -= (total / np.maximum(count, 1))[chosen.indices]
    chosen = chosen[:, issues]
    if not sparse:
        return chosen.toarray()
    # all that k-means takes
    narrow = (chosen.indices.astype(np.int32), chosen.indptr.astype(np.int32))
    return csr_array((chosen.data, *narrow), shape=chosen.shape)


def cluster_labels(data: Any, seeds: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the cluster of each record, int32 (n,),
    k-means having begun at the records ``seeds``.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    start = data[seeds]
    start = start if isinstance(start, np.ndarray) else start.toarray()
    means = KMeans(len(seeds), init=start, n_init=1, algorithm="lloyd", tol=0, max_iter=_ROUNDS)
    with single_threaded(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different vectors than clusters
        labels: NDArray[np.int32] = means.fit(data).labels_
    return labels
