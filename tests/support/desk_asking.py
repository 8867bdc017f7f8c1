"""A desk that runs in this process, and requests to it over a raw socket:
every byte is the test's own.
"""

import contextlib
import http.client
import io
import re
import socket
import threading
from pathlib import Path
from urllib.parse import urlencode

from ratingpriv.desk import Desk

__all__ = ["Asking", "open_desk", "raw"]

FORM = "application/x-www-form-urlencoded"


class Reply:
    """Status, headers and body of an answer."""

    def __init__(self, data: bytes) -> None:
        head, _, self.body = data.partition(b"\r\n\r\n")
        first, _, rest = head.partition(b"\r\n")
        self.status = int(first.split()[1]) if first else 0
        self.headers = http.client.parse_headers(io.BytesIO(rest + b"\r\n\r\n"))

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What a reader sees, without tags, with single blanks."""
        return " ".join(re.sub(r"<[^>]*>", " ", self.text).split())


def raw(port: int, data: bytes) -> Reply:
    """Send bytes, and return the answer to the first request."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        answer = http.client.HTTPResponse(
            connection, method=data.partition(b" ")[0].decode("latin-1")
        )
        try:
            answer.begin()
        except (http.client.BadStatusLine, ConnectionError):
            return Reply(b"")
        head = "".join(f"{name}: {value}\r\n" for name, value in answer.getheaders())
        return Reply(f"HTTP/1.1 {answer.status} x\r\n{head}\r\n".encode() + answer.read())


class Asking:
    """A browser's part: its cookie, its Origin, and its Host, unless a test says other headers."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.port, self.cookie = desk, desk.server.port, ""

    def enter(self) -> Reply:
        """Use a ticket, and keep the cookie."""
        reply = self.get("/?" + desk_ticket(self.desk))
        self.cookie = (reply.headers["Set-Cookie"] or "").partition(";")[0]
        return reply

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Reply:
        """Send a request; a header that is None is left out, ``_`` in its name is a hyphen."""
        known: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": self.cookie or None,
        }
        if method == "POST":
            known |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": FORM}
            known |= {"Content-Length": str(len(body))}
        known |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in known.items() if value is not None]
        head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "Connection: close", "", ""])
        return raw(self.port, head.encode() + body)

    def get(self, path: str, **headers: str | None) -> Reply:
        return self.ask("GET", path, **headers)

    def post(self, path: str, form: dict[str, str] | None = None, **headers: str | None) -> Reply:
        return self.ask("POST", path, urlencode(form or {}).encode(), **headers)

    def rest(self) -> None:
        """Wait for the work under way."""
        if self.desk.jobs.last is not None:
            assert self.desk.jobs.last.ended.wait(120)

    def fields(self, path: str = "/columns") -> dict[str, str]:
        """Return the fields of the form of a page as a browser would send them."""
        text = self.get(path).text.partition('<form method="post" action="/columns">')[2]
        found = dict(re.findall(r'<input[^>]*? name="(\w+)"[^>]*? value="([^"]*)"', text))
        for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', text, re.DOTALL):
            found[name] = re.search(r'value="(\w+)" selected', options)[1]
        return found


def desk_ticket(desk: Desk) -> str:
    return desk.link.partition("?")[2]


@contextlib.contextmanager
def open_desk(path: Path | None = None, *, enter: bool = True):
    """Serve a desk in a thread, with a browser that is let in."""
    desk = Desk(path)
    thread = threading.Thread(target=desk.serve, kwargs={"browse": False}, daemon=True)
    thread.start()
    asking = Asking(desk)
    try:
        if enter:
            asking.enter()
            asking.rest()
        yield asking
    finally:
        desk.server.shutdown()
        thread.join(20)
