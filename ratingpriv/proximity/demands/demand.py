"""What a demand on the values of sensitive issues is, in whatever holds a set of records to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.counts import Counting, SensitiveCounts, Whole

type Possible = Callable[[str, NDArray[np.int64], float], None]
"""Takes an issue's name, how often each of its values occurs in all records, and what is asked of
groups.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedDemand:
    """A demand that is judged by how often known values occur in a neighbourhood, or in a group.

    Attributes
    ----------
    name : the parameter, as Python and the JSON contracts have it; how options ask for it stands
        there, too
    checked : returns its value in its type; ParameterError where it is out of range
    nothing : the value that no data could fail: one value alone meets it
    met : of counts and a value, bool (n,): who meets it, exactly; who knows no value does
    refuse_impossible : ParameterError where no groups of all records could meet it
    best : takes a :class:`ratingpriv.audit.inference.Inference`, and returns the strictest value
        that holds
    best_key : what that is called in ``ratingpriv.audit/1``
    limit : of a value the largest share of one value that it allows; None where it allows any
    idle_on : whether nothing that is known of an issue could fail a value; None: one answer alone
        could
    query : the parameter by which Cypher queries ask for it, and the value that is usual there;
        None: none asks
    counting : of a value what has to be decided while values are counted; None: it needs no more
        than counts
    """

    name: str
    checked: Callable[[object], float]
    nothing: float
    met: Callable[[SensitiveCounts, float], NDArray[np.bool_]]
    refuse_impossible: Possible
    best: Callable[[Any], float | None]
    best_key: Literal["smallest", "largest"]
    limit: Callable[[float], Fraction] | None = None
    idle_on: Callable[[Whole, float], bool] | None = None
    counting: Callable[[float], Counting] | None = None
    query: tuple[str, float] | None = None
