"""``ratingpriv.attack``: an attack on data, or on data and their release,
and everything that it found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from msgspec import to_builtins
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.methods import options_of
from ratingpriv.attack.evaluation.experiments import (
    VARIED,
    Experiment,
    Point,
    attack_each,
    one_algorithm,
    place_of_strongest,
)
from ratingpriv.attack.evaluation.experiments import sweep as attack_at_each
from ratingpriv.attack.evaluation.group_tables import GroupTables, tables_by_key
from ratingpriv.attack.evaluation.paired import Paired, compare
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge import Auxiliary, Drawn, draw, positions_of, read_auxiliary
from ratingpriv.attack.knowledge.adversaries import ALL, Knowledge, knowledge_of
from ratingpriv.attack.sparsity import Sparsity, false_matches
from ratingpriv.attack.sparsity import sparsity as nearest_similarity
from ratingpriv.attack.strongest import strongest, whole_record
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import Columns, frame_of
from ratingpriv.base.keys import Key
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.documents.attack import GroupTables as GroupsFound
from ratingpriv.documents.attack import SuccessDifference, Theorem1, WholeRecord
from ratingpriv.documents.demands import Rate
from ratingpriv.documents.making import document_of
from ratingpriv.partition.distortion.pairing import positions_in_release

if TYPE_CHECKING:
    import polars as pl

TARGETS = 1000
"""So many targets are attacked where there are more records and no number is given."""

_SWEEP = "values by name, such as {'known': (2, 4, 8)}"
_DRAWING = ("adversary", *(one.name for one in fields(Knowledge)), "target_ids")


@dataclass(frozen=True, slots=True)
class Findings(Result):
    """Attacks, and what goes with them.

    Attributes
    ----------
    attacks : on the data: one by each algorithm, of the same targets with the same knowledge
    pairs : the same on a release, in that order, or nothing
    sweep : the strongest while knowledge varies, or nothing
    sparsity : similarity to nearest neighbours, or None
    theorem : false matches and their bound, with the sparsity
    fail_above : the success rate that is too much, or None
    whole_record : what the strongest adversary finds, in the release if there is one, else in the
        data: it is measured whatever the others know
    whole_record_before : the same in the data that a release is of; None without a release
    weaker : whether somebody asked for an adversary who knows less: the gate is about that one
        alone
    groups : what the groups of a release by swap tell, which take no key to compute; None: it is no
        such one
    """

    attacks: tuple[Experiment, ...]
    pairs: tuple[Paired, ...] = ()
    sweep: tuple[Point, ...] = ()
    sparsity: Sparsity | None = None
    theorem: tuple[Theorem1, ...] = ()
    fail_above: float | None = None
    whole_record: WholeRecord = field(kw_only=True)
    whole_record_before: WholeRecord | None = None
    weaker: bool = False
    groups: GroupTables | None = None

    @property
    def attack(self) -> Experiment:
        """The strongest attack on the data.

        Where there is a release, the one that is the strongest on it.
        """
        return self.attacks[self._place]

    @property
    def paired(self) -> Paired | None:
        """The attack that is the strongest on the release, before and after.

        None without a release.
        """
        return self.pairs[self._place] if self.pairs else None

    @property
    def judged(self) -> Experiment:
        """What the headline says: the strongest attack on the release if there is one,
        else on the data.
        """
        return self.judged_each[self._place]

    @property
    def passed(self) -> bool | None:
        """Whether the success of every attack is surely not above ``fail_above``; None without one.

        A disclosed profile is a success, whether or not a record was named
        (:meth:`Experiment.exceeds`). It is not if the upper end of an interval is above, or if no
        attack was measured. The strongest adversary is among them, unless somebody asked for one
        who knows less.
        """
        if self.fail_above is None:
            return None
        if not self.weaker and self.whole_record.success.high > self.fail_above:
            return False
        return not any(attack.exceeds(self.fail_above) for attack in self.judged_each)

    @property
    def strongest(self) -> Rate:
        """The largest share of people that anything measured here finds,
        in the release if there is one.
        """
        of_suite = self.judged.measures.success if self.paired is None else self.paired.of_released
        return strongest((self.whole_record.success, of_suite))

    def _verdict(self) -> bool | None:
        return self.passed

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.attack/2``."""
        main = (self.attack if self.paired is None else self.paired).to_dict(per_target=per_target)
        main["suite"] = [self._row(index) for index in range(len(self.attacks))]
        main["whole_record"] = to_builtins(self.whole_record_before or self.whole_record)
        if self.pairs:
            main["release"]["whole_record"] = to_builtins(self.whole_record)
        if self.groups is not None:
            main["groups"] = document_of(GroupsFound, self.groups)
        if self.sweep:
            main["sweep"] = [point.to_dict() for point in self.sweep]
        if self.sparsity is not None:
            main["sparsity"] = self.sparsity.to_dict()
            main["theorem_1"] = [document_of(Theorem1, row) for row in self.theorem]
        if self.fail_above is not None:
            main["gate"] = {"fail_above": self.fail_above, "passed": self.passed}
        return main

    def to_frame(self) -> pl.DataFrame:
        """Return one row an attack, in the order of ``attacks``:
        what stands in the JSON's ``suite``.

        Columns are called by its keys, joined by dots. ``algorithm`` (String); of success,
        wrong_match, no_match, false_positive, both_right and profile ``.rate``, ``.low``, ``.high``
        (Float64, shares from 0 to 1), ``success.count`` (Float64) and ``success.of`` (Int64);
        ``baseline``, ``lift``, ``risk.expected.rate``, ``risk.worst`` and ``entropy_bits.median``
        (Float64). With a release the same, each name after ``release.``, and ``difference.rate``,
        ``.low``, ``.high``, ``.p_value``. What was not measured is null.
        """
        columns = {("algorithm",): str, **_MEASURED}
        if self.pairs:
            columns |= {("release", *path): kind for path, kind in _MEASURED.items()}
            columns |= {("difference", name): float for name in ("rate", "low", "high", "p_value")}
        return frame_of((self._row(index) for index in range(len(self.attacks))), columns)

    def __repr__(self) -> str:
        judged, success = self.judged, self.judged.measures.success
        outcome = (
            "no target was attacked"
            if success.rate is None
            else f"{success.rate:.3f} of {success.of} re-identified"
        )
        how = f"by {judged.parameters['algorithm']}, the strongest of {len(self.attacks)}"
        return f"<Findings on {judged.dataset.name!r}: {outcome} {how}>"

    @property
    def judged_each(self) -> tuple[Experiment, ...]:
        """The attacks on the release if there is one, else on the data, one by each algorithm."""
        return tuple(pair.after for pair in self.pairs) or self.attacks

    @property
    def _place(self) -> int:
        return place_of_strongest(self.judged_each)

    def _row(self, position: int) -> dict[str, Any]:
        """Return what one algorithm did, on the data and on the release."""
        attack = self.attacks[position]
        row = {"algorithm": attack.parameters["algorithm"], **_measures(attack)}
        if self.pairs:
            pair = self.pairs[position]
            row["release"] = {
                **_measures(pair.after),
                "success_of_released": document_of(Rate, pair.of_released),
            }
            row["difference"] = document_of(SuccessDifference, pair.difference)
        return row


