"""``ratingpriv query``: the Cypher library and one's own queries, listed, shown,
and run on a store.
"""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError, RatingPrivError
from ratingpriv.base.unfinished import interruptible
from ratingpriv.cli import options
from ratingpriv.cli.command import commands
from ratingpriv.cli.options.source import at_terminal
from ratingpriv.cli.options.values import file_argument, group, named_texts, option, reads, writes
from ratingpriv.cli.output.exits import message_of, say_error
from ratingpriv.cli.output.invocation import answer, invocation, with_command
from ratingpriv.cli.output.reporter import note, progress_bars, wrote

if TYPE_CHECKING:
    from ratingpriv.graph.catalogue import Parameter, Query
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import Result

_ROWS = 50
"""So many rows of a table are shown."""
_NAME = file_argument(
    "A query, as audit/degree-check; FILE.cypher; or - for input.", ..., metavar="NAME"
)
_LIBRARY = reads("A folder of queries of your own; else RATINGPRIV_LIBRARY.", metavar="DIR")
_PARAM = option("A parameter, such as k=5.", metavar="NAME=VALUE")
_WRITE = option("Let a query of your own write; it cannot change what was ingested.")


@group
class _Answer(options.Printed):
    output: str | None = writes("Also write the rows to FILE: .csv, .json or .parquet.")
    picture: str | None = writes("Draw the nodes and relationships of the result: .svg or .html.")
    ids: bool = option("Write the ids of records in the picture.")
    as_csv: bool = option("Print the rows as CSV, nothing else.", None, "--csv")
    csv_safe: bool = options.CSV_SAFE
    shown: int | None = option("Print at most N rows of the table; else 50.", None, "--show", min=1)

    def check_files(self) -> None:
        """Refuse, before the query runs, words that exclude each other,
        and files that cannot be written.
        """
        from ratingpriv.report.graphs import check_picture
        from ratingpriv.report.rows import check_rows_file

        if self.as_json and self.as_csv:
            raise ParameterError("csv", "with --json", "one of the two")
        if self.shown is not None and (self.as_json or self.as_csv):
            raise ParameterError(
                "show", self.shown, "no --json and no --csv, which print every row"
            )
        if self.ids and self.picture is None:
            raise ParameterError("ids", True, "--picture, which it is about")
        if self.output is not None:
            check_rows_file(self.output, force=self.force)
        if self.picture is not None:
            check_picture(self.picture, force=self.force)

    def give(
        self, result: Result, document: dict[str, Any], query: Query, params: dict[str, Any]
    ) -> None:
        """Write the files, and print the rows."""
        from ratingpriv.base.files import name_together, together
        from ratingpriv.report import rows
        from ratingpriv.report.graphs import picture_of, write_picture

        # which fail, and that is written
        if result.changes is not None and (self.output or self.picture):
            note(rows.changes_text(result.changes).strip())
        with together():
            if self.output is not None:
                rows.write_rows(result, document, self.output, safe=self.csv_safe, force=self.force)
                wrote(self.output)
            if self.picture is not None:
                drawn = picture_of(result, query, params, ids=self.ids)
                write_picture(drawn, self.picture, force=self.force)
                wrote(f"{self.picture}: {drawn.said}")
            name_together()
        seen = sys.stdout.isatty()
        csv = partial(rows.rows_csv, safe=self.csv_safe, seen=seen)
        table = csv if self.as_csv else partial(rows.rows_text, show=self.shown or _ROWS)
        answer(document, lambda: table(result), as_json=self.as_json)


def list_queries(
    everything: bool = option("Also those that load data, and parts of others.", None, "--all"),
    library: tuple[str, ...] = _LIBRARY,
    as_json: bool = options.AS_JSON,
) -> int:
    """List the queries of the library, and of your own folders.

    Examples
    --------
    ratingpriv query list
    ratingpriv query list --all --json
    """
    from ratingpriv.graph.queries import listed
    from ratingpriv.report.rows import questions_dict, questions_text

    bad: list[RatingPrivError] = []
    questions = listed(library, everything=everything, refused=bad.append)
    answer(questions_dict(questions), lambda: questions_text(questions), as_json=as_json)
    for error in bad:
        say_error(message_of(error))
    if not as_json:
        note("ratingpriv query show NAME tells more; ratingpriv query run NAME runs one")
    return 2 if bad else 0


def show(
    name: str = _NAME,
    engine: Literal["neo4j", "embedded"] | None = option(
        "The text for this engine, where it has its own."
    ),
    library: tuple[str, ...] = _LIBRARY,
    as_json: bool = options.AS_JSON,
) -> int:
    """Show what a query means, takes and returns, and its Cypher.

    The text can be pasted into Neo4j Browser; give its parameters there with :param.

    Examples
    --------
    ratingpriv query show audit/degree-check
    ratingpriv query show audit/neighbourhood --engine neo4j
    """
    from ratingpriv.graph.queries import find
    from ratingpriv.report.rows import question_text, questions_dict

    query = find(name, library, engine, everything=True)
    answer(questions_dict([query]), lambda: question_text(query), as_json=as_json)
    return 0


