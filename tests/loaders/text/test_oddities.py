"""Files as people have them: decimal commas, Excel's sep=, titles, totals, empty ends,
blanks, triples.
"""

from pathlib import Path

import pytest
from loaders.files import refused, write

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.formats.describing import describe, describe_raw
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.report.wording import as_options
from ratingpriv_loaders.text.loader import DelimitedLoader


def reason(path: Path, **options: object) -> str:
    claim = DelimitedLoader().detect(Source(path), ReadOptions(**options))  # type: ignore[arg-type]
    assert claim is not None
    return claim.reason


THREE = "id,a,b\nx,1,2\ny,3,4\nz,3,4\n"
GROUPS = "id;a\nx;1,234\ny;2,500\n"

READ: list[tuple[str, tuple[str, ...], list[float], str]] = [
    ("id;a;b\nx;3,5;4\ny;2,5;1,5\n", ("a", "b"), [3.5, 4.0, 2.5, 1.5], "decimal commas"),
    (
        "1,5;2,5;3\n2,5;3,5;1\n",
        ("1", "2", "3"),
        [1.5, 2.5, 3.0, 2.5, 3.5, 1.0],
        "no header, decimal commas",
    ),
    (
        "sep=;\r\nid;a;b\r\nx;1;2\r\ny;3;\r\n",
        ("a", "b"),
        [1, 2, 3],
        "1 line above the header not read",
    ),
    ('"sep=|"\nid|a\nx|1\ny|2\n', ("a",), [1, 2], "1 line above the header not read"),
    (
        f"Survey 2020\nspring\n{THREE}",
        ("a", "b"),
        [1, 2, 3, 4, 3, 4],
        "2 lines above the header not read",
    ),
    (
        f'"Survey,\n2020"\n{THREE}',
        ("a", "b"),
        [1, 2, 3, 4, 3, 4],
        "1 line above the header not read",
    ),
    # no row of names follows
    ("5,,\n1,2,3\n,4,5\n", ("1", "2", "3"), [5, 1, 2, 3, 4, 5], "no header"),
    ("id,a,b,\nx,1,2,\ny,3,4,\n", ("a", "b"), [1, 2, 3, 4], "an empty column at the end not read"),
    ("id,a,b\nx,1,2,\ny,3,4,\n", ("a", "b"), [1, 2, 3, 4], "an empty column at the end not read"),
    ("id a b\nx 1 2\ny 3 4\n", ("a", "b"), [1, 2, 3, 4], "delimiter space"),
    ("  id   a\tb\nx     1  2  \n  y  3    4\n", ("a", "b"), [1, 2, 3, 4], "blanks between cells"),
]

REFUSED: list[tuple[str, list[tuple[int, object]], str]] = [
    (GROUPS, [(2, "a")], "`decimal_comma=True`"),  # 1,234 may be digit groups
    ('id,a\nx,"3,5"\ny,"2,5"\n', [(2, "a")], "`decimal_comma=True`"),  # between commas it is odd
    ("id\ta\nx\t1,200\ny\t5\n", [(2, "a")], "`decimal_comma=True`"),
    ("id;a;b;c\nx;1,234;1,111;5\ny;2,345;2,222;1\n", [(2, "a")], "and in 1 more columns"),
    ("id;a;b\nx;3,5;1.234\ny;2,5;2.000\n", [(2, "b")], "one decimal sign"),
    ("id;a\nx;3,5\ny;2.5\n", [(2, "a")], "a number with a comma"),
    # several answers in a cell
    ("id;a;multi\nx;3;1,3\ny;2;1,3,5\nz;1;2\n", [(2, "multi")], "text"),
    # lines are counted from the top
    ("sep=;\nid;a;b\nx;1;2\ny;four;2\nz;1;1\n", [(4, "a")], "text"),
    ("score\nr1,5,1\nr2,4,1\n", [(2, None)], "every line"),
]


@pytest.mark.parametrize(("text", "issues", "values", "said"), READ)
def test_read_as(tmp_path, text, issues, values, said):
    path = write(tmp_path, text)
    table = ratingpriv.read(path)
    assert (table.issues, table.values.tolist()) == (issues, values)
    assert said in reason(path)
    assert table.origin.details.get("decimal_comma", False) is ("decimal" in said)


