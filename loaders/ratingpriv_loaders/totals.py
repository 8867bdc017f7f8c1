"""Lines of totals and averages below a table: nobody's record, known by the word in front."""

from __future__ import annotations

import re

from ratingpriv.errors import Problem

__all__ = ["LAST", "TOTALS", "is_total", "total_line"]

LAST = 5
"""Rows at the end of a table that may be such lines."""

TOTALS = frozenset(
    (
        "total", "totals", "grand total", "subtotal", "sum", "average", "avg", "mean", "median", "std. dev",
        "standard deviation", "std dev", "std. deviation", "stdev", "count",
        "anzahl", "minimum", "maximum", "gesamt", "gesamtsumme", "summe", "mittelwert",
        "durchschnitt", "standardabweichung", "total général", "total general", "somme", "moyenne", "médiane",
        "suma", "promedio", "media", "mediana", "soma", "média", "totale", "somma", "totaal", "gemiddelde",
        "razem", "średnia", "summa", "medelvärde", "keskiarvo", "toplam", "ortalama", "итого", "всего",
        "сумма", "среднее", "合計", "平均", "总计", "總計",
    )
)  # fmt: skip
"""Words in front of a line that is no record, but made of the others."""

_COUNT = re.compile(r"n\s*=\s*\d+", re.IGNORECASE)


def is_total(text: str) -> bool:
    """Whether a text in front of a line says that it is made of the others: "Total", "n = 120"."""
    return text.strip(" \t:=.").casefold() in TOTALS or _COUNT.fullmatch(text.strip()) is not None


def total_line(file: str, line: int | None) -> Problem:
    """Return the Problem of such a line."""
    remedy = "delete the line: a sum or a mean of the others is nobody's record"
    return Problem(file, "a line of totals or averages", "a record, as in the lines above", remedy, line)
