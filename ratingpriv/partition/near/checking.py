"""Whether groups that were made elsewhere are cliques of k of these data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.made import NULLS, comparing_rule
from ratingpriv.partition.verifying import verify

_REMEDY = "make them anew from these data"


def check_groups(
    table: RatingTable, labels: NDArray[np.int64], k: int, epsilon: float, nulls: str = "exchange"
) -> Groups:
    """Return the groups of ``labels``, int64 (n,), -1: left out;
    ParameterError where they are none of these.

    Each shall have at least ``k`` records of which any two are near, by the rule of
    :func:`ratingpriv.partition.near_groups`; nobody shall be left out, or at least ``k``.
    """
    target = Target(k=k, epsilon=epsilon)
    rule = comparing_rule(checks.choice("nulls", nulls, NULLS))
    labels = np.asarray(labels)
    if labels.shape != (table.n_records,) or labels.dtype.kind not in "iu":
        actual = f"{labels.dtype} of shape {labels.shape}"
        raise ParameterError(
            "labels", actual, f"a whole number for each of {table.n_records} records", _REMEDY
        )
    groups = Groups.of_labels(labels.astype(np.int64))
    if groups.count == 0:
        raise ParameterError(
            "labels", "no groups", f"groups of at least {target.k} records", _REMEDY
        )
    verification = verify(table, groups, target.k, target.epsilon, nulls=rule)
    if not verification.valid:
        problems = "; ".join(verification.problems)
        raise ParameterError("labels", problems, f"cliques of at least {target.k} records", _REMEDY)
    out = len(groups.unplaced)
    if 0 < out < target.k:
        expected = (
            f"no record suppressed, or at least {target.k}: fewer can be inferred from "
            "what is missing"
        )
        raise ParameterError("labels", f"{out} records suppressed", expected, _REMEDY)
    return groups
