"""``ratingpriv attack``: what an adversary who knows a few ratings can find."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Option

from ratingpriv.base.files import together
from ratingpriv.cli.command import DataArguments
from ratingpriv.cli.options.attack import RATE, AlgorithmOptions, KnowledgeOptions, sweep_values
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import GlobalOptions, TruthOption, truth_of
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.values import reads, setting
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]


@together()
def run(
    *,
    data: DataArgument,
    release: Annotated[str | None, reads(help="Repeat the attack on this release of DATA.")] = None,
    truth: TruthOption = None,
    aux: Annotated[str | None, reads(help="Known ratings as CSV: target,issue,rating[,date].")] = None,
    sweep: Annotated[
        tuple[str, ...], Option(metavar="NAME=V,V,...", help="Also vary what is known (repeatable).")
    ] = (),
    sparsity: Annotated[bool, Option("--sparsity", help="Also how sparse the data are.")] = False,
    fail_above: Annotated[
        float | None, Option(**RATE, help="Exit with 1 unless what is found is surely <= RATE.")
    ] = None,
    theta: Annotated[
        float | None, setting(**RATE, help="Also count who is named a record of similarity >= RATE.")
    ] = None,
    per_target: Annotated[bool, Option("--per-target", help="Also each target's best candidates.")] = False,
    show: Annotated[int | None, Option(metavar="N", help="Name at most N targets.")] = None,
    picture: PictureOptions,
    gates: GateOptions,
    results: ResultOptions,
    knowledge: KnowledgeOptions,
    algorithm: AlgorithmOptions,
    reading: DataOptions,
    general: GlobalOptions,
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
    from ratingpriv.attack.studies import check_study, study
    from ratingpriv.report.attack import attack_page

    reporter = general.reporter
    asked: dict[str, Any] = {
        **knowledge.drawing, "truth": truth_of(truth, release), "aux": aux, "sweep": sweep_values(sweep),
        "algorithm": algorithm.algorithm, "options": algorithm.parameters, "interval": algorithm.interval,
        "confidence": algorithm.confidence, "theta": theta, "fail_above": fail_above, "sparsity": sparsity,
    }  # fmt: skip
    check_study(release, **asked)
    gate = gates.of("attack", gated=fail_above is not None, without="--fail-above or ")
    results.check(plot=picture.plot, **gates.files)
    absent = {name: f"--{name}" for name in ("sparsity", "sweep") if not asked[name]}
    picture.check(SCHEMA, force=results.force, absent=absent)
    table = reading.read(data, reporter, timestamps=True)
    published = release and reading.read_release(release, reporter, timestamps=True)
    with reporter.progress() as progress:
        how = {**algorithm.resources, "rng": reading.seed, "progress": progress}
        findings = study(table, published, **asked, **how)
    listed = per_target or bool(show)
    most = 20 if show is None else show
    return gate.deliver(
        findings.to_dict(per_target=listed),
        lambda: attack_page(findings, data=data_arguments, show=most, per_target=listed),
        results, reporter, data=release or data, held=findings.passed is not False, picture=picture,
        frame=findings.to_frame, private=listed,
    )  # fmt: skip
