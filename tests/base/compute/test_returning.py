"""Memory that is free is given back, and nothing else."""

import ctypes
import sys

import numpy as np
import pyarrow as pa
import pytest

from ratingpriv.base.compute import resources


def test_what_is_in_use_stays():
    numbers, cells = np.arange(1 << 16), pa.array(range(1000))
    resources.return_memory()
    assert numbers[-1] == (1 << 16) - 1
    assert cells[-1].as_py() == 999


def test_arrow_is_not_loaded_for_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    resources.return_memory()
    assert "pyarrow" not in sys.modules


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_c_library_that_cannot(monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    resources.return_memory()
