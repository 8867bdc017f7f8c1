"""``ratingpriv.attack``: an attack on data, or on data and their release, with all that goes in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.attack.algorithms.methods import check_options, fitting
from ratingpriv.attack.evaluation.experiments import experiment, run
from ratingpriv.attack.evaluation.paired import compare
from ratingpriv.attack.evaluation.sweeps import VARIED
from ratingpriv.attack.evaluation.sweeps import sweep as attack_at_each
from ratingpriv.attack.findings import Findings
from ratingpriv.attack.knowledge import Auxiliary, positions_of, read_auxiliary
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.attack.sparsity.sparsity import sparsity as nearest_similarity
from ratingpriv.attack.sparsity.theorem import FalseMatches, false_matches
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError
from ratingpriv.keys import Key
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["TARGETS", "attack", "study"]

TARGETS = 1000
"""So many targets are attacked where there are more records and no number is given."""

_KNOWLEDGE: Mapping[str, Any] = {
    "known": 8, "wrong": 0, "rating_error": 0.0, "date_error": None, "items": "uniform", "short": "skip",
    "targets": None, "target_ids": None,
}  # fmt: skip


def study(
    table: RatingTable,
    release: RatingTable | None = None,
    *,
    truth: Key | str | None = None,
    aux: Auxiliary | str | Path | None = None,
    algorithm: str = "scoreboard-rh",
    options: Mapping[str, Any] | None = None,
    targets: int | str | Sequence[int] | NDArray[np.int64] | None = None,
    target_ids: Sequence[int | str] | None = None,
    known: int = 8,
    wrong: int = 0,
    rating_error: float = 0.0,
    date_error: float | None = None,
    items: str = "uniform",
    short: str = "skip",
    sweep: Mapping[str, Sequence[Any]] | None = None,
    sparsity: bool = False,
    false_positives: bool = True,
    fail_above: float | None = None,
    interval: str = "wilson",
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Attack ``table``, and its ``release`` if there is one, as somebody who knows a few ratings of people.

    Implements the experiments of [NS08, §5]. What an adversary knows of some records is drawn from ``table``
    (or given as ``aux``), the algorithm names the record that fits, and the answers are judged. A low success
    is no proof of safety: it holds for this algorithm and this knowledge.

    Parameters
    ----------
    table : the original data
    release : what was published of them; the same attack is repeated on it, target by target
    truth : which released record is whose: the release's key, or "ids" if it kept the records' ids
    aux : what is known, as an Auxiliary or a CSV file (target,issue,rating[,date]), instead of drawing it;
        the targets and all that says how to draw are then left out
    algorithm : "scoreboard" (every known rating must agree), "scoreboard-rh" (robust, declares a record that
        stands out) or "entropic" (always the likeliest)
    options : the algorithm's own: ``alpha``, ``rating_tolerance`` and ``date_tolerance`` of scoreboard (the
        tolerances are the errors of the draw by default), ``rho0``, ``d0``, ``phi`` and ``dates`` of
        scoreboard-rh, the same without ``phi`` of entropic; see :func:`ratingpriv.attack.scoreboard` and
        :func:`ratingpriv.attack.scoreboard_rh`
    targets : who is attacked: a number of records drawn uniformly, their positions, or "all"; None: all, or
        TARGETS of them where there are more
    target_ids : attack the records of these ids instead
    known : how many ratings of a target are known
    wrong : how many of those are completely wrong
    rating_error : the others are right within so much
    date_error : their dates are right within so many days; None: no date is known
    items : of which issues: "uniform" (any), "not-top:N" (outside the N most rated) or "rarest"
    short : targets with fewer such ratings: "skip" (and count them) or "refuse"
    sweep : also attack ``table`` at every combination of these values, such as ``{"known": (2, 4, 8)}``; the
        names are known, wrong, rating_error, date_error and items
    sparsity : also find how similar each record's nearest neighbour is, and Theorem 1's bound
    false_positives : whether to attack once more with each target's own record taken out
    fail_above : the success rate that is too much; ``passed`` says whether it is surely not above
    interval, confidence : "wilson" or "clopper-pearson" (exact, wider), and the confidence of all intervals
    rng : seed or Generator of the draw; with one seed the same targets are attacked whatever is known of them
    threads, memory, progress : as for :func:`ratingpriv.audit`

    Returns
    -------
    Findings
        ``to_dict()`` is the JSON contract ``ratingpriv.attack/1``.

    Raises
    ------
    ParameterError
        An argument is out of range, would be ignored, or does not fit the data; the algorithm has no such
        option; ``truth`` is missing or does not belong to the release.
    DataError
        The file ``aux`` or a date in the data cannot be read.

    Examples
    --------
    >>> import ratingpriv
    >>> table = ratingpriv.read("examples/survey.csv")
    >>> found = ratingpriv.attack(table, known=6, algorithm="entropic")
    >>> found.attack.measures.success.count, found.attack.measures.targets
    (200, 298)
    """
    given = check_options(algorithm, options)
    resources = Resources(threads, memory, progress)
    if fail_above is not None and checks.non_negative_number("fail_above", fail_above) > 1:
        raise ParameterError("fail_above", fail_above, "a rate from 0 to 1, such as 0.05")
    knowledge: dict[str, Any] = {
        "known": known, "wrong": wrong, "rating_error": rating_error, "date_error": date_error,
        "items": items, "short": short,
    }  # fmt: skip
    varied = dict(sweep or {})
    _check_usage(release, truth, varied)
    if aux is not None:
        _check_nothing_is_drawn({**knowledge, "targets": targets, "target_ids": target_ids}, varied)
    settings: dict[str, Any] = {
        "algorithm": algorithm, "false_positives": false_positives, "interval": interval,
        "confidence": confidence,
    }  # fmt: skip
    uses: dict[str, Any] = {
        "threads": resources.threads, "memory": resources.memory, "progress": resources.progress
    }  # fmt: skip
    seed = rng if isinstance(rng, int) else int(checks.generator(rng).integers(1 << 63))
    attacked = _targets(table, targets, target_ids)
    if aux is None:
        found = run(table, **knowledge, targets=attacked, options=given, rng=seed, **settings, **uses)
        fitted = fitting(algorithm, given, rating_error, date_error)
    else:
        drawn = {} if isinstance(aux, Auxiliary) else {"aux": Path(aux).name}
        auxiliary = aux if isinstance(aux, Auxiliary) else read_auxiliary(aux, table)
        found = experiment(table, auxiliary, options=given, drawn=drawn, **settings, **uses)
        fitted = given
    paired = None
    if release is not None and truth is not None:
        paired = compare(
            found, table, release, truth, options=fitted, false_positives=false_positives, **uses
        )
    swept = None
    if varied:
        points = {**knowledge, **varied}
        swept = attack_at_each(table, **points, targets=attacked, options=given, rng=seed, **settings, **uses)
    alone: Sparsity | None = None
    theorem: tuple[FalseMatches, ...] = ()
    if sparsity:
        alone = nearest_similarity(table, rng=seed, threads=resources.threads, progress=progress)
        theorem = false_matches(
            table,
            targets=min(table.n_records, TARGETS),
            rng=seed,
            threads=resources.threads,
            progress=progress,
        )
    return Findings(found, paired, swept, alone, theorem, fail_above)


