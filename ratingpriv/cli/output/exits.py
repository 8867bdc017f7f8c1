"""How a command ends: exit codes, one message on stderr, never a traceback.

====  ==================================================================================================
0     done, and satisfied where there is a verdict, without a *but*
1     done, and *not* satisfied, or with a *but* (:class:`ratingpriv.cautions.Standing`)
2     wrong usage or bad input
3     a resource failed (memory, disk, a service), or ratingpriv itself did (``-v`` shows the traceback)
130   interrupted (Ctrl-C, SIGINT)
141   the reader of standard output went away (as the shell reports SIGPIPE); nothing is said
143   terminated (SIGTERM)
====  ==================================================================================================
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import NoReturn

import typer

from ratingpriv.cli.options.parameters import ClickException
from ratingpriv.cli.output.cells import hint_of, message_of, print_traceback
from ratingpriv.cli.output.errors import print_error
from ratingpriv.errors import RatingPrivError
from ratingpriv.report.plain import printable
from ratingpriv.report.wording import as_options

__all__ = [
    "BROKEN_PIPE",
    "FAILED",
    "ending",
    "say_error",
]

BROKEN_PIPE = 141
FAILED = 3
_WRONG_PLACE = {
    errno.ENOENT,
    errno.EACCES,
    errno.EPERM,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
}


def say_error(message: object) -> None:
    """Print one error message on stderr."""
    _say(f"error: {as_options(str(message))}")


@contextlib.contextmanager
def ending(*, verbose: bool = False) -> Iterator[None]:
    """Run a command's body; turn what goes wrong into a message and SystemExit with the right code."""
    try:
        yield
        sys.stdout.flush()  # a full disk or a closed pipe shows here, not when Python shuts down
    except KeyboardInterrupt:  # where the program's handler is not there, or pyspark has put its own over it
        _say("interrupted")
        _end(None, 130)
    except BrokenPipeError:
        _end(None, BROKEN_PIPE)
    except RatingPrivError as error:
        from ratingpriv.files import disk_failure

        _end(error, FAILED if disk_failure(error) is not None else error.exit_code, verbose=verbose)
    except MemoryError as error:
        text = f"out of memory ({error})" if str(error) else "out of memory"
        _end(
            f"{text}; try --set memory=SIZE, fewer --set threads=N, or --items and --sample",
            FAILED,
            verbose=verbose,
        )
    except (SystemExit, typer.Exit, typer.Abort, ClickException):
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            _end(None, BROKEN_PIPE)
        where = f"{error.filename}: " if error.filename else ""
        _end(
            f"{where}{error.strerror or error}", 2 if error.errno in _WRONG_PLACE else FAILED, verbose=verbose
        )
    except BaseException as error:  # a mistake of ours, or a panic in polars: must not end with 1, a verdict
        hint = "" if verbose else "; run again with -v (and --show-cells) for the traceback, and report it"
        _end(f"unexpected {message_of(error)}{hint}", FAILED, verbose=verbose)


def _end(message: object | None, code: int, *, verbose: bool = False) -> NoReturn:
    if verbose:
        print_traceback()
    said = None if message is None else message_of(message)
    if said is not None:
        say_error(said)
    if hint := hint_of(message):
        _say(hint)
    print_error(sys.exception(), said, code)
    _drop_stdout()
    raise SystemExit(code)


def _say(message: str) -> None:
    """Print a message on stderr, if there is still somebody to read it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"ratingpriv: {_printable(message)}\n")
        sys.stderr.flush()


def _drop_stdout() -> None:
    """Send what is still buffered for a broken standard output nowhere, lest Python complain at shutdown."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)


def _printable(message: object) -> str:
    """Return the message with control characters of the data escaped; its own line ends stay."""
    return "\n".join(printable(line) for line in str(message).split("\n"))
