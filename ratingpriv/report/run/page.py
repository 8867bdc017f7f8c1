"""The page of ``ratingpriv run``: a line a step, with its verdict and where its files are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count

__all__ = ["run_page"]

_STATES = {
    "planned": "not run",
    "running": "not finished",
    "done": "done",
    "kept": "kept",
    "stale": "out of date",
    "left_out": "left out",
    "failed": "error",
    "interrupted": "interrupted",
}
_PRIVATE = ".key"
_RELEASE, _BESIDE = 0, 1  # of the files of anonymize


def run_page(content: Mapping[str, Any], *, folder: str | None = None) -> Page:
    """Return the page of ``ratingpriv.run/1``.

    Parameters
    ----------
    folder : the codebook's folder, where that is not the current one; None: it is
    """
    steps: Sequence[Mapping[str, Any]] = content["steps"]
    where = () if folder is None else (f"Files and commands are named from the folder {folder}.",)
    if content["exit_code"] is None:
        return Page(
            headline=f"PLANNED: {count(len(steps), 'step')} of {content['codebook']['file']}",
            explanation=("Every option was checked, and nothing was run.", *where),
            sections=(Section("Commands", tuple(Command(one["command"]) for one in steps)),),
        )
    return Page(
        headline=_headline(content, steps),
        explanation=where,
        sections=(
            Section("Steps", tuple(f"{one['name']}: {_verdict(one)}" for one in steps)),
            Section("Where it is", (_files(steps, content["output"]),)),
            Section("Before you publish anything", tuple(_publishing(steps))),
            Section("What to do next", tuple(_next(content, steps))),
        ),
        good=content["exit_code"] == 0,
    )


def _headline(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> str:
    name, finished = content["codebook"]["file"], sum(one["state"] in ("done", "kept") for one in steps)
    of = f"{finished} of {count(len(steps), 'step')} of {name}"
    stopped = next((one["name"] for one in steps if one["state"] == "failed"), None)
    if stopped is not None:
        return f"STOPPED at {stopped}: {of} are done"
    if content["exit_code"] == 1:
        return f"GATE FAILED at {', '.join(_failed(steps))}: {of} are done"
    return f"DONE: {of}"


def _failed(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the gates that failed, or that could not be looked at."""
    return [
        one["name"]
        for one in steps
        if one["gate"]
        and ((one["exit_code"] == 1 and one["state"] in ("done", "kept")) or one["state"] == "left_out")
    ]


def _verdict(step: Mapping[str, Any]) -> str:
    state, said = step["state"], step["verdict"]
    if state == "done":
        return str(said)
    if said is None or state == "left_out":
        return str(said or _STATES[state])
    return f"{said} ({_STATES[state]})"


def _files(steps: Sequence[Mapping[str, Any]], output: str) -> Table:
    rows = [
        (
            one["name"],
            "" if one["exit_code"] is None else str(one["exit_code"]),
            "yes" if one["gate"] else "",
            ", ".join(file["file"] for file in one["files"]),
        )
        for one in steps
    ]
    return Table(("step", "exit", "gate", "files"), (*rows, ("all", "", "", f"{output}/run.json")),
                 (False, True, False, False))  # fmt: skip


def _publishing(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    made = next((one for one in steps if one["name"] == "anonymize"), None)
    if made is None or made["exit_code"] != 0 or made["state"] not in ("done", "kept"):
        return
    files = [one["file"] for one in made["files"]]
    yield (
        f"{files[_RELEASE]} and {files[_BESIDE]} are what is made to be published; all other files are for "
        "you, and the key (which record became which) is for you alone."
    )
    if failed := [name for name in _failed(steps) if name != "anonymize"]:
        yield f"Not met: {', '.join(failed)}. Do not publish before you have read why."


def _next(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Iterator[str | Command]:
    report = next((file["file"] for one in steps if one["name"] == "report" for file in one["files"]), None)
    if report is not None:
        yield f"Read {report}: one page for people who were not here."
    stale = [one["name"] for one in steps if one["state"] == "stale"]
    if stale:
        yield f"Out of date, as data, options or the release have changed: {', '.join(stale)}. Run them again:"
        yield Command(f"ratingpriv run {content['codebook']['file']} --from-step {stale[0]}")
    if failed := _failed(steps):
        yield (
            f"Which steps decide the exit code is for gates of [run] to say; here: {', '.join(failed)} failed."
        )
