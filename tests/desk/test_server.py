"""Who gets an answer of the desk, over a raw socket: each line of its rules of security."""

import os
import socket
import stat
import tempfile
import time
from pathlib import Path

import pytest
from desk_asking import Asking, open_desk, raw

from ratingpriv.base.errors import ResourceError
from ratingpriv.desk import Desk
from ratingpriv.desk import desk as desk_module


@pytest.fixture(scope="module")
def closed():
    """A desk without a file, and a browser that was not let in."""
    with open_desk(enter=False) as asking:
        yield asking


@pytest.fixture(scope="module")
def inside():
    with open_desk() as asking:
        yield asking


def test_it_listens_on_the_loopback_only(closed):
    assert closed.desk.server.socket.getsockname()[0] == "127.0.0.1"
    assert closed.desk.server.address_family == socket.AF_INET


def test_a_port_that_is_taken_is_said(closed):
    with pytest.raises(ResourceError, match="port"):
        Desk(None, closed.port)


@pytest.mark.parametrize(
    "hosts",
    [[], ["evil.example"], ["evil.example:{port}"], ["127.0.0.1"], ["127.0.0.1:1"],
    ["[::1]:{port}"],
     ["127.0.0.1:{port}", "evil.example"], ["127.0.0.1:{port}", "127.0.0.1:{port}"]],
)  # fmt: skip
def test_a_foreign_host_gets_nothing(inside, hosts):
    lines = [f"Host: {host.format(port=inside.port)}" for host in hosts]
    head = "\r\n".join(["GET /columns HTTP/1.1", *lines, f"Cookie: {inside.cookie}", "", ""])
    reply = raw(inside.port, head.encode())
    assert (reply.status, b"<" in reply.body) == (421, False)


def test_localhost_is_the_desk_too(inside):
    assert inside.get("/columns", Host=f"localhost:{inside.port}").status == 200


def test_without_a_ticket_nothing_is_there(closed):
    for path in ("/", "/columns", "/choose", "/job", "/desk.css", "/file?name=release", "/nothing"):
        assert closed.get(path).status == 403
    for cookie in ("desk=1", f"desk{closed.port}=", f"desk{closed.port}=é", "=;;=", "\x01"):
        assert closed.get("/columns", Cookie=cookie).status == 403
    assert closed.post("/quit").status == 403
    assert closed.get("/?ticket=guessed").status == 403


def test_a_ticket_works_once(closed):
    link = closed.desk.link
    path = link[link.index("/?") :]
    first, second = closed.get(path), closed.get(path)
    assert (first.status, second.status) == (200, 403)
    assert "used already" in second.text
    assert len(path.partition("=")[2]) >= 32  # 192 bits
    cookie = first.headers["Set-Cookie"]
    assert cookie.startswith(f"desk{closed.port}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert second.headers["Set-Cookie"] is None


def test_another_browser_is_let_in_by_a_new_ticket(inside):
    page = inside.get("/link").text
    ticket = page[page.index("/?ticket=") :].partition("<")[0]
    other = Asking(inside.desk)
    other.cookie = other.get(ticket).headers["Set-Cookie"].partition(";")[0]
    assert other.get("/columns").status == 200


def test_the_browser_is_led_by_a_file_for_its_user_alone(closed, tmp_path):
    page = closed.desk.server.redirect(tmp_path)
    assert page.suffix == ".html"
    if os.name == "posix":
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
    link = page.read_text().partition("url=")[2].partition('"')[0]
    assert closed.get(link[link.index("/?") :]).status == 200
    assert not page.exists()


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1"]
)
def test_only_its_own_pages_change_anything(inside, origin):
    given = origin and origin.format(port=inside.port)
    for path in ("/columns", "/try", "/release", "/cancel", "/quit", "/open?name=x.csv"):
        assert inside.post(path, Origin=given).status == 403


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/json", "multipart/form-data; boundary=x"]
)
def test_only_forms_are_taken(inside, kind):
    assert inside.post("/columns", Content_Type=kind).status == 415
    assert inside.post("/open?name=x.csv", Content_Type=kind).status == 415


