"""From cells to records, to different rows, to the cells of a grid in which rows meet:
in Spark's own terms.

A *row* is what records have in common that are compared alike: a group, which stands for their key,
and their codes. Its *entries* are (place, count): at place 0 how many records there are, at the
place of a value of a sensitive issue how many have it
(:class:`ratingpriv.spark.comparison.SensitiveValues`). The neighbourhood of a row is the sum of the
entries of the rows that are proximate to it, in the same form.

Rows of different groups never meet. A group that is more than a task holds is dealt into *salts*,
by a hash of its rows, and every salt meets every other in a cell of a grid of their own: a task
holds a cell, however large a group is, and each two rows of a group are in one cell, one as a query
and one as a member.
"""

from __future__ import annotations

from typing import Any

from ratingpriv.spark.comparison import CODE_BYTES, Comparison, Profile
from ratingpriv.spark.session import REFUSALS, functions


def assembled(cells: Any, known: Any, profile: Profile) -> Any:
    """Return a row a record: ``record``, ``support`` and ``ratings`` (arrays),
    ``q…`` and ``s…`` (codes).

    ``cells`` and ``known`` are a :class:`ratingpriv.spark.reading.Reading`'s, as DataFrames. A cell
    that ``known`` has not, or a second one of a column, stops the run.
    """
    F = functions()  # noqa: N806 -- its usual name
    p, quasi = profile.table.n_issues, len(profile.table.quasi)
    known = known.withColumnsRenamed({"column": "known_column", "cell": "known_cell"})
    same = (F.col("column") == F.col("known_column")) & F.col("cell").eqNullSafe(
        F.col("known_cell")
    )
    unknown = (
        F.col("known_column").isNull() & F.col("column").isNotNull() & F.col("cell").isNotNull()
    )
    other_cells, twice = (F.raise_error(F.lit(text)).cast("int") for text in REFUSALS)
    level_place = F.when(unknown, other_cells).otherwise(F.col("place"))
    answers = cells.join(F.broadcast(known), same, "left").select(
        "record", level_place.alias("place"), "code"
    )
    compared = F.when(F.col("place") >= 0, F.col("place"))
    rated = F.when(
        (F.col("place") < p) & F.col("code").isNotNull() & (F.col("place") >= 0),
        F.struct("place", "code"),
    )
    other = [
        F.max(F.when(F.col("place") == p + number, F.col("code"))).alias(
            f"q{number}" if number < quasi else f"s{number - quasi}"
        )
        for number in range(quasi + len(profile.sensitive))
    ]
    records = answers.groupBy("record").agg(
        F.sort_array(F.collect_list(rated)).alias("rated"),
        F.count(compared).alias("answers"),
        F.size(F.collect_set(compared)).alias("places"),
        *other,
    )
    support = F.transform("rated", lambda one: one["place"])
    return records.select(
        "record",
        F.when(F.col("answers") > F.col("places"), F.array(twice))
        .otherwise(support)
        .alias("support"),
        F.transform("rated", lambda one: one["code"]).alias("ratings"),
        *[column for column in records.columns if column[0] in "qs"],
    )


def keyed(records: Any, profile: Profile, comparison: Comparison, seed: int = 0) -> Any:
    """Return the records with ``key``, ``grp`` (a hash of it,
    by ``seed``) and ``codes`` (an array).
    """
    F = functions()  # noqa: N806
    kinds = {"tinyint": 1 << 7, "smallint": 1 << 15, "int": 1 << 31}
    kind = next(kind for kind, most in kinds.items() if len(comparison.lo) < most)
    equal = len(profile.equal_quasi)
    # how long the support is comes first: else two keys could have one hash by any seed
    parts = [F.size("support"), F.col("support")] if comparison.separates else []
    parts += [F.coalesce(F.col(f"q{number}"), F.lit(-1)) for number in range(equal)]
    codes = F.col("ratings") if comparison.rated else F.array().cast("array<int>")
    moving = []
    for number, (first, null) in enumerate(
        zip(comparison.first_code, comparison.null_code, strict=True)
    ):
        code = F.col(f"q{equal + number}")
        parts += [code.isNull()] if comparison.separates else []
        moving.append(F.coalesce(code + first, F.lit(null).cast("int")))
    if moving:
        codes = F.concat(codes, F.array_compact(F.array(*moving)))
    codes = codes.cast(f"array<{kind}>")
    if comparison.identical:
        parts, codes = [*parts, codes], F.array().cast(f"array<{kind}>")
    named = [part.alias(f"k{number}") for number, part in enumerate(parts or [F.lit(0)])]
    return records.select(
        "*",
        F.struct(*named).alias("key"),
        F.xxhash64(F.lit(seed), *parts).alias("grp"),
        codes.alias("codes"),
    )


