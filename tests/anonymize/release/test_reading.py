"""A manifest's word on how the file is read: what it may say,
and what only the file or the receiver may.
"""

import pytest
from release_samples import FIVE, GONE, anonymized, edit, manifest_of, rehash, released, survey

import ratingpriv
from ratingpriv.anonymize import suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError, ParameterError

LONG = "user,movie,rating\n" + "".join(
    f"{user},{movie},{3 + user % 2}\n" for user in range(1, 5) for movie in range(1, 4)
)


@pytest.fixture
def five(tmp_path):
    """Answers of 1 to 5 that are (5,1)-anonymous and no more, without a sensitive question."""
    rows = "".join(f"{number},{1 + number % 2},{4 + number % 2},3\n" for number in range(5))
    rows += "".join(f"{number},{4 + number % 2},{1 + number % 2},3\n" for number in range(5, 10))
    return released(tmp_path, "user,q1,q2,q3\n" + rows, k=5)


# ---- what a manifest may not say ----


def test_ratings_that_are_said_to_mean_unanswered(five):
    edit(five, ("read", "null", ["1", "2", "3", "4", "5"]), ("parameters", "k", 10))
    edit(five, ("parameters", "epsilon", 0), ("verification", "largest_k", 10))
    for demand in ({}, {"k": 10, "epsilon": 0}):
        with pytest.raises(DataError, match="at most one text for missing, and no number"):
            verify(five, **demand)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("null", [token]) for token in ("5", "5.0", " 5", "1e0", "٥", "inf", "-Infinity", "1_0")),
        ("null", ["NA", "x"]), ("null", "x"), ("null", []),
        ("drop", ["q1"]), ("duplicates", "first"), ("max_problems", 1), ("progress", None),
        ("colour", "red"),
        ("layout", "tall"), ("layout", None), ("issue", "q1"), ("rating", "q2"),
        ("timestamp", "q2"),
        ("delimiter", "5"), ("delimiter", "."), ("delimiter", "e"), ("delimiter", ""),
        ("delimiter", "-"),
        ("encoding", "utf-7"), ("encoding", "cp037"), ("encoding", "unicode_escape"),
        ("encoding", "nothing"),
        ("encoding", "rot13"), ("encoding", 8),
        ("header", 1), ("header", "yes"), ("timestamps", 0),
        ("scale", [5, 1]), ("scale", [1, 1]), ("scale", [1]), ("scale", ["1", "5"]),
        ("scale", [True, 5]),
        ("scale", [0, 1e300]), ("scale", 5),
        ("sensitive", "q1"), ("sensitive", ["q1", "q1"]), ("sensitive", [1]), ("only", {}),
        ("id", 3), ("id", "a\0"), ("id", "\ud800"),
        ("format", "nothing"), ("format", 3), ("format", None),
    ],
)  # fmt: skip
def test_reading_options_that_no_writer_states(five, option, value):
    edit(five, ("read", option, value))
    with pytest.raises(DataError, match="read"):
        verify(five)


def test_a_format_has_options_of_its_own(tmp_path):
    release = released(tmp_path, "user,q1,q2\na,1,2\nb,1,2\n", "r.parquet")
    assert verify(release).valid
    for option, value in (
        ("null", ["x"]),
        ("delimiter", ","),
        ("header", True),
        ("encoding", "utf-8"),
    ):
        with pytest.raises(DataError, match="an option that this format's writer states"):
            verify(edit(release, ("read", option, value)))
        edit(release, ("read", option, GONE))


# ---- what columns are: the file's word, or the receiver's ----


def test_a_column_of_different_ratings_is_not_taken_for_ids(tmp_path):
    text = "a,b,mark\n" + "".join(f"3,{3 + number % 2},{100 + number}\n" for number in range(4))
    release = released(tmp_path, text, epsilon=1)
    edit(release, ("read", "id", "mark"), ids="keep")
    with pytest.raises(
        ParameterError, match="'mark', which by the manifest alone holds record ids"
    ) as refused:
        verify(release)
    assert refused.value.name == "id"
    said = verify(release, id="mark")
    assert said.reading.words["columns"] == "receiver"
    assert (
        "items that are not sensitive: the manifest says 3; counted again, it is 2" in said.problems
    )


