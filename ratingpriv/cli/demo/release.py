"""The tour's releases, their verification, the same attack on the data and on them, and the report."""

from __future__ import annotations

from typing import Any

from ratingpriv.cli.demo.tour import Tour
from ratingpriv.report.plain import count, percent

__all__ = ["RELEASED", "changed", "show_releases"]

_SEED = 0
_EPSILONS = {"near": 1, "exact": 0}
_TARGETS = 200

RELEASED = (
    *(f"{name}{end}" for name in _EPSILONS for end in (".csv", ".csv.manifest.json", ".key")),
    *("attack.json", "attack.svg", "report.html"),
)
"""The files that these stops leave in the folder of the tour."""


def show_releases(tour: Tour, *, k: int, known: int) -> None:
    """Release the survey twice, verify and attack that, and report; ``known``: how many answers are."""
    tour.say(
        f"Another way out is to publish all questions and to modify answers until everybody has {k} people "
        "within the distance.",
        "9. A release that keeps the promise",
    )
    near = _release(tour, "near", k)
    tour.say(
        f"{changed(near)} The seed makes this tour the same each time; leave it out for a release of your "
        "own: who has the original and the seed can make the changes again. Without any distance, more is "
        "changed:"
    )
    exact = _release(tour, "exact", k)
    tour.say(
        f"{changed(exact)} Rows are in a random order and have new ids; the key says which was which, and "
        "stays with you. Whoever gets the file can check it against its manifest:"
    )
    tour.command(f"verify {tour.at('exact.csv')}", sensitive=False)
    tour.say(
        f"Now the adversary knows all {known} answers of a person exactly and searches for the row that "
        "fits, in each of the ways of the study of the Netflix Prize data. What counts is the way that finds "
        "most people.",
        "10. Attacked, before somebody else does it",
    )
    attacks = [_attack(tour, name, known) for name in _EPSILONS]
    before, found = attacks[0], [one["release"]["success"]["rate"] for one in attacks]
    tour.say(
        f"The strongest attack identifies {percent(before['success']['rate'])} in the survey, "
        f"{percent(found[0])} in the release for epsilon 1, and {percent(found[1])} in the one for epsilon "
        f"0: there {k} rows or more are equal, and any of them is right once in {k} times at most. With "
        "epsilon 1 answers differ by up to one within a crowd, and who knows them exactly tells people apart "
        "by just that. attack.svg is a picture of the last attack, before and after. Attack a release before "
        "you publish it. A low number is no proof: a better attack may come."
    )
    tour.say(
        "For those who decide: what was asked, what was done, what it cost, what it does not prove.",
        "11. One page for everybody else",
    )
    tour.command(
        f"report {tour.at('survey.csv')} {tour.at('exact.csv')} --truth {tour.at('exact.key')} --k {k} "
        f"--epsilon 0 --skip exposure --from {tour.at('attack.json')} -o {tour.at('report.html')}"
    )


def _release(tour: Tour, name: str, k: int) -> dict[str, Any]:
    return tour.result(
        f"anonymize {tour.at('survey.csv')} --k {k} --epsilon {_EPSILONS[name]} --method modify "
        f"--seed {_SEED} -o {tour.at(f'{name}.csv')} --key {tour.at(f'{name}.key')}"
    )


def _attack(tour: Tour, name: str, known: int) -> dict[str, Any]:
    kept = f" -o {tour.at('attack.json')} --plot {tour.at('attack.svg')}" if name == "exact" else ""
    return tour.result(
        f"attack {tour.at('survey.csv')} --release {tour.at(f'{name}.csv')} --truth {tour.at(f'{name}.key')} "
        f"--known {known} --targets {_TARGETS}{kept}",
        lines=3,
    )


def changed(release: dict[str, Any]) -> str:
    """Return how many answers were changed for a release, as a sentence."""
    cells = release["cells"]
    touched = cells["changed"] + cells["filled"] + cells["erased"]
    return f"{count(touched, 'answer')} of {cells['rated']:,} {'was' if touched == 1 else 'were'} changed."
