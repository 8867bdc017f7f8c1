"""Certificates of a test: an authority of its own, and a server's certificate that it signed."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["signed"]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def signed(folder: Path, host: str, first: int, last: int) -> tuple[Path, ssl.SSLContext]:
    """Return the authority's certificate, and a server with one for ``host`` from day to day from now."""
    now = datetime.datetime.now(datetime.UTC)
    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    made = []
    for subject, key, days, is_authority in (
        ("tests", authority, (-400, 400), True),
        (host, own, (first, last), False),
    ):
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(subject))
            .issuer_name(_name("tests"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=days[0]))
            .not_valid_after(now + datetime.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        made.append(builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    for name, content in (("authority.pem", made[0]), ("server.pem", made[1])):
        (folder / name).write_bytes(content)
    (folder / "server.key").write_bytes(
        own.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return folder / "authority.pem", context
