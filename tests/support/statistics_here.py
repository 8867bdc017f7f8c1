"""Files of SPSS, Stata and SAS read in the tests' own process: starting one costs a second."""

from __future__ import annotations

import io

import pytest

from ratingpriv_loaders.statistics import reader

__all__ = ["read_here"]


def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have such files read in this process."""

    def run(given: bytes) -> bytes:
        answers = io.BytesIO()
        reader._answer(io.BytesIO(given), answers)
        return answers.getvalue()

    monkeypatch.setattr(reader, "_run", run)
