"""The stores."""

from queries.cases import embedded_store, loaded, neo4j_calendar_store, neo4j_store, store

__all__ = ["embedded_store", "loaded", "neo4j_calendar_store", "neo4j_store", "store"]
