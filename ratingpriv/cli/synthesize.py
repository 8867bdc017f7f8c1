"""``ratingpriv synthesize``: made-up ratings with a stated model, of any size."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ratingpriv.cli.options import values
from ratingpriv.cli.options.shared import ForceOption, TalkOptions, choices
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.formats.generating import Generator, Parameter

__all__ = ["SURVEY", "run"]

SURVEY = "survey"
"""The installed generator that makes Likert surveys; used unless another is named."""

_MODEL_PARAMETERS = ("ratings", "levels", "missing", "factors", "patterns", "sensitive")
_SHAPE = "Shape (which of these a model knows, --list says)"


def _shape(*names: str, help: str, metavar: str) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=_SHAPE, show_default=False)


def run(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write: .csv, .tsv or .parquet."),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="Which model makes the ratings.")
    ] = SURVEY,
    records: Annotated[str, typer.Option("--records", metavar="N", help="How many records.")] = "1000",
    issues: Annotated[
        str, typer.Option("--issues", metavar="N", help="How many non-sensitive issues.")
    ] = "20",
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="The same seed gives the same ratings.")
    ] = "0",
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            help="A row a rating or a row a record; else what suits the model.",
            **choices("long", "wide"),
        ),
    ] = None,
    force: ForceOption = False,
    list_models: Annotated[
        bool, typer.Option("--list", help="List the models and their parameters, and exit.")
    ] = False,
    ratings: Annotated[str | None, _shape("--ratings", metavar="N", help="How many ratings in all.")] = None,
    levels: Annotated[str | None, _shape("--levels", metavar="N", help="Ratings run from 1 to N.")] = None,
    missing: Annotated[
        str | None, _shape("--missing", metavar="SHARE", help="Share of ratings left out.")
    ] = None,
    factors: Annotated[str | None, _shape("--factors", metavar="N", help="How many latent factors.")] = None,
    patterns: Annotated[str | None, _shape("--patterns", metavar="N", help="How many skip patterns.")] = None,
    sensitive: Annotated[
        list[str] | None, _shape("--sensitive", metavar="NAME", help="A sensitive issue (repeatable).")
    ] = None,
    settings: Annotated[
        list[str] | None,
        _shape("--set", metavar="NAME=VALUE", help="Any other parameter of the model (repeatable)."),
    ] = None,
    *,
    talking: TalkOptions,
) -> int:
    """Write made-up ratings, from a stated model and a seed."""
    from ratingpriv.formats.generating import generators

    if list_models:
        sys.stdout.write("\n".join(_description(generator) for generator in generators().values()))
        return 0
    if output is None:
        raise ParameterError("output", None, "a file name", "say where to write: -o survey.csv")
    if model not in generators():
        raise ParameterError("model", model, "one of the models " + ", ".join(generators()))
    generator = generators()[model]
    typed = dict(zip(_MODEL_PARAMETERS, (ratings, levels, missing, factors, patterns), strict=False))
    given: dict[str, str | list[str]] = {name: text for name, text in typed.items() if text is not None}
    if sensitive:
        given["sensitive"] = sensitive
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise ParameterError("set", setting, "NAME=VALUE")
        given[name.replace("-", "_")] = text
    talk = talking.talk
    with talk.progress() as progress:
        written = generator.write(
            output,
            records=values.whole("records", records, 1),
            issues=values.whole("issues", issues, 1),
            seed=values.whole("seed", seed, 0),
            layout=layout,
            force=force,
            progress=progress,
            **_values(generator, given),
        )
    talk.note(
        f"wrote {written.path}: {written.records} records, {written.issues} issues, {written.ratings} "
        f"ratings, {written.layout}, seed {written.seed}"
        + (f"; sensitive: {', '.join(written.sensitive)}" if written.sensitive else "")
    )
    talk.note(f"model: {written.model}")
    return 0


def _values(generator: Generator, given: dict[str, str | list[str]]) -> dict[str, object]:
    """Return the texts as the kinds of value that the model's parameters have."""
    known = {parameter.name: parameter for parameter in generator.parameters}
    for name in given:
        if name not in known:
            raise ParameterError(
                name, given[name], f"a parameter of the model {generator.name} ({', '.join(known)})"
            )
    return {name: _value(known[name], given_value) for name, given_value in given.items()}


def _value(parameter: Parameter, given: str | list[str]) -> object:
    if isinstance(parameter.default, tuple):
        return tuple(given if isinstance(given, list) else filter(None, given.split(",")))
    text = given if isinstance(given, str) else ",".join(given)
    if isinstance(parameter.default, bool):
        if text not in ("true", "false"):
            raise ParameterError(parameter.name, text, "true or false")
        return text == "true"
    if isinstance(parameter.default, int):
        return values.whole(parameter.name, text, 0)
    return values.amount(parameter.name, text)


def _description(generator: Generator) -> str:
    lines = [f"{generator.name}: {generator.description}"]
    for parameter in generator.parameters:
        default = "" if parameter.default is None else f" (default {_shown(parameter.default)})"
        lines.append(f"  {parameter.name}: {parameter.meaning}{default}")
    return "\n".join(lines) + "\n"


def _shown(default: float | bool | tuple[str, ...]) -> str:
    return ",".join(default) if isinstance(default, tuple) else str(default)
