"""An attack: who is identified, what is guessed, what more knowledge would do,
how sparse the data are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ratingpriv.report.pictures import canvas
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    Document,
    Picture,
    interval,
    plain,
    words,
)
from ratingpriv.report.templating import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BEFORE, _AFTER = COLOURS[0], COLOURS[1]
_STYLES = ("-", "--", ":", "-.")


# ---- who is identified ----


def _attacks(document: Document) -> list[tuple[str, Any, Any]]:
    """Return of each algorithm its name, its success and that on the release.

    The strongest first.
    """
    rows = [
        (attack["algorithm"], attack["success"], (attack.get("release") or {}).get("success"))
        for attack in document["suite"]
    ]
    return sorted(rows, key=lambda row: (-((row[2] or row[1])["rate"] or 0.0), row[0]))


def _draw_attacks(axes: Axes, rows: list[tuple[str, Any, Any]], document: Document) -> None:
    canvas.rows_of(axes, [plain(name) for name, _, _ in rows])
    axes.set_xlim(-1, 101)
    axes.set_xlabel("targets re-identified, %")
    released = any(after is not None for _, _, after in rows)
    for row, (_, before, after) in enumerate(rows):
        _draw_pair(axes, row, before, after, released=released)
    if document["baseline"] is not None:
        axes.axvline(100 * document["baseline"], color=GREY, linestyle=":", linewidth=1.2)
    if released:
        _legend(axes, "data", "release")


def _draw_pair(axes: Axes, row: float, before: Any, after: Any, *, released: bool) -> None:
    """Draw a rate before and after with their intervals, and write both beside them."""
    texts = []
    for success, colour, shift in ((before, _BEFORE, -0.16), (after, _AFTER, 0.16)):
        if success is not None and success["rate"] is None:
            texts.append("not measured")
        elif success is not None:
            texts.append(f"{100 * success['rate']:.1f}")
            bounds = (100 * success["rate"], 100 * success["low"], 100 * success["high"])
            shifted, filled = (row + shift, colour == _AFTER) if released else (row, True)
            interval(axes, shifted, bounds, colour=colour, filled=filled)
    canvas.at_right(axes, row, " → ".join(texts) + ("" if texts == ["not measured"] else " %"))


def _legend(axes: Axes, *names: str) -> None:
    look = {"marker": "o", "ms": 7, "mew": 1.6, "lw": 2.2}
    faces = ((_BEFORE, "none"), (_AFTER, _AFTER))
    looks = [{**look, "color": colour, "markerfacecolor": face} for colour, face in faces]
    where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    canvas.legend(axes, dict(zip(names, looks, strict=True)), **where)


ATTACK = Picture(
    "attack", _attacks, _draw_attacks, lambda document: 1.2 + 0.42 * len(document["suite"])
)


# ---- what is guessed ----


def _guesses(document: Document) -> list[tuple[str, Document, float | None]] | None:
    """Return what is guessed with its name and what knowledge adds (None: not measured),
    if anything is.
    """
    inference = (document.get("release") or document).get("inference")
    if inference is None:
        return None
    named = list(inference["sensitive"].items())
    if inference["unknown_ratings"]["correct"]["of"]:
        named.append(("all other ratings", inference["unknown_ratings"]))
    rows: list[tuple[str, Document, float | None]] = []
    for name, guess in named:
        correct, baseline = guess["correct"]["rate"], guess["baseline"]["rate"] or 0.0
        rows.append((short(name, 26), guess, None if correct is None else correct - baseline))
    return rows or None


def _draw_guesses(
    axes: Axes, rows: list[tuple[str, Document, float | None]], _document: Document
) -> None:
    canvas.rows_of(axes, [plain(name) for name, _, _ in rows])
    axes.set_xlim(-1, 101)
    axes.set_xlabel("values inferred correctly, %")
    for row, (_, guess, _) in enumerate(rows):
        _draw_pair(axes, row, guess["baseline"], guess["correct"], released=True)
    _legend(axes, "commonest value", "likeliest of the candidates")


INFERENCE = Picture(
    "inference",
    _guesses,
    _draw_guesses,
    lambda document: 1.2 + 0.42 * len(_guesses(document) or ()),
    "it has no inference; attack data with a sensitive item",
)


# ---- a sweep ----

_KNOWLEDGE = {
    "known": "known ratings of a target",
    "wrong": "wrong ratings among those known",
    "unrated": "items known to be missing",
    "rating_error": "error of known ratings (points of the scale)",
    "date_error": "error of known dates (days)",
    "items": "which items are known",
    "knows_count": "whether the number of ratings is known",
}


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sweep(document: Document) -> Document | None:
    """Return what varies, that with the most numbers first,
    and a curve for each setting of the others.
    """
    rows = document.get("sweep")
    if not rows:
        return None
    values = {
        name: list(dict.fromkeys(row[name] for row in rows))
        for name in _KNOWLEDGE
        if name in rows[0]
    }
    varied = [name for name, different in values.items() if len(different) > 1]
    varied.sort(key=lambda name: -sum(map(_numeric, values[name])))
    curves: dict[tuple[Any, ...], list[Document]] = {}
    for row in rows:
        curves.setdefault(tuple(row[name] for name in varied[1:]), []).append(row)
    measured = [
        row for curve in curves.values() for row in curve if row["success"]["rate"] is not None
    ]
    return (
        {"varied": varied, "curves": list(curves.values()), "measured": measured}
        if measured
        else {}
    )


def _draw_sweep(axes: Axes, sweep: Document, document: Document) -> None:
    along, *others = sweep["varied"] or ["known"]
    settings = list(dict.fromkeys(row[along] for row in document["sweep"]))
    numbers = sorted(filter(_numeric, settings))
    texts = [setting for setting in settings if not _numeric(setting)]
    # what is no number has no distance: if there is any, all stand equally far apart, and no line
    # links them
    places = {
        value: value if not texts else position_of_value
        for position_of_value, value in enumerate([*numbers, *texts])
    }
    for position, curve in enumerate(sweep["curves"]):
        seen = sorted(
            (row for row in curve if row["success"]["rate"] is not None),
            key=lambda row: places[row[along]],
        )
        if not seen:
            continue
        rate, low, high = (
            np.array([100 * row["success"][end] for row in seen]) for end in ("rate", "low", "high")
        )
        xs, errors = [places[row[along]] for row in seen], [rate - low, high - rate]
        look: dict[str, Any] = {
            "marker": "o",
            "ms": 5,
            "capsize": 3,
            "color": COLOURS[position % len(COLOURS)],
        }
        style = "none" if texts else _STYLES[position // len(COLOURS) % len(_STYLES)]
        label = words("setting", others, curve[0]) if others else None
        axes.errorbar(xs, rate, errors, linestyle=style, label=label, **look)
    axes.set_xticks(list(places.values()), [words("value", value) for value in places])
    axes.margins(x=0.06)
    canvas.shares_over(axes, _KNOWLEDGE[along], "targets re-identified, %")


SWEEP = Picture(
    "sweep",
    _sweep,
    _draw_sweep,
    lacks="it has no `sweep`",
    nothing="Nothing was measured: that is not safe",
)


# ---- sparsity ----


def _sparsity(document: Document) -> Document | None:
    sparsity: Document | None = document.get("sparsity") or None
    return sparsity if sparsity is None or sparsity["quartiles"] else {}


def _draw_sparsity(axes: Axes, sparsity: Document, _document: Document) -> None:
    axes.plot(
        [point["similarity"] for point in sparsity["curve"]],
        [100 * point["share"] for point in sparsity["curve"]],
        color=COLOURS[0],
    )
    for share, similarity in zip((75, 50, 25), sparsity["quartiles"], strict=True):
        axes.plot([similarity], [share], marker="o", ms=6, color=COLOURS[1])
        axes.axhline(share, color=GREY, lw=0.6, linestyle=":")
    axes.set_xlim(0, 1.02)
    canvas.shares_over(
        axes, "similarity to the nearest neighbour (0 to 1)", "records with at least that, %"
    )


SPARSITY = Picture("sparsity", _sparsity, _draw_sparsity, lacks="it has no `sparsity`")
