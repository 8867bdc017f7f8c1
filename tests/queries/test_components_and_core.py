"""Components and cores far from the record with most neighbours,
beyond the first steps of their texts.
"""

from typing import Any

import numpy as np
import pytest
from golden.tables import build

from queries.cases import expect
from queries.oracle import EXPECTED
from ratingpriv.graph.running import GraphStore

SHUFFLED = np.random.default_rng(3).permutation(90).tolist()
TABLES = {
    "a chain, its records in any order": [(place,) for place in SHUFFLED],
    "chains of two, three, ...": [(place + place // 9 * (place % 7),) for place in SHUFFLED],
    "a crowd, a chain that ends in it, and another chain": [
        *((0,) for _ in range(30)), *((place,) for place in SHUFFLED if place != 60),
    ],
    "nobody near": [(3 * place,) for place in range(5)],
    "everybody equal": [(1,) for _ in range(4)],
}  # fmt: skip


@pytest.mark.parametrize("rows", TABLES.values(), ids=list(TABLES))
def test_as_defined(store: GraphStore, loaded: Any, rows: list[tuple[int]]) -> None:
    dataset, case = loaded(build(rows, scale=(0, 200)), 2.0)
    for epsilon in (0.0, 1.0, 2.0):
        asked = {"dataset": dataset, "epsilon": epsilon}
        expect(
            EXPECTED["partition/components"](case, **asked), store, "partition/components", **asked
        )
        for k in (1, 2, 3, 4, 30):
            expect(
                EXPECTED["partition/core"](case, **asked, k=k),
                store,
                "partition/core",
                **asked,
                k=k,
            )
