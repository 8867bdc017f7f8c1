"""Answers in words of any language: a few phrases that several columns share seem to be one scale.

Which way they go, and whether they are in an order at all, a person has to say. What is proposed is
the order in which people put them: phrases that the same person gives to like questions stand near
each other (the first axis of a correspondence analysis of which phrases go together).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.codebook.raw import RawColumn, TextCells
from ratingpriv.data.codebook.recognition.looks import Look
from ratingpriv.data.codebook.recognition.text_scales import Understood
from ratingpriv.data.codebook.recognition.worded import FEW_WORDS, is_silent

_FEWEST, _MOST = 3, 7  # phrases of a scale
_COLUMNS = 3  # two questions of a choice among the same things are no scale
_CODE = re.compile(r"[^\W\d]{0,3}\d+")
WHY = (
    "the same few ratings in words as other columns: confirm that they count from low to high in "
    "this order"
)


def shared_words(columns: Iterable[tuple[RawColumn, Look, Sequence[str]]]) -> Mapping[str, Look]:
    """Return the looks of columns that share their few phrases.

    Each is given with its distinct texts.

    Columns that are called like something else than a rating are none of these.
    """
    texts: dict[str, frozenset[str]] = {}
    cells: dict[str, pl.Series] = {}
    silent: dict[str, tuple[str, ...]] = {}
    for column, look, distinct in columns:
        if look.kind == "text" and look.why == FEW_WORDS and len(distinct) <= 2 * _MOST:
            silent[column.name] = tuple(filter(is_silent, distinct))
            texts[column.name] = frozenset(distinct) - frozenset(silent[column.name])
            cells[column.name] = _texts(column)
    looks = {}
    for names, phrases in _groups(texts):
        ordered = _in_order([cells[name] for name in names], sorted(phrases))
        understood = Understood(
            {phrase: float(rank) for rank, phrase in enumerate(ordered, start=1)},
            ordered,
            "shared words",
        )
        for name in names:
            looks[name] = Look(
                "rating", "shared-words", WHY, texts=silent[name], understood=understood
            )
    return looks


def _groups(texts: Mapping[str, frozenset[str]]) -> list[tuple[list[str], frozenset[str]]]:
    """Return (columns, phrases) of those that have most of their phrases in common."""
    groups: list[tuple[list[str], frozenset[str]]] = []
    for name, own in sorted(texts.items(), key=lambda item: -len(item[1])):
        if not 2 <= len(own) <= _MOST:
            continue
        for number, (names, phrases) in enumerate(groups):
            both = own & phrases
            if len(both) >= 2 and 2 * len(both) >= len(own) and len(own | phrases) <= _MOST:
                groups[number] = [*names, name], phrases | own
                break
        else:
            groups.append(([name], own))
    order = {name: number for number, name in enumerate(texts)}
    return [
        (sorted(names, key=order.__getitem__), phrases)
        for names, phrases in groups
        if len(names) >= _COLUMNS and len(phrases) >= _FEWEST
    ]


def _texts(column: RawColumn) -> pl.Series:
    cells = column.cells
    return (
        cells.texts.gather(cells.codes) if isinstance(cells, TextCells) else cells.cast(pl.String)
    )


def _in_order(columns: Sequence[pl.Series], phrases: Sequence[str]) -> tuple[str, ...]:
    """Return the phrases in the order in which people put them,
    those given most often towards the end.
    """
    if all(map(_CODE.fullmatch, phrases)):  # LimeSurvey's A1, A2, ..., A10
        return tuple(sorted(phrases, key=lambda phrase: int(re.sub(r"\D", "", phrase))))
    number_of = {phrase: number for number, phrase in enumerate(phrases)}
    codes = [
        column.replace_strict(number_of, default=None, return_dtype=pl.Int64)
        .fill_null(-1)
        .to_numpy()
        for column in columns
    ]
    together = np.zeros((len(phrases), len(phrases)))
    for first, sequence in enumerate(codes):
        for other in codes[first + 1 :]:
            both = (sequence >= 0) & (other >= 0)
            np.add.at(together, (sequence[both], other[both]), 1)
    together += together.T
    times = together.sum(axis=1)
    if not np.all(times > 0):
        return tuple(phrases)
    axis = _first_axis(together, times)
    order = np.argsort(axis, kind="stable")
    middle = len(phrases) // 2
    if times[order[:middle]].sum() > times[order[-middle:]].sum():
        order = order[::-1]
    return tuple(phrases[number] for number in order.tolist())


def _first_axis(together: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where phrases stand on the first axis of a correspondence analysis:
    [Greenacre 2017, ch. 4].
    """
    root = np.sqrt(times)
    _, axes = np.linalg.eigh(together / np.outer(root, root))
    axis: NDArray[np.float64] = axes[:, -2] / root  # the last is constant
    return axis if axis[np.argmax(np.abs(axis))] > 0 else -axis
