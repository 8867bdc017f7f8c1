"""What is measured in one go: a cell, what all cells have in common, and the seeds of each.

A seed is a hash of the plan's seed and of the coordinates that it belongs to, so that adding a method, a k or
a data set changes no other cell. What is drawn to *measure* (queries, targets of an attack) depends on the
data set and the replicate alone: two releases of one original are measured by the same draw, and compare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ratingpriv.data.table import RatingTable

__all__ = ["Cell", "Plan", "fingerprint", "seed_of"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One release to be made and measured.

    Attributes
    ----------
    data, method : their names in the plan
    k, epsilon, l : the target; l None asks for none
    seed : number of the replicate, not yet a seed of anything
    """

    data: str
    method: str
    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word
    seed: int = 0

    @property
    def key(self) -> str:
        """The coordinates as text: the cell's name in a journal."""
        return json.dumps([self.data, self.method, self.k, self.epsilon, self.l, self.seed])


@dataclass(frozen=True, slots=True)
class Plan:
    """What all cells of an experiment have in common.

    Attributes
    ----------
    methods : for each name the method of :func:`ratingpriv.anonymize` and its options
    attacks : for each name what the adversary knows, in the words of :func:`ratingpriv.attack`
    measures : names of :data:`ratingpriv.studies.experiment.measuring.GROUPS`, and of
        :data:`ratingpriv.utility.measures.MEASURES`
    utility : settings of measures of utility, as :func:`ratingpriv.utility` has them
    exposure : E of exposure; None: each cell's own ε
    nulls, sensitive_nulls : as for the audit
    seed : what all seeds are made of
    """

    methods: Mapping[str, tuple[str, Mapping[str, Any]]]
    attacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    utility: Mapping[str, Any] = field(default_factory=dict)
    exposure: float | None = None
    nulls: str = "strict"
    sensitive_nulls: str = "paper"
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON's own types."""
        return {
            "methods": {name: [method, dict(options)] for name, (method, options) in self.methods.items()},
            "attacks": {name: dict(settings) for name, settings in self.attacks.items()},
            "measures": list(self.measures),
            "utility": dict(self.utility),
            "exposure": self.exposure,
            "nulls": self.nulls,
            "sensitive_nulls": self.sensitive_nulls,
            "seed": self.seed,
        }


def seed_of(seed: int, *coordinates: object) -> int:
    """Return the seed, 0..2**63 - 1, that belongs to ``coordinates`` under the plan's ``seed``."""
    text = json.dumps([seed, *coordinates])
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8]) >> 1


def fingerprint(table: RatingTable) -> str:
    """Return a hash of everything of ``table`` that a release or a measure of it depends on."""
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        for part in parts:
            content = part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode("ascii")
            digest.update(len(content).to_bytes(8))
            digest.update(content)

    scale = table.scale
    add(None if scale is None else [scale.minimum, scale.maximum, scale.declared], list(table.issues))
    add(table.indptr, table.indices, table.codes, table.levels, [str(one) for one in table.record_ids])
    for column in table.sensitive:
        add(column.name, column.values, column.present, column.labels)
    for quasi in table.quasi:
        add(quasi.name, quasi.codes, quasi.values.to_list(), quasi.within, quasi.recoded)
    for series in (*table.carried, *(() if table.timestamps is None else (table.timestamps,))):
        add(series.name, [str(value) for value in series])
    return digest.hexdigest()
