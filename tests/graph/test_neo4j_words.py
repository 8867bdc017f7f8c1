"""What the driver raises and returns, in our words: without a server."""

import ssl

import neo4j.spatial
import neo4j.time
import pytest
from neo4j.exceptions import (
    ClientError,
    ConfigurationError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
)

from ratingpriv.base import errors
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.neo4j import plain_value, told


def of_the_server(code: str, message: str = "no") -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=message)


def untrusted(code: int) -> Exception:
    cause = ssl.SSLCertVerificationError("no")
    cause.verify_code = code
    found = ServiceUnavailable("no")
    found.__cause__ = cause
    return found


def caused(by: BaseException) -> Exception:
    found = ServiceUnavailable("no")
    found.__context__ = ExceptionGroup("several", [by]) if isinstance(by, Exception) else by
    return found


SECURITY = "Neo.ClientError.Security."


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            of_the_server(f"{SECURITY}CredentialsExpired"),
            errors.AuthenticationFailedError,
            "expired",
        ),
        (
            of_the_server(f"{SECURITY}Forbidden"),
            errors.AuthenticationFailedError,
            "may not do that",
        ),
        (
            of_the_server(f"{SECURITY}AuthenticationRateLimit"),
            errors.AuthenticationFailedError,
            "too many",
        ),
        (untrusted(62), errors.TlsMismatchError, "not for host"),
        (untrusted(9), errors.TlsMismatchError, "not valid yet"),
        (untrusted(10), errors.TlsMismatchError, "has expired"),
        (ServiceUnavailable("no"), errors.ConnectionLostError, "the connection broke"),
        (IncompleteCommit("no"), errors.ConnectionLostError, "the connection broke"),
        (
            of_the_server("Neo.TransientError.General.OutOfMemoryError"),
            errors.StoreFullError,
            "memory or disk",
        ),
        (
            of_the_server("Neo.TransientError.Transaction.X", "busy"),
            errors.ConnectionLostError,
            "too busy",
        ),
        (ClientError("in read access mode"), errors.QueryFailedError, "open for reading only"),
        (
            of_the_server("Neo.ClientError.Statement.SyntaxError", "odd\nsecond line"),
            errors.QueryFailedError,
            "the server refused: odd",
        ),
    ],
)
def test_errors_of_the_driver(error: Exception, kind: type[Exception], said: str) -> None:
    found = told(error, "bolt+s://host", "d")
    assert type(found) is kind
    assert said in str(found)
    assert "second line" not in str(found)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (TypeError("no"), errors.UnsupportedServerError, "no Neo4j that this driver can use"),
        (ConfigurationError("bad"), errors.StoreUnavailableError, "refuses this address"),
        (ServiceUnavailable("handshake"), errors.StoreUnavailableError, "no Neo4j server responds"),
    ],
)
def test_errors_while_a_store_is_opened(error: Exception, kind: type[Exception], said: str) -> None:
    found = told(error, "bolt://127.0.0.1:1", "d", connecting=True)
    assert type(found) is kind
    assert said in str(found)


@pytest.mark.parametrize(
    "code", ["Neo.ClientError.General.WriteOnReadOnlyAccessDatabase", f"{SECURITY}Forbidden"]
)
def test_a_question_that_has_to_write_says_so(code: str) -> None:
    asked = told(of_the_server(code), "bolt://host", "d", query("browse/mark"))
    assert "browse/mark writes" in str(asked)
    for part in ("partition/decompose/begin", "load/announce"):  # which nobody named
        said = str(told(of_the_server(code), "bolt://host", "d", query(part)))
        assert "this command writes" in said
        assert part not in said


def test_only_a_load_that_is_broken_off_goes_on() -> None:
    def remedy(query_id: str | None) -> str:
        asked = None if query_id is None else query(query_id)
        return str(told(ServiceUnavailable("no"), "bolt://host", "d", asked))

    assert "a load goes on" in remedy(None)
    assert "a load goes on" in remedy("load/count")
    assert "a load" not in remedy("audit/degree-check")
    assert "what was written" in remedy("browse/mark")


def test_values_of_the_driver() -> None:
    assert plain_value(neo4j.time.Date(2005, 9, 6)) == "2005-09-06"
    assert plain_value(neo4j.time.DateTime(2005, 9, 6, 12, 30)).startswith("2005-09-06T12:30:00")
    assert str(plain_value(neo4j.time.Duration(months=1, days=2, seconds=3))).startswith("P")
    assert plain_value(neo4j.spatial.CartesianPoint((1.0, 2.0))) == {
        "srid": 7203,
        "x": 1.0,
        "y": 2.0,
    }
    assert plain_value({"b": [1, (2, 3)], "a": None}) == {"a": None, "b": [1, [2, 3]]}
