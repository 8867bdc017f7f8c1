"""The program ``ratingpriv`` and ``python -m ratingpriv``: signals have their meaning before the imports."""

from __future__ import annotations

import os

try:
    import signal
    from types import FrameType
except KeyboardInterrupt:  # Python's own handler is still there
    os.write(2, b"ratingpriv: interrupted\n")
    os._exit(130)

__all__ = ["main"]


def main() -> None:
    """Run the command line. Until it is imported nothing is open, and a signal ends the process at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, and jobs of sh, ignore it on purpose
            signal.signal(number, _leave)
    from ratingpriv.cli import main as run

    run()


def _leave(number: int, frame: FrameType | None) -> None:
    said = b"interrupted" if number == signal.SIGINT else b"terminated"
    try:
        os.write(2, b"ratingpriv: " + said + b"\n")
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    main()