def rows_of(records: Any, comparison: Comparison) -> Any:
    """Return the different rows of :func:`keyed` records: ``query`` (a number), grp, key,
    codes, entries.
    """
    F = functions()  # noqa: N806
    values = [F.col(f"s{j}") + column.first for j, column in enumerate(comparison.sensitive)]
    places = F.explode(F.array_compact(F.array(F.lit(0), *values))).alias("place")
    counted = (
        records.select("grp", "key", "codes", places)
        .groupBy("grp", "key", "codes", "place")
        .agg(F.count(F.lit(1)).alias("count"))
    )
    entries = F.sort_array(F.collect_list(F.struct("place", "count"))).alias("entries")
    rows = counted.groupBy("grp", "key", "codes").agg(entries)
    return rows.withColumn("query", F.monotonically_increasing_id())


def meeting(rows: Any, comparison: Comparison, budget: int) -> Any:
    """Return rows as they meet: ``grp, i, j``, codes,
    ``query`` of those to be answered for, ``entries``.

    A cell is (grp, i, j), of ``budget`` bytes about: salt i of a group asks, salt j answers. A row
    that only asks has no entries, one that only answers no query.
    """
    F = functions()  # noqa: N806
    each = comparison.row_bytes + CODE_BYTES * F.max(F.size("codes"))
    salts = F.ceil(2 * F.count(F.lit(1)) * each / budget).cast("int")  # a cell has the rows of two
    large = rows.groupBy("grp").agg(salts.alias("salts")).where("salts > 1")
    salts, salt_own = F.coalesce(F.col("salts"), F.lit(1)), F.col("own")

    def cell(at: Any) -> Any:
        """As a query with every salt, then as a member with every other one."""
        coordinates = F.struct(salt_own.alias("i"), at.alias("j"))
        answers = F.struct(
            F.pmod(salt_own + 1 + at, F.col("salts")).alias("i"), salt_own.alias("j")
        )
        return F.when(at < F.col("salts"), coordinates).otherwise(answers)

    dealt = rows.join(F.broadcast(large), "grp", "left").withColumn("salts", salts)
    dealt = dealt.withColumn("own", F.pmod(F.xxhash64("query"), F.col("salts")).cast("int"))
    cells = F.transform(F.sequence(F.lit(0), 2 * F.col("salts") - 2), cell)
    sent = dealt.withColumn("cell", F.explode(cells))
    i, j = F.col("cell.i"), F.col("cell.j")
    return sent.select(
        "grp",
        i.alias("i"),
        j.alias("j"),
        "codes",
        F.when(i == salt_own, F.col("query")).alias("query"),
        F.when(j == salt_own, F.col("entries")).alias("entries"),
    )


def group_sizes(records: Any, *columns: str) -> tuple[tuple[int, int], ...]:
    """Return (size, groups of that size), ascending, of records that are equal in these columns."""
    F = functions()  # noqa: N806
    sizes = records.groupBy(*columns).agg(F.count(F.lit(1)).alias("size"))
    rows = sizes.groupBy("size").agg(F.count(F.lit(1)).alias("groups")).collect()
    return tuple(sorted((int(row["size"]), int(row["groups"])) for row in rows))
