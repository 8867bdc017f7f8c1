"""Anonymise, write, read the file, count plainly: what is claimed holds. Always."""

import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import moments
from naive.proximity import neighbourhoods
from properties.strategies import NULLS, tables
from release_samples import manifest_of

from ratingpriv.anonymize.methods import METHODS, anonymize
from ratingpriv.anonymize.release.manifest import Manifest
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.keys import read_key

PLACES = [("r.csv", None), ("r.csv.gz", "long"), ("r.parquet", None), ("r.parquet", "long")]


TARGETS = st.fixed_dictionaries({
    "k": st.integers(1, 5),
    "epsilon": st.sampled_from([0, 0.2, 0.5, 1, 2, 3]),
    "l": st.sampled_from([None, None, 0, 0.5, 1]),
    "nulls": st.sampled_from(NULLS),
    "sensitive_nulls": st.sampled_from(["paper", "ignore"]),
})  # fmt: skip


def check_plainly(table, asked):
    for near in neighbourhoods(table, asked["epsilon"], asked["nulls"]):
        assert len(near) >= asked["k"]
        for column in table.sensitive if asked["l"] is not None else ():
            known = moments.values(column, near)
            assert moments.at_least(known, asked["l"], asked["sensitive_nulls"])


@pytest.mark.parametrize("method", sorted(METHODS))
@settings(max_examples=25 * DEPTH)
@given(
    table=tables(),
    asked=TARGETS,
    place=st.sampled_from(PLACES),
    ids=st.sampled_from(["shuffle", "strip", "keep"]),
)
def test_what_is_claimed_holds_in_the_file(tmp_path_factory, method, table, asked, place, ids):
    folder = tmp_path_factory.mktemp("released")
    path = folder / place[0]
    try:
        made = anonymize(table, method, **asked, rng=0)
        release = write_release(
            made, path, original=table, key=folder / "key", ids=ids, layout=place[1]
        )
    except (TargetNotReachedError, ParameterError):  # l without a sensitive issue, k > n
        assert list(folder.iterdir()) == []
        return
    manifest = Manifest.from_dict(manifest_of(path))
    found = manifest.read.read(path)
    check_plainly(found, asked)
    assert verify(path).valid
    assert found.n_records == release.anonymized.table.n_records
    if table.scale is not None and found.n_ratings:
        assert found.levels.min() >= table.scale.minimum
        assert found.levels.max() <= table.scale.maximum
        assert found.integral or not table.integral
    key = read_key(folder / "key")
    assert key.original == tuple(table.record_ids.to_list())
    assert sorted(map(str, filter(lambda one: one is not None, key.released))) == sorted(
        map(str, found.record_ids.to_list())
    )
