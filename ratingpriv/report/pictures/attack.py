"""An attack: how many targets each algorithm identifies, and what is guessed, before and after a release."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ratingpriv.report.pictures.canvas import COLOURS, GREY, at_right, interval, nothing_measured, rows_of
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about, plain
from ratingpriv.report.plain import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BEFORE, _AFTER = COLOURS[0], COLOURS[1]
_NO_PROOF = "A low number is no proof: other adversaries may find more."


def _file(document: Document) -> str:
    name = document["dataset"]["name"]
    return plain(PurePath(name).name or name, 28)


def _percent(success: Document) -> tuple[float, float, float] | None:
    """Return a rate and its interval in percent; None where nothing was measured."""
    if success["rate"] is None:
        return None
    return 100 * success["rate"], 100 * success["low"], 100 * success["high"]


def _finding(document: Document) -> str:
    last = document.get("release") or document
    success = last["success"]
    if success["rate"] is None:
        return "No target was attacked, so nothing was measured: that is not safe"
    level = f"{100 * document['parameters'].get('confidence', 0.95):g} % interval"
    tried = len(document["suite"])
    by = f"the strongest of {tried} attacks" if tried > 1 else "one attack"
    text = (
        f"{percent(success['rate'])} of {count(success['of'], 'target')} identified in {_file(last)} ("
        f"{level} {percent(success['low'])} to {percent(success['high'])}) by {by} "
        f"({document['parameters']['algorithm']})"
    )
    if last is document or document["success"]["rate"] is None:
        return text
    return f"{text}; before, in {_file(document)}: {percent(document['success']['rate'])}"


def _caption(document: Document) -> str:
    known = document["parameters"].get("known")
    knows = "" if known is None else f" The adversary knows {known} ratings of a target."
    lost = document["could_not_attack"]
    out = f" {count(lost, 'target')} could not be attacked: in no rate." if lost else ""
    baseline = document["baseline"]
    chance = "" if baseline is None else f" Dotted: naming a record at random, {percent(baseline)}."
    return (
        f"{about(document)}{knows}{out} Dots are shares, lines their "
        f"{100 * document['parameters'].get('confidence', 0.95):g} % intervals.{chance} {_NO_PROOF}"
    )


def _rows(document: Document) -> list[tuple[str, Any, Any]]:
    """Return of each algorithm its name, its success and that on the release; the strongest first."""
    rows = [
        (one["algorithm"], one["success"], (one.get("release") or {}).get("success"))
        for one in document["suite"]
    ]
    return sorted(rows, key=lambda row: (-((row[2] or row[1])["rate"] or 0.0), row[0]))


def _size(document: Document) -> tuple[float, float]:
    return 7.2, 1.2 + 0.42 * len(document["suite"])


def _draw(axes: Axes, document: Document) -> None:
    rows = _rows(document)
    rows_of(axes, [plain(name) for name, _, _ in rows])
    axes.set_xlim(-1, 101)
    axes.set_xlabel("targets identified, %")
    released = any(after is not None for _, _, after in rows)
    for place, (_, before, after) in enumerate(rows):
        _pair(axes, place, before, after, released=released)
    if document["baseline"] is not None:
        axes.axvline(100 * document["baseline"], color=GREY, linestyle=":", linewidth=1.2)
    if released:
        _legend(axes, ("data", "release"))


def _pair(axes: Axes, row: float, before: Any, after: Any, *, released: bool) -> None:
    """Draw what was found before and after, and write both beside it."""
    texts = []
    for success, colour, shift in ((before, _BEFORE, -0.16), (after, _AFTER, 0.16)):
        if success is None:
            continue
        drawn = _percent(success)
        texts.append("not measured" if drawn is None else f"{drawn[0]:.1f}")
        if drawn is not None:
            shifted, filled = (row + shift, colour == _AFTER) if released else (row, True)
            interval(axes, shifted, drawn, colour=colour, filled=filled)
    at_right(axes, row, " → ".join(texts) + ("" if texts == ["not measured"] else " %"))


def _legend(axes: Axes, names: tuple[str, str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker="o", ms=7, mew=1.6, lw=2.2, markerfacecolor=face)
        for colour, face in ((_BEFORE, "none"), (_AFTER, _AFTER))
    ]
    axes.legend(
        handles, names, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small",
        borderaxespad=0.2,
    )  # fmt: skip


ATTACK = Picture(_finding, _caption, _draw, _size)


# ---- attribute inference ----


def _guessed(document: Document) -> list[tuple[str, Document]]:
    """Return what was guessed, with a name; what nobody knew is not there."""
    found = (document.get("release") or document).get("inference")
    if found is None:
        return []
    rows = [(plain(name, 26), one) for name, one in found["sensitive"].items()]
    others = found["unknown_ratings"]
    return [*rows, ("all other ratings", others)] if others["correct"]["of"] else rows


def _inference_finding(document: Document) -> str:
    rows = [(name, guess) for name, guess in _guessed(document) if guess["correct"]["rate"] is not None]
    if not rows:
        return "Nothing was measured"

    def gain(row: tuple[str, Document]) -> float:
        correct, baseline = row[1]["correct"]["rate"], row[1]["baseline"]["rate"]
        return float(correct) - float(baseline or 0.0)

    name, most = max(rows, key=gain)
    correct, baseline = (percent(most[key]["rate"] or 0.0) for key in ("correct", "baseline"))
    return f"{name} guessed correctly: {correct}; the commonest answer is correct for {baseline}"


def _inference_caption(document: Document) -> str:
    where = "the release" if document.get("release") else "the data"
    return (
        f"{about(document)} Attribute inference from {where} by {document['parameters']['algorithm']}: the "
        "likeliest value over all candidates, without finding anybody, beside each question's commonest "
        f"answer, which needs no knowledge. {_NO_PROOF}"
    )


def _draw_inference(axes: Axes, document: Document) -> None:
    rows = _guessed(document)
    if not rows:
        nothing_measured(axes)
        return
    rows_of(axes, [name for name, _ in rows])
    axes.set_xlim(-1, 101)
    axes.set_xlabel("values guessed correctly, %")
    for place, (_, one) in enumerate(rows):
        _pair(axes, place, one["baseline"], one["correct"], released=True)
    _legend(axes, ("commonest answer", "likeliest of the candidates"))


def _no_inference(document: Document) -> str | None:
    return None if _guessed(document) else "it has no inference; attack data with a sensitive question"


INFERENCE = Picture(
    _inference_finding,
    _inference_caption,
    _draw_inference,
    lambda document: (7.2, 1.2 + 0.42 * max(len(_guessed(document)), 1)),
    _no_inference,
)
