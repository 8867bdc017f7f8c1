"""What is dear is of the deep tier, but for what says why it stays."""

from costs import STAYS, dear


def test_every_reason_is_of_a_test_that_is_dear():
    assert [name for name in STAYS if not any(found.startswith(name) for found in dear())] == []


def test_what_is_dear_and_gives_no_reason_is_deep(request):
    items = {item.nodeid: item for item in request.session.items}
    without = {name for name in dear() if not name.startswith(tuple(STAYS))}
    assert all(items[name].get_closest_marker("deep") for name in items.keys() & without)
