"""What a report for others gives away: no record, no answer, no number of few people."""

import copy
import functools
import itertools
import json
import operator

import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv.report.overview import THRESHOLD, report_html
from ratingpriv.report.overview.telling import Telling

from .conftest import ANSWERS, SECRETS, documents_of, frame
from .judging import people_below, read


def gives_away(html, data, threshold):
    """What a stranger finds in a report that is not theirs to know."""
    page = read(html).everything
    ids = [one for one in data["who"] if one in page]
    answers = [one for one in map(str, (*ANSWERS, *SECRETS)) if one in page]
    return [*ids, *answers, *people_below(html, threshold)]


@settings(max_examples=4 * DEPTH, deadline=None)
@given(
    records=st.integers(2, 45),
    questions=st.integers(1, 4),
    levels=st.integers(1, 5),
    seed=st.integers(0, 999),
    k=st.integers(1, 6),
    epsilon=st.sampled_from([0.0, 1.2, 2.4, 9.0]),
    threshold=st.sampled_from([2, 5, 10]),
)
def test_a_report_for_others_gives_nobody_away(
    records, questions, levels, seed, k, epsilon, threshold
):
    data = frame(records, questions, seed, levels)
    made = documents_of(data, min(k, records), epsilon, utility=False)
    assert gives_away(report_html(made, threshold=threshold), data, threshold) == []


@pytest.mark.usefixtures("no_pictures")
def test_with_utility_too(people, documents):
    html = report_html(documents)
    assert gives_away(html, people, THRESHOLD) == []
    # the judge sees what there is: the team's report has all of it
    internal = report_html(documents, internal=True)
    found = gives_away(internal, people, THRESHOLD)
    assert any(one.startswith("zq") for one in found)
    assert any("record" in one for one in found)


def changed(documents, changes):
    made = copy.deepcopy(documents)
    for (*way, name), value in changes.items():
        functools.reduce(operator.getitem, way, made)[name] = value
    return made


def rate(path, total):
    """Changes that set a rate, with what belongs to it."""

    def changes(count):
        ends = {
            "rate": count / total,
            "low": count / total / 2,
            "high": min(1.0, count / total * 1.5),
        }
        return {
            (*path, name): value for name, value in {**ends, "count": count, "of": total}.items()
        }

    return changes


def cannot_be_told_apart(documents):
    (told,) = {report_html(one) for one in documents}
    return told


LEAVES = {
    "violators": ("audit", "k_epsilon", "violators"),
    "violators of the release": ("audit_release", "k_epsilon", "violators"),
    "certain": ("audit", "exposure", "certain"),
    "agreeing": ("audit", "inference", "pay", "agreeing"),
    "isolated at a distance": ("frontier", "rows", 0, "singletons"),
    "suppressed targets": ("attack", "release", "withheld"),
    "suppressed": ("utility", "withheld"),
}
SIZES = [
    ("audit", "k_epsilon", "max_k"), ("audit", "neighbourhood_sizes", "min"),
    ("audit", "exposure", "worst"), ("frontier", "rows", 0, "max_k"),
]  # fmt: skip


@pytest.fixture
def large(documents):
    """Documents about so many people that all ranges fit, none of them satisfied."""
    made = copy.deepcopy(documents)
    for part in ("audit", "audit_release", "frontier"):
        made[part]["dataset"]["records"] = 500
    for part in ("audit", "audit_release"):
        made[part]["k_epsilon"] |= {"satisfied": False, "violators": 5}
        made[part]["exposure"] |= {"records": 500, "of_records": 500}
        made[part]["inference"]["pay"]["neighbourhoods"] = 500
    made["utility"]["original"]["records"] = 500
    made["attack"] |= {"targets": 450, "could_not_attack": 50}
    for row in made["frontier"]["rows"]:
        row["satisfied"] = False
    return made


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.usefixtures("no_pictures")
def test_small_numbers_cannot_be_told_apart(large, leaf):
    if leaf == "violators":
        del large["audit_release"]  # whose size is told where it is
    for few, what in (([1, 4, 9], "few"), ([491, 495, 499], "most"), ([11, 13, 15], "rounded")):
        if what == "most" and leaf == "suppressed targets":
            continue  # of another total
        cannot_be_told_apart(changed(large, {LEAVES[leaf]: value}) for value in few)
        exact = [report_html(changed(large, {LEAVES[leaf]: value}), internal=True) for value in few]
        assert exact[0] != exact[1], (leaf, what)  # it is in the report


