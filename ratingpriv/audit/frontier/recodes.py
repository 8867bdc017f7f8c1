"""Which recodes of the quasi-identifiers reach k, at which ε and at which loss:
all of a small lattice.

A node says on which level of generalisation each quasi-identifier is. A coarser node merges values
and so never makes a neighbourhood smaller, whatever ε and the null rule: the smallest ε of a node
is at most that of each finer one, and where a node has the smallest possible ε, so has every
coarser one [as the generalisation lattices of Samarati 2001 and LeFevre et al. 2005]. Every node
that is named is confirmed by the engine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.recoding import Levels
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.frontier import RecodedColumn, RecodeLevel, RecodeNode, Recodes, ShareOf

MOST_NODES = 1000
"""So many nodes are searched at most; each is a frontier of its own."""


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
    names = [column.name for column in levels]
    epsilons: dict[tuple[int, ...], float | None] = {}
    nodes: list[RecodeNode] = []
    every = sorted(itertools.product(*map(range, sizes)), key=lambda node: (sum(node), node))
    for node in every:
        finer = [
            (*node[:item], level - 1, *node[item + 1 :])
            for item, level in enumerate(node)
            if level > 0
        ]
        reached = [value for one in finer if (value := epsilons[one]) is not None]
        if least in reached:  # a finer node has it already, and no recode has a smaller one
            epsilons[node] = least
            continue
        chosen = {one.name: one.columns[level] for one, level in zip(levels, node, strict=True)}
        recoded = table.replace(
            quasi=tuple(chosen.get(column.name, column) for column in table.quasi)
        )
        epsilon = epsilons[node] = smallest(recoded)
        if epsilon is not None and (not reached or epsilon < min(reached)):
            counts = [column.values[level] for column, level in zip(levels, node, strict=True)]
            lost = [
                Fraction(column.values[0] - left, column.values[0])
                if column.values[0]
                else Fraction(0)
                for column, left in zip(levels, counts, strict=True)
            ]
            nodes.append(
                RecodeNode(
                    levels=dict(zip(names, node, strict=True)),
                    epsilon=epsilon,
                    values=dict(zip(names, counts, strict=True)),
                    height=_share(Fraction(sum(node), sum(sizes) - len(sizes))),
                    values_lost=_share(sum(lost, Fraction(0)) / len(lost)),
                )
            )
    columns = [
        RecodedColumn(
            one.name, [RecodeLevel(*level) for level in zip(one.words, one.values, strict=True)]
        )
        for one in levels
    ]
    return Recodes(columns, len(every), nodes)


def _share(share: Fraction) -> ShareOf:
    return ShareOf(float(share), (share.numerator, share.denominator))
