"""How a command ends: exit codes; an error as one message on stderr, never a traceback,
and as JSON.

0: done, and satisfied without a reservation where there is a verdict
(:class:`ratingpriv.base.cautions.Standing`); 1: done, and *not* satisfied, or with a reservation;
2: wrong usage or bad input; 3: a resource failed (memory, a service), or ratingpriv itself did; 130
and 143: interrupted, terminated; 141: nobody reads standard output.

Where ``--json`` was typed, ``ratingpriv.error/1`` is on standard output, too; a document that has
begun is never mixed with another one. No message shows what stands in the data, unless
``--show-cells`` asks for it: logs of continuous integration have more readers than the data.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import typer

from ratingpriv.base import errors
from ratingpriv.base.escaping import looks_like_data, printable
from ratingpriv.base.provenance import tool
from ratingpriv.cli.options.parameters import exceptions, names_of
from ratingpriv.cli.output.invocation import (
    document_text,
    invocation,
    print_json,
    without_addresses,
)
from ratingpriv.cli.output.step import keep
from ratingpriv.report.wording import as_options, option_of

FAILED = 3
_NOBODY_READS = 141
_SIGNALS = {130: "interrupted", 143: "terminated"}
STANDARD_OUTPUT = "standard output"
_NOT_WRITTEN = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG)  # any other file is named
_WRONG_PLACE = (
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.EEXIST),
    errno.ENAMETOOLONG,
)


class UsageError(errors.ParameterError):
    """A command line that none of its commands takes; what it quotes was typed, and is no cell."""


CODES: Mapping[type[BaseException], str] = {
    **{
        kind: re.sub(r"\B(?=[A-Z])", "_", name.removesuffix("Error")).lower()
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.RatingPrivError)
    },
    errors.RatingPrivError: "error",
    UsageError: "usage",
    KeyboardInterrupt: "interrupted",
    MemoryError: "memory",
    OSError: "system",
}
"""The word for each class of errors: StoreLockedError is ``store_locked``; the nearest base class
counts.

A word never changes its meaning.
"""


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Run a command line; turn what goes wrong into a message and
    SystemExit with the right code.
    """
    try:
        yield
        sys.stdout.flush()  # a full disk or a closed pipe shows here, not when Python shuts down
    except (SystemExit, typer.Exit, typer.Abort, exceptions.NoArgsIsHelpError):
        raise
    except exceptions.ClickException as error:
        _end(_usage_error(error))
    # a mistake of ours, or a panic in polars: must not end with 1, a verdict
    except BaseException as error:
        _end(error)


def _end(error: BaseException) -> NoReturn:
    code, message = _outcome(error)
    run = invocation()
    if message is None:  # nobody reads; or Ctrl-C, where the program's handler is not there
        message = code_of(error, code)
        _say(message if code in _SIGNALS else "")
    else:
        _say("".join(_traceback(error)).rstrip() if run.verbose else "", prefix="")
        say_error(message)
        _say("\n".join(_places(error)) if run.verbose else "", prefix="")
        _say(hint_of(error))
    with contextlib.suppress(OSError):  # the disk may be what is full: the exit code says the rest
        keep(message=_shown(message))
    if run.json and not run.printed and code != _NOBODY_READS:
        with contextlib.suppress(OSError, ValueError):  # standard output may be what is broken
            print_json(error_dict(error, message, code))
    # what is still buffered for a broken standard output goes nowhere, lest Python complain at
    # shutdown
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
    raise SystemExit(code)


def _outcome(error: BaseException) -> tuple[int, str | None]:
    """Return the exit code of an error, and its message; None: there is none."""
    if isinstance(error, KeyboardInterrupt):
        return 130, None
    if isinstance(error, BrokenPipeError):
        return _NOBODY_READS, None
    if isinstance(error, errors.RatingPrivError):
        from ratingpriv.base.files import disk_failure

        return error.exit_code if disk_failure(error) is None else FAILED, message_of(error)
    if isinstance(error, MemoryError):
        memory = f"out of memory ({printable(error)})" if str(error) else "out of memory"
        return (
            FAILED,
            f"{memory}; try --set memory=SIZE, fewer --set threads=N, or --items and --sample",
        )
    if isinstance(error, OSError):
        name = error.filename or (STANDARD_OUTPUT if error.errno in _NOT_WRITTEN else "")
        text = f"{name}: {error.strerror}" if name else str(error.strerror or error)
        return 2 if error.errno in _WRONG_PLACE else FAILED, printable(text)
    hint = "; run again with -v (and --show-cells) for the traceback, and report it"
    return FAILED, f"unexpected {message_of(error)}{'' if invocation().verbose else hint}"


def _usage_error(error: Any) -> UsageError:
    """Return an error of Typer with what was found, what was expected, and what to do."""
    path = "ratingpriv" if error.ctx is None else error.ctx.command_path
    remedy = f"{path} --help tells more"
    if isinstance(error, exceptions.NoSuchOption):
        meant = f"did you mean {error.possibilities[0]}?" if error.possibilities else remedy
        return UsageError("option", error.option_name, f"an option of {path}", meant)
    if isinstance(error, exceptions.MissingParameter) and error.param is not None:
        name, metavar = next(iter(names_of(error.param)), ""), error.param.metavar or ""
        return UsageError(
            name or metavar, None, f"--{name} {metavar}".strip() if name else metavar, remedy
        )
    if isinstance(error, exceptions.BadOptionUsage):
        actual, expected = (
            ("a value", "none") if "does not take" in error.message else (None, "a value")
        )
        return UsageError(error.option_name, actual, expected, remedy)
    if more := error.message.partition("extra argument(s) (")[2].removesuffix(")"):
        return UsageError("arguments", more, "no more of them", remedy)
    return UsageError("command", None, f"a command of {path}", remedy)


