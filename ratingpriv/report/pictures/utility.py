"""What a release is still good for: its measures, its questions, and how much of the data it has left."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from ratingpriv.report.meanings import MEANINGS
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    at_right,
    nothing_measured,
    rows_of,
    side_by_side,
)
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, plain
from ratingpriv.report.plain import count, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ORIGINAL, _RELEASE, _WORTHLESS = COLOURS[0], COLOURS[1], GREY
_MOST = 20
"""Questions drawn; of more, those whose means changed most."""
_LEFT, _RIGHT = -0.35, 1.35
"""How far beyond worthless (0) and original (1) a measure is drawn where it is."""


def _utility(document: Document) -> Document | None:
    """Return what was measured: the document itself, or the utility of a release that was just made."""
    if document["schema"].startswith("ratingpriv.utility/"):
        return document
    return document.get("utility")


def _about(document: Document) -> str:
    if "original" in document:
        names = [
            plain(PurePath(document[one]["name"]).name or document[one]["name"], 32)
            for one in ("original", "release")
        ]
        return f"{names[1]}, a release of {names[0]}."
    released = count(document["records"]["released"], "record")
    return f"A release by {plain(document['method']['name'])}: {released}."


# ---- measures ----


def _placed(document: Document) -> list[tuple[str, Document, float | None]]:
    """Return the measures that have a value, and where each is between worthless (0) and original (1)."""
    found = _utility(document)
    rows: list[tuple[str, Document, float | None]] = []
    for name in MEANINGS:
        one = None if found is None else found.get(name)
        if not one or one["value"] is None:
            continue
        original, worthless = one["original"], one["worthless"]
        known = original is not None and worthless is not None and original != worthless
        rows.append((name, one, (one["value"] - worthless) / (original - worthless) if known else None))
    return rows


def _utility_finding(document: Document) -> str:
    placed = [place for _, _, place in _placed(document) if place is not None]
    if not placed:
        return "Nothing was measured"
    kept = sum(place > 0.5 for place in placed)
    if len(placed) == kept > 1:
        return f"All {kept} measures are nearer to the original than to a worthless release"
    if len(placed) == 1:
        return f"The measure is nearer to {'the original' if kept else 'a worthless release'}"
    return f"{kept} of {len(placed)} measures are nearer to the original than to a worthless release"


def _utility_caption(document: Document) -> str:
    rows = _placed(document)
    unplaced = [MEANINGS[name].title for name, _, place in rows if place is None]
    measures = _utility(document) or {}
    missing = [
        MEANINGS[name].title for name in MEANINGS if name in measures and measures[name].get("value") is None
    ]
    parts = [
        _about(document),
        "Each measure on a scale of its own. The numbers: of the release, with those of the original and of "
        "a worthless release (every rating a random one of its question) in brackets. Arrows: beyond the "
        "axis.",
    ]
    if unplaced:
        parts.append(f"No place, as original and worthless are equal or not known: {', '.join(unplaced)}.")
    if missing:
        parts.append(f"Not measured: {', '.join(missing)}.")
    parts.append("Utility says nothing of who is protected.")
    return " ".join(parts)


def _draw_utility(axes: Axes, document: Document) -> None:
    rows = _placed(document)
    if not rows:
        nothing_measured(axes)
        return
    rows_of(axes, [MEANINGS[name].title for name, _, _ in rows])
    axes.set_xlim(_LEFT, _RIGHT)
    axes.set_xticks([0, 0.5, 1], ["worthless", "half way", "original"])
    axes.axvline(1, color=_ORIGINAL, lw=1.4)
    axes.axvline(0, color=_WORTHLESS, lw=1.4)
    for y, (_, measure, position) in enumerate(rows):
        numbers = [_short(measure[key]) for key in ("value", "original", "worthless")]
        at_right(axes, y, f"{numbers[0]} ({numbers[1]}; {numbers[2]})")
        if position is None:
            continue
        ends = [
            (measure[key] - measure["worthless"]) / (measure["original"] - measure["worthless"])
            for key in ("low", "high")
            if measure[key] is not None
        ]
        if len(ends) == 2:
            axes.plot(ends, [y, y], color=_RELEASE, lw=2.2, alpha=0.75, solid_capstyle="butt")
        shown = min(max(position, _LEFT + 0.03), _RIGHT - 0.03)
        marker = "o" if shown == position else "<" if shown > position else ">"
        axes.plot([shown], [y], marker=marker, ms=8, color=_RELEASE, lw=0)


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"


def _no_utility(document: Document) -> str | None:
    return None if _utility(document) else "it has no `utility`"


UTILITY = Picture(
    _utility_finding,
    _utility_caption,
    _draw_utility,
    lambda document: (7.2, 1.1 + 0.34 * max(len(_placed(document)), 2)),
    _no_utility,
)


# ---- questions ----


def _questions(document: Document) -> list[Document]:
    """Return the questions that had ratings, those first whose means changed most or were lost."""
    found = (_utility(document) or {}).get("questions") or {}
    rows = [one for one in found.get("questions", ()) if one["before"]["mean"] is not None]

    def change(one: Document) -> float:
        after = one["after"]["mean"]
        return float("inf") if after is None else abs(after - one["before"]["mean"])

    return sorted(rows, key=change, reverse=True)


def _questions_finding(document: Document) -> str:
    rows = _questions(document)
    if not rows:
        return "Nothing was measured"
    lost = sum(one["after"]["mean"] is None for one in rows)
    if lost:
        return f"{count(lost, 'question')} of {len(rows):,} lost all ratings"
    first = rows[0]
    before, after = first["before"]["mean"], first["after"]["mean"]
    if before == after:
        return f"No mean of {count(len(rows), 'question')} changed"
    return f"The mean that changes most is that of {plain(first['name'])}: from {before:.3g} to {after:.3g}"


def _questions_caption(document: Document) -> str:
    rows = _questions(document)
    of = (_utility(document) or {}).get("questions", {}).get("of_questions", len(rows))
    shown = min(len(rows), _MOST)
    part = "" if shown == of else f" {shown} of {of:,} questions, those whose means change most."
    return (
        f"{_about(document)}{part} Left: the mean rating before (circle) and after (dot). Right: the share "
        "of the answers that were moved, where it is known. Utility says nothing of who is protected."
    )


def _draw_questions(axes: Axes, document: Document) -> None:
    rows = _questions(document)[:_MOST]
    if not rows:
        nothing_measured(axes)
        return
    left, right = side_by_side(axes, 2, gap=0.06)
    names = [plain(row["name"], 22) for row in rows]
    rows_of(left, names)
    rows_of(right, [""] * len(rows))
    for y, row in enumerate(rows):
        before, after = row["before"]["mean"], row["after"]["mean"]
        if after is not None:
            left.plot([before, after], [y, y], color=GREY, lw=1.6)
            left.plot([after], [y], marker="o", ms=7, color=_RELEASE, lw=0)
        else:
            left.text(before, y + 0.1, "  all ratings lost", color=_RELEASE, fontsize="small", va="center")
        left.plot([before], [y], "o", ms=7, mew=1.6, mec=_ORIGINAL, mfc="none")
        moved = row.get("moved")
        if moved is None:
            right.text(0.5, y, "not known", color=GREY, fontsize="small", va="center")
        else:
            right.barh(y, 100 * moved, 0.6, color=_RELEASE)
            at_right(right, y, f"{100 * moved:.3g} %")
    left.margins(x=0.08)
    left.set_xlabel("mean, ○ before, ● after")
    right.set_xlim(0, min(100.0, max(5.0, 130 * max(row.get("moved") or 0.0 for row in rows))))
    right.set_xlabel("answers moved, %")


def _no_questions(document: Document) -> str | None:
    found = (_utility(document) or {}).get("questions")
    return None if found and found.get("questions") else "the measure questions was not taken"


QUESTIONS = Picture(
    _questions_finding,
    _questions_caption,
    _draw_questions,
    lambda document: (7.2, 1.0 + 0.27 * max(min(len(_questions(document)), _MOST), 3)),
    _no_questions,
)


# ---- information loss ----


def _shares(document: Document) -> Document | None:
    """Return the shares of the original's ratings that were changed, suppressed and so on; None without."""
    if "shares" in document:
        found: Document | None = document["shares"]
        return found
    return ((document.get("information_loss") or {}).get("distortion") or {}).get("shares")


