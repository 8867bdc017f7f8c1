"""Errors for programs: ``ratingpriv.error/1`` on standard output, where ``--json`` was typed.

The message stays on standard error. A document that has begun is never mixed with another one: what goes
wrong after it shows in the exit code and on standard error only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv import errors
from ratingpriv.cli.options.parameters import (
    BadOptionUsage,
    ClickException,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
)
from ratingpriv.cli.output.cells import cells_are_shown
from ratingpriv.cli.output.invocation import document_has_begun, wants_json, without_addresses
from ratingpriv.cli.output.results import document_text, print_json
from ratingpriv.cli.output.step import keep
from ratingpriv.escaping import looks_like_data, printable
from ratingpriv.provenance import tool
from ratingpriv.report.wording import as_options

__all__ = [
    "CODES", "SCHEMA", "UsageError", "code_of", "error_dict", "print_error", "signal_document",
    "usage_errors",
]  # fmt: skip

SCHEMA = "ratingpriv.error/1"


_ENGINE = "leave it out: only audit has it; of data on Spark write Parquet, and give that folder as DATA"


class UsageError(errors.ParameterError):
    """A command line that none of its commands takes; what it quotes was typed, and is no cell."""


CODES: Mapping[type[BaseException], str] = {
    errors.ParameterError: "parameter",
    errors.UnknownDatasetError: "unknown_dataset",
    errors.UnknownQueryError: "unknown_query",
    errors.DataError: "data",
    errors.UnknownFormatError: "unknown_format",
    errors.OutputError: "output",
    errors.CatalogueError: "catalogue",
    errors.ResourceError: "resource",
    errors.StoreError: "store",
    errors.StoreUnavailableError: "store_unavailable",
    errors.ConnectionLostError: "connection_lost",
    errors.AuthenticationFailedError: "authentication_failed",
    errors.DatabaseMissingError: "database_missing",
    errors.UnsupportedServerError: "unsupported_server",
    errors.TlsMismatchError: "tls_mismatch",
    errors.StoreLockedError: "store_locked",
    errors.NotAStoreError: "not_a_store",
    errors.StoreFullError: "store_full",
    errors.QueryFailedError: "query_failed",
    errors.QueryTimedOutError: "query_timed_out",
    errors.LoadFailedError: "load_failed",
    errors.DatasetIncompleteError: "dataset_incomplete",
    errors.TargetNotReachedError: "target_not_reached",
    errors.RatingPrivError: "error",
    UsageError: "usage",
    KeyboardInterrupt: "interrupted",
    MemoryError: "memory",
    OSError: "system",
}
"""The word for each class of errors, which never changes its meaning; the nearest base class counts."""

_BY_EXIT_CODE = {130: "interrupted", 143: "terminated"}
_SILENT = 141  # the reader of standard output went away


def code_of(error: BaseException | None, exit_code: int) -> str:
    """Return the word for an error; ``unexpected`` where it is of no class that is foreseen."""
    known = (CODES[kind] for kind in type(error).__mro__ if kind in CODES)
    return _BY_EXIT_CODE.get(exit_code) or next(known, "unexpected")


def error_dict(error: BaseException | None, message: object, exit_code: int) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.error/1``: what stderr says, taken apart."""
    problems = list(_problems(error))
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "code": code_of(error, exit_code),
        "message": _said(message),
        "problems": problems,
        "total": error.total if isinstance(error, errors.DataError) else len(problems),
        "store": _said(error.uri) if isinstance(error, errors.StoreError) else None,
        "exit_code": exit_code,
    }


def print_error(error: BaseException | None, message: object, exit_code: int) -> None:
    """Print the error as JSON if that was requested, and nothing was printed as JSON before.

    ``message`` None is a signal, which has no other words than its code.
    """
    said = code_of(error, exit_code) if message is None else message
    keep(message=_said(said))
    if not wants_json() or document_has_begun() or exit_code == _SILENT:
        return
    with contextlib.suppress(OSError, ValueError):  # standard output may be what is broken
        print_json(error_dict(error, said, exit_code))


def signal_document(number: int) -> str:
    """Return what a signal that ends the program leaves on standard output: its JSON, or nothing."""
    code = 128 + number
    wanted = wants_json() and not document_has_begun()
    return document_text(error_dict(None, code_of(None, code), code)) if wanted else ""


@contextlib.contextmanager
def usage_errors() -> Iterator[None]:
    """Say what Typer finds wrong with a command line as any error is said."""
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except ClickException as error:
        raise _usage_error(error) from None


def _usage_error(error: Any) -> UsageError:
    """Return an error of Typer with what was found, what was expected, and what to do."""
    path = "ratingpriv" if error.ctx is None else error.ctx.command_path
    remedy = f"{path} --help tells more"
    if isinstance(error, NoSuchOption):
        near = error.possibilities
        meant = f"did you mean {near[0]}?" if near else remedy
        if error.option_name == "--engine":
            meant = _ENGINE
        return UsageError("option", error.option_name, f"an option of {path}", meant)
    if isinstance(error, MissingParameter) and error.param is not None:
        names = [one for one in error.param.opts if one.startswith("--")]
        wanted = " ".join([*names[:1], error.param.metavar or ""]).strip()
        return UsageError(names[0][2:] if names else wanted, None, wanted, remedy)
    if isinstance(error, BadOptionUsage):
        found, expected = ("a value", "none") if "does not take" in error.message else (None, "a value")
        return UsageError(error.option_name, found, expected, remedy)
    more = error.message.partition("extra argument(s) (")[2].removesuffix(")")
    if more:
        return UsageError("arguments", more, "no more of them", remedy)
    return UsageError("command", None, f"a command of {path}", remedy)


def _problems(error: BaseException | None) -> Iterator[dict[str, Any]]:
    """Yield the problems, whose keys are always the same."""
    if isinstance(error, errors.DataError):
        yield from map(_of_data, error.problems)
    elif isinstance(error, errors.ParameterError):
        yield {
            "parameter": _said(error.name),
            "file": None,
            "line": None,
            "column": None,
            "found": _said(repr(error.found)),
            "cell": _cell(error.cell),
            "expected": _said(error.expected),
            "remedy": _said(error.remedy) or None,
        }


def _of_data(problem: errors.Problem) -> dict[str, Any]:
    column = problem.column
    if isinstance(column, str):  # without a header, the names of columns are cells
        column = None if looks_like_data(column) and not cells_are_shown() else printable(column)
    return {
        "parameter": None,
        "file": without_addresses(printable(problem.file)),
        "line": problem.line,
        "column": column,
        "found": _said(problem.found),
        "cell": _cell(problem.cell),
        "expected": _said(problem.expected),
        "remedy": _said(problem.remedy) or None,
    }


def _cell(cell: str | None) -> str | None:
    """Return what stands in the data, if messages may show that."""
    return printable(cell) if cell is not None and cells_are_shown() else None


def _said(text: object) -> str:
    """Return a text as the command line says it: options for parameters, control characters escaped."""
    return without_addresses("\n".join(printable(line) for line in as_options(str(text)).split("\n")))
