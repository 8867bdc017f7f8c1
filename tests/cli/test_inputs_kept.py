"""No command writes over what it reads: every output option, every input, every way to name a file.

The options come from the commands themselves, so that a new one is covered or fails here.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ratingpriv.audit.result import AuditResult
from ratingpriv.cli import app
from ratingpriv.cli.options.parameters import names_of, place_of

PLACE = re.compile(r"FILE|DIR|KEY|DATA|RELEASE|URI|PATH|SPEC")
NO_PLACE = {("store drop", "dataset"), ("store export", "dataset"), ("query run", "param")}
REQUIRED = {"record": "1", "k": "2", "epsilon": "1", "method": "modify", "output": "free.csv"}


def commands(group: TyperGroup, before: tuple[str, ...] = ()) -> Iterator[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


COMMANDS = dict(commands(get_command(app)))


def places(command: TyperCommand, place: str) -> list:
    return [param for param in command.params if place_of(param) == place]


PAIRS = [
    (name, output.name, given.name)
    for name, command in COMMANDS.items()
    for output in places(command, "output")
    for given in places(command, "input") + places(command, "store")
]


def test_every_option_that_names_a_file_says_whether_it_is_read_or_written():
    for name, command in COMMANDS.items():
        for param in command.params:
            metavar = param.metavar or ""
            if PLACE.search(metavar) and (name, param.name) not in NO_PLACE:
                assert place_of(param) is not None, (name, param.name, metavar)
            writes = re.search(r"\b(write|draw|keep)\b", getattr(param, "help", None) or "", re.I)
            if writes and metavar in ("FILE", "DIR"):
                assert place_of(param) == "output", (name, param.name)


def named(path: Path, folder: Path) -> Iterator[str]:
    """Yield names of a file, and of what lies in a folder."""
    yield str(path)
    yield os.path.relpath(path, folder)
    yield f"{folder}/sub/../{path.name}"
    (folder / "soft").symlink_to(path)
    yield str(folder / "soft")
    (folder / "soft soft").symlink_to("soft")
    yield str(folder / "soft soft")
    (folder / "other folder").symlink_to(folder, target_is_directory=True)
    yield str(folder / "other folder" / path.name)
    if path.is_dir():
        yield str(path / "u.data")
        yield str(path / "new.json")
        yield str(path / "deep" / "new.json")
        return
    (folder / "hard").hardlink_to(path)
    yield str(folder / "hard")
    if (folder / path.name.upper()).exists():  # the file system takes no notice of the case
        yield str(folder / path.name.upper())


def said(command: TyperCommand, name: str, value: object) -> list[str]:
    """Return the words that give a parameter a value."""
    param = next(param for param in command.params if param.name == name)
    names = names_of(param)
    if param.setting is not None:
        return ["--set", f"{names[0]}={value}"]
    return [f"--{names[0]}", str(value)] if names else [str(value)]


def arguments(command: TyperCommand, output: str, given: str, path: Path, text: str) -> list[str]:
    """Return a command line that names ``path`` as the input ``given``,
    up to the option ``output``.
    """
    words = ["--force"] if any(param.name == "force" for param in command.params) else []
    for param in command.params:
        option = next((one for one in param.opts if one.startswith("--")), None)
        if param.name == given:
            ways = {"issues": "@", "store": "embedded:", "places": "survey="}
            words += said(command, given, f"{ways.get(given, '')}{path}")
        elif (param.name == "data" and given != "store") or (
            param.required and not names_of(param)
        ):
            words.append(text)
        elif param.name == "dataset" and given == "store":
            words += ["--dataset", "survey"]
        elif param.required and option is not None and param.name != output:
            words += [option, REQUIRED[param.name]]
    return words


@pytest.mark.parametrize(("name", "output", "given"), PAIRS)
def test_an_output_is_never_an_input(cli, tmp_path, monkeypatch, name, output, given):
    if (name, given) == ("ingest", "store"):
        pytest.skip("--offline takes no --store")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    command = COMMANDS[name]
    other = tmp_path / "other.csv"
    other.write_text("id,a\n1,2\n2,2\n")
    path = tmp_path / "input.toml"
    path.write_text("# an input\n")
    ways = list(named(path, tmp_path))
    descriptor = os.open(path, os.O_RDWR)
    try:
        if Path(f"/dev/fd/{descriptor}").exists():
            ways.append(f"/dev/fd/{descriptor}")
        for way in ways:
            words = arguments(command, output, given, path, str(other))
            found = cli(*name.split(), *words, *said(command, output, way))
            assert found.exit_code == 2, (way, found.stderr)
            assert "this is the input" in found.stderr, way
            assert path.read_text() == "# an input\n"
    finally:
        os.close(descriptor)


SUFFIXES = {
    "plot": ".svg",
    "picture": ".svg",
    "certificate": ".json",
    "junit": ".xml",
    "key": ".key",
}
OWN_SUFFIXES = {"describe": ".toml", "report": ".html", "store export": ".graphml"}
TARGET = {"partition": ["--k", "2", "--epsilon", "1"], "anonymize": ["--epsilon", "1"]}
# what they write depends on it: tests of their own
READ_FIRST = ("run", "experiment", "reproduce", "ingest")
KEPT = [
    pair
    for pair in dict.fromkeys(pair[:2] for pair in PAIRS)
    # there is what was finished
    if pair[0] not in READ_FIRST and pair[1] not in ("journal", "work")
]


@pytest.mark.parametrize(("name", "output"), KEPT)
def test_what_is_there_is_not_replaced_and_nothing_is_read(
    cli, tmp_path, monkeypatch, name, output
):
    monkeypatch.chdir(tmp_path)
    command = COMMANDS[name]
    there = tmp_path / f"there{OWN_SUFFIXES.get(name) or SUFFIXES.get(output, '.csv')}"
    there.write_text("mine")
    words = [
        word
        for word in arguments(command, output, "", tmp_path, "missing.csv")
        if word != "--force"
    ]
    ended = cli(*name.split(), *words, *TARGET.get(name, []), *said(command, output, str(there)))
    assert ended.exit_code == 2, ended.stderr
    assert "there" in ended.stderr
    assert "missing.csv" not in ended.stderr
    assert there.read_text() == "mine"


@pytest.mark.parametrize(("name", "output"), [pair[:2] for pair in PAIRS if pair[2] == "data"])
def test_nothing_is_written_into_a_folder_that_is_read(cli, tmp_path, monkeypatch, name, output):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "ml").mkdir()
    (tmp_path / "ml" / "u.data").write_text("1\t2\t3\t881250949\n")
    command = COMMANDS[name]
    for way in named(tmp_path / "ml", tmp_path):
        words = arguments(command, output, "data", tmp_path / "ml", "other.csv")
        found = cli(*name.split(), *words, *said(command, output, way))
        assert found.exit_code == 2
        assert "input" in found.stderr, (way, found.stderr)
    assert [path.name for path in (tmp_path / "ml").iterdir()] == ["u.data"]


def test_the_manifest_of_a_release_and_the_files_of_the_tour_are_kept_too(
    cli, table_file, tmp_path
):
    data = table_file(2)
    (tmp_path / "r.csv.manifest.json").hardlink_to(data)
    before = data.read_bytes()
    target = ("--k", 2, "--epsilon", 2, "--method", "suppress", "--force")
    found = cli("anonymize", "--accept", "found", data, *target, "-o", tmp_path / "r.csv")
    assert (found.exit_code, data.read_bytes()) == (2, before), found.stderr
    assert "this is the input" in found.stderr
    release = tmp_path / "x.csv"
    release.write_bytes(before)
    (tmp_path / "x.csv.manifest.json").write_text("{}")
    found = cli("attack", data, "--release", release, "--truth", "ids", "--force", "-o",
                tmp_path / "x.csv.manifest.json")  # fmt: skip
    assert "this is the input" in found.stderr


def test_a_link_that_is_made_meanwhile_is_not_followed_to_the_input(
    cli, table_file, tmp_path, monkeypatch
):
    data, out = table_file(2), tmp_path / "out.json"
    before = data.read_bytes()
    for link in (Path.symlink_to, Path.hardlink_to):
        out.write_text("old")

        def swapped(*args, link=link, to_dict=AuditResult.to_dict, **more):
            out.unlink()
            link(out, data)
            return to_dict(*args, **more)

        with monkeypatch.context() as patch:
            patch.setattr(AuditResult, "to_dict", swapped)
            found = cli("audit", data, "--k", 1, "--epsilon", 2, "-o", out, "--force")
        assert (found.exit_code, data.read_bytes()) == (2, before)
        assert "this is the input" in found.stderr
        assert out.samefile(data)
        out.unlink()


def test_standard_output_that_is_appended_to_the_input(process, table_file):
    data = table_file(2)
    before = data.read_bytes()
    with data.open("ab") as end:
        found = process(
            "audit", data, "--k", 1, "--epsilon", 2, stdout=end, stderr=-1, capture_output=False
        )
    assert found.returncode == 2
    assert "standard output: this is the input" in found.stderr
    assert data.read_bytes() == before
    with data.open("rb") as start:
        found = process("audit", "-", "--k", 1, "--epsilon", 2, "-o", data, "--force", stdin=start)
    assert "this is the input on standard input" in found.stderr
    assert data.read_bytes() == before
