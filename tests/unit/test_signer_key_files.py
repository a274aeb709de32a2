"""The files from which the example signer reads its keys."""

import pytest

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.signer.private_files import read_keys

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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# only words\n\n", "holds no key"),
        (f"//Alice\n{PHRASE} walk\n".encode(), "line 2: the key cannot be read"),
        (b"\xff\xfe" + PHRASE.encode(), "is not a text"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_refused_without_being_quoted(tmp_path, content, reason):
    path = tmp_path / "keys"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SigningError, match=reason) as refused:
        read_keys(path)
    shown = str(refused.value) + repr(refused.value.__context__ and refused.value.__suppress_context__)
    assert not set(PHRASE.split()) & set(shown.split())
