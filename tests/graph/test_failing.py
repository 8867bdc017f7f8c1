"""Whatever statement of a store fails: it is as before or says incomplete,
and once more gives the answer.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from depth import DEPTH
from neo4j_server.plugin import Address

from graph.failing import DEEDS, MODES, after_every_failure, statements
from ratingpriv.graph import open_store


@pytest.fixture(scope="module")
def embedded_store() -> Iterator[Any]:
    with open_store("embedded::memory:") as store:
        yield store


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("deed", DEEDS)
def test_every_statement(embedded_store: Any, deed: str, mode: str) -> None:
    most = statements(embedded_store, DEEDS[deed])
    assert most > 15
    step = 1 if DEPTH > 1 else 2 if mode == "before" else 6
    numbers = range(1, most + 1, step)
    assert after_every_failure(embedded_store, DEEDS[deed], mode, numbers) == len(numbers)


@pytest.mark.parametrize(
    ("deed", "mode", "behind"), [("replace", "after", 4), ("release", "before", 1)]
)
def test_the_last_statements_on_a_server(
    neo4j_lts: Address, deed: str, mode: str, behind: int
) -> None:
    """Where a dataset changes places, and where a release becomes complete."""
    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
        last = statements(store, DEEDS[deed])
        numbers = range(last - behind, last - behind + 1)
        assert after_every_failure(store, DEEDS[deed], mode, numbers) == len(numbers)
