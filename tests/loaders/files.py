"""A file written for a test, and what it is refused for."""

from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError

__all__ = ["refusal", "refused", "write"]


def write(folder: Path, text: str | bytes, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(path: Path, **options: object) -> DataError | ParameterError:
    with pytest.raises((DataError, ParameterError)) as caught:
        ratingpriv.read(path, **options)
    return caught.value


def refusal(path: Path, **options: object) -> str:
    return str(refused(path, **options))
