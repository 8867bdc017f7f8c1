"""The proximity graph for other tools: NetworkX, Parquet edge lists and GraphML [SWLP10, §4.3].

Of a table, or (GraphML) of a dataset in a store.

The files are streamed. None holds ratings, sensitive or not: only record ids, Hamming groups,
distances and, in GraphML, sizes of neighbourhoods.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import networkx as nx
import polars as pl

from ratingpriv.base import checks
from ratingpriv.base.errors import OutputError, ParameterError, QueryFailedError
from ratingpriv.base.extras import arrow
from ratingpriv.base.files import check_writable, replacing
from ratingpriv.base.inputs import protecting
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.pairs import pairs

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.running import GraphStore

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_networkx(table: RatingTable, epsilon: float, *, nulls: str = "strict") -> nx.Graph:
    """Return the graph with a node a record and an edge an ε-proximate pair.

    Implements the graph of [SWLP10, §4.3] on the distance of [SWLZ11, Eq. 1]. Nodes are the record
    ids, with the attributes ``position`` and ``hamming_group``; edges carry ``distance``; the graph
    itself ``epsilon`` and ``nulls``. Records with nobody near are nodes without edges. Every pair
    takes some 300 bytes: count them first (:func:`ratingpriv.proximity.pairs.count_pairs`).

    Parameters
    ----------
    table : the ratings
    epsilon : the rating distance >= 0
    nulls : "strict": a null is r away from every rating; "wildcard": a null matches anything

    Raises
    ------
    ParameterError
        epsilon is negative or not finite, or ``nulls`` is unknown.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    ids = table.record_ids.to_list()
    graph = nx.Graph(epsilon=epsilon, nulls=nulls)
    groups = hamming_groups(table).group_of.tolist()
    for position, (id_, group) in enumerate(zip(ids, groups, strict=True)):
        graph.add_node(id_, position=position, hamming_group=group)
    for block in pairs(table, epsilon, nulls=nulls):
        ends = zip(block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True)
        graph.add_edges_from(
            (ids[left], ids[right], {"distance": distance}) for left, right, distance in ends
        )
    return graph


def write_parquet(
    table: RatingTable,
    epsilon: float,
    edges: str | Path,
    records: str | Path | None = None,
    *,
    nulls: str = "strict",
    force: bool = False,
) -> int:
    """Write the ε-proximate pairs, and with ``records`` the nodes too.

    Return how many pairs there are.

    ``edges`` gets the columns ``source`` and ``target`` (record ids), ``distance`` (float64): one
    row a pair, the end that comes first in the data as source, sorted by the positions of both.
    ``records`` gets ``record``, ``position`` and ``hamming_group``, and is the only one to know
    records with nobody near.

    Raises
    ------
    OutputError
        A file exists (without ``force``) or cannot be written.
    ParameterError
        As :func:`ratingpriv.proximity.pairs.pairs`.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    ids = table.record_ids
    if records is not None:
        places = pl.int_range(table.n_records, dtype=pl.Int64, eager=True)
        groups = hamming_groups(table).group_of
        frame = pl.DataFrame({"record": ids, "position": places, "hamming_group": groups})
        with (
            protecting([table.origin.place]),
            replacing(records, force=force, private=True) as temporary,
        ):
            frame.write_parquet(temporary)
    pa = arrow("Parquet files")
    import pyarrow.parquet as pq

    id_type = pa.large_string() if ids.dtype == pl.String else pa.int64()
    schema = pa.schema([("source", id_type), ("target", id_type), ("distance", pa.float64())])
    written = 0
    with (
        protecting([table.origin.place]),
        replacing(edges, force=force, private=True) as temporary,
        pq.ParquetWriter(temporary, schema) as writer,
    ):
        for block in pairs(table, epsilon, nulls=nulls):
            ends = (ids.gather(block.left), ids.gather(block.right), pl.Series(block.distance))
            columns = [
                end.to_arrow().cast(field.type) for end, field in zip(ends, schema, strict=True)
            ]
            writer.write_table(pa.table(columns, schema=schema))
            written += len(block.left)
    return written


def write_graphml(
    table: RatingTable,
    epsilon: float,
    path: str | Path,
    *,
    nulls: str = "strict",
    force: bool = False,
) -> int:
    """Write nodes and pairs as GraphML; return how many pairs there are.

    Node ids are ``n`` and the record's position; the attribute ``record`` is the id as in the data,
    ``hamming_group`` the Hamming group, ``size`` how many records are in the neighbourhood, itself
    included [SWLZ11, Def. 4.2]; edges carry ``distance``.

    Raises
    ------
    OutputError
        The file exists (without ``force``) or cannot be written; a record id holds a character that
        XML does not have (Parquet takes any).
    ParameterError
        As :func:`ratingpriv.proximity.pairs.pairs`.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    groups = hamming_groups(table).group_of.tolist()
    sizes = neighbourhoods(table, epsilon, nulls=nulls, sensitive=False).sizes.tolist()
    edges = (
        (block.left.tolist(), block.right.tolist(), block.distance.tolist())
        for block in pairs(table, epsilon, nulls=nulls)
    )
    with protecting([table.origin.place]):
        return _write(path, table.record_ids.to_list(), groups, sizes, edges, force=force)


