"""What is said where nobody can say what columns are, a problem a kind of doubt."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ratingpriv.base.errors import Problem
from ratingpriv.base.escaping import looks_like_data, shown_name
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.codebook.recognition.looks import Look
from ratingpriv.data.table.building.problems import Problems

_LISTED = 6
_OPTIONS = ("drop", "ratings", "quasi")


@functools.cache
def _doubts() -> Mapping[str, Mapping[str, str]]:
    """Return what is said of each kind of doubt."""
    kinds = tomllib.loads(Path(__file__).with_name("doubts.toml").read_text(encoding="utf-8"))
    return {kind: kinds["usual"] | specific for kind, specific in kinds.items()}


def note_doubts(
    found: Sequence[tuple[str, Look, Problem | None]],
    raw: RawData,
    id_name: str | None,
    problems: Problems,
) -> None:
    """Note doubtful columns, a problem for those of one kind.

    ``found`` are (name, look, what is said of the column where it is the only one of its kind).
    """
    places = {name: number for number, name in enumerate(raw.all_names, start=1)}
    for kind in dict.fromkeys(look.kind for _, look, _ in found):
        doubtful = [doubt for doubt in found if doubt[1].kind == kind]
        names = [name for name, _, _ in doubtful]
        _, look, alone = doubtful[0]
        words = _doubts()[kind]
        remedy = (
            f"{_remedy(words, names, id_name)}; `ratingpriv describe` proposes a role for "
            f"every column"
        )
        if len(names) > 1:
            content = f"{len(names)} columns {words['found']}: {_listed(names, places)}"
            problems.add(Problem(raw.origin.name, content, words["expected"], remedy))
        elif alone is not None and kind == "text":
            problems.add(alone)
        else:
            file, _, called = raw.locate(0, names[0])
            content = f"a column {look.why}" if kind == "name" else look.why
            problems.add(Problem(file, content, words["expected"], remedy, None, called))


def _listed(names: Sequence[str], places: Mapping[str, int]) -> str:
    """Return names as they may be shown; of many of them the first and the last."""
    shown = [shown_name(name, places[name]) for name in names]
    return ", ".join(shown) if len(names) <= _LISTED else f"{shown[0]}, {shown[1]} … {shown[-1]}"


def _remedy(said: Mapping[str, str], names: Sequence[str], id_name: str | None) -> str:
    """Return the options that say what columns are,
    spelled out for few names that look like none of data.
    """
    single = len(names) == 1
    plain = not any(map(looks_like_data, names)) and len(names) <= _LISTED
    return said["remedy"].format(
        it="it" if single else "them",
        they="it holds" if single else "they hold",
        its="its" if single else "their",
        id="name it with `id` if it names the records, " if single and id_name is None else "",
        **{name: f"`{name}={names!r}`" if plain else f"`{name}`" for name in _OPTIONS},
    )
