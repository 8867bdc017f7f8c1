"""The stores and the worked examples in them.

The rows of every answer have the key of their header.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from queries.cases import embedded_store, example, loaded, neo4j_calendar_store, neo4j_store, store
from ratingpriv.graph import running
from ratingpriv.graph.catalogue import Query, catalogue
from ratingpriv.graph.running import checked_result
from ratingpriv.graph.store import Result

__all__ = ["embedded_store", "example", "loaded", "neo4j_calendar_store", "neo4j_store", "store"]

ASKED = {id for id in catalogue() if not id.startswith(("load/", "schema/"))}  # noqa: A001


@pytest.fixture(autouse=True, scope="session")
def _keys() -> Iterator[None]:
    def with_its_key(
        uri: str, asked: Query, columns: list[str], rows: list[tuple[Any, ...]]
    ) -> Result:
        result = checked_result(uri, asked, columns, rows)
        if asked.id in ASKED:
            keys = [str([row[name] for name in asked.key]) for row in result.dicts()]
            assert len(set(keys)) == len(keys), f"{asked.id}: {asked.key} are no key"
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "checked_result", with_its_key)
        yield
