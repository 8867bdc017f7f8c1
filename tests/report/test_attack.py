"""An attack as a page and as tables."""

import re

import pytest
from attack.attack_tables import compared, run
from attack.planting import crowd, rare_things

from ratingpriv.attack import Knowledge
from ratingpriv.attack.evaluation.sweeps import sweep
from ratingpriv.attack.findings import Findings
from ratingpriv.attack.sparsity.sparsity import sparsity
from ratingpriv.attack.sparsity.theorem import false_matches
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


def attack_text(findings, *, width=80, **more):
    return render(page_of(findings, **more), width=width)


@pytest.fixture(scope="module")
def everything():
    """An attack with all that can be asked for beside it."""
    table = crowd(40, 20, 0.5)
    attack = run(table, known=4, wrong=1, date_error=14)
    return Findings(
        (attack,),
        (compared(attack, table.take(range(3, 40)), "ids"),),
        sweep(table, Knowledge(), {"known": (2, 4), "date_error": (None, 3)}),
        sparsity(table),
        false_matches(table, (1, 2)),
        0.5,
    )


def test_the_page_has_every_section(everything):
    page = attack_text(everything, per_target=True, show=5)
    assert len(re.findall(r"^[A-Z][a-z' ()-]+$", page, re.MULTILINE)) == 11
    flat = " ".join(page.split())
    assert "A low number is no proof." in flat
    assert "3 targets of 40 were suppressed" in flat
    assert not re.search(r"\b(None|nan|inf)\b", page)


def test_headline_and_gate():
    nothing = Findings((run(crowd(5, 6), known=7),), fail_above=1.0)
    assert attack_text(nothing, per_target=True).startswith("NOT MEASURED")
    assert "FAILED: nothing was measured" in attack_text(nothing)
    found = run(rare_things(), known=3, items="rarest")
    assert attack_text(Findings((found,))).startswith(
        "100 % of 12 targets identified in table (95 % interval 75.8 %"
    )
    assert "\n  PASSED: the interval reaches up to 100 %; the limit is 100 %." in attack_text(
        Findings((found,), fail_above=1.0)
    )
    assert "\n  FAILED: " in attack_text(Findings((found,), fail_above=0.9))
