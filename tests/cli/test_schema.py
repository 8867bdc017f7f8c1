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
