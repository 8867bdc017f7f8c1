"""The page of ``ratingpriv run``: a line a step, with its verdict and where its files are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ratingpriv.report.page import Command, Page, Section
from ratingpriv.report.plain import count, plural

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
_FINISHED = ("done", "kept")
_LONGEST = 240  # of a verdict; its text has all of it
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
            Section("Steps", tuple(_line(one) for one in steps)),
            Section("Where it is", tuple(_files(content, steps))),
            Section("Before you publish anything", tuple(_publishing(content, steps))),
            Section("What to do next", tuple(_next(content, steps))),
        ),
        good=None if content["exit_code"] == 0 and not _whole(steps) else content["exit_code"] == 0,
    )


def _headline(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> str:
    finished = sum(one["state"] in _FINISHED for one in steps)
    of = f"{finished} of {count(len(steps), 'step')} of {content['codebook']['file']} {_are(finished)} done"
    stopped = next((one["name"] for one in steps if one["state"] == "failed"), None)
    if stopped is not None:
        return f"STOPPED at {stopped}: {of}"
    if content["exit_code"] == 1:
        return f"GATE FAILED at {', '.join(_failed(steps))}: {of}"
    return f"DONE: {of}" if _whole(steps) else f"DONE IN PART: {of} and up to date"


def _are(number: int) -> str:
    return plural(number, "is", "are")


def _whole(steps: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every step has a result that is up to date, or was left out on purpose."""
    return all(one["state"] in (*_FINISHED, "left_out") for one in steps)


def _failed(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the gates that failed, or that could not be looked at."""
    return [
        one["name"]
        for one in steps
        if one["gate"]
        and ((one["exit_code"] == 1 and one["state"] in _FINISHED) or one["state"] == "left_out")
    ]


def _line(step: Mapping[str, Any]) -> str:
    return f"{step['name']}{' (gate)' if step['gate'] else ''}: {_verdict(step)}"


def _verdict(step: Mapping[str, Any]) -> str:
    state, said = step["state"], step["verdict"]
    if said is not None and len(said) > _LONGEST:
        said = f"{said[: _LONGEST - 3]}..."
    if state == "done":
        return str(said)
    if state == "stale":  # no verdict on what is there now
        return "out of date: it was on other data or options, or on an earlier release"
    if said is None or state == "left_out":
        return str(said or _STATES[state])
    return f"{str(said).rstrip('.')} ({_STATES[state]})"


def _files(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield where the results are."""
    output, name = content["output"], steps[0]["name"]
    yield (
        f"In {output}: the text and the JSON of each step by its name, such as {name}.txt and {name}.json; "
        "run.json, which says what was run, with which options, on which files."
    )
    for one in steps:
        results = {f"{output}/{one['name']}.{suffix}" for suffix in ("json", "txt")}
        own = [file["file"] for file in one["files"] if file["file"] not in results]
        if own:
            yield f"Of {one['name']}: {', '.join(own)}."


def _publishing(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if content["exit_code"] not in (0, 1):
        return
    made = next((one for one in steps if one["name"] == "anonymize"), None)
    if made is None or made["exit_code"] != 0 or made["state"] not in _FINISHED:
        return
    files = [one["file"] for one in made["files"]]
    yield (
        f"To be published are {files[_RELEASE]} and {files[_BESIDE]}. The other files are for "
        f"you{_but(steps)}, and the key, which says which record became which, is for you alone."
    )
    if any(one["name"] == "attack" and one["state"] in _FINISHED for one in steps):
        yield "That an attack found little is no proof: a better one may come."
    if failed := [name for name in _failed(steps) if name != "anonymize"]:
        yield f"Not met: {', '.join(failed)}. Do not publish before you have read why."


def _but(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return which of the other files is written for anybody, too."""
    made = next((one for one in steps if one["name"] == "report" and one["state"] in _FINISHED), None)
    if made is None or "--internal" in made["command"]:
        return ""
    return f" (but for {made['files'][0]['file']}, which has no record and no small number in it)"


def _next(content: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> Iterator[str | Command]:
    made = (one for one in steps if one["name"] == "report" and one["state"] in _FINISHED)
    report = next((file["file"] for one in made for file in one["files"]), None)
    if report is not None:
        yield f"Read {report}: one page for people who were not here."
    stale = [one["name"] for one in steps if one["state"] == "stale"]
    if stale:
        yield f"Out of date, as data, options or the release have changed: {', '.join(stale)}. Again:"
        yield Command(f"ratingpriv run {content['codebook']['file']} --from-step {stale[0]}")
    if failed := _failed(steps):
        yield f"The exit code is 1 because of {', '.join(failed)}: gates of [run] says which steps count."
