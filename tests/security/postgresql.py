"""A PostgreSQL that offers TLS with a certificate of its own authority, and logs every statement."""

import os
import pwd

from tests.support import servers
from tests.support.certificates import certify


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

    @property
    def admin(self):
        """URL of its superuser."""
        return self._url("owner", self._password, "postgres")
