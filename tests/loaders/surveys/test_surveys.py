"""Exports of survey tools: recognised, named, with the roles that are sure,
cells as csv has them.
"""

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from loaders.files import write
from loaders.surveys.generators import google_form, limesurvey, qualtrics, surveymonkey, text_of

import ratingpriv
from ratingpriv.audit import audit
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.raw import RawData, TextCells
from ratingpriv.data.formats.describing import describe
from ratingpriv.data.formats.reading import ReadOptions, Source, detect

EXPORTS = {
    "qualtrics": [qualtrics(), qualtrics(words=True), qualtrics(rows=2)],
    "limesurvey": [limesurvey(), limesurvey(heads="both"), limesurvey(heads="questions")],
    "google-forms": [google_form(language=one) for one in ("en", "de", "fr", "es", "ja")],
    "surveymonkey": [surveymonkey(), surveymonkey(response="Antwort")],
}
HEADS = {"qualtrics": 3, "limesurvey": 1, "google-forms": 1, "surveymonkey": 2}
CASES = [(tool, number) for tool, exports in EXPORTS.items() for number in range(len(exports))]


def raw_of(path: Path, **options: object) -> RawData:
    source, said = Source(path), ReadOptions(**options)  # type: ignore[arg-type]
    return detect(source, said)[0].raw(source, said)  # type: ignore[attr-defined, no-any-return]


def roles(raw: RawData) -> dict[str, str | None]:
    return {column.name: column.known_role for column in raw.columns}


@pytest.mark.parametrize(("tool", "number"), CASES)
@pytest.mark.parametrize(("delimiter", "quote_all"), [(",", False), (";", True), ("\t", False)])
def test_cells_are_those_of_the_csv_module(tmp_path, tool, number, delimiter, quote_all):
    if tool == "google-forms" and delimiter != ",":
        pytest.skip("Google writes commas")
    text = text_of(EXPORTS[tool][number], delimiter, quote_all=quote_all)
    path = write(tmp_path, text)
    loader, claim = detect(Source(path))
    assert loader.name == tool
    assert claim.confidence > 0.5
    raw = raw_of(path)
    judged = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    heads = 2 if (tool, number) == ("qualtrics", 2) else HEADS[tool]
    assert len(raw.columns) == len(judged[0])
    assert raw.records == len(judged) - heads
    for place, column in enumerate(raw.columns):
        expected = [row[place].strip(" \t") for row in judged[heads:]]
        if isinstance(column.cells, TextCells):
            assert column.cells.texts.gather(column.cells.codes).to_list() == expected
        else:  # of a "check all that apply"
            assert column.labels[0][1] in expected
            assert column.cells.to_list() == [1 if text else None for text in expected]


def test_names_are_short_and_unique(tmp_path: Path) -> None:
    for tool, exports in EXPORTS.items():
        for rows in exports:
            names = list(roles(raw_of(write(tmp_path, text_of(rows)))))
            assert len(set(names)) == len(names)
            assert not any("\n" in name for name in names), tool
    names = list(roles(raw_of(write(tmp_path, text_of(surveymonkey())))))
    assert names[9:] == ["Q1", "Q2_1", "Q2_2", "Q2_3", "Q3_1", "Q3_2", "Gender", "Q5"]
    assert "Q2_SQ001" in roles(raw_of(write(tmp_path, text_of(limesurvey(heads="both")))))
    names = list(roles(raw_of(write(tmp_path, text_of(google_form())))))
    rated = ['Rate, please ["Food"]', "Rate, please [Room]"]
    assert names[3:] == ["How was it? Be honest", *rated, "Comment", "Comment (2)"]


