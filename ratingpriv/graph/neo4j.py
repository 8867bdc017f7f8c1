"""The Neo4j store: a server of 5.26 or a calendar release, Community is enough,
by the official driver.

Every session names its database; usage reporting of the driver is off; transient errors are retried
for a while; a commit whose answer was lost is asked for again, which is safe because every batch
counts itself.
"""

from __future__ import annotations

import functools
import logging
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import neo4j
import neo4j.spatial
import neo4j.time
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)
from neo4j.graph import Node, Path, Relationship

from ratingpriv.base.errors import (
    AuthenticationFailedError,
    ConnectionLostError,
    DatabaseMissingError,
    LoadFailedError,
    QueryFailedError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    TlsMismatchError,
    UnsupportedServerError,
)
from ratingpriv.graph.address import Credentials, Secret
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.loading import DatasetSink, now
from ratingpriv.graph.rows import (
    ROWS,
    GraphNode,
    GraphRelationship,
    as_text,
    duration_text,
    time_text,
)
from ratingpriv.graph.running import CHANGES, Answer, Ask, GraphStore
from ratingpriv.graph.store import DatasetSpec, Engine, Runner
from ratingpriv.graph.texts.guarding import Plan, server_plan

# its warnings reach a user as our errors
logging.getLogger("neo4j").addHandler(logging.NullHandler())

OLDEST = (5, 26)
CONNECTION_TIMEOUT = 5.0  # seconds; somebody waits for the message
RETRY_TIME = 15.0
LONGEST_KEY = 7500  # bytes; an index of Neo4j takes no more than 8167


