"""The tour's releases, and the same attack on the data and on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.cli.demo.tour import Tour

if TYPE_CHECKING:
    from ratingpriv.anonymize.release.writing import Release
    from ratingpriv.attack.evaluation.experiments import Experiment
    from ratingpriv.attack.intervals import Share
    from ratingpriv.table import RatingTable

__all__ = ["FILES", "show_releases"]

_SEED = 0
_EPSILONS = {"near": 1.0, "exact": 0.0}
_TARGETS = 200

FILES = tuple(f"{name}{end}" for name in _EPSILONS for end in (".csv", ".csv.manifest.json", ".key"))
"""The files that these stops leave in the folder of the tour."""


def show_releases(tour: Tour, table: RatingTable, *, survey: str, k: int) -> None:
    """Release ``table`` twice into the tour's folder, and attack all three; commands call it ``survey``."""
    tour.say(
        "Publishing half of the questions was one way out. Another is to publish all of them and to modify "
        f"answers until {k} people are indistinguishable within a distance of 1.",
        "7. A release that keeps the promise",
    )
    cells = _release(tour, table, survey, "near", k).anonymized.distortion
    tour.say(
        f"{_answers(cells.cells_touched)} of {cells.ratings:,} were changed. The file was read again and "
        "audited before it was renamed atomically to its name; anybody can repeat that with ratingpriv "
        "verify. Rows are in a random order and have new ids; the key says which was which, and stays with "
        "you. The seed makes this tour the same each time; leave it out for a release of your own: who has "
        "the original and the seed can make the changes again. Without any distance, epsilon 0, more is "
        "changed:"
    )
    cells = _release(tour, table, survey, "exact", k).anonymized.distortion
    tour.say(f"{_answers(cells.cells_touched)}, until {k} people give exactly the same answers.")
    tour.say(
        f"Now the adversary knows all {table.n_issues} answers of a person exactly and searches for the row "
        "that fits, in each of the ways of the study of the Netflix Prize data. What counts is the way that "
        "finds most people; of rows that fit equally well it takes any.",
        "8. Attacked, before somebody else does it",
    )
    before = _attack(tour, table, survey, k)
    near, exact = (_attack(tour, table, survey, k, name) for name in _EPSILONS)
    tour.say(
        f"Of {before.measures.targets} people the strongest attack identifies "
        f"{_percent(before.measures.success)} in the survey, {_percent(near.measures.success)} in the "
        f"release for epsilon 1, and {_percent(exact.measures.success)} in the one for epsilon 0: there {k} "
        f"rows or more are equal, and any of them is right once in {k} times at most. With epsilon 1 "
        "answers differ by up to one within a group, and who knows them exactly tells people apart by just "
        "that. Attack a release before you publish it. A low number is no proof: a better attack may come."
    )


def _release(tour: Tour, table: RatingTable, survey: str, name: str, k: int) -> Release:
    """Make one of the releases, and show the command that does."""
    from ratingpriv.anonymize import modify
    from ratingpriv.anonymize.release.writing import write_release

    file, key = f"{name}.csv", f"{name}.key"
    anonymized = modify(table, k=k, epsilon=_EPSILONS[name], rng=_SEED, progress=tour.progress)
    if tour.force:  # a key is never replaced by itself: losing one is final
        (tour.folder / key).unlink(missing_ok=True)
    release = write_release(
        anonymized,
        tour.folder / file,
        original=table,
        key=tour.folder / key,
        force=tour.force,
        progress=tour.progress,
    )
    tour.command(
        f"anonymize {survey} --k {k} --epsilon {_EPSILONS[name]:g} --method modify "
        f"--seed {_SEED} -o {tour.shown(file)} --key {tour.shown(key)}",
        f"RELEASED, information loss (L1) {anonymized.distortion.total:g}",
    )
    return release


def _attack(tour: Tour, table: RatingTable, survey: str, seed: int, name: str | None = None) -> Experiment:
    """Attack the survey, or the release of that name; return the strongest attack."""
    from ratingpriv.attack import study
    from ratingpriv.formats.reading import ReadOptions, read
    from ratingpriv.keys import read_key

    command = f"attack {survey} --known {table.n_issues} --targets {_TARGETS} --seed {seed}"
    release = truth = None
    if name is not None:
        file, key = f"{name}.csv", f"{name}.key"
        release = read(tour.folder / file, options=ReadOptions(sensitive=tour.sensitive))
        truth = read_key(tour.folder / key)
        command += f" --release {tour.shown(file)} --truth {tour.shown(key)}"
    found = study(
        table,
        release,
        truth=truth,
        targets=_TARGETS,
        known=table.n_issues,
        false_positives=False,
        rng=seed,
        progress=tour.progress,
    ).judged
    tour.command(command, f"{_percent(found.measures.success)} identified")
    return found


def _answers(number: int) -> str:
    return f"{number:,} answer{'' if number == 1 else 's'}"


def _percent(share: Share) -> str:
    if share.rate is None:
        raise AssertionError("attacked nobody")
    return f"{100 * share.rate:.1f} %"
