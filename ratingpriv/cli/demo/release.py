"""Two stops of the tour: releases that keep a promise, and the same attack on the data and on them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratingpriv.anonymize.release.writing import Release
    from ratingpriv.attack.evaluation.experiments import Experiment
    from ratingpriv.attack.evaluation.paired import Paired
    from ratingpriv.attack.intervals import Share
    from ratingpriv.progress import Progress
    from ratingpriv.table import RatingTable

__all__ = ["FILES", "show_releases"]

_EPSILONS = {"near": 1.0, "exact": 0.0}
_ALGORITHM = "entropic"
_TARGETS = 500

FILES = tuple(f"{name}{end}" for name in _EPSILONS for end in (".csv", ".csv.manifest.json", ".key"))
"""The files that these stops leave in the folder of the tour."""

_Say = Callable[[str | None, str], None]


@dataclass(frozen=True, slots=True)
class _Stop:
    """What both stops need: the data, where files are and are shown to be, and how things are told."""

    table: RatingTable
    folder: Path
    survey: Path
    shown_in: Path
    sensitive: Sequence[str]
    force: bool
    write: Callable[[str], object]
    say: _Say
    progress: Progress | None

    def command(self, text: str, verdict: str) -> None:
        columns = " ".join(f"--sensitive {name}" for name in self.sensitive)
        self.write(f"\n    $ ratingpriv {text} {columns}\n    {verdict}\n")

    def shown(self, name: str) -> str:
        return shlex.quote(str(self.shown_in / name))


def show_releases(
    table: RatingTable,
    folder: Path,
    *,
    k: int,
    survey: Path,
    shown_in: Path,
    sensitive: Sequence[str],
    force: bool,
    write: Callable[[str], object],
    say: _Say,
    progress: Progress | None,
) -> None:
    """Release ``table`` twice into ``folder``, and attack all three; commands are for ``shown_in``."""
    stop = _Stop(table, folder, survey, shown_in, sensitive, force, write, say, progress)
    near = _release(stop, "near", k)
    cells = near.anonymized.distortion
    say(
        "7. A release that keeps the promise",
        f"Publishing half of the questions was one way out. Another is to publish all of them and to change "
        f"as little as possible until {k} people are alike within a distance of 1.",
    )
    _show(stop, "near", near, k)
    write("\n")
    say(
        None,
        f"{_many(cells.cells_touched, 'answer')} of {cells.cells:,} had to change. The file was read again "
        "and audited before it got its name; anybody can repeat that with ratingpriv verify. Rows are in a "
        "random order and have new ids; the key says which was which, and stays with you.",
    )
    exact = _release(stop, "exact", k)
    cells = exact.anonymized.distortion
    say(
        None,
        f"If {k} people shall give exactly the same answers, epsilon 0, more has to change: "
        f"{_many(cells.cells_touched, 'answer')}.",
    )
    _show(stop, "exact", exact, k)
    say(
        "8. Attacked, before somebody else does it",
        f"Now the adversary knows all {table.n_issues} answers of a person exactly, looks for the row that "
        "fits best, as was done to the Netflix Prize data, and names it if no other row fits as well.",
    )
    before = _attack(stop, k)
    after = {name: _attack_release(stop, before, name) for name in _EPSILONS}
    write("\n")
    say(
        None,
        f"Of {before.measures.targets} people the attack finds {_percent(before.measures.success)} in the "
        f"survey, {_percent(after['near'].after.measures.success)} in the release for epsilon 1, and "
        f"{_percent(after['exact'].after.measures.success)} in the one for epsilon 0. The first release "
        "promised something against who may be off by one, and this adversary is not. Choose epsilon by "
        "what you fear, and attack the release before you publish it. A low number is no proof: a better "
        "attack may come.",
    )


def _release(stop: _Stop, name: str, k: int) -> Release:
    """Make one of the releases."""
    from ratingpriv.anonymize.modification.modify import modify
    from ratingpriv.anonymize.release.writing import write_release

    anonymized = modify(stop.table, k=k, epsilon=_EPSILONS[name], progress=stop.progress)
    if stop.force:  # a key is never replaced by itself: losing one is final
        (stop.folder / f"{name}.key").unlink(missing_ok=True)
    return write_release(
        anonymized,
        stop.folder / f"{name}.csv",
        original=stop.table,
        key=stop.folder / f"{name}.key",
        force=stop.force,
        progress=stop.progress,
    )


def _show(stop: _Stop, name: str, release: Release, k: int) -> None:
    options = f"--k {k} --epsilon {_EPSILONS[name]:g} --method modify"
    files = f"-o {stop.shown(f'{name}.csv')} --key {stop.shown(f'{name}.key')}"
    stop.command(
        f"anonymize {shlex.quote(str(stop.survey))} {options} {files}",
        f"RELEASED, distortion {release.anonymized.distortion.total:g}",
    )


def _attack(stop: _Stop, k: int) -> Experiment:
    """Attack the survey."""
    from ratingpriv.attack.evaluation.experiments import run

    known = stop.table.n_issues
    found = run(
        stop.table,
        algorithm=_ALGORITHM,
        targets=_TARGETS,
        known=known,
        false_positives=False,
        rng=k,
        progress=stop.progress,
    )
    options = f"--algorithm {_ALGORITHM} --known {known} --targets {_TARGETS} --seed {k}"
    stop.command(
        f"attack {shlex.quote(str(stop.survey))} {options}", f"{_percent(found.measures.success)} identified"
    )
    return found


def _attack_release(stop: _Stop, before: Experiment, name: str) -> Paired:
    """Repeat the attack on a release."""
    from ratingpriv.attack.evaluation.paired import compare
    from ratingpriv.formats.reading import ReadOptions, read
    from ratingpriv.keys import read_key

    release = read(stop.folder / f"{name}.csv", options=ReadOptions(sensitive=tuple(stop.sensitive)))
    paired = compare(
        before,
        stop.table,
        release,
        read_key(stop.folder / f"{name}.key"),
        false_positives=False,
        progress=stop.progress,
    )
    asked = before.parameters
    options = (
        f"--algorithm {_ALGORITHM} --known {asked['known']} --targets {_TARGETS} --seed {asked['seed']} "
        f"--release {stop.shown(f'{name}.csv')} --truth {stop.shown(f'{name}.key')}"
    )
    stop.command(
        f"attack {shlex.quote(str(stop.survey))} {options}",
        f"{_percent(paired.after.measures.success)} identified",
    )
    return paired


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _percent(share: Share) -> str:
    if share.rate is None:
        raise AssertionError("attacked nobody")
    return f"{100 * share.rate:.1f} %"
