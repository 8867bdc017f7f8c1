"""What goes wrong with a store's file is told once, with the remedy,
and other files are left alone.
"""

import os
import random
import stat
import subprocess
import sys
import traceback
from pathlib import Path

import grafeo
import pytest

from graph.contract import expect_equal, own
from graph.samples import load, sample, send
from ratingpriv.base.errors import (
    NotAStoreError,
    ParameterError,
    QueryFailedError,
    QueryTimedOutError,
    StoreLockedError,
    StoreUnavailableError,
)
from ratingpriv.graph import GraphStore, open_store
from ratingpriv.graph.address import without_credentials
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.embedded import EmbeddedStore

ENVIRON = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.grafeo"


@pytest.mark.parametrize("mode", ["write", "read"])
@pytest.mark.parametrize(
    "content",
    [b"", b"record,issue\nr1,3\n" * 500, b"SQLite format 3\0" + bytes(5000)],
    ids=["empty", "text", "database"],
)
def test_a_file_of_something_else_is_left_alone(path: Path, content: bytes, mode: str) -> None:
    path.write_bytes(content)
    with pytest.raises(NotAStoreError, match="name another file") as caught:
        open_store(f"embedded:{path}", mode=mode)
    assert caught.value.exit_code == 3
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "mode", "kind", "said"),
    [
        ("", "write", NotAStoreError, "folder"),
        ("..", "write", NotAStoreError, "folder"),
        ("no/store.grafeo", "write", StoreUnavailableError, "does not exist"),
        ("none.grafeo", "read", StoreUnavailableError, "ratingpriv ingest makes a store"),
        ("gone.grafeo", "write", StoreUnavailableError, r"the file is gone.*put the file back"),
    ],
)
def test_where_there_is_no_store_none_is_made(
    tmp_path: Path, name: str, mode: str, kind: type[Exception], said: str
) -> None:
    (tmp_path / "gone.grafeo.wal").mkdir()  # a journal without its file
    with pytest.raises(kind, match=said):
        open_store(f"embedded:{tmp_path / name}", mode=mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["gone.grafeo.wal"]


@pytest.mark.parametrize("cut", [20, 5000])
def test_a_damaged_file(path: Path, cut: int) -> None:
    with open_store(f"embedded:{path}") as store:
        load(store, sample("a", 40))
    content = path.read_bytes()
    path.write_bytes(content[:cut])
    with pytest.raises((NotAStoreError, StoreUnavailableError)):
        open_store(f"embedded:{path}")


def content_of(store: GraphStore) -> list[object]:
    asked: dict[str, object] = {"dataset": "a", "epsilon": 1.0}
    return [
        *(info.spec for info in store.datasets()),
        store.run("audit/degree-check", **asked, k=3),
        store.run("audit/neighbourhood-sizes", **asked),
        store.run("audit/sensitive-levels", dataset="a"),
        store.run("audit/dataset-summary", dataset="a"),
    ]


def damaged(content: bytes, rng: random.Random) -> bytes:
    """One bit, one byte too many, a page of zeros, or an end too early."""
    at = rng.randrange(1, len(content) - 1)
    return rng.choice([
        content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :],
        content[:at] + b"x" + content[at:],
        content[:at] + bytes(4096) + content[at + 4096 :],
        content[:at],
    ])  # fmt: skip


def test_no_damage_is_an_answer(path: Path) -> None:
    """Whatever was done to the file: what it held, or a message; never an older state,
    never a crash.
    """
    with open_store(f"embedded:{path}") as store:
        load(store, sample("a", 9, seed=3))
        load(store, sample("a", 12))
    with open_store(f"embedded:{path}", mode="read") as store:
        right = content_of(store)
    content, rng, told = path.read_bytes(), random.Random(12), list[str]()  # noqa: S311 -- damage, no secret
    heads = [content[:at] + bytes(4096) + content[at + 4096 :] for at in (3000, 4096, 6000, 8192)]
    heads += [content[:at] + b"\x7f" + content[at + 1 :] for at in (4097, 4110, 4175, 8200, 8270)]
    for number, wrong in enumerate([*heads, *(damaged(content, rng) for _ in range(60))]):
        one = path.with_name(f"s{number}")
        one.write_bytes(wrong)
        try:
            with open_store(f"embedded:{one}", mode="read" if number % 2 else "write") as store:
                assert content_of(store) == right
        except NotAStoreError as error:
            told.append(str(error))
    assert len(told) > 30
    assert all("from a backup" in one or "something else" in one for one in told)


