"""When two identifiers are the same but for their spelling,
and which values are of one person by themselves.

Equal ones are compared after case, blanks, characters of no width and the forms that NFKC makes
one; of telephone numbers the digits count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

_TELEPHONE = re.compile(r"\s*\+?[\d ()./\u2010-\u2015-]{7,24}\s*")
_DATE = re.compile(r"\s*(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})\s*")
_SPELT = r"[^!-@\[-~]"  # what may be spelt in another way: upper case, blanks, other scripts
_TOLD = r"^\s*\+|\("  # what is written so is a telephone number, and no other number of many digits
_ADDRESS = r"^[^@]+@[^@]+$"
# of a telephone number; of one that is the same behind a country's code
_FEWEST_DIGITS, _NATIONAL = 7, 8
_COUNTRY_CODE = 3  # digits, at most

type Repeats = tuple[str, int, int]
"""A column, how many different values it has, and in how many records."""


def are_telephones(values: Iterable[str]) -> bool:
    """Return whether all values look like telephone numbers; dates do not."""
    return all(
        _TELEPHONE.fullmatch(value)
        and not _DATE.fullmatch(value)
        and sum(map(str.isdigit, value)) >= _FEWEST_DIGITS
        for value in values
    )


def same_ids(ids: pl.Series) -> tuple[int, int] | None:
    """Return how many ids are different, and how many there are,
    where some are only spelt otherwise.

    Ids are telephone numbers if all look like one, and some beyond doubt.
    """
    if ids.dtype != pl.String or not ids.str.contains(f"{_SPELT}|[+(]").any():
        return None
    present = ids.drop_nulls()
    present = folded(present, telephones=bool(present.str.contains(_TOLD).any()))
    different = present.n_unique()
    return (different, len(present)) if different < len(present) else None


def folded(values: pl.Series, *, telephones: bool) -> pl.Series:
    """Return identifiers as they are compared:
    a String series without what only spelling makes different.

    If they are ``telephones``, and all look like it, what counts are digits; with a country's code,
    behind 00, + or nothing, and without it, they are the same.
    """
    plain = values.str.normalize("NFKC").str.replace_all(r"\p{Cf}", "").str.replace_all(r"\s+", " ")
    plain = plain.str.strip_chars().str.to_lowercase().str.strip_prefix("mailto:")
    if plain.str.contains("[^\\x00-\\x7f]").any():  # ß and ss, the two small sigmas
        plain = plain.map_elements(str.casefold, return_dtype=pl.String)
    different = plain.drop_nulls().unique()
    if telephones and len(different) and are_telephones(different.to_list()):
        return plain.replace_strict(
            different, _telephones(different), default=None, return_dtype=pl.String
        )
    return plain


def compared(values: pl.Series, records: pl.Series | None = None, *, telephones: bool) -> pl.Series:
    """Return identifiers folded, without empty ones.

    Of a record that has several rows each value once.

    ``records`` : whose each value is; None: each is of another record.
    """
    owners = pl.int_range(len(values), eager=True) if records is None else records
    present = pl.DataFrame({"of": owners, "value": values}).drop_nulls()
    present = present.with_columns(folded(present["value"], telephones=telephones).alias("value"))
    present = present if records is None else present.unique()
    return present.filter(pl.col("value") != "")["value"]


def shared(name: str, values: pl.Series, records: pl.Series | None = None) -> Repeats | None:
    """Return how many different addresses or telephone numbers a column has,
    where records share one.

    None where its ``values`` are anything else, whatever the column is called; ``records`` as of
    :func:`compared`.
    """
    text = values.dtype in (pl.String, pl.Categorical) or isinstance(values.dtype, pl.Enum)
    if not text:
        return None
    values = values.cast(pl.String)
    telephones = bool(values.str.contains(_TOLD).any())
    present = compared(values, records, telephones=telephones)
    different = present.unique()
    if len(different) == len(present):
        return None
    of_persons = different.str.contains(_ADDRESS).all() or (
        telephones and different.str.contains("^[0-9]+$").all()
    )
    return (name, len(different), len(present)) if of_persons else None


def _telephones(values: pl.Series) -> pl.Series:
    """Return the digits of telephone numbers, those without a country's
    code as one that ends like them.
    """
    digits = values.str.replace_all(r"\(0\)", "").str.replace_all(r"\D", "")
    national = ~values.str.contains(r"^(\+|00)")
    digits = digits.str.strip_chars_start("0")
    international: dict[str, str] = {}
    for number in digits.filter(~national).to_list():
        for cut in range(1, _COUNTRY_CODE + 1):
            if len(number) - cut >= _NATIONAL:
                international.setdefault(number[cut:].lstrip("0"), number)
    return pl.Series(
        [
            international.get(number, number) if own else number
            for number, own in zip(digits.to_list(), national.to_list(), strict=True)
        ],
        dtype=pl.String,
    )
