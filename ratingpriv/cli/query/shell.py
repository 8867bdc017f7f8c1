"""``ratingpriv query shell``: statements one after the other, at a prompt or from a pipe."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.output.exits import hint_of, message_of, say_error
from ratingpriv.cli.query.library import LibraryOption, find, listed
from ratingpriv.cli.query.run import ParamOption, WriteOption, say_incomplete, texts_of
from ratingpriv.errors import ParameterError, RatingPrivError
from ratingpriv.unfinished import finishing, interruptible

if TYPE_CHECKING:
    from ratingpriv.cli.output.reporter import Reporter
    from ratingpriv.graph.queries import LibraryQuery
    from ratingpriv.graph.store import GraphStore
    from ratingpriv.graph.texts.own import OwnQuery

    type _Question = LibraryQuery | OwnQuery

__all__ = ["shell"]

_PROMPT, _MORE = "ratingpriv> ", "        ... "
_HISTORY = 1000  # statements
_HELP = """\
A statement of Cypher ends with ; and may take several lines. The name of a query runs it:
audit/risk-summary;
  :params              the parameters that are set
  :params NAME=VALUE   set one; VALUE is read as JSON, else it is a text
  :params NAME=        forget one
  :use DATASET         set the parameter dataset, which queries of the library need
  :list                the queries that there are
  :show NAME           what one means, takes and returns, and its Cypher
  :help                this page
  :quit                end; so does Ctrl-D. Ctrl-C drops what was typed of a statement
"""


def shell(
    param: ParamOption = (),
    dataset: DatasetOption = None,
    library: LibraryOption = (),
    write: WriteOption = False,
    shown: Annotated[
        int | None, Option("--show", metavar="N", help="Print at most N rows of a table; else 50.")
    ] = None,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Ask a graph store one statement after the other, at a prompt or from a pipe.

    A statement ends with a semicolon; :help lists the commands. Read-only without --write. At a prompt an
    error is said and the next statement asked for; from a pipe it ends the command. Statements typed at a
    prompt are kept in ratingpriv/query_history in XDG_STATE_HOME (~/.local/state), for you alone.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    echo 'MATCH (n:Record) RETURN count(n) AS records;' | ratingpriv query shell
    """
    from ratingpriv.checks import whole_number  # brings NumPy

    most = 50 if shown is None else whole_number("show", shown, 1)
    texts = texts_of(param, dataset)
    interactive = sys.stdin is not None and sys.stdin.isatty()
    with storing.open("change" if write else "read") as store:
        session = _Session(store, library, write, most, general.reporter, texts)
        if "dataset" in texts:
            store.dataset(texts["dataset"])
        if interactive:
            general.reporter.note(f"{store.uri}: {store.version()}; :help lists the commands, :quit ends")
            with _history():
                _prompted(session)
        else:
            _piped(session)
    return 0


@dataclass(slots=True)
class _Session:
    """What a user has set, and the text of a statement that is not ended yet."""

    store: GraphStore
    library: tuple[str, ...]
    write: bool
    most: int
    reporter: Reporter
    texts: dict[str, str] = field(default_factory=dict)
    typed: str = ""

    def take(self, line: str) -> bool:
        """Take one line; run what is whole by now. Returns whether to go on."""
        from ratingpriv.graph.texts.lexer import unfinished

        if not self.typed and line.lstrip().startswith(":"):
            return self._command(line.strip())
        self.typed += line + "\n"
        if not self.typed.strip():
            self.typed = ""
        elif not unfinished(self.typed):
            self.run()
        return True

    def run(self) -> None:
        """Run the statements typed so far."""
        from ratingpriv.graph.texts.guarding import UNNAMED
        from ratingpriv.graph.texts.lexer import split
        from ratingpriv.report.rows import rows_text

        text, self.typed = self.typed, ""
        for statement in split(text, UNNAMED):
            query = self._query(statement.text.strip())
            known = {one.name for one in query.query.params}
            params = query.parameters({name: value for name, value in self.texts.items() if name in known})
            with self.reporter.progress() as progress:
                result = query.run(self.store, progress=progress, **params)
            say_incomplete(self.store, params, self.reporter)
            sys.stdout.write(rows_text(result, show=self.most))
            sys.stdout.flush()

    def _query(self, text: str) -> _Question:
        from ratingpriv.graph.running import is_name
        from ratingpriv.graph.texts.guarding import UNNAMED
        from ratingpriv.graph.texts.own import own_query

        if is_name(text):
            query = find(text, self.library)
            if not query.is_read and not self.write:
                raise ParameterError("query", text, "one that only reads", "`write=True` lets it write")
            return query
        return own_query(text, UNNAMED, write=self.write)

    def _command(self, line: str) -> bool:
        from ratingpriv.report.rows import question_text, questions_text

        name, _, rest = line.partition(" ")
        rest = rest.strip()
        if name == ":quit":
            return False
        if name == ":help":
            sys.stdout.write(_HELP)
        elif name == ":list":
            sys.stdout.write(questions_text(listed(self.library)))
        elif name == ":show":
            sys.stdout.write(question_text(find(rest, self.library, everything=True)))
        elif name == ":use":
            self.store.dataset(rest)
            self.texts["dataset"] = rest
        elif name == ":params":
            self._params(rest)
        else:
            raise ParameterError("command", name, ":help, :params, :use, :list, :show or :quit")
        sys.stdout.flush()
        return True

    def _params(self, rest: str) -> None:
        if rest:
            ((name, value),) = texts_of((rest,)).items()
            self.texts[name] = value
            if not value:
                del self.texts[name]
        else:
            from ratingpriv.report.plain import printable

            lines = [f"{name} = {printable(value)}\n" for name, value in sorted(self.texts.items())]
            sys.stdout.write("".join(lines) or "no parameters are set\n")


def _piped(session: _Session) -> None:
    """Take the lines of a pipe; the first error ends it."""
    for line in () if sys.stdin is None else sys.stdin:
        if not session.take(line.removesuffix("\n").removesuffix("\r")):
            return
    if session.typed.strip():
        session.run()  # the last statement needs no ;


def _prompted(session: _Session) -> None:
    """Take what is typed, until Ctrl-D or :quit; an error is said, and Ctrl-C drops what was typed."""
    going = True
    while going:
        try:
            with interruptible():
                typed = input(_MORE if session.typed else _PROMPT)
            going = session.take(typed)
        except EOFError:
            sys.stdout.write("\n")
            return
        except KeyboardInterrupt:
            session.typed = ""
            sys.stdout.write("\n")
        except RatingPrivError as error:
            session.typed = ""
            say_error(message_of(error))
            if hint := hint_of(error):
                session.reporter.note(hint)


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Keep what is typed in a file that is the user's alone; without readline, or a place for it, nowhere."""
    try:
        import readline
    except ImportError:  # Windows
        yield
        return
    path = _history_file()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)
        readline.read_history_file(path)
    readline.set_history_length(_HISTORY)

    def write() -> None:
        with contextlib.suppress(OSError):
            readline.write_history_file(path)
            path.chmod(0o600)

    with finishing(write):
        yield


def _history_file() -> Path:
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "ratingpriv" / "query_history"
