"""The embedded store keeps the contract, and a file's faults are told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.contract import StoreContract
from ratingpriv.graph import GraphStore, open_store


class TestEmbeddedFile(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[GraphStore]:
        with open_store(f"embedded:{tmp_path / 'store.grafeo'}") as store:
            yield store


class TestInMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[GraphStore]:
        with open_store("embedded::memory:") as store:
            yield store
