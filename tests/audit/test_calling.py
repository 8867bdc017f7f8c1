"""``ratingpriv.audit`` is a package and a function, whatever was imported first."""

import inspect
import pydoc
import subprocess
import sys

import pytest

CALL = "assert {name}(ratingpriv.RatingTable.from_wide(frame), k=1, epsilon=0).satisfied"
START = "import polars; frame = polars.DataFrame({'issue': [1, 2]})\n"


@pytest.mark.deep
@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import ratingpriv\nimport ratingpriv.audit.diversity", "ratingpriv.audit"),
        ("import ratingpriv.audit.diversity\nimport ratingpriv", "ratingpriv.audit"),
        (
            "import ratingpriv\nfrom ratingpriv import audit\nimport ratingpriv.audit.k_epsilon",
            "audit",
        ),
        ("import ratingpriv\nfrom ratingpriv.audit import audit", "audit"),
        (
            "from ratingpriv.audit import diversity\nimport ratingpriv\ndiversity.sd_ceiling",
            "ratingpriv.audit",
        ),
        ("from ratingpriv import *\nimport ratingpriv", "audit"),
    ],
)
def test_it_can_be_called_in_every_order_of_imports(imports, name):
    subprocess.run(
        [sys.executable, "-c", f"{START}{imports}\n{CALL.format(name=name)}"], check=True
    )


@pytest.mark.parametrize("name", ["anonymize", "attack", "audit", "frontier", "partition"])
def test_help_shows_the_parameters(name):
    import ratingpriv

    function = getattr(ratingpriv, name)
    assert inspect.isfunction(function)
    assert {"table", "threads", "progress"} <= set(inspect.signature(function).parameters)
    assert "threads" in pydoc.render_doc(function)


def test_importing_ratingpriv_is_light():
    heavy = (
        "import sys, ratingpriv; sys.exit(bool({'numpy', 'polars', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", heavy], check=False).returncode == 0


def test_an_unknown_name():
    import ratingpriv

    with pytest.raises(AttributeError, match="no attribute 'audits'"):
        ratingpriv.audits  # noqa: B018