def test_what_each_tool_is_sure_of(tmp_path: Path) -> None:
    found = roles(raw_of(write(tmp_path, text_of(qualtrics()))))
    assert found["ResponseId"] == "id"
    for name in ("IPAddress", "RecipientEmail", "ExternalReference", "LocationLatitude", "Q3"):
        assert found[name] == "identifier", name
    for name in (
        "StartDate",
        "Duration (in seconds)",
        "Status",
        "Q3_DO_1",
        "Q4_First Click",
        "UserLanguage",
    ):
        assert found[name] == "drop", name
    assert (found["Q1"], found["Q2_1"]) == (None, None)
    old = roles(raw_of(write(tmp_path, text_of(qualtrics(rows=2)))))
    assert [old[f"V{n}"] for n in range(1, 8)] == [
        "id", "drop", "identifier", "identifier", "identifier", "identifier", "drop",
    ]  # fmt: skip
    for heads in ("codes", "both"):
        lime = roles(raw_of(write(tmp_path, text_of(limesurvey(heads=heads), ";"))))
        assert (lime["id"], lime["token"], lime["ipaddr"]) == ("id", "identifier", "identifier")
        assert (lime["seed"], lime["interviewtime"], lime["groupTime12"]) == (
            "drop",
            "drop",
            "drop",
        )
        assert (lime["Q1"], lime["Q2_SQ001"], lime["Q2_other"]) == (None, None, "identifier")
    form = roles(raw_of(write(tmp_path, text_of(google_form(language="es")))))
    assert list(form.values())[:4] == ["drop", "identifier", "drop", None]
    monkey = roles(raw_of(write(tmp_path, text_of(surveymonkey()))))
    assert list(monkey.values())[:9] == ["id", "drop", "drop", "drop", *["identifier"] * 5]
    assert (monkey["Q2_3"], monkey["Q5"], monkey["Gender"]) == ("identifier", "identifier", None)
    for tool, exports in EXPORTS.items():
        raw = raw_of(write(tmp_path, text_of(exports[0])))
        assert all(column.why for column in raw.columns if column.known_role), tool


def test_a_table_has_only_what_was_answered(tmp_path: Path) -> None:
    table = ratingpriv.read(write(tmp_path, text_of(qualtrics())))
    assert table.issues == ("Q1", "Q2_1", "Q2_2")
    assert table.record_ids.to_list()[0] == "R_000aBc"
    assert (table.n_records, table.n_ratings, table.origin.format) == (12, 35, "qualtrics")
    assert table.selection is None  # what the tool makes itself is no question that was left out
    path = write(tmp_path, text_of(limesurvey(), ";"))
    table = ratingpriv.read(path, drop=["Q1"])
    assert table.issues == ("Q2_SQ001", "Q2_SQ002")
    path = write(tmp_path, text_of(surveymonkey()))
    table = ratingpriv.read(path, quasi=["Gender"], drop=["Q2_*"])
    assert "Q1" in table.issues
    assert [column.name for column in table.quasi] == ["Gender"]
    assert not any("example.org" in str(part) for part in (table.record_ids, table.origin.details))


def test_options_beat_what_the_tool_says(tmp_path: Path) -> None:
    path = write(tmp_path, text_of(qualtrics()))
    table = ratingpriv.read(path, quasi=["UserLanguage"])
    assert [column.name for column in table.quasi] == ["UserLanguage"]
    table = ratingpriv.read(path, id="ExternalReference")
    assert table.record_ids.to_list()[:2] == ["x0", "x1"]
    assert not any("R_0" in str(part) for part in (table.issues, table.quasi, table.carried))


@pytest.mark.parametrize("status", ["1", "Survey Preview"])
def test_previews_are_no_respondents(tmp_path: Path, status: str) -> None:
    text = text_of(qualtrics(status=status))
    path = write(tmp_path, text)
    said = {"ratings": ["Q1", "Q2_1", "Q2_2"]}
    table = ratingpriv.read(path, **said)
    assert audit(table, k=1, epsilon=0).to_dict()["dataset"]["previews"] == 1
    assert (table.n_records, "R_001aBc" in table.record_ids.to_list()) == (11, False)
    assert describe(path).to_dict()["dataset"]["previews"] == 1
    assert ratingpriv.read(path, drop=["Status"], **said).n_records == 12
    with pytest.raises(DataError) as caught:  # lines are those of the file, the preview's too
        ratingpriv.read(path, scale=(9, 10), **said)
    lines = {problem.line for problem in caught.value.problems}
    first, preview, next_one = (text.split(f"R_00{n}aBc")[0].count("\n") + 1 for n in range(3))
    assert preview not in lines
    assert {first, next_one} <= lines


def test_previews_only_are_refused(tmp_path: Path) -> None:
    rows = qualtrics(status="Survey Preview")
    with pytest.raises(DataError, match="previews of the survey only"):
        ratingpriv.read(write(tmp_path, text_of([*rows[:3], rows[4]])))


