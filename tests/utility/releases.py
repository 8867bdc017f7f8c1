"""Random originals with a release on the same issues, and the same tables in another order."""

import numpy as np
from golden.tables import build
from hypothesis import strategies as st
from properties.strategies import tables, without_ratings

from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.pair import Pair, pair_of

__all__ = ["ONE", "drawn", "originals_and_releases", "paired", "reordered"]

ONE = Resources(threads=1)


def drawn(rng, m, n, density=0.7, values=None):
    """Rows of ratings 1..5, or of ``values``, None where not rated."""
    rated = rng.random((m, n)) < density
    values = rng.integers(1, 6, (m, n)) if values is None else values
    cells = np.where(rated, values.astype(object), None).tolist()
    return [[None if cell is None else float(cell) for cell in row] for row in cells]


def paired(original, release=None, pairing=None):
    """An original and its release by a key; in the same order unless it is said otherwise."""
    positions = np.arange(original.n_records) if pairing is None else np.array(pairing)
    return Pair(
        original, original if release is None else release, positions.astype(np.int64), "key"
    )


@st.composite
def originals_and_releases(draw, most_records=8, most_issues=4, most_sensitive=2):
    """A table and any other of the same issues, with ratings that need be none of its levels."""
    original = draw(tables(most_records, most_issues, most_sensitive))
    cell = st.one_of(st.none(), st.sampled_from([0, 1, 2, 2.5, -3.5, 0.15]))
    p, q = original.n_issues, len(original.sensitive)
    rows = draw(
        st.lists(
            st.lists(cell, min_size=p + q, max_size=p + q), min_size=1, max_size=original.n_records
        )
    )
    columns = [[row[p + j] for row in rows] for j in range(q)]
    return original, build([row[:p] for row in rows], columns, issues=p)


def reordered(table, seed):
    """The same records and issues in another order."""
    rng = np.random.default_rng(seed)
    names = [table.issues[at] for at in rng.permutation(table.n_issues)]
    order = rng.permutation(table.n_records)
    frame = without_ratings(table).replace(issues=tuple(names), sensitive=())
    return pair_of(frame, table.take(order)).release
