"""Every caution has a code of its own in the table,
and every code of the table is given somewhere.
"""

import ast
import re

from house.checkout import PACKAGES, ROOT

from ratingpriv.base.cautions import CODES
from ratingpriv.base.reservations import RESERVATIONS

MAKERS = ("Caution", "Caution.due")


def given():
    """(name of what makes it, code) of each caution in the sources.

    None where the code is no literal.
    """
    for folder in PACKAGES.values():
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in MAKERS:
                    code = node.args[0] if node.args else None
                    yield name, code.value if isinstance(code, ast.Constant) else None


def test_what_is_given_is_what_is_in_the_table():
    codes = [code for _, code in given()]
    assert sorted(codes) == sorted(CODES)  # each in one place
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in codes)
    assert all(line and "\n" not in line for line in CODES.values())


def test_a_reservation_ends_with_the_remedy_of_the_table():
    assert {code for name, code in given() if name == "Caution.due"} == set(RESERVATIONS)
    assert [
        row.code
        for row in RESERVATIONS.values()
        if not row.remedy[0].isupper() or row.remedy[-1] == "."
    ] == []


def test_the_page_of_exit_codes_has_every_reservation():
    page = (
        (ROOT / "docs/reference/exit-codes.md")
        .read_text(encoding="utf-8")
        .split("## Reservations")[1]
    )
    listed = [
        code for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for code in row.split(", ")
    ]
    assert sorted(code.strip("`") for code in listed) == sorted(RESERVATIONS)