def _three(rows):
    """Return the export with a third header row: a grid's rows above its columns."""
    first, below, *body = rows
    grid = {13: ("Food", "Taste"), 14: ("", "Price")}
    second = [grid[place][0] if place in grid else cell for place, cell in enumerate(below)]
    third = [grid[place][1] if place in grid else "" for place in range(len(below))]
    return [first, second, third, *body]


def _without_response(rows):
    first, below, *body = rows
    return [first, ["" if cell == "Response" else cell for cell in below], *body]


@pytest.mark.parametrize("edit", [_three, _without_response])
def test_merged_headers_of_surveymonkey(tmp_path, edit):
    plain = raw_of(write(tmp_path, text_of(surveymonkey()), "plain.csv"))
    path = write(tmp_path, text_of(edit(surveymonkey())))
    assert detect(Source(path))[0].name == "surveymonkey"
    found = raw_of(path)
    assert found.records == plain.records
    assert [column.known_role for column in found.columns] == [
        one.known_role for one in plain.columns
    ]
    if edit is _three:
        grid = [one.question or "" for one in found.columns if "Food" in (one.question or "")]
        assert [text.endswith(("[Food - Taste]", "[Food - Price]")) for text in grid] == [
            True,
            True,
        ]


def test_checked_choices_are_one_or_nothing(tmp_path: Path) -> None:
    raw = raw_of(write(tmp_path, text_of(surveymonkey())))
    pool = next(column for column in raw.columns if column.name == "Q2_1")
    assert pool.labels == ((1.0, "The pool"),)
    assert isinstance(pool.cells, pl.Series)
    assert pool.cells.to_list()[:3] == [None, 1, None]


def test_other_texts_are_not_claimed(tmp_path: Path) -> None:
    for text in (
        "Timestamp,a,b\n1,2,3\n2,3,4\n",
        "id,a,b\nx,1,2\ny,3,4\n",
        "id,token,Q1\n1,2,3\n2,3,4\n",
        "ResponseId,Q1\nR_1,2\nR_2,3\n",
        "Respondent ID,a,b\n1,2,3\n2,3,4\n",
        "user,item,rating\nx,a,1\ny,b,2\n",
    ):
        assert detect(Source(write(tmp_path, text)))[0].name == "delimited", text
    path = write(tmp_path, text_of(qualtrics()))
    assert detect(Source(path), ReadOptions(header=True))[0].name == "delimited"


def test_a_named_format_that_does_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, "id,a\nx,1\ny,2\n")
    for tool in EXPORTS:
        with pytest.raises(DataError, match="another header"):
            ratingpriv.read(path, format=tool)
        with pytest.raises(ParameterError, match="layout"):
            ratingpriv.read(path, format=tool, layout="long")


@pytest.mark.parametrize("kept", [(0, 1), (0, 2)])
def test_qualtrics_without_one_of_its_header_rows(tmp_path: Path, kept: tuple[int, int]) -> None:
    rows = qualtrics(12)
    whole = raw_of(write(tmp_path, text_of(rows)))
    part = raw_of(write(tmp_path, text_of([rows[kept[0]], rows[kept[1]], *rows[3:]])))
    assert (part.origin.format, part.records) == ("qualtrics", whole.records)
    unsure = {"Q3": None} if kept == (0, 1) else {}  # that it is free text, its import id says
    assert roles(part) == roles(whole) | unsure


def test_what_qualtrics_puts_in_beside_answers(tmp_path: Path) -> None:
    more = {
        "Q9_Version": "QID9_VERSION", "Q9_Resolution": "QID9_RESOLUTION", "SC0": "SC_4xyz",
        "Q_RecaptchaScore": "Q_RecaptchaScore", "Q7_Size": "QID7_FILE_SIZE",
        "Q3_NPS_GROUP": "QID3_NPS_GROUP",
    }  # fmt: skip
    rows = qualtrics(12)
    for name, import_id in more.items():
        for row, cell in zip(
            rows, (name, name, f'{{"ImportId":"{import_id}"}}', *["1"] * 12), strict=True
        ):
            row.append(cell)
    found = roles(raw_of(write(tmp_path, text_of(rows))))
    assert [found[name] for name in more] == ["drop", "drop", "drop", "drop", "identifier", "drop"]