def check_graphml(path: str | Path, *, force: bool = False) -> None:
    """Refuse early a file of another suffix, or one that could not be written."""
    if Path(path).suffix.lower() != ".graphml":
        raise ParameterError("output", str(path), "a file name ending in .graphml")
    check_writable(path, force=force)


def export_graphml(
    store: GraphStore,
    dataset: str,
    path: str | Path,
    *,
    epsilon: float | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the records and pairs of a dataset in a store as GraphML,
    as :func:`write_graphml` of a table.

    Parameters
    ----------
    store, dataset : where
    path : the file
    epsilon : pairs up to this distance; None: all that were ingested
    force : whether to replace a file that is there
    progress : called with (what is being done, pairs written, pairs ingested)

    Raises
    ------
    UnknownDatasetError, DatasetIncompleteError, ParameterError
        As :meth:`ratingpriv.graph.GraphStore.run`: it is not there, not complete, holds only the
        pairs of records at risk, or none beyond a smaller epsilon.
    QueryFailedError
        It was changed meanwhile.
    OutputError
        As :func:`write_graphml`.
    """
    info = store.dataset(dataset)
    reach = (
        info.spec.epsilon_max if epsilon is None else checks.non_negative_number("epsilon", epsilon)
    )
    nodes = store.run("audit/record-groups", dataset=dataset)
    sizes = store.run("audit/neighbourhood-sizes", dataset=dataset, epsilon=reach).column("size")
    total = info.spec.pairs
    step = max(1, -(-info.spec.records * _SLICE // max(total, _SLICE)))

    def blocks() -> Iterator[tuple[list[int], list[int], list[float]]]:
        done = 0
        for start in range(0, len(nodes), step):
            answer = store.run(
                "audit/pairs", dataset=dataset, epsilon=reach, first=start, last=start + step
            )
            done += len(answer)
            if progress is not None:
                progress("writing pairs", done, total)
            yield answer.column("earlier"), answer.column("later"), answer.column("distance")
        complete = done == total or reach < info.spec.epsilon_max
        changed = (
            store.dataset(dataset) != info or not len(nodes) == len(sizes) == info.spec.records
        )
        if changed or not complete:
            what = f"dataset {dataset!r} was changed meanwhile"
            raise QueryFailedError(store.uri, what, "run this again, or else ingest the data again")

    groups = nodes.column("hamming_group")
    return _write(path, nodes.column("record"), groups, sizes, blocks(), force=force)


_SLICE = 200_000  # pairs read at a time, about


def _write(
    path: str | Path,
    ids: list[str] | list[int],
    groups: list[int],
    sizes: list[int],
    blocks: Iterable[tuple[list[int], list[int], list[float]]],
    *,
    force: bool,
) -> int:
    is_text = any(isinstance(id_, str) for id_ in ids)
    for position, id_ in enumerate(ids if is_text else []):
        if (wrong := _NOT_XML.search(str(id_))) is not None:
            raise OutputError(
                f"{path}: the id of record {position} holds {wrong.group()!r}, which XML cannot "
                f"carry; "
                "write Parquet instead"
            )
    written = 0
    with (
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(_HEAD.format(id_type="string" if is_text else "long"))
        for position, (id_, group, size) in enumerate(zip(ids, groups, sizes, strict=True)):
            # a reader would make a bare carriage return a newline
            text = escape(str(id_), {"\r": "&#13;"})
            file.write(_NODE.format(position, text, group, size))
        for block in blocks:
            file.writelines(itertools.starmap(_EDGE.format, zip(*block, strict=True)))
            written += len(block[0])
        file.write("</graph>\n</graphml>\n")
    return written


_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="record" for="node" attr.name="record" attr.type="{id_type}"/>
<key id="hamming_group" for="node" attr.name="hamming_group" attr.type="long"/>
<key id="size" for="node" attr.name="size" attr.type="long"/>
<key id="distance" for="edge" attr.name="distance" attr.type="double"/>
<graph edgedefault="undirected">
"""
_NODE = (
    '<node id="n{}"><data key="record">{}</data><data key="hamming_group">{}</data>'
    '<data key="size">{}</data></node>\n'
)
_EDGE = '<edge source="n{}" target="n{}"><data key="distance">{!r}</data></edge>\n'
