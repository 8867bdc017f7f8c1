"""``ratingpriv verify``: 0 valid, 1 not valid, 2 unreadable."""

import json

import pytest


@pytest.fixture
def cli(cli):
    """Accept that one question of Table 2 tells nobody apart at epsilon 1,
    and that records are found.
    """
    accepted = ("--accept", "epsilon-covers-questions", "--accept", "found")
    return lambda command, *words: cli(command, *words, *accepted)


@pytest.fixture
def release(cli, table_file, tmp_path):
    data = table_file(2)
    path = tmp_path / "release.csv"
    asked = ["--sensitive", "issue 4", "--scale", "1:7", "--k", 2, "--epsilon", 1, "--l", 1.5]
    ended = cli("anonymize", "--accept", "found", data, *asked, "--method", "suppress", "-o", path)
    assert ended.exit_code == 0
    data.unlink()  # nothing of the input is needed
    return path


def test_valid_until_it_is_changed(cli, release):
    ended = cli("verify", release, "--verbose")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert text.startswith(
        f"VALID WITH RESERVATION (accepted): {release} is (k = 2, epsilon = 1, l = 1.5)-anonymous"
    )
    assert "not who wrote it" in text
    assert "sensitive: issue 4" in text
    content = json.loads(cli("verify", release, "--json").stdout)
    assert (content["schema"], content["valid"]) == ("ratingpriv.verify/1", True)
    assert content["found"]["largest_l"] == {"issue 4": 1.5}
    release.write_text(release.read_text() + "\n")
    ended = cli("verify", release)
    assert ended.exit_code == 1
    assert "not the file that the manifest speaks of" in " ".join(ended.stdout.split())
    assert json.loads(cli("verify", release, "--json").stdout)["valid"] is False


@pytest.mark.parametrize("demand", [("--k", 3), ("--epsilon", 0), ("--l", 1.6)])
def test_demands(cli, release, demand):
    asked = ("--sensitive", "issue 4")
    ended = cli("verify", release, *demand)
    assert ended.exit_code == 2  # the manifest alone would take an issue out of the demand
    assert "--sensitive 'issue 4'" in ended.stderr
    assert "--no-sensitive" in ended.stderr
    ended = cli("verify", release, *demand, *asked)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("NOT VALID")
    assert "not as anonymous as demanded" in " ".join(ended.stdout.split())
    assert cli("verify", release, "--k", 2, "--epsilon", 1, "--l", 1.5, *asked).exit_code == 0


def test_unreadable(cli, release):
    assert cli("verify", release.with_name("no.csv")).exit_code == 2
    release.with_name("release.csv.manifest.json").write_text("{")
    ended = cli("verify", release)
    assert ended.exit_code == 2
    assert "expected a manifest (ratingpriv.manifest/1)" in ended.stderr
    assert cli("verify", release, "--k", "none").exit_code == 2


def test_a_demand_counts_every_issue_that_is_not_said_to_be_sensitive(cli, release):
    ended = cli("verify", release, "--k", 2, "--no-sensitive", "--json")
    assert ended.exit_code == 1
    content = json.loads(ended.stdout)
    assert content["demanded"]["largest_k"] == 1
    assert content["demanded"]["l"] is None
    assert content["read"]["demand"]["sensitive"] == []
    assert cli("verify", release, "--no-sensitive", "--sensitive", "issue 4").exit_code == 2


def test_signed(cli, release, table_file, tmp_path):
    pytest.importorskip("cryptography", reason="the extra ratingpriv[signatures] is not installed")
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key, private, public = (
        Ed25519PrivateKey.generate(),
        tmp_path / "private.pem",
        tmp_path / "public.pem",
    )
    pem = form.Encoding.PEM
    private.write_bytes(key.private_bytes(pem, form.PrivateFormat.PKCS8, form.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(pem, form.PublicFormat.SubjectPublicKeyInfo))
    private.chmod(0o640)
    data = (table_file(2), "--sensitive", "issue 4", "-o", tmp_path / "s.csv")
    asked = ("anonymize --accept found --k 2 --epsilon 1 --method suppress", *data, "--sign")
    assert cli(*asked, public).exit_code == 2
    assert not (tmp_path / "s.csv").exists()
    ended = cli(*asked, private)
    assert ended.exit_code == 0
    assert "others may read the signing key" in " ".join(ended.stdout.lower().split())
    ended = cli("verify", tmp_path / "s.csv", "--public-key", public)
    assert (ended.exit_code, "Signed by the key" in ended.stdout) == (0, True)
    assert "not who wrote it" not in " ".join(ended.stdout.split())
    ended = cli("verify", release, "--public-key", public)
    assert (ended.exit_code, "NOT signed by the key" in ended.stdout) == (1, True)
    ended = cli("verify", release, "--public-key", private)
    assert (ended.exit_code, "public-key: found" in ended.stderr) == (2, True)
