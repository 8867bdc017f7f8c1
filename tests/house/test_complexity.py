"""How complex a function is, counted by hand."""

import ast

import pytest
from house.figures import complexity


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("return 1", 1),
        ("return 1 if x else 2", 2),
        ("while x and y or z:\n  pass\n else:\n  pass", 5),
        ("return [a for a in x if a if not a]", 4),
        ("try:\n  pass\n except A:\n  pass\n except B:\n  pass\n else:\n  pass", 4),
        ("match x:\n  case 1: pass\n  case _: pass", 2),
        ("def g():\n  assert x\n return g", 3),
    ],
)
def test_paths_are_counted_as_radon_counts_them(body, paths):
    (function,) = ast.parse(f"def f(x):\n {body}").body
    assert complexity(function) == paths
