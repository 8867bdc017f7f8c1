"""Results as JSON text."""

import math

import pytest

from ratingpriv.report.as_json import json_text

pytestmark = pytest.mark.small


def test_other_letters_stay_unless_the_output_is_ascii():
    assert json_text({"a": "∅"}) == '{\n  "a": "∅"\n}\n'
    assert json_text({"a": "∅"}, ascii_only=True) == '{\n  "a": "\\u2205"\n}\n'


def test_what_is_not_json_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        json_text({"a": math.inf})
