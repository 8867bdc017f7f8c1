"""Queries of the user's own: from a file, from standard input, from a folder; rows to files;
a shell.
"""

import contextlib
import csv
import json
import os
import pty
import select
import signal
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cli.stores import Commands, embedded
from ratingpriv.graph import open_store
from ratingpriv.graph.embedded import EmbeddedStore

__all__ = ["embedded"]

SURVEY = "id,a,b,income\n1,1,1,5\n2,1,2,3\n3,2,2,\n4,5,5,1\n"
TEXT = """MATCH (r:Record {dataset: $dataset})
WHERE r.position < $most
RETURN r.id AS record, r.position AS place ORDER BY place"""
HEADED = f"""// title: The first records
// params:
//   dataset: STRING -- its name
//   most: INTEGER >= 1 = 2 -- how many
// columns:
//   record: ANY -- its id
//   place: INTEGER -- its place
// order: place
{TEXT}
"""
HELD = ("--dataset", "survey", "-q")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store that holds the survey."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "survey.csv").write_text(SURVEY, encoding="utf-8")
    commands = Commands(f"embedded:{folder / 's.grafeo'}")
    commands.ingest(folder / "survey.csv", "survey", 1, "--sensitive", "income", "--scale", "1:5")
    return (folder / "s.grafeo").read_bytes()


@pytest.fixture
def held(embedded, loaded, tmp_path, monkeypatch):
    """Commands on a store with the survey; the working folder is the test's."""
    Path(embedded.uri.removeprefix("embedded:")).write_bytes(loaded)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RATINGPRIV_LIBRARY", raising=False)
    return embedded


