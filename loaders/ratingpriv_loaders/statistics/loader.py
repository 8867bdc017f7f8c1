"""Loaders of SPSS, Stata and SAS files: what each begins with, and one way to read them all."""

from __future__ import annotations

import re
from typing import ClassVar

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv_loaders.wide_or_long import TypedFile, TypedLoader

_SAS = bytes.fromhex("0000000000000000 00000000c2ea8160 b31411cfbd920800 09c7318c181f1011")
_XPORT = rb"HEADER RECORD\*{7}(LIBRARY|LIBV8  ) HEADER RECORD!!!"


class StatisticsLoader(TypedLoader):
    """What the loaders of this package share: recognised by their first bytes, read by pyreadstat."""

    start: ClassVar[bytes]
    """What such files begin with, a regular expression."""
    has_no = ("delimiter", "header")

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        return re.match(self.start, head, re.DOTALL) is not None

    def opened(self, source: Source, options: ReadOptions) -> TypedFile:
        """Open a file; DataError where it does not begin as such files do."""
        from ratingpriv_loaders.statistics.reading import StatisticsFile

        whose = self.program.removesuffix(" files")
        if not self.begins(source.head):
            found = f"a file that does not begin as {whose}'s do" if source.head else "an empty file"
            remedy = "check that it was written whole, or name another `format`"
            raise DataError(Problem(source.name, found, f"a file of {whose}", remedy))
        return StatisticsFile(source, options, self.name, whose)


class SavLoader(StatisticsLoader):
    """Reads SPSS's .sav and .zsav."""

    name = "sav"
    description = "SPSS .sav and .zsav: value labels, declared missing values"
    program, begins_as = "SPSS files", "SPSS files do"
    suffixes = (".sav", ".zsav")
    start = rb"\$FL[23]"


class DtaLoader(StatisticsLoader):
    """Reads Stata's .dta."""

    name = "dta"
    description = "Stata .dta: value labels, extended missing values"
    program, begins_as = "Stata files", "Stata files do"
    suffixes = (".dta",)
    start = rb"<stata_dta>|[\x68-\x73][\x01\x02]\x01\x00"  # releases 117 on, 104 to 115


class SasLoader(StatisticsLoader):
    """Reads SAS's .sas7bdat and transport files (.xpt)."""

    name = "sas"
    description = "SAS .sas7bdat and transport files (.xpt)"
    program, begins_as = "SAS files", "SAS files do"
    suffixes = (".sas7bdat", ".xpt")
    start = re.escape(_SAS) + b"|" + _XPORT
