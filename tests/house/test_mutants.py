"""What is named as no error in tests/mutants/equivalent.toml is still a line of its module."""

from __future__ import annotations

import tomllib
from pathlib import Path

from house.checkout import ROOT


def test_named_mutants_are_of_lines_that_there_are():
    named = tomllib.loads((ROOT / "tests" / "mutants" / "equivalent.toml").read_text(encoding="utf-8"))
    lines = [(one["module"], one["before"]) for one in named["mutant"]]
    lines += [(one["module"], line) for one in named["lines"] for line in one["lines"]]
    sources = {
        module: " ".join(line.strip() for line in source(module).read_text(encoding="utf-8").splitlines())
        for module, _ in lines
    }
    assert [(module, line) for module, line in lines if line not in sources[module]] == []
    assert all(one["why"] for kind in named.values() for one in kind)


def source(module: str) -> Path:
    return ROOT.joinpath("ratingpriv", *module.split(".")).with_suffix(".py")
