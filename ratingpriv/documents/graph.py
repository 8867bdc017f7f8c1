"""What ingesting, listing and asking a graph store give."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import Contract, QuasiIdentifiers, SelectedPart, StoredDataset
from ratingpriv.documents.form import Amount, Count, Document


class IngestedRelease(Document):
    """With --release-of: which release it is."""

    of: str  #: The original.
    run: str
    dataset: str  #: What it went in as.
    records: Count
    linked: bool  #: Whether its records are linked to the original's.
    withheld: Count | None  #: Suppressed records; null where it is not linked.
    distortion_known: bool  #: Whether the links tell how far each record was moved.


class InStore(Contract):
    """What a document about a graph store says of it."""

    store: str  #: Address of the store, without credentials.
    engine: Literal["neo4j", "embedded"]  #: Kind of the store.
    version: str  #: Of the store's engine.


class Ingest(InStore, tag="ratingpriv.ingest/1"):
    """A dataset that was put into a graph store."""

    dataset: StoredDataset
    release: IngestedRelease | UnsetType = UNSET


class Store(InStore, tag="ratingpriv.store/1"):
    """A graph store and what it holds."""

    datasets: list[StoredDataset]


class ImportFiles(Contract, tag="ratingpriv.import-files/1"):
    """Files for neo4j-admin database import."""

    dataset: str  #: Name of the dataset.
    folder: str
    script: str
    command: list[str]  #: Arguments of the import.
    nodes: Count  #: That the import must report.
    relationships: Count  #: That the import must report.
    records: Count
    pairs: Count
    epsilon_max: Amount  #: Pairs up to this distance.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    selection: SelectedPart
    quasi: QuasiIdentifiers


class QueryField(Document):
    """A parameter of a query, or a column of its result."""

    name: str
    type: str
    meaning: str


class QueryStatement(Document):
    """A statement of a query; one that several engines take has no engine."""

    id: str
    engine: Literal["neo4j", "embedded"] | None
    text: str


class Query(Document):
    """A query of the library, as its header declares it."""

    id: str
    title: str
    definition: str
    params: list[QueryField]
    columns: list[QueryField]
    order: list[str]
    reads: list[str]
    writes: list[str]
    complexity: str
    example: str
    iterated: bool  #: Whether it is of several statements.
    statements: list[QueryStatement]


class QueryLibrary(Contract, tag="ratingpriv.queries/1"):
    """Queries of the library: what their headers say."""

    queries: list[Query]


class QueriedDataset(Document):
    """What the answer depends on beside the parameters; null where the query is about no dataset."""

    name: str  #: Its name in the store.
    epsilon_max: Amount  #: Pairs up to this distance are there.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    selection: SelectedPart
    quasi: QuasiIdentifiers


class QueryChanges(Document):
    """What a statement that may write changed, by its kind; null for a query that may not."""

    nodes_created: Count
    nodes_deleted: Count
    relationships_created: Count
    relationships_deleted: Count
    properties_set: Count
    labels_added: Count
    labels_removed: Count


class QueryResult(Contract, tag="ratingpriv.query/1"):
    """Rows of a query on a graph store."""

    query: str  #: Name of the query, or of the file that it is in; - for standard input.
    store: str  #: Address of the store, without credentials.
    engine: Literal["neo4j", "embedded"]  #: Kind of the store.
    dataset: QueriedDataset | None
    parameters: dict[str, Any]  #: What was asked with.
    columns: list[str]  #: Names of the columns.
    rows: list[dict[str, Any]]  #: One object a row, in the query's order.
    changes: QueryChanges | None
