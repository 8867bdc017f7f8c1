"""Kernels have two forms with the same answers.

Small data never load numba, large data are compiled.

Where compiled code cannot be kept, kernels work all the same.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.compute import compiling
from ratingpriv.base.compute.bitsets import and_rows, any_bit, common, common_to_three, popcount
from ratingpriv.base.compute.compiling import (
    SEARCH,
    compiled,
    kernel,
    part,
    pinned,
    routine,
    search_kernel,
)

ROOT = Path(__file__).resolve().parents[3]
STEP = 1


def plus_one(number):
    return number + STEP


@part
def _twice(x):
    return x + x


@routine
def _thrice(x):
    return _twice(x) + x


@kernel
def total(values, out):
    for i in range(len(values)):
        out[0] += _thrice(values[i])


@compiled()
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@compiled(error_model="numpy")
def ratios(left, right, out):
    for i in range(len(left)):
        out[i] = left[i] / right[i]


@kernel
def bits(rows, out):
    out[0] = popcount(rows[0, 0])
    out[1] = and_rows(rows, 2, rows, 0, rows, 1)
    out[2] = common(rows, 0, rows, 2)
    out[3] = 1 if any_bit(rows, 2) else 0
    out[4] = common_to_three(rows, 0, rows, 1, rows, 3)


compiling_is_on = pytest.mark.skipif(
    compiling.switched("NUMBA_DISABLE_JIT"), reason="nothing is compiled"
)
FORMS = pytest.mark.parametrize(
    "form", ["run_plain", pytest.param("run_compiled", marks=compiling_is_on)]
)


@pytest.mark.parametrize("decorate", [compiled(), kernel])
def test_without_a_place_for_compiled_code(decorate, monkeypatch):
    asked = []

    def no_place(*_):
        asked.append(True)
        raise RuntimeError("cannot cache function 'plus_one': no locator available")

    monkeypatch.setattr("ratingpriv.base.compute.cache.KernelCache", no_place)
    assert decorate(plus_one).run_compiled(6) == 7
    assert asked == [True]


@FORMS
def test_kernels_call_the_same_form_of_each_other(form, monkeypatch):
    out = np.zeros(1)
    with monkeypatch.context() as patch:  # a nested call must not be decided anew
        patch.setattr(compiling.Kernel, "__call__", None)
        getattr(total, form)(np.array([1.0, 2.5]), out)
        assert getattr(factorial, form)(10) == 3628800
    assert out[0] == 10.5


@FORMS
def test_intrinsics(form):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2**64, (4, 8), dtype=np.uint64)
    both = rows[0] & rows[1]
    out = np.zeros(5, dtype=np.int64)
    getattr(bits, form)(rows, out)
    count = sum(int(word).bit_count() for word in both)
    of_three = sum(int(word).bit_count() for word in both & rows[3])
    assert out.tolist() == [int(rows[0, 0]).bit_count(), count, count, 1, of_three]
    assert np.array_equal(rows[2], both)


@FORMS
def test_division_by_zero_and_overflow_are_silent(form, recwarn):
    out = np.zeros(3)
    getattr(ratios, form)(np.array([1.0, 0.0, 1e308]), np.array([0.0, 0.0, 1e-308]), out)
    assert out[0] == np.inf
    assert np.isnan(out[1])
    assert out[2] == np.inf
    assert not recwarn.list


def forms_called(monkeypatch, decorated):
    called = []
    monkeypatch.setattr(decorated, "run_plain", lambda *_: called.append("plain"))
    monkeypatch.setattr(decorated, "run_compiled", lambda *_: called.append("compiled"))
    return called


@compiling_is_on
def test_small_data_are_not_compiled_large_are(monkeypatch):
    called = forms_called(monkeypatch, total)
    small = np.zeros(compiling._PASS)
    with pinned(None):
        total(small)
        total((1, (small[1:], None)), small[:1])
        total(small, small[:1])
        total(small[:1])  # a part of something large, for all that is known
    assert called == ["plain", "plain", "compiled", "compiled"]


@compiling_is_on
def test_what_came_before_does_not_choose_the_form(monkeypatch):
    called = forms_called(monkeypatch, total)
    large, small = np.zeros(compiling._PASS + 1), np.zeros(3)
    monkeypatch.setattr(compiling, "_computing", False)
    with pinned(None):
        for _ in range(2):
            with compiling.one_computation():
                total(small)
                with compiling.one_computation():
                    total(large)
                total(small)
        total(small)
    assert called == [*["plain", "compiled", "compiled"] * 2, "plain"]


@compiling_is_on
def test_a_small_table_after_a_large_one_is_not_compiled(monkeypatch):
    draws = np.random.default_rng(0).integers(1, 6, (4000, 40)).astype(float)
    draws[::2, 0] = np.nan  # NumPy alone is enough for complete tables of this size
    large, small = (
        ratingpriv.RatingTable.from_wide(
            pl.DataFrame(draws[:n], schema=list(map(str, range(40)))).fill_nan(None), scale=(1, 5)
        )
        for n in (4000, 20)
    )
    monkeypatch.setattr(compiling, "_computing", False)
    compiled = []
    run = compiling.Kernel.run_compiled
    monkeypatch.setattr(
        compiling.Kernel, "run_compiled", lambda *given: (compiled.append(1), run(*given))[1]
    )
    with pinned(None):
        ratingpriv.audit(large, k=2, epsilon=1)
        assert compiled
        compiled.clear()
        ratingpriv.audit(small, k=2, epsilon=1)
    assert not compiled


def test_what_numpy_does_instead_of_kernels_is_short_in_all(monkeypatch):
    monkeypatch.setattr(compiling, "_computing", False)
    with pinned(None):
        for _ in range(2):
            with compiling.one_computation():
                asked = [compiling.short(work, 10) for work in (6, 5, 4, 1)]
                assert asked == [True, False, True, False]
    with pinned("compiled"):
        assert not compiling.short(1, 10)


@compiling_is_on
def test_a_search_is_compiled_sooner_and_says_nothing_of_others(monkeypatch):
    def again(values):
        return values

    search = search_kernel(again)
    of_search, of_pass = forms_called(monkeypatch, search), forms_called(monkeypatch, total)
    with pinned(None):
        for size in (SEARCH, SEARCH + 1, SEARCH):
            search(np.zeros(size))
        total(np.zeros(SEARCH + 1))
    assert of_search == ["plain", "compiled", "plain"]
    assert of_pass == ["plain"]


@compiling_is_on
def test_a_form_can_be_pinned_for_a_while_and_the_compiler_switched_off(monkeypatch):
    called = forms_called(monkeypatch, total)
    with pinned("compiled"):
        total(np.zeros(3))
        with pinned("plain"):
            total(np.zeros(3 * compiling._PASS))
        total(np.zeros(3))
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
        total(np.zeros(3 * compiling._PASS))
    assert called == ["compiled", "plain", "compiled", "plain"]


@compiling_is_on
def test_threads_compile_a_kernel_once(monkeypatch):
    made, gate = [], threading.Barrier(8)
    real = compiling._of_types
    monkeypatch.setattr(compiling, "_of_types", lambda ask: (made.append("lone"), real(ask))[1])

    @compiled()
    def lone(x):
        return x + 1

    results = []

    def work():
        gate.wait()
        results.append(lone.run_compiled(1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [2] * 8
    assert made == ["lone"]


@compiling_is_on
def test_loading_is_told_of_in_the_thread_that_listens(monkeypatch):
    @compiled()
    def first(x):
        return x + 1

    @compiled()
    def second(x):
        return x + 2

    told = []
    monkeypatch.setattr(compiling, "_loaded", 0)
    with compiling.telling(lambda *one: told.append(one)):
        assert first.run_compiled(1) == 2
        other = threading.Thread(target=second.run_compiled, args=(1,))
        other.start()
        other.join()
        first.run_compiled(1)
    assert told == [("loading compiled code", 0, 1), ("loading compiled code", 1, 1)]


SURVEY = ["survey.csv", "--sensitive", "pay", "--scale", "1:5"]
COMMANDS = {
    "audit": ["audit", *SURVEY, "--k", "5", "--epsilon", "1", "--l", "0.5"],
    "partition": ["partition", *SURVEY, "--k", "5", "--epsilon", "1"],
    "frontier": ["frontier", *SURVEY, "--k", "10"],
    "anonymize": [
        "anonymize",
        "--accept",
        "found",
        *SURVEY,
        "--k",
        "10",
        "--epsilon",
        "1",
        "--method",
        "modify",
    ],
    "suppress": [
        "anonymize",
        "--accept",
        "found",
        *SURVEY,
        "--k",
        "2",
        "--epsilon",
        "1",
        "--method",
        "suppress",
    ],
    "attack": ["attack", *SURVEY, "--known", "6"],
}
SMALL_PROCESS = """
import sys
from ratingpriv.cli import main
sys.argv = ["ratingpriv", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0, 1), end.code
loaded = {"numba", "llvmlite"} & set(sys.modules)
assert not loaded, loaded
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_small_survey_never_loads_numba(command, tmp_path):
    arguments = list(COMMANDS[command])
    if arguments[0] == "anonymize":
        arguments += ["--output", str(tmp_path / "release.csv")]
    done = subprocess.run(
        [sys.executable, "-c", SMALL_PROCESS, *arguments],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0"},
    )
    assert done.returncode == 0, done.stderr


def test_a_large_table_is_compiled():
    program = (
        "import sys, numpy as np, polars as pl, ratingpriv\n"
        "answers = np.random.default_rng(0).integers(1, 6, (4000, 40)).astype(float)\n"
        "answers[::2, 0] = np.nan  # NumPy alone is enough for complete tables of this size\n"
        "frame = pl.DataFrame(answers, schema=list(map(str, range(40)))).fill_nan(None)\n"
        "table = ratingpriv.RatingTable.from_wide(frame, scale=(1, 5))\n"
        "assert 'numba' not in sys.modules\n"
        "ratingpriv.audit(table, k=2, epsilon=1)\n"
        "assert 'numba' in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "0"}
    )
