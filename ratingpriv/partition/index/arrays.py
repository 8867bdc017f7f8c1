"""The arrays that the kernels of this package work on, by name.

An *item* is a record, or a clique that others may join. Its *fields* are codes of ratings, packed
into 64-bit words: each field has a guard bit above it, so that one subtraction compares all fields
of a word. A *tree* has up to 64 items under a node, so that a node's children are the bits of one
word. There is one tree for each group of records that can be proximate at all (a Hamming group, or
everybody where nulls never separate).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.arrays import Ints as Ints
from ratingpriv.proximity.arrays import Words as Words

MOST_WORDS = 16
"""Words of an item at most; issues beyond are compared rating by rating."""


class Rows(NamedTuple):
    """Ratings by record, and what is proximate with what, by code."""

    indptr: Ints  # (n_records + 1,)
    indices: NDArray[np.int32]  # (n_ratings,) issue
    codes: NDArray[np.uint32]  # (n_ratings,)
    # compared records share their support: a place is an entry of the row, else an issue
    aligned: bool
    low: NDArray[np.int32]  # (n_levels,) codes low..high are proximate
    high: NDArray[np.int32]
    numbers: NDArray[np.float64]  # (n_levels,) the levels times ``scale``
    scale: float
    null: float  # the distance between a null and a rating
    support: Ints  # (n_records,) equal where supports are


class Fields(NamedTuple):
    """Where each rating is packed."""

    bits: int  # of a field, the guard included
    top: int  # the largest code that a field holds: what an unrated issue has as its upper end
    guard: Words  # (1,) every guard bit
    width: Ints  # (n_trees,) places of a row
    packed: Ints  # (n_trees,) how many of them are packed
    at: Ints  # (n_trees,) first place in ``place``
    place: NDArray[np.int32]  # the place that is packed first, second, ...
    rank: NDArray[np.int32]  # and when each place is packed


class Forest(NamedTuple):
    """Trees of items.

    A node matches if upper >= the question's low and lower <= its high, in every field.

    Word w of item i of tree t is at ``at0[t] + w * size0[t] + i``; the same for nodes of levels 1
    and 2.
    """

    first: Ints  # (n_trees,) the first item of a tree
    size0: Ints
    size1: Ints
    size2: Ints
    words: Ints  # (n_trees,)
    at0: Ints
    at1: Ints
    at2: Ints
    upper0: Words
    lower0: Words  # the same array as ``upper0`` where items are points
    upper1: Words
    lower1: Words
    upper2: Words
    lower2: Words
    node1: Ints  # (n_trees,) the tree's first node in ``live0``
    node2: Ints  # (n_trees,) and in ``live1``
    live0: Words  # one word for each node of level 1: which of its items are to be found
    live1: Words  # one word for each node of level 2: which of its nodes have such items


class Sequence(NamedTuple):
    """The items of each tree once more, by position, to find the first that matches.

    A *plane* is a set of items: those whose code at a place is c or more, for each place and each c
    > 0. They are kept by chunks of 512 items, whose sets are rows of eight words: row
    ``plane_at[t] + chunk * planes + rank * (levels - 1) + c - 1``, where a tree has ``planes`` =
    width * (levels - 1) of them, and ``rank`` is that of the place in the order of packing: the
    most telling ones are side by side.
    """

    planes: Words  # (n_rows, 8)
    plane_at: Ints  # (n_trees,) the tree's first row
    live: Words  # (n_chunks, 8) which items are to be found
    chunk_at: Ints  # (n_trees,) the tree's first row in ``live``
    place: Ints  # (n_items,) rank by position within the tree
    item: Ints  # (n_items,) the item of each rank, a tree's from ``first`` on
    # (n_radii, 2, n_levels) codes within each distance, ascending; none: no use
    radius: NDArray[np.int32]
    # (n_trees,) whether to search radius by radius: whether there are planes
    by_radius: NDArray[np.bool_]
    twins: NDArray[np.bool_]  # (n_items,) whether an item may have another one like it
    # where distances are measured: 1 nearest first, -1 farthest first, 0 in order of position
    sign: int


class Index(NamedTuple):
    """A table laid out: its records as items of trees."""

    rows: Rows
    fields: Fields
    forest: Forest
    sequence: Sequence
    record: Ints  # (n_items,)
    tree: Ints  # (n_items,)
    places: int  # the most of a row

    @property
    def scanned(self) -> bool:
        """Whether all items are scanned in order of position."""
        return bool(self.sequence.by_radius.all())

    def space(self, n_sensitive: int) -> Space:
        """Return the working memory of one thread, for so many sensitive issues."""
        places, most = self.places, int(self.forest.size0.max(initial=1))
        return Space(
            lowest=np.zeros(places, dtype=np.int32),
            highest=np.full(places, self.fields.top, dtype=np.int32),
            near=np.zeros((2, places), dtype=np.int32),
            low=np.zeros(MOST_WORDS, dtype=np.uint64),
            high=np.zeros(MOST_WORDS, dtype=np.uint64),
            which=np.zeros(2 * places, dtype=np.int64),
            flips=np.zeros(2 * places, dtype=np.uint64),
            chunk=np.zeros((1, 8), dtype=np.uint64),
            marks=np.zeros(most // 64 + 1, dtype=np.uint64),
            marked=np.zeros(most // 4096 + 1, dtype=np.uint64),
            pick=np.zeros(most, dtype=np.int64),
            found=np.zeros(most, dtype=np.int64),
            far=np.zeros(most, dtype=np.float64),
            taken=np.zeros(len(self.record), dtype=np.uint8),
            sums=np.zeros((n_sensitive, 3), dtype=np.float64),
            lent=np.zeros(most, dtype=np.int64),
        )

    def fresh(self) -> Index:
        """Return the same, of which anybody can be hidden without a trace here."""
        forest, sequence = self.forest, self.sequence
        return self._replace(
            forest=forest._replace(live0=forest.live0.copy(), live1=forest.live1.copy()),
            sequence=sequence._replace(live=sequence.live.copy()),
        )

    def by_position(self) -> Index:
        """Return the same, candidates of a seed being taken in order of position."""
        return self._replace(
            sequence=self.sequence._replace(radius=self.sequence.radius[-1:], sign=0)
        )

    def farthest_first(self) -> Index:
        """Return the same, the farthest candidates of a seed being taken first."""
        return self._replace(
            sequence=self.sequence._replace(radius=self.sequence.radius[:0], sign=-1)
        )


class Candidates(NamedTuple):
    """Who is within reach of seeds, where that was listed ahead: by record of the seed."""

    begin: Ints  # (n_records,) where a list begins, -1 where there is none; or no rows: no lists
    end: Ints
    near: NDArray[np.int32]  # records, in any order
    item: Ints  # (n_records,) the item of a record; no rows: they have the same numbers


class Sensitive(NamedTuple):
    """Sensitive ratings, and the SD that a group needs; no rows without an l."""

    known: NDArray[np.bool_]  # (n_columns, n_records)
    numbers: NDArray[np.float64]  # (n_columns, n_records) 0 where null
    shift: NDArray[np.float64]  # (n_columns,)
    needed: NDArray[np.float64]  # (n_columns,) the variance
    ignore: bool  # whether nulls are left out


class Space(NamedTuple):
    """Working memory of a thread.

    ``lowest`` and ``highest`` come and go without limits, ``taken`` empty.
    """

    lowest: NDArray[np.int32]  # (most places,) codes that are within reach of all that are picked
    highest: NDArray[np.int32]
    near: NDArray[np.int32]  # (2, most places) codes within the present radius of the seed
    low: Words  # (MOST_WORDS,) the same, packed
    high: Words
    which: Ints  # (2 * most places,) the same as planes to be in, most telling first
    flips: Words  # (2 * most places,) all bits where an item must not be in the plane
    chunk: Words  # (1, 8) items of a chunk
    marks: Words  # (most items of a tree / 64,) candidates of a seed
    marked: Words  # which words of these have any
    pick: Ints  # (most items of a tree,) items picked, the seed first
    found: Ints  # (most items of a tree,)
    far: NDArray[np.float64]  # (most items of a tree,)
    taken: NDArray[np.uint8]  # (n_items,)
    sums: NDArray[np.float64]  # (n_columns, 3) Q, sum, squares of what is picked
    lent: Ints  # (most items of a tree,) cliques that what is picked comes from


class Task(NamedTuple):
    """What has been grouped so far; shared by all threads, changed by one.

    Cliques are numbered as made.
    """

    k: int  # members that a clique needs
    most: int  # and that it grows to
    sensitive: Sensitive
    record: Ints  # (n_items,)
    tree: Ints  # (n_items,)
    label: Ints  # (n_items,) clique or -1
    size: Ints  # (most cliques,)
    spare: Ints  # (most cliques,) members that a clique can do without
    # (most cliques, n_columns, 3) Q, sum, squares of its sensitive ratings
    sums: NDArray[np.float64]


class Cliques(NamedTuple):
    """Cliques as items of a Forest: upper is the least code of each issue, lower the largest."""

    number: Ints  # (n_items,) in order of making
    support: Ints  # (n_items,) that of all members, or -1
    at: Ints  # (n_items,) the first place of an item in ``least`` and ``most``
    least: NDArray[np.int32]  # codes of the members, by place; the largest int32 where nobody rates
    most: NDArray[np.int32]  # -1 where nobody rates
