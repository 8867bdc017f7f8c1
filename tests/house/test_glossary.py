"""A privacy officer finds the field's words in the glossary, each once, in alphabetical order."""

from __future__ import annotations

import re

from house.checkout import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\*\*(.+?)\.\*\*", GLOSSARY, re.MULTILINE)


def test_every_word_stands_once_and_in_order():
    keys = [re.sub("ε", "e", term).lower() for term in TERMS]
    plain = [re.sub(r"[^a-z ]", "", key) for key in keys]
    assert len(set(TERMS)) == len(TERMS)
    assert plain == sorted(plain)
