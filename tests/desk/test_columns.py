"""The page of columns: what is proposed, asked and saved,
and what is never overwritten in silence.
"""

import re
import shutil
import threading
from pathlib import Path

import pytest
from desk_asking import open_desk

import ratingpriv
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.desk import Desk
from ratingpriv.desk.jobs import Job

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def _nothing_is_counted(monkeypatch):
    """What is counted is another test's."""
    monkeypatch.setattr(Desk, "_count", lambda desk, job: desk.columns and desk.columns.read(job))


@pytest.fixture
def file(tmp_path):
    return Path(shutil.copy(EXAMPLES / "survey.csv", tmp_path))


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def asks(asking):
    text = asking.get("/columns").text
    inside = text.partition('<ul class="asks"')[2].partition("</ul>")[0]
    return [" ".join(re.sub("<[^>]*>", "", one).split()) for one in inside.split("<li")[1:]]


def wide(folder, name, columns, rows):
    body = "\n".join(",".join(str(value) for value in row) for row in rows)
    return write(folder / name, ",".join(columns) + "\n" + body + "\n")


def test_columns_are_proposed_with_reasons_and_no_cell(file):
    with open_desk(file) as asking:
        page = asking.get("/columns")
        assert page.status == 200
        assert "numbers on few steps" in page.words.lower()
        assert "r001" not in page.text
        fields = asking.fields()
        assert (fields["role1"], fields["role8"]) == ("id", "rating")
        assert any("learn" in one for one in asks(asking))


def test_what_is_saved_is_the_codebook_that_every_command_takes(file):
    with open_desk(file) as asking:
        fields = {
            **asking.fields(),
            "role8": "sensitive",
            "low2": "1",
            "high2": "7",
            "gone3": "99, 98",
        }
        reply = asking.post("/columns", fields)
        assert (reply.status, reply.headers["Location"]) == (303, "/choose")
        asking.rest()
        book = read_codebook(file.with_suffix(".toml"))
        assert book.columns["pay"].role == "sensitive"
        assert book.columns["workload"].scale == (1, 7)
        assert book.columns["team"].missing == ("99", "98")
        assert book.columns["team"].scale is None  # nobody said one
        assert [one.name for one in asking.desk.columns.read(Job("")).sensitive] == ["pay"]
        # saved again, it is the desk's own: no question
        assert asking.post("/columns", {**asking.fields(), "role8": "rating"}).status == 303
        asking.rest()
        assert read_codebook(file.with_suffix(".toml")).columns["pay"].role == "rating"


def test_a_foreign_codebook_is_shown_as_a_difference_and_kept(file):
    text = "# mine\n[columns.pay]\nrole = 'sensitive'\n\n[audit]\nk = 7\n"
    book = write(file.with_suffix(".toml"), text)
    with open_desk(file) as asking:
        fields = asking.fields()
        assert fields["role8"] == "sensitive"
        reply = asking.post("/columns", fields)
        assert (reply.status, book.read_text()) == (409, text)
        assert "# mine" in reply.text
        assert asking.desk.protection is None
        assert asking.post("/columns", {**fields, "replace": "0" * 64}).status == 409
        digest = re.search('name="replace" value="([0-9a-f]{64})"', reply.text)[1]
        write(book, text + "# edited meanwhile\n")
        assert asking.post("/columns", {**fields, "replace": digest}).status == 409
        write(book, text)
        assert asking.post("/columns", {**fields, "replace": digest}).status == 303
        asking.rest()
        assert read_codebook(book).commands["audit"]["k"] == 7  # what is not about columns stays


def test_its_own_codebook_that_somebody_edited_is_foreign(file):
    with open_desk(file) as asking:
        asking.post("/columns", asking.fields())
        asking.rest()
        book = file.with_suffix(".toml")
        edited = write(book, book.read_text() + "# a note\n").read_text()
        assert asking.post("/columns", asking.fields()).status == 409
        assert book.read_text() == edited


def test_a_form_of_an_older_page_saves_nothing(file):
    with open_desk(file) as asking:
        old = asking.fields()
        asking.post("/columns", asking.fields())
        asking.rest()
        before = file.with_suffix(".toml").read_bytes()
        reply = asking.post("/columns", {**old, "role8": "drop"})
        assert (reply.status, "another tab" in reply.words) == (409, True)
        assert file.with_suffix(".toml").read_bytes() == before


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("low2", "one", "a number"), ("low2", "9", "from its lowest"),
    ("role2", "boss", "one of the roles"),
     ("role2", "id", "one column of record ids")],
)  # fmt: skip
def test_what_is_wrong_stands_beside_its_column_and_the_form_is_kept(file, field, value, said):
    with open_desk(file) as asking:
        form = {**asking.fields(), "high2": "5", "gone8": "77", field: value}
        reply = asking.post("/columns", form)
        assert (reply.status, said in reply.words) == (422, True)
        assert 'class="problem">workload' in reply.text
        assert 'value="77"' in reply.text
        assert not file.with_suffix(".toml").exists()


def test_many_columns_of_one_kind_are_one_row_until_taken_apart(tmp_path):
    names = ["id", *(f"E{number}" for number in range(1, 11))]
    rows = [[row, *((row + column) % 5 + 1 for column in range(10))] for row in range(40)]
    with open_desk(wide(tmp_path, "big.csv", names, rows)) as asking:
        assert "10 columns alike" in asking.get("/columns").words
        fields = {**asking.fields(), "role2": "sensitive"}
        assert asking.get("/columns/apart?column=2").status == 303
        assert "columns alike" not in asking.get("/columns").words
        asking.desk.columns.opened.clear()
        asking.post("/columns", fields)
        asking.rest()
        assert {spec.role for name, spec in asking.desk.columns.specs.items() if name != "id"} == {
            "sensitive"
        }


