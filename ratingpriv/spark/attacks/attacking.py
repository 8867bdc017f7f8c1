"""Attacks on a Spark DataFrame as Narayanan and Shmatikov did them [NS08], on targets that are given.

What is known of the targets is drawn on the driver from their own records, or read from a file; every record
is then a candidate, scored where it lies (:mod:`ratingpriv.spark.attacks.scoring`). The answers are those of
:func:`ratingpriv.attack` for the same knowledge; :mod:`ratingpriv.spark.attacks.answers` says how equal.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.attack.algorithms.methods import fitting, options_of
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.evaluation.cautions import cautions, one_algorithm
from ratingpriv.attack.evaluation.experiments import check_judging
from ratingpriv.attack.evaluation.measures import Measures, measure
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.attack.knowledge.files import read_auxiliary
from ratingpriv.attack.knowledge.whole import draw_known
from ratingpriv.cautions import Caution
from ratingpriv.codebook.checking import checked_options
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError
from ratingpriv.inputs import is_device
from ratingpriv.progress import Progress
from ratingpriv.spark.attacks.answers import attack_of, judged, sharpness_of
from ratingpriv.spark.attacks.scoring import (
    Attack,
    Layout,
    Records,
    merge,
    partials_of,
    records_of_long,
    records_of_wide,
    score,
    spread,
    spreads_of,
)
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing, functions, partitions
from ratingpriv.table import RatingTable

__all__ = ["TARGETS", "AttackOnRecords", "Attacks", "attack"]

TARGETS = 1000
"""So many targets are attacked where none are named."""

_STEPS = 6
_RATING = 128  # bytes that a rating takes while it is scored, about
_MOST = 1 << 22  # ratings of all targets together that go to the driver


@dataclass(frozen=True, slots=True, eq=False)
class AttackOnRecords:
    """What one algorithm answered.

    Attributes
    ----------
    parameters : the algorithm, its parameters, and how the auxiliary information came about
    measures : success, false positives, risk; nothing is measured of disclosed profiles
    attacked : the answers; positions are those in ``record_ids``
    absent : the answers with each target's own record taken out, None if that was not tried
    truth : int64 (T,); position of each target's own record in ``record_ids``, -1 where it has none
    record_ids : polars Series; ids of the targets' own records and of all that were among the best
    names : (T,), what the targets are called
    cautions : what to know before relying on it
    """

    parameters: Mapping[str, Any]
    measures: Measures
    attacked: Attacked
    absent: Attacked | None
    truth: NDArray[np.int64]
    record_ids: pl.Series
    names: tuple[str, ...]
    cautions: tuple[Caution, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    def to_frame(self) -> pl.DataFrame:
        """Return a row a target, in the order of ``names``.

        ``target`` (its name), ``match`` (the id of the record that is named; null: no match), ``chance`` (how
        likely that is the target's own; null where it has none), ``eccentricity``, ``entropy_bits``,
        ``rank`` (null where there is none), and ``match_when_absent`` (null if that was not tried).
        """
        chance = np.where(self.truth >= 0, self.attacked.chances(self.truth), np.nan)
        numbers = {
            "chance": chance, "eccentricity": self.attacked.eccentricity,
            "entropy_bits": self.attacked.entropy_bits, "rank": self.attacked.rank_true,
        }  # fmt: skip
        named = [None if at < 0 else self.record_ids[at] for at in self.attacked.best.tolist()]
        absent = [None] * len(self.names) if self.absent is None else self.absent.matched.tolist()
        return pl.DataFrame(
            {
                "target": pl.Series(self.names, dtype=pl.String),
                "match": pl.Series(named, dtype=self.record_ids.dtype),
                **{name: pl.Series(values).fill_nan(None) for name, values in numbers.items()},
                "match_when_absent": pl.Series(absent, dtype=pl.Boolean),
            }
        )

    def __repr__(self) -> str:
        success = self.measures.success
        rate = (
            "nothing measured" if success.rate is None else f"{success.rate:.3f} of {success.of} identified"
        )
        return f"<AttackOnRecords by {self.parameters['algorithm']}: {rate}>"


@dataclass(frozen=True, slots=True, eq=False)
class Attacks:
    """What all algorithms answered, of the same targets with the same knowledge.

    Attributes
    ----------
    attacks : one by each algorithm
    records, issues : how many there are
    auxiliary : what the adversary knew; its ``targets`` are positions among the targets' own records
    could_not_attack : targets for which no attack could be made; they are never counted as safe
    reasons : how many those are, by reason
    """

    attacks: tuple[AttackOnRecords, ...]
    records: int
    issues: int
    auxiliary: Auxiliary
    could_not_attack: int
    reasons: Mapping[str, int]

    @property
    def strongest(self) -> AttackOnRecords:
        """The attack that succeeds most often; of equals the last, which names more often."""
        rates = [round(one.measures.success.rate or 0.0, 12) for one in self.attacks]
        return self.attacks[max(range(len(rates)), key=lambda place: (rates[place], place))]

    def __repr__(self) -> str:
        return f"<Attacks on {self.records} records: {self.strongest!r} the strongest of {len(self.attacks)}>"


@checks.takes_random_state
@cancellable
def attack(
    df: Any,
    *,
    aux: str | Path | None = None,
    targets: int | None = None,
    target_ids: Sequence[int | str] | None = None,
    known: int | str | None = None,
    wrong: int = 0,
    rating_error: float = 0.0,
    short: str = "skip",
    knows_count: float | None = None,
    algorithm: str | None = None,
    options: Mapping[str, Any] | None = None,
    false_positives: bool = True,
    interval: str = "wilson",
    confidence: float = 0.95,
    top: int = 10,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    issues: str | Sequence[str] | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    **columns: Any,
) -> Attacks:
    """Attack the records of a Spark DataFrame as somebody who knows a few ratings of some people.

    Implements [NS08, §4-5] as :func:`ratingpriv.attack` does. Not known to this adversary are dates and
    quasi-identifiers, nor how often an issue was rated when knowledge is drawn; and nobody looks whether the
    records that fit best are identical, so that a profile is disclosed. Whoever knows or looks at more does
    better.

    Parameters
    ----------
    df : a Spark DataFrame, a row a rating or a row a record
    aux : a CSV file of what is known (target,issue,rating), instead of drawing it; a target called as a
        record is that record
    targets : attack so many records: those with the least hash of their id and the seed; None: TARGETS
    target_ids : attack these instead
    known, wrong, rating_error, short, knows_count : what is drawn of each target's ratings, as for
        :func:`ratingpriv.attack`; of issues taken uniformly. ``known`` None: 8, or as many as the fullest
        target has
    algorithm, options, false_positives, interval, confidence : as for :func:`ratingpriv.attack`
    top : how many best candidates are kept of each target. Of equally good ones the first by id: whole
        numbers as numbers, texts by code points
    rng, random_state : the seed of the draw
    issues : names of the issues that are compared; None: all
    memory, progress, name, columns : as for :func:`ratingpriv.spark.audit`; a task that scores records holds
        what is known of all targets, too

    Raises
    ------
    ParameterError
        An argument is out of range or does not fit the data; no record has such an id.
    DataError
        The data or the file ``aux`` cannot be read.
    ResourceError
        Spark failed.
    """
    given = options_of(algorithm, options)
    for one in given.values():
        for option in ("dates", "date_tolerance"):
            if one.get(option):
                expected = "to be left out: dates are not compared on Spark"
                raise ParameterError(option, one[option], expected, "attack a sample on one machine")
    check_judging(None, interval, confidence)
    top = checks.whole_number("top", top, 1)
    resources = Resources(None, memory, progress)
    options_of_data = checked_options(None, columns)
    check_spark()
    seed = checks.seed_from(rng)
    drawing: dict[str, Any] = {
        "known": known, "wrong": wrong, "rating_error": rating_error, "knows_count": knows_count,
    }  # fmt: skip
    if aux is not None:
        _refuse_drawing({**drawing, "targets": targets, "target_ids": target_ids})
    if targets is not None and target_ids is not None:
        raise ParameterError("target_ids", "with `targets`", "one of the two")
    with failing():
        run = Run(df.sparkSession, "", resources, _STEPS)
        reading = read_frame(df, options_of_data, name=name, issues=issues, report=run.report)
        found = reading.sketch.profile
        layout = Layout(
            found.issues, found.levels, found.scale, reading.whole_ids, max(1, run.budget // _RATING)
        )
        run.report("reading the targets")
        own = _targets(reading, layout, aux, target_ids, targets, seed)
        drawn: dict[str, Any]
        if aux is None:
            made = draw_known(own.table, **drawing, short=short, rng=seed)
            auxiliary, could_not, reasons = made.auxiliary, made.could_not_attack, made.reasons
            drawn = {key: value for key, value in made.parameters.items() if key != "absent"}
            requested = {
                one: fitting(one, chosen, float(drawn["rating_error"]), None) for one, chosen in given.items()
            }
        else:
            auxiliary, could_not, reasons = read_auxiliary(aux, own.table), 0, {}
            drawn, requested = {"aux": Path(aux).name}, given
        run.report("counting who rates what")
        supports = _supports(reading, layout)
        absent = (False, True) if false_positives else (False,)
        ids = own.ids.take(pa.array(auxiliary.targets, mask=auxiliary.targets < 0))
        asked = attack_of(
            own.table, auxiliary, ids, supports, requested, absent=absent, top=top, layout=layout
        )
        answered, named = _answered(reading, asked, requested, own, run.report)
    judging: dict[str, Any] = {"interval": interval, "confidence": confidence}
    attacks = []
    truth = _places(named, ids)
    names = auxiliary.labels or tuple(str(one) for one in ids.to_pylist())
    for which in requested:
        attacked, gone = answered[which, False], answered.get((which, True))
        measures = measure(attacked, truth, records=found.records, absent=gone, **judging)
        told = {"algorithm": which, **attacked.parameters, **drawn, **judging}
        attacks.append(
            AttackOnRecords(
                told,
                measures,
                attacked,
                gone,
                truth,
                named,
                names,
                (
                    *cautions(auxiliary, measures, could_not, reasons, dates=False),
                    *_cautions(reading, algorithm),
                ),
            )
        )
    return Attacks(tuple(attacks), found.records, len(found.issues), auxiliary, could_not, reasons)


def _refuse_drawing(given: Mapping[str, Any]) -> None:
    """Refuse what says how to draw, where what is known is given."""
    for name, value in given.items():
        if value:
            raise ParameterError(name, "with `aux`", f"no `{name}`", "`aux` says what is known")


def _cautions(reading: Reading, algorithm: str | None) -> list[Caution]:
    found = [
        Caution(
            "profiles-not-compared",
            "It was not looked at whether the records that fit best are identical: a profile may be "
            "disclosed where nobody is named. Dates are not compared either",
        )
    ]
    quasi = ", ".join(one.name for one in reading.sketch.profile.quasi)
    if quasi:
        found.append(
            Caution(
                "quasi-not-known",
                f"The adversary was given no quasi-identifier ({quasi}): whoever knows some does better",
            )
        )
    if algorithm is not None:
        found.append(one_algorithm(algorithm))
    return found


def _records_of(batches: Any, reading: Reading, layout: Layout) -> Any:
    return _read(batches, reading.begin if reading.layout == "wide" else None, layout)


def _read(batches: Any, begin: Callable[[Any], Any] | None, layout: Layout) -> Any:
    """Read the batches of a task as records."""
    return records_of_long(batches, layout) if begin is None else records_of_wide(begin(batches), layout)


def _whole(reading: Reading) -> Any:
    """Return the rows, all of one record in one task, one after the other."""
    if reading.layout == "wide":
        return reading.rows
    number = partitions(reading.rows.sparkSession)
    return reading.rows.repartition(number, "record").sortWithinPartitions("record")


def _targets(
    reading: Reading,
    layout: Layout,
    aux: str | Path | None,
    target_ids: Sequence[int | str] | None,
    targets: int | None,
    seed: int,
) -> Records:
    """Bring the targets' own records to the driver, in the order of their ids."""
    F = functions()  # noqa: N806 -- its usual name
    session = reading.rows.sparkSession
    rows = reading.rows
    if aux is not None or target_ids is not None:
        wanted = _named(aux) if aux is not None else [str(one) for one in target_ids or ()]
        chosen = session.createDataFrame(pa.table({"record": pa.array(sorted(set(wanted)), pa.string())}))
    else:
        number = TARGETS if targets is None else checks.whole_number("targets", targets, 1)
        wanted = []
        if targets is not None and targets > reading.sketch.profile.records:
            expected = f"at most the {reading.sketch.profile.records} records"
            raise ParameterError("targets", targets, expected)
        ids = rows.select("record").distinct()
        chosen = ids.orderBy(F.xxhash64(F.col("record"), F.lit(str(seed))), "record").limit(number)
    mine = rows.join(F.broadcast(chosen), "record", "left_semi").sort("record")
    if reading.layout == "long":
        mine = mine.limit(_MOST + 1)
    table = mine.toArrow()
    if reading.layout == "long" and table.num_rows > _MOST:
        found = f"more than {_MOST:,} ratings of all targets together"
        raise ParameterError("targets", found, "fewer targets", "name fewer, and attack again")
    everything = replace(layout, rows=1 << 40)
    batches = table.combine_chunks().to_batches()
    parts = list(_records_of(batches, reading, everything))
    if not parts and target_ids is None and aux is not None:
        return Records(pa.array([], layout.id_type), _nobody(layout))
    if target_ids is not None:
        there = set() if not parts else {str(one) for one in parts[0].ids.to_pylist()}
        missing = [one for one in target_ids if str(one) not in there]
        if missing or not wanted:
            found = f"{len(missing)} ids that no record has" if wanted else "none"
            raise ParameterError("target_ids", found, "ids of records")
    return _by_id(parts[0])


def _by_id(records: Records) -> Records:
    """Return the records in the order of their ids."""
    import pyarrow.compute as pc

    order = pc.sort_indices(records.ids).to_numpy().astype(np.int64)
    table = records.table.take(order)
    ids = records.ids.take(order)
    return Records(ids, table.replace(record_ids=pl.Series("record", ids)))


def _nobody(layout: Layout) -> RatingTable:
    return RatingTable(
        record_ids=pl.Series("record", [], dtype=pl.Int64 if layout.whole_ids else pl.String),
        issues=layout.issues,
        indptr=np.zeros(1, dtype=np.int64),
        indices=np.empty(0, dtype=np.int32),
        codes=np.empty(0, dtype=np.uint8),
        levels=layout.levels,
        scale=layout.scale,
    )


def _named(aux: str | Path) -> list[str]:
    """Return the names in the file's first column; what is wrong with it is found when all is read."""
    if is_device(aux):
        return []
    try:
        with Path(aux).open(encoding="utf-8-sig", newline="") as file:
            return [line[0].strip() for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def _supports(reading: Reading, layout: Layout) -> NDArray[np.int64]:
    """Return how many records rate each issue, int64 (p,)."""
    F = functions()  # noqa: N806
    p = len(layout.issues)
    if reading.begin is None:
        rated = reading.rows.where(F.col("rating").isNotNull() & (F.col("issue") < p))
        counted = rated.groupBy("issue").agg(F.count(F.lit(1)).alias("raters"))
    else:
        step = functools.partial(_count, begin=reading.begin, issues=p)
        counted = reading.rows.mapInArrow(step, "issue int, raters long").groupBy("issue")
        counted = counted.agg(F.sum("raters").alias("raters"))
    table = counted.toArrow()
    supports = np.zeros(p, dtype=np.int64)
    supports[table.column("issue").to_numpy()] = table.column("raters").to_numpy()
    return supports


def _count(batches: Any, begin: Callable[[Any], Any], issues: int) -> Any:
    raters = np.zeros(issues, dtype=np.int64)
    for batch in begin(batches):
        raters += [len(batch) - batch.column(f"c{place}").null_count for place in range(issues)]
    yield pa.record_batch({"issue": pa.array(np.arange(issues), pa.int32()), "raters": pa.array(raters)})


def _answered(
    reading: Reading,
    asked: Attack,
    requested: Mapping[str, Mapping[str, Any]],
    own: Records,
    report: Callable[[str], None],
) -> tuple[dict[tuple[str, bool], Attacked], pl.Series]:
    """Let every task score its records; return the answers, and the ids that their positions stand for."""
    begin = reading.begin if reading.layout == "wide" else None
    rows, number = _whole(reading), partitions(reading.rows.sparkSession)
    kind = "long" if asked.layout.whole_ids else "string"
    schema = (
        "question int, target int, candidates long, scored long, least double, total binary, squares binary, "
        f"better long, equal long, ids array<{kind}>, scores array<double>"
    )
    report("scoring every record for every target")
    scored = rows.mapInArrow(functools.partial(_score, begin=begin, attack=asked), schema)
    merged = scored.repartition(number, "question", "target").mapInArrow(
        functools.partial(merge, attack=asked), schema
    )
    found = partials_of(merged.toArrow().to_batches(), asked.room)
    lengths = np.append(np.diff(own.table.indptr), 0)
    own_ratings = lengths[asked.known.targets]
    sharpness = sharpness_of(asked, found, own_ratings)
    spreads = {}
    if sharpness:
        report("adding up how likely every record is")
        step = functools.partial(_spread, begin=begin, attack=asked, sharpness=sharpness)
        second = rows.mapInArrow(step, "question int, target int, whole binary, product binary")
        spreads = spreads_of(second.toArrow().to_batches())
    named = {one for partial in found.values() for _, one in partial.best}
    named |= {one for one in asked.own.to_pylist() if one is not None}
    ids = sorted(named)
    series = pl.Series("record", ids, dtype=pl.Int64 if asked.layout.whole_ids else pl.String)
    return judged(asked, requested, found, spreads, own_ratings, ids), series


def _score(batches: Any, begin: Callable[[Any], Any] | None, attack: Attack) -> Any:
    return score(_read(batches, begin, attack.layout), attack)


def _spread(
    batches: Any, begin: Callable[[Any], Any] | None, attack: Attack, sharpness: Mapping[Any, Any]
) -> Any:
    return spread(_read(batches, begin, attack.layout), attack, sharpness)


def _places(named: pl.Series, ids: Any) -> NDArray[np.int64]:
    """Return where each id is in ``named``, int64; -1 for none."""
    place = {one: position for position, one in enumerate(named.to_list())}
    return np.array([-1 if one is None else place[one] for one in ids.to_pylist()], dtype=np.int64)
