"""``ratingpriv attack``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.attack import AlgorithmOptions, KnowledgeOptions, sweep_values
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions, TruthOption, truth_of
from ratingpriv.cli.options.panels import setting
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.values import input_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.errors import ParameterError
from ratingpriv.files import together

if TYPE_CHECKING:
    from ratingpriv.attack.findings import Findings

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    release: Annotated[
        str | None,
        Option(
            "--release", metavar="FILE", parser=input_file, help="Repeat the attack on this release of DATA."
        ),
    ] = None,
    truth: TruthOption = None,
    aux: Annotated[
        str | None,
        Option(
            "--aux",
            metavar="FILE",
            parser=input_file,
            help="Known ratings as CSV: target,issue,rating[,date].",
        ),
    ] = None,
    sweep: Annotated[
        tuple[str, ...],
        Option("--sweep", metavar="NAME=V,V,...", help="Also vary what is known (repeatable)."),
    ] = (),
    sparsity: Annotated[bool, Option("--sparsity", help="Also how sparse the data are.")] = False,
    fail_above: Annotated[
        float | None,
        Option(
            "--fail-above",
            metavar="RATE",
            min=0,
            max=1,
            help="Exit with 1 unless what is found is surely <= RATE.",
        ),
    ] = None,
    theta: Annotated[
        float | None,
        setting(
            "--theta",
            metavar="RATE",
            min=0,
            max=1,
            help="Also count who is named a record of similarity >= RATE.",
        ),
    ] = None,
    per_target: Annotated[bool, Option("--per-target", help="Also each target's best candidates.")] = False,
    show: Annotated[int | None, Option("--show", metavar="N", help="Name at most N targets.")] = None,
    picture: PictureOptions,
    gates: GateOptions,
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
    that fits in several ways, and counts how often it is the correct one [NS08], also in a --release. The
    headline and --fail-above take the way that succeeds most often.

    A low number is no proof. Exits with 0; with --fail-above 1 if the success may be above it or could not
    be measured; 2 if the input is bad.

    Examples
    --------
    ratingpriv attack survey.csv --adversary colleague --fail-above 0.05
    ratingpriv attack survey.csv --known 3 --rating-error 1 --sweep known=3,5,7
    """
    from ratingpriv.attack.evaluation.experiments import SCHEMA
    from ratingpriv.report.attack import attack_page

    reporter = general.reporter
    varied = sweep_values(sweep)
    _check_usage(release, truth, aux, varied, given)
    gate = gates.of("attack", gated=fail_above is not None, without="--fail-above or ")
    results.check(plot=picture.plot, **gates.files)
    absent = {} if sparsity else {"sparsity": "--sparsity"}
    picture.check(SCHEMA, force=results.force, absent=absent if varied else {**absent, "sweep": "--sweep"})
    findings = _find(
        data, release, truth, aux, varied, sparsity, fail_above, theta, knowledge, algorithm, reading,
        reporter,
    )  # fmt: skip
    listed = per_target or bool(show)
    most = 20 if show is None else show
    return gate.deliver(
        findings.to_dict(per_target=listed),
        lambda: attack_page(findings, data=data_arguments, show=most, per_target=listed),
        results, reporter, data=release or data, held=findings.passed is not False, picture=picture,
        frame=findings.to_frame, private=listed,
    )  # fmt: skip


def _find(
    data: str,
    release: str | None,
    truth: str | None,
    aux: str | None,
    varied: dict[str, tuple[Any, ...]],
    sparsity: bool,
    fail_above: float | None,
    theta: float | None,
    knowledge: KnowledgeOptions,
    algorithm: AlgorithmOptions,
    reading: DataOptions,
    reporter: Reporter,
) -> Findings:
    """Read, and attack."""
    from ratingpriv.attack import study
    from ratingpriv.attack.algorithms.methods import options_of

    drawn, options = knowledge.drawn(), algorithm.given()
    options_of(algorithm.algorithm, options)  # wrong usage is reported before a long read
    whose = truth_of(truth, release)
    table = reading.read(data, reporter, timestamps=True)
    published = None
    if release is not None:
        published = reading.read_release(release, reporter, timestamps=True)
    with reporter.progress() as progress:
        return study(
            table,
            published,
            truth=whose,
            aux=aux,
            algorithm=algorithm.algorithm,
            options=options,
            **({} if aux is not None else {**drawn, **_targets(knowledge)}),
            sweep=varied,
            sparsity=sparsity,
            fail_above=fail_above,
            theta=theta,
            interval=algorithm.interval,
            confidence=algorithm.confidence,
            rng=reading.seed,
            **algorithm.resources,
            progress=progress,
        )


def _targets(knowledge: KnowledgeOptions) -> dict[str, Any]:
    """Return who is attacked as the library takes it: ids, a number, "all", or nothing for its default."""
    return {"target_ids": knowledge.target} if knowledge.target else {"targets": knowledge.targets}


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
        drawing = [field.name for field in dataclasses.fields(KnowledgeOptions)]
        unused = [name for name in drawing if name in given] + (["sweep"] if varied else [])
        if unused:
            option = unused[0].replace("_", "-")
            raise ParameterError(option, "with --aux", f"no --{option}", "the file says what is known")
