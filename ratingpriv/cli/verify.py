"""``ratingpriv verify``: whether a release is what its manifest claims."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from ratingpriv.base.files import together
from ratingpriv.base.numbers import in_full
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.receiver import ReceiverOptions
from ratingpriv.cli.options.rules import AcceptOption, ResourceOptions
from ratingpriv.cli.options.values import input_file, reads
from ratingpriv.cli.output.results import ResultOptions
from ratingpriv.cli.output.step import end_of_trial

__all__ = ["run"]


@together()
def run(
    release: Annotated[
        str,
        Argument(
            metavar="RELEASE",
            parser=input_file,
            help="The released file; RELEASE.manifest.json is beside it.",
        ),
    ],
    k: Annotated[int | None, Option(metavar="K", min=1, help="Require at least this k.")] = None,
    epsilon: Annotated[
        float | None, Option(metavar="E", help="Require it at this rating distance; else as claimed.")
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        float | None, Option(metavar="L", help="Require at least this standard deviation.")
    ] = None,
    public_key: Annotated[
        str | None, reads(help="Require that the manifest is signed by this Ed25519 public key (PEM).")
    ] = None,
    accept: AcceptOption = (),
    as_json: JsonOption = False,
    force: ForceOption = False,
    *,
    gates: GateOptions,
    receiver: ReceiverOptions,
    limits: ResourceOptions,
    general: GlobalOptions,
) -> int:
    """Verify a release against its manifest, anew from its file.

    Anybody can: it needs RELEASE and RELEASE.manifest.json, nothing else. --k, --epsilon and --l require
    what you need, whatever the manifest claims, counted by your rules: where the manifest names sensitive
    items, say --sensitive or --no-sensitive. --public-key requires the publisher's signature. ε is a
    distance between ratings, not a differential-privacy budget.

    Exits with 0 if valid; 1 if the file or the manifest was changed, is not as anonymous as claimed, or does
    not meet your requirements, or with a "but"; 2 if either cannot be read, or your word is needed on how.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 2 --method suppress -o r.csv
    ratingpriv verify r.csv
    ratingpriv verify r.csv --k 5 --epsilon 1 --sensitive pay
    """
    from ratingpriv.anonymize.release.verify import verify
    from ratingpriv.report.release import verification_page

    gate = gates.of("verify", gated=True)
    results = ResultOptions(as_json=as_json, output=None, force=force)
    results.check(**gates.files)
    demands = {"k": k, "epsilon": epsilon, "l": l}
    asked = {**demands, **receiver.words, "public_key": public_key, "accept": accept, **limits.resources}
    end_of_trial()
    with general.reporter.progress() as progress:
        result = verify(release, **asked, progress=progress)
    demanded = [f"{name}={in_full(value)}" for name, value in demands.items() if value is not None]
    return gate.deliver(
        result.to_dict(), lambda: verification_page(result), results, general.reporter,
        data=release, verdict=", ".join(["as the manifest claims", *demanded]), held=result.standing.passes,
    )  # fmt: skip
