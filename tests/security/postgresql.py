"""A PostgreSQL that offers TLS with a certificate of its own authority, and logs every statement."""

from __future__ import annotations

import os
import pwd
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.services import servers


class Server(servers.PostgreSQL):
    """A server with a certificate for 127.0.0.1 and no other name."""

    def prepare(self):
        super().prepare()
        self.authority = certify(self.folder)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder / "server.key", owner.pw_uid, owner.pw_gid)

    def command(self):
        given = {
            "ssl": "on",
            "ssl_cert_file": self.authority,
            "ssl_key_file": self.folder / "server.key",
            "log_statement": "all",
            "log_min_duration_statement": 0,
        }
        return [*super().command(), *(part for name, value in given.items() for part in ("-c", f"{name}={value}"))]

    def __exit__(self, *raised):
        self.kill()  # a shutdown would wait for the connections that pools keep
        super().__exit__(*raised)

    @property
    def admin(self):
        """URL of its superuser."""
        return self._url("owner", self._password, "postgres")


def certify(folder):
    """A self-signed certificate for 127.0.0.1 and its key, in a folder; gives the certificate's file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ledger")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(hours=1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = builder.add_extension(names, critical=False).not_valid_after(now + timedelta(days=1))
    pem, pkcs8, none = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "server.pem").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem))
    (folder / "server.key").write_bytes(key.private_bytes(pem, pkcs8, none))
    (folder / "server.key").chmod(0o600)
    return folder / "server.pem"