def test_ids_that_are_no_ratings_need_no_word(tmp_path):
    text = "code,a,b\nx1,3,4\nx2,3,4\nx3,3,4\n"
    kept = released(tmp_path, text, "kept.csv", id="code", ids="keep")
    assert verify(kept).valid  # texts are no ratings
    assert verify(released(tmp_path, text, id="code")).valid  # 1 to 3, in order
    numbers = released(tmp_path, "code,a,b\n7,3,4\n5,3,4\n6,3,4\n", "n.csv", id="code", ids="keep")
    with pytest.raises(ParameterError, match="record ids"):
        verify(numbers)
    assert verify(numbers, id="code").valid


def test_a_demand_takes_no_ids_from_the_manifest(tmp_path):
    """E-mail addresses that are called ids are audited by nobody:
    they would fail the demand if carried.
    """
    text = "mail,a,b\nann@x.org,3,4\nbob@x.org,3,4\n"
    kept = released(tmp_path, text, id="mail", ids="keep")
    assert verify(kept).reading.to_dict()["by_the_word_of"]["columns"] == "manifest"
    with pytest.raises(
        ParameterError, match="'mail', which by the manifest alone holds record ids"
    ):
        verify(kept, k=2)
    assert verify(kept, k=2, id="mail").valid
    assert verify(released(tmp_path, text, "s.csv", id="mail"), k=2).valid  # 1 and 2 say nothing


def test_a_part_of_the_file_is_not_the_file_and_ids_are_fresh(five):
    said = manifest_of(five)
    edit(five, ("read", "only", ["q3"]))
    assert any("only a part of the file" in problem for problem in verify(five).problems)
    edit(five, **said)
    five.write_text(five.read_text().replace("\n10,", "\n11,"))
    assert any("not the numbers from 1 on" in problem for problem in verify(rehash(five)).problems)


def test_an_issue_with_the_name_of_an_id(tmp_path):
    release = released(tmp_path, "person,b\n3,4\n3,4\n3,4\n", only=["person", "b"])
    assert manifest_of(release)["read"]["only"] == ["person", "b"]
    assert verify(release).valid  # one rating three times is nobody's id
    other = released(
        tmp_path, "person,b\n3,4\n4,4\n5,4\n", "other.csv", epsilon=2, only=["person", "b"]
    )
    with pytest.raises(ParameterError, match="holds no record ids"):
        verify(other)


@pytest.mark.parametrize("ids", ["shuffle", "keep"])
def test_the_roles_of_a_long_file(tmp_path, ids):
    release = released(tmp_path, LONG, ids=ids)
    assert verify(release).valid
    edit(release, ("read", "id", "movie"), ("read", "issue", "user"))
    with pytest.raises(ParameterError, match="the layout long, which only the manifest states"):
        verify(release)


def test_columns_by_other_names_need_a_word(tmp_path):
    roles = {"layout": "long", "id": "who", "issue": "what", "rating": "much"}
    release = released(tmp_path, LONG.replace("user,movie,rating", "who,what,much"), **roles)
    words = "say `layout='long'`, `id='who'`, `issue='what'`, `rating='much'`"
    with pytest.raises(ParameterError, match=words):
        verify(release)
    assert verify(release, **roles).valid


def test_a_column_that_the_manifest_does_not_name(tmp_path):
    release = released(tmp_path, LONG)
    lines = release.read_text().splitlines()
    more = [
        lines[0] + ",date",
        *(f"{line},2005-01-{day + 10}" for day, line in enumerate(lines[1:])),
    ]
    release.write_text("\n".join(more) + "\n")
    assert any("has 1 column that" in problem for problem in verify(rehash(release)).problems)


def test_a_record_hidden_as_a_header(tmp_path):
    release = released(tmp_path, "9,1,5\n4,5,3\n4,5,3\n4,5,3\n", k=1, header=False)
    lines = sorted(release.read_text().splitlines(), reverse=True)
    release.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="a first line of numbers"):
        verify(edit(rehash(release), ("read", "header", True), ("parameters", "k", 3)))


def test_a_release_has_names_that_are_no_record(tmp_path):
    """pandas writes column numbers as names: with them alone nobody
    could tell the header from a record.
    """
    release = released(tmp_path, ",0,1\nx,3,4\ny,3,4\n", header=True)
    assert release.read_text().splitlines()[0] == "record,0,1"
    assert verify(release).valid
    with pytest.raises(ParameterError, match="numbers as names of all columns"):
        released(tmp_path, ",0,1\nx,3,4\ny,3,4\n", "s.csv", header=True, ids="strip")


