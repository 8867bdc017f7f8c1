"""Workbooks made for tests by openpyxl, and by hand where it would not make such a one."""

import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import openpyxl


def workbook(
    path: Path,
    sheets: dict[str, Sequence[Sequence[Any]]],
    *,
    hidden: Iterable[str] = (),
    change: Callable[[Any], None] | None = None,
) -> Path:
    """Write sheets of rows; ``change`` is called with the first one before it is saved."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if name in hidden:
            sheet.sheet_state = "hidden"
    if change is not None:
        change(book.worksheets[0])
    book.save(path)
    return path


def repacked(path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """Rewrite a workbook's parts: ``change(name, content)``; None leaves a part out."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            made = change(name, content)
            if made is not None:
                new.writestr(name, made)
    return path
