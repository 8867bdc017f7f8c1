"""The groups of records that may be in one: grown, filled up, improved;
and which of two ways is the better.

1. GROW: farthest from the mean first, each free record takes those nearest to its group's mean that
   keep it a clique, until they are k. From 20,000 records on, in the blocks of a k-d tree.
2. PLACE: who is left joins the group whose scatter it raises least; or makes a group with what
   groups of more than k can spare; or takes the place of somebody who fits another group. Groups of
   2k are split.
3. EXCHANGE: two members of near groups change places, or one moves, as long as that lessens the
   scatter.

Where somebody is left out, the plain way (nearest to the seed, not to the mean) is tried, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import suited
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.near import _exchanging, _growing, _placing
from ratingpriv.partition.near.arrays import Answers, Asked, Codes, Ints, Space, State

_BLOCKS_FROM = 20_000  # records
_BLOCK = 512
_NEAREST = 32  # groups that a record is exchanged with
_TURNS = 12  # of exchanges
_LEAF = 64  # groups that are compared one by one, where there are many columns
_ANEW = (2, 5)  # turns before which near groups are looked for again
_WORTH = 0.002  # of the records must change for another turn
_BORROWED = 4096  # records that lend to each other, in blocks
_ROUNDS = 3  # of borrowing and taking places
_PROMISING = 1.1  # times those left by the other way: a way that leaves more is given up
_WORTHY = 0.01  # of those left must find a place for another round
_SEARCHED = 1 << 29  # pairs of one left and one placed that are looked at, to change places
_LONG = 20_000  # cells times k, from which on compiled code is worth its loading
_MOMENT = 0.1  # seconds between two checks for Ctrl-C, about


@dataclass(slots=True)
class Making:
    """Groups in the making, of records that are all of one class."""

    answers: Answers
    asked: Asked
    resources: Resources
    state: State
    space: Space
    long: bool
    centred: bool
    count: int = 0

    @classmethod
    def of(
        cls, answers: Answers, asked: Asked, of: int, resources: Resources, *, centred: bool = True
    ) -> Making:
        """Begin, with nobody in a group; ``of``: how many records are grouped in all."""
        n, p = answers.codes.shape
        w = answers.held.shape[1]
        state, space = State.empty(n, p, w, asked.k, asked.most), Space.of(asked, n, p, w)
        return cls(answers, asked, resources, state, space, of * p * asked.k > _LONG, centred)

    @property
    def left(self) -> Ints:
        """Who is in no group."""
        return np.flatnonzero(self.state.label < 0)

    def grow(self) -> None:
        """Grow groups in every block, farthest first."""
        away = (self.answers.numbers**2).sum(axis=1)
        for pool in self._blocks(_BLOCK):
            seeds = pool[np.argsort(-away[pool], kind="stable")]
            self._grow_from(seeds, pool, lent=False)

    def join(self) -> int:
        """Let who is left join a group; return how many are left then."""
        self._each(_placing.join, "joining groups")
        return len(self.left)

    def _blocks(self, most: int) -> list[Ints]:
        """Return all records, or where they are many those of each block of at most so many."""
        n = len(self.state.label)
        return blocks(self.answers.numbers, most if n >= _BLOCKS_FROM else n)

    def _grow_from(self, seeds: Ints, pool: Ints, *, lent: bool) -> int:
        before = self.count

        def kernel(some: Ints) -> int:
            arrays = (self.answers, self.asked, self.state, self.space)
            free = pool if lent else pool[self.state.label[pool] < 0]
            self.count = self._call(
                _growing.grow, some, free, lent, self.centred, self.count, *arrays
            )
            return self.count

        self._in_steps(seeds, kernel, "making groups")
        return self.count - before

    def place(self) -> None:
        """Find places for who is left, as far as there are any; and split large groups."""
        pools = self._blocks(_BORROWED)
        for _ in range(_ROUNDS):
            left = len(self.left)
            if left == 0 or self.count == 0:
                break
            for pool in pools:
                self._grow_from(pool[self.state.label[pool] < 0], pool, lent=True)
            self._each(_placing.join, "joining groups")
            if len(self.left) * len(self.state.label) < _SEARCHED:
                self._each(_placing.replace, "changing places")
            if left - len(self.left) < _WORTHY * left:
                break
        arrays = (self.answers, self.asked, self.state, self.space)
        self.count = self._call(_placing.split, 0, self.count, *arrays)

    def improve(self) -> None:
        """Lessen the scatter by exchanges between near groups,
        and let who is left join what has changed.
        """
        self.exchange()
        if self._each(_placing.join, "joining groups"):
            self.exchange()

    def exchange(self) -> None:
        """Let members of near groups change places until few do."""
        if self.count < 2 or self.answers.codes.shape[1] == 0:
            return
        complete = bool((self.answers.codes >= 0).all())
        arrays = (self.answers, self.asked, self.state, self.space)
        self.state.turn[:] = 0
        nearest = self.nearest()
        for turn in range(1, _TURNS + 1):
            anew = turn in _ANEW
            nearest = self.nearest() if anew else nearest
            since = 0 if anew else turn - 1
            members = np.flatnonzero(self.state.label >= 0)
            order = members[np.argsort(self.state.label[members], kind="stable")]

            def kernel(
                some: Ints, before: tuple[Any, ...] = (nearest, turn, since, complete)
            ) -> int:
                return self._call(_exchanging.exchange, some, *before, *arrays)

            if self._in_steps(order, kernel, "improving groups") < _WORTH * len(members):
                break

    def nearest(self) -> Codes:
        """Return the nearest other groups of each, by their means; -1 where there are no more."""
        from scipy.spatial import cKDTree

        means = self.state.means[: self.count]
        many = min(_NEAREST + 1, self.count)
        tree, neighbours = (
            cKDTree(means, leafsize=_LEAF),
            np.empty((self.count, many), dtype=np.int64),
        )

        def look(some: Ints) -> int:
            neighbours[some] = tree.query(means[some], k=many)[1].reshape(len(some), many)
            return len(some)

        self._in_steps(np.arange(self.count), look, "comparing groups")
        is_itself = neighbours == np.arange(self.count)[:, None]
        is_itself[~is_itself.any(axis=1), -1] = True  # equal means: it may not be among the nearest
        nearest: Codes = neighbours[~is_itself].reshape(self.count, many - 1).astype(np.int32)
        return nearest

    def _each(self, kernel: Callable[..., int], what: str) -> int:
        """Let everybody who is left try; return how many found a place."""
        if self.count == 0:
            return 0
        arrays = (self.count, self.answers, self.asked, self.state, self.space)
        return self._in_steps(self.left, lambda some: self._call(kernel, some, *arrays), what)

    def _call(self, kernel: Any, *arguments: Any) -> int:
        """Call a kernel in the form that is the cheaper one for so many records."""
        return int(suited(kernel, long=self.long)(*arguments))

    def _in_steps(self, records: Ints, kernel: Callable[[Ints], int], what: str) -> int:
        """Call a kernel for some records after others, in moments.

        Return the sum of what it says.
        """
        done, step, total = 0, 8, 0
        while done < len(records):
            start = time.perf_counter()
            total += kernel(records[done : done + step])
            done += step
            spent = time.perf_counter() - start
            step = (
                max(1, step // 4) if spent > 2 * _MOMENT else 2 * step if spent < _MOMENT else step
            )
            self.resources.report(what, min(done, len(records)), len(records))
        return total


def make_groups(
    answers: Answers, asked: Asked, of: int, resources: Resources, *, give_up_beyond: float = np.inf
) -> Ints | int:
    """Return the group of each record, -1 where it is in none.

    They are some ``of`` so many records.

    ``give_up_beyond``: where more are in no group once groups are grown, how many, and that is all.
    """
    best = Making.of(answers, asked, of, resources)
    best.grow()
    left = best.join()
    if left > give_up_beyond:
        return left
    best.place()
    if len(best.left):
        plain = Making.of(answers, asked, of, resources, centred=False)
        plain.grow()
        if plain.join() <= _PROMISING * left:
            plain.place()
        best = min(best, plain, key=lambda making: len(making.left))
    best.improve()
    return best.state.label


def blocks(numbers: Any, most: int) -> list[Ints]:
    """Return the leaves of a k-d tree, at most so many records each, positions ascending.

    It halves them.
    """
    waiting, leaves = [np.arange(len(numbers))], []
    while waiting:
        records = waiting.pop()
        if len(records) <= most:
            leaves.append(np.sort(records))
            continue
        numbers_of_records = numbers[records]
        order = records[
            np.argsort(
                numbers_of_records[:, numbers_of_records.var(axis=0).argmax()], kind="stable"
            )
        ]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return leaves