class Neo4jStore(GraphStore):
    """A :class:`ratingpriv.graph.running.GraphStore` on a Neo4j server; see :func:`open_store`.

    In mode ``read`` the server is asked to refuse every write. ``password_prompt`` is called only
    when the server wants a password and ``login`` has none.
    """

    engine: Engine = "neo4j"
    removal: tuple[str, ...] = ("load/remove-relationships", "load/remove-nodes")  # hubs are heavy
    snapshots = False

    def __init__(
        self,
        uri: str,
        login: Credentials,
        *,
        mode: Literal["write", "read"] = "write",
        password_prompt: Callable[[str], str] | None = None,
    ) -> None:
        self.uri, self.mode, self._database = uri, mode, login.database
        self._driver: neo4j.Driver | None = None
        self._version = ""
        self._gds: bool | None = None
        ask = password_prompt
        if login.user is not None and login.password is None and ask is not None:
            login, ask = self._asked(login, ask), None
        try:
            self._connect(login)
        except AuthenticationFailedError:
            if ask is None or login.password is not None:
                raise
            self._connect(self._asked(login, ask))

    def _asked(self, login: Credentials, ask: Callable[[str], str]) -> Credentials:
        user = login.user or "neo4j"
        return Credentials(user, Secret(ask(f"Password of {user} at {self.uri}: ")), login.database)

    def _connect(self, login: Credentials) -> None:
        self.close()
        auth = (
            neo4j.basic_auth(login.user, login.password.reveal())
            if login.user and login.password
            else None
        )
        try:
            self._driver = neo4j.GraphDatabase.driver(
                self.uri,
                auth=auth,
                telemetry_disabled=True,
                user_agent="ratingpriv",
                connection_timeout=CONNECTION_TIMEOUT,
                connection_acquisition_timeout=2 * CONNECTION_TIMEOUT,
                max_transaction_retry_time=RETRY_TIME,
            )
            self._driver.verify_connectivity()
            agent = self._driver.get_server_info().agent
            match = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
            if match is None or (int(match[1]), int(match[2])) < OLDEST:
                remedy = "ratingpriv needs Neo4j 5.26 or newer; upgrade the server"
                raise UnsupportedServerError(self.uri, f"the server says it is {agent}", remedy)
            row = self.one("schema/server")[0]
            self._version = f"Neo4j {row[1]} {row[2]}"
        except StoreError:
            self.close()
            raise
        except Exception as error:  # the driver trips over what is no Neo4j in many ways
            self.close()
            failed = told(error, self.uri, self._database, connecting=True)
            raise failed from None  # its frames may hold the password

    def version(self) -> str:
        """Return product, version and edition."""
        return self._version

    @property
    def has_gds(self) -> bool:
        """Whether the server lets this user count in memory by Graph Data Science; asked once."""
        if self._gds is None:
            try:
                self._gds = bool(self.one("schema/gds")[0][0])
            except QueryFailedError:  # it may not even be asked
                self._gds = False
        return self._gds

    def _ask(self, contract: Query, values: dict[str, Any]) -> Answer:
        return self._transact(lambda ask: ask(contract, values), contract, read=contract.is_read)

    def _explained(self, contract: Query, values: dict[str, Any] | None) -> tuple[str, Plan]:
        def explain(tx: neo4j.ManagedTransaction) -> tuple[str, Plan]:
            summary = tx.run(cast("Any", f"EXPLAIN {contract.text}"), values).consume()
            plan = dict(summary.plan or {})
            text = str(plan.get("args", {}).get("string-representation", plan))
            return text, server_plan(summary.query_type, plan)

        return self._in_transaction(explain, contract, read=True)

    def begin_dataset(self, spec: DatasetSpec, base: DatasetSpec | None = None) -> Neo4jSink:
        """Start to load a dataset, or to add to one,
        or resume a broken-off load of an equal spec.
        """
        return Neo4jSink(self, spec, base)

    def close(self) -> None:
        """Release the connections; a second call does nothing."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def __repr__(self) -> str:
        state = "" if self._driver is not None else ", closed"
        return f"<Neo4jStore {self.uri} database {self._database!r}{state}>"

    def _transact[T](
        self,
        work: Callable[[Ask], T],
        contract: Query | None,
        *,
        read: bool = False,
        once: bool = False,
    ) -> T:
        return self._in_transaction(
            lambda tx: work(functools.partial(_answer, tx)), contract, read=read, once=once
        )

    def _in_transaction[T](
        self,
        work: Callable[[neo4j.ManagedTransaction], T],
        contract: Query | None,
        *,
        read: bool,
        once: bool = False,
    ) -> T:
        if self._driver is None:
            raise StoreUnavailableError(self.uri, "this store was closed", "open it again")
        access = neo4j.READ_ACCESS if read or self.mode == "read" else neo4j.WRITE_ACCESS
        deadline = time.monotonic() + RETRY_TIME
        while True:
            try:
                with self._driver.session(
                    database=self._database,
                    default_access_mode=access,
                    notifications_min_severity="OFF",
                ) as session:
                    run = (
                        session.execute_read
                        if access == neo4j.READ_ACCESS
                        else session.execute_write
                    )
                    return run(work)
            # it may be in or not: our statements can tell, so ask again
            except IncompleteCommit as error:
                if once or time.monotonic() > deadline:
                    raise told(error, self.uri, self._database, contract) from error
            except (DriverError, Neo4jError, OSError) as error:
                raise told(error, self.uri, self._database, contract) from error


def _answer(tx: neo4j.ManagedTransaction, contract: Query, values: dict[str, Any]) -> Answer:
    result = tx.run(cast("Any", contract.text), values)  # the driver's type wants a literal
    columns = list(result.keys())
    rows = [tuple(plain_value(value) for value in record.values()) for record in result]
    counters = result.consume().counters
    return Answer(columns, rows, {name: int(getattr(counters, name)) for name in CHANGES})


_PLAIN = frozenset({bool, int, float, str})
"""Of nearly all values; to ask one for each kind that it is not takes as long as the server
does.
"""


def plain_value(value: Any) -> Any:
    """Turn the driver's nodes, relationships and paths into the plain
    shapes that every store returns.
    """
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Node):
        return GraphNode(value.element_id, list(value.labels), plain_value(dict(value)))
    if isinstance(value, Relationship):
        start, end = (getattr(node, "element_id", None) for node in value.nodes)
        return GraphRelationship(value.element_id, start, end, value.type, plain_value(dict(value)))
    if isinstance(value, Path):
        return {
            "nodes": plain_value(list(value.nodes)),
            "relationships": plain_value(list(value.relationships)),
        }
    if isinstance(value, neo4j.time.Duration):  # a tuple, too, and so is a point
        return duration_text(value.months, value.days, value.seconds * 10**9 + value.nanoseconds)
    if isinstance(value, neo4j.spatial.Point):
        return {"srid": value.srid, **dict(zip("xyz", value, strict=False))}
    if isinstance(value, neo4j.time.Date | neo4j.time.DateTime | neo4j.time.Time):
        return time_text(value.iso_format())
    if isinstance(value, dict):
        return {key: plain_value(item) for key, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return as_text(value)


class Neo4jSink(DatasetSink):
    """Loads a dataset by UNWIND batches; batch and counters are one transaction."""

    _store: Neo4jStore

    def _write(self, kind: str, batch: Any, start: int, stop: int, offset: int) -> None:
        count = stop - start
        if kind == "records":
            room = LONGEST_KEY - len(self._key.encode())
            texts = [id_ for id_ in batch.ids[start:stop] if isinstance(id_, str)]
            if any(4 * len(text) > room < len(text.encode()) for text in texts):
                self._store.one("schema/without-record-key")

        def work(run: Runner) -> None:
            locked = run("load/lock", token=self._token, at=now())
            if not locked:
                self._complete()
                return
            present = int(locked[0][0][f"{kind}Done"]) - offset
            if present >= count:
                return  # the commit's answer was lost, or another process loads the same: it is in
            wrong = f"{-present} {kind} of dataset {self.spec.name!r} went missing on the way"
            if present >= 0:
                rows = ROWS[kind](batch, start + present, stop, offset + present)
                created = run(f"load/{kind}", key=self._key, rows=rows)[0][0]
                if created == count - present:
                    run("load/count", token=self._token, counters={f"{kind}Done": offset + count})
                    return
                wrong = (
                    f"{created} of {count - present} {kind} could be added to dataset "
                    f"{self.spec.name!r}"
                )
            remedy = "drop it with ratingpriv store drop and ingest it again"
            raise LoadFailedError(self._store.uri, wrong, remedy)

        self._store.atomically(work)


# ---- what a server or its driver complains of, in a user's words ----

PROBE_TIMEOUT = 3.0  # seconds


def told(
    error: BaseException,
    uri: str,
    database: str,
    query: Query | None = None,
    *,
    connecting: bool = False,
) -> StoreError:
    """Turn an error of the driver into one of ours: what was found, and what to do."""
    failure = _Failure(error, uri, database, query, connecting)
    explained = (explain(failure) for explain in _EXPLAINED)
    return next(
        (explanation for explanation in explained if explanation is not None), None
    ) or _refused(failure)


class _Failure:
    """An error of the driver, and what was being done."""

    def __init__(
        self, error: BaseException, uri: str, database: str, query: Query | None, connecting: bool
    ) -> None:
        self.error, self.uri, self.database, self.query = error, uri, database, query
        self.connecting, self.causes = connecting, list(_causes(error))
        message = getattr(error, "message", None) or str(error) or type(error).__name__
        self.text = str(message).splitlines()[0]
        self.code = str(getattr(error, "code", "") or "")
        self.everything = " ".join(str(cause) for cause in self.causes)

    @property
    def writing(self) -> str:
        """What wrote; empty where nothing did."""
        query = self.query
        return (
            "" if query is None or query.is_read else "this command" if query.is_part else query.id
        )


def _login(failure: _Failure) -> StoreError | None:
    if isinstance(failure.error, AuthError) or failure.code.startswith("Neo.ClientError.Security"):
        return _not_admitted(failure.uri, failure.code, failure.writing)
    return None


def _encryption(failure: _Failure) -> StoreError | None:
    """Explain TLS that one of the two speaks alone, or a certificate that is not trusted."""
    uri, encrypted = failure.uri, "+s" in failure.uri.partition("://")[0]
    untrusted = [
        cause for cause in failure.causes if isinstance(cause, ssl.SSLCertVerificationError)
    ]
    if untrusted:
        return TlsMismatchError(uri, *_not_trusted(untrusted[0], urlsplit(uri).hostname or ""))
    if any(isinstance(cause, ssl.SSLError) for cause in failure.causes):
        return TlsMismatchError(uri, "the server does not use TLS", "use the address without +s")
    if (
        failure.connecting
        and not encrypted
        and "handshake" in failure.everything
        and _speaks_tls(uri)
    ):
        remedy = "use bolt+s:// or neo4j+s:// (+ssc where its certificate is self-signed)"
        return TlsMismatchError(uri, "the server wants TLS", remedy)
    return None


def _other_server(failure: _Failure) -> StoreError | None:
    """Explain what answers and is no Neo4j."""
    unreadable = TypeError | LookupError | AttributeError | ArithmeticError
    unread = failure.connecting and isinstance(failure.error, unreadable)
    unsupported = type(failure.error).__name__ == "UnsupportedServerProduct"
    if unread or unsupported or "looks like HTTP" in failure.everything:
        remedy = "name the Bolt port (7687 by default) of Neo4j 5.26 or newer"
        problem = "the server there is no Neo4j that this driver can use"
        return UnsupportedServerError(failure.uri, problem, remedy)
    return None


def _no_database(failure: _Failure) -> StoreError | None:
    if failure.code == "Neo.ClientError.Database.DatabaseNotFound":
        remedy = (
            "set NEO4J_DATABASE to one that there is (Community Edition has one, neo4j by default)"
        )
        problem = f"the server has no database {failure.database!r}"
        return DatabaseMissingError(failure.uri, problem, remedy)
    return None


def _connection(failure: _Failure) -> StoreError | None:
    """Explain a server that does not answer, or no longer."""
    if not isinstance(
        failure.error, ServiceUnavailable | SessionExpired | IncompleteCommit | OSError
    ):
        return None
    if failure.connecting:
        reasons = (str(cause) for cause in reversed(failure.causes) if isinstance(cause, OSError))
        remedy = "start it, or correct the address (`store`, RATINGPRIV_STORE or NEO4J_URI)"
        problem = f"no Neo4j server responds ({next(reasons, failure.text)})"
        return StoreUnavailableError(failure.uri, problem, remedy)
    query, remedy = failure.query, "check the server and run this again"
    if query is None or query.id.startswith("load/"):
        remedy += ": a load goes on where it stopped"
    elif not query.is_read:
        remedy = "check the server, and what was written, before you run this again"
    return ConnectionLostError(failure.uri, "the connection broke", remedy)


def _no_room(failure: _Failure) -> StoreError | None:
    code = failure.code
    if "OutOfMemory" in code or "OutOfDisk" in code or "No space left" in failure.everything:
        remedy = (
            "raise dbms.memory.transaction.total.max or free disk space, or drop the dataset first"
        )
        return StoreFullError(
            failure.uri, f"the server ran out of memory or disk ({failure.text})", remedy
        )
    return None


def _address(failure: _Failure) -> StoreError | None:
    if isinstance(failure.error, ConfigurationError | ValueError) and failure.connecting:
        problem = f"the driver refuses this address ({failure.text})"
        return StoreUnavailableError(failure.uri, problem, "correct the address")
    return None


def _reading_only(failure: _Failure) -> StoreError | None:
    """Explain what writes where nobody may, or where the store is open for reading."""
    who = failure.writing or "this command"
    if failure.code.endswith("ReadOnlyAccessDatabase"):
        problem = (
            f"{who} writes, and the server refuses all writes to database {failure.database!r}"
        )
        return QueryFailedError(failure.uri, problem, "use one that may be written to")
    if isinstance(failure.error, ClientError) and "read access mode" in failure.everything:
        problem = f"{who} writes, and the store is open for reading only"
        return QueryFailedError(failure.uri, problem, "open it for writing")
    return None


def _too_busy(failure: _Failure) -> StoreError | None:
    if isinstance(failure.error, TransientError):
        problem = f"the server is too busy ({failure.text})"
        return ConnectionLostError(failure.uri, problem, "run this again later")
    return None


_EXPLAINED: Sequence[Callable[[_Failure], StoreError | None]] = (
    *(_login, _encryption, _other_server, _no_database, _connection),
    *(_no_room, _address, _reading_only, _too_busy),
)
"""What an error may be, the first that it is."""


def _refused(failure: _Failure) -> StoreError:
    what = f"query {failure.query.id}: " if failure.query is not None else ""
    problem = f"{what}the server refused: {failure.text}"
    return QueryFailedError(failure.uri, problem, "see the query, or report it")


_OTHER_HOST, _NOT_YET, _EXPIRED = (62, 63, 64), 9, 10  # OpenSSL's X509_V_ERR_...


def _not_trusted(error: ssl.SSLCertVerificationError, host: str) -> tuple[str, str]:
    """Return what is wrong with a certificate, and the remedy:
    +ssc only where its owner signed it.
    """
    code = error.verify_code
    if code in _OTHER_HOST:
        problem = f"its certificate is not for {host}, so that this may be another server"
        return problem, "name the host that the certificate is for"
    if code in (_NOT_YET, _EXPIRED):
        problem = (
            "its certificate has expired"
            if code == _EXPIRED
            else "its certificate is not valid yet"
        )
        return problem, "renew it, or set this machine's clock"
    problem = "its certificate is not trusted"
    return (
        problem,
        "use +ssc for a self-signed one (the server is then not authenticated), or correct it",
    )


def _not_admitted(uri: str, code: str, writing: str) -> StoreError:
    if code.endswith("CredentialsExpired"):
        problem, remedy = (
            "the password has expired",
            "change it once in Neo4j Browser or cypher-shell",
        )
    elif code.endswith("Forbidden"):
        problem = (
            f"{writing} writes, and this user may not" if writing else "this user may not do that"
        )
        remedy = "use a user with the right to write, or ask its owner"
    elif code.endswith("RateLimit"):
        problem, remedy = (
            "too many wrong passwords",
            "wait some seconds, then set NEO4J_PASSWORD rightly",
        )
    else:
        problem = "the user name or the password is wrong or missing"
        remedy = "set NEO4J_USERNAME and NEO4J_PASSWORD"
    return AuthenticationFailedError(uri, problem, remedy)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give the error, what caused it, and what caused that; through groups too."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop(0)
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        waiting += [current.__cause__, current.__context__]


def _speaks_tls(uri: str) -> bool:
    """Whether what answers at ``uri`` takes a TLS greeting; nothing is sent over it."""
    parts = urlsplit(uri)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # whoever it is: only that it encrypts is asked
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection(
                (parts.hostname or "", parts.port or 7687), PROBE_TIMEOUT
            ) as plain,
            context.wrap_socket(plain),
        ):
            return True
    except (OSError, ValueError):
        return False
