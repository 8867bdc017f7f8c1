"""A kept kernel is used if it is whole, fits, and only its owner can have written it.

Else compiled anew.
"""

import importlib
import multiprocessing
import os
import pickle
import stat
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from ratingpriv.base.compute import compiling

pytestmark = pytest.mark.skipif(
    compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is compiled"
)

ARRAYS = (
    "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    left: object\n    right: "
    "object\n"
)
MODULE = """
    from {package}.arrays import Pair
    from ratingpriv.base.compute.compiling import kernel

    @kernel
    def difference(pair, out):
        out[0] = pair.left[0] - pair.right[0]
"""


class Project:
    """A package with a kernel, read anew as another process would; and what its cache did."""

    def __init__(self, folder, monkeypatch):
        from numba.core import config

        self.folder, self.name = folder / "src" / "ratingpriv_tiny", "ratingpriv_tiny"
        self.folder.mkdir(parents=True)
        (self.folder / "__init__.py").touch()
        self.write()
        monkeypatch.syspath_prepend(str(folder / "src"))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        monkeypatch.setattr(config, "CACHE_DIR", str(folder / "cache"))
        self.cache = folder / "cache"

    def write(self, arrays=ARRAYS, module=MODULE):
        (self.folder / "arrays.py").write_text(arrays, encoding="utf-8")
        text = textwrap.dedent(module).format(package=self.name)
        (self.folder / "_kernel.py").write_text(text, encoding="utf-8")

    def run(self):
        """Return the answer, and whether the kernel was "kept" or "compiled"."""
        for name in [name for name in sys.modules if name.split(".")[0] == self.name]:
            del sys.modules[name]
        importlib.invalidate_caches()
        from ratingpriv.base.compute import cache

        cache.sources_of.cache_clear()
        found = importlib.import_module(f"{self.name}._kernel")
        out = np.zeros(1)
        form = found.difference.compiled_form()
        form(found.Pair(np.array([5.0]), np.array([3.0])), out)
        return out[0], "kept" if form.stats.cache_hits else "compiled"

    def plant(self, what, monkeypatch):
        """Put a pickle of ``what`` in the kernel's place, sealed as its own."""
        from numba.core import serialize

        (only,) = self.files()
        only.unlink()
        with monkeypatch.context() as patch:
            patch.setattr(serialize, "dumps", lambda _: pickle.dumps(what))
            assert self.run() == (2, "compiled")
        return only

    def files(self):
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def project(tmp_path, monkeypatch):
    yield Project(tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.split(".")[0] == "ratingpriv_tiny"]:
        del sys.modules[name]


def test_a_kernel_is_kept_for_its_owner_alone(project):
    assert project.run() == (2, "compiled")
    assert project.run() == (2, "kept")
    (only,) = project.files()
    assert stat.S_IMODE(only.stat().st_mode) == 0o600
    assert stat.S_IMODE(only.parent.stat().st_mode) == 0o700


def test_what_a_kernel_calls_is_kept_in_it(project):
    part = """
    from {package}.arrays import Pair
    from ratingpriv.base.compute.compiling import kernel, part

    @part
    def minus(x, y):
        return x - y

    @kernel
    def apart(pair):
        return minus(pair.left[0], pair.right[0])

    @kernel
    def difference(pair, out):
        out[0] = apart(pair)
    """
    project.write(module=part)
    assert project.run() == (2, "compiled")
    assert project.run() == (2, "kept")
    assert [file.name.split("-")[0] for file in project.files()] == ["_kernel.difference"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:40],
        lambda whole: whole[:-1],
        lambda whole: whole + b"\0",
        lambda whole: bytes([whole[0] ^ 16]) + whole[1:],
        lambda whole: whole[:-100] + bytes([whole[-100] ^ 16]) + whole[-99:],
    ],
)
def test_a_damaged_file_is_compiled_anew(project, damage):
    project.run()
    (only,) = project.files()
    only.write_bytes(damage(only.read_bytes()))
    assert project.run() == (2, "compiled")
    assert project.run() == (2, "kept")
    assert project.files() == [only]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (
            {
                "arrays": ARRAYS.replace("left", "x")
                .replace("right", "left")
                .replace("x:", "right:")
            },
            -2,
        ),
        ({"module": MODULE.replace(" - ", " * ")}, 15),
    ],
)
def test_what_it_was_made_of(project, changed, found):
    project.run()
    project.write(**changed)
    assert project.run() == (found, "compiled")


