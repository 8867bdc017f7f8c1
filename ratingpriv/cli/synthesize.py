"""``ratingpriv synthesize``: synthetic ratings with a stated model, of any size."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.cli.options.values import (
    Parser,
    amount,
    group,
    named_texts,
    option,
    whole,
    writes,
    yes_or_no,
)
from ratingpriv.cli.output.reporter import note, progress_bars

if TYPE_CHECKING:
    from ratingpriv.data.formats.generating import Generator

SURVEY = "survey"
"""The installed generator that makes Likert surveys; used unless another is named."""

_NAMES = Parser(lambda text: tuple(filter(None, text.split(","))))
_shape = partial(option, panel="Shape (which of these a model knows, --list shows)")


@group
class _Size:
    records: int = option("How many records.", 1000, min=1)
    issues: int = option("How many non-sensitive items.", 20, "--items", min=1)
    seed: int = option("The same seed gives the same ratings.", 0)
    layout: Literal["long", "wide"] | None = option(
        "One row per rating or record; else as the model."
    )


@group
class _Shape:
    ratings: str | None = _shape("How many ratings in all.", metavar="TEXT")
    sensitive: tuple[str, ...] = _shape("A sensitive item.")
    parameters: tuple[str, ...] = _shape(
        "Another parameter (--list).", None, "--set", metavar="NAME=VALUE"
    )

    @property
    def words(self) -> dict[str, Any]:
        """What was given, by the parameters' names."""
        words: dict[str, Any] = {"ratings": self.ratings, "sensitive": self.sensitive or None}
        words |= {
            name.replace("-", "_"): text
            for name, text in named_texts("set", self.parameters).items()
        }
        return {name: value for name, value in words.items() if value is not None}


def run(
    output: str | None = writes("Where to write: .csv, .tsv or .parquet."),
    model: str = option("Which model generates the ratings.", SURVEY),
    *,
    size: _Size,
    force: bool = options.FORCE,
    list_models: bool = option("List the models and their parameters, and exit.", None, "--list"),
    shape: _Shape,
) -> int:
    """Write synthetic ratings from a stated model and a seed.

    Examples
    --------
    ratingpriv synthesize -o new.csv --records 200 --items 6 --sensitive income
    ratingpriv synthesize --list
    """
    from ratingpriv.data.formats.generating import described, generators

    models = generators()
    if list_models:
        sys.stdout.write("\n".join(map(described, models.values())))
        return 0
    if output is None:
        raise ParameterError("output", None, "a file name", "name a file to write: -o survey.csv")
    if model not in models:
        raise ParameterError("model", model, "one of the models " + ", ".join(models))
    how = {**dataclasses.asdict(size), **_values(models[model], shape.words)}
    with progress_bars() as progress:
        made = models[model].write(output, force=force, progress=progress, **how)
    secret = f"; sensitive: {', '.join(made.sensitive)}" if made.sensitive else ""
    note(
        f"wrote {made.path}: {made.records} records, {made.issues} items, {made.ratings} ratings, "
        f"{made.layout}, seed {made.seed}{secret}"
    )
    note(f"model: {made.model}")
    return 0


def _values(generator: Generator, given: dict[str, Any]) -> dict[str, Any]:
    """Return the texts as the kinds of value that the model's parameters have."""
    parameters = {parameter.name: parameter.default for parameter in generator.parameters}
    readers = {tuple: _NAMES, bool: yes_or_no, int: whole(0)}
    for name, text in given.items():
        if name not in parameters:
            expected = f"a parameter of the model {generator.name} ({', '.join(parameters)})"
            raise ParameterError(name, text, expected)
        if isinstance(text, str):
            given[name] = readers.get(type(parameters[name]), amount).of(name, text)
    return given
