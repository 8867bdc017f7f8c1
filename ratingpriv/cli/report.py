"""``ratingpriv report``: everything that was measured, as one page for a board or for the team."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.diversity import DiversityOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption, TruthOption, truth_of
from ratingpriv.cli.options.rules import AcceptOption, LOption, ModelOptions
from ratingpriv.cli.options.values import input_file, output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import ParameterError
from ratingpriv.files import together
from ratingpriv.report.wording import as_options

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters
    from ratingpriv.keys import Key
    from ratingpriv.table import RatingTable

__all__ = ["run"]

_SUFFIXES = (".html", ".pdf")
_STAGES = {
    "audit": "audit of the data, and exposure, which is the longer part",
    "audit_release": "audit of the release, and exposure",
    "frontier": "frontier, an audit for each distance",
    "attack": "attack, five of them on up to 1,000 people, which often takes longest",
    "utility": "utility, with a worthless release beside this one",
    "verify": "verification of the manifest",
    "recommend": "costs of other releases, each made and measured; far longer than all the rest",
}
"""What a stage does, and which take long."""

_NAMED = 20
"""So many records that break the verdict are named to the team."""


@together()
def run(
    *,
    data: Annotated[
        str | None,
        Argument(
            metavar="DATA", parser=input_file, help="The data: a file or directory of ratings. Or --from."
        ),
    ] = None,
    released: Annotated[
        str | None, Argument(metavar="RELEASE", parser=input_file, help="As --release.", hidden=True)
    ] = None,
    release: Annotated[
        str | None, Option("--release", metavar="FILE", parser=input_file, help="What was released of DATA.")
    ] = None,
    output: Annotated[
        str | None,
        Option("--output", "-o", metavar="FILE", parser=output_file, help="The report: .html or .pdf."),
    ] = None,
    k: Annotated[
        int | None, Option("--k", metavar="K", min=1, help="Smallest size of a neighbourhood.")
    ] = None,
    epsilon: Annotated[
        float | None, Option("--epsilon", metavar="E", help="Largest rating distance of neighbours.")
    ] = None,
    l: LOption = None,  # noqa: E741 -- the theory's word
    truth: TruthOption = None,
    saved: Annotated[
        tuple[str, ...],
        Option(
            "--from",
            metavar="FILE.json",
            parser=input_file,
            help="Take a result that was saved, instead of measuring again (repeatable).",
        ),
    ] = (),
    accept: AcceptOption = (),
    skip: Annotated[
        tuple[Literal["exposure", "frontier", "attack", "utility", "verify"], ...],
        Option("--skip", help="Do not measure this; the report says so (repeatable)."),
    ] = (),
    more: Annotated[
        tuple[Literal["recommend"], ...],
        Option("--with", help="Measure this, too: it is slow (repeatable)."),
    ] = (),
    internal: Annotated[
        bool, Option("--internal", help="For those who have the data: exact, with hashes and paths.")
    ] = False,
    threshold: Annotated[
        int,
        Option("--threshold", metavar="N", min=1, help="Else: numbers of people below N are not shown."),
    ] = 10,
    as_json: JsonOption = False,
    force: ForceOption = False,
    diversity: DiversityOptions,
    reading: DataOptions,
    model: ModelOptions,
    general: GlobalOptions,
) -> int:
    """Report all that was found of DATA, and of a --release of them, on one page.

    Audits both with their exposure, searches the frontier, attacks both, measures utility and verifies the
    manifest, or takes results that were saved. The page is one file without scripts from elsewhere, for a
    browser, for print and for a screen reader. What was not measured is said.

    It is for anybody: no record, no answer, and no number of people below the threshold. --internal has
    everything, for those who have the data, and so has --json. ε is a distance between ratings, not a
    differential-privacy budget.

    Exits with 0 if the release (without one: the data) is as anonymous as requested, 1 if not or with a
    "but", 2 if the input is bad.

    Examples
    --------
    ratingpriv report survey.csv --k 5 --epsilon 1 -o report.html
    ratingpriv audit survey.csv --k 5 --epsilon 1 -o audit.json
    ratingpriv report --from audit.json -o saved.html
    """
    from ratingpriv.report.overview.documents import read_documents
    from ratingpriv.report.overview.overview import passes, report_html
    from ratingpriv.report.pictures.canvas import check_epoch

    reporter = general.reporter
    check_epoch()
    if None not in (released, release):
        raise ParameterError("release", release, "one release")
    release = release or released
    _check(data, release, truth, saved, output, as_json, force)
    documents: dict[str, dict[str, Any]] = read_documents(saved)  # wrong ones are refused before a long read
    if data is None:
        _check_unread(k, epsilon, l)
    else:
        target = _target(k, epsilon, l, documents, model, diversity)
        parts = _Parts(
            documents, target, frozenset(skip), frozenset(more), internal, model, reading, reporter
        )
        documents = parts.measured(data, release, truth, saved)
    if not {"audit", "audit_release"} & documents.keys():
        raise ParameterError(
            "from", "no audit", "the JSON of an audit among them, or DATA with --k and --epsilon"
        )
    for part in {"audit", "audit_release"} & documents.keys():
        accepted = dict.fromkeys((*documents[part].get("accepted", ()), *accept))
        documents[part] = {**documents[part], "accepted": list(accepted)}
    if output is not None:
        html = report_html(documents, internal=internal, threshold=threshold)
        _write(html, output, force=force, private=internal)
    _print(documents, output, as_json=as_json, reporter=reporter)
    return 0 if passes(documents) else 1


def _check(
    data: str | None, release: str | None, truth: str | None, saved: tuple[str, ...], output: str | None,
    as_json: bool, force: bool,
) -> None:  # fmt: skip
    """Refuse wrong usage before anything is read."""
    from ratingpriv.files import check_writable

    if data is None and not saved:
        raise ParameterError("data", None, "DATA, or results that were saved (--from)")
    if truth is not None and release is None:
        raise ParameterError("truth", truth, "a --release that it belongs to")
    if output is None:
        if not as_json:
            raise ParameterError("output", None, "-o FILE.html or FILE.pdf, or --json")
        return
    if Path(output).suffix.lower() not in _SUFFIXES:
        remedy = "--json prints what a report is made of"
        raise ParameterError("output", output, f"a name that ends in {' or '.join(_SUFFIXES)}", remedy)
    check_writable(output, force=force)
    if Path(output).suffix.lower() == ".pdf":
        from ratingpriv.report.markup.pdf import browser

        browser()


def _check_unread(k: int | None, epsilon: float | None, l: float | None) -> None:  # noqa: E741
    """Refuse a target where nothing is measured."""
    for name, value in (("k", k), ("epsilon", epsilon), ("l", l)):
        if value is not None:
            raise ParameterError(name, value, f"no --{name} without DATA: saved results have theirs")


def _target(
    k: int | None, epsilon: float | None, l: float | None,  # noqa: E741
    documents: dict[str, dict[str, Any]], model: ModelOptions, diversity: DiversityOptions,
) -> AuditParameters:  # fmt: skip
    """Return what is asked for; a saved audit says it where options do not, and must not say otherwise."""
    from ratingpriv.audit.result import AuditParameters

    audit = documents.get("audit") or documents.get("audit_release")
    if audit is None:
        for name, value in (("k", k), ("epsilon", epsilon)):
            if value is None:
                raise ParameterError(name, None, f"--{name}, or an audit that was saved (--from)")
        assert k is not None and epsilon is not None  # noqa: S101, PT018 -- for the type checker
        return dataclasses.replace(model.target(k, epsilon, l), **diversity.demands)
    target = AuditParameters(**audit["parameters"])
    for name, value in (("k", k), ("epsilon", epsilon), ("l", l)):
        if value is not None and value != getattr(target, name):
            raise ParameterError(name, value, f"that of the saved audit, {getattr(target, name)}")
    return target


@dataclasses.dataclass(frozen=True)
class _Parts:
    """Measures what is not there yet, each part once."""

    saved: dict[str, dict[str, Any]]
    target: AuditParameters
    skip: frozenset[str]
    more: frozenset[str]
    internal: bool
    model: ModelOptions
    reading: DataOptions
    reporter: Reporter

    def measured(
        self, data: str, release: str | None, truth: str | None, saved: tuple[str, ...]
    ) -> dict[str, dict[str, Any]]:
        """Return all documents, those that were saved and those that were made."""
        from ratingpriv.cli.output.results import with_command
        from ratingpriv.report.overview.documents import read_documents

        key = truth_of(truth)
        table = self.reading.read(data, self.reporter, timestamps=True)
        published = None
        if release is not None:
            published = self.reading.read_release(release, self.reporter, timestamps=True)
        there = read_documents(saved, data=table, release=published)
        made = dict(there)
        steps = {
            part: make
            for part, make in self._steps(table, published, release, key).items()
            if part not in there
        }
        for place, (part, make) in enumerate(steps.items(), start=1):
            self.reporter.note(f"report: {place} of {len(steps)}, {_STAGES[part]}")
            made[part] = with_command(make())
        return made

    def _steps(
        self, table: RatingTable, published: RatingTable | None, release: str | None, key: Key | str | None
    ) -> dict[str, Callable[[], dict[str, Any]]]:
        """Return what is to be measured, by part."""
        steps: dict[str, Callable[[], dict[str, Any]]] = {"audit": lambda: self._audit(table)}
        if published is not None:
            steps["audit_release"] = lambda: self._audit(published)
        if "frontier" not in self.skip and self.target.nulls != "known":
            steps["frontier"] = lambda: self._frontier(table)
        if "attack" not in self.skip and table.n_ratings:
            steps["attack"] = lambda: self._attack(table, published, key)
        if published is not None and "utility" not in self.skip:
            steps["utility"] = lambda: self._utility(table, published, key)
        if release is not None and "verify" not in self.skip and Path(f"{release}.manifest.json").exists():
            steps["verify"] = lambda: self._verify(release)
        if "recommend" in self.more:
            steps["recommend"] = lambda: self._recommend(table)
        return steps

    def _audit(self, table: RatingTable) -> dict[str, Any]:
        from ratingpriv.audit import audit

        asked = dataclasses.asdict(self.target)
        unmeasured = "exposure" in self.skip or not table.n_issues
        shown = _NAMED if self.internal else 0
        with self.reporter.progress() as progress:
            how = {**asked, **self.model.resources, "progress": progress}
            try:
                found = audit(table, exposure=None if unmeasured else self.target.epsilon, **how)
            except ParameterError as error:  # of rules by which there is no exposure: the report says so
                if error.name != "exposure":
                    raise
                self.reporter.note(f"report: exposure is not measured: {as_options(error.expected)}")
                found = audit(table, **how)
            return found.to_dict(shown)

    def _frontier(self, table: RatingTable) -> dict[str, Any]:
        from ratingpriv.audit.frontier.frontier import frontier

        target = self.target
        with self.reporter.progress() as progress:
            return frontier(
                table, k=target.k, l=target.l, partition=False, nulls=target.nulls,
                sensitive_nulls=target.sensitive_nulls, **self.model.resources, progress=progress,
            ).to_dict(named=False)  # fmt: skip

    def _attack(
        self, table: RatingTable, published: RatingTable | None, key: Key | str | None
    ) -> dict[str, Any]:
        from ratingpriv.attack import study

        with self.reporter.progress() as progress:
            return study(
                table, None if key is None else published, truth=None if published is None else key,
                rng=self.reading.seed, **self.model.resources, progress=progress,
            ).to_dict()  # fmt: skip

    def _utility(self, table: RatingTable, published: RatingTable, key: Key | str | None) -> dict[str, Any]:
        from ratingpriv.utility.utility import utility

        nulls = self.target.nulls if self.target.nulls != "known" else "strict"
        with self.reporter.progress() as progress:
            return utility(
                table, published, truth=key, epsilon=self.target.epsilon, nulls=nulls,
                rng=self.reading.seed, **self.model.resources, progress=progress,
            ).to_dict()  # fmt: skip

    def _verify(self, release: str) -> dict[str, Any]:
        from ratingpriv.anonymize.release.verify import verify

        with self.reporter.progress() as progress:
            return verify(release, **self.model.resources, progress=progress).to_dict()

    def _recommend(self, table: RatingTable) -> dict[str, Any]:
        from ratingpriv.recommend.recommend import recommend

        with self.reporter.progress() as progress:
            return recommend(
                table, l=self.target.l, nulls=self.target.nulls, rng=self.reading.seed,
                **self.model.resources, progress=progress,
            ).to_dict()  # fmt: skip


def _write(html: str, output: str, *, force: bool, private: bool) -> None:
    """Write the report, whole or not at all; an internal one is the user's alone."""
    from ratingpriv.report.markup.pdf import print_pdf
    from ratingpriv.report.plain import write_text

    if Path(output).suffix.lower() == ".pdf":
        print_pdf(html, output, force=force, private=private)
    else:
        write_text(html, output, force=force, private=private)


def _print(
    documents: dict[str, dict[str, Any]],
    output: str | None,
    *,
    as_json: bool,
    reporter: Reporter,
) -> None:
    from ratingpriv.cli.output.results import print_json
    from ratingpriv.files import name_together
    from ratingpriv.report.overview.overview import report_document, summary
    from ratingpriv.report.text import print_page

    name_together()
    if output is not None:
        reporter.wrote(output)
    if as_json:
        print_json(report_document(documents))
    else:
        print_page(summary(documents), sys.stdout)