def test_few_targets_that_could_not_be_attacked_cannot_be_told_apart(large):
    def without(few):
        made = copy.deepcopy(large)
        made["attack"] |= {"targets": 500 - few, "could_not_attack": few}
        made["attack"]["release"]["targets"] = 500 - few
        of_targets(made["attack"], 500 - few)
        return made

    cannot_be_told_apart(map(without, (1, 4, 9)))


def test_few_records_that_the_release_lacks_cannot_be_told_apart(large):
    def lacking(few):
        made = copy.deepcopy(large)
        audit = made["audit_release"]
        audit["dataset"]["records"] = audit["exposure"]["records"] = audit["exposure"][
            "of_records"
        ] = 500 - few
        audit["inference"]["pay"]["neighbourhoods"] = 500 - few
        audit["neighbourhood_sizes"]["histogram"] = [{"size": 12, "records": 500 - few}]
        made["utility"]["release"]["records"] = 500 - few
        made["utility"]["withheld"] = made["attack"]["release"]["withheld"] = few
        return made

    assert "about 500 records" in cannot_be_told_apart(map(lacking, (1, 4, 9)))
    assert "about" not in str(report_html(lacking(0))[0])
    assert "480 records" in str(report_html(lacking(20)))


def of_targets(part, targets):
    """Set the number of targets of every rate."""
    if isinstance(part, dict):
        if {"rate", "low", "high", "of"} <= part.keys() and part["of"]:
            part["rate"] = part["rate"] and part["rate"] * part["of"] / targets
            part["of"] = targets
        for one in part.values():
            of_targets(one, targets)
    elif isinstance(part, list):
        for one in part:
            of_targets(one, targets)


@pytest.fixture(scope="module")
def mapped(people):
    """An audit and a map of five hundred people, whose numbers are all of one range."""
    table = ratingpriv.RatingTable.from_wide(people, id="who", sensitive=["pay"])
    found = ratingpriv.recommend(table, found_at_most=0.4, method="swap", threads=1).to_dict()
    made = {"audit": ratingpriv.audit(table, k=3, epsilon=1.2).to_dict(), "recommend": found}
    for document in made.values():
        document["dataset"]["records"] = 500
    for cell in (*found["cells"], found["keeps_more"]):
        cell |= {"left_out": 3, "scatter": 0.12}
        cell["found"] |= {"low": 0.424, "high": 0.424}
    return json.loads(json.dumps(made))


MAPPED = {
    "left_out": (1, 4, 9), "scatter": (0.101, 0.12, 0.15), "changed": (0.1, 0.2, 0.3),
    "read": (0.01, 0.1, 0.5), "found": tuple({"low": count / 500, "high": count / 500} for count in
                                             (211, 212, 215)),
}  # fmt: skip


@pytest.mark.parametrize("leaf", MAPPED)
def test_numbers_of_a_map_cannot_be_told_apart(mapped, leaf):
    def with_value(value):
        made = copy.deepcopy(mapped)
        for cell in (*made["recommend"]["cells"], made["recommend"]["keeps_more"]):
            cell[leaf] = {**cell["found"], **value} if leaf == "found" else value
        made["recommend"]["choice"]["words"] = f"Exact words: {value}."
        return made

    told = cannot_be_told_apart(map(with_value, MAPPED[leaf]))
    assert "Numbers are rounded up" in told
    assert "Exact words" not in told
    assert "Exact words" in report_html(with_value(MAPPED[leaf][0]), internal=True)


