"""Every demand of the registry reaches whoever takes demands:
one that got lost would be kept by all data.
"""

import dataclasses

import pytest
from support.golden.tables import table1

from ratingpriv import audit
from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.documents.audit import Audit
from ratingpriv.documents.verdicts import AuditParameters
from ratingpriv.partition import near_groups
from ratingpriv.partition.near.demands import Demands
from ratingpriv.proximity.demands import DEMANDS, DemandWords


@pytest.mark.parametrize("name", DEMANDS)
def test_what_is_asked_of_an_audit_is_judged_and_told(name):
    value = DEMANDS[name].nothing
    result = audit(table1(), k=1, epsilon=1, **{name: value})
    assert getattr(result.parameters, name) == value
    assert result.parameters.idle == (name,)
    assert "demand-asks-nothing" in {caution.code for caution in result.cautions}
    document = result.to_dict()
    assert document["parameters"][name] == value
    assert document[name]["satisfied"] is True
    assert [other for other in DEMANDS if document[other] is not None] == [name]


@pytest.mark.parametrize("name", DEMANDS)
def test_nothing_is_asked_of_others_beside_known_ratings(name):
    with pytest.raises(ParameterError) as error:
        audit(table1(), k=1, epsilon=1, known=1, **{name: DEMANDS[name].nothing})
    assert error.value.name == name


@pytest.mark.parametrize("name", DEMANDS)
def test_it_is_a_parameter_wherever_demands_are_taken(name):
    assert name in DemandWords.__annotations__
    assert name in {field.name for field in dataclasses.fields(options.Diversity)}
    assert name in {field.name for field in dataclasses.fields(Demands)}
    assert {name, "k"} <= set(AuditParameters.__struct_fields__)
    assert name in Audit.__struct_fields__


@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("value", [-1, "many"])
def test_audits_and_groups_refuse_the_same_values(name, value):
    for ask in (audit, near_groups):
        with pytest.raises(ParameterError) as error:
            ask(table1(), k=2, epsilon=1, **{name: value})
        assert error.value.name == name