def written(path: str, text: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path


def test_a_file_without_a_header(held):
    file = written("mine.cypher", TEXT)
    ended = held("query", "run", file, "-p", "most=2", *HELD, "--csv")
    assert (ended.exit_code, ended.stdout) == (0, "record,place\n1,0\n2,1\n")
    shown = json.loads(held("query", "run", file, "-p", "most=2", *HELD, "--json").stdout)
    assert (shown["query"], shown["parameters"], shown["changes"]) == (
        "mine.cypher", {"dataset": "survey", "most": 2}, None,
    )  # fmt: skip
    assert shown["dataset"]["name"] == "survey"


@pytest.mark.parametrize(("given", "column"), [
    ("0.5", 0.5), ("true", True), ('"7"', "7"), ("seven", "seven"), ("NaN", "NaN"), ("", ""),
    ('{"a": [1]}', {"a": [1]}),
])  # fmt: skip
def test_parameters_without_a_header_are_json(held, given, column):
    asked = ("query", "run", "-", "--json", "-q")
    ended = held(*asked, "-p", f"x={given}", input="RETURN $x AS x")
    assert json.loads(ended.stdout)["rows"] == [{"x": column}]
    assert held(*asked, "-p", "x=null", input="RETURN $x AS x").exit_code == 2


def test_a_parameter_of_a_text_that_nobody_gave_is_asked_for(held):
    ended = held("query", "run", "-", "-q", "-p", "x=1", input="RETURN $x + $top AS sum")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "-p top=" in ended.stderr


def test_a_header_is_held_to(held, cli):
    file = written("mine.cypher", HEADED)
    assert held("query", "run", file, *HELD, "--csv").stdout == "record,place\n1,0\n2,1\n"
    assert (
        held("query", "run", file, *HELD, "-p", "most=1", "--csv").stdout == "record,place\n1,0\n"
    )
    for wrong in ("most=0", "most=two", "most=1.5", "much=1"):
        assert held("query", "run", file, *HELD, "-p", wrong).exit_code == 2
    shown = cli("query", "show", file)
    assert "mine.cypher: The first records" in shown.stdout
    assert "most: INTEGER >= 1 -- how many" in shown.stdout
    nothing = written("none.cypher", HEADED.replace("position <", "position < -"))
    held("query", "run", nothing, *HELD, "-o", "r.parquet")
    assert pl.read_parquet("r.parquet").schema["place"] == pl.Int64
    written(file, HEADED.replace("AS place ORDER BY place", "AS position ORDER BY position"))
    wrong = held("query", "run", file, *HELD)
    assert wrong.exit_code != 0
    assert "its header declares record, place" in wrong.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RETURN 1;\n\nRETURN 2;", "mine.cypher, line 3: found a second statement, expected one"),
        ("// title: x\n// parms: none\nRETURN 1", "in mine.cypher, line 2"),
        ("CREATE (:X)", "a statement that writes in line 1 of mine.cypher"),
        ("MATCH (n) RETURN n.id AS", "mine.cypher: found a statement that the store refuses"),
        (":param k => 5\nRETURN 1", "a command of Neo4j Browser in line 1 of mine.cypher"),
        ("RETURN $threshold AS t", "ratingpriv query run mine.cypher -p threshold=THRESHOLD"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(held, text, said):
    ended = held("query", "run", written("mine.cypher", text), "-q")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_how_a_file_is_told_from_a_name(held):
    written("audit/degree-check", "RETURN 'a file' AS said")
    written("plain", "RETURN 'plain' AS said")
    asked = ("query", "run", "--csv", "-q")
    # a path, and there is such a file
    assert held(*asked, "audit/degree-check").stdout == "said\na file\n"
    assert held(*asked, "./plain").stdout == "said\nplain\n"
    assert "expected a query of the library" in held(*asked, "plain").stderr
    missing = held(*asked, "nothing.cypher")
    assert (missing.exit_code, "no file to be read" in missing.stderr) == (2, True)
    assert "no text in UTF-8" in held(*asked, "-", input=b"\xff\xfe").stderr


def test_writing_needs_to_be_asked_for(held):
    file = written(
        "mark.cypher", "MATCH (r:Record {dataset: $dataset}) SET r.team = 'a' RETURN count(r) AS n"
    )
    before = Path("store.grafeo").read_bytes()
    refused = held("query", "run", file, *HELD)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--write lets it write" in refused.stderr
    assert Path("store.grafeo").read_bytes() == before
    done = held("query", "run", file, *HELD, "--write")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "changed: 4 properties set"
    counted = json.loads(held("query", "run", file, *HELD, "--write", "--json").stdout)
    assert counted["changes"]["properties_set"] == 4
    damage = held(
        "query",
        "run",
        "-",
        *HELD,
        "--write",
        input="MATCH (r:Record {dataset: $dataset}) DETACH DELETE r",
    )
    assert damage.exit_code == 2
    assert "changes what was ingested as 'survey'" in damage.stderr
    ours = held("query", "run", "browse/mark", *HELD, "-p", "k=2", "-p", "epsilon=1", "--write")
    assert ours.exit_code == 2
    assert "a query of your own" in ours.stderr


def test_rows_to_files(held):
    file = written("mine.cypher", TEXT.replace("r.id AS", "'=1+' + r.id AS") + "\n")
    for suffix in ("csv", "json", "parquet"):
        ended = held(
            "query", "run", file, *HELD, "-p", "most=2", "-o", f"rows.{suffix}", "--show", 1
        )
        assert ended.exit_code == 0, ended.stderr
        assert stat.S_IMODE(Path(f"rows.{suffix}").stat().st_mode) == 0o600
    with Path("rows.csv").open(encoding="utf-8", newline="") as rows:
        assert list(csv.reader(rows)) == [["record", "place"], ["'=1+1", "0"], ["'=1+2", "1"]]
    frame = pl.read_parquet("rows.parquet")
    assert frame.schema == {"record": pl.String, "place": pl.Int64}
    assert frame.rows() == [("=1+1", 0), ("=1+2", 1)]
    assert json.loads(Path("rows.json").read_text())["rows"][1] == {"record": "=1+2", "place": 1}
    again = held("query", "run", file, *HELD, "-p", "most=2", "-o", "rows.csv")
    assert (again.exit_code, "exists" in again.stderr) == (2, True)
    assert (
        held("query", "run", file, *HELD, "-p", "most=2", "-o", "mine.cypher", "--force").exit_code
        == 2
    )


def test_a_folder_of_queries(held, cli, monkeypatch):
    written("lib/team/first.cypher", HEADED)
    written("lib/plain.cypher", "RETURN 1 AS one")
    library = ("--library", "lib")
    listed = cli("query", "list", *library).stdout
    assert "  team/first " in listed
    assert "The first records" in listed
    assert "  plain " in listed
    assert (
        held("query", "run", "team/first", *library, *HELD, "--csv").stdout
        == "record,place\n1,0\n2,1\n"
    )
    monkeypatch.setenv("RATINGPRIV_LIBRARY", os.pathsep.join(["lib", ""]))
    assert held("query", "run", "plain", "--csv", "-q").stdout == "one\n1\n"
    written("more/plain.cypher", "RETURN 2 AS two")
    twice = held("query", "run", "plain", *library, "--library", "more")
    assert (twice.exit_code, "lib/plain.cypher has it" in twice.stderr) == (2, True)
    written("lib/audit/degree-check.cypher", "RETURN 1 AS one")
    taken = held("query", "run", "plain", *library)
    assert (taken.exit_code, "the library has it" in taken.stderr) == (2, True)
    assert "found no folder" in held("query", "run", "plain", "--library", "nowhere").stderr


def test_a_malformed_query_in_a_folder_is_said_when_it_is_listed(held, cli):
    written("lib/bad.cypher", "// title: x\n// parms: none\nRETURN 1")
    written("lib/good.cypher", "RETURN 1 AS one")
    listed = cli("query", "list", "--library", "lib")
    assert listed.exit_code == 2
    assert "lib/bad.cypher, line 2" in listed.stderr
    assert "audit/degree-check" in listed.stdout  # the others stay usable
    assert "  good " in listed.stdout
    assert "  bad " not in listed.stdout
    assert held("query", "run", "audit/record-ids", *HELD, "--library", "lib").exit_code == 0


def test_a_whole_store_is_asked_without_a_dataset_and_says_what_is_broken(held):
    from graph.samples import sample

    with open_store(held.uri) as store, store.begin_dataset(sample("half", 3).spec):
        pass
    ended = held("query", "run", "-", "--csv", input="MATCH (r:Record) RETURN count(r) AS n")
    assert ended.stdout == "n\n4\n"
    assert "not loaded to their end, and counted all the same: half" in ended.stderr
    assert (
        "expected a parameter of -"
        in held("query", "run", "-", *HELD, input="RETURN 1 AS a").stderr
    )


# ---- the shell ----


def test_a_shell_from_a_pipe(held):
    typed = (
        f":use survey\n:params most=2\n{TEXT};\nRETURN 'a;' AS a; RETURN 2 AS b; "
        f"audit/record-ids;\n"
        "UNWIND range(1, 60) AS i RETURN i;\nRETURN 3 AS last"
    )
    ended = held("query", "shell", input=typed)
    assert ended.exit_code == 0, ended.stderr
    for said in (
        "record  place\n1           0\n", "a\na;\n1 row\nb\n2\n", "4 rows", "50 of 60 rows shown",
        "last\n   3\n",
    ):  # fmt: skip
        assert said.rstrip() in ended.stdout, said
    assert "ratingpriv>" not in ended.stdout


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("RETURN 1 AS a;\nCREATE (:X);\nRETURN 2 AS b;", 2),
        (f":use survey\n:params most=2\n:params most=\n{TEXT};\nRETURN 2 AS b;", 2),
        ("browse/unmark;\nRETURN 2 AS b;", 2),
        (":quit\nRETURN 2 AS b;", 0),
        ("", 0),
        ("RETURN 'a\nRETURN 2 AS b;", 2),
    ],
)
def test_a_pipe_ends_with_its_first_error(held, typed, code):
    ended = held("query", "shell", input=typed)
    assert ended.exit_code == code
    assert "b\n" not in ended.stdout


