"""``bool`` of what has a verdict is the verdict without a reservation, or an error."""

import importlib
import inspect
import pkgutil

import pytest

import ratingpriv
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.requirement import Judged, Requirement
from ratingpriv.documents.form import Document

K1 = Caution.due("k-asks-nothing", "k is 1")
STANDINGS = {
    "holds": (Standing.of(True, []), True),
    "does not": (Standing.of(False, []), False),
    "with a reservation": (Standing.of(True, [K1]), False),
    "accepted": (Standing.of(True, [K1], ["k-asks-nothing"]), True),
    "tolerated": (Standing.of(False, [], tolerated=True), False),
    "undecided": (Standing.of(None, []), False),
}
INNER = {  # what no user is handed as a result: parts of a search or of a study
    "anonymize.modification.plan.Attempt", "audit.judging.Judged", "audit.records.AuditedRecords",
    "partition.exact.Diversity", "partition.near.demands.Demands",
    "proximity.demands.demand.CountedDemand",
    "studies.papers.judging.Finding", "studies.papers.measurement.Cost",
}  # fmt: skip


def classes():
    """Every class of the package."""
    for module in pkgutil.walk_packages(ratingpriv.__path__, "ratingpriv."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                yield cls


def name_of(cls):
    return f"{cls.__module__}.{cls.__name__}".removeprefix("ratingpriv.")


def has(cls, *names):
    return any(
        hasattr(cls, name) or name in getattr(cls, "__dataclass_fields__", ()) for name in names
    )


def test_every_class_with_a_verdict_says_what_its_truth_is():
    found = [
        cls
        for cls in classes()
        if has(cls, "satisfied", "valid", "passed", "standing", "met", "holds")
    ]
    found = [cls for cls in found if not issubclass(cls, Document) and name_of(cls) not in INNER]
    assert len(found) > 12
    assert [name_of(cls) for cls in found if getattr(cls, "__bool__", None) is None] == []


@pytest.mark.parametrize("kind", STANDINGS)
def test_a_standing_is_true_where_it_is_plain(kind):
    standing, plain = STANDINGS[kind]
    assert bool(standing) is plain


@pytest.mark.parametrize("kind", STANDINGS)
def test_every_result_with_a_standing_is_as_true_as_that(kind, monkeypatch):
    standing, plain = STANDINGS[kind]
    found = [cls for cls in classes() if has(cls, "standing") and cls is not Result]
    assert len(found) > 6
    for cls in found:
        with monkeypatch.context() as patched:
            patched.setattr(cls, "standing", standing)
            if has(cls, "parameters"):  # of a frontier without a target nothing was asked
                asked = type("Asked", (), {"has_target": True})()
                patched.setattr(cls, "parameters", asked, raising=False)
            assert bool(object.__new__(cls)) is plain, cls


def test_a_result_without_a_verdict_is_neither():
    class Shown(Result):
        pass

    with pytest.raises(TypeError, match="no verdict"):
        bool(Shown())


def test_a_limit_that_is_not_kept_is_false():
    limit = Requirement("exposed", "<=", 0.5)
    assert [bool(Judged(limit, value, met)) for value, met in ((0.4, True), (0.6, False))] == [
        True,
        False,
    ]
