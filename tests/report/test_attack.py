"""An attack as a page and as tables."""

from attack.attack_tables import run
from attack.planting import crowd, rare_things

from ratingpriv.attack.findings import Findings
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


def attack_text(findings, *, width=80, **more):
    return render(page_of(findings, **more), width=width)


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
