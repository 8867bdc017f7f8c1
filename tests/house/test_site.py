"""The generated reference has every command, option, query, contract, error and name.

No Sphinx is needed.
"""

import json
import re

import pytest
from typer.main import get_command
from website import python, staging

import ratingpriv
from ratingpriv.base import errors
from ratingpriv.cli import app
from ratingpriv.documents.contracts import schemas
from ratingpriv.graph.queries import list_queries


@pytest.fixture(scope="module")
def pages():
    return {room: made() for room, made in staging.GENERATED.items()}


def every(group, path=()):
    """Yield the words of every command, by Typer alone."""
    for name, one in group.commands.items():
        yield from every(one, (*path, name)) if hasattr(one, "commands") else [((*path, name), one)]


@pytest.mark.parametrize(
    ("words", "command"),
    list(every(get_command(app))),
    ids=lambda one: "-".join(one) if isinstance(one, tuple) else "",
)
def test_a_command_has_its_page_with_every_option(pages, words, command):
    page = pages["commands"]["-".join(words) + ".md"]
    assert page.startswith(f"# ratingpriv {' '.join(words)}\n")
    assert f"({'-'.join(words)}.md)" in pages["commands"]["index.md"]
    documented = set(
        re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", " ".join(re.findall(r"\{option\} (.+)", page)))
    )
    offered = {
        name
        for param in command.params
        if param.param_type_name == "option"
        and not (param.hidden or getattr(param, "setting", None))
        for name in [*param.opts, *param.secondary_opts]
    }
    assert offered <= documented
    for param in command.params:
        if param.param_type_name == "argument" and not param.hidden:
            assert f"| `{param.metavar}` |" in page
    for panel in {
        param.rich_help_panel for param in command.params if not getattr(param, "hidden", False)
    } - {None}:
        assert f"## {panel.rstrip(':')}\n" in page


def test_every_query_and_contract_has_its_section(pages):
    text = "".join(pages["cypher"].values())
    for asked in list_queries(everything=True):
        assert f"## {asked.id}\n" in text
        assert all(part.statement.rstrip() in text for part in asked.parts)
    for name in schemas():
        page = pages["schemas"][name.removeprefix("ratingpriv.").replace("/", "-") + ".md"]
        assert f"# {name}\n" in page
        whole = ratingpriv.schema(name)
        assert json.dumps(whole, indent=2, ensure_ascii=False) in page
        for key in named(whole):
            assert re.search(rf"^\| `(?:[^`]*[.\]])?{re.escape(key)}` \|", page, re.MULTILINE), (
                name,
                key,
            )


def named(part):
    """Yield every key that a schema gives a meaning, wherever it stands."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "properties":
                yield from value
            yield from named(value)
    elif isinstance(part, list):
        for one in part:
            yield from named(one)


def test_every_public_name_is_there(pages):
    text = "".join(pages["python"].values())
    entries = set(re.findall(r"^\.\. auto(?:function|class):: (\S+)", text, re.MULTILINE))
    assert {f"ratingpriv.{name}" for name in ratingpriv.__all__} <= entries
    rest = set(errors.__all__) - set(ratingpriv.__all__)
    assert {f"ratingpriv.base.errors.{name}" for name in rest} <= entries
    returned = {name.rpartition(".")[2] for name in python.results()}
    assert {
        "AuditResult",
        "Frontier",
        "PartitionResult",
        "Anonymized",
        "Findings",
        "Exposure",
    } <= returned
    assert returned <= {entry.rpartition(".")[2] for entry in entries}
    assert not [entry for entry in entries if entry.rpartition(".")[2].startswith("_")]


def test_the_pages_stand_where_they_stand_in_the_repository(tmp_path):
    staging.stage(tmp_path)
    staged = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    wanted = {
        "README.md",
        "docs/index.md",
        "docs/glossary.md",
        "docker/pictures/at-risk.png",
        "LICENSE",
    }
    ends = {room: "rst" if room == "python" else "md" for room in staging.GENERATED}
    assert wanted | {f"docs/reference/{room}/index.{end}" for room, end in ends.items()} <= staged
