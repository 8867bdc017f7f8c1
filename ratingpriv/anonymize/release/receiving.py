"""What a receiver says of how a release is to be read and counted, and what the columns are by that word.

A manifest's word on a column is enough for its claim, which is shown with it. A demand takes from it only
what cannot make the demand smaller: that records have to be *equal* on a column. A tolerance, the order of
words that no usual scale has, that categories are not numbers, and that a column is audited by nobody, are
the receiver's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import polars as pl

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.codebook import Codebook, quasi_rule
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.data.table.building.problems import listed_names

_LEFT_OUT = ("identifier", "drop")
_RELEASED = ("rating", "quasi", "sensitive", "carry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """What the receiver says of how the release is to be read; None is nothing.

    Attributes
    ----------
    layout, id, issue, rating : as :class:`ratingpriv.data.codebook.options.ReadOptions` has them
    sensitive : names of sensitive issues; empty: none is
    scale : (minimum, maximum)
    quasi : quasi-identifiers, ``NAME`` or ``NAME=WITHIN``; None: nothing is said
    carry : carried columns that are accepted
    codebook : what columns are; of the release's own columns only, and without its recodes: the release has
        recoded values
    """

    layout: str | None = None
    id: str | None = None
    issue: str | None = None
    rating: str | None = None
    sensitive: tuple[str, ...] | None = None
    scale: tuple[float, float] | None = None
    quasi: tuple[str, ...] | None = None
    carry: tuple[str, ...] = ()
    codebook: Codebook | None = None
    columns: Mapping[str, ColumnSpec] = field(default_factory=lambda: MappingProxyType({}))
    """What quasi, carry and codebook say of each column of the release (:meth:`of`)."""

    @property
    def demands(self) -> bool:
        """Whether something is said that only a demand is counted by."""
        words = (self.sensitive, self.scale, self.quasi, self.codebook)
        return bool(self.carry) or any(one is not None for one in words)

    def of(self, names: Sequence[str]) -> dict[str, ColumnSpec]:
        """Return what is said of each of these columns, options over the codebook.

        Raises
        ------
        ParameterError
            A column is named that the release does not have, or is named twice.
        """
        columns: dict[str, ColumnSpec] = {}
        for name in names if self.codebook is not None else ():
            spec = self.codebook.spec_of(name) if self.codebook is not None else ColumnSpec()
            if spec.role is not None or spec.labels:
                columns[name] = ColumnSpec(
                    role=spec.role, kind=spec.kind, within=spec.within, labels=spec.labels,
                    scale=spec.scale if spec.role == "sensitive" else None,
                )  # fmt: skip
        by_option: dict[str, str] = {}
        for option, name, spec in self._by_options(names):
            if name not in names:
                raise ParameterError(option, name, "a column of the release, by its name")
            if name in by_option:
                raise ParameterError(option, name, "one role a column", f"see `{by_option[name]}`")
            by_option[name] = option
            before = columns.get(name, ColumnSpec())
            same = before.role == spec.role
            columns[name] = ColumnSpec(
                role=spec.role,
                kind=before.kind if same else None,
                within=spec.within,
                labels=before.labels if same else (),
            )
        return columns

    def _by_options(self, names: Sequence[str]) -> Iterator[tuple[str, str, ColumnSpec]]:
        for text in self.quasi or ():
            name, within = (text, None) if text in names else quasi_rule(text)
            yield "quasi", name, ColumnSpec(role="quasi", within=within)
        for name in self.carry:
            yield "carry", name, ColumnSpec(role="carry")


def demanded_columns(
    table: RatingTable,
    stated: Mapping[str, ColumnSpec],
    said: Mapping[str, ColumnSpec],
    sensitive: Sequence[str],
) -> dict[str, ColumnSpec]:
    """Return what each column is for a demand, those that are plain numbers on a scale left out.

    Parameters
    ----------
    table : the release, as its manifest has it read
    stated : what the manifest states of columns
    said : what the receiver says of them
    sensitive : which of them are sensitive, by the receiver's word

    Raises
    ------
    ParameterError
        The manifest alone says by how much records may differ on a column; or a column of categories that it
        takes for sensitive is not, and nobody says what it is.
    """
    loose = [name for name, one in stated.items() if one.within is not None and name not in said]
    if loose:
        rules = [f"{name}={stated[name].within:.15g}" for name in loose]
        raise ParameterError(
            "quasi",
            f"a manifest by whose word alone records may differ on {listed_names(loose)}",
            "your word on by how much",
            f"say `quasi={rules}` if they may, or less, or the names alone if they must be equal",
        )
    values = attribute_columns(table)
    columns: dict[str, ColumnSpec] = {}
    for name in dict.fromkeys((*stated, *said, *sensitive)):
        spec = said.get(name, ColumnSpec())
        role = spec.role if spec.role in _RELEASED else stated.get(name, ColumnSpec()).role
        texts = name in values and not _are_numbers(values[name])
        if name in sensitive:
            kind = "nominal" if texts else spec.kind
            worded = kind or spec.labels
            columns[name] = ColumnSpec(
                role="sensitive", kind=kind, labels=() if kind else spec.labels,
                scale=None if worded else spec.scale,
            )  # fmt: skip
        elif role == "sensitive" and texts:
            expected = "sensitive, or a quasi-identifier (`quasi`), as its values are no numbers"
            raise ParameterError("sensitive", f"without {shown_name(name)}", expected)
        elif role == "quasi":
            columns[name] = ColumnSpec(role=role, within=spec.within)
        elif role == "carry":
            columns[name] = ColumnSpec(role=role)
        elif spec.labels:
            columns[name] = ColumnSpec(role="rating", labels=spec.labels)
        elif role is not None:
            columns[name] = ColumnSpec(role="rating")
    return columns


def refused_columns(demanded: Mapping[str, ColumnSpec], said: Mapping[str, ColumnSpec]) -> Iterator[str]:
    """Yield which columns of a release fail a demand whatever is counted, a sentence each."""
    carried = [name for name, spec in demanded.items() if spec.role == "carry"]
    unasked = [name for name in carried if said.get(name, ColumnSpec()).role != "carry"]
    if unasked:
        yield (
            f"the release carries columns that nobody audited ({listed_names(unasked)}): your demand says "
            f"nothing of them; accept them with `carry={unasked}`, or say what they are"
        )
    left_out = [name for name, spec in said.items() if spec.role in _LEFT_OUT]
    if left_out:
        yield f"the release has columns that your codebook leaves out: {listed_names(left_out)}"


def _are_numbers(values: pl.Series) -> bool:
    """Whether all values are numbers, or read as some."""
    numbers: Any = values.cast(pl.Float64, strict=False)
    return bool(numbers.null_count() == values.null_count())