def say_error(message: object) -> None:
    """Print one error message on stderr."""
    _say(f"error: {_shown(message)}")


def _say(message: str, prefix: str = "ratingpriv: ") -> None:
    """Print a message on stderr, if there is still somebody to read it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{prefix}{message}\n" if message else "")
        sys.stderr.flush()


def message_of(error: BaseException) -> str:
    """Return an error's message; of one that we did not raise only what it is:
    its text may quote a cell.
    """
    cells = invocation().cells
    if isinstance(error, errors.RatingPrivError):
        text = error.with_cells() if cells else str(error)
        if isinstance(error, errors.ParameterError):  # which begins with the parameter
            text = _written(error.name) + text.removeprefix(error.name)
        return without_addresses(text)
    name = type(error).__name__
    return without_addresses(f"{name}: {printable(error)}") if cells else name


def _written(parameter: str) -> str:
    """Return a parameter as it is typed: ``--items``, ``--set memory``; what is no option stays."""
    run = invocation()
    name = option_of(parameter, run.options)
    if name in run.settings:
        return f"--set {name}"
    return f"--{name}" if name in run.options else name


def hint_of(error: BaseException) -> str:
    """Return how to see what the message leaves out,
    or an empty string if it leaves out nothing.
    """
    hides = isinstance(error, errors.RatingPrivError) and error.with_cells() != str(error)
    hint = "cells and record ids are not shown here; --show-cells shows them"
    return hint if hides and not invocation().cells else ""


def _places(error: BaseException) -> Iterator[str]:
    """Yield the first places of problems that the message counts, a line each."""
    if isinstance(error, errors.DataError) and len(error.kinds) < len(error.problems):
        for problem in error.problems:
            where = without_addresses(problem.place(cells=invocation().cells))
            yield _shown(f"  {problem.file}, {where}: {problem.found}")


def _traceback(error: BaseException) -> Iterator[str]:
    """Yield the lines of a traceback as Python prints it, but messages as they may be shown."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _traceback(before)
        yield "\nand then\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    name, message = type(error).__name__, _lines(message_of(error))
    yield f"{message}\n" if message.startswith(name) else f"{name}: {message}\n"


def signal_document(number: int) -> str:
    """Return what a signal that ends the program leaves on standard output: its JSON,
    or nothing.
    """
    code, run = 128 + number, invocation().outer or invocation()
    return (
        document_text(error_dict(None, code_of(None, code), code))
        if run.json and not run.printed
        else ""
    )


def code_of(error: BaseException | None, exit_code: int) -> str:
    """Return the word for an error; ``unexpected`` where it is of no class that is foreseen."""
    codes = (CODES[kind] for kind in type(error).__mro__ if kind in CODES)
    return _SIGNALS.get(exit_code) or next(codes, "unexpected")


def error_dict(error: BaseException | None, message: object, exit_code: int) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.error/1``: what stderr says, taken apart."""
    problems = list(_problems(error))
    return {
        "schema": "ratingpriv.error/1",
        "tool": tool(),
        "code": code_of(error, exit_code),
        "message": _shown(message),
        "problems": problems,
        "total": error.total if isinstance(error, errors.DataError) else len(problems),
        "store": _shown(error.uri) if isinstance(error, errors.StoreError) else None,
        "exit_code": exit_code,
    }


def _problems(error: BaseException | None) -> Iterator[dict[str, Any]]:
    """Yield the problems, whose keys are always the same."""
    if isinstance(error, errors.DataError):
        for problem in error.problems:
            column, file = problem.column, without_addresses(printable(problem.file))
            if isinstance(column, str):  # without a header, the names of columns are cells
                column = (
                    printable(column) if invocation().cells or not looks_like_data(column) else None
                )
            yield {
                "parameter": None,
                "file": file,
                "line": problem.line,
                "column": column,
            } | _judged(problem)
    elif isinstance(error, errors.ParameterError):
        name = option_of(error.name, invocation().options)
        about = {"parameter": _shown(name), "file": None, "line": None, "column": None}
        yield about | _judged(error) | {"found": _shown(error.given)}


def _judged(problem: errors.Problem | errors.ParameterError) -> dict[str, Any]:
    """Return what was found, what was expected, and what to do; the cell,
    if messages may show that.
    """
    return {
        "found": _shown(problem.found),
        "cell": printable(problem.cell)
        if problem.cell is not None and invocation().cells
        else None,
        "expected": _shown(problem.expected),
        "remedy": _shown(problem.remedy) or None,
    }


def _shown(text: object) -> str:
    """Return a text as the command line says it: options for parameters,
    control characters escaped.
    """
    return without_addresses(_lines(as_options(str(text))))


def _lines(text: str) -> str:
    """Return a text with control characters of the data escaped; its own line ends stay."""
    return "\n".join(printable(line) for line in text.split("\n"))