def _kept(shares: Document) -> float:
    return max(0.0, 1.0 - float(shares["changed"] + shares["erased"] + shares["withheld"]))


def _loss_finding(document: Document) -> str:
    shares = _shares(document)
    if shares is None:
        return "Nothing was measured"
    said = f"{percent(_kept(shares))} of the ratings are in the release as they were"
    if shares["filled"]:
        said += f"; beside them it has imputed ones, {percent(shares['filled'])} of the original's number"
    return said


def _loss_caption(document: Document) -> str:
    distortion = document.get("distortion")
    if distortion is None:
        distortion = ((document.get("information_loss") or {}).get("distortion") or {}).get("total")
    total = "" if distortion is None else f" Information loss (L1): {number(distortion)} points of the scale."
    return (
        f"{_about(document)} All shares are of the original's ratings.{total} Imputed ratings are nobody's "
        "answers, and stand beside the others."
    )


def _draw_loss(axes: Axes, document: Document) -> None:
    shares = _shares(document)
    if shares is None:
        nothing_measured(axes)
        return
    rows = (
        ("as they were", _kept(shares), COLOURS[0]),
        ("changed", shares["changed"], COLOURS[1]),
        ("suppressed cells", shares["erased"], COLOURS[5]),
        ("suppressed records'", shares["withheld"], GREY),
        ("imputed (added)", shares["filled"], COLOURS[3]),
    )
    rows_of(axes, [name for name, _, _ in rows])
    for at, (_, share, colour) in enumerate(rows):
        hatch = "///" if at == len(rows) - 1 else None
        axes.barh(at, 100 * share, 0.62, color=colour, hatch=hatch, edgecolor="white", lw=0)
        at_right(axes, at, percent(share))
    axes.set_xlim(0, max(100.0, 100 * shares["filled"]))
    axes.set_xlabel("ratings, % of the original's")


def _no_loss(document: Document) -> str | None:
    if "shares" in document or (document.get("information_loss") or {}).get("distortion"):
        return None
    return "the information loss was not measured, or there is no release"


LOSS = Picture(_loss_finding, _loss_caption, _draw_loss, lambda _document: (7.2, 2.6), _no_loss)
