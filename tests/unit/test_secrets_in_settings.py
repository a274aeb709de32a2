"""A secret in the wrong place of `staking.yaml` is quoted by no error."""

import itertools
import json

import pytest

from staking_gateway.config.models import sections
from staking_gateway.errors import ConfigError, InvalidInput
from staking_gateway.text import shown
from staking_gateway.types import AccountId, parse_unsigned
from tests.support.settings import load_config

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
SECRETS = {
    "key URI": "//Treasury//payer",
    "seed": "0x" + "4f" * 32,
    "mnemonic": "bottom drive obey lake curtain smoke basket hold race lonely fit walk",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVPmB92K",
    "token": "tk4f9d1c77a0b2e6c8d1e2f3a4b5c6d7e8",
    "token like an account": "9gKp" * 12,
    "address": "https://user:pa55w0rd@gateway.example/path",
    "alias": "*S3cretOfMine",
}
NETWORK = {
    "relayer": BOB,
    "user": ALICE,
    "payer": BOB,
    "calendar": {"era_length": "6h", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]},
    "accounts": [{"account": ALICE}],
}


def below(path):
    """The steps to a section below its network."""
    return [
        step for part in path.split(".")[1:] for step in ((part, 0) if part in ("anchors", "accounts") else (part,))
    ]


PLACES = [
    (*below(path), field.alias or name)
    for path, model in sections().items()
    if path
    for name, field in model.model_fields.items()
]


def placed(path, value):
    """A network's settings with a value at a path."""
    network = json.loads(json.dumps(NETWORK))
    here = network
    for part, next_part in zip(path, [*path[1:], None], strict=True):
        if next_part is None:
            here[part] = value
        else:
            if not isinstance(here, list):
                here.setdefault(part, [{}] if next_part == 0 else {})
            here = here[part]
    return network


@pytest.fixture
def told(tmp_path):
    """The text of the error about a file; empty when the file is accepted."""

    def load(text):
        path = tmp_path / "staking.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            load_config(path)
        except ConfigError as error:
            return f"{error} {error!r} {error.fault} {error.problem.remedy}".replace(str(tmp_path), "")
        return ""

    return load


def test_no_error_quotes_a_secret_that_is_the_value_of_a_setting(told):
    assert len(PLACES) > 40
    assert {("relayer",), ("calendar", "anchors", 0, "era"), ("accounts", 0, "label"), ("accounts_file",)} <= set(
        PLACES
    )
    mnemonic = SECRETS["mnemonic"]
    values = [*((secret, secret) for secret in SECRETS.values()), (mnemonic, [mnemonic]), (mnemonic, {"a b": mnemonic})]
    for path, (secret, value) in itertools.product(PLACES, values):
        text = told(json.dumps({"networks": {"devnet": placed(path, value)}}))
        assert secret not in text, text


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_no_error_quotes_a_secret_that_is_written_anywhere_else(told, secret):
    whole = {"networks": {"devnet": NETWORK}}
    for file in (
        json.dumps(secret),
        json.dumps({secret: 1, **whole}),
        json.dumps({"networks": secret}),
        json.dumps({"ledger_conn_id": f"{secret}@", **whole}),
        f"networks: {secret}",
        f"networks:\n  devnet: !{secret} 5",
        f"networks:\n  devnet: &{secret.strip('*')} &b 1",
        f"networks:\n  devnet: {{token: {secret}, {secret}",
        f"networks:\n  devnet: '{secret}\n",
        f'networks:\n  devnet: "\\q{secret}"',
    ):
        text = told(file)
        # A key of words and digits alone is shown: it is most often a misspelt setting.
        assert secret not in text or secret == SECRETS["token"], (file, text)
        assert text


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_nor_does_a_value_that_is_no_number_or_no_account(secret):
    with pytest.raises(InvalidInput) as refused:
        parse_unsigned(secret, 9, field="era")
    assert secret not in str(refused.value)
    if not secret.startswith("0x"):  # 0x and 64 digits are a public key, too
        with pytest.raises(InvalidInput) as refused:
            AccountId.parse(secret)
        assert secret not in str(refused.value)


@pytest.mark.parametrize(
    "plain",
    ["6 hours", "-5", ".nan", "0xabc", "not_staking", "2026-01-01 00:00:00", "1,000,000", "20:30", ""],
)
def test_an_ordinary_mistake_is_quoted(plain):
    assert shown(plain) == repr(plain)
