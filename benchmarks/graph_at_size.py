"""Ten million records with the pairs of those at risk in Neo4j, and how long it takes to ask.

    python -m benchmarks.graph_at_size [--quick] [--records N] [--picture FILE.svg]

The survey is that of `survey_audit`. ``ratingpriv ingest --edges at-risk --offline`` is a process
of its own, start and reading included. The real admin tool imports the files into a server of the
tests' kind (1 GB of heap, 256 MB of page cache), which is removed afterwards. Answers are compared
with the engine's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ratingpriv
from benchmarks.parquet_audit import measured
from benchmarks.servers import (
    NotMeasuredError,
    imported_into,
    opened,
    own_server,
    raise_unless_equal,
    say,
)
from benchmarks.survey_audit import ISSUES, write
from benchmarks.timing import HEADER, Row, median_time, seconds
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.ingesting import OfflineImport
from ratingpriv.graph.loading import make_schema
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.report.graphs import picture_of, write_picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ratingpriv.graph.running import GraphStore

__all__ = ["main", "rows"]

RECORDS, K, EPSILON = 10_000_000, 5, 1.0


def rows(records: int, picture: Path | None) -> Iterator[Row]:
    """Write, import and ask; the answers are compared with those of the engine."""
    with tempfile.TemporaryDirectory(prefix="ratingpriv-benchmark-") as name:
        folder = Path(name)
        survey = folder / "survey.parquet"
        say("writing the survey")
        write(survey, records)
        written, row = _ingested(survey, folder, records)
        yield row
        sizes = neighbourhoods(ratingpriv.read(survey, id="id"), EPSILON, sensitive=False).sizes
        survey.unlink()
        with own_server() as server:
            took = imported_into(server, written)
            mebibytes = _remove(written.folder)
            server.start()
            with opened(server.uri) as store:
                say("making the schema")
                start = time.perf_counter()
                make_schema(store)  # as the schema.cypher beside the files does
                schema = time.perf_counter() - start
                what = f"{written.nodes:,} nodes and {written.relationships:,} relationships"
                what += f" ({mebibytes:,.0f} MiB of files)"
                yield Row(f"the same imported: {what}", seconds(took), "", "", "", None)
                yield Row(
                    f"constraints and indexes of {store.version()}",
                    seconds(schema),
                    "",
                    "",
                    "",
                    None,
                )
                yield from _asked(store, sizes, picture)


def _ingested(survey: Path, folder: Path, records: int) -> tuple[OfflineImport, Row]:
    command = [
        sys.executable,
        "-m",
        "ratingpriv",
        "ingest",
        str(survey),
        "--id",
        "id",
        "--dataset",
        "large",
    ]
    command += ["--epsilon", str(EPSILON), "--edges", "at-risk", "--k", str(K), "--json", "--quiet"]
    command += ["--max-edges", str(10**9), "--offline", str(folder / "import")]
    say("writing import files")
    with (folder / "written.json").open("wb") as output:
        run = measured(command, output)
    found = json.loads((folder / "written.json").read_bytes())
    files = OfflineImport(
        *(Path(found["folder"]), Path(found["script"]), tuple(found["command"])),
        *(found["nodes"], found["relationships"]),
    )
    work = f"ingest --edges at-risk --offline of {records:,} × {ISSUES} answers in wide Parquet, "
    work += f"k={K}, ε={EPSILON:g}: {found['pairs']:,} pairs"
    ours = f"{seconds(run.seconds)}; {seconds(run.busy)} of processors; {run.memory / 1e6:,.0f} MB"
    return files, Row(work, ours, "", "", "", None)


def _asked(store: GraphStore, sizes: NDArray[np.int64], picture: Path | None) -> Iterator[Row]:
    below, alone = int(np.count_nonzero(sizes < K)), int(np.count_nonzero(sizes == 1))
    worst = np.sort(sizes[sizes < K])[:74].tolist()
    params: dict[str, Any] = {"dataset": "large", "k": K, "epsilon": EPSILON}

    def degree_check() -> None:
        found = store.run("audit/degree-check", **params).dicts()[0]
        answer = found["satisfied"], found["records"], found["violators"], found["min_size"]
        raise_unless_equal(
            "degree check", (below == 0, len(sizes), below, int(sizes.min())), answer
        )

    def risk_summary() -> None:
        found = store.run("audit/risk-summary", **params).dicts()[0]
        expected = (alone, below / len(sizes))
        raise_unless_equal("risk summary", expected, (found["alone"], found["share_below_k"]))

    def at_risk() -> None:
        found = store.run("browse/at-risk", **params)
        drawn = {str(row["r"]): row["size"] for row in found.dicts()}
        raise_unless_equal("records at risk", worst, sorted(drawn.values()))
        if picture is not None:
            drawing = picture_of(found, query("browse/at-risk", store.engine), params)
            write_picture(drawing, picture, force=True)

    for name, ask in (
        ("audit/degree-check", degree_check),
        ("audit/risk-summary", risk_summary),
        ("browse/at-risk", at_risk),
    ):
        say(name)
        ask()
        took = median_time(ask, 3)
        yield Row(
            f"{name} on {store.version()}; {len(sizes):,} records", seconds(took), "", "", "", None
        )


def _remove(folder: Path) -> float:
    """Remove import files; return how many MiB they were."""
    files = list(folder.iterdir())
    size = sum(path.stat().st_size for path in files) / 2**20
    for path in files:
        path.unlink()
    return size


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a hundredth of the records")
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument(
        "--picture", type=Path, help="where to draw the records at risk: .svg or .html"
    )
    options = parser.parse_args(arguments)
    print(HEADER)
    found = []
    try:
        for row in rows(
            options.records // 100 if options.quick else options.records, options.picture
        ):
            print(row.markdown(), flush=True)
            found.append(row)
    except NotMeasuredError as error:
        found.append(
            Row("a graph of ten million records", "not measured", str(error), "", "", None)
        )
    return found


if __name__ == "__main__":
    main()
