"""Keys and the access token, from files that nobody else can read."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner

if TYPE_CHECKING:
    from pathlib import Path


def read_private_file(path: Path) -> str:
    """The text of a file that is its owner's alone.

    :raises SigningError: it cannot be read, or others can read or write it too.
    """
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if mode & 0o077:
                raise SigningError(
                    f"{path} has mode {stat.S_IMODE(mode):o}: others can use it", remedy=f"Run chmod 600 {path}"
                )
            return file.read()
    except OSError as error:
        raise SigningError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        # Not from the foreign error: that one quotes what it could not read.
        raise SigningError(f"{path} is not a text") from None


def read_keys(path: Path) -> list[LocalSigner]:
    """Read a key file: one mnemonic, 0x seed or key URI per line; empty lines and lines that begin with # are left out.

    :raises SigningError: the file is not private, holds no key, or a line is none; the line is named, never quoted.
    """
    lines = [line.strip() for line in read_private_file(path).splitlines()]
    signers = [
        LocalSigner(line, field=f"{path}, line {number}")
        for number, line in enumerate(lines, 1)
        if line and not line.startswith("#")
    ]
    if not signers:
        raise SigningError(f"{path} holds no key", remedy="Write one mnemonic, 0x seed or key URI per line")
    return signers
