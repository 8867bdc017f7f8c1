"""``ratingpriv synthesize``: synthetic ratings with a stated model, of any size."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.general import ForceOption, GlobalOptions
from ratingpriv.cli.options.values import amount, whole, writes

if TYPE_CHECKING:
    from ratingpriv.data.formats.generating import Generator

__all__ = ["SURVEY", "run"]

SURVEY = "survey"
"""The installed generator that makes Likert surveys; used unless another is named."""


_shape = partial(Option, rich_help_panel="Shape (which of these a model knows, --list shows)")


def run(
    output: Annotated[
        str | None, writes("--output", "-o", help="Where to write: .csv, .tsv or .parquet.")
    ] = None,
    model: Annotated[str, Option(metavar="NAME", help="Which model generates the ratings.")] = SURVEY,
    records: Annotated[int, Option(metavar="N", min=1, help="How many records.")] = 1000,
    issues: Annotated[int, Option("--items", metavar="N", min=1, help="How many non-sensitive items.")] = 20,
    seed: Annotated[int, Option(metavar="N", help="The same seed gives the same ratings.")] = 0,
    layout: Annotated[
        Literal["long", "wide"] | None,
        Option(help="A row a rating or a row a record; else what suits the model."),
    ] = None,
    force: ForceOption = False,
    list_models: Annotated[
        bool, Option("--list", help="List the models and their parameters, and exit.")
    ] = False,
    ratings: Annotated[str | None, _shape(metavar="TEXT", help="How many ratings in all.")] = None,
    sensitive: Annotated[tuple[str, ...], _shape(metavar="NAME", help="A sensitive item (repeatable).")] = (),
    parameters: Annotated[
        tuple[str, ...],
        _shape("--set", metavar="NAME=VALUE", help="Another parameter of the model (repeatable)."),
    ] = (),
    *,
    general: GlobalOptions,
) -> int:
    """Write synthetic ratings from a stated model and a seed.

    Examples
    --------
    ratingpriv synthesize -o new.csv --records 200 --items 6 --sensitive income
    ratingpriv synthesize --list
    """
    from ratingpriv.data.formats.generating import generators

    known = generators()
    if list_models:
        sys.stdout.write("\n".join(map(_description, known.values())))
        return 0
    if output is None:
        raise ParameterError("output", None, "a file name", "name a file to write: -o survey.csv")
    if model not in known:
        raise ParameterError("model", model, "one of the models " + ", ".join(known))
    given: dict[str, Any] = {} if ratings is None else {"ratings": ratings}
    for word in parameters:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise ParameterError("set", word, "NAME=VALUE")
        given[name.replace("-", "_")] = text
    shape = _values(known[model], {**({"sensitive": sensitive} if sensitive else {}), **given})
    how: dict[str, Any] = {"records": records, "issues": issues, "seed": seed, "layout": layout}
    with general.reporter.progress() as progress:
        made = known[model].write(output, force=force, progress=progress, **how, **shape)
    secret = f"; sensitive: {', '.join(made.sensitive)}" if made.sensitive else ""
    general.reporter.note(
        f"wrote {made.path}: {made.records} records, {made.issues} issues, {made.ratings} ratings, "
        f"{made.layout}, seed {made.seed}{secret}"
    )
    general.reporter.note(f"model: {made.model}")
    return 0


def _values(generator: Generator, given: dict[str, Any]) -> dict[str, Any]:
    """Return the texts as the kinds of value that the model's parameters have."""
    known = {parameter.name: parameter.default for parameter in generator.parameters}
    for name, text in given.items():
        if name not in known:
            expected = f"a parameter of the model {generator.name} ({', '.join(known)})"
            raise ParameterError(name, text, expected)
        if isinstance(known[name], tuple):
            given[name] = text if isinstance(text, tuple) else tuple(filter(None, text.split(",")))
        elif isinstance(known[name], bool):
            if text not in ("true", "false"):
                raise ParameterError(name, text, "true or false")
            given[name] = text == "true"
        else:
            given[name] = (whole(0) if isinstance(known[name], int) else amount).of(name, text)
    return given


def _description(generator: Generator) -> str:
    lines = [f"{generator.name}: {generator.description}"]
    for one in generator.parameters:
        shown = ",".join(one.default) if isinstance(one.default, tuple) else one.default
        default = "" if one.default is None else f" (default {shown})"
        lines.append(f"  {one.name}: {one.meaning}{default}")
    return "\n".join(lines) + "\n"
