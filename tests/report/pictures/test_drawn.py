"""What is in the axes is what is in the JSON, and nothing that was not
measured is drawn as a number.
"""

import itertools
import math

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import ratingpriv
from ratingpriv.report.pictures import PICTURES, caption, draw, finding, kinds
from ratingpriv.report.pictures.audit import binned
from ratingpriv.report.pictures.canvas import new_figure, styled
from ratingpriv.report.pictures.drawing import fill_texts, picture_of
from ratingpriv.report.pictures.release import point_of


def drawn(document, kind=None):
    """Draw into axes of a figure of its own, and return the axes or their panels."""
    axes = draw(document, kind=kind, ax=Figure(figsize=(7, 5)).subplots())
    return axes.child_axes or [axes]


def points(panel):
    """Return every point of every line that has a marker."""
    return {
        (round(float(x), 6), round(float(y), 6))
        for line in panel.get_lines()
        if line.get_marker() in ("o", "s", "^", "D", "<", ">")
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def rounded(pairs):
    return {(round(x, 6), round(y, 6)) for x, y in pairs}


def texts(panel):
    return [text.get_text() for text in panel.findobj(Text) if text.get_text()]


def test_a_frontier(document):
    found = document("frontier")
    alone, largest_k, largest_l = drawn(found)
    rows = found["rows"]
    assert points(alone) == rounded((row["epsilon"], 100 * row["singletons"] / 30) for row in rows)
    chosen = (found["smallest_epsilon"]["neighbourhood"], 3)
    assert points(largest_k) == rounded([*((row["epsilon"], row["max_k"]) for row in rows), chosen])
    assert points(largest_l) == rounded((row["epsilon"], row["max_l"]["pay$"]) for row in rows)
    hatched = [patch for patch in alone.patches if patch.get_hatch()]
    assert hatched[0].get_x() == next(row["epsilon"] for row in rows if not row["protection"])
    assert r"pay\$" in texts(largest_l)
    rows[0]["max_l"]["pay$"] = None  # nothing bounds it: that is not drawn as 0
    assert math.isnan(drawn(found)[2].get_lines()[0].get_ydata()[0])


@pytest.mark.parametrize(
    ("name", "kind", "histogram"),
    [
        ("audit", "sizes", lambda found: found["neighbourhood_sizes"]["histogram"]),
        ("partition", "partition", lambda found: found["group_sizes"]),
    ],
)
def test_sizes(document, name, kind, histogram):
    found = document(name)
    [panel] = drawn(found, kind)
    k = found["parameters"]["k"]
    bars = [(round(bar.get_x() + 0.45, 6), bar.get_height()) for bar in panel.patches]
    sizes = [tuple(one.values()) for one in histogram(found)]
    assert bars == sizes
    low = [bar for bar in panel.patches if bar.get_hatch()]
    assert [round(bar.get_x() + 0.45, 6) for bar in low] == [size for size, _ in sizes if size < k]
    below = sum(amount for size, amount in sizes if size < k)
    assert any(f"k = {k}; below it: {below} " in text for text in texts(panel))


@pytest.mark.parametrize("k", [None, 1, 2, 7, 400, 5000])
def test_bars_of_many_sizes_hold_every_record_once_and_none_is_on_both_sides_of_k(k):
    sizes = [(size, size % 3 + 1) for size in range(1, 1000, 3)]
    bars = binned(sizes, k)
    assert sum(amount for _, _, amount in bars) == sum(amount for _, amount in sizes)
    assert all(end < start for (_, end, _), (start, _, _) in itertools.pairwise(bars))
    for start, end, amount in bars:
        assert amount == sum(one for size, one in sizes if start <= size <= end)
        assert k is None or not start < k <= end
    assert len(bars) < 40


def test_exposure(document):
    found = document("audit")
    chances, left = drawn(found, "exposure")
    assert points(chances) == rounded(
        [(100 * found["risk"]["marketer"], 0), (100 * found["exposure"]["expected"], 1)]
    )
    exact, worst = [line for line in left.get_lines() if len(line.get_xdata()) > 2][:2]
    assert worst.get_ydata()[0] == pytest.approx(100 * found["exposure"]["certain"] / 30)
    assert worst.get_ydata()[-1] == exact.get_ydata()[-1] == 100
    below = sum(
        one["records"] for one in found["neighbourhood_sizes"]["histogram"] if one["size"] < 3
    )
    at = [y for x, y in zip(exact.get_xdata(), exact.get_ydata(), strict=True) if x < 3][-1]
    assert at == pytest.approx(100 * below / 30)


def test_an_audit_of_an_older_version_has_no_hamming_groups(document):
    found = document("audit")
    del found["dataset"]["hamming_group_sizes"]
    del found["exposure"]["fewest_left"]
    assert kinds(found) == ("sizes", "exposure")
    assert len(drawn(found, "exposure")) == 1


def test_an_attack_before_and_after(document):
    found = document("attack")
    [panel] = drawn(found, "attack")
    rows = {one["algorithm"]: one for one in found["suite"]}
    names = [label.get_text() for label in panel.get_yticklabels()]
    after = {name: row["release"]["success"]["rate"] for name, row in rows.items()}
    assert names == sorted(rows, key=lambda name: (-after[name], name))  # the strongest first
    wanted, intervals = set(), set()
    for at, name in enumerate(names):
        for one, shift in (
            (rows[name]["success"], -0.16),
            (rows[name]["release"]["success"], 0.16),
        ):
            wanted.add((100 * one["rate"], at + shift))
            intervals.add((100 * one["low"], 100 * one["high"]))
    assert points(panel) == rounded(wanted)
    lines = {tuple(line.get_xdata()) for line in panel.get_lines() if line.get_linewidth() == 2.2}
    assert rounded(lines) == rounded(intervals)


def test_an_attack_that_was_not_measured_is_no_0(document):
    found = document("attack")
    nothing = {"rate": None, "low": 0.0, "high": 1.0, "count": 0, "of": 0}
    for one in found["suite"]:
        one["success"] = one["release"]["success"] = nothing
    [panel] = drawn(found, "attack")
    assert not points(panel)
    assert "not measured → not measured" in " ".join(texts(panel))


def test_a_sweep_on_an_axis_of_numbers(document):
    found = document("attack")
    [panel] = drawn(found, "sweep")
    rows = found["sweep"]
    assert points(panel) == rounded((row["known"], 100 * row["success"]["rate"]) for row in rows)
    assert [float(at) for at in panel.get_xticks()] == [2, 4, 8]
    assert {"no dates", "dates ±3 days"} <= set(texts(panel))


def test_a_recommendation(document):
    found = document("recommend")
    [panel] = drawn(found, "recommend")
    more = [found["keeps_more"]] if found["keeps_more"] else []
    made = [one for one in (*found["cells"], *more) if point_of(one) is not None]
    marks = [line for line in panel.get_lines() if line.get_marker() != "None"]
    at = {
        (round(float(line.get_xdata()[0]), 6), round(float(line.get_ydata()[0]), 6))
        for line in marks
    }
    assert at == rounded(point_of(one) for one in made)
    assert found["choice"] is not None
    assert any(f"k = {found['choice']['k']}" in text for text in texts(panel))
    [curves] = drawn(found, "suppression")
    rows = [one for one in found["epsilons"] if one["protects"]]
    lines = [line for line in curves.get_lines() if len(line.get_xdata()) > 2]
    assert [list(map(int, line.get_ydata())) for line in lines] == [one["withheld"] for one in rows]


def test_utility(document):
    found = document("utility")
    [panel] = drawn(found, "utility")
    names = ("query_error", "information_loss", "bias", "questions")
    wanted = []
    for at, name in enumerate(names):
        one = found[name]
        place = (one["value"] - one["worthless"]) / (one["original"] - one["worthless"])
        wanted.append((min(max(place, -0.32), 1.32), at))
    assert points(panel) == rounded(wanted)


def test_questions(document):
    found = document("utility")
    left, right = drawn(found, "questions")
    rows = found["questions"]["questions"]
    means = {one[when]["mean"] for one in rows for when in ("before", "after")}
    assert {x for x, _ in points(left)} == {round(mean, 6) for mean in means}
    assert sorted(bar.get_width() for bar in right.patches) == sorted(
        100 * one["moved"] for one in rows
    )
    assert {r"a\$b\$", "\u2009_hidden"} <= set(texts(left))


def visible(figure):
    """Return the texts that are drawn, with where they are."""
    figure.draw_without_rendering()
    hidden = set()
    for axes in [one for one in figure.findobj() if hasattr(one, "get_xlim")]:
        for axis, (low, high) in (
            (axes.xaxis, sorted(axes.get_xlim())),
            (axes.yaxis, sorted(axes.get_ylim())),
        ):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high or not axes.axison:
                    hidden |= {tick.label1, tick.label2}
    shown = [
        text
        for text in figure.findobj(Text)
        if text.get_text().strip() and text.get_visible() and text not in hidden
    ]
    return [(text.get_text(), text.get_window_extent()) for text in shown]


@pytest.mark.parametrize(
    ("schema", "kind"), [(schema, kind) for schema in PICTURES for kind in PICTURES[schema]]
)
def test_no_text_is_on_another_one_or_outside(documents, schema, kind):
    found = [one for one in documents.values() if one["schema"] == schema and kind in kinds(one)]
    for document in found:
        document, picture = picture_of(document, kind)
        with styled():
            figure = new_figure()
            fill_texts(figure, document, picture)
            placed = visible(figure)
        for text, box in placed:
            assert box.x0 > -1, text
            assert box.y0 > -1, text
            assert box.x1 < figure.bbox.width + 1, text
            assert box.y1 < figure.bbox.height + 1, text
        for (one, a), (other, b) in itertools.combinations(placed, 2):
            apart = a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
            assert apart, (one, other)


def test_known_ratings(people):
    audit = ratingpriv.audit(people, k=3, epsilon=1, known=2, known_items="c,d")
    found = audit.to_dict()
    (panel,) = drawn(found, "known")
    assert points(panel) == rounded(
        (one["m"], 100 * share)
        for rows, key in (("below_k", "share"), ("random", "below_k"))
        for one in found["known"][rows]
        if (share := one[key]) is not None
    )
    assert "c,d" in caption(found, "known")
    assert kinds(found)[-1] == "known"
    found["known"] |= {
        "below_k": [],
        "proved_m": 0,
        "exact": False,
        "satisfied": None,
        "random": [],
    }
    assert finding(found, "known").startswith("Nothing was looked at")
    drawn(found, "known")
