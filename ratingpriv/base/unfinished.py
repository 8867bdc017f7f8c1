"""What is unfinished, and how Ctrl-C and SIGTERM end the program: that is undone,
and one line is said.

Nothing is raised. An exception that nobody expects does harm in an import that is half done, in a
finaliser, and in Python that compiled code calls (polars panics). In a notebook Ctrl-C stays a
KeyboardInterrupt: only the program calls :func:`end_on_signals`.

Python's handlers wait until the main thread is back from compiled code. So a thread hears of each
signal too, and acts where the main thread has not: a statement of the embedded store may take an
hour.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MOMENT = 0.1  # seconds that the main thread has to act

_open: dict[object, Callable[[], object]] = {}
_words: list[Callable[[int], str]] = []
_ending = threading.RLock()  # never released: whoever comes second waits for the end
_silent = False
_number: int | None = None
_held = 0
_came: list[int] = []


@contextlib.contextmanager
def finishing(finish: Callable[[], object]) -> Iterator[None]:
    """Call ``finish`` after the block, and where a signal ends the program in it,
    be it a second time.
    """
    key = object()
    _open[key] = finish
    try:
        yield
    finally:
        try:
            finish()
        finally:
            del _open[key]


@contextlib.contextmanager
def undivided() -> Iterator[None]:
    """Let signals wait until the block has made something: before, nobody can undo it."""
    global _held
    _held += 1
    try:
        yield
    finally:
        _held -= 1
        if _came and not _held and _number is None:
            _end(_came[0])


def run_child(
    command: Sequence[str],
    *,
    given: bytes | None = None,
    timeout: float | None = None,
    ours: bool = False,
    **settings: Any,
) -> tuple[int, bytes, bytes]:
    """Run a program, which ends with this one at the latest.

    Return its exit code and what its pipes got.

    ``ours``: it calls :func:`end_on_signals`, silent. Signals wait until it has, and end it as they
    end this.
    """
    import subprocess

    blocks = ours and hasattr(signal, "pthread_sigmask")

    def stop() -> None:
        if ours and _number is not None:
            process.send_signal(_number)
        else:
            process.kill()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.pid, 0)

    with contextlib.ExitStack() as stack:
        with undivided():
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS) if blocks else ()
            try:
                process = stack.enter_context(subprocess.Popen(command, **settings))  # noqa: S603
                stack.enter_context(finishing(stop))
            finally:
                if blocks:
                    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        said, errors = process.communicate(given, timeout)
    return process.returncode, said, errors


def end_on_signals(*, silent: bool = False) -> None:
    """Let SIGINT and SIGTERM end the program, with 128 + their number; ``silent``:
    without a word.
    """
    global _silent
    _silent = silent
    for number in _SIGNALS:
        # nohup, and jobs of sh, ignore it on purpose
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard,), daemon=True).start()
    if silent and hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def stopped_by() -> int | None:
    """Return the signal that is ending the program, for what is called then."""
    return _number


def last_words(words: Callable[[int], str]) -> None:
    """Print what ``words`` gives for a signal on standard output, before the program ends by it."""
    _words[:] = [words]


def ignore_signals() -> None:
    """Let signals change nothing any more: all is written, and the program only has to leave."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt in this block,
    which puts the settings of a terminal back.
    """
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt

    ours = [number for number in _SIGNALS if signal.getsignal(number) is _end]
    descriptor = signal.set_wakeup_fd(-1) if ours else -1
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, _end)
        if ours:
            signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)
        if signal.SIGTERM in came:
            _end(signal.SIGTERM)


def _listen(heard: int) -> None:
    while True:
        for number in os.read(heard, 64):
            time.sleep(_MOMENT)
            if signal.getsignal(number) is _end:
                _end(number, None)


def _end(number: int, frame: FrameType | None = None) -> None:
    """Undo what is unfinished, say so, and leave."""
    global _number
    if _held and _number is None:
        _came.append(number)
        return
    _ending.acquire()
    _number = number
    with contextlib.suppress(ValueError):  # not the main thread, which waits at the line above
        ignore_signals()
    for finish in reversed(list(_open.values())):
        with contextlib.suppress(Exception):
            finish()
    with contextlib.suppress(Exception):
        os.write(1, "".join(words(number) for words in _words).encode())
    if not _silent:
        with contextlib.suppress(OSError):
            said = "interrupted" if number == signal.SIGINT else "terminated"
            os.write(2, f"ratingpriv: {said}\n".encode())
    os._exit(128 + number)
