"""Kernels are compiled one way; where compiled code cannot be kept, they work all the same."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ratingpriv.compute import compiling
from ratingpriv.compute import jit as _jit


def plus_one(number):
    return number + 1


@pytest.mark.parametrize("decorate", [compiling.compiled(), _jit.kernel])
def test_without_a_place_for_compiled_code(decorate, monkeypatch):
    whole = compiling._numba.njit
    asked = []

    def njit(*, cache=False, **flags):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function 'plus_one': no locator available")
        return whole(**flags)

    monkeypatch.setattr(compiling, "_numba", SimpleNamespace(njit=njit))
    assert decorate(plus_one)(6) == 7
    assert asked == [True, False]
