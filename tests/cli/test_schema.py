"""``ratingpriv schema``."""

import json

import ratingpriv
from ratingpriv.documents import schemas


def test_schemas_are_listed_and_printed(cli):
    listed = cli("schema").stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(schemas())
    for name in schemas():
        assert json.loads(cli("schema", name).stdout) == ratingpriv.schema(name)
    assert json.loads(cli("schema", "attack").stdout)["title"] == "ratingpriv.attack/2"


def test_keys_are_lines_of_path_type_and_meaning(cli):
    lines = cli("schema", "audit", "--keys").stdout.splitlines()
    assert lines[0].startswith("ratingpriv.audit/1: ")
    rows = {line.split()[0]: line for line in lines[4:]}
    assert rows["risk.share_below_k"].split(maxsplit=2)[1:] == [
        "number", "Share of records whose neighbourhood has fewer than k records."
    ]  # fmt: skip
    assert rows["dataset.quasi[].within"].endswith(" Optional.")
    assert {"inference.NAME.entropy", "parameters.k", "violators[].record"} <= rows.keys()
    assert (
        "Which part of the data this is." not in rows["selection"]
    )  # its own meaning goes before its type's
    assert rows["gate"].split(maxsplit=2) == [
        "gate",
        "Gate",
        "Only where limits were set. Optional.",
    ]


def test_keys_of_every_contract_are_listed_once(cli):
    """Also of a manifest, which has a manifest in it."""
    for name in schemas():
        paths = [line.split()[0] for line in cli("schema", name, "--keys").stdout.splitlines()[4:]]
        assert len(paths) == len(set(paths)) or name == "ratingpriv.anonymize/1"  # of two forms


def test_keys_without_a_contract_are_refused(cli):
    ended = cli("schema", "--keys")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert (
        "keys: found 'no NAME', expected a contract, as in ratingpriv schema audit --keys"
        in ended.stderr
    )
    assert cli("schema", "adit", "--keys").exit_code == 2
