"""Results as JSON text."""

from __future__ import annotations

import json
import math

import pytest

from ratingpriv.report.as_json import json_text, write_json

pytestmark = pytest.mark.small


def test_other_letters_stay_unless_the_output_is_ascii():
    assert json_text({"a": "∅"}) == '{\n  "a": "∅"\n}\n'
    assert json_text({"a": "∅"}, ascii_only=True) == '{\n  "a": "\\u2205"\n}\n'


def test_what_is_not_json_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        json_text({"a": math.inf})


def test_a_file(result, tmp_path):
    write_json(result.to_dict(), tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == result.to_dict()
