"""The desk: what each address answers, and what lies on it: a file, its map,
a release, pictures.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ratingpriv.base.errors import (
    DataError,
    EncodingError,
    ParameterError,
    RatingPrivError,
    ResourceError,
)
from ratingpriv.base.numbers import in_full
from ratingpriv.base.partial import partial_folder
from ratingpriv.desk.jobs import Job, Jobs
from ratingpriv.desk.server import Answer, Form, Pages, Server, Upload

if TYPE_CHECKING:
    from ratingpriv.desk.columns import Columns
    from ratingpriv.desk.neighbours import Neighbours
    from ratingpriv.desk.protection import Choice, Protection
    from ratingpriv.desk.release import Made

_IDLE = 1800.0  # seconds without a request, after which the desk ends
_PATIENCE = 1.5  # seconds that a page waits for columns to be described
_PART = 1 << 20  # bytes
_SHOWN_PROBLEMS = 5
_READING = "Reading the file"
_ASSETS = {"/desk.css": "text/css", "/desk.js": "text/javascript"}


class Desk:
    """A file on the desk, and the server that shows it.

    Parameters
    ----------
    path : the file; None: it is chosen in the browser
    port : of the server on 127.0.0.1; 0: any that is free
    """

    def __init__(self, path: str | Path | None = None, port: int = 0) -> None:
        self.jobs = Jobs()
        self.server: Server
        self.columns: Columns | None = None
        self.protection: Protection | None = None
        self.neighbours: Neighbours | None = None
        self.made: Made | None = None
        self._folder: Path | None = None
        self._given = Path(), Path()  # the file, and the folder for what is made of it
        self._encodings: tuple[tuple[str, str, str], ...] = ()  # in which the file may be text
        self._saving = threading.Lock()
        self._asked: object = None
        routes: dict[tuple[str, str], Callable[[Form], Answer]] = {
            ("GET", "/"): lambda form: self._to("/columns"),
            ("GET", "/columns"): self._columns,
            ("POST", "/columns"): self._say,
            ("GET", "/columns/apart"): self._apart,
            ("GET", "/encoding"): lambda form: self._page("encoding", encodings=self._encodings),
            ("POST", "/encoding"): self._read_as,
            ("GET", "/choose"): functools.partial(self._chosen, "choose"),
            ("GET", "/choose/panel"): functools.partial(self._chosen, "panel"),
            ("POST", "/try"): self._try,
            ("GET", "/release"): functools.partial(self._chosen, "release"),
            ("POST", "/release"): self._release,
            ("GET", "/graph"): self._graph,
            ("GET", "/job"): self._job,
            ("POST", "/cancel"): self._cancel,
            ("GET", "/file"): self._file,
            ("GET", "/link"): lambda form: self._page("link", link=self.server.link()),
            ("POST", "/quit"): self._quit,
            **{("GET", name): functools.partial(_asset, name) for name in _ASSETS},
        }
        try:
            self.server = Server(port, Pages(routes, self._problem, self._upload))
        except OSError as error:
            raise ResourceError(
                f"port {port}: {error.strerror}; name another with `port`"
            ) from error
        if path is not None:
            self._lay(Path(path), Path(path).parent)

    # ---- running ----

    @property
    def link(self) -> str:
        """An address that lets one browser in, once."""
        return self.server.link()

    def serve(self, *, browse: bool = True) -> None:
        """Answer until somebody ends the desk, or nobody has asked for half an hour.

        ``browse`` : whether the browser is opened
        """
        with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-desk")) as self._folder:
            if browse:
                page = self.server.redirect(self._folder)
                threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
            threading.Thread(target=self._end_when_idle, daemon=True).start()
            try:
                self.server.serve_forever(poll_interval=0.2)
            finally:
                self.jobs.cancel()
                if self.jobs.last is not None:
                    self.jobs.last.ended.wait(10)
                self.server.server_close()

    def _end_when_idle(self) -> None:
        while self.jobs.running or time.monotonic() - self.server.seen < _IDLE:
            time.sleep(1)
        self.server.shutdown()

    def _lay(self, path: Path, place: Path) -> None:
        """Put a file on the desk in place of what is there.

        What is made of it goes to ``place``.
        """
        self._given, self._encodings = (path, place), ()
        self._look(None)

    def _look(self, encoding: str | None) -> None:
        """Read the file anew, as text in an encoding (None: as the codebook says, or UTF-8)."""
        path, given_folder = self._given

        def look(job: Job) -> None:
            from ratingpriv.desk.columns import Columns  # imported here: the link is there at once

            columns = Columns(path, given_folder, encoding)
            try:
                columns.describe(job)
            except EncodingError as error:
                self._encodings = self._encodings or error.likely
                raise
            self.columns = columns
            if not columns.columns:
                self._count(job)

        self._clear()
        self.columns = None
        self.jobs.start(_READING, look)

    def _read_as(self, form: Form) -> Answer:
        names = [name for name, _, _ in self._encodings]
        if form.get("encoding") not in names:
            raise ParameterError(
                "encoding", form.get("encoding"), f"one of {', '.join(names) or 'none'}"
            )
        self._refuse_running()
        self._look(form["encoding"])
        return self._to("/columns")

    def _clear(self) -> None:
        self.protection = self.neighbours = self.made = None

    def _count(self, job: Job) -> None:
        from ratingpriv.desk.neighbours import Neighbours
        from ratingpriv.desk.protection import Protection

        table = self._on_desk.read(job)
        self._on_desk.records = table.n_records
        self.protection, self.neighbours = Protection(table), Neighbours(table)
        self.protection.count(job)

    @property
    def _on_desk(self) -> Columns:
        if self.columns is None:
            raise ParameterError("file", None, "a file on the desk", "choose one first")
        return self.columns

    # ---- pages ----

    def _page(self, name: str, status: int = 200, **context: Any) -> Answer:
        from ratingpriv.desk.rendering import render

        job = self.jobs.last
        problem = "" if job is None or job.error is None else self._words(job.error)
        variables = {
            "desk": self,
            "here": name,
            "job": job,
            "job_problem": problem,
            "version": _version(),
        }
        columns = self.columns
        variables |= {"file": "" if columns is None else columns.path.name, "choice": None}
        variables |= {"counted": self.protection is not None and bool(self.protection.levels)}
        return Answer(
            status, "text/html; charset=utf-8", render(name, variables | context).encode()
        )

    def _words(self, error: Exception) -> str:
        """Return what an error says, without the place of the file.

        Empty where it is a fault of ours.
        """
        if not isinstance(error, RatingPrivError):
            return ""
        text = str(error)
        lines = text.splitlines()
        if isinstance(error, DataError) and len(lines) > _SHOWN_PROBLEMS:
            text = "\n".join([*lines[:_SHOWN_PROBLEMS], f"… +{len(lines) - _SHOWN_PROBLEMS}"])
        path, given_folder = self._given
        for place in (path.parent, given_folder):  # which no page shows
            for folder in (place.resolve(), place):
                text = text if folder == Path() else text.replace(f"{folder}{os.sep}", "")
        return text

    def _problem(self, status: int, text: str) -> Answer:
        return self._page("problem", status, problem=text)

    @staticmethod
    def _to(path: str, choice: Choice | None = None, **query: Any) -> Answer:
        """Send the browser on, with what was chosen."""
        fields = {} if choice is None else fields_of(choice)
        fields |= {name: value for name, value in query.items() if value}
        return Answer(
            303, "text/plain", b"", {"Location": f"{path}?{urlencode(fields)}" if fields else path}
        )

    # ---- columns ----

    def _columns(self, form: Form) -> Answer:
        if self.columns is None and self.jobs.last is None:
            return self._page("open")
        if self.columns is None and self.jobs.last is not None:
            self.jobs.last.ended.wait(_PATIENCE)
        if self.columns is None and not self.jobs.running and self._encodings:
            return self._page("encoding", encodings=self._encodings)
        if self.columns is None:
            return self._page("wait" if self.jobs.running else "open")
        return self._asking(self.columns, {}, 200)

    def _asking(
        self, columns: Columns, form: Form, status: int, wrong: ParameterError | None = None
    ) -> Answer:
        return self._page(
            "columns",
            status,
            columns=columns,
            groups=list(columns.groups()),
            form=form,
            wrong=wrong,
            encodings=self._encodings,
        )

    def _say(self, form: Form) -> Answer:
        from ratingpriv.desk.columns import ForeignCodebookError, StaleError

        columns = self._on_desk
        try:
            with self._saving:
                self._refuse_running()
                columns.save(columns.said(form), form.get("replace", ""))
                self._clear()
                self.jobs.start("Reading and counting", self._count)
        except StaleError:
            return self._page("stale", 409)
        except ForeignCodebookError as foreign:
            return self._page(
                "difference", 409, foreign=foreign, form=form, book=columns.book_path.name
            )
        except ParameterError as wrong:
            return self._asking(columns, form, 422, wrong)
        return self._to("/choose")

    def _refuse_running(self) -> None:
        if self.jobs.running:
            raise ParameterError(
                "job", "one that is under way", "none", "wait for it, or cancel it"
            )

    def _apart(self, form: Form) -> Answer:
        if form.get("column", "").isdecimal():
            self._on_desk.opened.add(int(form["column"]))
        return self._to("/columns")

    def _upload(self, upload: Upload) -> Answer:
        self._refuse_running()
        if self._folder is None:
            raise ResourceError("open: the desk has no folder for a copy; start it again")
        name = PureWindowsPath(Path(upload.name).name).name.strip()
        path = self._folder / (name if name.strip(".") and name.isprintable() else "data.csv")
        left = upload.length
        try:
            with path.open("wb") as file:
                while left:
                    part = upload.stream.read(min(_PART, left))
                    if not part:
                        raise ConnectionAbortedError
                    file.write(part)
                    left -= len(part)
        except OSError as error:
            path.unlink(missing_ok=True)
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            raise ResourceError(
                f"{path.name}: {error.strerror}; make room, and choose it again"
            ) from error
        self._lay(path, Path.cwd())
        return self._to("/columns")

    # ---- protection, release, neighbours ----

    def _chosen(self, name: str, form: Form) -> Answer:
        protection = self.protection
        if protection is None or not protection.levels:
            last = self.jobs.last
            if self.columns is None or last is None or last.title == _READING:
                return self._to("/columns")
            return self._page("wait", here=name)
        choice = protection.choice(form)
        return self._page(name, choice=choice, protection=protection, made=self.made)

    def _ready(self, form: Form) -> tuple[Protection, Choice]:
        if self.protection is None or not self.protection.levels:
            raise ParameterError("columns", None, "columns that were saved and counted")
        return self.protection, self.protection.choice(form)

    def _try(self, form: Form) -> Answer:
        protection, choice = self._ready(form)
        self.jobs.start("Trying each way", functools.partial(protection.try_all, choice))
        return self._to("/choose", choice)

    def _release(self, form: Form) -> Answer:
        from ratingpriv.base import checks  # and NumPy with it, which the first page does not need
        from ratingpriv.desk.release import make

        protection, choice = self._ready(form)
        method, accepted, columns = form.get("method", ""), "accepted" in form, self._on_desk
        offered = [name for name, _ in protection.offered(choice)]
        checks.choice("method", method, offered)

        def work(job: Job) -> None:
            self.made = make(protection.table, columns, choice, method, accepted=accepted, job=job)

        self.jobs.start("Making the release", work)
        return self._to("/release", choice)

    def _graph(self, form: Form) -> Answer:
        from ratingpriv.desk.neighbours import NEAR, QUESTIONS

        if self.protection is None or not self.protection.levels or self.neighbours is None:
            return self._chosen("graph", form)
        neighbours, choice = self.neighbours, self.protection.choice(form)
        node, query = form.get("node", ""), form.get("query", QUESTIONS[0])
        neighbours.check(query, node)
        key, drawn = (choice, query, node), neighbours.drawn(choice, query, node)
        if drawn is None and not self.jobs.running and ("draw" in form or self._asked != key):
            self._asked = key
            self.jobs.start("Drawing", functools.partial(neighbours.draw, choice, query, node))
            if self.jobs.last is not None:
                self.jobs.last.ended.wait(_PATIENCE)
            return self._to("/graph", choice, query=query, node=node)
        shown: dict[str, Any] = {
            "drawn": drawn,
            "query": query,
            "questions": QUESTIONS,
            "near": NEAR,
        }
        return self._page("graph", choice=choice, **shown)

    # ---- everywhere ----

    def _job(self, form: Form) -> Answer:
        job = self.jobs.last
        state: Mapping[str, object] = {"state": "none"} if job is None else job.to_dict()
        return Answer(200, "application/json", json.dumps(state).encode())

    def _cancel(self, form: Form) -> Answer:
        self.jobs.cancel()
        return self._to("/columns")

    def _file(self, form: Form) -> Answer:
        files = {} if self.made is None else self.made.files
        if form.get("name") not in files:
            raise ParameterError(
                "name", form.get("name"), "release, manifest or report of a release"
            )
        path = files[form["name"]]
        named = {"Content-Disposition": f'attachment; filename="{path.name}"'}
        return Answer(200, "application/octet-stream", path.read_bytes(), named)

    def _quit(self, form: Form) -> Answer:
        return self._page("bye", style=_bytes("/desk.css").decode())._replace(last=True)


def fields_of(choice: Choice) -> dict[str, str]:
    """Return a choice as an address has it."""
    fields = {"k": str(choice.k), "epsilon": in_full(choice.epsilon)}
    fields |= {"l": in_full(choice.l)} if choice.l else {}
    fields |= {"m": str(choice.m)} if choice.m else {}
    return fields | ({"face": choice.face} if choice.face != "found" else {})


def _asset(name: str, form: Form) -> Answer:
    return Answer(200, f"{_ASSETS[name]}; charset=utf-8", _bytes(name))


@functools.cache
def _bytes(name: str) -> bytes:
    before = resources.files("ratingpriv.report.markup").joinpath("document.css").read_bytes()
    content = resources.files(__package__).joinpath(name.strip("/")).read_bytes()
    return before + content if name.endswith(".css") else content


@functools.cache
def _version() -> str:
    return hashlib.sha256(b"".join(map(_bytes, _ASSETS))).hexdigest()[:8]
