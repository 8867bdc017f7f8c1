"""The library speaks Python, the command line speaks options."""

import ast
import re
from dataclasses import asdict

import pytest
from house.checkout import modules

from ratingpriv.base.target import Target
from ratingpriv.report import wording
from ratingpriv.report.templating import phrase
from ratingpriv.report.wording import as_options


@pytest.mark.parametrize(
    ("python", "option"),
    [
        ("`null`", "--null"),
        ("`sensitive_nulls='ignore'`", "--set sensitive-nulls=ignore"),
        ("`scale=(1, 5)`", "--scale 1:5"),
        ("`header=False`", "--set header=no"),
        ("`force=True`", "--force"),
        ("`fabricate=False`", "--set no-fabricate=yes"),
        ("`sensitive=['x', 'my pay']`", "--sensitive x --sensitive 'my pay'"),
        ("`sensitive=[]`", "--no-sensitive"),
        ("`sensitive=[...]`", "--sensitive ..."),
        ("`null=['', 99]`", "--null '' --null 99"),
        ("`issues='top:20'`", "--items top:20"),
        ("`issues=['a', 'b c']`", "--items 'a,b c'"),
        ("`epsilon=2.0`", "--epsilon 2"),
        ("`l=None`", "no --l"),
        ("`rng=1`", "--seed 1"),
        ("`pseudonym_key`", "--pseudonymize"),
        ("`ids='shuffle'`", "no --strip-ids and no --keep-ids"),
        ("`date_error=None`", "--date-error none"),
    ],
)
def test_parameters_become_options(python, option):
    assert as_options(f"Give {python}, or not.") == f"Give {option}, or not."


@pytest.mark.parametrize(
    "text",
    [
        "no parameter here: l=2 stays", "`RatingTable.from_wide(frame)` is no parameter",
        "a column called `my pay`", "``code``", "only one ` of them", "`table`", "",
    ],
)  # fmt: skip
def test_what_is_no_parameter_stays(text):
    assert as_options(text) == text


def test_a_target_in_options_is_exact_and_says_only_what_is_not_the_default():
    assert phrase("target_options", asdict(Target(k=5, epsilon=1))) == "--k 5 --epsilon 1"
    most = Target(k=2, epsilon=0.1 + 0.2, l=0.5, nulls="wildcard", sensitive_nulls="ignore")
    assert phrase("target_options", asdict(most)) == (
        "--k 2 --epsilon 0.30000000000000004 --l 0.5 --nulls wildcard --set sensitive-nulls=ignore"
    )


def every(command, names):
    """Return ``names`` of every parameter of a command and of those below it."""
    found = {name for param in command.params for name in names(param)}
    return found.union(
        *(every(below, names) for below in getattr(command, "commands", {}).values())
    )


def test_a_message_knows_what_is_a_setting(command):
    assert (
        every(command, lambda param: filter(None, [getattr(param, "setting", None)]))
        == wording.SETTINGS
    )


def messages(path):
    """The strings of a module that are no docstrings, f-strings with VALUE where a value goes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (
                part.value if isinstance(part, ast.Constant) else "VALUE" for part in node.values
            )
            yield "".join(map(str, parts))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.value


def test_every_parameter_that_a_message_names_is_an_option(command):
    known = every(command, lambda param: [*param.opts, *param.secondary_opts])
    said = [
        (name, text)
        for name, path in modules().items()
        # of JSON keys, and what speaks options itself
        if not re.search(r"\.(cli|documents|report)\b", name)
        for text in messages(path)
        if as_options(text) != text
    ]
    assert [
        one for one in said if not set(re.findall(r"--[a-z][\w-]*", as_options(one[1]))) <= known
    ] == []
