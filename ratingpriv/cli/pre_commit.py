"""The pre-commit hook: ``ratingpriv audit`` of each file that is given, by the codebook beside it.

``python -m ratingpriv.cli.pre_commit --k=5 --epsilon=1 a.csv b.csv``: options come first, in one
word each or before ``--``. Beside ``data/a.csv`` the codebook is ``data/a.toml``, unless
``--codebook`` is an option.
"""

from __future__ import annotations

import sys
from itertools import takewhile
from pathlib import Path

from ratingpriv.base.unfinished import end_on_signals, ignore_signals
from ratingpriv.cli.app import app
from ratingpriv.cli.output.exits import FAILED, ending, say_error
from ratingpriv.cli.output.reporter import prepare_streams

_USAGE = 2


def run(words: list[str]) -> int:
    """Audit every file; return the worst exit code: 3 (a resource), 2 (bad input),
    1 (not satisfied), 0.
    """
    words, ended = list(words), "--" in words
    leading = takewhile(lambda word: word.startswith("-"), words)
    first = words.index("--") if ended else len(list(leading))
    options, files = words[:first], words[first + ended :]
    if not files:
        say_error(
            "no file to audit: found options only, expected OPTIONS FILE...; write an option "
            "as --k=5"
        )
        return _USAGE
    worst = 0
    for file in files:
        worst = max(worst, _audit(options, file))
        if worst > FAILED:  # interrupted, or nobody reads
            break
    return worst


def _audit(options: list[str], file: str) -> int:
    name = Path(file).name
    book = Path(file).with_name(f"{name.partition('.')[0] or name}.toml")  # a.toml beside a.csv.gz
    given = any(word.split("=")[0] == "--codebook" for word in options)
    beside = [] if given or not book.is_file() else [f"--codebook={book}"]
    try:
        app(["audit", *options, *beside, "--", file], prog_name="ratingpriv")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED if end.code else 0
    return FAILED  # a command always ends by an exit code


def main() -> None:
    """Run the hook on ``sys.argv`` and exit."""
    prepare_streams()
    with ending():
        end_on_signals()
        code = run(sys.argv[1:])
        ignore_signals()
    sys.exit(code)


if __name__ == "__main__":
    main()
