"""``ratingpriv attack``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.attack import AlgorithmOptions, KnowledgeOptions, sweep_values
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.declare import option
from ratingpriv.cli.options.general import GlobalOptions
from ratingpriv.cli.options.types import Rate, Whole
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.attack.evaluation.experiments import Experiment
    from ratingpriv.attack.findings import Findings
    from ratingpriv.keys import Key
    from ratingpriv.table import RatingTable

__all__ = ["run"]

_TARGETS = 1000
"""So many targets are attacked where it is not said how many."""


def run(
    *,
    data: DataArgument,
    release: Annotated[
        str | None, option("--release", metavar="FILE", help="Repeat the attack on this release of DATA.")
    ] = None,
    truth: Annotated[
        str | None,
        option("--truth", metavar="KEY|ids", help="The release's key file, or ids if it kept the ids."),
    ] = None,
    aux: Annotated[
        str | None,
        option("--aux", metavar="FILE", help="Known ratings as CSV: target,issue,rating[,date]."),
    ] = None,
    sweep: Annotated[
        tuple[str, ...],
        option(
            "--sweep",
            metavar="NAME=V,V,...",
            help="Also vary what is known (repeatable).",
        ),
    ] = (),
    sparsity: Annotated[bool, option("--sparsity", help="Also how sparse the data are.")] = False,
    fail_above: Annotated[
        float | None,
        option("--fail-above", kind=Rate(), help="Exit with 1 unless the success is surely <= RATE."),
    ] = None,
    per_target: Annotated[bool, option("--per-target", help="Also each target's best candidates.")] = False,
    show: Annotated[int, option("--show", help="Print at most N targets.")] = 20,
    plot: Annotated[
        str | None, option("--plot", metavar="FILE", help="Draw the result to FILE, .svg or .png.")
    ] = None,
    results: ResultOptions,
    knowledge: KnowledgeOptions,
    algorithm: AlgorithmOptions,
    reading: DataOptions,
    general: GlobalOptions,
    given: Given,
    data_arguments: DataArguments,
) -> int:
    """Attack a dataset or a release as an adversary who knows a few ratings.

    Draws what an adversary knows of some records of DATA (--seed fixes the draw), searches for the record
    that fits, and counts how often it is the correct one [NS08]. With --release the same attack is made on a
    release, and the two are compared.

    A low number is no proof of safety: it holds for this algorithm and this knowledge. Exits with 0; 1 if
    the success may be above --fail-above or could not be measured; 2 if the input is bad.

    Examples
    --------
    ratingpriv attack survey.csv --known 4
    ratingpriv attack survey.csv --known 3 --rating-error 1 --sweep known=3,5,7
    """
    from ratingpriv.report.attack import attack_page

    reporter = general.reporter
    varied = sweep_values(sweep)
    _check_usage(release, truth, aux, varied, given)
    results.check(plot=plot)
    _check_plot(plot, algorithm.algorithm, drawable=bool(varied) or sparsity, force=results.force)
    findings = _find(
        data, release, truth, aux, varied, sparsity, fail_above, knowledge, algorithm, reading, reporter
    )
    listed = per_target or aux is not None
    if plot is not None:
        from ratingpriv.report.figures import plot_attack

        plot_attack(findings, plot, force=results.force)
        reporter.note(f"wrote {plot}")
    results.deliver(
        findings.to_dict(per_target=listed),
        lambda: attack_page(findings, data=data_arguments, show=show, per_target=listed),
        reporter,
    )
    return 1 if findings.passed is False else 0


def _find(
    data: str,
    release: str | None,
    truth: str | None,
    aux: str | None,
    varied: dict[str, tuple[Any, ...]],
    sparsity: bool,
    limit: float | None,
    knowledge: KnowledgeOptions,
    algorithm: AlgorithmOptions,
    reading: DataOptions,
    reporter: Reporter,
) -> Findings:
    """Read, attack, and put together what was found."""
    from ratingpriv.attack.algorithms.methods import check_options, fitting
    from ratingpriv.attack.evaluation.paired import compare
    from ratingpriv.attack.evaluation.sweeps import sweep
    from ratingpriv.attack.findings import Findings
    from ratingpriv.attack.sparsity.sparsity import sparsity as find_sparsity
    from ratingpriv.attack.sparsity.theorem import FalseMatches, false_matches

    drawn, options = knowledge.drawn(), algorithm.given()
    check_options(algorithm.algorithm, options)  # wrong usage is said before a long read
    how: dict[str, Any] = {
        "algorithm": algorithm.algorithm,
        "interval": algorithm.interval,
        "confidence": algorithm.confidence,
        **algorithm.resources,
    }
    key = _truth(truth)
    table = reading.read(data, reporter, timestamps=True)
    published = None
    if release is not None:
        import dataclasses

        whole = dataclasses.replace(reading, sample=None, issues=None, drop=())
        published = whole.read(release, reporter, timestamps=True)
    seed = reading.seed
    with reporter.progress() as progress:
        how["progress"] = progress
        attack = _attack(table, aux, drawn, knowledge, options, seed, how)
        paired = None
        if published is not None:
            fitted = options
            if aux is None:
                fitted = fitting(algorithm.algorithm, options, drawn["rating_error"], drawn["date_error"])
            resources = {name: how[name] for name in ("threads", "memory", "progress")}
            paired = compare(attack, table, published, key or "ids", options=fitted, **resources)
        swept = None
        if varied:
            ranges = {**drawn, **varied}
            swept = sweep(
                table, **ranges, options=options, rng=seed, targets=_targets(table, knowledge), **how
            )
        alone = None
        theorem: tuple[FalseMatches, ...] = ()
        if sparsity:
            alone = find_sparsity(table, rng=seed, threads=how["threads"], progress=progress)
            theorem = false_matches(
                table,
                targets=min(table.n_records, _TARGETS),
                rng=seed,
                threads=how["threads"],
                progress=progress,
            )
    return Findings(attack, paired, swept, alone, theorem, limit)


def _attack(
    table: RatingTable,
    aux: str | None,
    drawn: dict[str, Any],
    knowledge: KnowledgeOptions,
    options: dict[str, float],
    seed: int,
    how: dict[str, Any],
) -> Experiment:
    """Attack with what a file says, or with what is drawn."""
    from ratingpriv.attack.evaluation.experiments import experiment, run
    from ratingpriv.attack.knowledge import read_auxiliary

    if aux is not None:
        return experiment(
            table, read_auxiliary(aux, table), options=options, drawn={"aux": Path(aux).name}, **how
        )
    return run(table, **drawn, options=options, rng=seed, targets=_targets(table, knowledge), **how)


def _targets(table: RatingTable, knowledge: KnowledgeOptions) -> Any:
    """Return who is attacked as the library takes it: None for all, a number, or positions."""
    from ratingpriv.attack.knowledge import positions_of

    if knowledge.target:
        return positions_of(table, knowledge.target)
    if knowledge.targets is None:
        return None if table.n_records <= _TARGETS else _TARGETS
    if knowledge.targets == "all":
        return None
    return Whole(1).read("targets", knowledge.targets)


def _truth(truth: str | None) -> Key | None:
    """Return the key; None where there is none or the ids were kept."""
    if truth is None or truth == "ids":
        return None
    from ratingpriv.keys import read_key

    return read_key(truth)


def _check_usage(
    release: str | None, truth: str | None, aux: str | None, varied: dict[str, tuple[Any, ...]], given: Given
) -> None:
    """Refuse options that would be ignored."""
    if release is not None and truth is None:
        remedy = "the key was written with the release; ids only if the release kept every record's id"
        raise ParameterError("truth", None, "KEY or ids, to know which released record is whose", remedy)
    if truth is not None and release is None:
        raise ParameterError("truth", truth, "a --release that it belongs to")
    if {"target", "targets"} <= given:
        raise ParameterError("target", "with --targets", "one of the two")
    if aux is not None:
        drawing = ("known", "wrong", "rating_error", "date_error", "items", "targets", "target", "short")
        unused = [name for name in drawing if name in given] + (["sweep"] if varied else [])
        if unused:
            option = unused[0].replace("_", "-")
            raise ParameterError(option, "with --aux", f"no --{option}", "the file says what is known")


def _check_plot(plot: str | None, algorithm: str, *, drawable: bool, force: bool) -> None:
    """Refuse, before anything is read, a figure that could not be drawn in the end."""
    from ratingpriv.report.figures import check_figure

    if plot is None:
        return
    if algorithm == "scoreboard" and not drawable:
        remedy = "add --sweep known=2,4,8, --sparsity, or take another algorithm"
        raise ParameterError("plot", plot, "something to draw: scoreboard has no eccentricity", remedy)
    check_figure(plot, force=force)
