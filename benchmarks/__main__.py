"""Run the benchmarks and write RESULTS.md: ``python -m benchmarks [--quick] [PART...]``.

A part that is not run keeps the table that RESULTS.md has of it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
from datetime import date
from pathlib import Path

from benchmarks.timing import HEADER
from ratingpriv.base.files import replacing

RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS = {
    "commands": "Whole commands",
    "engine": "Neighbourhoods, SDs, pairs",
    "exposure": "Exposure to inexact knowledge",
    "known": "What a few known ratings give away",
    "frontier": "Every ε for an l",
    "large": "Grouping sparse records",
    "parquet_audit": "Auditing a large Parquet file",
    "survey_audit": "Auditing a survey of ten million",
    "graph": "Graph stores",
    "growth": "How the graph's questions grow",
    "graph_at_size": "A graph of ten million records",
    "partition": "Partitions into groups of k",
    "anonymize": "Releases by modification and suppression",
    "modify_by_support": "Modifying a table of Netflix's size",
    "predictive": "Releases by Predictive Anonymization",
    "swap": "Releases by swap",
    "swap_files": "Ten files from file to verified release by swap",
    "attack": "De-anonymising many targets",
    "utility": "Measures of utility",
}
INTRODUCTION = """# Benchmark results

Made by `make bench` (all) or `python -m benchmarks PART` (one). Ratios are taken within one run
against the peer named; each part says when, where and by which command it was measured. Bars are
the project's own. A peer that was sampled says so.
"""


def machine() -> str:
    """Describe this machine in a line."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    software = f"CPython {platform.python_version()}, {platform.system()}"
    return f"{model}, {os.cpu_count()} cores, {memory} GiB; {software}"


def sections(text: str) -> dict[str, str]:
    """Return the text of each part of an earlier RESULTS.md."""
    found = re.split(r"^## .*<!-- (\w+) -->\n", text, flags=re.MULTILINE)
    return {part: table.strip() for part, table in zip(found[1::2], found[2::2], strict=True)}


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--quick", action="store_true", help="small sizes; nothing is judged or written"
    )
    arguments = parser.parse_args()
    here = [part for part in PARTS if Path(__file__).with_name(f"{part}.py").exists()]
    wanted = arguments.parts or here
    if unknown := [part for part in wanted if part not in here]:
        parser.error(f"unknown part {unknown[0]!r}; one of {', '.join(here)}")
    texts = sections(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for part in wanted:
        rows = importlib.import_module(f"benchmarks.{part}").main(
            ["--quick"] if arguments.quick else []
        )
        table = "\n".join([HEADER, *(row.markdown() for row in rows)])
        texts[part] = f"{date.today()}; {machine()}; `python -m benchmarks {part}`\n\n{table}"
        if not arguments.quick:
            known = [name for name in PARTS if name in texts]
            body = "\n".join(
                f"## {PARTS[name]} <!-- {name} -->\n\n{texts[name]}\n" for name in known
            )
            with replacing(RESULTS, force=True) as path:
                path.write_text(f"{INTRODUCTION}\n{body}", encoding="utf-8")


if __name__ == "__main__":
    main()
