"""Reading `staking.yaml` network by network: whose mistake stops whom, when the file is read again, and files of accounts."""

import json
import os

import pytest

from staking_gateway.config import file as config_file
from staking_gateway.config.file import read_config
from staking_gateway.errors import ConfigError

LONG_AGO = 1_700_000_000


def key(number):
    return f"0x{number:064x}"


def network(number=1, **more):
    """Settings of a network with signers of its own."""
    calendar = {"era_length": "6h", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]}
    people = {role: key(3 * number + place) for place, role in enumerate(("relayer", "user", "payer"))}
    return {**people, "calendar": calendar, "accounts": [key(9)], **more}


@pytest.fixture
def write(tmp_path):
    """Writes a file that has not changed for long."""

    def to_file(networks, name="staking.yaml", **top):
        path = tmp_path / name
        path.write_text(networks if isinstance(networks, str) else json.dumps({"networks": networks, **top}))
        os.utime(path, (LONG_AGO, LONG_AGO))
        return path

    return to_file


@pytest.fixture
def reads(monkeypatch):
    """The paths of `staking.yaml` that were read."""
    done = []
    monkeypatch.setattr(
        config_file, "ConfigFile", lambda path, read=config_file.ConfigFile: done.append(path) or read(path)
    )
    return done


class TestOneMistake:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{user: 1, user: 2}", r"networks\.bad\.user: line 3: this key is written already on line 3"),
            ("{calendar: !!set {}}", r"networks\.bad\.calendar: line 3: a tag"),
            ("[a]", r"networks\.bad: a list is refused"),
            ("", r"networks\.bad: nothing is refused"),
        ],
    )
    def test_in_the_yaml_of_a_network_stops_that_network_alone(self, write, text, told):
        path = write(f"networks:\n  good: {json.dumps(network())}\n  bad: {text}\n")
        assert set(read_config(path).networks()[0]) == {"good"}
        with pytest.raises(ConfigError, match=told):
            read_config(path).network("bad")

    def test_of_keys_that_are_no_words_stops_no_network(self, write):
        path = write(f"networks:\n  good: {json.dumps(network())}\n  ? [a]\n  : 1\n  ? [b]\n  : 2\n")
        sound, mistakes = read_config(path).networks()
        assert [*sound, *mistakes] == ["good", "key of line 3", "key of line 5"]

    @pytest.mark.parametrize("alerts", ["", "notifiers: [{class: a.b.C, url: !env X}]", "? [a] : b"])
    def test_in_the_yaml_of_alerts_gives_no_settings_of_alerts(self, write, alerts):
        path = write(f"networks:\n  net: {json.dumps(network())[:-1]}, alerts: {{{alerts}}}}}\n")
        assert (read_config(path).alert_settings("net") is None) is bool(alerts)

    def test_in_a_part_that_is_repeated_stops_every_network_that_repeats_it(self, write):
        shared = "&limits {parts: 1, parts: 2}"
        one, two, three = (json.dumps(network(number))[:-1] for number in (1, 2, 3))
        text = f"networks:\n  one: {one}, payout: {shared}}}\n  two: {two}, payout: *limits}}\n  three: {three}}}\n"
        file = read_config(write(text))
        assert set(file.networks()[0]) == {"three"}
        with pytest.raises(ConfigError, match=r"networks\.two\.payout\.parts: line 2: this key is written already"):
            file.network("two")

    def test_that_two_networks_make_together_stops_these_two(self, write):
        twin = network(1)
        file = read_config(write({"one": twin, "two": twin, "three": network(3)}))
        assert set(file.networks()[0]) == {"three"}
        for name, other in (("one", "two"), ("two", "one")):
            with pytest.raises(
                ConfigError, match=rf"{name}\.user: is the user of {other} too, behind the same gateway"
            ):
                file.network(name)

    def test_in_a_copy_of_a_network_does_not_stop_the_original(self, write):
        assert set(read_config(write({"one": network(1), "two": network(1, payot={})})).networks()[0]) == {"one"}

    def test_around_the_networks_stops_all_of_them(self, write):
        with pytest.raises(ConfigError, match="ledger_con_id: unknown key"):
            read_config(write({"good": network()}, ledger_con_id="x"))

    @pytest.mark.parametrize("networks", ["{}", "", "[a]"])
    def test_of_the_networks_as_a_whole_leaves_the_ledger_readable(self, write, networks):
        file = read_config(write(f"ledger_conn_id: pays\nnetworks: {networks}\n"))
        assert file.ledger_conn_id == "pays"
        for asked in (file.networks, lambda: file.network("a"), lambda: file.names):
            with pytest.raises(ConfigError, match=r"^networks: "):
                asked()


