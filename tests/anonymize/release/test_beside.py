"""What a file holds beside the table that is audited, or says in two ways:
no release is valid with it.
"""

import errno
import gzip
import io
import tempfile
import zipfile

import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from release_samples import rehash, released

from ratingpriv.anonymize.release import rereading
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.base.errors import DataError, ResourceError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats.writing import UnwritableError

FOUR = "user,q1,q2\n1,4,1\n2,4,1\n3,5,2\n4,5,2\n"


def kept(folder, name, text=FOUR, **reading):
    release = released(folder, text, name, ids="keep", **reading)
    assert verify(release).valid
    return release


def refused(release, words):
    """Whether a forged release, whose manifest is right in everything else, is found out."""
    found = verify(rehash(release), k=2, epsilon=1, sensitive=[])
    assert found.demanded.satisfied  # which is what makes it a danger
    return not found.valid and [one for one in found.problems if words in one] == list(
        found.problems
    )


@pytest.mark.parametrize(
    ("text", "change", "words"),
    [
        # 4,1 and 4,9 are 8 apart in the second column, and 0.8 by a manifest that names another
        # delimiter
        (
            "a;b\n1;4.1\n2;4.9\n3;5.0\n4;5.5\n",
            lambda text: text.replace(".", ","),
            "decimal commas",
        ),
        (FOUR, lambda text: "Ann is the first,,\n" + text, "1 line above the header"),
        (FOUR, lambda text: "sep=,\n" + text, "1 line above the header"),
        (FOUR, lambda text: text.replace("\n", ",\n"), "an empty column at the end"),
    ],
)
def test_lines_and_columns_that_are_read_past(tmp_path, text, change, words):
    release = kept(
        tmp_path, "r.csv", text, id=text[: text.index("\n")].replace(",", ";").split(";")[0]
    )
    release.write_text(change(release.read_text()))
    assert refused(release, words)


def test_unanswered_is_said_in_one_way(tmp_path):
    """Who agreed and who left it empty are told apart by everybody who reads the file."""
    text = "user,q1,opt\na,4,yes\nb,4,yes\nc,5,yes\nd,5,yes\ne,5,3\nf,5,3\n"
    release = kept(tmp_path, "r.csv", text, null=["yes"])
    release.write_text(release.read_text().replace("4,yes", "4,", 1))
    with pytest.raises(DataError, match="2 texts that all mean missing, expected one"):
        verify(rehash(release))


def test_a_word_in_a_typed_cell_is_a_value(tmp_path):
    release = kept(
        tmp_path, "r.parquet", "user,q1,q2\na,4,\nb,4,\nc,5,\nd,5,\n", ratings=["q1", "q2"]
    )
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
        (
            lambda book, sheet: sheet.write(1, 1, 4.000000000000001),
            "numbers of more than 15 digits",
        ),
    ],
)
def test_what_a_workbook_holds_beside_its_table(tmp_path, more, words):
    release = kept(tmp_path, "r.xlsx")
    workbook(release, more)
    assert refused(release, words)


def test_metadata_of_parquet(tmp_path):
    release = kept(tmp_path, "r.parquet")
    pq.write_table(pq.read_table(release).replace_schema_metadata({"raw": "Ann"}), release)
    assert refused(release, "keys of metadata: 1")


def test_notes_of_spss(tmp_path):
    release = kept(tmp_path, "r.sav")
    frame, _ = pyreadstat.read_sav(release)
    pyreadstat.write_sav(frame, release, note="Ann", file_label="Ann's")
    assert refused(release, "notes; a label of the whole file")


def test_what_is_packed_with_a_text(tmp_path):
    release = kept(tmp_path, "r.csv.gz")
    packed = io.BytesIO()
    with gzip.GzipFile("ann.csv", "wb", fileobj=packed) as file:
        file.write(gzip.decompress(release.read_bytes()))
    release.write_bytes(packed.getvalue())
    assert refused(release, "a name or a comment in the gz")

    release = kept(tmp_path, "r.csv.zip")
    with zipfile.ZipFile(release, "a") as archive:
        archive.writestr("__MACOSX/raw.csv", "Ann")
        archive.comment = b"Ann"
    assert refused(release, "other members of the zip: 1; a comment in the zip")


