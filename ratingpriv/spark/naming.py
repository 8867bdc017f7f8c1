"""What is said of single records: the worst of them, and a row for each, in a folder of Parquet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ratingpriv.audit.judging import Aggregates
from ratingpriv.audit.records import Violator, WorstRecords
from ratingpriv.spark.comparison import Profile
from ratingpriv.spark.session import functions
from ratingpriv.spark.work import write_whole


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of neighbourhoods: DataFrames, and the sums."""

    records: Any  # as ratingpriv.spark.records.keyed gives them
    rows: Any  # as rows_of gives them
    results: Any  # of each row, as Concluding.schema has it
    profile: Profile
    aggregates: Aggregates

    def named(self, results: Any) -> Any:
        """Return some results by record: those of its row, and ``record``."""
        queries = self.rows.select("grp", "codes", "query").join(results, "query")
        return self.records.select("grp", "codes", "record").join(queries, ["grp", "codes"])

    def write(self, spark: Any, folder: str, selection: object) -> None:
        """Write a row a record, with the columns of ``AuditResult.to_frame()``, whole or not at all."""
        F = functions()  # noqa: N806 -- its usual name
        columns = [F.col("record"), F.col("size"), F.col("satisfied")]
        for j, one in enumerate(self.profile.sensitive):
            kinds = (*(("sd",) if one.name in self._numeric else ()), "share", "distinct", "entropy")
            columns += [F.col(f"{kind}{j}").alias(f"{kind}:{one.name}") for kind in kinds]
        if selection is not None:
            columns.append(F.lit(str(selection)).alias("selection"))
        write_whole(spark, self.named(self.results).select(*columns), folder, self.profile.records)

    def worst(self, limit: int) -> WorstRecords:
        """Return the worst ``limit`` violators, and whose sensitive values are given away most.

        Of records that are equally bad those come first whose ids do: whole numbers by their value, before
        all others by their text.
        """
        F, issues = functions(), self.aggregates.issues  # noqa: N806
        whole = F.col("record").rlike("^-?(0|[1-9][0-9]*)$")
        number = F.when(whole, F.expr("try_cast(record AS decimal(38, 0))"))
        by_id = (number.isNull(), number, F.col("record"))
        least, most = F.lit(math.inf), F.lit(0.0)
        for j in range(len(issues)):
            least = F.least(least, F.col(f"sd{j}"))
            most = F.greatest(most, F.col(f"share{j}"))
        bad = self.named(self.results.where("NOT satisfied")).orderBy("size", least, -most, *by_id)
        violators = []
        for row in bad.limit(limit).collect():
            counts = [
                {issue.name: row[f"{kind}{j}"] for j, issue in enumerate(issues)}
                for kind in ("share", "distinct", "entropy")
            ]
            sd = {name: row[f"sd{j}"] for name, j in self._numeric.items()}
            violators.append(Violator(row["record"], row["size"], None if issues and not sd else sd, *counts))
        given: dict[str, tuple[int, int, str] | None] = {}
        for j, issue in enumerate(issues):
            given[issue.name] = None
            if issue.known:
                same = (F.col(f"largest{j}") == issue.largest) & (F.col(f"known{j}") == issue.known)
                first = self.named(self.results.where(same)).orderBy(*by_id).first()
                given[issue.name] = issue.largest, issue.known, first["record"]
        return WorstRecords(limit, tuple(violators), given)

    @property
    def _numeric(self) -> dict[str, int]:
        """The number of each sensitive issue that has an SD, by its name."""
        nominal = self.aggregates.parameters.sensitive_kind == "nominal"
        issues = enumerate(self.profile.sensitive)
        return {one.name: j for j, one in issues if one.labels is None and not nominal}
