"""``ratingpriv query shell``: statements one after the other, at a prompt or from a pipe."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from ratingpriv.base.errors import ParameterError, RatingPrivError
from ratingpriv.base.unfinished import interruptible
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.output.exits import message_of, say_error
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.query.library import LibraryOption, find
from ratingpriv.cli.query.run import ParamOption, WriteOption, say_incomplete, texts_of

__all__ = ["shell"]

_ROWS = 50  # of a table, as query run prints


def shell(
    param: ParamOption = (),
    dataset: DatasetOption = None,
    library: LibraryOption = (),
    write: WriteOption = False,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Ask a graph store one statement after the other, at a prompt or from a pipe.

    A statement ends with a semicolon and may take several lines; the name of a query runs it. Read-only
    without --write. ":params NAME=VALUE" sets a parameter, ":params NAME=" forgets it, ":use DATASET" sets
    dataset, ":quit" ends. At a prompt an error is said and the next statement asked for, and Ctrl-C drops
    what was typed of one; from a pipe an error ends the command.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    echo 'MATCH (n:Record) RETURN count(n) AS records;' | ratingpriv query shell
    """
    with storing.open("change" if write else "read") as store:
        session = _Session(store, library, write, general.reporter, texts_of(param, dataset))
        if sys.stdin is not None and sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # Windows
                import readline  # noqa: F401 -- lines can be edited, and called up again
            general.reporter.note(f"{store.uri}: {store.version()}; --help lists the commands, :quit ends")
            while session.prompt():
                pass
        elif all(map(session.take, sys.stdin or ())) and session.typed:
            session.run()  # the last statement needs no ;
    return 0


class _Session:
    """What a user has set, and the text of a statement that is not ended yet."""

    def __init__(
        self, store: Any, library: tuple[str, ...], write: bool, reporter: Reporter, texts: dict[str, str]
    ) -> None:
        self.store, self.library, self.write = store, library, write
        self.reporter, self.texts, self.typed = reporter, texts, ""

    def prompt(self) -> bool:
        """Take a line that is typed; an error is said. Returns whether to go on."""
        try:
            with interruptible():
                line = input("        ... " if self.typed else "ratingpriv> ")
            return self.take(line)
        except (EOFError, KeyboardInterrupt) as end:
            sys.stdout.write("\n")
            self.typed = ""
            return isinstance(end, KeyboardInterrupt)
        except RatingPrivError as error:
            say_error(message_of(error))
            return True

    def take(self, line: str) -> bool:
        """Take one line; run what is complete by now. Returns whether to go on."""
        from ratingpriv.graph.texts.lexer import unfinished

        name, _, rest = line.strip().partition(" ")
        if self.typed or not name.startswith(":"):
            self.typed = f"{self.typed}{line.rstrip('\r\n')}\n".lstrip()
            if self.typed and not unfinished(self.typed):
                self.run()
        elif name == ":use":
            self.store.dataset(rest)  # refuses one that is not there
            self.texts["dataset"] = rest
        elif name == ":params":
            texts = self.texts | texts_of((rest.strip(),))
            self.texts = {key: text for key, text in texts.items() if text}
        elif name != ":quit":
            raise ParameterError("command", name, ":params, :use or :quit")
        return name != ":quit" or bool(self.typed)

    def run(self) -> None:
        """Run the statements typed so far."""
        from ratingpriv.graph.running import is_name
        from ratingpriv.graph.texts.guarding import UNNAMED
        from ratingpriv.graph.texts.lexer import split
        from ratingpriv.graph.texts.own import own_query
        from ratingpriv.report.rows import rows_text

        typed, self.typed = self.typed, ""
        for statement in split(typed, UNNAMED):
            text = statement.text.strip()
            query = find(text, self.library) if is_name(text) else own_query(text, UNNAMED, write=self.write)
            if not query.is_read and not self.write:
                raise ParameterError("query", text, "one that only reads", "`write=True` lets it write")
            names = {declared.name for declared in query.query.params}
            params = query.parameters({name: value for name, value in self.texts.items() if name in names})
            with self.reporter.progress() as progress:
                result = query.run(self.store, progress=progress, **params)
            say_incomplete(self.store, params, self.reporter)
            sys.stdout.write(rows_text(result, show=_ROWS))
            sys.stdout.flush()
