"""No test of make test costs more than a CPU second, but with a reason."""

from __future__ import annotations

from costs import STAYS, dear


def test_a_dear_test_is_of_the_deep_tier_or_says_why_it_stays(request):
    selected = {item.nodeid.partition("@")[0] for item in request.session.items}
    without = {name: seconds for name, seconds in dear().items() if not name.startswith(tuple(STAYS))}
    assert not selected & without.keys()


def test_every_reason_is_of_a_test_that_is_dear():
    assert [name for name in STAYS if not any(found.startswith(name) for found in dear())] == []
