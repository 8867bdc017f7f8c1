"""What a command reads and where it writes, by its declared options: nothing read is written over."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.base.inputs import protecting, refuse_inputs
from ratingpriv.cli.options.config import codebook_of
from ratingpriv.cli.options.parameters import parameters, place_of
from ratingpriv.cli.options.values import Place

_MANIFEST = ".manifest.json"  # beside a release, which is read with it


@contextlib.contextmanager
def guarded(ctx: typer.Context) -> Iterator[None]:
    """Refuse outputs that are inputs of the command; in the block, refuse them whenever a file is written."""
    book, store = codebook_of(ctx), _store(ctx)
    inputs = [] if book is None else list(map(str, book.files()))
    for path in _values(ctx, "input"):
        inputs += [path, path.removeprefix("@"), path + _MANIFEST]  # @FILE has the names of --items
    with protecting(inputs):
        if store is not None:
            refuse_inputs(store)
        with protecting([store]):
            for path in _values(ctx, "output"):
                refuse_inputs(path)
            refuse_standard_output(inputs)
            yield


def _values(ctx: typer.Context, place: Place) -> Iterator[str]:
    """Yield the values of the parameters that are declared to be such places."""
    for param in parameters(ctx):
        value = ctx.params.get(param.name)
        if place_of(param) == place and value is not None:
            yield from value if isinstance(value, tuple) else (str(value),)


def _store(ctx: typer.Context) -> Path | None:
    """Return the file of the store that the command uses, if it is one."""
    stores = [param for param in parameters(ctx) if place_of(param) == "store"]
    if not stores or (ctx.params.get("data") is not None and ctx.params.get("dataset") is None):
        return None
    from ratingpriv.graph.address import parse_address

    try:
        return parse_address(ctx.params.get(stores[0].name)).path
    except ParameterError:  # the command says what is wrong with it
        return None


def refuse_standard_output(inputs: Iterable[str]) -> None:
    """Refuse ``>> DATA``: what is printed would go into what is read."""
    same: list[str] = []
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it is no file of the system
        output = os.fstat(sys.stdout.fileno())
        files = filter(os.path.exists, inputs if stat.S_ISREG(output.st_mode) else ())
        same = [path for path in files if os.path.samestat(output, Path(path).stat())]
    if same:
        raise OutputError(f"standard output: this is the input {same[0]}; print to another file")