def test_a_shell_writes_only_where_that_was_asked_for(held):
    typed = "CREATE (:X {a: 1});\nMATCH (x:X) RETURN count(x) AS n;"
    ended = held("query", "shell", "--write", input=typed)
    assert ended.exit_code == 0, ended.stderr
    assert "changed: 1 node created, 1 property set, 1 label added" in ended.stdout


def test_a_shell_at_a_terminal(held):
    """Errors do not end it; Ctrl-C drops the statement; Ctrl-D ends."""
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "ratingpriv", "query", "shell", "--store", held.uri]
    environment = {**os.environ, "TERM": "dumb"}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, close_fds=True
    )
    os.close(theirs)
    seen = ""

    def until(said: str) -> None:
        nonlocal seen
        while said not in seen and select.select([mine], [], [], 30)[0]:
            seen += os.read(mine, 4096).decode()
        assert said in seen, seen
        seen = seen.partition(said)[2]

    try:
        until("ratingpriv> ")
        for typed, said in (
            (b"RETURN nobody AS n;\n", "that the store refuses"),
            (b"", "ratingpriv> "),
            (b"RETURN 1\n", "... "),
            (b"\x03", "ratingpriv> "),
            (b"RETURN 40 + 2 AS n;\n", "42"),
            (b"", "ratingpriv> "),
            (b"\x04", "\n"),
        ):
            if typed == b"\x03":  # what Ctrl-C does where this is the terminal of the process
                while said not in seen:  # one that comes before the prompt is read is none
                    process.send_signal(signal.SIGINT)
                    while said not in seen and select.select([mine], [], [], 1)[0]:
                        seen += os.read(mine, 4096).decode()
            else:
                os.write(mine, typed)
            until(said)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(mine)


# ---- GraphML from a store ----


