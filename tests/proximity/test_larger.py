"""Tables of several chunks: every path of the engine equals the pairwise baseline."""

import functools

import numpy as np
import polars as pl
import pytest

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import Scale, SensitiveColumn
from ratingpriv.data.table.building.coding import encode_levels
from ratingpriv.proximity import neighbourhoods as nb
from ratingpriv.proximity.join import Limits
from ratingpriv.proximity.pairs import pairs
from ratingpriv.proximity.pairwise import proximity_blocks

PATHS = {
    "as it is": Limits(),
    "in NumPy": Limits(direct=0, short=np.inf),
    "in NumPy, sorted": Limits(direct=0, fuse=0, sort=1, dense=1e9, short=np.inf),
    "in NumPy, split": Limits(direct=0, fuse=0, sort=1, split=0, work=0, queries=500, short=np.inf),
    "compiled": Limits(direct=0, short=0),
    "sorted": Limits(direct=0, fuse=0, sort=1, short=0),
    "split between threads": Limits(
        direct=0, fuse=0, sort=1, split=0, work=0, queries=500, short=0
    ),
    "wide tokens": Limits(direct=0, fuse=0, sort=1, radix=1, share=1, split=0, work=0, short=0),
    "an issue a token": Limits(direct=0, fuse=0, sort=1, radix=1, share=10**9, split=0, short=0),
    "pairs in order": Limits(direct=0, sort=1, dense=1e9, split=0, work=0, short=0),
    "pairs not in order": Limits(sort=1, dense=0, short=0),
    "in NumPy, pairs not in order": Limits(sort=1, dense=0, short=np.inf),
    "binned": Limits(bins=4, sort=1, split=0, work=0),
    "sparse rows": Limits(table=0, work=0),
    "bundles": Limits(direct=2, sort=10**9, split=10**9, work=0),
}
PATHS_OF_SMALL_GROUPS = {
    "record by record": Limits(word=np.inf, work=0),
    "a word an issue and level": Limits(word=0, work=0),
    "a word an issue and bin": Limits(word=0, bins=3),
    "lists by member": Limits(dense=1e9),
}
KINDS = ("survey", "skip patterns", "few rows", "real", "decimals", "sparse")
EVERY = [(kind, path, limits) for kind in KINDS for path, limits in PATHS.items()]
EVERY += [("small groups", path, limits) for path, limits in PATHS_OF_SMALL_GROUPS.items()]
# with every path; the other kinds with the one that is chosen
OF_MAKE_TEST = ("survey", "small groups")
CASES = [
    pytest.param(
        kind,
        limits,
        id=f"{kind}, {path}",
        marks=() if kind in OF_MAKE_TEST or path == "as it is" else pytest.mark.deep,
    )
    for kind, path, limits in EVERY
]


@functools.cache
def make(kind: str, n: int = 1400) -> RatingTable:
    """A table of more than two chunks with a plain and a real-valued sensitive column,
    both with nulls.
    """
    rng = np.random.default_rng(7)
    p = {"few rows": 3, "sparse": 60}.get(kind, 8)
    trait = rng.normal(size=(n, 2)) @ rng.normal(size=(2, p)) + rng.normal(0, 0.5, (n, p))
    ratings = np.clip(np.round(trait + 3), 1, 5)
    rated = np.ones((n, p), dtype=bool)
    if kind == "skip patterns":
        rated = (rng.random((6, p)) < 0.7)[rng.integers(0, 6, n)]
    elif kind == "small groups":
        sizes = [1, 2, 3, 5, 9, 17, 63, 64, 65, 127, 128, *[30] * 30, 16]
        patterns = np.arange(1, len(sizes) + 1)[:, None] >> np.arange(p) & 1 > 0
        rated = rng.permutation(np.repeat(patterns, sizes, axis=0))
    elif kind == "sparse":
        rated = rng.random((n, p)) < 0.05
    elif kind == "real":
        ratings = trait / 3
    elif kind == "decimals":
        ratings = np.round(trait, 2)
    levels, codes = encode_levels(ratings[rated])
    columns = tuple(
        SensitiveColumn(name, np.where(known, values, 0.0), known)
        for name, values, known in (
            ("grade", rng.integers(1, 8, n).astype(np.float64), rng.random(n) < 0.8),
            ("year", rng.integers(1930, 2010, n).astype(np.float64), np.ones(n, dtype=bool)),
            ("income", rng.lognormal(10, 1, n), rng.random(n) < 0.9),
        )
    )
    return RatingTable(
        record_ids=pl.Series(np.arange(n)),
        issues=tuple(f"i{j}" for j in range(p)),
        indptr=np.concatenate(([0], np.cumsum(rated.sum(axis=1)))),
        indices=np.nonzero(rated)[1].astype(np.int32),
        codes=codes,
        levels=levels,
        scale=Scale(1, 5, True),
        sensitive=columns,
    )


