"""`airflow staking ...`: what it prints, and that it ends with a status a script can use."""

from __future__ import annotations

from argparse import Namespace

import pytest

from staking_gateway.ledger import Actor, Ledger
from staking_gateway.types import AccountId
from staking_gateway_provider import cli

ACCOUNT = AccountId.parse("0x" + "22" * 32)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID", raising=False)
    return tmp_path


def run(command, **arguments):
    command(Namespace(ledger_conn_id=None, **arguments))


def test_the_commands_are_listed():
    (group,) = cli.get_commands()
    assert group.name == "staking"
    (ledger,) = group.subcommands
    assert [command.name for command in ledger.subcommands] == ["status", "upgrade", "history"]
    assert all(command.help for command in ledger.subcommands)


def test_a_ledger_is_made_by_upgrade_and_status_says_what_is_due(home, capsys):
    with pytest.raises(SystemExit, match="airflow staking ledger upgrade"):
        run(cli.ledger_status)
    assert not list(home.iterdir()), "asking makes nothing"
    run(cli.ledger_upgrade)
    run(cli.ledger_status)
    assert "schema 0001" in capsys.readouterr().out


def test_the_history_of_an_era_is_told_event_by_event(home, capsys):
    ledger = Ledger(f"sqlite:///{home / 'staking_ledger.db'}")
    ledger.plan("devnet", 7, 0, user=ACCOUNT, payer=ACCOUNT, relayer=ACCOUNT, actor=Actor("run 1", 2))
    ledger.close()
    run(cli.ledger_history, network="devnet", era="7")
    printed = capsys.readouterr().out
    assert "era 7 part 0: PLANNED" in printed
    assert "run 1#2: planned" in printed


def test_what_cannot_be_answered_ends_in_one_line(home):
    run(cli.ledger_upgrade)
    with pytest.raises(SystemExit, match="no payout of era 7 of devnet"):
        run(cli.ledger_history, network="devnet", era="7")
    with pytest.raises(SystemExit, match="airflow staking: era: 'abc' is not a number"):
        run(cli.ledger_history, network="devnet", era="abc")
