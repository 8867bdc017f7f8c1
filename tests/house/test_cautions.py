"""Every caution has a code of its own in the table, and every code of the table is given somewhere."""

import ast
import re

from house.checkout import PACKAGES

from ratingpriv.base.cautions import CODES


def given():
    """(file, code) of each ``Caution(...)`` in the sources; None where the code is no literal."""
    for folder in PACKAGES.values():
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "Caution":
                    code = node.args[0] if node.args else None
                    yield path.name, code.value if isinstance(code, ast.Constant) else None


def test_what_is_given_is_what_is_in_the_table():
    codes = [code for _, code in given()]
    assert sorted(codes) == sorted(CODES)  # each in one place
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in codes)
    assert all(line and "\n" not in line for line in CODES.values())
