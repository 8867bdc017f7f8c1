"""Which released record is which original one: by key, or because ids were kept; never by a guess.

Ids count only where released records resemble the originals of the same id: no attack is judged by
wrong pairs. Resemblance of two records [ours]: on how many issues both have a rating, plus on how
many of these it is the same. If ids were dealt out anew, the pairs' sum is that of a random
permutation, whose mean and variance are known [Hoeffding, Ann. Math. Stat. 22 (1951) 558].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable

_RECORDS = 500  # compared, each with each
_DEVIATIONS = 3.0  # so far above a random pairing a sum is no chance: once in 700


def positions_in_release(
    original: RatingTable, release: RatingTable, truth: Key | str
) -> NDArray[np.int64]:
    """Return where each original record is in the release, int64 (n_records,); -1:
    it was suppressed.

    Ids are compared as the text they print as. ParameterError where the truth does not fit: it
    names records that are not there, or not all that are, was made for other files, or the ids were
    assigned anew.
    """
    positions = {
        str(record): position for position, record in enumerate(release.record_ids.to_list())
    }
    ids = [str(record) for record in original.record_ids.to_list()]
    released: Sequence[str | None]
    if isinstance(truth, Key):
        released = _by_key(original, release, truth, ids, positions)
    elif isinstance(truth, str) and truth == "ids":
        released = _by_ids(original, release, ids, positions)
    else:
        raise ParameterError("truth", truth, "a key, or 'ids' if the release kept the records' ids")
    return np.array(
        [-1 if record_id is None else positions.get(record_id, -1) for record_id in released],
        dtype=np.int64,
    )


def _by_key(
    original: RatingTable,
    release: RatingTable,
    key: Key,
    ids: Sequence[str],
    positions: Mapping[str, int],
) -> list[str | None]:
    """Return which released record the key says that each original one is, or None."""
    remedy = "use the key that was written with this release"
    for fact, table in (("input_sha256", original), ("release_sha256", release)):
        stated, actual = key.facts.get(fact), table.origin.sha256
        if stated is not None and actual is not None and stated != actual:
            what = "original" if fact == "input_sha256" else "release"
            fault, expected = (
                f"a key of the {what} {str(stated)[:12]}...",
                f"one of {table.origin.name}",
            )
            raise ParameterError("truth", fault, expected, remedy)
    paired = {
        str(record_id): None if other is None else str(other)
        for record_id, other in zip(key.original, key.released, strict=True)
    }
    missing = next((record_id for record_id in ids if record_id not in paired), None)
    if missing is not None:
        fault, expected = (
            f"a key without record no. {ids.index(missing) + 1}",
            "every original record",
        )
        raise ParameterError("truth", fault, expected, remedy, cell=missing)
    lost = next(
        (
            record_id
            for record_id in paired.values()
            if record_id is not None and record_id not in positions
        ),
        None,
    )
    if lost is not None:
        fault = "a key with a released record that is not there"
        raise ParameterError("truth", fault, "records of the release", remedy, cell=lost)
    strange = min(positions.keys() - set(paired.values()), default=None)
    if strange is not None:
        fault, expected = f"a key without released record no. {positions[strange] + 1}", "every one"
        raise ParameterError("truth", fault, expected, remedy, cell=strange)
    return [paired[record_id] for record_id in ids]


def _by_ids(
    original: RatingTable, release: RatingTable, ids: Sequence[str], positions: Mapping[str, int]
) -> Sequence[str]:
    """Return the ids, which the release kept; refused where others fit the records better."""
    strange = min(positions.keys() - set(ids), default=None)
    expected = "ids that were kept; here records of one id do not resemble each other"
    if strange is not None:
        expected = f"ids that were kept; released record no. {positions[strange] + 1} has another"
    places = np.array([positions.get(record_id, -1) for record_id in ids], dtype=np.int64)
    # an attack on ids that were dealt out anew would fail and look like safety
    if strange is not None or resemblance(original, release, places) == "others":
        raise ParameterError("truth", "ids", expected, "name the release's key file", cell=strange)
    return ids


def resemblance(original: RatingTable, release: RatingTable, places: NDArray[np.int64]) -> str:
    """Say whom released records resemble: "own", "others" or "undecided".

    * "own": the pairs' resemblance is 3 standard deviations above that of a random pairing, or
      every record resembles its own more than any other.
    * "undecided": otherwise, and no pairing has a greater sum. So it is where all released records
      are equal.
    * "others": another pairing fits better, as it does where ids were dealt out anew.

    ``places``, int64 (n_records,), is where each original record is in the release, or -1. At most
    500 pairs, spread over the data, are compared.
    """
    present = np.flatnonzero(places >= 0)
    if len(present) < 2:
        return "own"
    present = present[
        np.linspace(0, len(present) - 1, min(len(present), _RECORDS)).astype(np.int64)
    ]
    sums = _resemblances(original, present, release, places[present])
    m, diagonal = len(sums), np.diagonal(sums)
    rows, columns = sums.mean(axis=1, keepdims=True), sums.mean(axis=0, keepdims=True)
    apart = sums - rows - columns + sums.mean()
    deviation = math.sqrt(float((apart**2).sum()) / (m - 1))
    if deviation > 1e-9 * max(1.0, float(sums.max())):
        if (float(diagonal.sum()) - m * float(sums.mean())) / deviation >= _DEVIATIONS:
            return "own"
        others = sums - np.diag(np.full(m, np.inf))
        if np.all(diagonal[:, None] > others):
            return "own"
        from scipy.optimize import linear_sum_assignment

        first, second = linear_sum_assignment(sums, maximize=True)
        if float(sums[first, second].sum()) > float(diagonal.sum()):
            return "others"
    return "undecided"


def _resemblances(
    original: RatingTable,
    records: NDArray[np.int64],
    release: RatingTable,
    released: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the resemblance of each of ``records`` with each of ``released``, float64 (m, m)."""
    from scipy.sparse import csr_array

    position = {issue: number for number, issue in enumerate(release.issues)}
    parts = []
    for table in (original.take(records), release.take(released)):
        owner = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
        issues = np.array([position.get(name, -1) for name in table.issues], dtype=np.int64)[
            table.indices
        ]
        shared = issues >= 0
        parts.append((owner[shared], issues[shared], table.values[shared]))
    levels = np.unique(np.concatenate([ratings for *_, ratings in parts]))
    m = len(records)
    total = np.zeros((m, m))
    for exact in (False, True):
        sides = []
        for owner, issues, ratings in parts:
            keys = issues * len(levels) + np.searchsorted(levels, ratings) if exact else issues
            width = release.n_issues * (len(levels) if exact else 1)
            sides.append(csr_array((np.ones(len(owner)), (owner, keys)), shape=(m, width)))
        total += (sides[0] @ sides[1].T).toarray()
    return total
