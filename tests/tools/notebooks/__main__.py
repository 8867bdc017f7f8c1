"""``python -m notebooks``: execute every notebook of ``examples/notebooks``,
in a copy of ``examples``.

They are kept without outputs, which would be data. What they show is held here to name no record.
Data come from the folder in ``RATINGPRIV_TEST_DATA`` (default: ``../shared/data`` beside the
checkout); without it MovieLens is synthetic, and the notebook says so.
"""

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
    parser.add_argument(
        "names", nargs="*", help="notebooks, such as survey; all of them by default"
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", help="keep what was executed, with outputs, here"
    )
    asked = parser.parse_args()
    data = Path(os.environ.get("RATINGPRIV_TEST_DATA", ROOT.parent / "shared" / "data")).resolve()
    os.environ.setdefault("ML_100K", str(data / "ml-100k"))
    paths = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))
    chosen = [path for path in paths if not asked.names or path.stem in asked.names]
    with tempfile.TemporaryDirectory(prefix="notebooks-") as folder:
        place = shutil.copytree(EXAMPLES, Path(folder, "examples"))
        # what a notebook writes for its reader to look at goes with it
        os.environ["TMPDIR"] = folder
        failed = [
            path.stem for path in chosen if not _executed(path, place / "notebooks", asked.keep)
        ]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} notebooks executed")
    return 1 if failed or not chosen else 0


def _executed(path: Path, place: Path, keep: str | None) -> bool:
    begin = time.monotonic()
    book = nbformat.read(path, as_version=4)
    manager = KernelManager(
        # no port is opened
        kernel_name="python3", transport="ipc", ip=str(place.parent / "kernel"),
        client_class="jupyter_client.asynchronous.AsyncKernelClient",
    )  # fmt: skip
    client = NotebookClient(
        book, km=manager, timeout=300, resources={"metadata": {"path": str(place)}}
    )
    wrong = ""
    try:
        client.execute()
    except CellExecutionError as error:
        wrong = f"\n{error}"  # with the cell
    finally:
        manager.shutdown_kernel(now=True)
    if keep is not None:
        Path(keep).mkdir(parents=True, exist_ok=True)
        nbformat.write(book, Path(keep, path.name))
    outputs = [one for cell in book.cells for one in cell.get("outputs", [])]
    shown = [str(one.get("text", "")) for one in outputs]
    shown += [
        str(text)
        for one in outputs
        for kind, text in one.get("data", {}).items()
        if kind[:6] != "image/"
    ]
    if named := _IDS.findall("\n".join(shown)):
        wrong += f"\nan output names a record: {named[:3]}"
    ended = "FAILED" if wrong else "executed"
    print(f"{path.stem}: {ended} in {time.monotonic() - begin:.0f} s{wrong}", flush=True)
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