OTHERWISE = "the file is not what is written of the table that was counted"
WORDED = "user,q1,q2\n1,agree,1\n2,agree,1\n3,neither,2\n4,neither,2\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("1,4,1\n", new) for new in (
            "1,4.00,1\n",  # as many zeros as tell a record apart
            "1,04,1\n", "1,4e0,1\n", "1, 4,1\n", "1,4,1 \n", '1,"4",1\n', "1,4,1\r\n", "1,4,1\n\n",
        )),
        ("3,,2\n", "3, ,2\n"), ("4,,2\n", '4,"",2\n'), ("4,,2\n", "4,,2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("versions", ["these", "others"])
def test_cells_that_no_release_spells_so(tmp_path, old, new, versions):
    release = kept(tmp_path, "r.csv", "user,q1,q2\n1,4,1\n2,4,1\n3,,2\n4,,2\n")
    text = release.read_bytes().decode()
    assert old in text
    release.write_bytes(text.replace(old, new, 1).encode())
    if versions == "others":  # which change nothing of a text
        rehash(release, versions={"ratingpriv": "0.0.1"})
    assert refused(release, OTHERWISE)


@pytest.mark.parametrize(("old", "new"), [("agree", " agree"), ("neither", '"neither"')])
def test_words_that_no_release_spells_so(tmp_path, old, new):
    codebook = Codebook(columns={"q1": ColumnSpec(role="rating", labels=("neither", "agree"))})
    release = kept(tmp_path, "r.csv", WORDED, codebook=codebook)
    release.write_text(release.read_text().replace(old, new, 1))
    (problem,) = verify(rehash(release)).problems
    assert OTHERWISE in problem


def gz_member(data):
    packed = io.BytesIO()
    with gzip.GzipFile("Ann", "wb", fileobj=packed, mtime=0) as file:
        file.write(b"")
    return data + packed.getvalue()


def skippable(data):
    """A frame of zst that every reader skips."""
    return data + b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"Ann"


def renamed_member(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (entry,) = archive.infolist()
        text = archive.read(entry)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Ann.csv", text)
    return packed.getvalue()


def before_the_footer(data):
    length = int.from_bytes(data[-8:-4], "little") + 8
    return data[:-length] + b"Ann" + data[-length:]


def unused_string(data):
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "xl/sharedStrings.xml":
                content = content.replace(b"</sst>", b"<si><t>Ann</t></si></sst>")
            new.writestr(entry, content)
    return packed.getvalue()


PACKED = {
    "r.csv.gz": gz_member,
    "r.csv.zst": skippable,
    "r.csv.zip": renamed_member,
    "r.parquet": before_the_footer,
    "r.xlsx": unused_string,
}


@pytest.mark.parametrize("name", PACKED)
def test_what_lies_between_the_parts_of_a_file(tmp_path, name):
    release = kept(tmp_path, name)
    release.write_bytes(PACKED[name](release.read_bytes()))
    assert refused(release, OTHERWISE)
    # other versions may pack the same otherwise: that nothing was seen is said
    found = verify(rehash(release, versions={"ratingpriv": "0.0.1"}))
    assert found.valid
    assert found.as_written is False
    assert any("could not be seen" in one for one in found.warnings)


@pytest.mark.parametrize("name", ["r.csv", *PACKED, "r.sav"])
def test_a_release_is_as_it_was_written(tmp_path, name):
    release = kept(tmp_path, name)
    found = verify(rehash(release, versions={"ratingpriv": "0.0.1"}))
    assert found.valid
    assert found.as_written is True
    assert not any("could not be seen" in one for one in found.warnings)
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_a_full_disk_is_no_verdict(tmp_path, monkeypatch):
    release = kept(tmp_path, "r.csv")

    def full(table, path, **options):
        path.write_text("a beginning")
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(rereading, "write_table", full)
    with pytest.raises(ResourceError, match=r"temporary: No space left on device; .* TMPDIR"):
        verify(release)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_no_release_can_be_written_of_is_none(tmp_path, monkeypatch):
    release = kept(tmp_path, "r.csv")

    def unwritable(*table, **options):
        raise UnwritableError("ids", "one column, with empty cells", "a second column")

    monkeypatch.setattr(rereading, "write_table", unwritable)
    assert verify(release).as_written is False
    assert refused(release, OTHERWISE)
