"""What ingesting, listing and asking a graph store give."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import Contract, QuasiIdentifiers, SelectedPart, StoredDataset
from ratingpriv.documents.form import Amount, Count, Document, meaning


class IngestedRelease(Document):
    __doc__ = "With --release-of: which release it is."

    of: Annotated[str, meaning("The original.")]
    run: Annotated[str, meaning("Name of the release.")]
    dataset: Annotated[str, meaning("What it went in as.")]
    records: Annotated[Count, meaning("Released records.")]
    linked: Annotated[bool, meaning("Whether its records are linked to the original's.")]
    groups: Annotated[
        Count | None,
        meaning("Of a release by swap with its key: groups its records are tied to; else null."),
    ]
    withheld: Annotated[
        Count | None, meaning("Suppressed records; null where it came without its key.")
    ]
    distortion_known: Annotated[
        bool, meaning("Whether the links tell how far each record was moved.")
    ]


class InStore(Contract):
    __doc__ = "What a document about a graph store says of it."

    store: Annotated[str, meaning("Address of the store, without credentials.")]
    engine: Annotated[Literal["neo4j", "embedded"], meaning("Kind of the store.")]
    version: Annotated[str, meaning("Of the store's engine.")]


class Ingest(InStore, tag="ratingpriv.ingest/1"):
    __doc__ = "A dataset that was put into a graph store."

    dataset: StoredDataset
    release: IngestedRelease | UnsetType = UNSET


class Store(InStore, tag="ratingpriv.store/1"):
    __doc__ = "A graph store and what it holds."

    datasets: list[StoredDataset]


class ImportFiles(Contract, tag="ratingpriv.import-files/1"):
    __doc__ = "Files for neo4j-admin database import."

    dataset: Annotated[str, meaning("Name of the dataset.")]
    folder: Annotated[str, meaning("Folder of the files.")]
    script: Annotated[str, meaning("File of the script that runs the import.")]
    command: Annotated[list[str], meaning("Arguments of the import.")]
    nodes: Annotated[Count, meaning("That the import must report.")]
    relationships: Annotated[Count, meaning("That the import must report.")]
    records: Annotated[Count, meaning("Records of the dataset.")]
    pairs: Annotated[Count, meaning("Unordered pairs of ε-proximate records.")]
    epsilon_max: Annotated[Amount, meaning("Pairs up to this distance.")]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    selection: SelectedPart
    quasi: QuasiIdentifiers


class QueryField(Document):
    __doc__ = "A parameter of a query, or a column of its result."

    name: Annotated[str, meaning("Name of the parameter or column.")]
    type: Annotated[str, meaning("Its type in Cypher.")]
    meaning: Annotated[str, meaning("What it is.")]


class QueryStatement(Document):
    __doc__ = "A statement of a query; one that several engines take has no engine."

    id: Annotated[str, meaning("Name of the statement.")]
    engine: Annotated[
        Literal["neo4j", "embedded"] | None,
        meaning("The only store that takes it; null: any."),
    ]
    text: Annotated[str, meaning("The statement in Cypher.")]


class Query(Document):
    __doc__ = "A query of the library, as its header declares it."

    id: Annotated[str, meaning("Name by which it is run.")]
    title: Annotated[str, meaning("The question that the query answers.")]
    definition: Annotated[str, meaning("What it computes, with its source.")]
    params: Annotated[list[QueryField], meaning("Its parameters.")]
    columns: Annotated[list[QueryField], meaning("The columns of its result.")]
    order: Annotated[
        list[str],
        meaning(
            "What the rows are sorted by, in this order; empty where there is at most one row."
        ),
    ]
    reads: Annotated[list[str], meaning("Labels and relationship types that it reads.")]
    writes: Annotated[
        list[str],
        meaning("Labels and relationship types that it writes, and what it does with them."),
    ]
    complexity: Annotated[str, meaning("How its cost grows.")]
    example: Annotated[str, meaning("A command that runs it.")]
    iterated: Annotated[bool, meaning("Whether it is of several statements.")]
    statements: list[QueryStatement]


class QueryLibrary(Contract, tag="ratingpriv.queries/1"):
    __doc__ = "Queries of the library: what their headers say."

    queries: list[Query]


class QueriedDataset(Document):
    __doc__ = (
        "What the result depends on beside the parameters; null where the query is about no "
        "dataset."
    )

    name: Annotated[str, meaning("Its name in the store.")]
    epsilon_max: Annotated[Amount, meaning("Pairs up to this distance are there.")]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    selection: SelectedPart
    quasi: QuasiIdentifiers


class QueryChanges(Document):
    __doc__ = "What a statement that may write changed, by its kind; null for a query that may not."

    nodes_created: Annotated[Count, meaning("Nodes that were created.")]
    nodes_deleted: Annotated[Count, meaning("Nodes that were deleted.")]
    relationships_created: Annotated[Count, meaning("Relationships that were created.")]
    relationships_deleted: Annotated[Count, meaning("Relationships that were deleted.")]
    properties_set: Annotated[Count, meaning("Properties that were set.")]
    labels_added: Annotated[Count, meaning("Labels that were added to nodes.")]
    labels_removed: Annotated[Count, meaning("Labels that were removed from nodes.")]


class QueryResult(Contract, tag="ratingpriv.query/1"):
    __doc__ = "Rows of a query on a graph store."

    query: Annotated[
        str, meaning("Name of the query, or of the file that it is in; - for standard input.")
    ]
    store: Annotated[str, meaning("Address of the store, without credentials.")]
    engine: Annotated[Literal["neo4j", "embedded"], meaning("Kind of the store.")]
    dataset: QueriedDataset | None
    parameters: Annotated[dict[str, Any], meaning("What was asked with.")]
    columns: Annotated[list[str], meaning("Names of the columns.")]
    rows: Annotated[
        list[dict[str, Any]],
        meaning(
            "One object per row, in the query's order. Numbers that JSON does not have are the "
            "texts NaN, "
            "Infinity and -Infinity."
        ),
    ]
    changes: QueryChanges | None