def run(
    *,
    name: str = _NAME,
    param: tuple[str, ...] = _PARAM,
    dataset: str | None = options.DATASET,
    library: tuple[str, ...] = _LIBRARY,
    write: bool = _WRITE,
    answering: _Answer,
    storing: options.Store,
) -> int:
    """Run a query on a dataset in a graph store.

    One of the library, or one of your own: FILE.cypher, or - for standard input. Your own is
    read-only without --write; without a header its parameters are what it uses, and -p reads them
    as JSON. A pair is stored once, with an arrow that means nothing: match (a)-[:PROXIMATE]-(b)
    without it, or half is missing.

    What is not given is taken from the store, and said first: its only dataset, epsilon and k of
    the ingest (k else 5), the first record at risk, the latest run and release, the first sensitive
    item. Exits with 0 whatever the result is: a query is no verdict.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    ratingpriv query run audit/degree-check -p k=3
    echo 'MATCH (n:Record) RETURN count(n)' | ratingpriv query run -
    """
    from ratingpriv.graph.defaults import completed, parameter_text
    from ratingpriv.graph.queries import find
    from ratingpriv.report.rows import rows_dict

    answering.check_files()
    query = find(name, library, write=write)
    given = query.parameters(_texts_of(param, dataset), partial=True)
    ask = _ask if at_terminal() and not (answering.as_json or answering.as_csv) else None
    with storing.open("read" if query.is_read else "change") as store, progress_bars() as progress:
        params = completed(store, query.query, given, ask)
        taken = [
            f"{key}={parameter_text(value)}" for key, value in params.items() if key not in given
        ]
        if taken:
            note(f"query {name}: {', '.join(taken)}")
        result = query.run(store, progress=progress, **params)
        document = with_command(rows_dict(result, query, store, params))
        _say_incomplete(store, params)
    problem = next((row["problem"] for row in result.dicts() if row.get("problem")), None)
    if problem is not None:
        raise ParameterError("query", name, f"a query that the dataset can answer: {problem}")
    answering.give(result, document, query.query, params)
    return 0


def shell(
    param: tuple[str, ...] = _PARAM,
    dataset: str | None = options.DATASET,
    library: tuple[str, ...] = _LIBRARY,
    write: bool = _WRITE,
    *,
    storing: options.Store,
) -> int:
    """Ask a graph store one statement after the other, at a prompt or from a pipe.

    A statement ends with a semicolon and may take several lines; the name of a query runs it.
    Read-only without --write. ":params NAME=VALUE" sets a parameter, ":params NAME=" forgets it,
    ":use DATASET" sets dataset, ":quit" ends. At a prompt Ctrl-C drops what was typed; from a pipe
    an error ends the command.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    echo 'MATCH (n:Record) RETURN count(n) AS records;' | ratingpriv query shell
    """
    with storing.open("change" if write else "read") as store:
        session = _Session(store, library, write, _texts_of(param, dataset))
        if at_terminal():
            with contextlib.suppress(ImportError):  # Windows
                import readline  # noqa: F401 -- lines can be edited, and called up again
            note(f"{store.uri}: {store.version()}; --help lists the commands, :quit ends")
            while session.prompt():
                pass
        elif all(map(session.take, sys.stdin or ())) and session.typed:
            session.run()  # the last statement needs no ;
    return 0


class _Session:
    """What a user has set, and the text of a statement that is not ended yet."""

    def __init__(
        self, store: Any, library: tuple[str, ...], write: bool, texts: dict[str, str]
    ) -> None:
        self.store, self.library, self.write, self.texts, self.typed = (
            store,
            library,
            write,
            texts,
            "",
        )

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
            texts = self.texts | _texts_of((rest.strip(),))
            self.texts = {key: text for key, text in texts.items() if text}
        elif name != ":quit":
            raise ParameterError("command", name, ":params, :use or :quit")
        return name != ":quit" or bool(self.typed)

    def run(self) -> None:
        """Run the statements typed so far."""
        from ratingpriv.graph.queries import find
        from ratingpriv.graph.running import is_name
        from ratingpriv.graph.texts.guarding import UNNAMED
        from ratingpriv.graph.texts.lexer import split
        from ratingpriv.graph.texts.own import own_query
        from ratingpriv.report.rows import rows_text

        typed, self.typed = self.typed, ""
        for statement in split(typed, UNNAMED):
            text = statement.text.strip()
            query = (
                find(text, self.library)
                if is_name(text)
                else own_query(text, UNNAMED, write=self.write)
            )
            if not query.is_read and not self.write:
                raise ParameterError(
                    "query", text, "one that only reads", "`write=True` lets it write"
                )
            names = {declared.name for declared in query.query.params}
            params = query.parameters(
                {name: value for name, value in self.texts.items() if name in names}
            )
            with progress_bars() as progress:
                result = query.run(self.store, progress=progress, **params)
            _say_incomplete(self.store, params)
            sys.stdout.write(rows_text(result, show=_ROWS))
            sys.stdout.flush()


def _ask(parameter: Parameter, choices: list[str]) -> str | None:
    """Ask a person at a terminal for a parameter; None where nothing was said."""
    among = f" ({', '.join(map(str, choices[:20]))})" if choices else ""
    sys.stderr.write(f"{parameter.name}, {parameter.meaning}{among}: ")
    sys.stderr.flush()
    with interruptible():
        return sys.stdin.readline().strip() or None


def _texts_of(params: tuple[str, ...], dataset: str | None = None) -> dict[str, str]:
    """Return the parameters by name; ``--dataset`` is one of them, written shorter."""
    texts = named_texts("param", params)
    if dataset is None:
        return texts
    if "dataset" in texts:
        raise ParameterError("dataset", texts["dataset"], "every parameter once")
    return {"dataset": dataset, **texts}


def _say_incomplete(store: GraphStore, params: dict[str, object]) -> None:
    """Say which datasets are not there to their end,
    where a statement was asked of the whole store.
    """
    if "dataset" in params or invocation().quiet:
        return
    broken = [info.spec.name for info in store.datasets() if not info.complete]
    if broken:
        note(f"not loaded to their end, and counted all the same: {', '.join(broken)}")


app = commands(
    "query",
    "List, show and run queries: those of the Cypher library, and your own.",
    list=list_queries,
    show=show,
    run=run,
    shell=shell,
)
