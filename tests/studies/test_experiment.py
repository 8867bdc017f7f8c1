"""Experiments: resumption gives the same bytes, seeds belong to cells, what cannot be is a row."""

import math
import re

import numpy as np
import pytest
from scipy import stats

import ratingpriv
from ratingpriv.base.errors import DataError, OutputError, ResourceError
from ratingpriv.data.table.hashing import fingerprint
from ratingpriv.report.tables import write_tidy
from ratingpriv.studies.cells import seed_of
from ratingpriv.studies.experiment import COLUMNS, experiment, over_seeds, read_spec
from ratingpriv.studies.measuring import Measurer

SPEC = """
seed = 5
seeds = 2
k = [2, 3]
epsilon = [1]
measures = ["audit", "distortion"]

[data.one]
path = "one.csv"
scale = [1, 5]

[method.modify]
[method.suppress]
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    lines = [
        "id,q1,q2,q3",
        *(f"{i},{a},{b},{c}" for i, (a, b, c) in enumerate(rng.integers(1, 6, (14, 3)))),
    ]
    (tmp_path / "one.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "spec.toml").write_text(SPEC)
    return tmp_path


def run(folder, spec="spec.toml", **more):
    return experiment(folder / spec, threads=1, **more)


def table_bytes(result, folder):
    path = folder / "table.csv"
    write_tidy(result.rows, COLUMNS, path, force=True)
    return path.read_bytes()


def test_every_cell_has_a_row_a_measure(folder):
    found = run(folder)
    assert found.cells == 8
    assert len(found.rows) == 8 * 6
    table = ratingpriv.read(folder / "one.csv", scale=(1, 5))
    for row in found.rows:
        if (row["method"], row["measure"]) == ("suppress", "records_suppressed") and row[
            "value"
        ] is not None:
            made = ratingpriv.anonymize(table, "suppress", k=row["k"], epsilon=1)
            assert row["value"] == 14 - made.table.n_records


class Killed(BaseException):
    """What no handler of errors catches, as a signal."""


@pytest.mark.parametrize("after", [0, 1, 5, 7])
def test_a_run_that_was_interrupted_ends_with_the_same_bytes(folder, monkeypatch, after):
    whole = table_bytes(run(folder), folder)
    journal = folder / "j"
    rows, seen = Measurer.rows, []

    def until(self, cell):
        if len(seen) == after:
            raise Killed
        seen.append(cell)
        return rows(self, cell)

    monkeypatch.setattr(Measurer, "rows", until)
    with pytest.raises(Killed):
        run(folder, journal=journal)
    # one in which nothing is finished would only stop other runs
    assert journal.exists() == (after > 0)
    if after:
        # the next one was being written
        journal.write_bytes(journal.read_bytes() + b'{"cell": "half a l')
    again = []
    monkeypatch.setattr(
        Measurer, "rows", lambda self, cell: (again.append(cell), rows(self, cell))[1]
    )
    told = []
    ended = run(folder, journal=journal, on_resume=lambda *numbers: told.append(numbers))
    assert table_bytes(ended, folder) == whole
    assert told == ([(after, 8)] if after else [])
    assert len(again) == 8 - after
    assert not set(again) & set(seen)
    again.clear()
    assert table_bytes(run(folder, journal=journal), folder) == whole
    assert again == []  # a finished cell is never computed again


def test_memory_that_does_not_suffice_is_no_row(folder, monkeypatch):
    def fails(self, cell):
        raise ResourceError("no memory")

    monkeypatch.setattr(Measurer, "rows", fails)
    with pytest.raises(ResourceError):
        run(folder, journal=folder / "j")
    monkeypatch.undo()
    assert len(run(folder, journal=folder / "j").rows) == 48


def test_a_changed_specification_or_data_is_refused(folder):
    run(folder, journal=folder / "j")
    (folder / "spec.toml").write_text(SPEC.replace("seed = 5", "seed = 6"))
    with pytest.raises(OutputError, match="specification changed"):
        run(folder, journal=folder / "j")
    (folder / "spec.toml").write_text(SPEC + "# a comment changes nothing\n")
    run(folder, journal=folder / "j")
    content = (folder / "one.csv").read_text()
    (folder / "one.csv").write_text(content.replace("0,", "0,", 1) + "99,1,1,1\n")
    with pytest.raises(OutputError, match="data one changed"):
        run(folder, journal=folder / "j")


def test_adding_cells_changes_no_other_cell(folder):
    base = run(folder)
    (folder / "more.toml").write_text(
        SPEC.replace("[2, 3]", "[5, 2, 3]")
        .replace("[1]", "[0, 1]")
        .replace("seeds = 2", "seeds = 3")
        + '[method.median]\nmethod = "modify"\nfill = "median"\n'
    )
    more = run(folder, "more.toml")
    assert [row for row in more.rows if row in base.rows] == sorted(base.rows, key=more.rows.index)


def test_seeds_are_of_the_coordinates():
    assert seed_of(1, "modify", 2, 1.0) == seed_of(1, "modify", 2, 1.0)
    found = {seed_of(seed, name, k) for seed in (1, 2) for name in ("a", "b") for k in range(50)}
    assert len(found) == 200
    assert all(0 <= one < 1 << 63 for one in found)


def test_the_fingerprint_sees_every_part_of_a_table(folder):
    def of(**options):
        return ratingpriv.read(folder / "one.csv", **{"scale": (1, 5), **options})

    others = [of(), of(scale=(1, 6)), of(sensitive=["q3"]), of(quasi=["q3"]), of(quasi=["q3=1"])]
    seen = {fingerprint(one) for one in (*others, of().take([1, 0, *range(2, 14)]))}
    assert len(seen) == 6
    assert fingerprint(of()) in seen


def test_what_cannot_be_is_a_row_with_the_reason(folder):
    (folder / "spec.toml").write_text(SPEC.replace("[2, 3]", "[2, 40]"))
    found = run(folder)
    assert len(found.infeasible) == 4
    for row in found.rows:
        if row["k"] == 40:
            assert row["value"] == (0.0 if row["measure"] == "feasible" else None)
            assert "k = 40" in row["reason"]
    means = [one for one in found.intervals if one.k == 40 and one.measure == "max_k"]
    assert [(one.mean, one.measured, one.of) for one in means] == [(None, 0, 2)] * 2


def test_attacks_and_exposure(folder):
    (folder / "spec.toml").write_text(
        SPEC.replace('"audit", "distortion"', '"exposure", "attack"').replace(
            "seeds = 2", "seeds = 1"
        )
        + "[attack.two]\nknown = 2\n[attack.wrong]\nknown = 2\nwrong = 1\n[attack.many]\nknown "
        "= 9\n"
    )
    found = run(folder)
    assert len(found.rows) == 4 * (1 + 3 + 2 * 3 + 1)
    for row in found.rows:
        if row["measure"] == "feasible" or (row["value"] is None and "no release" in row["reason"]):
            continue
        if row["attack"] == "many":  # nobody rates nine: not measured, which is not 0
            assert row["value"] is None
            assert row["reason"]
        else:
            assert row["low"] <= row["value"] <= row["high"]
    before = {
        row["original"]
        for row in found.rows
        if (row["attack"], row["measure"]) == ("two", "attack_success")
    }
    # the same targets with the same knowledge, whatever the release
    assert len(before - {None}) == 1


def test_the_strongest_adversary_is_always_measured(folder):
    """A colleague who knows two ratings of which one is wrong is no
    measure of what a release gives away.
    """
    (folder / "spec.toml").write_text(
        SPEC.replace('"audit", "distortion"', '"attack"') + "[attack.weak]\nknown = 2\nwrong = 1\n"
    )
    found = run(folder)
    rates = {}
    for row in found.rows:
        if row["measure"] == "attack_success" and row["value"] is not None:
            rates.setdefault((row["method"], row["k"], row["seed"]), {})[row["attack"]] = row[
                "value"
            ]
    assert rates
    assert all(one["whole_record"] >= one.get("weak", 0.0) for one in rates.values())
    assert any(one["whole_record"] > one.get("weak", 0.0) for one in rates.values())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("k = [2, 3]", "kk = [2, 3]", "did you mean k"),
        ("k = [2, 3]", "k = []", "at least one value"),
        ("k = [2, 3]", "k = [0]", "whole number >= 1"),
        ("epsilon = [1]", "epsilon = [-1]", "epsilon"),
        ("seeds = 2", "seeds = 0", "whole number >= 1"),
        ('"audit"', '"audits"', "one of audit"),
        ("[method.suppress]", "[method.supress]", "one of modify"),
        ("[method.suppress]", '[method.suppress]\nfill = "median"', "fill"),
        ('path = "one.csv"', "", "a path"),
        ('path = "one.csv"', 'path = "one.csv"\nsensitiv = ["q1"]', "did you mean sensitive"),
        ("[method.suppress]", "[attack.two]\nknown = 2", "attack"),
        ("seed = 5", "seed = [", "no TOML"),
        ("seed = 5", "seed = 5\nutility = 3", "a table \\[utility\\]"),
        ("seeds = 2", "seeds = 2147483649", "at most 1,000,000 releases"),
        ("epsilon = [1]", "epsilon = [inf]", "a finite number"),
        ("seed = 5", "seed = " + "1" * 5000,
        "no TOML: a whole number of more than 4,300 digits, expected"),
        ("seed = 5", "seed = " + "[" * 9000, "values nested too deeply"),
        ("seed = 5", "seed = 1979-05-27",
        "seed = the date or time 1979-05-27, expected a whole number"),
    ],
)  # fmt: skip
def test_what_a_specification_may_not_say(folder, old, new, said):
    (folder / "spec.toml").write_text(SPEC.replace(old, new))
    with pytest.raises(DataError, match=said):
        read_spec(folder / "spec.toml")


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        *((key, value, shown)
          for key in ("id", "issue", "rating", "timestamp", "issues", "delimiter", "encoding",
          "format")
          for value,
          shown in (("5", "5"), ("[1]", "a list"), ("{a = 1}", "a table"), ("true", "true"))),
        ("id", "1979-05-27", "the date or time 1979-05-27"), ("header", "[1]", "a list"),
        ("header", "5", "5"), ("header", "{a = 1}", "a table"), ("header", '""', "''"),
        ("encoding", '""', "''"), ("sensitive-scale", '""', "''"), ("null", "{a = 1}", "a table"),
        ("only-null", "{a = 1}", "a table"), ("sample", '"x"', "'x'"),
    ],
)  # fmt: skip
def test_reading_options_of_a_wrong_type_are_refused_by_their_key(folder, key, value, shown):
    text = SPEC.replace('path = "one.csv"', f'path = "one.csv"\n{key} = {value}')
    (folder / "spec.toml").write_text(text)
    said = rf"spec\.toml: found data\.one\.{key.replace('-', '_')} = {re.escape(shown)}, expected "
    with pytest.raises(DataError, match=said):
        read_spec(folder / "spec.toml")
    with pytest.raises(DataError, match="no file to be read"):
        read_spec(folder / "no.toml")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[method.a]\nmethod = 'modify'\nfill = 5",
        "method.a.fill = 5, expected one of metric, median"),
        ("[method.a]\nmethod = 'modify'\nfill = 'median'\nfabricate = false",
        "method.a.fill = 'median'"),
        ("[method.a]\nmethod = 'modify'\nfabricate = 1",
        "method.a.fabricate = 1, expected True or False"),
        ("[method.predictive]\nfactors = 'x'",
        "method.predictive.factors = 'x', expected a whole number"),
        ("[attack.a]\nknown = -1", "attack.a.known = -1, expected a whole number >= 1"),
        ("[attack.a]\nknown = 2\nwrong = 3", "attack.a.wrong = 3, expected at most the 2"),
        ("[attack.a]\nadversary = 'x'", "attack.a.adversary = 'x'"),
        ("[attack.whole_record]\nknown = 2", "attack = 'whole_record', expected another name"),
        ("[attack.a]\nalgorithm = 'x'", "attack.a.algorithm = 'x'"),
        ("[attack.a]\noptions = 5", "attack.a.options = 5"),
        ("[attack.a]\noptions = {alpha = 1}", "attack.a.alpha = 1"),
    ],
)  # fmt: skip
def test_values_that_no_data_go_with_are_faults_of_the_specification(folder, table, said):
    """Each of these was recorded as a release that cannot be made, and the run ended well."""
    spec = SPEC.replace('"distortion"', '"attack"' if "attack" in table else '"distortion"')
    (folder / "spec.toml").write_text(spec + table + "\n")
    with pytest.raises(DataError, match=re.escape(f"spec.toml: found {said}")):
        read_spec(folder / "spec.toml")


def test_intervals_are_students():
    rng = np.random.default_rng(1)
    values = rng.normal(size=7)
    base = {
        "data": "d",
        "method": "m",
        "k": 2,
        "epsilon": 1.0,
        "l": None,
        "attack": None,
        "measure": "x",
    }
    rows = [{**base, "seed": i, "value": float(v), "reason": ""} for i, v in enumerate(values)]
    rows.append({**base, "seed": 7, "value": None, "reason": "why"})
    rows.append({**base, "measure": "y", "seed": 0, "value": 3.0, "reason": ""})
    first, second = over_seeds(rows)
    judge = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
    assert math.isclose(first.mean, values.mean())
    assert np.allclose((first.low, first.high), judge)
    assert (first.measured, first.of, first.reason) == (7, 8, "why")
    assert (second.mean, second.low, second.high) == (3.0, None, None)
