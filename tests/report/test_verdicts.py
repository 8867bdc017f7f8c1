"""The line that states a verdict says what has to be known with it,
and pages say no more than is true.

The counterexample is the papers' own claim: ann 3 and bob 2 are (2,1)-anonymous, yet knowledge 4,
off by one, fits ann alone.
"""

import json
import re

import polars as pl

from ratingpriv import RatingTable, audit, frontier, partition
from ratingpriv.anonymize import modify, suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render

FALSE = re.compile(
    r"whoever knows (their|the|someone's) ratings to within|knowing someone's ratings to within"
    r"|(picked out|re-identified) with a chance of 1 in|with certainty|how far off"
    r"|nobody can tell apart who knows|let a null match anything",
    re.IGNORECASE,
)


def table_of(rows, **more):
    """One row a record, the issues called a, b, ...; a column s is sensitive."""
    frame = pl.DataFrame(rows).with_row_index("id").with_columns(pl.col("id") + 1)
    sensitive = ["s"] if "s" in frame.columns else []
    return RatingTable.from_wide(
        frame, **{"id": "id", "sensitive": sensitive, "name": "data.csv", **more}
    )


def flat(page):
    text = " ".join(render(page).split())
    assert not FALSE.search(text), FALSE.search(text)
    return text


def headline(page):
    flat(page)
    return page.headline


def codes(result):
    return [caution.code for caution in result.cautions]


PEOPLE = table_of({"a": [3, 2, 5, 5]}, scale=(1, 5))
"""Ann and bob, and two who are far from them."""

HOLES = table_of({"a": [1, None, 9, None], "b": [None, 4, None, 2]})


# ---- what a verdict means, and what not ----


def test_ann_and_bob():
    result = audit(PEOPLE, k=2, epsilon=1)
    text = flat(page_of(result))
    assert text.startswith("SATISFIED: data.csv is (k = 2, epsilon = 1)-anonymous. ")
    assert (
        "Every record has at least 2 records (itself included) within a rating distance of 1."
        in text
    )
    assert (
        "Whoever knows someone's ratings exactly, and accepts every record within 1 of them, is "
        "left with at "
        "least 2 records." in text
    )
    assert (
        "It does not say that somebody whose knowledge is off by up to 1 is left with 2: "
        "knowledge in "
        "between can fit fewer records, down to one. Exposure (--exposure 1) measures that." in text
    )
    assert (
        "A pick at random among the records within 1 of the exact ratings is right with a chance "
        "of 1 in 2 "
        "for the record with the fewest; 50 % on average over all records." in text
    )


def test_the_other_pages_say_nothing_false(tmp_path):
    assert "Largest k: every record has at least this many records" in flat(
        page_of(frontier(PEOPLE))
    )
    flat(page_of(frontier(PEOPLE, k=2)))
    flat(page_of(partition(PEOPLE, k=2, epsilon=1)))
    made = write_release(modify(PEOPLE, k=2, epsilon=1), tmp_path / "r.csv")
    text = flat(page_of(made))
    assert "By the written file: Every record has at least 2 records (itself included)" in text
    assert "knowledge in between can fit fewer records, down to one" in text
    flat(page_of(verify(tmp_path / "r.csv")))


# ---- wildcard ----


def test_wildcard_is_said_in_the_verdict_and_never_recommended():
    # the rules agree
    assert "nulls-wildcard" not in codes(audit(PEOPLE, k=2, epsilon=1, nulls="wildcard"))
    result = audit(HOLES, k=2, epsilon=0, nulls="wildcard")
    assert headline(page_of(result)) == (
        "SATISFIED UNDER WILDCARD WITH RESERVATION: data.csv is (k = 2, epsilon = 0)-anonymous."
    )
    text = flat(page_of(audit(HOLES, k=2, epsilon=1, nulls="wildcard")))
    assert "it is not the safe reading" in text
    assert "Whoever knows" not in text  # who knows that a question was answered is left with fewer
    assert "It does not say that somebody whose knowledge is off by up to 1 is left with 2" in text
    assert page_of(result).good is None
    assert "what is missing matches anything" in repr(result)
    assert "what is missing matches anything" in result._repr_html_()
    assert headline(page_of(audit(HOLES, k=4, epsilon=0, nulls="wildcard"))) == (
        "NOT SATISFIED UNDER WILDCARD: data.csv is not (k = 4, epsilon = 0)-anonymous."
    )
    parted = partition(HOLES, k=2, epsilon=0, nulls="wildcard")
    for found in (result, frontier(HOLES, nulls="wildcard"), parted):
        assert "nulls-wildcard" in codes(found)
        assert found.to_dict()["cautions"][0]["code"] == "nulls-wildcard"


def test_a_release_under_wildcard_says_so_everywhere(tmp_path):
    path = tmp_path / "r.csv"
    made = write_release(suppress(HOLES, k=2, epsilon=0, nulls="wildcard"), path)
    assert "nulls-wildcard" in codes(made.audit)
    said = "UNDER WILDCARD WITH RESERVATION: "
    assert headline(page_of(made)).startswith(f"WRITTEN {said}")
    manifest = json.loads((tmp_path / "r.csv.manifest.json").read_text())
    assert "nulls-wildcard" in [caution["code"] for caution in manifest["cautions"]]
    checked = verify(path)
    assert checked.valid
    assert headline(page_of(checked)).startswith(f"VALID {said}")
    assert "it is not the safe reading" in flat(page_of(checked))


