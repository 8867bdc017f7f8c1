"""What a Neo4j server or its driver complains of, in a user's words: what was found, and the remedy."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    IncompleteCommit,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from ratingpriv.base.errors import (
    AuthenticationFailedError,
    ConnectionLostError,
    DatabaseMissingError,
    QueryFailedError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    TlsMismatchError,
    UnsupportedServerError,
)
from ratingpriv.graph.catalogue import Query

PROBE_TIMEOUT = 3.0  # seconds


def told(
    error: BaseException, uri: str, database: str, query: Query | None = None, *, connecting: bool = False
) -> StoreError:
    """Turn an error of the driver into one of ours: what was found, and what to do.

    Parameters
    ----------
    error : what the driver raised
    uri, database : where it was raised; ``uri`` without credentials
    query : the query that was being run, if one was
    connecting : whether the store is only being opened, so that an address may be wrong
    """
    causes = list(_causes(error))
    said = getattr(error, "message", None) or str(error) or type(error).__name__
    text = str(said).splitlines()[0]
    code = str(getattr(error, "code", "") or "")
    encrypted = "+s" in uri.partition("://")[0]
    writing = query.id if query is not None and not query.is_read else ""
    if isinstance(error, AuthError) or code.startswith("Neo.ClientError.Security"):
        return _not_admitted(uri, code, writing)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        untrusted = [cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)]
        if untrusted:
            return TlsMismatchError(uri, *_not_trusted(untrusted[0], urlsplit(uri).hostname or ""))
        return TlsMismatchError(uri, "the server does not answer in TLS", "use the address without +s")
    everything = " ".join(str(cause) for cause in causes)
    if connecting and not encrypted and "handshake" in everything and _speaks_tls(uri):
        remedy = "use bolt+s:// or neo4j+s:// (+ssc where its certificate is self-signed)"
        return TlsMismatchError(uri, "the server wants TLS", remedy)
    unread = connecting and isinstance(error, TypeError | LookupError | AttributeError | ArithmeticError)
    if unread or type(error).__name__ == "UnsupportedServerProduct" or "looks like HTTP" in everything:
        remedy = "name the Bolt port (7687 by default) of Neo4j 5.26 or newer"
        return UnsupportedServerError(
            uri, "what answers there is no Neo4j that this driver can talk to", remedy
        )
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        remedy = "set NEO4J_DATABASE to one that there is (Community Edition has one, neo4j by default)"
        return DatabaseMissingError(uri, f"the server has no database {database!r}", remedy)
    if isinstance(error, ServiceUnavailable | SessionExpired | IncompleteCommit | OSError):
        if connecting:
            reason = next((str(cause) for cause in reversed(causes) if isinstance(cause, OSError)), text)
            remedy = "start it, or correct the address (`store`, RATINGPRIV_STORE or NEO4J_URI)"
            return StoreUnavailableError(uri, f"no Neo4j server answers ({reason})", remedy)
        remedy = "check the server and run this again: a load goes on where it stopped"
        return ConnectionLostError(uri, "the connection broke", remedy)
    if "OutOfMemory" in code or "OutOfDisk" in code or "No space left" in everything:
        remedy = "raise dbms.memory.transaction.total.max or free disk space, or drop the dataset first"
        return StoreFullError(uri, f"the server ran out of memory or disk ({text})", remedy)
    if isinstance(error, ConfigurationError | ValueError) and connecting:
        return StoreUnavailableError(uri, f"the driver refuses this address ({text})", "correct the address")
    if code.endswith("ReadOnlyAccessDatabase"):
        problem = f"{writing or 'this'} writes, and the server lets nobody write to database {database!r}"
        return QueryFailedError(uri, problem, "use one that may be written to")
    if isinstance(error, ClientError) and "read access mode" in everything:
        problem = f"{writing or 'this'} writes, and the store is open for reading only"
        return QueryFailedError(uri, problem, "open it for writing")
    if isinstance(error, TransientError):
        return ConnectionLostError(uri, f"the server is too busy ({text})", "run this again later")
    what = f"query {query.id}: " if query is not None else ""
    return QueryFailedError(uri, f"{what}the server refused: {text}", "see the query, or report it")


_OTHER_HOST, _NOT_YET, _EXPIRED = (62, 63, 64), 9, 10  # OpenSSL's X509_V_ERR_...


def _not_trusted(error: ssl.SSLCertVerificationError, host: str) -> tuple[str, str]:
    """Return what is wrong with a certificate, and the remedy: +ssc only where its owner alone signed it."""
    code = error.verify_code
    if code in _OTHER_HOST:
        problem = f"its certificate is not for {host}, so that this may be another server"
        return problem, "name the host that the certificate is for"
    if code in (_NOT_YET, _EXPIRED):
        problem = "its certificate has expired" if code == _EXPIRED else "its certificate is not valid yet"
        return problem, "renew it, or set this machine's clock"
    problem = "its certificate is not trusted"
    return problem, "use +ssc for a self-signed one (nobody then says whose server it is), or correct it"


def _not_admitted(uri: str, code: str, writing: str) -> StoreError:
    if code.endswith("CredentialsExpired"):
        problem, remedy = "the password has expired", "change it once in Neo4j Browser or cypher-shell"
    elif code.endswith("Forbidden"):
        problem = f"{writing} writes, and this user may not" if writing else "this user may not do that"
        remedy = "use a user with the right to write, or ask its owner"
    elif code.endswith("RateLimit"):
        problem, remedy = "too many wrong passwords", "wait some seconds, then set NEO4J_PASSWORD rightly"
    else:
        problem, remedy = (
            "the user name or the password is wrong or missing",
            "set NEO4J_USERNAME and NEO4J_PASSWORD",
        )
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
            socket.create_connection((parts.hostname or "", parts.port or 7687), PROBE_TIMEOUT) as plain,
            context.wrap_socket(plain),
        ):
            return True
    except (OSError, ValueError):
        return False