@pytest.mark.parametrize(
    "naming", ["from ratingpriv_tiny.other import SIZE", 'NAMED = f"ratingpriv_tiny.other:{1}"']
)
@pytest.mark.parametrize("loaded", [False, True])
def test_constants_of_other_modules_are_what_it_was_made_of(project, naming, loaded):
    from ratingpriv.base.compute.cache import sources_of

    kernel, other = project.folder / "_kernel.py", project.folder / "other.py"
    kernel.write_text(f"{naming}\n", encoding="utf-8")
    seen = set()
    for size in (1, 2, 1):
        other.write_text(f"SIZE = {size}\n", encoding="utf-8")
        if loaded:
            importlib.import_module("ratingpriv_tiny.other")
        sources_of.cache_clear()
        seen.add(sources_of(str(kernel)))
    assert len(seen) == 2


def test_what_was_loaded_before_changes_no_kernel(project):
    """A module that is loaded late is what a kernel was made of as well:
    else each order compiles anew.
    """
    late = "\n    if False:\n        from ratingpriv_tiny.late import X\n"
    project.write(module=MODULE + late)
    (project.folder / "late.py").touch()
    assert project.run() == (2, "compiled")
    importlib.import_module("ratingpriv_tiny.late")
    from ratingpriv.base.compute import cache

    cache.sources_of.cache_clear()
    before = cache.sources_of(str(project.folder / "_kernel.py"))
    del sys.modules["ratingpriv_tiny.late"]
    cache.sources_of.cache_clear()
    assert cache.sources_of(str(project.folder / "_kernel.py")) == before


class Ran:
    """A pickle that leaves a trace when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners here")
@pytest.mark.parametrize("open_to_others", [None, "folder", "group", "owner", "link"])
def test_what_others_can_write_is_not_run(project, tmp_path, open_to_others, monkeypatch):
    from ratingpriv.base.compute.cache import refusal

    project.run()
    trace = tmp_path / "ran"
    folder = project.plant(Ran(trace), monkeypatch).parent
    if open_to_others == "owner":
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        (folder.parent / "kernels-12345").symlink_to(folder)
    elif open_to_others == "link":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        assert refusal(folder) == "it is no folder"
    elif open_to_others is not None:
        folder.chmod(0o777 if open_to_others == "folder" else 0o770)
        assert refusal(folder) == "others can write to it"
    assert project.run() == (2, "compiled")
    assert trace.exists() == (open_to_others is None)


def test_a_cache_that_cannot_be_written(project, monkeypatch):
    from ratingpriv.base.compute import cache

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "replacing", full)
    assert project.run() == (2, "compiled")
    assert project.files() == []


def _compile(queue):
    found = importlib.import_module("ratingpriv_tiny._kernel")
    out = np.zeros(1)
    found.difference.run_compiled(found.Pair(np.array([5.0]), np.array([3.0])), out)
    queue.put(out[0])


@pytest.mark.filterwarnings("ignore:.*fork")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_two_processes_at_once(project):
    start = multiprocessing.get_context("fork")
    queue = start.Queue()
    both = [start.Process(target=_compile, args=(queue,)) for _ in range(2)]
    for process in both:
        process.start()
    assert [queue.get(timeout=60) for _ in both] == [2, 2]
    for process in both:
        process.join()
    assert project.run() == (2, "kept")
    assert len(project.files()) == 1