def test_another_format_than_the_files(five):
    with pytest.raises(DataError, match="one that looks like delimited"):
        verify(edit(five, read={"format": "movielens"}))


# ---- a demand is the receiver's ----


@pytest.fixture
def paid(tmp_path):
    """(5,1)-anonymous beside what is said to be sensitive, nobody like anybody with it."""
    write_release(anonymized(survey(tmp_path), FIVE), tmp_path / "r.csv")
    return tmp_path / "r.csv"


def test_a_demand_does_not_take_sensitive_issues_from_the_manifest(paid):
    with pytest.raises(ParameterError, match="only the manifest declares sensitive") as refused:
        verify(paid, k=3)
    assert refused.value.name == "sensitive"
    assert verify(paid, k=3, sensitive=["age"]).valid
    found = verify(paid, k=3, sensitive=[])
    assert any("not as anonymous as demanded: 5 of 5" in problem for problem in found.problems)
    assert found.demanded_reading.words == {
        "columns": "file", "quasi": "file", "sensitive": "receiver", "scale": "file",
    }  # fmt: skip


def test_every_issue_sensitive_leaves_nothing_to_claim(paid):
    edit(paid, ("read", "sensitive", ["age", "q1"]), sensitive=["q1", "age"], issues=1)
    assert any(
        "do not cover items that the manifest" in warning for warning in verify(paid).warnings
    )
    found = verify(paid, k=5, epsilon=0, sensitive=["age"])
    assert any("as demanded" in problem for problem in found.problems)
    edit(paid, ("read", "sensitive", ["age", "q1", "q2"]), sensitive=["q1", "q2", "age"], issues=0)
    with pytest.raises(DataError, match="at least one item that is not sensitive"):
        verify(paid)


def test_a_demand_is_strict_whatever_the_manifest_says(tmp_path):
    path = tmp_path / "input.csv"
    path.write_text("user,q1,q2\na,4,4\nb,4,\nc,,4\n")
    made = suppress(ratingpriv.read(path), k=3, epsilon=0, nulls="wildcard")
    release = write_release(made, tmp_path / "r.csv").path
    assert verify(release).valid
    assert not verify(release, k=3).valid
    assert verify(release, k=3, nulls="wildcard").valid
    assert verify(release, k=3, nulls="wildcard").to_dict()["demanded"]["nulls"] == "wildcard"


def test_a_scale_that_decides_is_the_receivers(tmp_path):
    """Where nobody rates above 2, an epsilon of 2 reaches a null; on a scale to 5 it does not."""
    release = released(tmp_path, "user,q1,q2\na,1,2\nb,2,1\nc,2,\nd,1,\n", scale=(1, 5), epsilon=2)
    assert verify(release, k=2, scale=(1, 5)).valid
    with pytest.raises(ParameterError, match="the scale") as refused:
        verify(release, k=4)
    assert refused.value.name == "scale"
    assert not verify(release, k=4, scale=(1, 5)).valid
    assert verify(release, k=4, scale=(1, 2)).valid
    with pytest.raises(DataError, match=r"scale 3\.\.5"):
        verify(release, k=2, scale=(3, 5))


def test_how_it_was_read_is_in_the_json(paid):
    read = verify(paid, k=3, sensitive=[]).to_dict()["read"]
    words = {"columns": "file", "quasi": "file", "sensitive": "manifest", "scale": "manifest"}
    assert read["claim"]["columns"] == {
        "record": "user",
        "issue": None,
        "rating": None,
        "timestamp": None,
    }
    assert read["claim"]["by_the_word_of"] == words
    assert (read["claim"]["sensitive"], read["demand"]["sensitive"]) == (["age"], [])
    assert read["demand"]["scale"] == {"min": 3, "max": 60, "declared": False}
    assert verify(paid).to_dict()["read"]["demand"] is None


def test_what_is_not_checked_is_in_the_json(paid):
    unchecked = verify(edit(paid, more="anything")).to_dict()["stated_not_checked"]
    assert unchecked["method"]["statement"] == "made by hand"
    assert unchecked["records"] == {"withheld": 1}
    assert unchecked["more"] == "anything"
    assert "mean_after" not in unchecked["distortion"]
