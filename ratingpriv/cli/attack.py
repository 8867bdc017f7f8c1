"""``ratingpriv attack``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, Literal

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS, OPTIONS
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.values import (
    RULES,
    asks,
    days,
    group,
    number,
    one_of,
    option,
    reads,
    text,
    whole,
    whole_or,
)
from ratingpriv.cli.output.reporter import progress_bars

_RATE: dict[str, Any] = {"metavar": "RATE", "min": 0, "max": 1}
_MANY = whole_or("all", "all")
_VARIED = {
    "known": _MANY,
    "wrong": whole(0),
    "unrated": whole(0),
    "rating-error": number(),
    "date-error": days,
    "items": text,
    "knows-count": number(1, none=None),
}

_knowledge = partial(option, panel="What the adversary knows")


@group
class _Knowledge:
    adversary: Literal["colleague", "web-shop", "netflix", "everything"] | None = _knowledge(
        "colleague (4 within 1), web-shop (8 with dates), netflix (8, 2 wrong, dates within 14), "
        "everything.",
        metavar="NAME",
    )
    known: int | str | None = _knowledge(
        "How many ratings (8, or all).", metavar="M|all", parser=_MANY
    )
    wrong: int | None = _knowledge("How many are completely wrong (0).", metavar="W")
    unrated: int | None = option("How many of the known the target did not rate (0).", metavar="U")
    knows_count: float | None = option("Also how many ratings, within RATE (0.5: ±50 %).", **_RATE)
    knows: str | None = _knowledge("Quasi-identifiers: age,region (all), or none.", metavar="NAMES")
    rating_error: float | None = _knowledge("The others are correct within E (0).")
    date_error: float | str | None = _knowledge(
        "Dates too, within DAYS.", metavar="DAYS|none", parser=number(none="none")
    )
    known_items: str | None = _knowledge(
        "Which: uniform (default), not-top:N, rarest.", metavar="KIND"
    )
    targets: int | str | None = _knowledge("How many; else up to 1000.", parser=_MANY)
    target: tuple[str, ...] = _knowledge("Attack this record.", metavar="ID")
    short: Literal["skip", "refuse"] | None = option(
        "Targets with fewer than M ratings (skip).", metavar="skip|refuse"
    )

    @property
    def drawing(self) -> dict[str, Any]:
        """What is known, and of whom, as the library takes it."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {
            "target_ids": given.pop("target") or None,
            "items": given.pop("known_items"),
            **given,
        }


@group
@asks({name: row.parameter for name, row in OPTIONS.items()})
class _Algorithm(options.Resources):
    algorithm: str | None = option(
        "Only this one; else all (docs/attack.md).", panel=RULES, parser=one_of(*ALGORITHMS)
    )
    interval: Literal["wilson", "clopper-pearson"] = option("Wilson's, or the exact one.", "wilson")
    confidence: float = option("Confidence of the intervals.", 0.95, metavar="P")

    @property
    def chosen(self) -> dict[str, Any]:
        """The algorithm and those of its parameters that were given;
        the library knows which it has.
        """
        given = {name: getattr(self, name, None) for name in OPTIONS}
        given_options = {name: value for name, value in given.items() if value is not None}
        shared = {name: getattr(self, name) for name in ("algorithm", "interval", "confidence")}
        return {**shared, "options": given_options}


@group
class _Study:
    aux: str | None = reads("Known ratings as CSV: target,issue,rating[,date].")
    sweep: tuple[str, ...] = option("Also vary what is known.", metavar="NAME=V,V,...")
    sparsity: bool = option("Also how sparse the data are.")
    fail_above: float | None = option("Exit with 1 unless the rate is surely <= RATE.", **_RATE)
    theta: float | None = option(
        "Also count targets with a named record of similarity >= RATE.", **_RATE
    )


@group
class _Results(options.Results):
    per_target: bool = option("Also each target's best candidates.")
    show: int | None = option("Name at most N targets.")

    @property
    def words(self) -> dict[str, Any]:
        """How many, and whether any are, as a page takes it."""
        most = 20 if self.show is None else self.show
        return {"show": most, "per_target": self.per_target or bool(self.show)}


@together()
def run(
    *,
    data: str = options.DATA_FILE,
    release: str | None = reads("Repeat the attack on this release of DATA."),
    truth: str | None = options.TRUTH,
    beside: _Study,
    results: _Results,
    knowledge: _Knowledge,
    algorithm: _Algorithm,
    reading: options.Data,
) -> int:
    """Attack a dataset or a release as an adversary who knows a few ratings.

    Draws what an adversary knows of some records of DATA (--seed fixes the draw), searches for the
    record that fits in several ways, and counts how often it is the correct one [NS08], also in a
    --release. An adversary who knows every rating, and which are missing, is measured always. The
    headline and --fail-above take what succeeds most often; with an adversary of your own,
    --fail-above is about that one.

    A low number is no proof. Exits with 0; with --fail-above 1 if it may be above or was not
    measured.

    Examples
    --------
    ratingpriv attack survey.csv --adversary colleague --fail-above 0.05
    ratingpriv attack survey.csv --known 3 --rating-error 1 --sweep known=3,5,7
    """
    from ratingpriv.attack.studies import check_study, study

    parameters: dict[str, Any] = {
        **knowledge.drawing,
        **algorithm.chosen,
        **dataclasses.asdict(beside),
    }
    parameters |= {"truth": options.truth_of(truth, release), "sweep": _swept(beside.sweep)}
    check_study(release, **parameters)
    absent = {name: f"--{name}" for name in ("sparsity", "sweep") if not parameters[name]}
    results.check(ungated="--fail-above or " if beside.fail_above is None else None, absent=absent)
    table = reading.read(data, timestamps=True)
    published = release and reading.read_release(release, table, timestamps=True)
    parameters |= {**algorithm.resources, "rng": reading.seed}
    with progress_bars() as progress:
        result = study(table, published, **parameters, progress=progress)
    listed = results.words["per_target"]
    return results.deliver(
        result,
        document=result.to_dict(per_target=listed),
        page={"data": reading.typed, **results.words},
        data=release or data,
        private=listed,
    )


def _swept(words: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    """Return the values of ``--sweep known=2,4,8``, by the library's names, each once."""
    swept: dict[str, tuple[Any, ...]] = {}
    for word in words:
        varied, equals, listed = word.partition("=")
        name = varied.replace("-", "_")
        if varied not in _VARIED or not equals or not listed or name in swept:
            expected = f"NAME=VALUE,VALUE,... with another NAME each, of {', '.join(_VARIED)}"
            raise ParameterError("sweep", word, expected)
        kind = _VARIED[varied]
        swept[name] = tuple(
            kind.of(f"sweep {varied}", value.strip()) for value in listed.split(",")
        )
    return swept