@pytest.mark.parametrize(("text", "places", "said"), REFUSED)
def test_refused(tmp_path, text, places, said):
    error = refused(write(tmp_path, text))
    assert [(problem.line, problem.column) for problem in error.problems[:1]] == places
    assert said in str(error)


def test_a_cell_behind_the_last_column_is_refused(tmp_path: Path) -> None:
    rows = "".join(f"x{n},1,2,\n" for n in range(300))
    error = refused(write(tmp_path, f"id,a,b,\n{rows}y,1,2,3\nz,1,2,\n"))
    assert [problem.line for problem in error.problems] == [302]
    assert "a cell behind the last column that has a name" in str(error)


def test_a_comma_is_settled_by_an_option(tmp_path: Path) -> None:
    path = write(tmp_path, GROUPS)
    assert refused(path).total == 1
    assert ratingpriv.read(path, decimal_comma=True).values.max() < 10
    assert "decimal_comma" not in refused(path, decimal_comma=False).problems[0].remedy
    text = as_options(str(refused(path)))
    assert "--set decimal-comma=yes if" in text
    assert "--set decimal-comma=no" in text


def test_a_line_of_empty_cells_is_no_title(tmp_path: Path) -> None:
    assert refused(write(tmp_path, f"Survey 2020,,\n,,\n{THREE}")).problems
    assert ratingpriv.read(write(tmp_path, "5,,\n1,2,3\n,4,5\n"), header=False).n_records == 3


def test_blanks_in_a_large_text(tmp_path: Path) -> None:
    """Pieces end anywhere, also between two blanks."""
    rows = "".join(f"r{n:<9} {n % 5 + 1}   {n % 3 + 1} \n" for n in range(60_000))
    table = ratingpriv.read(write(tmp_path, "id         a   b\n" + rows))
    assert (table.n_records, table.n_ratings) == (60_000, 120_000)


@pytest.mark.parametrize("time", ["", ",881250949"])
def test_triples_without_a_header_are_asked(tmp_path: Path, time: str) -> None:
    rows = [
        f"{user},{item},{(user * item) % 5 + 1}{time}"
        for user in range(1, 6)
        for item in range(10, 13)
    ]
    path = write(tmp_path, "\n".join(rows) + "\n")
    error = refused(path)
    assert "look like record, issue" in error.problems[0].found
    assert "`layout='long'`" in error.problems[0].remedy
    table = ratingpriv.read(path, layout="long")
    assert (table.n_records, table.n_issues, table.n_ratings) == (5, 3, 15)
    assert "in the order of record, issue, rating" in reason(path, layout="long")
    assert ratingpriv.read(path, layout="wide", scale=(0, 1e9)).n_records == 15


def test_plain_ratings_without_a_header_are_no_triples(tmp_path: Path) -> None:
    rows = "".join(f"{n % 5 + 1},{n % 4 + 1},{n % 3 + 1}\n" for n in range(60))
    assert ratingpriv.read(write(tmp_path, rows)).n_records == 60


