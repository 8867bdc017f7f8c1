"""What ingesting, listing and asking a graph store give."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import QuasiIdentifier, Selection, StoredDataset, Tool
from ratingpriv.documents.form import Amount, Count, Document


class IngestedRelease(Document):
    """With --release-of: which release it is.

    Attributes
    ----------
    of : The original.
    dataset : What it went in as.
    linked : Whether its records are linked to the original's.
    withheld : Suppressed records; null where it is not linked.
    distortion_known : Whether the links tell how far each record was moved.
    """

    of: str
    run: str
    dataset: str
    records: Count
    linked: bool
    withheld: Count | None
    distortion_known: bool


class InStore(Document):
    """What a document about a graph store says of it.

    Attributes
    ----------
    store : Address of the store, without credentials.
    engine : Kind of the store.
    version : Of the store's engine.
    """

    tool: Tool
    store: str
    engine: Literal["neo4j", "embedded"]
    version: str


class Ingest(InStore):
    """A dataset that was put into a graph store.

    Attributes
    ----------
    schema : Name and version of this form.
    """

    schema: Literal["ratingpriv.ingest/1"]
    dataset: StoredDataset
    release: IngestedRelease | UnsetType = UNSET


class Store(InStore):
    """A graph store and what it holds.

    Attributes
    ----------
    schema : Name and version of this form.
    """

    schema: Literal["ratingpriv.store/1"]
    datasets: list[StoredDataset]


class ImportFiles(Document):
    """Files for neo4j-admin database import.

    Attributes
    ----------
    schema : Name and version of this form.
    dataset : Name of the dataset.
    command : Arguments of the import.
    nodes : That the import must report.
    relationships : That the import must report.
    epsilon_max : Pairs up to this distance.
    nulls : The rule for unanswered questions.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    """

    schema: Literal["ratingpriv.import-files/1"]
    tool: Tool
    dataset: str
    folder: str
    script: str
    command: list[str]
    nodes: Count
    relationships: Count
    records: Count
    pairs: Count
    epsilon_max: Amount
    nulls: Literal["strict", "wildcard"]
    selection: Selection | None
    quasi: list[QuasiIdentifier]


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
    """A query of the library, as its header declares it.

    Attributes
    ----------
    iterated : Whether it is of several statements.
    """

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
    iterated: bool
    statements: list[QueryStatement]


class QueryLibrary(Document):
    """Queries of the library: what their headers say.

    Attributes
    ----------
    schema : Name and version of this form.
    """

    schema: Literal["ratingpriv.queries/1"]
    tool: Tool
    queries: list[Query]


class QueriedDataset(Document):
    """What the answer depends on beside the parameters; null where the query is about no dataset.

    Attributes
    ----------
    name : Its name in the store.
    epsilon_max : Pairs up to this distance are there.
    nulls : The rule for unanswered questions.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    quasi : Quasi-identifiers: known attributes of the persons, and when two records are the same on one,
        whatever epsilon is.
    """

    name: str
    epsilon_max: Amount
    nulls: Literal["strict", "wildcard"]
    selection: Selection | None
    quasi: list[QuasiIdentifier]


class QueryChanges(Document):
    """What a statement that may write changed, by its kind; null for a query that may not."""

    nodes_created: Count
    nodes_deleted: Count
    relationships_created: Count
    relationships_deleted: Count
    properties_set: Count
    labels_added: Count
    labels_removed: Count


class QueryResult(Document):
    """Rows of a query on a graph store.

    Attributes
    ----------
    schema : Name and version of this form.
    query : Name of the query, or of the file that it is in; - for standard input.
    store : Address of the store, without credentials.
    engine : Kind of the store.
    parameters : What was asked with.
    columns : Names of the columns.
    rows : One object a row, in the query's order.
    """

    schema: Literal["ratingpriv.query/1"]
    tool: Tool
    query: str
    store: str
    engine: Literal["neo4j", "embedded"]
    dataset: QueriedDataset | None
    parameters: dict[str, Any]
    columns: list[str]
    rows: list[dict[str, Any]]
    changes: QueryChanges | None