@pytest.mark.parametrize(
    ("length", "status"),
    [
        (None, 411),
        ("", 411),
        ("-1", 411),
        ("1e3", 411),
        ("²", 411),
        ("1048577", 413),
        ("9" * 30, 413),
    ],
)
def test_the_size_of_a_form_is_bounded(inside, length, status):
    assert inside.post("/columns", Content_Length=length).status == status


def test_a_form_of_too_many_fields_and_a_file_that_is_too_large_are_refused(inside):
    fields = {f"f{number}": "" for number in range(20_001)}
    assert inside.post("/columns", fields).status == 413
    kind = {"Content_Type": "application/octet-stream", "Content_Length": str((2 << 30) + 1)}
    assert inside.post("/open?name=x.csv", **kind).status == 413


@pytest.mark.parametrize(
    "path", ["/columns", "/desk.css", "/desk.js", "/job", "/nothing", "/choose?k=x"]
)
def test_every_answer_says_what_a_browser_may_do(inside, path):
    headers = inside.get(path).headers
    policy = headers["Content-Security-Policy"]
    for rule in (
        "default-src 'none'",
        "script-src 'self';",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "connect-src 'self'",
        "base-uri 'none'",
    ):
        assert rule in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert (
        headers["Cross-Origin-Opener-Policy"]
        == headers["Cross-Origin-Resource-Policy"]
        == "same-origin"
    )


@pytest.mark.parametrize(
    "path",
    ["/../etc/passwd", "/desk.py", "/templates/layout.jinja", "/%2e%2e/desk.css", "/a\\b"],
)
def test_what_is_no_route_is_not_there(inside, path):
    assert inside.get(path).status == 404
    assert inside.post(path).status == 404


@pytest.mark.parametrize("name", ["", "key", "../survey.csv", "/etc/passwd", "release", "codebook"])
def test_no_path_of_a_request_is_opened(inside, name):
    assert inside.get(f"/file?name={name}").status == 422


def test_other_methods_are_refused(inside):
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"):
        assert inside.ask(method, "/columns").status == 501


def test_nonsense_does_not_end_the_server(inside):
    for data in (
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02",
        b"GET / HTTP/1.1\r\n",
    ):
        with socket.create_connection(("127.0.0.1", inside.port), timeout=5) as connection:
            connection.sendall(data)
    assert inside.get("/columns").status == 200


def test_a_fault_shows_neither_place_nor_cell(inside, monkeypatch, capsys):
    def fail(form):
        raise RuntimeError("a cell 4711 of /somewhere/secret.csv")

    monkeypatch.setitem(inside.desk.server.pages.routes, ("GET", "/job"), fail)
    reply = inside.get("/job")
    assert (reply.status, "fault of ratingpriv" in reply.words) == (500, True)
    assert not {"4711", "secret", "RuntimeError", "Traceback"} & set(
        reply.words.replace("/", " ").split()
    )
    assert "RuntimeError" in capsys.readouterr().err


def test_the_log_says_nothing(inside, capsys):
    inside.get("/choose?k=7&epsilon=3")
    ended = capsys.readouterr()
    assert ended.out + ended.err == ""


def test_it_ends_by_its_button_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_desk() as asking:
        asking.desk.server.redirect(asking.desk._folder)
        assert list(tmp_path.iterdir())
        if os.name == "posix":
            assert [stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()] == [0o700]
        page = asking.post("/quit")
        assert "has ended" in page.words
        assert '="/' not in page.text
        deadline = time.monotonic() + 20
        while list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert list(tmp_path.iterdir()) == []


def test_it_ends_when_nobody_asks(monkeypatch):
    monkeypatch.setattr(desk_module, "_IDLE", 0.0)
    Desk(None).serve(browse=False)


def test_the_room_calls_nothing_that_one_system_lacks():
    """Windows has no fork, no user ids, no modes of files.

    What is said of them there is said elsewhere.
    """
    sources = Path(desk_module.__file__).parent.glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    lacking = """fork getuid fcntl resource. pwd. pthread os.kill SIGKILL SIGHUP /proc /dev/
        O_NOFOLLOW umask symlink os.link AF_UNIX""".split()
    assert [word for word in lacking if word in text] == []
