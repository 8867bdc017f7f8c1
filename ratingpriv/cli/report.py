"""``ratingpriv report``: everything that was measured, as one page for a board or for the team."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.parameters import current_context, origin
from ratingpriv.cli.options.values import file_argument, group, option, reads, writes
from ratingpriv.cli.output.invocation import answer, with_command
from ratingpriv.cli.output.reporter import note, progress_bars, wrote
from ratingpriv.cli.output.step import keep
from ratingpriv.report.wording import as_options

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditParameters

_NAMED = 20
"""So many records that break the verdict are named to the team."""


@group
class _Asked:
    """What is asked of the data, what is measured for it, and what is taken from saved results."""

    k: int | None = option("Smallest size of a neighbourhood.", metavar="K", min=1)
    epsilon: float | None = option("Largest rating distance of neighbours.")
    l: float | None = options.L
    truth: str | None = options.TRUTH
    saved: tuple[str, ...] = reads(
        "Take a result that was saved, instead of measuring again.",
        None,
        "--from",
        metavar="FILE.json",
    )
    accept: tuple[str, ...] = options.ACCEPT
    skip: tuple[
        Literal["exposure", "frontier", "attack", "utility", "verify", "recommend"], ...
    ] = option("Do not measure this; the report says so.")

    def target(
        self, known: Mapping[str, Any], *, measured: bool, **rules: Any
    ) -> AuditParameters | None:
        """Return what the data are audited for, which saved audits may say;
        without data nothing is.
        """
        from ratingpriv.report.overview.measuring import target_of

        demand = {"k": self.k, "epsilon": self.epsilon, "l": self.l}
        if measured:
            return target_of(known, **demand, **rules)
        for name, value in demand.items():
            if value is not None:
                raise ParameterError(
                    name, value, f"no --{name} without DATA: saved results have theirs"
                )
        return None


@group
class _Page:
    """Where the report goes, and for whom it is."""

    output: str | None = writes("The report: .html or .pdf.")
    internal: bool = option("For those who have the data: exact, with hashes and paths.")
    threshold: int = option("Else: numbers of people below N are not shown.", 10, min=1)
    as_json: bool = options.AS_JSON
    force: bool = options.FORCE

    def check(self) -> None:
        """Refuse, before a long read, what could not be written in the end."""
        from ratingpriv.report.overview.overview import check_report_file

        if self.output is not None:
            check_report_file(self.output, force=self.force)
        elif not self.as_json:
            raise ParameterError("output", None, "-o FILE.html or FILE.pdf, or --json")

    def deliver(self, documents: Mapping[str, Mapping[str, Any]]) -> int:
        """Write the report and print its first line, or the documents as JSON;
        return the exit code.
        """
        from ratingpriv.base.files import name_together
        from ratingpriv.report.overview import overview

        page = overview.summary(documents)
        if self.output is not None:
            audience: dict[str, Any] = {"internal": self.internal, "threshold": self.threshold}
            overview.write_report(documents, self.output, force=self.force, **audience)
            wrote(self.output)
        name_together()
        keep(lambda: with_command(overview.report_document(documents)))
        answer(overview.report_document(documents), lambda: page, as_json=self.as_json)
        return overview.exit_code(documents)


def _claimed_nulls(release: str, nulls: str) -> str:
    """Return the null rule of a report of a release: typed on the command line,
    else the one of its claim.
    """
    from ratingpriv.anonymize.release.manifest import manifest_beside

    claim = manifest_beside(release)
    # the rule "known" has its own demand, which a report of all ratings does not ask
    typed = origin(current_context(), "nulls") == "COMMANDLINE"
    if typed or claim is None or claim.target.nulls == "known":
        return nulls
    return claim.target.nulls


@together()
def run(
    *,
    data: str | None = file_argument("A file or folder of ratings. Or --from.", metavar="DATA"),
    release: str | None = reads("What was released of DATA."),
    asked: _Asked,
    page: _Page,
    diversity: options.Diversity,
    reading: options.Data,
    model: options.Model,
) -> int:
    """Report the results on DATA, and on a --release of them, on one page.

    Audits both with their exposure, searches the frontier, attacks both, measures utility, verifies
    the manifest and decides what may be published, or takes results that were saved. The page is
    one file, for anybody: no record, no rating, and no number of people below the threshold.
    --internal has everything, for those who have the data, and so has --json. ε is a distance
    between ratings, not a differential-privacy budget.

    Exits with 0 if the release (without one: the data) is as anonymous as requested, 1 if not or
    with a reservation, 2 if the input is bad.

    Examples
    --------
    ratingpriv report survey.csv --k 5 --epsilon 1 -o report.html
    ratingpriv audit survey.csv --k 5 --epsilon 1 -o audit.json
    ratingpriv report --from audit.json -o saved.html
    """
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.report.overview import Measuring, report
    from ratingpriv.report.overview.documents import read_documents

    key = options.truth_of(asked.truth, release)
    page.check()
    saved = read_documents(asked.saved)  # wrong ones are refused before a long read
    rules = {**model.words, "engine": model.engine, **dataclasses.asdict(diversity)}
    if release is not None and not {"audit", "audit_release"} & saved.keys():
        rules["nulls"] = _claimed_nulls(release, model.nulls)
    target = asked.target(saved, measured=data is not None, **rules)
    how: dict[str, Any] = {"seed": reading.seed, "named": _NAMED if page.internal else 0}
    how |= {"skip": asked.skip, "note": lambda text: note(as_options(text))}
    table = published = None
    if data is not None:
        table = reading.read(data, timestamps=True)
        published = release and reading.read_release(release, table, timestamps=True)
    with progress_bars() as progress:
        documents = report(
            table,
            published,
            target=target,
            truth=key,
            saved=asked.saved,
            accept=asked.accept,
            measuring=Measuring(**how),
            resources=Resources(**model.resources, progress=progress),
        )
    documents |= {
        part: with_command(saved_document)
        for part, saved_document in documents.items()
        if part not in saved
    }
    return page.deliver(documents)
