"""What goes wrong with a server is told once, in seconds, with the remedy,
never with a password.
"""

import logging
import traceback
import uuid
from collections.abc import Iterator

import pytest
from neo4j_server.plugin import Address
from ports import free_port

from graph import fake_bolt
from graph.contract import expect_equal, own
from graph.proxy import Proxy
from graph.samples import load, sample, send
from ratingpriv.base.errors import (
    AuthenticationFailedError,
    ConnectionLostError,
    DatabaseMissingError,
    QueryFailedError,
    StoreUnavailableError,
    TlsMismatchError,
    UnsupportedServerError,
)
from ratingpriv.graph import GraphStore, open_store
from ratingpriv.graph import neo4j as neo4j_store


@pytest.fixture
def store(neo4j_lts: Address) -> Iterator[GraphStore]:
    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
        yield store


@pytest.fixture
def name(store: GraphStore) -> Iterator[str]:
    name = f"test {uuid.uuid4().hex[:10]}"
    yield name
    if name in [info.spec.name for info in store.datasets()]:
        store.drop(name)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+s", "neo4j+ssc"])
def test_no_server(scheme: str) -> None:
    uri = f"{scheme}://127.0.0.1:{free_port()}"
    with pytest.raises(
        StoreUnavailableError, match=r"no Neo4j server responds.*refused.*start it"
    ) as caught:
        open_store(uri, environ={})
    assert caught.value.uri == uri
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


def test_no_such_host() -> None:
    with pytest.raises(StoreUnavailableError, match="correct the address"):
        open_store("neo4j://no-such-host.invalid", environ={})


def test_a_silent_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_store, "CONNECTION_TIMEOUT", 0.5)
    with (
        fake_bolt.listening(fake_bolt.silent) as uri,
        pytest.raises(StoreUnavailableError, match="timed out"),
    ):
        open_store(uri, environ={})


@pytest.mark.parametrize("answer", [fake_bolt.no_common_version, fake_bolt.web_server])
def test_something_else_answers(answer: object) -> None:
    with (
        fake_bolt.listening(answer) as uri,
        pytest.raises(UnsupportedServerError, match="no Neo4j that this driver can use"),
    ):
        open_store(uri, environ={})


@pytest.mark.parametrize("agent", ["Neo4j/4.4.30", "Neo4j/5.25.1", "Memgraph/2.0"])
def test_a_server_that_is_too_old(agent: str) -> None:
    with (
        fake_bolt.listening(fake_bolt.old_neo4j(agent)) as uri,
        pytest.raises(UnsupportedServerError, match=f"it is {agent}.*5.26 or newer"),
    ):
        open_store(uri, environ={})


def test_wrong_database(neo4j_lts: Address) -> None:
    with pytest.raises(DatabaseMissingError, match=r"no database 'nope'.*NEO4J_DATABASE"):
        open_store(neo4j_lts.uri, environ={**neo4j_lts.environ, "NEO4J_DATABASE": "nope"})


def test_the_right_password(neo4j_with_password: Address) -> None:
    with open_store(neo4j_with_password.uri, environ=neo4j_with_password.environ) as store:
        assert store.version().startswith("Neo4j 5.26")
        assert "+ssc" in store.uri


def test_the_address_may_come_from_the_environment(neo4j_with_password: Address) -> None:
    environ = {**neo4j_with_password.environ, "NEO4J_URI": neo4j_with_password.uri}
    with open_store("neo4j", environ=environ) as store:
        assert store.uri == neo4j_with_password.uri
    with open_store(environ={**environ, "RATINGPRIV_STORE": "neo4j"}) as store:
        assert store.engine == "neo4j"


def test_a_password_may_be_asked_for(neo4j_with_password: Address) -> None:
    questions = []

    def prompt(question: str) -> str:
        questions.append(question)
        return neo4j_with_password.environ["NEO4J_PASSWORD"]

    for environ in ({}, {"NEO4J_USERNAME": "neo4j"}):
        with open_store(neo4j_with_password.uri, environ=environ, password_prompt=prompt) as store:
            assert store.version()
    assert len(questions) == 2
    assert all("neo4j" in question for question in questions)


def test_no_password_is_asked_for_where_none_is_wanted(neo4j_lts: Address) -> None:
    if neo4j_lts.environ:
        pytest.skip("the named server may want one")
    with open_store(
        neo4j_lts.uri, environ={}, password_prompt=lambda _: pytest.fail("asked")
    ) as store:
        assert store.version()


