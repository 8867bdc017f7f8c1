"""What the doctor says of compiled kernels that are kept."""

from __future__ import annotations

import hashlib
import os

import pytest

from ratingpriv.base.compute import compiling
from ratingpriv.report.doctor.kernel_cache import kernel_cache_check

pytestmark = pytest.mark.skipif(compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is kept")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder that is looked at for one of the packages."""
    from numba.core import config

    from ratingpriv.base.compute import cache
    from ratingpriv.proximity import pairwise

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    found = cache.cache_folder(pairwise.__file__)
    found.mkdir(mode=0o700, parents=True)
    return found


def test_a_sound_cache(folder):
    (folder / "x.kernel").write_bytes(hashlib.sha256(b"kernel").digest() + b"kernel")
    found = kernel_cache_check()
    assert found.works
    assert found.seen == f"{folder} can be written to, and holds 1 compiled kernels"


def test_damaged_files_are_counted(folder):
    (folder / "x.kernel").write_bytes(b"kernel")
    found = kernel_cache_check()
    assert found.works
    assert "1 of them are damaged" in found.seen


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no modes here")
def test_a_cache_that_others_can_write_fails(folder):
    folder.chmod(0o777)
    found = kernel_cache_check()
    assert not found.works
    assert f"{folder} is not used, as others can write to it" in found.seen


def test_not_used(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert kernel_cache_check().seen == "not used (NUMBA_DISABLE_JIT)"
