"""The files from which the example signer reads its keys."""

import pytest

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.signer.__main__ import read_keys

PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
SEED = "0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"


def private(path, text):
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_a_key_file_holds_one_key_per_line_and_others_cannot_use_it(tmp_path):
    path = private(tmp_path / "keys", f"# the user\n//Alice\n\n  {PHRASE}//payer  \n{SEED}\n")
    assert [str(signer.account) for signer in read_keys(path)] == [
        str(LocalSigner(secret).account) for secret in ("//Alice", f"{PHRASE}//payer", SEED)
    ]
    for mode in (0o640, 0o604, 0o601):
        path.chmod(mode)
        with pytest.raises(SigningError, match=rf"has mode {mode:o}: others can use it\. Run chmod 600 "):
            read_keys(path)
