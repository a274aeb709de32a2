"""`staking.yaml`: what may be in it, and what a mistake says."""

import json
import os
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from staking_gateway.config.file import read_config
from staking_gateway.config.models import AlertSettings, Expectation, sections
from staking_gateway.config.yaml import read_yaml
from staking_gateway.errors import ConfigError
from staking_gateway.text import Token
from staking_gateway.types import AccountId
from tests.support.settings import load_config

SHIPPED = Path(__file__).parents[2] / "include" / "staking.yaml"
KEYS = {key["name"]: key for key in json.loads((Path(__file__).parents[1] / "data/vectors.json").read_text())["keys"]}
ALICE, BOB, STASH = (KEYS[name]["ss58_42"] for name in ("alice", "bob", "alice_stash"))
PHRASE = KEYS["mnemonic"]["suri"]

SMALLEST = f"""\
networks:
  devnet:
    relayer: {BOB}
    user: {ALICE}
    payer: {ALICE}
    calendar:
      era_length: 6h
      anchors:
        - {{era: 0, start: 2026-01-01T00:00:00Z}}
    accounts:
      - {STASH}
"""


@pytest.fixture
def write(tmp_path):
    def write(text, name="staking.yaml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def load(write):
    def load(text=SMALLEST, **options):
        return load_config(write(text), **options)

    return load


@pytest.fixture
def refused(load):
    """Load a file that holds mistakes and return the error."""

    def refused(text, **options):
        with pytest.raises(ConfigError) as error:
            load(text, **options)
        return error.value

    return refused


def edited(*changes, text=SMALLEST):
    """The smallest file with texts replaced; each must be there."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def with_setting(line, indent=4):
    return SMALLEST + textwrap.indent(line, " " * indent) + "\n"


class TestShippedFile:
    def test_it_is_valid_and_describes_the_simulator(self):
        devnet = load_config(SHIPPED).network("devnet")
        assert devnet.check_enabled("devnet") is None
        assert (devnet.user, devnet.relayer) == (AccountId.parse(ALICE), AccountId.parse(BOB))
        assert devnet.calendar.end(0) == datetime(2026, 1, 1, 0, 0, 20, tzinfo=timezone.utc)
        assert {account.expect for account in devnet.accounts} == {Expectation.STAKING}
        assert devnet.accounts[0].account == AccountId.parse(STASH)

    def test_it_shows_every_setting(self):
        text = SHIPPED.read_text(encoding="utf-8")
        models = sections().values()
        names = {field.alias or name for model in models for name, field in model.model_fields.items()}
        assert [name for name in sorted(names) if f"{name}:" not in text] == []


EVERY_SETTING = """\
    enabled: false
    history_depth: 28
    start_date: 2026-02-01 00:00:00.5+01:00
    catchup: true
    payout: {parts: until_empty, max_fee_per_payout: "340282366920938463463374607431768211455", max_fee_per_day: 7}
    timing: {poll_interval: 0.5s, window_timeout: 90m, wait_for_closed_window: false}
    statuses: {concurrency: 1, rate: 2.5}
    alerts: {paid_within: 5m, held_after: 2h, runway_warning: 9}
    explorer_url: "https://explorer.example:8443/tx/{tx_hash}?tab=events"
    token: {symbol: DOT, decimals: 10}
"""


class TestSettings:
    def test_every_setting_is_read(self, load):
        config = load(SMALLEST + EVERY_SETTING + "ledger_conn_id: staking_ledger\n")
        devnet = config.network("devnet")
        assert config.ledger_conn_id == "staking_ledger"
        assert devnet.start_date == datetime(2026, 1, 31, 23, 0, 0, 500_000, tzinfo=timezone.utc)
        assert (devnet.enabled, devnet.catchup, devnet.history_depth) == (False, True, 28)
        assert (devnet.payout.parts, devnet.payout.max_fee_per_payout) == (None, 2**128 - 1)
        assert (devnet.payout.max_fee_per_day, devnet.timing.poll_interval) == (7, timedelta(milliseconds=500))
        assert (devnet.statuses.concurrency, devnet.statuses.rate) == (1, 2.5)
        assert devnet.alerts == AlertSettings(paid_within=timedelta(minutes=5), held_after="2h", runway_warning=9)
        assert devnet.explorer_url == "https://explorer.example:8443/tx/{tx_hash}?tab=events"
        assert devnet.token == Token("DOT", 10)
        with pytest.raises(ConfigError, match=r"networks\.devnet\.enabled: is false, so nothing is paid"):
            devnet.check_enabled("devnet")

    @pytest.mark.parametrize(
        "template",
        [
            "javascript:alert({tx_hash})",
            "https://explorer.example/tx",
            "https://explorer.example/{tx_hash}/{tx_hash}",
            "https://{tx_hash}.example/",
            "https://name:secret@explorer.example/{tx_hash}",
            7,
        ],
    )
    def test_an_explorer_is_an_http_address_with_one_place_for_the_hash(self, refused, template):
        error = refused(with_setting(f"explorer_url: {json.dumps(template)}"))
        assert (error.field, "secret" in str(error)) == ("networks.devnet.explorer_url", False)
        assert "Write e.g. https://explorer" in error.problem.remedy

    def test_notifiers_are_a_class_and_its_arguments(self, load):
        entry = {
            "class": "some.package.Chat",
            "chat_conn_id": "c",
            "dedup_key": "7",
            "blocks": [{"era": 1}],
            "unfurl": False,
        }
        devnet = load(with_setting(f"alerts: {{notifiers: [{json.dumps(entry)}]}}")).network("devnet")
        assert devnet.alerts.notifiers == (entry,)

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            ("some.package.Chat", "this is not a notifier. Write the path of its class and its arguments"),
            ("{class: Chat}", "this is not a notifier"),
            ("{class: some.package.Chat, 7: x}", "has an argument without a name"),
            ("{class: some.package.Chat, token: a-secret}", "token is a secret. Put it into an Airflow connection"),
            ("{class: some.package.Chat, integration_key: a-secret}", "integration_key is a secret"),
        ],
    )
    def test_a_mistaken_notifier_is_named_by_its_place_and_a_secret_is_not_quoted(self, refused, entry, told):
        error = refused(with_setting(f"alerts: {{notifiers: [{entry}]}}"))
        assert (error.field, "a-secret" in str(error)) == ("networks.devnet.alerts.notifiers[0]", False)
        assert told in str(error)

    @pytest.mark.parametrize(
        ("text", "seconds"),
        [("20s", 20), ("6h", 21_600), ("1d", 86_400), ("45", 45), ("'45'", 45), ("1.5h", 5400), ("0.000001", 1e-6)],
    )
    def test_durations(self, load, text, seconds):
        anchor = load(edited(("6h", text))).network("devnet").calendar.anchors[0]
        assert anchor.length == timedelta(seconds=seconds)

    def test_an_anchor_may_change_the_length_of_an_era(self, load):
        second = "\n        - {era: 4, start: 2026-01-02T00:00:10Z, length: 12h}"
        calendar = load(edited(("00Z}", "00Z}" + second))).network("devnet").calendar
        assert calendar.end(3) == datetime(2026, 1, 2, 0, 0, 10, tzinfo=timezone.utc)
        assert calendar.end(4) - calendar.start(4) == timedelta(hours=12)

    def test_an_unknown_network_names_the_known_ones_and_no_mistake_of_theirs(self, load, write):
        with pytest.raises(ConfigError, match=r"network: there is no such network as main\. Known networks: devnet"):
            load().network("main")
        with pytest.raises(ConfigError, match="there is no such network") as mistaken:
            read_config(write(with_setting("payot: {}"))).network("gone")
        assert "payot" not in str(mistaken.value)


class TestAccounts:
    def test_an_accounts_file_holds_thousands(self, load, write):
        lines = [f"0x{number:064x}" for number in range(1, 2501)]
        write(
            "# account, expect, label\n\n" + "\n".join(lines) + f"\n{ALICE}, staking , a, b # the last\n",
            "accounts.csv",
        )
        devnet = load(with_setting("accounts_file: accounts.csv")).network("devnet")
        assert [account.account.spelling for account in devnet.accounts] == [STASH, *lines, ALICE]
        assert (devnet.accounts[-1].expect, devnet.accounts[-1].label) == (Expectation.STAKING, "a, b")

    @pytest.mark.parametrize("accounts", ["", "    accounts: []\n"])
    def test_at_least_one_account_is_required(self, refused, accounts):
        error = refused(edited((f"    accounts:\n      - {STASH}\n", accounts)))
        assert error.field == "networks.devnet.accounts"
        assert "at least one" in error.problem.remedy
        assert "accounts_file" in error.problem.remedy

    def test_two_networks_may_not_sign_for_one_account_behind_one_gateway(self, refused, load):
        block = SMALLEST.partition("networks:\n")[2]
        twice = SMALLEST + block.replace("  devnet:", "  other:", 1)
        error = refused(twice)
        assert error.field == "networks.devnet.user"
        assert error.fault == "is the user of other too, behind the same gateway"
        assert "disable one" in str(error)
        disabled = twice.replace("  other:\n", "  other:\n    enabled: false\n", 1)
        assert set(load(disabled).networks()[0]) == {"devnet"}
        other_spelling = block.replace("  devnet:", "  other:", 1).replace(ALICE, KEYS["alice"]["public_key"])
        assert "is the user of other too" in str(refused(SMALLEST + other_spelling))

    def test_one_account_under_two_spellings_is_refused(self, refused):
        other = KEYS["alice_stash"]
        spellings = other["ss58_0"], other["public_key"].upper().replace("X", "x"), other["public_key"][2:]
        again = "the account of networks.devnet.accounts[0] again. Keep one of the two"
        assert str(refused(SMALLEST + "".join(f"      - {one}\n" for one in spellings))).splitlines()[1:] == [
            f"networks.devnet.accounts[{place}]: {again}" for place in (1, 2, 3)
        ]

    @pytest.mark.parametrize(
        ("make", "problem"),
        [
            (lambda path: None, "there is no file"),
            (os.mkfifo, "or no regular one"),
            (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 10**9), "has more than 8 MB"),
            (lambda path: path.write_bytes(b"\xff"), "'utf-8' codec can't decode byte 0xff in position 0"),
            (lambda path: path.write_text("# nobody\n"), "holds no account"),
        ],
    )
    def test_an_accounts_file_that_gives_nothing_is_named(self, refused, tmp_path, make, problem):
        make(tmp_path / "accounts.csv")
        error = refused(with_setting("accounts_file: accounts.csv"))
        assert error.field == "networks.devnet.accounts_file"
        assert problem in error.fault


class TestAccountChecks:
    def test_parse_time_imports_nothing_heavy(self):
        script = (
            "import sys; from staking_gateway.config.file import read_config; import staking_gateway.eras;"
            f"from pathlib import Path; read_config(Path({str(SHIPPED)!r})).networks();"
            "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        heavy = {"airflow", "requests", "aiohttp", "sqlalchemy", "alembic", "substrateinterface", "sr25519"}
        assert heavy & set(done.stdout.split()) == set() != {"pydantic"} & set(done.stdout.split())


ANCHORS = "\n        - {era: 0, start: 2026-01-01T00:00:00Z}"
IN_CALENDAR = {
    ("6h", "0s"): "era_length: '0s' is refused. Write more than 0s, and at most 3650d",
    ("6h", "6 hours"): "era_length: '6 hours' is refused. Write e.g. 20s, 90m, 6h, 1d, or a number of",
    ("6h", "4000d"): "era_length: '4000d' is refused. Write at most 3650d",
    ("      era_length: 6h\n", ""): "era_length: is missing. Write how long an era lasts, e.g. 6h",
    ("      era_length", "      Era_Length"): "Era_Length: unknown key. Did you mean era_length?",
    ("00Z", "00"): "anchors[0].start: '2026-01-01T00:00:00' is refused. Input should have timezone info",
    ("2026-01-01T00:00:00Z", "1767225600"): "anchors[0].start: '1767225600' is refused. Write it with its time zone",
    ("{era: 0, ", "{"): "anchors[0].era: is missing. Write the number of the era",
    ("{era: 0", "{zzz: 0"): "anchors[0].zzz: unknown key. Known here: era, start, length",
}
IN_NETWORK = {
    (ANCHORS, " []"): "calendar: anchors: not a list of eras with known starts. Give one or more",
    (BOB, "0xabc"): "relayer: '0xabc' is neither an SS58 address nor a public key. Copy its whole",
    ("    relayer: " + BOB, ""): "relayer: is missing. Write the account that submits the payout",
    ("user:", "usr:"): "usr: unknown key. Did you mean user?",
    (f"- {STASH}", "- {}"): "accounts[0].account: is missing. Write the account's SS58 address or 0x public key",
    (f"\n      - {STASH}", " 3"): "accounts: '3' is refused. Write one item per line below it",
}
LOW, WHOLE = "Input should be greater than or equal to", "Input should be a valid integer"
SETTINGS = {
    "enabled: yes": "enabled: 'yes' is refused. Write true or false",
    "history_depth: 0": f"history_depth: '0' is refused. {LOW} 1",
    "start_date: 2026-01-01": "start_date: '2026-01-01' is refused. Write it with its time zone",
    "payout:": "payout: nothing is refused. Write its settings below it, indented, or remove it",
    "payout: {parts: 0}": "payout.parts: '0' is refused. Write 1 to 1000, or until_empty",
    "payout: {max_fee_per_payout: 0}": "payout.max_fee_per_payout: '0' is refused. Input should be greater than 0",
    "payout: {max_fee_per_day: 0x10}": f"payout.max_fee_per_day: '0x10' is refused. {WHOLE}",
    "payout: {confirm: maybe}": "payout.confirm: 'maybe' is refused. Input should be 'auto', 'request_state', 'nonce' or",
    "timing: {poll_interval: 0}": "timing.poll_interval: '0' is refused. Write more than 0s, and at most 3650d",
    "statuses: {rate: nan}": "statuses.rate: 'nan' is refused. Input should be a finite number",
    "gateway_conn_id: a b": "gateway_conn_id: this is refused. Write the id of an Airflow connection",
    "accounts_file: [a]": "accounts_file: a list is refused. Input should be a valid string",
    "token: {symbol: DOT}": "token.decimals: is missing",
    "token: {symbol: 'a b', decimals: 10}": "token.symbol: 'a b' is refused",
}
AROUND = {
    "networks: {}": "networks: a mapping is refused. Write at least one",
    "networks: {devnet: }": "networks.devnet: nothing is refused. Write its settings",
    "ledger_conn_id: x": "networks: is missing. Write the networks, each below a name of a-z, 0-9 and _",
    edited(("devnet", "Dev-Net")): "networks.Dev-Net: 'Dev-Net' is refused. Write up to 40 of a-z, 0-9",
    SMALLEST + "ledger: x\n": "ledger: unknown key. Did you mean ledger_conn_id?",
}
MISTAKES = [
    (
        with_setting("alerts: {notifiers: [{class: a.b.C, text: !odd 5}]}"),
        "notifiers[0].text: line 12: a tag (!...) is not read here",
    ),
    (edited((f"\n      - {STASH}", " []\n    timing: !odd {}")), "networks.devnet.accounts: there is none"),
    (with_setting("catchup: true"), "networks.devnet.catchup: is true, and start_date is missing"),
    *((edited(change), f"networks.devnet.calendar.{line}") for change, line in IN_CALENDAR.items()),
    *((edited(change), f"networks.devnet.{line}") for change, line in IN_NETWORK.items()),
    *((with_setting(setting), f"networks.devnet.{line}") for setting, line in SETTINGS.items()),
    *AROUND.items(),
]


class TestMistakes:
    @pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[line for _, line in MISTAKES])
    def test_each_names_its_path_and_what_to_write(self, refused, text, line):
        assert line in str(refused(text))

    @pytest.mark.parametrize(
        ("label", "problem"),
        [
            ("[a]", "is refused"),
            ('"two\\nlines"', "an invisible character"),
            ("x" * 101, "is refused"),
            ('"a\\u200bb"', "an invisible character"),
        ],
    )
    def test_a_label_is_one_line_of_text_that_can_be_seen(self, refused, label, problem):
        error = refused(edited((f"- {STASH}", f"- {{account: {STASH}, label: {label}}}")))
        assert (error.field, problem in error.fault) == ("networks.devnet.accounts[0].label", True)

    def test_all_are_reported_at_once_one_per_line(self, refused):
        wrong = edited(("6h", "soon"), ("00:00Z", "00"), ("user:", "usr:"), (BOB, "bob"))
        error = refused(wrong + "    history_depth: never\n    history_depth: 3\n")
        lines = str(error).splitlines()
        assert lines[0].endswith("staking.yaml holds 6 mistakes:")
        places = ["relayer", "user", "calendar.era_length", "calendar.anchors[0].start"]
        assert [line.split(": ")[0] for line in lines[1:]] == [
            f"networks.devnet.{place}" for place in (*places, "history_depth", "usr")
        ]
        assert (error.field, str(error).count(error.fault)) == ("networks.devnet.relayer", 1)


class TestSecrets:
    @pytest.mark.parametrize(
        "key",
        ["password", "access_token", "secret", "user_seed", "mnemonic", "key", "signing_key", "apiKey_key", "suri"],
    )
    def test_a_secret_is_sent_to_the_connection_and_never_shown(self, refused, key):
        error = refused(with_setting(f"{key}: {PHRASE}"))
        assert error.field == f"networks.devnet.{key}"
        assert (error.fault, error.problem.remedy) == (
            "secrets do not belong in this file",
            "Put it into the Airflow connection, and delete it here",
        )
        assert "bottom" not in str(error)


class TestYaml:
    @pytest.mark.parametrize(
        ("text", "place", "problem"),
        [
            ("networks:\n\tdevnet: 1", "line 2, column 1", "cannot start any token"),
            ("a: 1\nb: 'x\nc: 1", "scalar at line 2, column 4", "unexpected end of stream at line 3, column 5"),
            ("a: *b", "line 1, column 4", "undefined alias"),
        ],
    )
    def test_a_syntax_error_names_line_and_column(self, refused, text, place, problem):
        error = refused(text)
        assert (error.field, place in error.fault, problem in error.fault) == ("staking.yaml", True, True)

    @pytest.mark.parametrize("tag", ["!!python/object/apply:os.getcwd", "!!int", "!own"])
    def test_tags_are_refused(self, refused, tag):
        error = refused(edited(("6h", f"{tag} 6h")))
        assert error.field == "networks.devnet.calendar.era_length"
        assert "is not read here" in error.fault

    def test_odd_shapes_are_refused(self, refused):
        assert "a key must be one word" in str(refused("? [a]\n: b"))
        assert "nested too deeply" in str(refused("networks: " + "[" * 30 + "]" * 30))
        assert "#x0001: control characters are not allowed" in str(refused("networks: \x01"))
        chained = [f"k{at}: &a{at} [[[*a{at - 1}]]]" for at in range(1, 10)]
        assert "nested too deeply" in str(refused("\n".join(["k0: &a0 []", *chained])))
        assert "nested too deeply" in str(refused("networks: &a {devnet: *a}"))
        repeated = read_yaml("[&a text, *a]", "list")[0]
        assert repeated[0] is repeated[1], "a long text that is repeated often takes its memory once"

    @pytest.mark.parametrize(
        ("text", "problem"), [("# only a comment\n", "the file holds nothing"), ("- a", "a list"), ("hello", "'hello'")]
    )
    def test_a_file_without_settings_is_named(self, refused, text, problem):
        error = refused(text)
        assert (error.field.endswith("staking.yaml"), problem in error.fault) == (True, True)

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(ConfigError, match="there is no file"):
            load_config(tmp_path / "none.yaml")
