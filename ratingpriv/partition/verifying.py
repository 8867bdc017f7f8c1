"""Whether groups are what a k-decomposition promises: cliques,
large and diverse enough [SWLP10, §4.3].

A set is a clique of the proximity graph iff its range is at most ε on every issue and, where a null
separates, all rate the same issues: L∞ balls have the Helly property. One pass over the ratings, no
edges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.amounts import label_moments, measure
from ratingpriv.proximity.arrays import Ints, Rows
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes, near_codes
from ratingpriv.proximity.levels import null_separates

_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """What :func:`verify` found.

    Attributes
    ----------
    valid : whether every group is a clique of at least k records and, with an l, diverse enough.
        Records in no group do not count against it
    sd : for each sensitive issue its SD over each group; +inf where nothing is known
    diverse : whether the SD is at least l on every sensitive issue; all True without l
    problems : what is wrong, in sentences; the first few of each kind
    """

    valid: bool
    cliques: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    sd: Mapping[str, NDArray[np.float64]]
    diverse: NDArray[np.bool_]
    unplaced: int
    problems: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        """Whether it is valid."""
        return self.valid

    @property
    def min_size(self) -> int | None:
        """The size of the smallest group; None without groups."""
        return int(self.sizes.min()) if len(self.sizes) else None

    @property
    def max_size(self) -> int | None:
        """The size of the largest group; None without groups."""
        return int(self.sizes.max()) if len(self.sizes) else None

    @property
    def min_sd(self) -> dict[str, float | None]:
        """For each sensitive issue the least SD of a group.

        None where no group has a known rating.
        """
        least = {name: float(sd.min(initial=math.inf)) for name, sd in self.sd.items()}
        return {name: sd if math.isfinite(sd) else None for name, sd in least.items()}


def verify(
    table: RatingTable,
    groups: Groups,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741
    *,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
) -> Verification:
    """Test ``groups`` against the definition, in O(ratings): no pairs are compared.

    None for l: any SD.
    """
    target = Target(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    if len(groups.labels) != table.n_records:
        raise ParameterError("groups", len(groups.labels), f"labels of {table.n_records} records")
    # no records and no groups are valid
    numeric = bool(table.numeric_sensitive)
    target.check_data(max(table.n_records, 1), sensitive=bool(table.sensitive), numeric=numeric)
    sizes = groups.sizes
    members, bounds = groups.arranged()
    cliques = np.ones(groups.count, dtype=np.bool_)
    compared = comparison_table(table, target.epsilon, target.nulls)
    rows = Rows(compared.indptr, compared.indices, compared.codes, False)
    high, room = (
        near_codes(compared, target.epsilon)[1],
        np.zeros((3, compared.n_issues), dtype=np.int64),
    )
    separates = null_separates(table.scale, target.epsilon, target.nulls)
    _find_cliques(members, bounds, rows, high, separates, room, cliques)
    classes = equal_classes(compared.quasi)
    if classes is not None and groups.count:
        of = classes[members]
        cliques &= np.minimum.reduceat(of, bounds[:-1]) == np.maximum.reduceat(of, bounds[:-1])
    sd, diverse = {}, np.ones(groups.count, dtype=np.bool_)
    for column in table.numeric_sensitive:
        moments = label_moments(measure(column), groups.labels, groups.count)
        sd[column.name] = moments.sd(sizes, target.sensitive_nulls)
        if target.l is not None:
            diverse &= moments.at_least(target.l, sizes, target.sensitive_nulls)
    problems = [
        *_problems(groups, ~cliques, f"records that are not {in_full(target.epsilon)}-proximate"),
        *_problems(groups, sizes < target.k, f"fewer than {target.k} records"),
        *_problems(groups, ~diverse, f"an SD below {target.l} on a sensitive item"),
    ]
    return Verification(
        not problems, cliques, sizes, sd, diverse, len(groups.unplaced), tuple(problems)
    )


@kernel
def _find_cliques(
    members: Ints,
    bounds: Ints,
    rows: Rows,
    high: Ints,
    separates: bool,
    room: Ints,
    cliques: NDArray[np.bool_],
) -> None:
    """Write whether each group is a clique: on every issue its largest
    code is within reach of its least.

    ``high``: the largest code proximate to each; ``separates``: all members must rate the same
    issues. ``room``, int64 (3, n_issues), is working memory; its last row comes and goes empty.
    """
    indptr, indices, codes = rows.indptr, rows.indices, rows.codes
    least, most, raters = room[0], room[1], room[2]
    for g in range(len(cliques)):
        size = bounds[g + 1] - bounds[g]
        for m in range(bounds[g], bounds[g + 1]):
            for entry in range(indptr[members[m]], indptr[members[m] + 1]):
                issue, code = indices[entry], np.int64(codes[entry])
                if raters[issue] == 0:
                    least[issue], most[issue] = code, code
                elif code < least[issue]:
                    least[issue] = code
                elif code > most[issue]:
                    most[issue] = code
                raters[issue] += 1
        clique = True
        for m in range(bounds[g], bounds[g + 1]):
            for entry in range(indptr[members[m]], indptr[members[m] + 1]):
                issue = indices[entry]
                if raters[issue] == 0:
                    continue  # seen with an earlier member
                if most[issue] > high[least[issue]] or (separates and raters[issue] != size):
                    clique = False
                raters[issue] = 0
        cliques[g] = clique


def _problems(groups: Groups, broken: NDArray[np.bool_], what: str) -> list[str]:
    """Say which groups have ``what``, by number and by where in the
    data their first record is, from 1.
    """
    numbers = np.flatnonzero(broken).tolist()
    sentences = [
        f"group {g} (with record no. {int(np.argmax(groups.labels == g)) + 1}) has {what}"
        for g in numbers[:_NAMED]
    ]
    if len(numbers) > _NAMED:
        sentences.append(f"{len(numbers) - _NAMED} more groups have {what}")
    return sentences
