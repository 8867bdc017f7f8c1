"""The notebooks of ``examples/notebooks`` are kept as they should be; ``make notebooks`` executes them.

Without outputs: those would be data of people, megabytes in the history, and sooner or later untrue.
"""

from __future__ import annotations

import ast
import json
import re

import pytest
from house.checkout import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_its_code_compiles(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in cells(path)]
    assert len(set(ids)) == len(ids)
    code = [cell for cell in cells(path) if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    for cell in code:
        ast.parse(source(cell))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebooks_links_lead_somewhere(path):
    for cell in cells(path):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", source(cell)):
            assert (path.parent / target).exists(), target
