"""``ratingpriv partition``: groups, the proof and its check, and what is refused."""

import csv
import json
import shlex

import pytest

SENSITIVE = ("--sensitive", "issue 4", "--scale", "1:7")
ACCEPT = ("--accept", "epsilon-covers-questions")  # of 5 and 6 alone


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize(("method", "order"), [("greedy", "fewest"), ("slicing", "position")])
def test_methods_and_orders_reach_the_library(cli, table_file, method, order):
    asked = ("--k", 2, "--epsilon", 1, "--method", method, "--order", order, "--json")
    found = json.loads(cli("partition", table_file(2), *SENSITIVE, *asked).stdout)["parameters"]
    assert (found["method"], found["order"]) == (method, order)


def test_groups_certificate_and_check(cli, table_file, tmp_path):
    asked = ("partition", table_file(2), *SENSITIVE, *ACCEPT, "--k", 2, "--epsilon", 1)
    groups, proof = tmp_path / "groups.csv", tmp_path / "proof.json"
    assert cli(*asked, "--groups", groups, "--certificate", proof).exit_code == 0
    with groups.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["record"] for row in rows] == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert sorted(map([row["group"] for row in rows].count, "012")) == [2, 2, 2]
    checked = cli("partition", table_file(2), *SENSITIVE, *ACCEPT, "--check", proof)
    assert checked.exit_code == 0, checked.stderr
    page = flat(checked.stdout)
    assert page.startswith("VALID WITH RESERVATION (accepted): the certificate holds for")
    assert (
        "(k = 2, epsilon = 1, missing ratings strict; 6 records, 3 groups, none suppressed)" in page
    )
    again = ("partition", table_file(2), *SENSITIVE, *ACCEPT, "--check", proof, "--json")
    shown = json.loads(cli(*again).stdout)
    assert [one["code"] for one in shown.pop("cautions")] == shown.pop("accepted") == [ACCEPT[1]]
    assert shown.pop("tool")["command"].endswith("--check " + shlex.quote(str(proof)) + " --json")
    assert shown == {
        "schema": "ratingpriv.certificate-check/1", "selection": None,
        "right": True, "holds": True, "everybody": True,
        "claimed": {"k": 2, "epsilon": 1.0, "l": None, "nulls": "strict",
        "sensitive_nulls": "paper"},
        "demanded": None, "meets_demand": None, "sensitive": [], "records": 6, "groups": 3,
        "withheld": 0,
        "withheld_records": [], "hash_compared": True, "problems": [], "quasi": [],
        "equal": {"max_k": 1, "unique": 6, "violators": 6},
    }  # fmt: skip


def test_a_proof_of_a_part_is_no_proof_of_the_whole(cli, table_file, tmp_path):
    proof, part = tmp_path / "proof.json", (*SENSITIVE, "--items", "top:1")
    cli("partition", table_file(2), *part, "--k", 2, "--epsilon", 1, "--certificate", proof)
    page = flat(cli("partition", table_file(2), *part, "--check", proof).stdout)
    assert page.startswith("VALID: the certificate holds for ")
    assert " (1 of 3 items) (k = 2, " in page
    assert "This is about 1 of 3 items, not about the whole data." in page
    shown = json.loads(cli("partition", table_file(2), *part, "--check", proof, "--json").stdout)
    assert (shown["selection"]["issues"], shown["selection"]["of_issues"]) == (1, 3)


def test_a_proof_is_held_to_what_the_receiver_needs(cli, table_file, tmp_path):
    """Whoever edits a proof can claim less; so the receiver says what is needed,
    and it is counted anew.
    """
    proof = tmp_path / "proof.json"
    cli("partition", table_file(2), *SENSITIVE, "--k", 2, "--epsilon", 1, "--certificate", proof)
    written = json.loads(proof.read_text(encoding="utf-8"))

    def checked(*asked, **edited):
        content = {**written, "parameters": {**written["parameters"], **edited}}
        proof.write_text(json.dumps(content), encoding="utf-8")
        return cli("partition", table_file(2), *SENSITIVE, *ACCEPT, "--check", proof, *asked)

    ended = checked("--k", 2, "--epsilon", 1)
    assert ended.exit_code == 0
    assert "gives the k = 2, epsilon = 1, missing ratings strict that is demanded" in flat(
        ended.stdout
    )
    for asked, edited, verdict in (
        (("--k", 3), {"k": 1}, "NOT WHAT IS DEMANDED: "),
        ((), {"k": 1}, "VALID WITH RESERVATION: "),
        ((), {"epsilon": 100}, "VALID WITH RESERVATION: "),
    ):
        ended = checked(*asked, **edited)
        assert (ended.exit_code, ended.stdout.startswith(verdict)) == (1, True), (
            asked,
            edited,
            ended.stdout,
        )
    # they hold under strict as well
    assert checked("--nulls", "strict", nulls="wildcard").exit_code == 0
    assert checked(nulls="wildcard").stdout.startswith("VALID UNDER WILDCARD WITH RESERVATION: ")
    assert checked(k=0).exit_code == 2
    cli(
        "partition",
        table_file(1),
        *SENSITIVE,
        "--k",
        2,
        "--epsilon",
        1,
        "--certificate",
        proof,
        "--force",
    )
    some = cli("partition", table_file(1), *SENSITIVE, "--check", proof)
    assert (some.exit_code, some.stdout.startswith("NOT FOR ALL RECORDS: ")) == (1, True)
