"""Histograms of sizes: of neighbourhoods, of Hamming groups, of the groups of a partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import COLOURS, GREY, nothing_measured
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about, near, plain, under
from ratingpriv.report.plain import count, plural, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SINGLE = 40
"""Up to this size each has a bar of its own."""
_BARS = 24
"""Bars of larger sizes, about."""


def binned(sizes: Sequence[tuple[int, int]], k: int | None) -> list[tuple[int, int, int]]:
    """Return bars ``(from, to, how many)``, both ends included: one a size, or wider ones for large sizes.

    No bar is on both sides of ``k``.
    """
    largest = max((size for size, _ in sizes), default=0)
    if largest <= _SINGLE:
        return [(size, size, amount) for size, amount in sizes]
    starts = {1, *(round(largest ** (step / _BARS)) for step in range(_BARS))}
    if k is not None and k <= largest:
        starts.add(k)
    edges = sorted(starts)
    bars = []
    for start, after in zip(edges, [*edges[1:], largest + 1], strict=True):
        amount = sum(amount for size, amount in sizes if start <= size < after)
        if amount:
            bars.append((start, after - 1, amount))
    return bars


def _draw_bars(
    axes: Axes, sizes: Sequence[tuple[int, int]], k: int | None, *, x: str, y: str, of: str
) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    bars = binned(sizes, k)
    if not bars:
        nothing_measured(axes)
        return
    wide = any(start != end for start, end, _ in bars) or bars[-1][1] > _SINGLE
    for start, end, amount in bars:
        low = k is not None and start < k
        axes.bar(
            start - 0.45 if not wide else start, amount, 0.9 if not wide else end + 1 - start, align="edge",
            color=COLOURS[1] if low else COLOURS[0], hatch="///" if low else None, edgecolor="white", lw=0.6,
        )  # fmt: skip
    top = max(amount for _, _, amount in bars)
    axes.set_ylim(0, 1.12 * top)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    if wide:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(0.9, 1.15 * (bars[-1][1] + 1))
    else:
        axes.set_xlim(0.4, max(bars[-1][1], k or 0) + 0.8)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if k is not None:
        at = k if wide else k - 0.5
        axes.axvline(at, color=GREY, linestyle="--", linewidth=1)
        below = sum(amount for size, amount in sizes if size < k)
        axes.annotate(
            f"k = {k:,}; below it: {count(below, of)}", (at, 1), xycoords=("data", "axes fraction"),
            xytext=(4, 4), textcoords="offset points", color=COLOURS[1] if below else GREY, fontsize="small",
            ha="left", annotation_clip=False,
        )  # fmt: skip
    axes.grid(axis="y", alpha=0.25)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


# ---- the neighbourhoods of an audit ----


def _sizes_finding(document: Document) -> str:
    data, target, found = document["dataset"], document["parameters"], document["k_epsilon"]
    k, rule = target["k"], under(document)
    if not data["records"]:
        return "Nothing was measured"
    if found["violators"]:
        few = found["violators"]
        return (
            f"{count(few, 'record')} of {data['records']:,} ({share(few, data['records'])}) "
            f"{plural(few, 'has', 'have')} fewer than {count(k, 'record')} "
            f"({plural(few, 'itself', 'themselves')} included) {near(document, target['epsilon'])}{rule}"
        )
    at_least = f"Every record has at least {count(k, 'record')} (itself included)"
    said = f"{at_least} {near(document, target['epsilon'])}{rule}"
    told = map(Caution.from_dict, document.get("cautions", ()))
    return Standing.of(True, (one for one in told if one.code != "nulls-wildcard")).headline(said, "")


def _sizes_caption(document: Document) -> str:
    within = near(document, document["parameters"]["epsilon"])
    return (
        f"{about(document)} The neighbourhood of a record is the record itself and all that are {within}. "
        "Wide bars put several sizes together. The distance is between ratings; it is no privacy budget."
    )


def _draw_neighbourhoods(axes: Axes, document: Document) -> None:
    histogram = document["neighbourhood_sizes"]["histogram"]
    sizes = [(one["size"], one["records"]) for one in histogram]
    _draw_bars(
        axes, sizes, document["parameters"]["k"], x="records in the neighbourhood, itself included",
        y="records with such a neighbourhood", of="record",
    )  # fmt: skip


NEIGHBOURHOODS = Picture(_sizes_finding, _sizes_caption, _draw_neighbourhoods, lambda _document: (7.2, 3.4))


# ---- Hamming groups ----


def _hamming(document: Document) -> list[tuple[int, int]]:
    return [(one["size"], one["groups"]) for one in document["dataset"].get("hamming_group_sizes") or ()]


def _hamming_finding(document: Document) -> str:
    sizes = _hamming(document)
    groups = sum(amount for _, amount in sizes)
    if not groups:
        return "Nothing was measured"
    single = sum(amount for size, amount in sizes if size == 1)
    if single:
        records = document["dataset"]["records"]
        same = _equal(document)
        who = f"For {single:,} of {count(records, 'record')}"
        return f"{who} no other one answered exactly the same questions{same}"
    fewest = min(size for size, _ in sizes)
    if groups == 1:
        return f"All {count(fewest, 'record')} answered exactly the same questions"
    return f"The smallest of {count(groups, 'Hamming group')} has {count(fewest, 'record')}"


def _equal(document: Document) -> str:
    """Return what else records of one Hamming group have in common."""
    equal = [plain(one["name"]) for one in document["dataset"].get("quasi", ()) if one["rule"] == "equal"]
    return f" and is the same on {', '.join(equal)}" if equal else ""


def _hamming_caption(document: Document) -> str:
    same = _equal(document).replace(" is ", " are ", 1)
    return (
        f"{about(document)} A Hamming group are the records that answered exactly the same questions{same}. "
        "Under the strict rule, and with ε below the scale's maximum, only records of one Hamming group can "
        "be ε-proximate. Wide bars put several sizes together."
    )


def _draw_hamming(axes: Axes, document: Document) -> None:
    sizes = [(size, size * groups) for size, groups in _hamming(document)]
    _draw_bars(
        axes, sizes, document["parameters"]["k"], x="records in the Hamming group",
        y="records in such groups", of="record",
    )  # fmt: skip


def _no_hamming(document: Document) -> str | None:
    if "hamming_group_sizes" in document["dataset"]:
        return None
    return "it has no sizes of Hamming groups; audit again with this version"


HAMMING = Picture(
    _hamming_finding, _hamming_caption, _draw_hamming, lambda _document: (7.2, 3.4), _no_hamming
)


# ---- partitions ----


def _groups(document: Document) -> list[tuple[int, int]]:
    return [(one["size"], one["groups"]) for one in document.get("group_sizes") or ()]


def _partition_finding(document: Document) -> str:
    target = document["parameters"]
    data = document["dataset"]["records"]
    each_other = near(document, target["epsilon"])
    wanted = f"at least {count(target['k'], 'record')} that are all {each_other} of each other"
    if document["found"]:
        said = f"All {count(data, 'record')} are in {count(document['groups'], 'group')} of {wanted}"
        return said + under(document)
    if document["proved_impossible"]:
        return f"It is proved that there is no partition into groups of {wanted}{under(document)}"
    return (
        f"No partition was found: {count(document['withheld'], 'record')} of {data:,} "
        f"{plural(document['withheld'], 'is', 'are')} in no group of {wanted}{under(document)}"
    )


def _partition_caption(document: Document) -> str:
    out = document["withheld"]
    left = f" Not drawn: {count(out, 'record')} in no group." if out else ""
    return (
        f"{about(document)} Groups made by: {plain(document['method'], 80)}.{left} Each record is in one "
        "group or in none. That none was found proves nothing, unless it is said to be proved. The distance "
        f"is {in_full(document['parameters']['epsilon'])} between ratings; it is no privacy budget."
    )


def _draw_partition(axes: Axes, document: Document) -> None:
    _draw_bars(
        axes, _groups(document), document["parameters"]["k"], x="records in the group",
        y="groups of that size", of="group",
    )  # fmt: skip


def _no_groups(document: Document) -> str | None:
    if "group_sizes" in document:
        return None
    return "it has no sizes of groups; partition again with this version"


PARTITION = Picture(
    _partition_finding, _partition_caption, _draw_partition, lambda _document: (7.2, 3.4), _no_groups
)
