"""The program ``ratingpriv`` and ``python -m ratingpriv``:
signals have their meaning before the imports.
"""

from __future__ import annotations

import os

try:
    from ratingpriv.base.unfinished import end_on_signals
except KeyboardInterrupt:  # Python's own handler is still there
    os.write(2, b"ratingpriv: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line."""
    end_on_signals(silent="RATINGPRIV_STEP" in os.environ)
    from ratingpriv.cli import main as run

    run()


if __name__ == "__main__":
    main()