@pytest.mark.parametrize("prompted", [False, True])
def test_a_wrong_password_is_never_shown(
    neo4j_with_password: Address,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    prompted: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = f"sekret-{prompted}-pass"
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    if not prompted:
        monkeypatch.setenv("NEO4J_PASSWORD", wrong)
    with pytest.raises(
        AuthenticationFailedError, match="set NEO4J_USERNAME and NEO4J_PASSWORD"
    ) as caught:
        open_store(neo4j_with_password.uri, password_prompt=lambda _: wrong)
    assert caught.value.__traceback__ is not None
    below = caught.value.__traceback__.tb_next  # this test's own frame holds the password
    caught.value.__traceback__ = below
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    out, err = capfd.readouterr()
    assert (
        wrong
        not in "".join(shown.format())
        + str(caught.value)
        + repr(caught.value)
        + caplog.text
        + out
        + err
    )
    assert wrong not in repr(vars(caught.value))


@pytest.mark.parametrize(
    ("scheme", "said"),
    [
        ("bolt", r"wants TLS.*\+s"),
        ("neo4j", r"wants TLS.*\+s"),
        ("bolt+s", r"not trusted.*\+ssc"),  # a certificate that nobody signed
        ("neo4j+s", r"not trusted.*\+ssc"),
    ],
)
def test_the_server_wants_tls(neo4j_with_password: Address, scheme: str, said: str) -> None:
    uri = neo4j_with_password.uri.replace("bolt+ssc", scheme)
    with pytest.raises(TlsMismatchError, match=said):
        open_store(uri, environ=neo4j_with_password.environ)


@pytest.mark.parametrize("scheme", ["bolt+s", "bolt+ssc", "neo4j+s"])
def test_the_server_has_no_tls(neo4j_lts: Address, scheme: str) -> None:
    uri = f"{scheme}://{neo4j_lts.uri.partition('://')[2]}"
    with pytest.raises(TlsMismatchError, match=r"does not use TLS.*without"):
        open_store(uri, environ=neo4j_lts.environ)


def test_a_store_for_reading_refuses_writes(
    neo4j_lts: Address, store: GraphStore, name: str
) -> None:
    load(store, sample(name, 3))
    with open_store(neo4j_lts.uri, mode="read", environ=neo4j_lts.environ) as reader:
        assert len(reader.run(own("records"), dataset=name)) == 3
        with pytest.raises(QueryFailedError, match="for reading only"):
            reader.run(own("write"), dataset=name)


def test_closed_is_closed(neo4j_lts: Address) -> None:
    store = open_store(neo4j_lts.uri, environ=neo4j_lts.environ)
    store.close()
    store.close()
    assert "closed" in repr(store)
    with pytest.raises(StoreUnavailableError, match="was closed"):
        store.datasets()


def test_a_servers_remarks_are_not_for_users(
    store: GraphStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert store.run(own("unknown-label")).single() == (0,)
    assert caplog.records == []


def through(address: Address) -> Proxy:
    host, _, port = address.uri.partition("://")[2].partition(":")
    return Proxy(host, int(port))


@pytest.mark.parametrize("commit", [None, 1, 2, 3])
def test_a_connection_that_breaks_once_is_healed_and_a_commit_without_an_answer_not_applied_twice(
    neo4j_lts: Address, store: GraphStore, name: str, commit: int | None
) -> None:
    data = sample(name, 60)
    with through(neo4j_lts) as proxy, open_store(proxy.uri, environ=neo4j_lts.environ) as far:
        with far.begin_dataset(data.spec) as sink:
            sink.batch_size = 100
            send(sink, data, pairs=0)
            if commit is None:
                proxy.break_after(3000)
            else:
                proxy.break_at_commit(commit)
            sink.add_pairs(data.pairs)
            sink.finish()
        assert proxy.broken == 1
    expect_equal(store, data)


@pytest.mark.parametrize("replaces", [False, True])
def test_the_commit_that_completes_may_lose_its_answer(
    neo4j_lts: Address, store: GraphStore, name: str, replaces: bool
) -> None:
    data = sample(name, 20)
    if replaces:
        load(store, sample(name, 10, seed=5))
    with through(neo4j_lts) as proxy, open_store(proxy.uri, environ=neo4j_lts.environ) as far:
        with far.begin_dataset(data.spec) as sink:
            send(sink, data)
            # reads have no COMMIT of their own that counts: see the assertion
            proxy.break_at_commit(1)
            assert sink.finish().complete
        assert proxy.broken == 1
    expect_equal(store, data)


def test_a_server_that_goes_away_is_told_and_the_load_goes_on_later(
    neo4j_lts: Address, store: GraphStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_store, "RETRY_TIME", 1.0)
    data = sample(name, 60)
    with (
        through(neo4j_lts) as proxy,
        open_store(proxy.uri, environ=neo4j_lts.environ) as far,
        far.begin_dataset(data.spec) as sink,
    ):
        sink.batch_size = 100
        send(sink, data, pairs=200)
        proxy.open = False
        proxy.break_now()
        with pytest.raises(
            ConnectionLostError, match="run this again: a load goes on where it stopped"
        ):
            sink.add_pairs(data.pairs[200:])
    assert not store.dataset(name).complete
    with store.begin_dataset(data.spec) as sink:
        assert sink.done["pairs"] >= 200
        send(sink, data)
        sink.finish()
    expect_equal(store, data)
