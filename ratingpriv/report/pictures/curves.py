"""Curves of an attack: a sweep, Scoreboard-RH's precision and recall, and how sparse the data are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratingpriv.report.pictures.canvas import COLOURS, GREY, label_ends, nothing_measured
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about
from ratingpriv.report.plain import count, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {
    "known": "known ratings of a target",
    "wrong": "wrong ratings among those known",
    "unrated": "questions known to be unanswered",
    "rating_error": "error of known ratings (points of the scale)",
    "date_error": "error of known dates (days)",
    "items": "which questions are known",
    "knows_count": "whether the number of ratings is known",
}
_STYLES = ("-", "--", ":", "-.")
_HEIGHT = 3.4


# ---- a sweep ----


def _varied(document: Document) -> list[str]:
    """Return what was varied, what has the most numbers first: that becomes the axis."""
    rows = document["sweep"]

    def values(name: str) -> list[Any]:
        found: list[Any] = []
        for row in rows:
            if row[name] not in found:
                found.append(row[name])
        return found

    names = [name for name in _NAMES if rows and name in rows[0] and len(values(name)) > 1]
    return sorted(names, key=lambda name: -sum(_numeric(value) for value in values(name)))


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _series(document: Document) -> tuple[str, list[tuple[str, list[Document]]]]:
    """Return what the axis is of, and the curves: what else was varied, in words, and the settings."""
    varied = _varied(document)
    along = varied[0] if varied else "known"
    curves: dict[str, list[Document]] = {}
    for row in document["sweep"]:
        name = ", ".join(_said(other, row[other]) for other in varied[1:])
        curves.setdefault(name, []).append(row)
    return along, list(curves.items())


def _said(name: str, value: Any) -> str:
    if name == "date_error":
        return "no dates" if value is None else f"dates ±{number(value)} days"
    if name == "rating_error":
        return f"ratings ±{number(value)}" if value else "exact ratings"
    if name == "items":
        return f"{value} questions"
    words = {
        "known": "known ratings",
        "wrong": "wrong ratings",
        "unrated": "known to be unanswered",
        "knows_count": "known numbers of ratings",
    }
    return f"{_value(value)} {words[name]}"


def _value(value: Any) -> str:
    return "none" if value is None else number(value) if _numeric(value) else str(value)


def _sweep_finding(document: Document) -> str:
    _, curves = _series(document)
    measured = [row for _, rows in curves for row in rows if row["success"]["rate"] is not None]
    if not measured:
        return "Nothing was measured: that is not safe"
    least = min(measured, key=lambda row: row["success"]["rate"])
    most = max(measured, key=lambda row: row["success"]["rate"])
    ends = [_setting(document, row) for row in (least, most)]
    if least is most:
        return f"{percent(most['success']['rate'])} of {count(most['targets'], 'target')} identified{ends[1]}"
    return (
        f"{percent(least['success']['rate'])} of the targets identified{ends[0]}, "
        f"{percent(most['success']['rate'])}{ends[1]}"
    )


def _setting(document: Document, row: Document) -> str:
    """Return what was varied, and which value it had there."""
    said = ", ".join(_said(name, row[name]) for name in _varied(document))
    return f" with {said}" if said else ""


def _sweep_caption(document: Document) -> str:
    rows = document["sweep"]
    nothing = sum(row["success"]["rate"] is None for row in rows)
    missed = f" Not drawn: {count(nothing, 'setting')} in which nothing was measured." if nothing else ""
    tried = document["suite"]
    which = "the strongest attack there" if len(tried) > 1 else f"the attack {tried[0]['algorithm']}"
    return (
        f"{about(document)} Each dot is {which}, on the data themselves; bars are its "
        f"{100 * document['parameters'].get('confidence', 0.95):g} % interval.{missed} A low number is no "
        "proof."
    )


def _draw_sweep(axes: Axes, document: Document) -> None:
    along, curves = _series(document)
    rows = [row for _, series in curves for row in series if row["success"]["rate"] is not None]
    if not rows:
        nothing_measured(axes)
        return
    numbers = sorted({row[along] for row in document["sweep"] if _numeric(row[along])})
    others = list(dict.fromkeys(_value(row[along]) for row in document["sweep"] if not _numeric(row[along])))
    step = (numbers[-1] - numbers[0]) / max(len(numbers) - 1, 1) if numbers else 1.0
    last = numbers[-1] if numbers else 0.0
    places = {name: last + (position + 1) * (step or 1.0) for position, name in enumerate(others)}
    ends = []
    for position, (name, series) in enumerate(curves):
        seen = [row for row in series if row["success"]["rate"] is not None]
        colour, style = COLOURS[position % len(COLOURS)], _STYLES[position // len(COLOURS) % len(_STYLES)]
        for group, linked in ((True, style), (False, "none")):  # what is no number has no distance
            points = [row for row in seen if _numeric(row[along]) is group]
            points.sort(key=lambda row: row[along] if group else 0)
            xs = [row[along] if group else places[_value(row[along])] for row in points]
            ys = [100 * row["success"]["rate"] for row in points]
            errors = [
                [y - 100 * row["success"]["low"] for y, row in zip(ys, points, strict=True)],
                [100 * row["success"]["high"] - y for y, row in zip(ys, points, strict=True)],
            ]
            if points:
                axes.errorbar(
                    xs, ys, yerr=errors, marker="o" if group else "s", ms=5, capsize=3, linestyle=linked,
                    color=colour,
                )  # fmt: skip
        if seen and name:
            ends.append((100 * seen[-1]["success"]["rate"], name, colour))
    ticks = [*numbers, *places.values()]
    axes.set_xticks(ticks, [*(number(value) for value in numbers), *others])
    axes.set_ylim(-2, 102)
    if len(ticks) > 1:
        margin = 0.06 * (max(ticks) - min(ticks))
        axes.set_xlim(min(ticks) - margin, max(ticks) + margin)
    axes.set_xlabel(_NAMES[along])
    axes.set_ylabel("targets identified, %")
    axes.grid(alpha=0.25)
    label_ends(axes, ends, inches=_HEIGHT - 0.6)


def _no_sweep(document: Document) -> str | None:
    return None if document.get("sweep") else "it has no `sweep`"


SWEEP = Picture(_sweep_finding, _sweep_caption, _draw_sweep, lambda _document: (7.2, _HEIGHT), _no_sweep)


# ---- precision and recall of Scoreboard-RH ----


def _tradeoffs(document: Document) -> list[tuple[str, list[Document]]]:
    found = [("", document.get("precision_recall"))]
    if document.get("release"):
        found = [("data: ", found[0][1]), ("release: ", document["release"].get("precision_recall"))]
    return [(name, curve) for name, curve in found if curve]


def _tradeoff_finding(document: Document) -> str:
    curves = _tradeoffs(document)
    if not curves:
        return "Nothing was measured"
    name, curve = curves[-1]
    where = f"In the {name.removesuffix(': ')}, a" if name else "A"
    best = max(curve, key=lambda point: (point["recall"] or 0.0, -point["threshold"]))
    precise = "" if best["precision"] is None else f", with a precision of {percent(best['precision'])}"
    return (
        f"{where}t a threshold of {best['threshold']:.3g} Scoreboard-RH identifies "
        f"{percent(best['recall'] or 0.0)} of the targets{precise}"
    )


def _tradeoff_caption(document: Document) -> str:
    dashed = " Dashed: the release." if len(_tradeoffs(document)) > 1 else ""
    return (
        f"{about(document)}{dashed} A record is named if its score stands out by at least the threshold φ. "
        "Precision: how many of those named are the targets'; recall: how many targets are identified; false "
        "positives: how many are named although the target's own record was taken out. A low number is no "
        "proof."
    )


def _draw_tradeoff(axes: Axes, document: Document) -> None:
    curves = _tradeoffs(document)
    if not curves:
        nothing_measured(axes)
        return
    ends = []
    kinds = (("precision", "precision"), ("recall", "recall"), ("false_positive", "false positives"))
    for style, (name, curve) in zip(_STYLES, curves, strict=False):
        for colour, (key, kind) in zip(COLOURS, kinds, strict=False):
            drawn = [point for point in curve if point[key] is not None]
            axes.plot(
                [point["threshold"] for point in drawn], [100 * point[key] for point in drawn],
                drawstyle="steps-pre", color=colour, linestyle=style,
            )  # fmt: skip
            if drawn:
                ends.append((100 * drawn[-1][key], name + kind, colour))
    axes.set_ylim(-2, 102)
    axes.set_xlim(
        min(point["threshold"] for _, curve in curves for point in curve),
        max(point["threshold"] for _, curve in curves for point in curve) or None,
    )
    axes.set_xlabel("eccentricity threshold φ (standard deviations of the scores)")
    axes.set_ylabel("%")
    axes.grid(alpha=0.25)
    label_ends(axes, ends, inches=_HEIGHT - 0.6)


def _no_tradeoff(document: Document) -> str | None:
    return None if _tradeoffs(document) else "the algorithm has no eccentricity, so no precision and recall"


TRADEOFF = Picture(
    _tradeoff_finding, _tradeoff_caption, _draw_tradeoff, lambda _document: (7.2, _HEIGHT), _no_tradeoff
)


# ---- sparsity ----


def _sparsity_finding(document: Document) -> str:
    found = document["sparsity"]
    if not found["quartiles"]:
        return "Nothing was measured"
    return f"The median similarity of a record to its nearest neighbour is {found['quartiles'][1]:.2g}"


def _sparsity_caption(document: Document) -> str:
    found = document["sparsity"]
    of = f"{count(found['records'], 'record')} of {found['rated']:,}"
    drawn = f" {of}, drawn at random." if found["sampled"] else ""
    return (
        f"{about(document)}{drawn} How many records have a neighbour that is at least so similar (1: the "
        "same in everything rated); dots: the quartiles."
    )


def _draw_sparsity(axes: Axes, document: Document) -> None:
    sparsity = document["sparsity"]
    if not sparsity["quartiles"]:
        nothing_measured(axes)
        return
    axes.plot(
        [point["similarity"] for point in sparsity["curve"]],
        [100 * point["share"] for point in sparsity["curve"]],
        color=COLOURS[0],
    )
    for share, similarity in zip((75, 50, 25), sparsity["quartiles"], strict=True):
        axes.plot([similarity], [share], marker="o", ms=6, color=COLOURS[1])
        axes.axhline(share, color=GREY, lw=0.6, linestyle=":")
    axes.set_xlim(0, 1.02)
    axes.set_ylim(-2, 102)
    axes.set_xlabel("similarity to the nearest neighbour (0 to 1)")
    axes.set_ylabel("records with at least that, %")
    axes.grid(alpha=0.25)


def _no_sparsity(document: Document) -> str | None:
    return None if document.get("sparsity") else "it has no `sparsity`"


SPARSITY = Picture(
    _sparsity_finding, _sparsity_caption, _draw_sparsity, lambda _document: (7.2, _HEIGHT), _no_sparsity
)