def assert_same(found: nb.Neighbourhoods, expected: nb.Neighbourhoods) -> None:
    assert np.array_equal(found.sizes, expected.sizes)
    for mine, other in zip(found.moments, expected.moments, strict=True):
        assert np.array_equal(mine.known, other.known)
        assert mine.exact is other.exact
        assert (mine.shift, mine.decimals) == (other.shift, other.decimals)
        for attribute in ("sums", "squares"):
            a, b = getattr(mine, attribute), getattr(other, attribute)
            if mine.exact:
                assert np.array_equal(a, b)
            else:
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-6)


@functools.cache
def by_pairs(kind: str, nulls: str, epsilon: float) -> nb.Neighbourhoods:
    return nb.neighbourhoods(make(kind), epsilon, nulls=nulls, engine="pairwise")


@functools.cache
def near_pairs(kind: str, nulls: str, epsilon: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both ends of all pairs, in order,
    and the largest difference on an issue that both rate.
    """
    table = make(kind)
    near = np.concatenate([part for _, part in proximity_blocks(table, epsilon, nulls)])
    left, right = np.nonzero(np.triu(near, 1))
    dense = np.full((table.n_issues, table.n_records), np.nan)
    dense[table.indices, np.repeat(np.arange(table.n_records), np.diff(table.indptr))] = (
        table.values
    )
    gaps = np.zeros(len(left))
    for ratings in dense:
        np.fmax(gaps, np.abs(ratings[left] - ratings[right]), out=gaps)
    return left, right, gaps


@pytest.mark.parametrize(("kind", "limits"), CASES)
@pytest.mark.parametrize("nulls", ["strict", "wildcard", "known"])
def test_slicing_equals_pairwise(kind: str, nulls: str, limits: Limits) -> None:
    table = make(kind)
    for epsilon in (0.5, 1, 5):
        expected = by_pairs(kind, nulls, epsilon)
        found = nb.neighbourhoods(
            table, epsilon, nulls=nulls, resources=Resources(2), _limits=limits
        )
        assert_same(found, expected)
        if nulls == "known":
            continue
        least = int(expected.sizes.min())
        assert nb.meets_k(table, max(least, 1), epsilon, nulls=nulls, _limits=limits)
        assert not nb.meets_k(table, least + 1, epsilon, nulls=nulls, _limits=limits)


@pytest.mark.parametrize(("kind", "limits"), CASES)
@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_pairs_equal_pairwise(kind: str, nulls: str, limits: Limits) -> None:
    table, epsilon = make(kind), 1
    left, right, gaps = near_pairs(kind, nulls, epsilon)
    for memory in (None, 40_000):
        blocks = list(
            pairs(table, epsilon, nulls=nulls, resources=Resources(2, memory), _limits=limits)
        )
        if not len(left):
            assert not blocks
            continue
        assert np.array_equal(np.concatenate([block.left for block in blocks]), left)
        assert np.array_equal(np.concatenate([block.right for block in blocks]), right)
        distance = np.concatenate([block.distance for block in blocks])
        assert np.all(distance <= (epsilon if nulls == "wildcard" else 5))
        np.testing.assert_allclose(distance, gaps, rtol=1e-9, atol=1e-9)


def test_threads_and_memory_change_nothing() -> None:
    table = make("skip patterns", 3000)
    expected = nb.neighbourhoods(table, 1, resources=Resources(1))
    for threads in (2, 5):
        assert_same(nb.neighbourhoods(table, 1, resources=Resources(threads, 1)), expected)


def test_progress_is_told_from_the_calling_thread() -> None:
    import threading

    seen = []
    resources = Resources(
        2, progress=lambda _, *counted: seen.append((threading.get_ident(), *counted))
    )
    nb.neighbourhoods(
        make("survey"), 1, resources=resources, _limits=PATHS["split between threads"]
    )
    assert {ident for ident, _, _ in seen} == {threading.get_ident()}
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert seen[-1][1] <= seen[-1][2]