@pytest.mark.parametrize(
    "text", [",0,1\n0,5,4\n1,3,2\n", "0,1,2\n5,4,1\n3,2,1\n", "1,2,3,4\n5,4,1,2\n3,2,1,1\n"]
)
def test_a_first_line_that_counts_its_columns_is_asked_about(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    assert "line 1: found a first line that counts its columns" in str(refused(path))
    assert ratingpriv.read(path, header=True).n_records == 2
    assert ratingpriv.read(path, header=False).n_records == 3
    assert ratingpriv.read(write(tmp_path, "1,2,3\n5,4,1\n")).n_records == 2


@pytest.mark.parametrize("line", [" {} {} {}\n", "{} {} {} \n", "  {}  {}  {}  \n"])
def test_blanks_around_lines_of_triples_are_no_cells(tmp_path: Path, line: str) -> None:
    text = "".join(line.format(n % 20, n // 20, n % 5 + 1) for n in range(200))
    assert "rows of 3 numbers without a header" in str(refused(write(tmp_path, text)))
    assert ratingpriv.read(write(tmp_path, text), layout="long").n_records == 20


@pytest.mark.parametrize(
    ("name", "rating", "found"),
    [
        ("rating", [1, 2, 3, 4, 5, 99], "column rating: found a lone value far outside"),
        ("rating", [1, 2, 9, 10, -1], "column rating: found a negative value below a scale"),
        ("value", [4915110001, 4915110002], "column value: found long digit strings"),
    ],
)
def test_ratings_of_a_long_file_are_looked_at(tmp_path, name, rating, found):
    text = f"user,item,{name}\n" + "".join(
        f"u{n % 12},i{n // 12},{rating[n % len(rating)]}\n" for n in range(60)
    )
    path = write(tmp_path, text)
    assert found in str(refused(path))
    assert ratingpriv.read(path, null=[str(rating[-1])], rating=name).n_ratings == 60 - 60 // len(
        rating
    )
    assert ratingpriv.read(path, scale=(-1, 10**10)).n_ratings == 60


def test_a_code_among_sensitive_ratings_of_a_long_file(tmp_path: Path) -> None:
    pay = [3, 3, 3, 3, 3, 999]
    text = "user,item,rating\n" + "".join(
        f"u{n},pay,{pay[n]}\nu{n},a,{n % 3 + 1}\n" for n in range(6)
    )
    path = write(tmp_path, text)
    assert "among the values of a sensitive item" in str(refused(path, sensitive=["pay"]))
    said = ratingpriv.read(path, sensitive=["pay"], sensitive_scale={"pay": (0, 1000)})
    assert said.sensitive[0].values.max() == 999


# -- lines of #, row names of R, and what is no table


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "# exported 2024-01-01, by tool\n# second, comment, line\nid,q1,q2\nx,3,4\ny,5,1\n",
            ("q1", "q2"),
        ),
        ("#a;b;c;d\n#\nid;q1\nx;3\ny;5\n", ("q1",)),
        ("# it's 5\" wide\nid,q1,q2\nx,3,4\ny,5,1\n", ("q1", "q2")),
        ("## x\n# y\n# a,b,c\n#q1,q2\n3,4\n5,1\n", ("#q1", "q2")),
        ("# q1,q2\n3,4\n5,1\n", ("# q1", "q2")),  # as numpy.savetxt writes it
        ("# made by hand\n3,4\n5,1\n", ("1", "2")),
        ("# seconds\tminutes\nid\tq1\nx\t3\ny\t5\n", ("q1",)),
    ],
)
def test_lines_of_comments_above_the_header(
    tmp_path: Path, text: str, names: tuple[str, ...]
) -> None:
    path = write(tmp_path, text)
    table = ratingpriv.read(path)
    assert (table.issues, table.n_records) == (names, 2)
    first = next(
        at
        for at, line in enumerate(text.splitlines())
        if line.strip("# ").startswith(("id", "q1", "3"))
    )
    assert ("not read" in reason(path)) == (first > 0)
    assert ("header not read" in reason(path)) == (first > 0 and names != ("1", "2"))


