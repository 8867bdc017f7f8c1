"""The Neo4j store keeps the contract, on every release there is to test against."""

from collections.abc import Iterator

import pytest
from neo4j_server.plugin import Address

from graph.contract import StoreContract
from ratingpriv.graph import GraphStore, open_store


@pytest.fixture(scope="module")
def opened(neo4j_address: Address) -> Iterator[GraphStore]:
    with open_store(neo4j_address.uri, environ=neo4j_address.environ) as store:
        yield store


class TestNeo4j(StoreContract):
    @pytest.fixture
    def store(self, opened: GraphStore) -> GraphStore:
        return opened
