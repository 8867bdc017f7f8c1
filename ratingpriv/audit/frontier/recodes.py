"""Which recodes of the quasi-identifiers reach k, at which ε and at which loss: all of a small lattice.

A node says on which level of generalisation each quasi-identifier is. A coarser node merges values and so
never makes a neighbourhood smaller, whatever ε and the null rule: the smallest ε of a node is at most that of
each finer one, and where a node has the smallest possible ε, so has every coarser one [as the generalisation
lattices of Samarati 2001 and LeFevre et al. 2005]. Every node that is named is confirmed by the engine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.recoding import Levels
from ratingpriv.data.table import RatingTable

MOST_NODES = 1000
"""So many nodes are searched at most; each is a frontier of its own."""


@dataclass(frozen=True, slots=True)
class RecodedNode:
    """A choice of levels that reaches k, such that no finer one does at the same ε or a smaller one."""

    levels: tuple[int, ...]  # of each column, 0: as it is
    epsilon: float  # the smallest at which k is reached and anything is protected
    values: tuple[int, ...]  # how many different ones each column has on its level


@dataclass(frozen=True, slots=True)
class Recodes:
    """What recodes of the quasi-identifiers that have levels reach."""

    columns: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]  # how each is recoded on each level; empty: as it is
    values: tuple[tuple[int, ...], ...]  # how many different ones each has on each level
    nodes: tuple[RecodedNode, ...]  # minimal: no other has levels all as fine or finer, and an ε as small
    searched: int  # how many nodes there are

    def height(self, node: RecodedNode) -> Fraction:
        """Return the generalisation height: the levels climbed, of all there are; 0: as it is."""
        return Fraction(sum(node.levels), sum(len(words) - 1 for words in self.words))

    def lost(self, node: RecodedNode) -> Fraction:
        """Return the share of different values lost, the mean over the columns."""
        shares = [
            Fraction(of[0] - left, of[0]) if of[0] else Fraction(0)
            for of, left in zip(self.values, node.values, strict=True)
        ]
        return sum(shares, Fraction(0)) / len(shares)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the JSON contracts have it; a share is given as a number and exactly."""
        return {
            "columns": [
                {
                    "name": name,
                    "levels": [{"recoded": word, "values": n} for word, n in zip(words, of, strict=True)],
                }
                for name, words, of in zip(self.columns, self.words, self.values, strict=True)
            ],
            "searched": self.searched,
            "nodes": [
                {
                    "levels": dict(zip(self.columns, node.levels, strict=True)),
                    "epsilon": node.epsilon,
                    "values": dict(zip(self.columns, node.values, strict=True)),
                    "height": _share(self.height(node)),
                    "values_lost": _share(self.lost(node)),
                }
                for node in self.nodes
            ],
        }


def search_recodes(
    table: RatingTable,
    levels: Sequence[Levels],
    smallest: Callable[[RatingTable], float | None],
    *,
    least: float = 0.0,
) -> Recodes:
    """Return every minimal node of the lattice that reaches k, finest first.

    ``smallest`` gives the smallest ε, ``least`` or more, at which a table reaches k; None: at none.
    """
    sizes = [len(column.columns) for column in levels]
    if not levels:
        expected = "a quasi-identifier with a hierarchy (map) or bands in the codebook"
        raise ParameterError("recode", "no levels", expected)
    if math.prod(sizes) > MOST_NODES:
        raise ParameterError(
            "recode",
            f"{math.prod(sizes)} combinations of levels",
            f"at most {MOST_NODES}",
            "leave levels out of the hierarchies, or bands",
        )
    values = tuple(column.values for column in levels)
    epsilons: dict[tuple[int, ...], float | None] = {}
    nodes: list[RecodedNode] = []
    every = sorted(itertools.product(*map(range, sizes)), key=lambda node: (sum(node), node))
    for node in every:
        finer = [(*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node) if level > 0]
        reached = [value for one in finer if (value := epsilons[one]) is not None]
        if least in reached:  # a finer node has it already, and no recode has a smaller one
            epsilons[node] = least
            continue
        chosen = {one.name: one.columns[level] for one, level in zip(levels, node, strict=True)}
        recoded = table.replace(quasi=tuple(chosen.get(column.name, column) for column in table.quasi))
        epsilon = epsilons[node] = smallest(recoded)
        if epsilon is not None and (not reached or epsilon < min(reached)):
            counts = tuple(of[level] for of, level in zip(values, node, strict=True))
            nodes.append(RecodedNode(node, epsilon, counts))
    return Recodes(
        columns=tuple(column.name for column in levels),
        words=tuple(column.words for column in levels),
        values=values,
        nodes=tuple(nodes),
        searched=len(every),
    )


def _share(share: Fraction) -> dict[str, Any]:
    return {"share": float(share), "of": [share.numerator, share.denominator]}