def test_limesurvey_times_of_questions(tmp_path: Path) -> None:
    rows = limesurvey(12)
    for row, cells in zip(rows, (("Q2Time", "FreeTime"), *[("3.2", "4")] * 12), strict=True):
        row.extend(cells)
    found = roles(raw_of(write(tmp_path, text_of(rows))))
    assert (found["Q2Time"], found["FreeTime"]) == ("drop", None)


# -- the real files


def named(raw: RawData) -> list[str]:
    return [column.name for column in raw.columns]


VV_CODES = ["id", "submitdate", "lastpage", "startlanguage", "Q1_SQ001", "Q1_SQ002", "G1"]
VV_QUESTIONS = {
    "en": ["Response ID", "Date submitted", "Last page", "Start language", "How is it [A]",
    "How is it [B]",
           "Gender"],
    "de": ["Antwort ID", "Datum Abgeschickt", "Letzte Seite", "Start-Sprache", "Wie ist es [A]",
           "Wie ist es [B]",
           "Alter"],
    "fr": ["ID de la réponse", "Date de soumission", "Dernière page", "Langue de départ", "A", "B",
    "Genre"],
}  # fmt: skip


@pytest.mark.parametrize("language", VV_QUESTIONS)
@pytest.mark.parametrize("token", ["{question_not_shown}", "N/A", ""])
def test_limesurvey_vv(tmp_path: Path, language: str, token: str) -> None:
    answers = [
        [str(at), "2024-01-01 00:00:00", "3", "en", str(at % 5 + 1), token if at % 3 else "2", "F"]
        for at in range(30)
    ]
    text = "".join("\t".join(row) + "\n" for row in (VV_QUESTIONS[language], VV_CODES, *answers))
    path = write(tmp_path, text)
    assert detect(Source(path))[0].name == "limesurvey"
    raw = raw_of(path)
    assert (raw.records, named(raw)) == (30, VV_CODES)
    assert raw.columns[4].question == VV_QUESTIONS[language][4]
    table = ratingpriv.read(path, drop=("G1",))
    assert (table.issues, table.n_ratings) == (("Q1_SQ001", "Q1_SQ002"), 40)
    assert raw.locate(0, "G1")[1] == 3


def repeated(rows: list[list[str]]) -> list[list[str]]:
    """Return rows whose second one has the names of the first where it had nothing."""
    return [rows[0], [cell or head for head, cell in zip(*rows[:2], strict=True)], *rows[2:]]


@pytest.mark.parametrize(
    "edit",
    [
        lambda rows: rows,
        lambda rows: [["Course survey 2024", *[""] * (len(rows[0]) - 1)], *rows],
        lambda rows: [["Course survey 2024"], [""], *rows],
        repeated,
        lambda rows: [["All answers"], *repeated(rows)],
    ],
)
def test_surveymonkey_as_people_edit_it(tmp_path, edit):
    plain = raw_of(write(tmp_path, text_of(surveymonkey()), "plain.csv"))
    path = write(tmp_path, text_of(edit(surveymonkey())))
    assert detect(Source(path))[0].name == "surveymonkey"
    raw = raw_of(path)
    assert (raw.records, named(raw), roles(raw)) == (plain.records, named(plain), roles(plain))


@pytest.mark.parametrize(
    "name", ["Status", "Progress", "Finished", "Name", "Duration (in seconds)"]
)
@pytest.mark.parametrize("both", [True, False])
def test_a_question_of_qualtrics_may_be_called_like_its_own_columns(tmp_path, name, both):
    rows = qualtrics()
    before = named(raw_of(write(tmp_path, text_of(rows), "plain.csv")))
    if not both and name in rows[0]:
        place = rows[0].index(name)
        rows = [row[:place] + row[place + 1 :] for row in rows]
        before.remove(name)
    asked = [
        name,
        "How is your case?",
        '{"ImportId":"QID77"}',
        *(str(at % 3) for at in range(len(rows) - 3)),
    ]
    raw = raw_of(
        write(tmp_path, text_of([[*row, cell] for row, cell in zip(rows, asked, strict=True)]))
    )
    assert named(raw) == [*before, f"{name} QID77"]
    assert raw.columns[-1].known_role is None