def test_only_a_person_can_say(tmp_path):
    rows = [
        [f"p{row}", row % 6, ("never", "rather", "quite", "so so")[row % 4], 20 + row % 50]
        for row in range(60)
    ]
    rows[1][0] = "p0"
    with open_desk(
        wide(tmp_path, "asked.csv", ["respondent", "q1", "mood", "age"], rows)
    ) as asking:
        said = " ".join(asks(asking))
        assert "Is 0 an answer?" in said
        assert "Do others know this about people?" in said
        assert "age" in said


def test_names_that_look_like_markup_are_text(tmp_path):
    names = ["id", "<script>alert(1)</script>", "a\u202eb\x07"]
    rows = [[row, row % 5 + 1, row % 4 + 1] for row in range(30)]
    with open_desk(wide(tmp_path, "odd.csv", names, rows)) as asking:
        for path in ("/columns", "/choose"):
            text = asking.get(path).text
            assert "<script>alert" not in text
            assert "\u202e" not in text
            assert "\x07" not in text
        asking.post("/columns", asking.fields())
        asking.rest()
        assert asking.desk.jobs.last.state == "done", asking.desk.jobs.last.error


def test_what_cannot_be_read_is_said_in_its_words_without_its_place(tmp_path):
    with open_desk(write(tmp_path / "bad.csv", "id,a,b\n1,2\n3,4,5,6\n" * 20)) as asking:
        page = asking.get("/columns")
        assert "did not work" in page.words
        assert "bad.csv" in page.words
        assert str(tmp_path) not in page.text


def test_a_file_with_a_row_a_rating_has_no_columns_to_say(tmp_path):
    rows = [[user, item, (user * item) % 5 + 1] for user in range(1, 13) for item in range(1, 7)]
    with open_desk(wide(tmp_path, "long.csv", ["userId", "itemId", "rating"], rows)) as asking:
        assert "one rating" in asking.get("/columns").words
        assert asking.get("/choose").status == 303


def test_a_file_that_is_chosen_in_the_browser(file, monkeypatch, tmp_path):
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    with open_desk() as asking:
        assert "Drop a file" in asking.get("/columns").words
        kind = {"Content_Type": "application/octet-stream"}
        for name in ("..%2F..%2Fs.csv", "C%3A%5Cx%5Cs.csv", "s.csv"):
            reply = asking.ask("POST", f"/open?name={name}", file.read_bytes(), **kind)
            assert reply.status == 303
            asking.rest()
            assert asking.desk.columns.path.name == "s.csv"
            assert asking.desk.columns.path.parent == asking.desk._folder
        asking.post("/columns", asking.fields())
        asking.rest()
        assert [one.name for one in place.iterdir()] == ["s.toml"]
        copy = asking.desk.columns.path
    assert not copy.exists()


def test_two_files_that_come_at_once_are_one_after_the_other(file):
    with open_desk(file) as asking:
        ways = [
            threading.Thread(target=asking.post, args=("/columns", asking.fields()))
            for _ in range(4)
        ]
        for way in ways:
            way.start()
        for way in ways:
            way.join()
        asking.rest()
        assert asking.desk.columns.revision == 1


def mac(folder):
    rows = [[f"r{row}", row % 5 + 1, row * 3 % 5 + 1] for row in range(24)]
    file = wide(folder, "mac.csv", ["id", "fraîcheur", "accueil"], rows)
    file.write_bytes(file.read_text("utf-8").encode("mac_roman"))
    return file


def test_a_file_that_is_not_utf8_is_read_as_somebody_says(tmp_path):
    file = mac(tmp_path)
    with open_desk(file) as asking:
        page = asking.get("/columns")
        assert (page.status, "Who wrote this file?" in page.words) == (200, True)
        names = re.findall('name="encoding" value="([^"]*)"', page.text)
        assert names[0] == "mac_roman"
        assert "fraîcheur" in page.words
        assert "r0" not in page.text
        assert asking.post("/encoding", {"encoding": "utf-16"}).status == 422
        assert asking.post("/encoding", {"encoding": "mac_roman"}).headers["Location"] == "/columns"
        asking.rest()
        assert "fraîcheur" in asking.get("/columns").words
        assert names == re.findall('name="encoding" value="([^"]*)"', asking.get("/encoding").text)
        asking.post("/columns", asking.fields())
        asking.rest()
        assert asking.desk.jobs.last.error is None
    # the codebook says it, to every command
    table = ratingpriv.read(file, codebook=file.with_suffix(".toml"))
    assert "fraîcheur" in table.issues


def test_a_codebook_that_is_there_learns_the_encoding(tmp_path):
    file = mac(tmp_path)
    write(file.with_suffix(".toml"), "[columns.accueil]\nrole = 'sensitive'\n")
    with open_desk(file) as asking:
        asking.get("/columns")
        asking.post("/encoding", {"encoding": "mac_roman"})
        asking.rest()
        fields = asking.fields()
        assert fields["role3"] == "sensitive"
        shown = asking.post("/columns", fields)
        assert re.search(r"\+.*encoding = .*mac_roman", shown.words)


def test_a_file_of_utf8_has_no_other_encoding(file):
    with open_desk(file) as asking:
        asking.get("/columns")
        assert "read as UTF-8" in asking.get("/encoding").words
        assert asking.post("/encoding", {"encoding": "cp1252"}).status == 422
