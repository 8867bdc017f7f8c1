"""What Ctrl-C and SIGTERM do: they become one exception, which leaves by the ordinary way and cleans up.

Some places are no good for an exception that nobody expects. An import: compiled modules that are half
imported panic, or leave what does not work. Python that compiled code calls: polars panics. A finaliser:
Python prints the exception and goes on. And the way out, when all is written. So a signal waits until an
import is done, and a second for a line of ratingpriv's own; it comes again if a finaliser swallowed it; and
it is ignored once the command has ended.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from types import FrameType

__all__ = ["Interrupted", "catch_signals", "forget_signals", "panicked", "settle"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AGAIN = 0.01
"""Seconds after which a signal that came at a bad moment is tried again."""

_PATIENCE = 100  # times that a signal waits for a line of ours
_OURS = ("ratingpriv", "ratingpriv_loaders", "__main__")


class Interrupted(BaseException):
    """A signal that stops the program. Not a KeyboardInterrupt: click ends with 1 on those."""

    def __init__(self, number: object = None) -> None:
        # compiled code makes a second one, of the first or of its text
        found = number.number if isinstance(number, Interrupted) else number
        self.number: int = signal.SIGTERM if str(found) == str(int(signal.SIGTERM)) else signal.SIGINT
        super().__init__(self.number)


def catch_signals() -> None:
    """Turn SIGINT and SIGTERM into :class:`Interrupted`, so that open files are cleaned up on the way out.

    A second signal of the kind ends the program at once.
    """
    forget_signals()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, and jobs of sh, ignore it on purpose
            signal.signal(number, _stop)
    sys.unraisablehook = _unraisable


def forget_signals() -> None:
    """Let no signal that came before be the cause of what comes: another command begins."""
    _raised.clear()


def panicked(error: BaseException) -> int | None:
    """Return the signal that compiled code made a panic of; None where the panic is none of a signal's."""
    return _raised[-1] if _raised and type(error).__name__ == "PanicException" else None


def settle() -> None:
    """Let signals change nothing any more: the command has ended, and only has to leave."""
    while any(signal.getsignal(number) is _stop for number in _SIGNALS):
        with contextlib.suppress(Interrupted):  # one that waits for the next instruction: it comes too late
            for number in _SIGNALS:
                if signal.getsignal(number) is _stop:
                    signal.signal(number, _nothing)
                    signal.signal(number, signal.SIG_IGN)
            if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) not in _NOT_OURS:
                signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(number: int, frame: FrameType | None, waited: int = 0) -> None:
    """Raise Interrupted, or come again in a moment where that could do harm."""
    if hasattr(signal, "setitimer") and (_importing(frame) or (waited < _PATIENCE and not _in_ours(frame))):
        _again(number, waited + 1)
        return
    signal.signal(number, signal.SIG_DFL)
    _raised.append(number)
    raise Interrupted(number)


def _again(number: int, waited: int) -> None:
    signal.signal(signal.SIGALRM, lambda _, frame: _stop(number, frame, waited))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)


def _nothing(number: int, frame: FrameType | None) -> None:
    pass


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _in_ours(frame: FrameType | None) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Let a signal that a finaliser swallowed come again; print anything else as Python does."""
    if isinstance(lost.exc_value, Interrupted):
        signal.signal(lost.exc_value.number, _stop)
        _again(lost.exc_value.number, 0)
    else:
        sys.__unraisablehook__(lost)


_raised: list[int] = []
"""Signals that became exceptions since the command began."""

_NOT_OURS = (signal.SIG_DFL, signal.SIG_IGN, None)
