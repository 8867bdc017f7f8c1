"""What is named as no error in tests/tools/mutants/equivalent.toml is still a line of its module."""

from __future__ import annotations

import tomllib
from pathlib import Path

from house.checkout import ROOT

EQUIVALENT = ROOT / "tests" / "tools" / "mutants" / "equivalent.toml"


def test_named_mutants_are_of_lines_that_there_are():
    named = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    lines = [(one["module"], one["before"]) for one in named["mutant"]]
    lines += [(one["module"], line) for one in named["lines"] for line in one["lines"]]
    sources = {
        module: " ".join(line.strip() for line in source(module).read_text(encoding="utf-8").splitlines())
        for module, _ in lines
    }
    assert [(module, line) for module, line in lines if line not in sources[module]] == []
    assert all(one["why"] for kind in named.values() for one in kind)


def test_a_named_mutant_is_of_one_line():
    """It is not shown to any test: of two lines that read the same, the other may matter."""
    named = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    for module, before in {(one["module"], one["before"]) for one in named["mutant"]}:
        lines = [line.strip() for line in source(module).read_text(encoding="utf-8").splitlines()]
        assert lines.count(before) <= 1, f"{module}: {before}"


def source(module: str) -> Path:
    return ROOT.joinpath("ratingpriv", *module.split(".")).with_suffix(".py")
