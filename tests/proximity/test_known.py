"""The null rule known: golden tables by hand, NetworkX as a judge of its own, its asymmetry,
its refusals.
"""

from collections.abc import Callable
from typing import Any

import naive.moments
import naive.proximity
import numpy as np
import pytest
from golden.tables import build, table1, table2, table3

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize import modify, suppress
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.graph.export import to_networkx
from ratingpriv.graph.ingesting import IngestOptions
from ratingpriv.partition.components import components
from ratingpriv.partition.distortion.windows import measure
from ratingpriv.proximity.neighbourhoods import ENGINES, meets_k, neighbourhoods
from ratingpriv.proximity.pairs import count_pairs, pairs

pytestmark = pytest.mark.small


def nested() -> RatingTable:
    """What a rates, b rates too; c rates another part of it; d rates nothing."""
    return build([(3, None), (3, 4), (None, 4), (None, None)], [(5, 1, None, 9)], scale=(1, 5))


# Tables 1-3: t1 to t3 (t4) rate issues 1 and 2, the others issues 1 and 3. No support contains
# another one, so known is strict below r; from r on strict lets a null match, known still does not:
# nobody crosses over. Table 3, ε=4: t5=(1,∅,5) t6=(2,∅,6) t7=(6,∅,6) t8=(5,∅,5): t5t6 1, t5t7 5,
# t5t8 4, t6t7 4, t6t8 3, t7t8 1. nested: a={a,b}; b alone, as a rates only one of its two; c={b,c};
# d rates
# nothing:
# everybody.
GOLDEN: list[tuple[Callable[[], RatingTable], float, list[int]]] = [
    (table1, 0, [1, 1, 1, 1, 1]),
    (table1, 1, [1, 2, 2, 2, 2]),
    (table1, 5, [3, 3, 3, 2, 2]),
    (table1, 6, [3, 3, 3, 2, 2]),
    (table2, 1, [3, 2, 3, 2, 2, 2]),
    (table2, 2, [4, 3, 4, 3, 2, 2]),
    (table2, 7, [4, 4, 4, 4, 2, 2]),
    (table3, 1, [3, 2, 3, 2, 2, 2, 2, 2]),
    (table3, 4, [4, 4, 4, 4, 3, 4, 3, 4]),
    (table3, 1e9, [4, 4, 4, 4, 4, 4, 4, 4]),
    (nested, 0, [2, 1, 2, 4]),
    (nested, 100, [2, 1, 2, 4]),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("make", "epsilon", "sizes"), GOLDEN)
def test_golden_sizes(
    make: Callable[[], RatingTable], epsilon: float, sizes: list[int], engine: str
) -> None:
    table = make()
    assert neighbourhoods(table, epsilon, nulls="known", engine=engine).sizes.tolist() == sizes
    assert list(map(len, naive.proximity.neighbourhoods(table, epsilon, "known"))) == sizes


@pytest.mark.parametrize("engine", ENGINES)
def test_golden_moments_with_sensitive_nulls(engine):
    # {5, 1}: SD 2; {1}: 0; {1, null}: by the paper sqrt((0 + 1²)/2); {5, 1, null, 9}: mean 5, null
    # counts 5²
    found = neighbourhoods(nested(), 0, nulls="known", engine=engine)
    (moments,) = found.moments
    assert moments.known.tolist() == [2, 1, 1, 3]
    np.testing.assert_allclose(
        moments.sd(found.sizes, "paper"), [2, 0, 0.5**0.5, ((32 + 25) / 4) ** 0.5]
    )
    np.testing.assert_allclose(moments.sd(found.sizes, "ignore"), [2, 0, 0, (32 / 3) ** 0.5])


def test_it_is_asymmetric_and_has_no_pairs() -> None:
    near = naive.proximity.neighbourhoods(nested(), 0, "known")
    assert 1 in near[0]
    assert 0 not in near[1]
    found = neighbourhoods(nested(), 0, nulls="known")
    with pytest.raises(ParameterError, match="asymmetric"):
        found.pairs  # noqa: B018
    assert (
        ratingpriv.audit(nested(), k=2, epsilon=0, nulls="known").neighbourhood_sizes.pairs is None
    )


REFUSING: dict[str, Callable[[RatingTable], Any]] = {
    "Target": lambda table: Target(k=2, epsilon=1, nulls="known"),
    "meets_k": lambda table: meets_k(table, 2, 1, nulls="known"),
    "pairs": lambda table: list(pairs(table, 1, nulls="known")),
    "count_pairs": lambda table: count_pairs(table, 1, nulls="known"),
    "partition": lambda table: ratingpriv.partition(table, k=2, epsilon=1, nulls="known"),
    "frontier": lambda table: ratingpriv.frontier(table, nulls="known"),
    "modify": lambda table: modify(table, k=2, epsilon=1, nulls="known"),
    "suppress": lambda table: suppress(table, k=2, epsilon=1, nulls="known"),
    "components": lambda table: components(table, 1, nulls="known"),
    "to_networkx": lambda table: to_networkx(table, 1, nulls="known"),
    "measure": lambda table: measure(table, 1, nulls="known"),
    "ingest": lambda table: IngestOptions(dataset="d", epsilon=1, nulls="known"),
}


@pytest.mark.parametrize("name", REFUSING)
def test_whatever_needs_pairs_refuses_it_with_the_reason(name: str) -> None:
    with pytest.raises(
        ParameterError, match=r"known.*expected one of strict, wildcard; .*asymmetric"
    ):
        REFUSING[name](table2())