def test_a_dataset_as_graphml(held):
    """The file of the store is, byte by byte, that of the table."""
    from ratingpriv import read
    from ratingpriv.graph import write_graphml

    table = read(written("survey.csv", SURVEY), sensitive=["income"], scale=(1, 5))
    ended = held("store", "export", "survey", "-o", "one.graphml", "--epsilon", 1)
    assert (ended.exit_code, "it names records" in ended.stderr) == (0, True)
    write_graphml(table, 1, "table.graphml")
    assert Path("one.graphml").read_bytes() == Path("table.graphml").read_bytes()
    assert stat.S_IMODE(Path("one.graphml").stat().st_mode) == 0o600
    refused = held("store", "export", "survey", "-o", "g.graphml", "--epsilon", 2)
    assert (refused.exit_code, "expected at most 1" in refused.stderr) == (2, True)
    assert held("store", "export", "nope", "-o", "g.graphml").exit_code == 2
    assert not Path("g.graphml").exists()


def test_pictures_of_answers(held):
    asked = ("query", "run", "browse/at-risk", "-p", "k=3", "-p", "epsilon=1", *HELD)
    assert held(*asked, "--picture", "p.svg").exit_code == 0
    said = held(*asked[:-1], "--picture", "p.html", "--ids")
    assert "wrote p.html: 1 node, 0 relationships; it names records" in said.stderr
    assert Path("p.svg").read_text().startswith("<?xml")
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o600
    none = held("query", "run", "audit/record-ids", *HELD, "--picture", "q.svg", "-o", "q.csv")
    assert (none.exit_code, "a result without nodes" in none.stderr) == (2, True)
    assert not Path("q.csv").exists()


def test_to_write_makes_no_store(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in (("run", "-"), ("shell",)):
        ended = cli(
            "query", *command, "--write", "--store", "embedded:s.grafeo", input="CREATE (:X);"
        )
        assert ended.exit_code == 3
        assert "no such file; check the path; ratingpriv ingest makes a store" in ended.stderr
        assert not [*tmp_path.iterdir()]


def test_csv_repaints_no_terminal(held):
    """A file, or a pipe, gets the text as it is."""
    text = "id\x1b[2J\x07\u202eε"
    Path("q.cypher").write_text("RETURN $x AS x, [$x] AS `y\u202e`", encoding="utf-8")
    command = [
        "query",
        "run",
        "q.cypher",
        "-p",
        f"x={json.dumps(text)}",
        "--csv",
        "--store",
        held.uri,
    ]
    piped = subprocess.run(
        [sys.executable, "-m", "ratingpriv", *command], capture_output=True, check=True
    )
    header, row = csv.reader(piped.stdout.decode().splitlines())
    assert (header[1], row[0], json.loads(row[1])) == ("y\u202e", text, [text])
    mine, theirs = pty.openpty()
    subprocess.run([sys.executable, "-m", "ratingpriv", *command], stdout=theirs, check=True)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux, where nobody writes to it any more
        while piece := os.read(mine, 4096):
            shown += piece
    os.close(mine)
    lines = shown.decode().replace("\r\n", "\n").splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert lines[1].startswith(r"id\x1b[2J\x07\u202eε,")


# ---- Ctrl-C and SIGTERM while the embedded engine, which notices neither, is at a statement ----

SAYING = """
from ratingpriv.__main__ import main
from ratingpriv.graph.embedded import EmbeddedStore

answer = EmbeddedStore._answer

def saying(self, execute, found, values):
    print("begun", flush=True)
    return answer(self, execute, found, values)

EmbeddedStore._answer = saying
main()
"""
LONG = "MATCH (a),(b),(c),(d),(e) RETURN count(*) AS n;"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.grafeo"
    with EmbeddedStore(path) as made:
        made.batch(lambda db: db.execute_cypher("UNWIND range(1, 300) AS i CREATE (:Mine {i: i})"))
    return path


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
@pytest.mark.parametrize(
    "words", [("run", "-"), ("shell",), ("run", "-", "--write"), ("shell", "--write")]
)
def test_a_signal_ends_a_statement(environment, store, number, code, said, words):
    text = f"CREATE (x:Other) WITH x {LONG}" if "--write" in words else LONG
    command = [
        sys.executable,
        "-c",
        SAYING,
        "query",
        *words,
        "--store",
        f"embedded:{store}",
        "--quiet",
    ]
    process = subprocess.Popen(
        command, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        try:
            process.stdin.write(f"{text}\n")
            process.stdin.close()
            assert process.stdout.readline() == "begun\n"
            process.send_signal(number)
            assert process.wait() == code
            # --write asks what is there before
            printed = process.stdout.read().replace("begun", "")
            assert (printed.strip(), process.stderr.read()) == ("", f"ratingpriv: {said}\n")
        finally:
            process.kill()
    with EmbeddedStore(store, mode="read") as kept:
        counted = kept.batch(
            lambda db: db.execute_cypher("MATCH (n) RETURN count(*) AS n").to_list()
        )
    assert counted == [{"n": 300}]
