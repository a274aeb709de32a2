"""The command lines of the simulator's faults and of the signer, and the private files a signer reads."""

import os

import pytest

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.signer.__main__ import TOKEN_VARIABLE
from staking_gateway_simulator.signer.__main__ import main as signer
from staking_gateway_simulator.signer.private_files import read_keys

ALICE, BOB, CHARLIE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie"))
PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
SEED = "0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"

# -- the signer ---------------------------------------------------------------------------------------------------------------


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


REQUIRED = ["--relayer", BOB.account.hex, "--max-fee", "100"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "there is no key to sign with. Give --key-file or --dev-key"),
        (["--key-file", "open"], "open has mode 644: others can use it. Run chmod 600 open"),
        (["--dev-key", "//Alice", "--token-file", "open"], "open has mode 644"),
        (["--dev-key", "//Alice"], "the token is empty. Give --token-file or set STAKING_SIGNER_TOKEN"),
        (["--dev-key", "//Alice", "--relayer", "x"], "account: 'x' is not an SS58 address"),
        (["--dev-key", "//Alice", "--token-file", "token", "--counts", "open"], "open cannot be used as count file"),
        (["--dev-key", "//Alice", "--token-file", "token", "--host", "256.1.1.1"], "cannot listen on 256.1.1.1:0"),
    ],
)
def test_a_signer_that_cannot_be_started_ends_with_one_line_and_status_2(
    tmp_path, monkeypatch, capsys, arguments, line
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    (tmp_path / "open").write_text("//Alice is no database" * 100)
    (tmp_path / "open").chmod(0o644)
    private(tmp_path / "token", "secret\n")
    assert signer(["--port", "0", *REQUIRED, *arguments]) == 2
    output, told = capsys.readouterr()
    assert (output, told.count("\n")) == ("", 1)
    assert told.startswith(f"Error: {line}")
    assert os.environ.get(TOKEN_VARIABLE) is None
