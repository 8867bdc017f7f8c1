"""Signed manifests: whose claim it is. OpenSSL makes the keys and judges the signature."""

import shutil
import subprocess

import pytest
from release_samples import FIVE, anonymized, edit, manifest_of, survey

from ratingpriv.anonymize.release import signatures
from ratingpriv.anonymize.release.signatures import (
    PASSPHRASE,
    canonical_bytes,
    public_key,
    signing_key,
)
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import ParameterError

pytest.importorskip("cryptography", reason="the extra ratingpriv[signatures] is not installed")


def pem(key, path, *, public=False, passphrase=None):
    from cryptography.hazmat.primitives import serialization as form

    if public:
        kind = (form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
        path.write_bytes(key.public_key().public_bytes(*kind))
    else:
        hidden = form.BestAvailableEncryption(passphrase) if passphrase else form.NoEncryption()
        path.write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, hidden))
        path.chmod(0o600)
    return path


@pytest.fixture
def key():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@pytest.fixture
def private(key, tmp_path):
    return pem(key, tmp_path / "private.pem")


@pytest.fixture
def public(key, tmp_path):
    return pem(key, tmp_path / "public.pem", public=True)


@pytest.fixture
def release(tmp_path, private):
    return write_release(
        anonymized(survey(tmp_path), FIVE, l=1), tmp_path / "r.csv", sign=private
    ).path


def test_signed_and_checked(release, public):
    found = verify(release, public_key=public)
    assert found.valid
    said = found.to_dict()["signature"]
    assert (said["signed"], said["checked"], said["valid"]) == (True, True, True)
    assert said["public_key_sha256"] == manifest_of(release)["signature"]["public_key_sha256"]
    unchecked = verify(release)
    assert unchecked.valid
    assert any("was not checked" in warning for warning in unchecked.warnings)
    assert unchecked.to_dict()["signature"]["valid"] is None


def test_a_release_that_is_not_signed(tmp_path, public):
    path = write_release(anonymized(survey(tmp_path), FIVE), tmp_path / "u.csv").path
    assert verify(path).valid
    assert verify(path).to_dict()["signature"]["signed"] is False
    found = verify(path, public_key=public)
    assert not found.valid
    assert "the manifest is not signed" in found.problems[0]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("ids", "keep"),
        ("method statement", "made by somebody else"),
        ("more", 1),
        ("signature value", "00" * 64),
        ("signature value", "x"),
        ("signature value", 3),
        ("signature algorithm", "RSA"),
        ("signature", "none"),
        ("signature", {"algorithm": "Ed25519"}),
    ],
)
def test_what_was_changed_after_it_was_signed(release, public, place, value):
    found = verify(edit(release, (*place.split(), value)), public_key=public)
    assert any("signature" in problem for problem in found.problems)
    assert found.to_dict()["signature"]["valid"] is False


def test_another_key(release, tmp_path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    other = pem(Ed25519PrivateKey.generate(), tmp_path / "other.pem", public=True)
    assert not verify(release, public_key=other).valid


def test_an_encrypted_key(key, tmp_path, monkeypatch):
    path = pem(key, tmp_path / "hidden.pem", passphrase=b"a word")
    monkeypatch.delenv(PASSPHRASE, raising=False)
    with pytest.raises(ParameterError, match=PASSPHRASE):
        signing_key(path)
    monkeypatch.setenv(PASSPHRASE, "another word")
    with pytest.raises(ParameterError, match="another passphrase"):
        signing_key(path)
    monkeypatch.setenv(PASSPHRASE, "a word")
    assert signing_key(path).sign({"schema": "x"})


def test_what_is_no_key(tmp_path, private, public):
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    other = generate_private_key(SECP256R1())
    (tmp_path / "text").write_text("no key")
    for read, path, message in (
        (signing_key, pem(other, tmp_path / "ec.pem"), "a private key of another kind"),
        (
            public_key,
            pem(other, tmp_path / "ec-public.pem", public=True),
            "a public key of another kind",
        ),
        (signing_key, public, "no private key"),
        (public_key, private, "never give that away"),
        (public_key, tmp_path / "text", "none as PEM"),
        (signing_key, tmp_path, "Is a directory"),
        (signing_key, tmp_path / "none", "No such file"),
    ):
        with pytest.raises(ParameterError, match=message):
            read(path)


def test_a_key_that_others_may_read_is_said(private, tmp_path):
    private.chmod(0o644)
    made = write_release(anonymized(survey(tmp_path), FIVE), tmp_path / "o.csv", sign=private)
    assert any("others may read the signing key" in warning for warning in made.warnings)
    assert made.to_dict()["signed"] is True


def test_without_the_package(private, public, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cryptography.exceptions", None)
    for read, path in ((signing_key, private), (public_key, public)):
        with pytest.raises(ParameterError, match=r"pip install 'ratingpriv\[signatures\]'"):
            read(path)


def test_what_is_signed_is_of_one_form():
    content = {
        "schema": "ratingpriv.manifest/1",
        "b": [1.0, 2],
        "a": "ε",
        "signature": {},
        "replaces": {},
    }
    signed = b'ratingpriv.manifest/1\n{"a":"\\u03b5","b":[1.0,2],"schema":"ratingpriv.manifest/1"}'
    assert canonical_bytes(content) == signed
    assert signatures.canonical_bytes(dict(reversed(content.items()))) == signed


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on the path")
def test_openssl_agrees(tmp_path):
    """The two lines of the documentation make the keys; OpenSSL checks what was signed."""

    def openssl(*args):
        return subprocess.run(
            ["openssl", *map(str, args)], cwd=tmp_path, capture_output=True, check=False
        )

    made = openssl("genpkey", "-algorithm", "ed25519", "-out", "private.pem")
    if made.returncode:
        pytest.skip("this openssl makes no Ed25519 keys")
    assert openssl("pkey", "-in", "private.pem", "-pubout", "-out", "public.pem").returncode == 0
    path = write_release(
        anonymized(survey(tmp_path), FIVE), tmp_path / "r.csv", sign=tmp_path / "private.pem"
    ).path
    assert verify(path, public_key=tmp_path / "public.pem").valid
    content = manifest_of(path)
    (tmp_path / "signature").write_bytes(bytes.fromhex(content["signature"]["value"]))
    check = [
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "public.pem",
        "-rawin",
        "-sigfile",
        "signature",
        "-in",
    ]
    (tmp_path / "signed").write_bytes(canonical_bytes(content))
    assert openssl(*check, "signed").returncode == 0
    (tmp_path / "signed").write_bytes(canonical_bytes({**content, "ids": "keep"}))
    assert openssl(*check, "signed").returncode != 0
