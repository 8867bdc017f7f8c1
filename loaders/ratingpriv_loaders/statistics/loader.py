"""Loaders of SPSS, Stata and SAS files: what each begins with, and one way to read them all."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ratingpriv.codebook.raw import RawData
from ratingpriv.errors import DataError, Problem
from ratingpriv.formats import column_names
from ratingpriv.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.table import RatingTable
from ratingpriv_loaders import background
from ratingpriv_loaders.fixed_options import refuse_given
from ratingpriv_loaders.wide_or_long import TAKES, table_of_raw

__all__ = ["DtaLoader", "SasLoader", "SavLoader", "StatisticsLoader"]

_SAS = bytes.fromhex("0000000000000000 00000000c2ea8160 b31411cfbd920800 09c7318c181f1011")
_XPORT = (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!", b"HEADER RECORD*******LIBV8   HEADER RECORD!!!")
_OLD_STATA = range(104, 116)  # releases; from 117 on a file begins with <stata_dta>


class StatisticsLoader:
    """What the loaders of this package share: recognised by their first bytes, read by pyreadstat."""

    name: ClassVar[str]
    description: ClassVar[str]
    program: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    takes: ClassVar[tuple[str, ...]] = TAKES

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim what begins as such files do, or is called so."""
        if source.is_dir:
            return None
        if self.begins(source.head):
            return Detection(0.95, f"it begins as {self.program} files do")
        suffix = source.path.suffix.lower()
        called_so = not source.is_stream and suffix in self.suffixes
        return Detection(0.6, f"the name ends in {suffix}") if called_so else None

    @classmethod
    def begins(cls, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        raise NotImplementedError

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; DataError where a layout's columns are not found."""
        from ratingpriv_loaders.statistics.reading import StatisticsFile

        file = StatisticsFile(source, options, self)
        found = column_names.described(file.names, options, file=source.name, header=None)
        return dataclasses.replace(found, aside=tuple(file.beside()))

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Read all columns that are wanted, as they are."""
        from ratingpriv_loaders.statistics.reading import StatisticsFile

        refuse_given(options, ("delimiter", "header"), f"{self.program} files have no such thing")
        if not self.begins(source.head):
            found = (
                "an empty file" if not source.head else f"a file that does not begin as {self.program}'s do"
            )
            remedy = "check that it was written whole, or name another `format`"
            raise DataError(Problem(source.name, found, f"a file of {self.program}", remedy))
        with background.digest(source) as digest:
            raw = StatisticsFile(source, options, self).raw()
            return dataclasses.replace(raw, origin=dataclasses.replace(raw.origin, sha256=digest()))

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        return table_of_raw(self.raw(source, options), options)


class SavLoader(StatisticsLoader):
    """Reads SPSS's .sav and .zsav."""

    name = "sav"
    description = "SPSS .sav and .zsav: value labels, declared missing values"
    program = "SPSS"
    suffixes = (".sav", ".zsav")

    @classmethod
    def begins(cls, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        return head.startswith((b"$FL2", b"$FL3"))


class DtaLoader(StatisticsLoader):
    """Reads Stata's .dta."""

    name = "dta"
    description = "Stata .dta: value labels, extended missing values"
    program = "Stata"
    suffixes = (".dta",)

    @classmethod
    def begins(cls, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        old = len(head) > 3 and head[0] in _OLD_STATA and head[1] in (1, 2) and head[2:4] == b"\x01\x00"
        return old or head.startswith(b"<stata_dta>")


class SasLoader(StatisticsLoader):
    """Reads SAS's .sas7bdat and transport files (.xpt)."""

    name = "sas"
    description = "SAS .sas7bdat and transport files (.xpt)"
    program = "SAS"
    suffixes = (".sas7bdat", ".xpt")

    @classmethod
    def begins(cls, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        return head.startswith((_SAS, *_XPORT))
