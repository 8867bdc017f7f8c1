"""A privacy officer finds the field's words in the glossary, each once, in alphabetical order."""

from __future__ import annotations

import re

import pytest
from house.checkout import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\*\*(.+?)\.\*\*", GLOSSARY, re.MULTILINE)


@pytest.mark.parametrize(
    "word",
    [
        "Quasi-identifier", "Direct identifier", "Re-identification", "Singling out", "Linkability",
        "Inference",
        "Suppression", "Prosecutor risk", "Marketer risk",
    ],
)  # fmt: skip
def test_the_word_is_explained(word):
    assert word in TERMS


def test_every_word_stands_once_and_in_order():
    keys = [re.sub("ε", "e", term).lower() for term in TERMS]
    plain = [re.sub(r"[^a-z ]", "", key) for key in keys]
    assert len(set(TERMS)) == len(TERMS)
    assert plain == sorted(plain)
