"""What a run left behind: ``run.json``, by which the next run knows what is finished and unchanged.

A step is finished for good as long as its options, the columns and the data of the codebook, every file that
it read and every file that it wrote are the same, byte for byte, and ratingpriv is of the same version.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ratingpriv import __version__
from ratingpriv.cli.run.plan import Plan, Step
from ratingpriv.errors import DataError, Problem
from ratingpriv.inputs import small_text
from ratingpriv.provenance import tool

__all__ = ["SCHEMA", "Outcome", "earlier_outcomes", "files_of", "fingerprint", "run_dict", "sha256_of"]

SCHEMA = "ratingpriv.run/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a step.

    Attributes
    ----------
    state : ``planned``, ``running``, ``done``, ``kept`` (finished earlier, and unchanged), ``stale``
        (finished earlier, of other inputs), ``left_out``, ``failed``, ``interrupted``
    exit_code : the command's; None where it did not run
    verdict : the first line of its page, or its error; None where it did not run
    fingerprint : SHA-256 of all that its result depends on
    inputs, files : what it read and wrote, by path from the codebook's folder, with SHA-256
    """

    state: str = "planned"
    exit_code: int | None = None
    verdict: str | None = None
    fingerprint: str | None = None
    command: str = ""
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether it has a result that can be kept."""
        return self.state in ("done", "kept", "stale") and self.exit_code in (0, 1)


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 of a file, or of all files in a folder and their names; None where there is none."""
    if path.is_dir():
        whole = hashlib.sha256()
        for one in sorted(path.rglob("*")):
            if one.is_file():
                whole.update(f"{one.relative_to(path).as_posix()}\0{sha256_of(one)}\0".encode())
        return whole.hexdigest()
    if not path.is_file():
        return None
    found = path.stat()
    return _digest(str(path.resolve()), found.st_size, found.st_mtime_ns, found.st_ino)


@functools.lru_cache(maxsize=4096)
def _digest(path: str, *_: int) -> str:
    """Return the SHA-256 of a file that is what it was: every step asks for those that it reads."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_of(names: Iterator[str] | tuple[str, ...]) -> dict[str, str | None]:
    """Return files by name with their SHA-256."""
    return {name: sha256_of(Path(name)) for name in names}


def fingerprint(plan: Plan, step: Step, inputs: Mapping[str, str | None]) -> str:
    """Return the SHA-256 of all that a step's result depends on: words, columns, files, version."""
    book = plan.book
    said = {
        "version": __version__,
        "argv": step.argv,
        "inputs": dict(inputs),
        "columns": {name: list(spec.said()) for name, spec in book.columns.items()},
        "missing": book.missing,
        "data": dict(book.data),
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def earlier_outcomes(plan: Plan) -> dict[str, Outcome]:
    """Return what became of the steps of an earlier run in the same folder.

    Raises
    ------
    DataError
        The file is there and is no record of a run.
    """
    if not plan.record.exists():
        return {}
    try:
        content = json.loads(small_text(plan.record))
        if content["schema"] != SCHEMA:
            raise ValueError
        return {one["name"]: _outcome(one) for one in content["steps"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        record = str(plan.record)
        remedy = f"choose another folder (--output), or remove {record}"
        problem = Problem(record, "no record of a run", f"{SCHEMA}, as a run writes it", remedy)
        raise DataError(problem) from error


def _outcome(content: Mapping[str, Any]) -> Outcome:
    pairs = {key: {str(one["file"]): one["sha256"] for one in content[key]} for key in ("inputs", "files")}
    same = {key: content[key] for key in ("state", "exit_code", "verdict", "fingerprint", "command")}
    return Outcome(**same, **pairs)  # type: ignore[arg-type]


def run_dict(
    plan: Plan, outcomes: Mapping[str, Outcome], *, data_sha256: str | None, exit_code: int | None
) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.run/1``."""
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "codebook": {"file": plan.codebook, "sha256": plan.book.sha256},
        "data": {"file": plan.data, "sha256": data_sha256},
        "output": plan.output,
        "exit_code": exit_code,
        "steps": [_step_dict(step, outcomes.get(step.name, Outcome())) for step in plan.steps.values()],
    }


def _step_dict(step: Step, outcome: Outcome) -> dict[str, Any]:
    said = dataclasses.asdict(outcome)
    files = {
        key: [{"file": name, "sha256": digest} for name, digest in said.pop(key).items()]
        for key in ("inputs", "files")
    }
    return {"name": step.name, "gate": step.gate, **said, **files}