# ---- k = 1, and an ε that protects nothing ----


def test_k_1_asks_for_nothing(tmp_path):
    result = audit(PEOPLE, k=1, epsilon=0)
    assert headline(page_of(result)) == (
        "SATISFIED WITH RESERVATION: data.csv is (k = 1, epsilon = 0)-anonymous."
    )
    assert "this asks for nothing" in repr(result)
    assert page_of(result).good is None
    found = frontier(PEOPLE, k=1)
    assert headline(page_of(found)).startswith("WITHIN REACH WITH RESERVATION: k = 1 for")
    parted = partition(PEOPLE, k=1, epsilon=0)
    assert headline(page_of(parted)).startswith("FOUND WITH RESERVATION: ")
    for one in (result, found, parted):
        assert codes(one) == ["k-asks-nothing"] or "no-protection" in codes(one)
        assert one.to_dict()["cautions"][0]["code"] == "k-asks-nothing"
    assert "k-asks-nothing" not in codes(frontier(PEOPLE))
    made = write_release(modify(PEOPLE, k=1, epsilon=0), tmp_path / "r.csv")
    assert made.to_dict()["cautions"][0]["code"] == "k-asks-nothing"
    assert verify(tmp_path / "r.csv").to_dict()["cautions"][0]["code"] == "k-asks-nothing"
    assert headline(page_of(made)).startswith("WRITTEN WITH RESERVATION: ")
    assert headline(page_of(verify(tmp_path / "r.csv"))).startswith("VALID WITH RESERVATION: ")


def test_k_1_asks_for_nothing_whatever_else_is_asked():
    result = audit(table_of({"a": [1, 1, 9, 9], "s": [1, 5, 1, 5]}), k=1, epsilon=0, l=1)
    assert headline(page_of(result)) == (
        "SATISFIED WITH RESERVATION: data.csv is (k = 1, epsilon = 0, l = 1)-anonymous."
    )
    assert result.standing.reserved == ("k-asks-nothing",)


def test_an_epsilon_that_covers_the_range_protects_nothing():
    result = audit(PEOPLE, k=4, epsilon=3)
    assert result.satisfied
    assert headline(page_of(result)) == (
        "SATISFIED WITH RESERVATION: data.csv is (k = 4, epsilon = 3)-anonymous."
    )
    assert "this protects nothing" in repr(result)
    assert "ratingpriv frontier DATA --k 4" in flat(page_of(result))
    ones = table_of({"a": [1, None, 1], "b": [None, 1, 1]})
    assert headline(page_of(audit(ones, k=3, epsilon=1))) == (
        "SATISFIED WITH RESERVATION: data.csv is (k = 3, epsilon = 1)-anonymous."
    )


# ---- the rule for missing sensitive ratings ----


def test_the_verdict_says_which_rule_it_is_by():
    table = table_of({"a": [1, 1, 1, 9, 9], "s": [5, 5, None, 1, 9]})
    by = {
        rule: audit(table, k=2, epsilon=1, l=2, sensitive_nulls=rule)
        for rule in ("paper", "ignore")
    }
    assert headline(page_of(by["paper"])) == (
        "SATISFIED WITH RESERVATION: data.csv is (k = 2, epsilon = 1, l = 2)-anonymous."
    )
    assert "only by the rule paper" in repr(by["paper"])
    assert headline(page_of(by["ignore"])) == (
        "NOT SATISFIED by the rule ignore for missing sensitive ratings, but by paper: data.csv "
        "is not "
        "(k = 2, epsilon = 1, l = 2)-anonymous."
    )


# ---- parts of the data ----


def test_every_page_says_of_which_part_it_is():
    table = table_of({"a": [3, 2, 5, 5], "b": [1, 1, 1, 1], "c": [1, 2, 1, 2], "s": [1, 2, 3, 4]})
    chosen = table.drop(["c"]).select_issues("a").sample(3, rng=4)
    about = "data.csv (1 of 3 items and 3 of 4 records)"
    sentence = "This is about 1 of 3 items and 3 of 4 records, not about the whole data."
    result = audit(chosen, k=2, epsilon=1)
    found, parted = frontier(chosen, k=2), partition(chosen, k=2, epsilon=1)
    for page in (page_of(result), page_of(found), page_of(parted)):
        assert about in headline(page)
        assert sentence in flat(page)
        assert "Dropped by name: c." in flat(page)
    for one in (result, found, parted):
        assert one.to_dict()["selection"] == {
            "issues": 1, "of_issues": 3, "records": 3, "of_records": 4, "seed": 4, "dropped": ["c"],
        }  # fmt: skip
    assert "1 of 3 issues, 3 of 4 records, without c" in repr(result)
    rows = result.to_frame()
    assert rows["selection"].to_list() == ["1 of 3 issues, 3 of 4 records, without c"] * 3
    assert "selection" not in audit(table, k=2, epsilon=1).to_frame().columns