attack = study
"""The same function, as ``ratingpriv.attack``."""


def _targets(
    table: RatingTable,
    targets: int | str | Sequence[int] | NDArray[np.int64] | None,
    target_ids: Sequence[int | str] | None,
) -> int | Sequence[int] | NDArray[np.int64] | None:
    """Return who is attacked as :func:`ratingpriv.attack.draw` takes it."""
    if target_ids is not None:
        if targets is not None:
            raise ParameterError("target_ids", "with `targets`", "one of the two")
        return positions_of(table, target_ids)
    if targets is None:
        return None if table.n_records <= TARGETS else TARGETS
    if isinstance(targets, str):
        checks.choice("targets", targets, ("all",))
        return None
    return targets


def _check_usage(
    release: RatingTable | None, truth: Key | str | None, varied: Mapping[str, Sequence[Any]]
) -> None:
    """Refuse arguments that would be ignored."""
    if release is not None and truth is None:
        remedy = "the key was written with the release; ids only if the release kept every record's id"
        raise ParameterError("truth", None, "a key or 'ids', to know which released record is whose", remedy)
    if truth is not None and release is None:
        raise ParameterError("truth", truth, "a `release` that it belongs to")
    for name in varied:
        checks.choice("sweep", name, VARIED)


def _check_nothing_is_drawn(knowledge: Mapping[str, Any], varied: Mapping[str, Sequence[Any]]) -> None:
    """Refuse what says how to draw, where what is known is given."""
    unused = [name for name, value in knowledge.items() if not _same(value, _KNOWLEDGE[name])]
    if unused or varied:
        name = unused[0] if unused else "sweep"
        raise ParameterError(name, "with `aux`", f"no `{name}`", "`aux` says what is known")


def _same(value: Any, default: Any) -> bool:
    return value is default or (np.isscalar(value) and bool(value == default))
