"""``ratingpriv anonymize``: a release that holds what it claims, proved from the written file."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import secrets
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.cli import options
from ratingpriv.cli.options.parameters import given
from ratingpriv.cli.options.values import (
    RULES,
    group,
    option,
    reads,
    share,
    whole_or,
    whole_pair,
    writes,
)
from ratingpriv.cli.output.exits import STANDARD_OUTPUT
from ratingpriv.cli.output.invocation import answer, print_json, with_command
from ratingpriv.cli.output.reporter import note, progress_bars
from ratingpriv.cli.output.step import keep

if TYPE_CHECKING:
    from ratingpriv.anonymize.release.releasing import Publish
    from ratingpriv.base.target import Target
    from ratingpriv.data.table import RatingTable

_TELLS_SAMPLE = "an adversary who knows the input's order can tell from it who is in the sample"
_PUBLICATION = "Publication"
_publication = partial(option, panel=_PUBLICATION)


@group
class _Demand:
    k: int = options.K
    epsilon: float | None = option("Distance of neighbours; has a default for predictive, swap.")
    l: float | None = options.L
    accept: tuple[str, ...] = options.ACCEPT


@group
class _Method(options.GroupDiversity):
    method: Literal["modify", "suppress", "predictive", "blank", "swap"] = option(
        "How: docs/releases.md.", ...
    )
    strategy: Literal["window", "paper"] = option(
        "modify: least change, or the papers' rules.", "window"
    )
    fill: Literal["metric", "median"] = option(
        "modify: impute what is cheap, or medians.", "metric"
    )
    no_fabricate: bool = option("modify: never impute a rating where there was none.")
    scheme: Literal["pure", "padded"] = option(
        "predictive: a record gets what some of its group rated, or all, predicted.", "pure"
    )
    diversity: tuple[int, int] | None = option(
        "predictive: any B items rated together are in at least L groups.", parser=whole_pair
    )
    factors: int = option("predictive: factors of the model that predicts.", 10)
    bins: int | None = option(
        "predictive: bins that records are sorted into.", parser=whole_or("auto", None)
    )
    centres: Literal["virtual", "real"] = option(
        "predictive: the centre of a bin is a mean, or a record.", "virtual"
    )
    known: int | None = option("blank: known ratings, 1 to 4.", metavar="M", min=1)
    keep_at_least: float | None = option("blank: nothing less is released, as 50%.", parser=share)
    swap_nulls: Literal["exchange", "fill", "strict"] | None = option(
        "swap: missing ratings are exchanged, imputed or suppressed, or kept apart.", panel=RULES
    )
    groups: str | None = reads("swap: from a key, CSV, or run:DATASET/RUN.")
    withhold_at_most: float | None = option("swap: suppressed at most.", parser=share)

    def chosen(self) -> dict[str, Any]:
        """Return what the user chose, as the library takes it; the rest is up to the method."""
        typed = given() - {"method"}
        chosen = {name: value for name, value in dataclasses.asdict(self).items() if name in typed}
        chosen |= {"m": chosen.pop("known")} if "known" in chosen else {}
        return chosen | ({"fabricate": False} if chosen.pop("no_fabricate", False) else {})


@group
class _Publication:
    strip_ids: bool = _publication("A random order and no ids.")
    keep_ids: bool = _publication("The input's order and ids, which identify.")
    keep_timestamps: bool = _publication("Timestamps too, which are not anonymised.")
    key: str | None = writes("Keep privately which record became which.", panel=_PUBLICATION)
    sign: str | None = reads("Sign the manifest by this Ed25519 key (PEM).", panel=_PUBLICATION)
    order_seed: int | None = option("A secret seed, for the same file again.", panel=RULES)
    csv_safe: bool = option(
        "Refuse names and ids that a spreadsheet takes for formulas.",
        None,
        "--csv-safe/--no-csv-safe",
    )
    output_format: str | None = option("Else by RELEASE's suffix, else the input's.")
    output_layout: Literal["long", "wide"] | None = option("Else the input's.")
    labels: tuple[Literal["words", "numbers", "rounded", "exact"], ...] = option(
        "Ratings on a scale of words are written as words (the default) or numbers. predictive: "
        "the means of groups are rounded to the scale (the default), or exact.",
        panel=RULES,
    )
    utility: Literal["quick", "all", "none"] = _publication(
        "Measures of use; none: few attacks.", "quick"
    )
    found_at_most: float = option(
        "Share of people who may be re-identified.", FOUND_AT_MOST, metavar="RATE"
    )
    publish_utility: tuple[str, ...] = _publication(
        "State this measure in the manifest, in two digits; else none.", metavar="NAME|all"
    )

    @property
    def means(self) -> dict[str, str]:
        """What becomes of the means of groups, where that was said."""
        means = self._label("rounded", "exact")
        return {} if means is None else {"labels": means}

    def of(self, path: str, *, force: bool, accept: tuple[str, ...]) -> Publish:
        """Return how the release is published, checked before a long read."""
        from ratingpriv.anonymize.release.releasing import Publish

        if self.strip_ids and self.keep_ids:
            raise ParameterError("keep-ids", "with --strip-ids", "one of the two")
        names = (
            "key",
            "order_seed",
            "csv_safe",
            "sign",
            "utility",
            "publish_utility",
            "found_at_most",
        )
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        options |= {"format": self.output_format, "layout": self.output_layout}
        options["ids"] = "strip" if self.strip_ids else "keep" if self.keep_ids else "shuffle"
        labels, dated = self._label("words", "numbers") or "words", self.keep_timestamps
        return Publish(
            path=path, labels=labels, timestamps=dated, force=force, accept=accept, **options
        )

    def _label(self, *either: str) -> str | None:
        chosen = [word for word in either if word in self.labels]
        if len(chosen) > 1:
            raise ParameterError("labels", ", ".join(chosen), "one of these two")
        return chosen[0] if chosen else None


def run(
    *,
    data: str = options.DATA_FILE,
    demand: _Demand,
    how: _Method,
    output: str = writes("The file to release.", ..., metavar="RELEASE"),
    results: options.Drawn,
    publication: _Publication,
    reading: options.Data,
    rules: options.Rules,
) -> int:
    """Anonymize a dataset: make a release that is (k,ε)-anonymous.

    Modifies ratings, looking for little change, suppresses records, makes similar ones identical
    (predictive), suppresses ratings (blank), or exchanges ratings within groups of K (swap). Writes
    RELEASE and RELEASE.manifest.json, and audits what was written before it is named. Records get a
    random order and fresh ids. ε is a rating distance, not a differential-privacy budget.

    Exits with 0 if written, 1 if the target cannot be reached (nothing is written) or with a
    reservation, 2 if the input is bad.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method modify -o r.csv
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method suppress -o s.csv
    ratingpriv anonymize survey.csv --k 12 --method swap -o w.csv --key w.key
    """
    from ratingpriv.anonymize.methods import check_method_options, method_target
    from ratingpriv.anonymize.release.releasing import make_release, refuse_seed
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.report.pages import page_of

    method, chosen = how.method, how.chosen() | publication.means
    check_method_options(method, chosen, timestamps=publication.keep_timestamps)
    for name in sorted({"seed", "order_seed"} & given()):
        refuse_seed(method, name)
    asked: dict[str, Any] = {"k": demand.k, "epsilon": demand.epsilon, "l": demand.l}
    asked |= {
        "nulls": rules.nulls if "nulls" in given() else None,
        "sensitive_nulls": rules.sensitive_nulls,
    }
    target = method_target(method, chosen, **asked)
    publish = publication.of(output, force=results.force, accept=demand.accept)
    absent = {} if publication.utility == "all" else {"questions": "--utility all"}
    absent |= {"utility": "--utility quick"} if publication.utility == "none" else {}
    results.check(absent=absent)
    if results.plot and Path(results.plot).resolve() in publish.files:
        raise ParameterError(
            "plot", results.plot, "another file than the release, its manifest and its key"
        )
    seed, reading = _drawn(reading)
    table = reading.read(data, timestamps=publication.keep_timestamps)
    with _keeping_best(table, method, target, as_json=results.as_json), progress_bars() as progress:
        limits = Resources(**rules.resources, progress=progress)
        release = make_release(
            table, method, target, publish, options=chosen, seed=seed, resources=limits
        )
    content = release.to_dict()
    keep(lambda: with_command(content))
    results.draw(content)
    key = "" if publication.key is None else f", and its key {publication.key}"
    with _written(f"the release {output} and its manifest were written{key}"):
        answer(content, lambda: page_of(release, data=reading.typed), as_json=results.as_json)
    return 0 if release.standing.passes else 1


def _drawn(reading: options.Data) -> tuple[int | None, options.Data]:
    """Return the seed, None for the operating system's, and the options with one for the sample."""
    if "seed" not in given():  # who guesses it knows who of the input is in the sample
        drawn = (
            reading
            if reading.sample is None
            else dataclasses.replace(reading, seed=secrets.randbits(59))
        )
        return None, drawn
    if reading.sample is not None:
        note(f"the manifest tells the seed: {_TELLS_SAMPLE}")
    return reading.seed, reading


@contextlib.contextmanager
def _keeping_best(
    table: RatingTable, method: str, target: Target, *, as_json: bool
) -> Iterator[None]:
    """Print and keep what could be had instead, where the target is not reached."""
    from ratingpriv.anonymize.release.result import not_reached_content

    try:
        yield
    except TargetNotReachedError as error:
        best = not_reached_content(error, table, method, target)
        if as_json:
            print_json(best)
        keep(lambda: with_command(best))
        raise


@contextlib.contextmanager
def _written(what: str) -> Iterator[None]:
    """Say what is there all the same where standard output fails: nothing is to be made again."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise ResourceError(f"{STANDARD_OUTPUT}: {error.strerror}; {what}") from error