_MEASURED: Columns = {
    **{
        (name, one): float
        for name in (
            "success",
            "wrong_match",
            "no_match",
            "false_positive",
            "both_right",
            "profile",
        )
        for one in (
            ("rate", "low", "high", "count") if name == "success" else ("rate", "low", "high")
        )
    },
    ("success", "of"): int,
    ("baseline",): float,
    ("lift",): float,
    ("risk", "expected", "rate"): float,
    ("risk", "worst"): float,
    ("entropy_bits", "median"): float,
}
"""What a row says of an algorithm, on the data or on the release."""


def _measures(attack: Experiment) -> dict[str, Any]:
    """Return the measures but for the curve over thresholds, which is long,
    and what was inferred.
    """
    measures = attack.measures.to_dict()
    measured = {name: value for name, value in measures.items() if name != "precision_recall"}
    return {
        **measured,
        "inference": None if attack.inference is None else attack.inference.to_dict(),
    }


@checks.takes_random_state
@takes_frames
def study(
    table: TableLike,
    release: TableLike | None = None,
    *,
    truth: Key | str | None = None,
    aux: Auxiliary | str | Path | None = None,
    algorithm: str | None = None,
    options: Mapping[str, Any] | None = None,
    targets: int | str | Sequence[int] | NDArray[np.int64] | None = None,
    target_ids: Sequence[int | str] | None = None,
    adversary: str | None = None,
    known: int | str | None = None,
    wrong: int | None = None,
    rating_error: float | None = None,
    date_error: float | str | None = None,
    items: str | None = None,
    short: str | None = None,
    unrated: int | None = None,
    knows_count: float | None = None,
    knows: str | Sequence[str] | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    sparsity: bool = False,
    false_positives: bool = True,
    theta: float | None = None,
    fail_above: float | None = None,
    interval: str = "wilson",
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> Findings:
    """Attack ``table``, and its ``release`` if there is one,
    as an adversary who knows a few ratings of people.

    Implements the experiments of [NS08, §5]. What an adversary knows of some records is drawn from
    ``table`` (or given as ``aux``), each algorithm names the record that fits, and the answers are
    judged. The strongest counts. A low success is no proof of safety: it holds for these algorithms
    and this knowledge.

    Parameters
    ----------
    table : the original data, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    release : what was published of them; the same attack is repeated on it, target by target
    truth : links of released to original records: the release's key, or "ids" if it kept the
        records' ids
    aux : what is known, as an Auxiliary or a CSV file (target,issue,rating[,date]), instead of
        drawing it; the targets and all that says how to draw are then left out
    algorithm : None: all that follow. "scoreboard" (the only record that agrees with all that is
        known), "matching-set" (one of those that do), "scoreboard-rh" (the best record if it stands
        out), "entropic" (the likeliest, unless two are) or "best-candidate" (the best, of equals
        one by a coin)
    options : the algorithms' own: ``alpha``, ``rating_tolerance`` and ``date_tolerance`` of the
        first two (the tolerances are the errors of the draw by default), ``rho0``, ``d0`` and
        ``dates`` of the others, ``phi`` of scoreboard-rh; see :func:`ratingpriv.attack.scoreboard`
        and :func:`ratingpriv.attack.scoreboard_rh`
    targets : who is attacked: a number of records drawn uniformly, their positions, or "all"; None:
        all, or TARGETS of them where there are more
    target_ids : attack the records of these ids instead
    adversary : who it is, a name for what follows: one of
        :data:`ratingpriv.attack.knowledge.adversaries.ADVERSARIES`. What is said beside it goes
        before
    known, wrong, rating_error, items, short, unrated, knows_count, knows : how much is known of a
        target, and how well, as in :class:`ratingpriv.attack.Knowledge`; None: as it has it
    date_error : likewise; "none", with any adversary: no date is known
    sweep : also attack ``table`` at every combination of these values, such as
        ``{"known": (2, 4, 8)}``; the names are known, wrong, unrated, rating_error, date_error,
        items and knows_count
    sparsity : also find how similar each record's nearest neighbour is, and Theorem 1's bound
    false_positives : whether to attack once more with each target's own record taken out
    theta : θ from 0 to 1: also count for whom a record is named that is so similar to the target's
        own [NS08, Def. 2]
    fail_above : the success rate that is too much; ``passed`` says whether it is surely not above
        by any of the algorithms
    interval, confidence : "wilson" or "clopper-pearson" (exact, wider), and the confidence of all
        intervals
    rng : seed or Generator of the draw; with one seed the same targets are attacked whatever is
        known of them
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads, memory, progress : as for :func:`ratingpriv.audit`

    Returns
    -------
    Findings
        ``to_dict()`` is the JSON contract ``ratingpriv.attack/2``.

    Raises
    ------
    ParameterError
        An argument is out of range, would be ignored, or does not fit the data; the algorithm has
        no such option; ``truth`` is missing or does not belong to the release.
    DataError
        The file ``aux`` or a date in the data cannot be read.

    Examples
    --------
    >>> import ratingpriv
    >>> table = ratingpriv.read("examples/survey.csv")
    >>> found = ratingpriv.attack(table, known=6)
    >>> found.attack.parameters["algorithm"], round(found.attack.measures.success.rate, 3)
    ('matching-set', 0.814)
    >>> [one.measures.success.count for one in found.attacks if "scoreboard" in
    one.parameters["algorithm"]] [200, 4]
    """
    resources = Resources(threads, memory, progress)
    explicit: dict[str, Any] = {"known": known, "wrong": wrong, "rating_error": rating_error}
    explicit |= {"date_error": date_error, "items": items, "short": short, "unrated": unrated}
    explicit |= {"knows_count": knows_count, "knows": knows}
    varied = {} if sweep is None else dict(checks.mapping("sweep", sweep, _SWEEP))
    checks.flag("sparsity", sparsity)
    check_study(
        release, truth=truth, aux=aux, algorithm=algorithm, options=options, fail_above=fail_above,
        targets=targets, target_ids=target_ids, adversary=adversary, **explicit, sweep=varied,
    )  # fmt: skip
    judging = Judging(
        theta=theta, interval=interval, confidence=confidence, false_positives=false_positives
    )
    algorithms, seed = options_of(algorithm, options), checks.seed_from(rng)
    if aux is None:
        who: object = targets
        if target_ids is not None:
            who = positions_of(table, target_ids)
        elif targets is None and table.n_records > TARGETS:
            who = TARGETS
        elif isinstance(targets, str):
            checks.choice("targets", targets, ("all",))
            who = None
        knowledge = knowledge_of(table, adversary, {**explicit, "targets": who})
        drawn = draw(table, knowledge, rng=seed)
        if adversary is not None:
            drawn = replace(drawn, parameters={**drawn.parameters, "adversary": adversary})
    else:
        name = {} if isinstance(aux, Auxiliary) else {"aux": checks.path("aux", aux).name}
        auxiliary = aux if isinstance(aux, Auxiliary) else read_auxiliary(aux, table)
        # nothing else is drawn
        drawn = Drawn(auxiliary, {**name, "seed": seed if sparsity else None})
    attacks = attack_each(table, drawn, algorithms, judging=judging, resources=resources)
    swept: tuple[Point, ...] = ()
    if varied:
        swept = attack_at_each(
            table,
            knowledge,
            varied,
            algorithms=algorithms,
            judging=judging,
            rng=seed,
            resources=resources,
        )
    if algorithm is not None:
        attacks = (replace(attacks[0], cautions=(*attacks[0].cautions, one_algorithm(algorithm))),)
    pairs: tuple[Paired, ...] = ()
    if release is not None and truth is not None:
        pairs = compare(attacks, release, truth, resources=resources)
    full_knowledge, before = whole_record(table), None
    if release is not None and truth is not None:
        places = positions_in_release(table, release, truth)
        full_knowledge, before = whole_record(table, release, places, resources), full_knowledge
    alone, theorem = None, tuple[Theorem1, ...]()
    if sparsity:
        alone = nearest_similarity(table, rng=seed, resources=resources)
        most = min(table.n_records, TARGETS)
        theorem = false_matches(table, targets=most, rng=seed, resources=resources)
    weaker = aux is not None or adversary not in (None, "everything") or _knows_less(explicit)
    return Findings(
        attacks, pairs, swept, alone, theorem, fail_above,
        whole_record=full_knowledge, whole_record_before=before, weaker=weaker,
        groups=None if release is None else tables_by_key(table, release, truth, resources),
    )  # fmt: skip


attack = study
"""The same function, as ``ratingpriv.attack``."""


def _knows_less(explicit: Mapping[str, Any]) -> bool:
    """Whether what somebody said of an adversary is less than all there is to know."""
    given = {name for name, value in explicit.items() if value is not None and name != "short"}
    return bool(given - {"known"}) or explicit["known"] not in (None, ALL)


def check_study(release: object, **asked: Any) -> None:
    """Refuse what no data could make right of the keywords of :func:`study`;
    worth doing before reading.

    ParameterError for one that would be ignored, or that no algorithm has; or where ``truth`` is
    missing.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    options_of(asked.get("algorithm"), asked.get("options"))
    checks.share_limit("fail_above", given.get("fail_above", 0), zero=True)
    if release is not None and "truth" not in given:
        remedy = (
            "the key was written with the release; ids only if the release kept every record's id"
        )
        raise ParameterError(
            "truth", None, "a key or 'ids', which link released records to original ones", remedy
        )
    if release is None and "truth" in given:
        raise ParameterError("truth", given["truth"], "a `release` that it belongs to")
    if {"target_ids", "targets"} <= given.keys():
        raise ParameterError("target_ids", "with `targets`", "one of the two")
    varied = given.get("sweep") or {}
    for name in varied:
        checks.choice("sweep", name, VARIED)
    unused = [name for name in _DRAWING if name in given] + (["sweep"] if varied else [])
    if "aux" in given and unused:
        raise ParameterError(
            unused[0], "with `aux`", f"no `{unused[0]}`", "`aux` says what is known"
        )