def test_what_a_kill_leaves_beside_the_file_does_not_block(path: Path) -> None:
    for name in ("creating", "migrate.lock"):  # the engine's own, empty or half-written
        path.with_name(f"{path.name}.{name}").write_bytes(b"")
    with open_store(f"embedded:{path}") as store:
        load(store, sample("a", 4))
    assert list(path.parent.iterdir()) == [path]


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_store_is_its_owners_alone(path: Path) -> None:
    before = os.umask(0o022)
    try:
        with open_store(f"embedded:{path}") as store:
            load(store, sample("a", 4))
            journal = path.with_name(f"{path.name}.wal")
            assert (rights(path), rights(journal)) == (0o600, 0o700)
            assert {rights(one) for one in journal.iterdir()} == {0o600}
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    path.chmod(0o640)  # what somebody decided is kept, and the journal follows
    with open_store(f"embedded:{path}") as store:
        load(store, sample("a", 5))
        assert (rights(path), rights(journal)) == (0o640, 0o750)
        assert not store.cautions
    path.chmod(0o644)
    with open_store(f"embedded:{path}") as store:
        assert "every user may read" in store.cautions[0]
    path.chmod(0o646)
    for mode in ("read", "write"):
        with pytest.raises(StoreUnavailableError, match=r"every user may write.*chmod o-w"):
            open_store(f"embedded:{path}", mode=mode)


OPEN = (
    "import sys; from ratingpriv.graph import open_store; open_store(sys.argv[1], mode=sys.argv[2])"
)


@pytest.mark.parametrize(
    ("here", "there", "works"), [("write", "write", 0), ("write", "read", 0), ("read", "read", 1)]
)
def test_another_process_has_it_open(path: Path, here: str, there: str, works: int) -> None:
    with open_store(f"embedded:{path}") as store:
        load(store, sample("a", 4))
    with open_store(f"embedded:{path}", mode=here):
        command = [sys.executable, "-c", OPEN, f"embedded:{path}", there]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not works:  # nor in this one
            with pytest.raises(StoreLockedError):
                open_store(f"embedded:{path}")
    assert (done.returncode == 0) == bool(works), done.stderr
    if not works:
        assert "StoreLockedError" in done.stderr
        assert "wait until it ends" in done.stderr


def test_several_readers_read(path: Path) -> None:
    data = sample("a", 10)
    with open_store(f"embedded:{path}") as store:
        load(store, data)
    with (
        open_store(f"embedded:{path}", mode="read") as one,
        open_store(f"embedded:{path}", mode="read") as two,
    ):
        expect_equal(one, data)
        expect_equal(two, data)
        with pytest.raises(QueryFailedError, match="for reading only"):
            one.run(own("write"), dataset="a")


def test_closed_is_closed(path: Path) -> None:
    store = open_store(f"embedded:{path}")
    store.close()
    store.close()
    assert "closed" in repr(store)
    with pytest.raises(StoreUnavailableError, match="was closed"):
        store.datasets()


LOADING = """
import sys
from graph.samples import sample, send
from ratingpriv.graph import open_store
data = sample("a", 60, seed=1)
step = data.spec.pairs // 10
with open_store(sys.argv[1]) as store, store.begin_dataset(data.spec) as sink:
    sink.batch_size = step
    send(sink, data, pairs=0)
    for start in range(0, data.spec.pairs, step):
        sink.add_pairs(data.pairs[start : start + step])
        print(start, flush=True)
        input()  # the parent says when to go on
"""


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("pieces", [1, 4])
def test_kill_9_in_the_middle(path: Path, replaces: bool, pieces: int) -> None:
    uri, old, data = f"embedded:{path}", sample("a", 10, seed=5), sample("a", 60, seed=1)
    if replaces:
        with open_store(uri) as store:
            load(store, old)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING, uri], env=ENVIRON, bufsize=0, **pipes
    )
    for _ in range(pieces):
        assert process.stdout.readline()
        process.stdin.write(b"\n")
    process.kill()
    process.wait()
    with open_store(uri) as store:
        if replaces:
            expect_equal(store, old)
        (info,) = store.datasets()
        assert (info.loading, info.complete) == (True, replaces)
        with store.begin_dataset(data.spec) as sink:
            assert 0 < sink.done["pairs"] < data.spec.pairs
            send(sink, data)
            sink.finish()
        assert not store.dataset("a").loading
        expect_equal(store, data)


def test_records_whose_groups_were_not_written_yet(path: Path) -> None:
    """Records and their IN_GROUP are two transactions of the engine; a kill may fall between."""
    data = sample("a", 10)
    with open_store(f"embedded:{path}") as store:
        with store.begin_dataset(data.spec) as sink:
            sink.add_issues(data.issues)
            sink.add_groups(data.groups)
            keys = ("dataset", "id", "position", "hammingGroup", "sizes")
            sizes = data.records.sizes.tolist()
            rows = [
                dict(zip(keys, ("a", f"r{at}", at, at % 3, sizes[at]), strict=True))
                for at in range(4)
            ]
            store.batch(lambda db: db.batch_create_nodes_with_props("Record", rows))
        with store.begin_dataset(data.spec) as sink:
            assert sink.done["records"] == 4
            send(sink, data)
            sink.finish()
        expect_equal(store, data)


