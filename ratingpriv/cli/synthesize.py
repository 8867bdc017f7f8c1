"""``ratingpriv synthesize``: synthetic ratings with a stated model, of any size."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from ratingpriv.cli.options.general import ForceOption, GlobalOptions
from ratingpriv.cli.options.values import amount, output_file, whole
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.formats.generating import Generator, Parameter

__all__ = ["SURVEY", "run"]

SURVEY = "survey"
"""The installed generator that makes Likert surveys; used unless another is named."""


_shape = partial(Option, rich_help_panel="Shape (which of these a model knows, --list shows)")


def run(
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=output_file,
            help="Where to write: .csv, .tsv or .parquet.",
        ),
    ] = None,
    model: Annotated[
        str, Option("--model", metavar="NAME", help="Which model generates the ratings.")
    ] = SURVEY,
    records: Annotated[int, Option("--records", metavar="N", min=1, help="How many records.")] = 1000,
    issues: Annotated[int, Option("--items", metavar="N", min=1, help="How many non-sensitive items.")] = 20,
    seed: Annotated[int, Option("--seed", metavar="N", help="The same seed gives the same ratings.")] = 0,
    layout: Annotated[
        Literal["long", "wide"] | None,
        Option("--layout", help="A row a rating or a row a record; else what suits the model."),
    ] = None,
    force: ForceOption = False,
    list_models: Annotated[
        bool, Option("--list", help="List the models and their parameters, and exit.")
    ] = False,
    ratings: Annotated[
        str | None, _shape("--ratings", metavar="TEXT", help="How many ratings in all.")
    ] = None,
    sensitive: Annotated[
        tuple[str, ...], _shape("--sensitive", metavar="NAME", help="A sensitive item (repeatable).")
    ] = (),
    parameters: Annotated[
        tuple[str, ...],
        _shape(
            "--set",
            metavar="NAME=VALUE",
            help="Another parameter of the model (repeatable).",
        ),
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
    from ratingpriv.formats.generating import generators

    if list_models:
        sys.stdout.write("\n".join(_description(generator) for generator in generators().values()))
        return 0
    if output is None:
        raise ParameterError("output", None, "a file name", "name a file to write: -o survey.csv")
    if model not in generators():
        raise ParameterError("model", model, "one of the models " + ", ".join(generators()))
    generator = generators()[model]
    given: dict[str, str | tuple[str, ...]] = {} if ratings is None else {"ratings": ratings}
    if sensitive:
        given["sensitive"] = sensitive
    for word in parameters:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise ParameterError("set", word, "NAME=VALUE")
        given[name.replace("-", "_")] = text
    reporter = general.reporter
    with reporter.progress() as progress:
        written = generator.write(
            output,
            records=records,
            issues=issues,
            seed=seed,
            layout=layout,
            force=force,
            progress=progress,
            **_values(generator, given),
        )
    reporter.note(
        f"wrote {written.path}: {written.records} records, {written.issues} issues, {written.ratings} "
        f"ratings, {written.layout}, seed {written.seed}"
        + (f"; sensitive: {', '.join(written.sensitive)}" if written.sensitive else "")
    )
    reporter.note(f"model: {written.model}")
    return 0


def _values(generator: Generator, given: dict[str, str | tuple[str, ...]]) -> dict[str, object]:
    """Return the texts as the kinds of value that the model's parameters have."""
    known = {parameter.name: parameter for parameter in generator.parameters}
    for name in given:
        if name not in known:
            raise ParameterError(
                name, given[name], f"a parameter of the model {generator.name} ({', '.join(known)})"
            )
    return {name: _value(known[name], given_value) for name, given_value in given.items()}


def _value(parameter: Parameter, given: str | tuple[str, ...]) -> object:
    if isinstance(parameter.default, tuple):
        return tuple(given if isinstance(given, tuple) else filter(None, given.split(",")))
    text = given if isinstance(given, str) else ",".join(given)
    if isinstance(parameter.default, bool):
        if text not in ("true", "false"):
            raise ParameterError(parameter.name, text, "true or false")
        return text == "true"
    if isinstance(parameter.default, int):
        return whole(0).of(parameter.name, text)
    return amount.of(parameter.name, text)


def _description(generator: Generator) -> str:
    lines = [f"{generator.name}: {generator.description}"]
    for parameter in generator.parameters:
        default = "" if parameter.default is None else f" (default {_shown(parameter.default)})"
        lines.append(f"  {parameter.name}: {parameter.meaning}{default}")
    return "\n".join(lines) + "\n"


def _shown(default: float | bool | tuple[str, ...]) -> str:
    return ",".join(default) if isinstance(default, tuple) else str(default)