@pytest.mark.parametrize("gone", [0, 3, 40])
def test_beside_a_release_that_lacks_people_no_count_of_all_records_is_told(
    mapped, documents, gone
):
    made = {**mapped, "audit_release": copy.deepcopy(documents["audit_release"])}
    made["audit_release"]["dataset"]["records"] = 500 - gone
    told = report_html(made)
    assert "What may be published" in told
    assert ("<svg" in told) == ("The releases that were compared" in told) == (gone == 0)
    assert "The releases that were compared" in report_html(made, internal=True)


@pytest.mark.parametrize("leaf", SIZES)
def test_small_sizes_cannot_be_told_apart(large, leaf):
    cannot_be_told_apart(changed(large, {leaf: value}) for value in (1, 4, 9))


@pytest.mark.parametrize("side", [(), ("release",)])
@pytest.mark.parametrize("where", [(), ("suite", 0)])
def test_small_rates_cannot_be_told_apart(large, side, where):
    for few in ([1, 4, 9], [441, 446, 449], [211, 212, 215]):
        cannot_be_told_apart(
            changed(large, rate(("attack", *where, *side, "success"), 450)(count)) for count in few
        )


def test_a_scale_nobody_declared_is_not_shown(large):
    undeclared = {("audit", "exposure", "scale_declared"): False}
    undeclared |= {("audit_release", "exposure", "scale_declared"): False}
    cannot_be_told_apart(
        changed(large, {**undeclared, (part, "dataset", "scale", "max"): end})
        for part, end in itertools.product(("audit", "audit_release"), (36.5, 97.3))
    )
    declared = dict.fromkeys(undeclared, True)
    shown = report_html(
        changed(large, {**declared, ("audit_release", "dataset", "scale", "max"): 97.3})
    )
    assert "97.3" in str(shown)


@pytest.mark.usefixtures("no_pictures")
def test_hashes_paths_commands_and_words_of_cautions(large):
    folder = "/home/anna.mueller/hr/survey.csv"
    changes = {
        ("audit", "dataset", "sha256"): "ab" * 32,
        ("audit", "dataset", "name"): folder,
        ("audit", "tool",
        "command"): f"ratingpriv audit {folder} --null Refused --drop anna --seed 77",
        ("attack", "tool",
        "command"): f"ratingpriv attack {folder} --target zq7x --truth=/keys/anna.key",
        ("audit", "cautions"): [{"code": "sparse-data", "message": "3 of 300 records are zq7x"}],
        ("audit", "selection"): {
            "issues": 4, "of_issues": 4, "records": 500, "of_records": 900, "seed": 4242,
            "dropped": [],
        },
    }  # fmt: skip
    others = str(report_html(changed(large, changes)))
    team = str(report_html(changed(large, changes), internal=True))
    for told in ("ab" * 32, "anna", "Refused", "zq7x", "4242", "3 of 300", "/home", "/keys"):
        assert told not in others, told
        assert told in team, told
    assert "survey.csv" in others
    assert "ratingpriv audit" not in others


@given(
    count=st.integers(0, 400),
    total=st.integers(0, 400),
    threshold=st.integers(2, 20),
    other=st.integers(0, 400),
)
@settings(max_examples=200, deadline=None)
def test_a_coarse_amount_holds_the_true_one_and_no_small_one(count, total, threshold, other):
    count, rounding = min(count, total), Telling(False, threshold)
    found = rounding.amount(count, total)
    assert found.low <= count <= found.high
    if found.kind in ("exact", "up to"):
        shown = found.high
        assert shown == 0 or shown >= threshold or found.total is None
        assert found.total is None or shown == total or total - shown >= threshold
    # what is said depends on the range alone
    same = rounding.amount(min(other, total), total)
    if (same.kind, same.low, same.high) == (found.kind, found.low, found.high):
        assert same == found


@given(size=st.integers(1, 200), threshold=st.integers(2, 20), known=st.integers(1, 200))
@settings(max_examples=100, deadline=None)
def test_a_coarse_size_promises_no_more_than_holds(size, threshold, known):
    known = min(known, size)
    found = Telling(False, threshold).size(size, at_least=known)
    assert found is None or known <= found <= size
    small = Telling(False, threshold).size(size)
    assert small is None or small >= min(threshold // 2 * 2, threshold - 1)