FILL = """
import resource, sys
from graph.samples import load, sample
from ratingpriv.graph import open_store
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
with open_store(sys.argv[1]) as store:
    load(store, sample("a", 200))
"""


def test_a_file_that_may_not_grow(path: Path) -> None:
    uri = f"embedded:{path}"
    with open_store(uri):
        pass
    command = [sys.executable, "-c", FILL, uri, str(path.stat().st_size + 60_000)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRON, check=False)
    assert "StoreFullError" in done.stderr, done.stderr
    assert "free some space" in done.stderr
    with open_store(uri) as store:
        assert not any(info.complete for info in store.datasets())
        load(store, sample("a", 200))  # with more room the same load goes on
        expect_equal(store, sample("a", 200))


@pytest.mark.parametrize(
    "address",
    ["", "neo4j", "store.grafeo", "embedded:", "embedded", "http://localhost:7474", "neo4j://",
    "bolt://h:x", "bolt://h/db",
     "bolt://h?database=x", "neo4j+x://h"],
)  # fmt: skip
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(ParameterError) as caught:
        open_store(address, environ={})
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "address",
    [
        "bolt://neo4j:sekret@h:7687", "http://u:sekret@h", "neo4j://sekret@h",
        "bolt://u:sekret@[::1",
        "neo4j://u:p@h?token=sekret#sekret", "neo4j://h?token=sekret", "neo4j://h/sekret", "neo4j://h#sekret",
        "neo4j://u:p/sekret@h", "neo4j://u:p#sekret@h", "neo4j://u:sekret%40h", "bolt://h:sekret",
        "sekret@h",
        "u:sekret@h", "neo4j:u:sekret@h", "http://h/?a=sekret", "embedded:neo4j://u:sekret@h",
        "embedded:s.grafeo?token=sekret", "embedded:s.grafeo#token=sekret", "u:sekret@h://x", "sekret://u:p@h",
        "neo4j+s://u%3Asekret%40h", "bolt://u%3asekret%40h:7687",
    ],
)  # fmt: skip
def test_credentials_in_an_address_are_refused_and_not_repeated(address: str) -> None:
    for given, environ in (
        (address, {}),
        (None, {"RATINGPRIV_STORE": address}),
        ("neo4j", {"NEO4J_URI": address}),
    ):
        with pytest.raises(ParameterError) as caught:
            open_store(given, environ=environ)
        assert "sekret" not in str(caught.value)
        assert "sekret" not in repr(vars(caught.value))
        assert "sekret" not in "".join(traceback.format_exception(caught.value))
    assert "sekret" not in without_credentials(address)


@pytest.mark.parametrize(
    "address", ["embedded:ratingpriv.grafeo", "embedded:/data/me@work/a "
                                              "#1?.grafeo", "embedded::memory:",
                "neo4j", "neo4j://h:7687", "bolt+ssc://[::1]:7687", "neo4j+s://a.example"]
)  # fmt: skip
def test_an_address_that_holds_none_is_shown_as_it_is(address: str) -> None:
    assert without_credentials(address) == address


def test_the_default_is_a_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store(environ={}) as store:
        assert store.uri == "embedded:ratingpriv.grafeo"
    assert (tmp_path / "ratingpriv.grafeo").exists()
    with open_store(environ={"RATINGPRIV_STORE": "embedded:other.grafeo"}) as store:
        assert store.uri == "embedded:other.grafeo"


def test_a_statement_that_the_engine_breaks_down_over() -> None:
    """grafeo 0.6 does over a condition behind two steps that lead to many: no exception,
    but a panic.
    """

    class PanicException(BaseException):
        pass

    def panics(text: str, params: object) -> None:
        raise PanicException("assertion failed: index <= Self::MAX_CAPACITY")

    store, said = EmbeddedStore(), "audit/degree-check: the engine broke down"
    with store, pytest.raises(QueryFailedError, match=said):
        store._answer(panics, query("audit/degree-check"), {})


def test_a_statement_that_takes_too_long_for_the_engine() -> None:
    """The engine's own advice is about a setting that nobody can reach."""

    class TookLong(grafeo.GrafeoError):
        error_code = "GRAFEO-Q003"

        def __str__(self) -> str:
            return "GRAFEO-Q003: timeout error: Query exceeded the 30s timeout\n  help: Increase it"

    with EmbeddedStore() as store:
        error = store._translate(TookLong(), None)
        about_records = store._translate(TookLong(), query("audit/known-counts"))
        about_pairs = store._translate(TookLong(), query("audit/degree-check"))
    assert isinstance(error, QueryTimedOutError)
    assert "longer than the engine lets a statement run" in str(error)
    assert "Neo4j server" in str(error)
    assert "Increase" not in str(error)
    assert "-p last=" in str(about_records)
    assert "-p epsilon=" not in str(about_records)
    assert "-p epsilon=" in str(about_pairs)
    assert "-p last=" not in str(about_pairs)