@pytest.mark.parametrize(
    "text",
    [
        "# exported\nid,q1\nx,3\ny,5\n# the end\n",
        "id,q1\nx,3\n# a note, in it\n",
        "id,q1\n# x,3\ny,5\n#\n",
        "id,q1\nx,3\n#y,5,1\n",
        "#c\n#c,c\n#id,job\nann,nurse\nbob,clerk\n",
    ],
)
def test_lines_of_comments_elsewhere_are_no_records(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    assert refused(path, quasi=["job"] if "job" in text else []).problems[0].line in (3, 4, 5)


@pytest.mark.parametrize(
    "text",
    [
        'q1 q2 g\n"1" 3 4 "a"\n"2" 3 4 "a"\n"3" 1 1 "b"\n',
        '"q1" "q2"\n"1" 3 4\n"2" 3 4\n',
        '"q1"\t"q2"\n"ann"\t3\t4\n"bob"\t3\t4\n',
        "q1,q2,q3\n1,3,4,2\n2,3,4,2\n",
        "q1;q2;q3\nann;3,5;4;2\nbob;3;4,5;2\n",
        "q1 q2\n1 3 4\n2 5 1\n",
    ],
)
def test_row_names_without_a_name(tmp_path: Path, text: str) -> None:
    """R's write.table: the header has a name less than the rows have cells."""
    path = write(tmp_path, text, "r.txt")
    problems = refused(path).problems
    assert [problem.line for problem in problems] == [2]
    assert "write.table" in problems[0].found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"id":1,"q1":3,"q2":4}\n{"id":2,"q1":3,"q2":4}\n', "JSON"),
        ('[{"id":1,"q1":3},\n{"id":2,"q1":3}]\n', "JSON"),
        ('{\n  "users": [{"id": 1}]\n}\n', "JSON"),
        ("[[1,2,3],[4,5,6]]\n", "JSON"),
        ('  {"type":"FeatureCollection","features":[]}', "JSON"),
        ("{}\n{}\n", "JSON"),
        ("<!DOCTYPE html><html><table><tr><td>1</td></tr></table></html>\n", "HTML or XML"),
        ('<?xml version="1.0"?>\n<rows><row id="1"/></rows>\n', "HTML or XML"),
    ],
)
def test_what_is_no_table_of_lines(tmp_path: Path, text: str, found: str) -> None:
    problem = refused(write(tmp_path, text)).problems[0]
    assert (problem.line, problem.found) == (1, found)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe", "cp1252"), ("Größe", "mac_roman"), ("qualité générale", "mac_roman"),
        ("qualité", "cp1252"),
        ("contraseña año", "mac_roman"), ("don’t know", "cp1252"), ("„gut“ – gern", "cp1252"),
        ("Über", "mac_roman"),
        ("forårs", "mac_roman"), ("forårs", "cp1252"), ("cœur", "cp1252"), ("seen?å", "mac_roman"),
    ],
)  # fmt: skip
def test_the_encoding_that_makes_letters_of_it_is_advised(
    tmp_path: Path, text: str, encoding: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(f"id,{text}\nx,1\ny,2\n".encode(encoding))
    assert f"`encoding={encoding!r}`" in str(refused(path))
    assert ratingpriv.read(path, encoding=encoding).issues == (text,)


@pytest.mark.parametrize(
    ("word", "encoding"),
    [("żywność", "cp1250"), ("Łączna", "cp1250"), ("Оценка", "cp1251"), ("qualité", "cp1252")],
)
def test_each_encoding_is_shown_by_a_word_of_the_header_and_by_none_of_a_record(
    tmp_path, word, encoding
):
    path = tmp_path / "a.csv"
    path.write_bytes(f"id,{word}\n1,1\n2,2\n".encode(encoding))
    said = str(refused(path))
    advised = [f"`encoding={name!r}`" for name in ("cp1250", "cp1251", "cp1252", "mac_roman")]
    assert all(text in said for text in advised if "mac" in text)
    assert said.index(f"`encoding={encoding!r}`") == min(
        said.index(text) for text in advised if text in said
    )
    assert repr(word) in said
    path.write_bytes(f"id,q\n{word},1\nb,2\n".encode(encoding))  # a person's
    hidden = refused(path)
    assert word not in str(hidden)
    assert f"`encoding={encoding!r}`" in str(hidden)
    path.write_bytes(f"{word},1\nb,2\n".encode(encoding))  # no header: a person's, too
    assert word not in str(refused(path))


HIDDEN = [
    ('"id", "q1", "q2"\n"1", "3", "4"\n"2", "3", "4"\n', "a blank between a delimiter and a quote"),
    ('id, "q1"\n1,3\n2,3\n', "a blank between a delimiter and a quote"),
    ("1\xa01\xa02\n1\xa02\xa03\n2\xa01\xa05\n", "U+00A0"),
    ("user\u200bitem\u200brating\n1\u200b2\u200b3\n2\u200b1\u200b5\n", "U+200B"),
    ("1\x1f1\x1f2\n1\x1f2\x1f3\n", "U+001F"),
    ("id,q1\n1,3\n2,4\u200b\n3,5\n", "U+200B"),
    ('id,q1\n1,3\n2, "4"\n3,5\n', "in quotes with a blank in front"),
]


@pytest.mark.parametrize(("text", "cause"), HIDDEN)
def test_what_nobody_sees_is_named(tmp_path: Path, text: str, cause: str) -> None:
    assert cause in refused(write(tmp_path, text)).problems[0].found


def test_a_blank_and_a_quote_in_a_remark_are_no_fault(tmp_path: Path) -> None:
    path = write(tmp_path, 'id\tq1\tremark\n1\t3\t "so" he said\n2\t4\tso\n3\t5\t"so, so"\n')
    assert ratingpriv.read(path, drop=["remark"]).n_records == 3


NUMBERED = ",X1,X2,X3,Y\nID,LIMIT,SEX,AGE,default\n"


def test_a_line_that_numbers_the_columns_is_left_out(tmp_path: Path) -> None:
    body = "".join(
        f"{row},{row % 5 + 1},{row % 2 + 1},{row % 3 + 1},{row % 2}\n" for row in range(9)
    )
    found = describe(write(tmp_path, NUMBERED + body))
    assert (found.records, [column.name for column in found.columns][1]) == (9, "LIMIT")
    header = "q1,q2,q3,q4,q5\n"  # names like these, and records below
    assert (
        ratingpriv.read(write(tmp_path, header + body), ratings=["q2", "q3", "q4", "q5"]).n_records
        == 9
    )


@pytest.mark.parametrize("absent", [0, 2])
def test_a_small_complete_log_of_ratings_is_asked_about(tmp_path: Path, absent: int) -> None:
    rows = [f"{user},{item},{(user * item) % 5 + 1}\n" for user in range(5) for item in range(4)]
    path = write(
        tmp_path, "user_id:token,item_id:token,rating:float\n" + "".join(rows[: len(rows) - absent])
    )
    assert "rows of a rating each" in str(refused(path))
    assert ratingpriv.read(path, layout="wide").n_issues == 3


def test_a_small_survey_is_none(tmp_path: Path) -> None:
    for rows in (5, 12, 20, 29):
        text = "q1,q2,q3\n" + "".join(
            f"{n % 3 + 1},{n * 7 % 5 + 1},{n * n % 4 + 1}\n" for n in range(rows)
        )
        assert ratingpriv.read(write(tmp_path, text)).n_records == rows


NAMES = [
    ("who", "what", "mark"), ("Kunde", "Artikel", "Note"), ("a", "b", "c"),
    ("user", "film name", "mark"),
    ("userName", "beer", "review/overall"),
]  # fmt: skip


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("extra", [None, "when"])
@pytest.mark.parametrize(("records", "issues"), [(40, 12), (60, 5), (200, 30)])
def test_a_row_a_rating_by_other_names_is_told_in_one_line(
    tmp_path, names, words, extra, records, issues
):
    rows = [
        (f"{'p' * words}{record}", f"{'film ' * words}{issue}", str((record * 7 + issue) % 5 + 1))
        for record in range(records) for issue in range(issues) if (record + issue) % 3
    ]  # fmt: skip
    times = [f",{1_100_000_000 + 977 * at}" if extra else "" for at in range(len(rows))]
    path = tmp_path / "log.csv"
    head = ",".join(names) + (f",{extra}" if extra else "")
    lines = [",".join(row) + time for row, time in zip(rows, times, strict=True)]
    path.write_text("\n".join([head, *lines, ""]))
    error = refused(path)
    assert error.total == 1
    for name, word in zip(names, ("id", "issue", "rating"), strict=True):
        assert f"`{word}={name!r}`" in str(error)
    source = Source(path)
    with pytest.raises(DataError, match="rows of a rating each"):
        describe_raw(DelimitedLoader().raw(source, ReadOptions()), ReadOptions())
    said = {"id": names[0], "issue": names[1], "rating": names[2]} | (
        {"timestamp": extra} if extra else {}
    )
    assert ratingpriv.read(path, **said).n_ratings == len(rows)
