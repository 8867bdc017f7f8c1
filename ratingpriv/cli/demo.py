"""``ratingpriv demo``: a two-minute tour on synthetic data,
made of commands that anybody can repeat.

``demo.jinja`` is the tour: macros; headings, paragraphs, and commands, each with the name by which
what follows has its result and how many lines of its page are shown. A file of the tour is {NAME}
in it.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.unfinished import finishing
from ratingpriv.cli import options
from ratingpriv.cli.options.parameters import current_context
from ratingpriv.cli.options.values import writes
from ratingpriv.cli.output.step import run_here
from ratingpriv.report.plain import count, percent
from ratingpriv.report.text import wrapped

if TYPE_CHECKING:
    from jinja2 import Environment

FILES = (
    "survey.csv", "audit.json", "per-record.csv", "frontier.json", "frontier.svg", "groups.csv",
    "survey.grafeo", "near.csv", "near.csv.manifest.json", "near.key", "swapped.csv",
    "swapped.csv.manifest.json", "swapped.key", "attack.json", "attack.svg", "report.html",
)  # fmt: skip
"""What the tour leaves in its folder."""

_COMMAND = re.compile(r"\$ (\w+) (\d+): (.*)")


def run(
    output: str | None = writes(
        "Keep survey, results, pictures and report in this folder.", metavar="DIR"
    ),
    force: bool = options.FORCE,
) -> int:
    """Take a two-minute tour on a synthetic survey.

    Generates a survey, audits it for several k, epsilon and l, looks for what is within reach, puts
    it into a graph and queries that, makes releases of it, verifies and attacks them, and writes a
    report. Every command is shown as it can be typed. Exits with 0.

    Examples
    --------
    ratingpriv demo
    ratingpriv demo --output tour
    """
    with _folder(output, force=force) as folder:
        for text in tour(current_context().find_root().command, folder):
            sys.stdout.write(text)
            sys.stdout.flush()
    return 0


def tour(root: Any, folder: Path | None) -> Iterator[str]:
    """Run the commands of the tour, and yield it block by block; ``folder``:
    None is the current one.
    """
    environment, blocks = texts_of(script())
    places = {name: shlex.quote(name if folder is None else str(folder / name)) for name in FILES}
    places["sensitive"] = "--sensitive income --sensitive health"
    settings: dict[str, Any] = {"output": folder}
    for block in blocks:
        text = environment.from_string(block).render(settings)
        text = re.sub(r"\{([\w.-]+)\}", lambda name: places.get(name[1], name[0]), text)
        if text.startswith("# "):
            yield f"\n\n{text[2:]}\n"
        elif command := _COMMAND.fullmatch(text):
            name, lines, line = command.groups()
            yield f"\n    $ ratingpriv {line}\n"
            ended = run_here(root, [*shlex.split(line), "--quiet"])
            if ended.code > 1:  # it has said why
                raise SystemExit(ended.code)
            page = ended.page.splitlines()
            settings[name] = ended.document or [row.split() for row in page]
            shown = page[: int(lines)]
            if not line.startswith("query "):  # whose page is a table
                shown = wrapped(" ".join(map(str.strip, shown)), 74)
            yield "".join(f"    {row}\n" for row in shown)
        elif text.startswith(" "):
            yield f"\n{text}\n"
        else:
            yield "\n" + "".join(f"{row}\n" for row in wrapped(text, 78, "  ", "  "))


def texts_of(tour: str) -> tuple[Environment, list[str]]:
    """Return what renders the blocks of a tour, by its macros, and the blocks."""
    from jinja2 import Environment, StrictUndefined

    from ratingpriv.report.templating import phrase

    # plain text
    environment = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701
    environment.globals |= {"count": count, "phrase": phrase, "percent": percent}
    macros, *blocks = tour.strip().split("\n\n")
    environment.globals |= vars(environment.from_string(macros).module)
    return environment, blocks


def script() -> str:
    """Return the text of the tour."""
    return (
        importlib.resources.files("ratingpriv.cli")
        .joinpath("demo.jinja")
        .read_text(encoding="utf-8")
    )


@contextlib.contextmanager
def _folder(output: str | None, *, force: bool) -> Iterator[Path | None]:
    """Give the folder to write to, made if need be; or work in a temporary one, and give None."""
    from ratingpriv.base.files import check_writable
    from ratingpriv.base.partial import partial_folder
    from ratingpriv.report.markup.files import check_folder_name

    if output is None:
        with (
            partial_folder(Path(tempfile.gettempdir(), "ratingpriv-demo")) as made,
            contextlib.chdir(made),
        ):
            yield None
        return
    check_folder_name(output)
    folder = Path(output)
    new = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        check_writable(folder / name, force=force)
    complete = False

    def clear() -> None:
        for name in FILES:
            (folder / name).unlink(missing_ok=True)

    def undo() -> None:
        if not complete:  # half a tour is of no use
            clear()
            for parent in new:
                with contextlib.suppress(OSError):
                    parent.rmdir()

    with finishing(undo):
        clear()  # so that every command can be typed as it is shown
        yield folder
        complete = True
