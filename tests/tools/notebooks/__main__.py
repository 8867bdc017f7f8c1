"""``python -m notebooks``: execute every notebook of ``examples/notebooks``, in a copy of ``examples``.

They are kept without outputs, which would be data. What they show is held here to name no record. Data come
from the folder in ``RATINGPRIV_TEST_DATA`` (default: ``../shared/data`` beside the checkout); without it
MovieLens is synthetic, and the notebook says so.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
_IDS = re.compile(r"\br\d{3}\b")
"""Ids of the survey's respondents, which no output may show."""


def main() -> int:
    """Execute all of them, or those named; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m notebooks")
    parser.add_argument("names", nargs="*", help="notebooks, such as survey; all of them by default")
    parser.add_argument("--keep", metavar="FOLDER", help="keep what was executed, with outputs, here")
    asked = parser.parse_args()
    data = Path(os.environ.get("RATINGPRIV_TEST_DATA", ROOT.parent / "shared" / "data")).resolve()
    os.environ.setdefault("ML_100K", str(data / "ml-100k"))
    paths = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
    chosen = [path for path in paths if not asked.names or path.stem in asked.names]
    with tempfile.TemporaryDirectory(prefix="notebooks-") as folder:
        place = shutil.copytree(EXAMPLES, Path(folder, "examples"))
        os.environ["TMPDIR"] = folder  # what a notebook writes for its reader to look at goes with it
        failed = [path.stem for path in chosen if not _executed(path, place / "notebooks", asked.keep)]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} notebooks executed")
    return 1 if failed or not chosen else 0


def _executed(path: Path, place: Path, keep: str | None) -> bool:
    begin = time.monotonic()
    book = nbformat.read(path, as_version=4)
    manager = KernelManager(
        kernel_name="python3", transport="ipc", ip=str(place.parent / "kernel"),  # no port is opened
        client_class="jupyter_client.asynchronous.AsyncKernelClient",
    )  # fmt: skip
    client = NotebookClient(book, km=manager, timeout=300, resources={"metadata": {"path": str(place)}})
    wrong = ""
    try:
        client.execute()
    except CellExecutionError as error:
        wrong = f"\n{error.ename}: {error.evalue}\nin the cell:\n" + _failing(book)
    finally:
        manager.shutdown_kernel(now=True)
    named = [text for text in map(_said, book.cells) if _IDS.search(text)]
    if keep is not None:
        Path(keep).mkdir(parents=True, exist_ok=True)
        nbformat.write(book, Path(keep, path.name))
    if named:
        wrong += f"\nan output names a record: {_IDS.findall(named[0])[:3]}"
    print(
        f"{path.stem}: {'FAILED' if wrong else 'executed'} in {time.monotonic() - begin:.0f} s{wrong}",
        flush=True,
    )
    return not wrong


def _failing(book: nbformat.NotebookNode) -> str:
    """Return the source of the last cell that was executed."""
    return str(max(book.cells, key=lambda cell: cell.get("execution_count") or 0)["source"])


def _said(cell: nbformat.NotebookNode) -> str:
    """Return all texts that a cell shows, pictures in bits left out."""
    texts = []
    for output in cell.get("outputs", []):
        texts.append(str(output.get("text", "")))
        texts += [str(text) for kind, text in output.get("data", {}).items() if not kind.startswith("image/")]
    return "\n".join(texts)


if __name__ == "__main__":
    sys.exit(main())
