"""The desk's server: one user on the loopback; who has no ticket, or comes from elsewhere,
gets nothing.
"""

from __future__ import annotations

import hmac
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from ratingpriv.base.errors import RatingPrivError

_FORM = "application/x-www-form-urlencoded"
_LARGEST_FORM, _LARGEST_FILE = 1 << 20, 2 << 30  # bytes
_MOST_FIELDS = 20_000
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-store",  # nothing of the data is left in the browser's cache
    "Referrer-Policy": "same-origin",  # with no-referrer forms come with Origin: null
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_MOMENT = b'<!DOCTYPE html><html lang="en"><title>Desk</title><link rel="icon" href="data:,">'

type Form = dict[str, str]


class Answer(NamedTuple):
    """What a request gets; ``kind`` is its media type, and the server ends after a ``last`` one."""

    status: int
    kind: str
    body: bytes
    headers: Mapping[str, str] = {}
    last: bool = False


class Upload(NamedTuple):
    """A file that comes in: its bytes, how many there are, and what it is called."""

    stream: BufferedIOBase
    length: int
    name: str


class RefusedError(Exception):
    """A request that gets a status, a plain sentence, and nothing else."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Pages:
    """What a server answers: a function of the form for each method and path, and pages for errors.

    ``problem`` makes a page of a status and a message; ``upload`` takes the file that comes to
    ``/open``.
    """

    def __init__(
        self,
        routes: Mapping[tuple[str, str], Callable[[Form], Answer]],
        problem: Callable[[int, str], Answer],
        upload: Callable[[Upload], Answer],
    ) -> None:
        self.routes, self.problem, self.upload = routes, problem, upload


class Server(ThreadingHTTPServer):
    """Answers pages on 127.0.0.1, to browsers that came with a ticket."""

    daemon_threads = True

    def __init__(self, port: int, pages: Pages) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.pages, self.port = pages, int(self.server_address[1])
        self.hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        self.session = secrets.token_urlsafe(32)
        self.seen = time.monotonic()
        self._tickets: dict[str, Path | None] = {}
        self._lock = threading.Lock()

    def link(self) -> str:
        """Return an address that lets one browser in, once."""
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = None
        return f"http://127.0.0.1:{self.port}/?ticket={ticket}"

    def redirect(self, folder: Path) -> Path:
        """Write a page for this user alone that leads a browser here.

        It is removed when it was used.

        So no command line that others see has the ticket.
        """
        page = folder / "desk.html"
        page.touch(mode=0o600, exist_ok=False)
        link = self.link()
        page.write_text(
            f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={link}">\n', "utf-8"
        )
        self._tickets[link.rpartition("=")[2]] = page
        return page

    def admit(self, ticket: str) -> bool:
        """Use up a ticket; False where there is none of this name."""
        with self._lock:
            if ticket not in self._tickets:
                return False
            page = self._tickets.pop(ticket)
        if page is not None:
            page.unlink(missing_ok=True)
        return True

    def stop(self) -> None:
        """End the server, from one of its own threads too."""
        threading.Thread(target=self.shutdown).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away; print what is a fault."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            traceback.print_exc()


class _Handler(BaseHTTPRequestHandler):
    protocol_version, server_version, sys_version = "HTTP/1.1", "ratingpriv", ""
    error_message_format, error_content_type = "%(message)s\n", "text/plain"
    timeout = 60
    server: Server

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        problem = self.server.pages.problem
        try:
            answer = self._found(method)
        except RefusedError as refused:
            answer = Answer(
                refused.status, "text/plain; charset=utf-8", f"{refused.text}\n".encode()
            )
            self.close_connection = True  # a body may be left
        except RatingPrivError as error:
            answer = problem(422, str(error))
        except ConnectionError:
            raise
        except Exception:
            traceback.print_exc()
            answer = problem(500, "")
        self.close_connection |= answer.last
        self.send_response(answer.status)
        closing = {"Connection": "close"} if self.close_connection else {}
        fixed = {"Content-Type": answer.kind, "Content-Length": str(len(answer.body)), **closing}
        for name, value in {**_HEADERS, **fixed, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)
        if answer.last:  # once it was sent: who ends the process ends this thread
            self.server.stop()

    def _found(self, method: str) -> Answer:
        server, url = self.server, urlsplit(self.path)
        # DNS rebinding
        if self.headers.get_all("Host", []) not in [[host] for host in server.hosts]:
            raise RefusedError(421, "This is not the desk. Open it by the address that it printed.")
        query = _fields(url.query)
        if method == "GET" and url.path == "/" and "ticket" in query:
            return self._let_in(query["ticket"])
        if not self._is_known():
            remedy = "Choose “Open in another browser” there, or restart it."
            raise RefusedError(403, f"This desk is open in another browser. {remedy}")
        server.seen = time.monotonic()
        if method == "POST":
            if self.headers.get_all("Origin", []) not in [
                [f"http://{host}"] for host in server.hosts
            ]:
                raise RefusedError(403, "Only the desk's own pages may change anything.")
            if url.path == "/open":
                return server.pages.upload(self._upload(query.get("name", "")))
            query |= self._form()
        route = server.pages.routes.get((method, url.path))
        if route is None:
            raise RefusedError(404, "There is no such page.")
        return route(query)

    def _let_in(self, ticket: str) -> Answer:
        if not self.server.admit(ticket):
            text = (
                "This link was used already. If that was not you, somebody else is at your "
                "desk: end it."
            )
            raise RefusedError(403, text)
        cookie = f"{_cookie(self.server)}={self.server.session}; HttpOnly; SameSite=Strict; Path=/"
        # no redirect: a browser that comes from a file would not send the strict cookie after one
        return Answer(
            200, "text/html", _MOMENT, {"Set-Cookie": cookie, "Refresh": "0; url=/columns"}
        )

    def _is_known(self) -> bool:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(_cookie(self.server))
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(
            cookie.value.encode(), self.server.session.encode()
        )

    def _length(self, largest: int) -> int:
        length = self.headers.get_all("Content-Length", [])
        if len(length) != 1 or not (length[0].isascii() and length[0].isdecimal()):
            raise RefusedError(411, "A request has to say how long it is.")
        if len(length[0]) > 15 or int(length[0]) > largest:
            raise RefusedError(413, f"At most {largest >> 20:,} MiB, please.")
        return int(length[0])

    def _form(self) -> Form:
        length = self._length(_LARGEST_FORM)
        if self.headers.get_content_type() != _FORM:
            raise RefusedError(415, "A form, please.")
        return _fields(self.rfile.read(length).decode("utf-8", "replace"))

    def _upload(self, name: str) -> Upload:
        length = self._length(_LARGEST_FILE)
        if self.headers.get_content_type() != "application/octet-stream":
            raise RefusedError(415, "A file, please.")
        self.close_connection = True
        return Upload(self.rfile, length, name)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: addresses hold what was chosen."""


def _cookie(server: Server) -> str:
    return f"desk{server.port}"


def _fields(text: str) -> Form:
    try:
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise RefusedError(413, f"At most {_MOST_FIELDS:,} fields, please.") from None
    return {name: values[-1] for name, values in fields.items()}
