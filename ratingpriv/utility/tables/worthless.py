"""The worthless release: as many ratings in the same places, and nothing in them but each issue's own mix.

What a measure says of it is what "useless" looks like: without that nobody can tell 0.75 from nothing.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

__all__ = ["worthless"]


def worthless(original: RatingTable, rng: np.random.Generator) -> RatingTable:
    """Return the release in which every rating is a random draw from the issue's own ratings [ours].

    Sensitive ratings and quasi-identifiers too, as their counts are asked for beside those of ratings. Who
    answered what stays as it is, as do record ids and carried columns. Draws are independent, with
    replacement.
    """
    order = np.argsort(original.indices, kind="stable")
    counts = np.bincount(original.indices, minlength=original.n_issues)
    codes = original.codes.copy()
    codes[order] = original.codes[order][_drawn(counts, rng)]
    sensitive = []
    for column in original.sensitive:
        own = column.values[column.present]
        values = column.values.copy()
        values[column.present] = own[_drawn(np.array([len(own)]), rng)]
        sensitive.append(dataclasses.replace(column, values=values))
    quasi = []
    for attribute in original.quasi:
        known = attribute.codes >= 0
        places = attribute.codes.copy()
        places[known] = places[known][_drawn(np.array([np.count_nonzero(known)]), rng)]
        quasi.append(dataclasses.replace(attribute, codes=places))
    return dataclasses.replace(original, codes=codes, sensitive=tuple(sensitive), quasi=tuple(quasi))


def _drawn(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return for each entry of each run a random entry of its run; runs have ``counts`` entries each."""
    first = np.repeat(np.cumsum(counts) - counts, counts)
    drawn: NDArray[np.int64] = first + rng.integers(0, np.repeat(counts, counts))
    return drawn
