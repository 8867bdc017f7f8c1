"""``ratingpriv synthesize``: synthetic ratings with a stated model, of any size."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from ratingpriv.cli.options.declare import Declaration, option
from ratingpriv.cli.options.general import ForceOption, GlobalOptions
from ratingpriv.cli.options.types import Amount, Whole
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.formats.generating import Generator, Parameter

__all__ = ["SURVEY", "run"]

SURVEY = "survey"
"""The installed generator that makes Likert surveys; used unless another is named."""

_MODEL_PARAMETERS = ("ratings", "levels", "missing", "factors", "patterns")


def _shape(*names: str, help: str, metavar: str = "N") -> Declaration:  # noqa: A002
    return option(
        *names, help=help, metavar=metavar, panel="Shape (which of these a model knows, --list shows)"
    )


def run(
    output: Annotated[
        str | None,
        option(
            "--output", "-o", metavar="FILE", place="output", help="Where to write: .csv, .tsv or .parquet."
        ),
    ] = None,
    model: Annotated[
        str, option("--model", metavar="NAME", help="Which model generates the ratings.")
    ] = SURVEY,
    records: Annotated[int, option("--records", kind=Whole(1), help="How many records.")] = 1000,
    issues: Annotated[
        int, option("--issues", "--items", kind=Whole(1), help="How many non-sensitive items.")
    ] = 20,
    seed: Annotated[int, option("--seed", help="The same seed gives the same ratings.")] = 0,
    layout: Annotated[
        Literal["long", "wide"] | None,
        option("--layout", help="A row a rating or a row a record; else what suits the model."),
    ] = None,
    force: ForceOption = False,
    list_models: Annotated[
        bool, option("--list", help="List the models and their parameters, and exit.")
    ] = False,
    ratings: Annotated[str | None, _shape("--ratings", help="How many ratings in all.")] = None,
    levels: Annotated[str | None, _shape("--levels", help="Ratings run from 1 to N.")] = None,
    missing: Annotated[
        str | None, _shape("--missing", metavar="SHARE", help="Share of ratings left out.")
    ] = None,
    factors: Annotated[str | None, _shape("--factors", help="How many latent factors.")] = None,
    patterns: Annotated[str | None, _shape("--patterns", help="How many skip patterns.")] = None,
    sensitive: Annotated[
        tuple[str, ...], _shape("--sensitive", metavar="NAME", help="A sensitive item (repeatable).")
    ] = (),
    settings: Annotated[
        tuple[str, ...],
        _shape("--set", metavar="NAME=VALUE", help="Any other parameter of the model (repeatable)."),
    ] = (),
    *,
    general: GlobalOptions,
) -> int:
    """Write synthetic ratings from a stated model and a seed.

    Examples
    --------
    ratingpriv synthesize -o new.csv --records 200 --issues 6 --sensitive income
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
    typed = dict(zip(_MODEL_PARAMETERS, (ratings, levels, missing, factors, patterns), strict=True))
    given: dict[str, str | tuple[str, ...]] = {name: text for name, text in typed.items() if text is not None}
    if sensitive:
        given["sensitive"] = sensitive
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise ParameterError("set", setting, "NAME=VALUE")
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
        return Whole(0).read(parameter.name, text)
    return Amount().read(parameter.name, text)


def _description(generator: Generator) -> str:
    lines = [f"{generator.name}: {generator.description}"]
    for parameter in generator.parameters:
        default = "" if parameter.default is None else f" (default {_shown(parameter.default)})"
        lines.append(f"  {parameter.name}: {parameter.meaning}{default}")
    return "\n".join(lines) + "\n"


def _shown(default: float | bool | tuple[str, ...]) -> str:
    return ",".join(default) if isinstance(default, tuple) else str(default)
