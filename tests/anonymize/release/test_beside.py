"""What a file holds beside the table that is audited, or says in two ways: no release is valid with it."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile

import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from release_samples import manifest_of

import ratingpriv
from ratingpriv.anonymize import suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.errors import DataError
from ratingpriv.formats.sources import Source

FOUR = "user,q1,q2\n1,4,1\n2,4,1\n3,5,2\n4,5,2\n"


def released(folder, name, text=FOUR, **reading):
    """Release a text as it is, records where they were."""
    path = folder / "input.csv"
    path.write_text(text, encoding="utf-8")
    made = suppress(ratingpriv.read(path, **reading), k=2, epsilon=1)
    release = write_release(made, folder / name, ids="keep").path
    assert verify(release).valid
    return release


def rehash(release):
    content = manifest_of(release)
    content["release"]["sha256"] = Source(release).sha256()
    release.with_name(release.name + ".manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return release


def refused(release, words):
    """Whether a forged release, whose manifest is right in everything else, is found out."""
    found = verify(rehash(release), k=2, epsilon=1, sensitive=[])
    assert found.demanded.satisfied  # which is what makes it a danger
    return not found.valid and [one for one in found.problems if words in one] == list(found.problems)


def test_two_columns_are_not_one_with_decimal_commas(tmp_path):
    """4,1 and 4,9 are 8 apart in the second column, and 0.8 by a manifest that names another delimiter."""
    text = "a;b\n1;4.1\n2;4.9\n3;5.0\n4;5.5\n"
    release = released(tmp_path, "r.csv", text, id="a")
    release.write_text(re.sub(r"\.", ",", release.read_text()))
    assert refused(release, "decimal commas")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text: "Ann is the first,,\n" + text, "1 line above the header"),
        (lambda text: "sep=,\n" + text, "1 line above the header"),
        (lambda text: text.replace("\n", ",\n"), "an empty column at the end"),
    ],
)
def test_lines_and_columns_that_are_read_past(tmp_path, edit, words):
    release = released(tmp_path, "r.csv")
    release.write_text(edit(release.read_text()))
    assert refused(release, words)


def test_unanswered_is_said_in_one_way(tmp_path):
    """Who agreed and who left it empty are told apart by everybody who reads the file."""
    text = "user,q1,opt\na,4,yes\nb,4,yes\nc,5,yes\nd,5,yes\ne,5,3\nf,5,3\n"
    release = released(tmp_path, "r.csv", text, null=["yes"])
    release.write_text(release.read_text().replace("4,yes", "4,", 1))
    with pytest.raises(DataError, match="2 texts that all mean unanswered, expected one"):
        verify(rehash(release))


def test_a_word_in_a_typed_cell_is_a_value(tmp_path):
    release = released(tmp_path, "r.parquet", "user,q1,q2\na,4,\nb,4,\nc,5,\nd,5,\n", ratings=["q1", "q2"])
    frame = pq.read_table(release).to_pandas()
    frame["q2"] = ["NA", None, "None", None]
    frame.to_parquet(release, index=False)
    with pytest.raises(DataError, match="q2"):
        verify(rehash(release))


def workbook(path, more):
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("data")
    for row, line in enumerate(FOUR.splitlines()):
        for column, cell in enumerate(line.split(",")):
            sheet.write(row, column, float(cell) if row else cell)
    more(book, sheet)
    book.close()


def hidden(book, sheet):
    raw = book.add_worksheet("raw")
    raw.write(0, 0, "Ann")
    raw.hide()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (hidden, "other sheets, hidden ones too: 1"),
        (lambda book, sheet: sheet.write_comment(1, 1, "Ann"), "such as comments and drawings: 3"),
        (lambda book, sheet: sheet.insert_textbox(2, 5, "Ann"), "such as comments and drawings: 2"),
        (lambda book, sheet: sheet.set_header("Ann"), "such as headers and links: 2"),
        (lambda book, sheet: book.define_name("Ann", "=data!$A$1"), "defined names: 1"),
        (lambda book, sheet: book.set_properties({"author": "Ann"}), "properties such as a name"),
        (lambda book, sheet: sheet.write(1, 1, 4.000000000000001), "numbers of more than 15 digits"),
    ],
)
def test_what_a_workbook_holds_beside_its_table(tmp_path, more, words):
    release = released(tmp_path, "r.xlsx")
    workbook(release, more)
    assert refused(release, words)


def test_metadata_of_parquet(tmp_path):
    release = released(tmp_path, "r.parquet")
    pq.write_table(pq.read_table(release).replace_schema_metadata({"raw": "Ann"}), release)
    assert refused(release, "keys of metadata: 1")


def test_notes_of_spss(tmp_path):
    release = released(tmp_path, "r.sav")
    frame, _ = pyreadstat.read_sav(release)
    pyreadstat.write_sav(frame, release, note="Ann", file_label="Ann's")
    assert refused(release, "notes; a label of the whole file")


def test_what_is_packed_with_a_text(tmp_path):
    release = released(tmp_path, "r.csv.gz")
    packed = io.BytesIO()
    with gzip.GzipFile("ann.csv", "wb", fileobj=packed) as file:
        file.write(gzip.decompress(release.read_bytes()))
    release.write_bytes(packed.getvalue())
    assert refused(release, "a name or a comment in the gz")

    release = released(tmp_path, "r.csv.zip")
    with zipfile.ZipFile(release, "a") as archive:
        archive.writestr("__MACOSX/raw.csv", "Ann")
        archive.comment = b"Ann"
    assert refused(release, "other members of the zip: 1; a comment in the zip")
