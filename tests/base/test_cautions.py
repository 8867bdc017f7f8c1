"""What changes a verdict, and what it comes to with that: its headline and its exit code."""

import pytest

from ratingpriv.base.cautions import CODES, Caution, Standing, identifier_repeats
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.reservations import RESERVATIONS, checked_codes

pytestmark = pytest.mark.small

K1 = Caution("k-asks-nothing", "k is 1")
WILD = Caution("nulls-wildcard", "wildcard")
SPARSE = Caution("sparse-data", "sparse")
BOTH = "YES UNDER WILDCARD WITH RESERVATION"
WITH_L = Caution("k-asks-nothing", "k is 1, and l is asked for", reservation="")


@pytest.mark.parametrize(
    ("held", "cautions", "accept", "said", "passes"),
    [
        (True, [], [], "YES", True),
        (True, [SPARSE], [], "YES", True),
        (True, [K1], [], "YES WITH RESERVATION", False),
        (True, [K1], ["nulls-wildcard"], "YES WITH RESERVATION", False),
        (True, [K1], ["k-asks-nothing"], "YES WITH RESERVATION (accepted)", True),
        (True, [WITH_L], [], "YES", True),
        (True, [WILD], [], BOTH, False),
        (True, [K1, WILD], ["k-asks-nothing"], BOTH, False),
        (True, [K1, WILD], ["nulls-wildcard", "k-asks-nothing"], f"{BOTH} (accepted)", True),
        (False, [WILD], ["nulls-wildcard"], "NO UNDER WILDCARD", False),
        (False, [K1], ["k-asks-nothing"], "NO", False),
    ],
)  # fmt: skip
def test_a_verdict_with_a_reservation_is_no_yes(held, cautions, accept, said, passes):
    standing = Standing.of(held, cautions, accept)
    assert (standing.headline("YES", "NO"), standing.passes) == (said, passes)
    assert standing.good is (None if held and standing.reservations else held)


@pytest.mark.parametrize("accept", [[], ["nulls-wildcard"]])
def test_a_tolerance_accepts_no_reservation(accept):
    standing = Standing.of(False, [WILD], accept, tolerated=True)
    assert standing.passes is bool(accept)
    assert standing.headline("YES", "NO") == "NO UNDER WILDCARD"
    assert standing.good is None


@pytest.mark.parametrize("code", RESERVATIONS)
def test_each_of_them_is_a_no_until_it_is_accepted(code):
    caution = Caution(code, "message").of_written()
    assert code in CODES
    assert not Standing.of(
        True, [caution], [other for other in RESERVATIONS if other != code]
    ).passes
    assert Standing.of(True, [caution], [code]).passes
    assert Caution.from_dict(caution.to_dict()) == caution


def test_only_these_change_a_verdict():
    with pytest.raises(ValueError, match="one of RESERVATIONS"):
        Caution("sparse-data", "message", reservation="no")
    assert "but" not in SPARSE.to_dict()
    assert Caution.from_dict(
        {"code": "k-asks-nothing", "message": "of an older version"}
    ).reservation
    assert not Caution.from_dict(
        {"code": "sparse-data", "message": "", "but": "forged"}
    ).reservation


@pytest.mark.parametrize("code", ["k-ask-nothing", "sparse-data", "", "all"])
def test_what_is_none_of_them_is_refused_with_the_list(code):
    with pytest.raises(ParameterError, match=r"accept: found .*, expected one of .*nulls-wildcard"):
        checked_codes([code])


def test_a_repeated_identifier_is_told_with_its_numbers():
    caution = identifier_repeats("email", 2, 1004)
    assert "2 different values in 1,004 records" in caution.message
    assert "2 different email in 1,004 records" in caution.reservation
