"""``ratingpriv report``: everything that was measured, as one page for a board or for the team."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.values import file_argument, option, reads, writes
from ratingpriv.cli.output.invocation import answer, with_command
from ratingpriv.cli.output.reporter import note, progress_bars, wrote
from ratingpriv.report.wording import as_options

_NAMED = 20
"""So many records that break the verdict are named to the team."""


@together()
def run(
    *,
    data: str | None = file_argument("A file or folder of ratings. Or --from.", metavar="DATA"),
    release: str | None = reads("What was released of DATA."),
    output: str | None = writes("The report: .html or .pdf."),
    k: int | None = option("Smallest size of a neighbourhood.", metavar="K", min=1),
    epsilon: float | None = option("Largest rating distance of neighbours."),
    l: float | None = options.L,
    truth: str | None = options.TRUTH,
    saved: tuple[str, ...] = reads(
        "Take a result that was saved, instead of measuring again.", None, "--from", metavar="FILE.json"
    ),
    accept: tuple[str, ...] = options.ACCEPT,
    skip: tuple[Literal["exposure", "frontier", "attack", "utility", "verify"], ...] = option(
        "Do not measure this; the report says so."
    ),
    more: tuple[Literal["recommend"], ...] = option("Measure this, too (slow).", None, "--with"),
    internal: bool = option("For those who have the data: exact, with hashes and paths."),
    threshold: int = option("Else: numbers of people below N are not shown.", 10, min=1),
    as_json: bool = options.AS_JSON,
    force: bool = options.FORCE,
    diversity: options.Diversity,
    reading: options.Data,
    model: options.Model,
) -> int:
    """Report all that was found of DATA, and of a --release of them, on one page.

    Audits both with their exposure, searches the frontier, attacks both, measures utility and verifies the
    manifest, or takes results that were saved. The page is one file, for anybody: no record, no answer, and
    no number of people below the threshold. --internal has everything, for those who have the data, and so
    has --json. ε is a distance between ratings, not a differential-privacy budget.

    Exits with 0 if the release (without one: the data) is as anonymous as requested, 1 if not or with a
    "but", 2 if the input is bad.

    Examples
    --------
    ratingpriv report survey.csv --k 5 --epsilon 1 -o report.html
    ratingpriv audit survey.csv --k 5 --epsilon 1 -o audit.json
    ratingpriv report --from audit.json -o saved.html
    """
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.base.files import name_together
    from ratingpriv.report.overview import measuring, overview
    from ratingpriv.report.overview.documents import read_documents

    key = options.truth_of(truth, release)
    if output is not None:
        overview.check_report_file(output, force=force)
    elif not as_json:
        raise ParameterError("output", None, "-o FILE.html or FILE.pdf, or --json")
    known = read_documents(saved)  # wrong ones are refused before a long read
    parameters: dict[str, Any] = {"truth": key, "saved": saved, "accept": accept}
    demand = {"k": k, "epsilon": epsilon, "l": l}
    table = published = None
    if data is not None:
        rules = {"nulls": model.nulls, "sensitive_nulls": model.sensitive_nulls, "engine": model.engine}
        parameters["target"] = measuring.target_of(known, **demand, **rules, **diversity.demands)
        table = reading.read(data, timestamps=True)
        published = release and reading.read_release(release, timestamps=True)
    for name, value in demand.items() if data is None else ():
        if value is not None:
            raise ParameterError(name, value, f"no --{name} without DATA: saved results have theirs")
    named = _NAMED if internal else 0
    how: dict[str, Any] = {"skip": skip, "more": more, "seed": reading.seed, "named": named}
    with progress_bars() as progress:
        parameters["measuring"] = measuring.Measuring(**how, note=lambda text: note(as_options(text)))
        parameters["resources"] = Resources(**model.resources, progress=progress)
        documents = measuring.report(table, published, **parameters)
    documents |= {part: with_command(one) for part, one in documents.items() if part not in known}
    page = overview.summary(documents)
    if output is not None:
        overview.write_report(documents, output, force=force, internal=internal, threshold=threshold)
        wrote(output)
    name_together()
    answer(overview.report_document(documents), lambda: page, as_json=as_json)
    return overview.exit_code(documents)