class TestReading:
    def test_is_done_once_until_the_file_changes(self, write, reads):
        path = write({"net": network(history_depth=84)})
        assert {read_config(path).network("net").history_depth for _ in range(5)} == {84}
        assert len(reads) == 1
        write({"net": network(history_depth=85)})  # of the same size, and with the same time of its last change
        assert read_config(path).network("net").history_depth == 85

    def test_notices_a_change_of_an_accounts_file(self, write):
        path = write({"net": network(accounts_file="accounts.csv")})
        with pytest.raises(ConfigError, match="there is no file"):
            read_config(path).network("net")
        for count in (1, 2):
            write("".join(f"{key(20 + number)}\n" for number in range(count)), "accounts.csv")
            assert len(read_config(path).network("net").accounts) == 1 + count


class TestAccountsFile:
    def test_a_mistake_is_named_and_stops_no_payout_and_its_account_is_never_in_the_right_state(self, write):
        path = write({"net": network(accounts=["nobody"], accounts_file="accounts.csv")})
        write(f"{key(1)}\n{key(2)},stacking\nhello\n{key(3)}\n{key(1)}\n", "accounts.csv")
        accounts = read_config(path).network("net").accounts
        lines = [f"networks.net.accounts_file, line {line}" for line in (2, 3)]
        assert [account.name for account in accounts] == ["networks.net.accounts[0]", key(1), *lines, key(3), key(1)]
        assert [account.account.public_key for account in accounts[:4:2]] == [b"", b""]
        mistake = read_config(path).mistaken_accounts("net")
        assert [f"\nnetworks.net.accounts_file, line {line}" in str(mistake) for line in range(1, 6)] == [0, 1, 1, 0, 1]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_a_line_may_end_as_on_any_system_and_with_a_comment(self, write, tmp_path, end):
        lines = [
            "\ufeffaccount,expect,label",
            f"{key(1)},any,no#1",
            "",
            f"#{key(2)}",
            f"{key(3)},,a\u2028b # c, d",
            "\t# e",
        ]
        (tmp_path / "accounts.csv").write_bytes(end.join(lines).encode())
        accounts = read_config(write({"net": network(accounts_file="accounts.csv")})).network("net").accounts
        assert [(one.account.spelling, one.expect.value, one.label) for one in accounts[1:]] == [
            (key(1), "any", "no#1"),
            ("networks.net.accounts_file, line 5", "any", ""),  # U+2028 ends no line, and no label may hold it
        ]

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            (f"{key(1)};staking", "';' stands in the account. Write commas and no quotes: account,expect,label"),
            (f"{key(1)}\tstaking", "'\\t' stands in the account"),
            (f"{key(1)}|staking", "'|' stands in the account"),
            (f'"{key(1)}","staking"', "'\"' stands in the account. Write commas and no quotes"),
        ],
    )
    def test_a_file_of_another_form_is_told_its_separator_or_quotes(self, write, line, told):
        path = write({"net": network(accounts_file="accounts.csv")})
        write(f"{line}\n", "accounts.csv")
        mistake = read_config(path).mistaken_accounts("net")
        assert told in mistake.fault + ". " + mistake.problem.remedy
