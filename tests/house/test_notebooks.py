"""The notebooks of ``examples/notebooks`` are kept as they should be;
``make notebooks`` executes them.

Without outputs: those would be data of people, megabytes in the history, and sooner or later
untrue.
"""

import ast
import json
import re

import pytest
from house.checkout import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_its_code_compiles_and_its_links_lead_somewhere(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    cells = book["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    for cell in code:
        ast.parse("".join(cell["source"]))
    links = re.findall(
        r"\]\((?!https?:)([^)#]+)", "".join("".join(cell["source"]) for cell in cells)
    )
    assert [target for target in links if not (path.parent / target).exists()] == []
