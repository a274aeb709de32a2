"""How every command behaves: one line for a mistake, tables for people, help with examples that are right."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shlex
import signal
import sys
import warnings
from contextlib import nullcontext

import pytest
from names import ACTIVE, NETWORK
from staking_commands import COMMANDS, airflow, parse

from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.commands import output

# --- help -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_examples_that_are_right_and_exit_statuses_in_its_help(name):
    lines, statuses = (part.splitlines() for part in COMMANDS[name].epilog.split("\n\n"))
    assert lines[0] == "Examples:"
    assert [line.split()[0] for line in statuses] == ["Exit", "0", "1", "2"]
    assert lines[1:]
    for line in lines[1:]:
        assert line.startswith(f"  airflow {name}")
        parse(*shlex.split(line)[2:])


# --- mistakes ---------------------------------------------------------------------------------------------------------------


COMMANDS_OF_A_NETWORK = {
    "eras": [],
    "plan": [],
    "pay": ["--era", "1"],
    "catch-up": [],
    "backfill": ["--eras", "1"],
    "reconcile": [],
    "status": [],
}
"""Commands that ask the gateway of a network, with the options that they need."""


def test_a_missing_connection_or_a_network_nobody_knows_ends_in_one_line_that_names_it(gateway, network, monkeypatch):
    network()
    monkeypatch.delenv("AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT")
    missing = r"`staking_gateway_default` isn't defined(?s:.)*#connection-missing"
    for name, words in COMMANDS_OF_A_NETWORK.items():
        with pytest.raises(SystemExit, match=missing):
            airflow(name, "--network", NETWORK, *words)
    for name in (*COMMANDS_OF_A_NETWORK, "accounts", "state"):
        words = COMMANDS_OF_A_NETWORK.get(name, ())
        with pytest.raises(SystemExit, match=r"networks.atlantis: there is no such network. Known networks: testnet"):
            airflow(name, "--network", "atlantis", *words)


HERE = ("--network", NETWORK)
WRONG_USE = [
    ("init", "--network", "Main Net"),
    ("init", "--network", "mainnet", "--demo"),
    ("init", "--demo", "--no-dags"),
    ("init", "--ledger-conn-id", "staking_ledger"),
    ("state", "--network", "atlantis"),
    ("why", *HERE, "--era", "x"),
    ("why", "--network", "atlantis", "--era", "1"),
    ("doctor", "--era", "1"),
    ("eras", *HERE, "--last", "0"),
    ("eras", "--network", "atlantis"),
    ("accounts", *HERE, "--era", "x"),
    ("report", *HERE, "--from", "soon"),
    ("report", *HERE, "--from", "9", "--to", "8"),
    ("plan", *HERE, "--max-eras", "0"),
    ("plan", *HERE, "--approve", "1f0c2ab34d5e6f70"),
    ("pay", *HERE, "--era", "x"),
    ("pay", *HERE, "--era", ACTIVE),
    ("catch-up", *HERE, "--from-era", "5"),
    ("catch-up", *HERE, "--eras", "x"),
    ("backfill", *HERE, "--eras", "x"),
    ("reconcile", *HERE, "--to-era", "x"),
    ("status", *HERE, "--era", "x"),
    ("status", *HERE, "--watch"),
    ("export", *HERE, "--target", "warehouse"),
    ("export", *HERE, "--target", "/tmp", "--format", "xlsx"),
    ("export", *HERE, "--target", "/tmp", "--tables", "payouts"),
    ("ledger", "status", "--ledger-conn-id", "no name"),
    ("ledger", "upgrade", "--ledger-conn-id", "no name"),
    ("ledger", "history", *HERE),
    ("ledger", "history", *HERE, "--era", "x"),
    ("ledger", "forget-calendar", *HERE, "--output", "xlsx"),
    ("ledger", "stop", "--why", " "),
    ("ledger", "go", "--output", "xlsx"),
    ("ledger", "restored"),
    ("simulator", "--era-length", "0"),
]
"""A wrong command line of each command: an unknown option, or a wrong value, found by argparse or by the command."""
REFUSED = [
    ("doctor", "--network", "atlantis"),
    ("eras", *HERE, "--ledger-conn-id", "not_there"),
    ("pay", *HERE, "--era", "5"),
    ("export", *HERE, "--target", "FILE"),
    ("ledger", "history", *HERE, "--era", "1"),
]
"""The command line is right, and something else waits for a person."""


def test_a_wrong_command_line_ends_with_2_and_every_other_failure_with_1(gateway, network, ledger, tmp_path, capsys):
    network()
    (tmp_path / "file").write_text("")
    ledger.record_statuses(NETWORK, 1, [(AccountId.parse("0x" + "22" * 32), StakingStatus.IS_STAKING)])
    for status, words in (*((2, one) for one in WRONG_USE), *((1, one) for one in REFUSED)):
        with pytest.raises(SystemExit) as ended:
            airflow(*(tmp_path / "file" if word == "FILE" else word for word in words))
        code = ended.value.code if isinstance(ended.value.code, int) else 1  # of a text
        assert (words, code) == (words, status)
        if isinstance(ended.value, output.WrongUse):
            assert str(ended.value) in capsys.readouterr().err
    tried = [f"staking {' '.join(map(str, words))} " for words in WRONG_USE]
    assert {name for name in COMMANDS if not any(one.startswith(f"{name} ") for one in tried)} == set()


def test_a_changed_plan_and_a_broken_file_are_no_wrong_command_line(gateway, network, capsys):
    network(history_depth=2)
    airflow("plan", *HERE, "--output", "json")
    approved = json.loads(capsys.readouterr().out)["hash"]
    network(history_depth=3)
    for said, words in (
        ("the plan has changed", ("plan", *HERE, "--approve", approved)),
        ("networks.testnet", ("eras", *HERE)),
    ):
        with pytest.raises(SystemExit, match=said) as ended:
            airflow(*words)
        assert isinstance(ended.value.code, str), "status 1"
        network(relayer="nobody")


def test_a_reader_that_has_read_enough_ends_a_command_without_a_traceback(capfd):
    @output.report_errors
    def told(arguments):
        raise BrokenPipeError

    kept = os.dup(sys.stdout.fileno())
    try:
        with pytest.raises(SystemExit) as ended:
            told(None)
        os.write(sys.stdout.fileno(), b"the rest")
    finally:
        os.dup2(kept, sys.stdout.fileno())
        os.close(kept)
    assert ended.value.code == 128 + signal.SIGPIPE
    assert capfd.readouterr().out == ""


def test_a_connection_that_is_kept_in_the_metadata_database_is_used(airflow_db, gateway, network, monkeypatch, capsys):
    from airflow.models.connection import Connection
    from airflow.utils.session import create_session

    network(gateway_conn_id="kept_in_the_database", history_depth=2)
    with create_session() as session:
        kept = Connection("kept_in_the_database", "staking_gateway", host=gateway.url, password=gateway.token)
        session.add(kept)
        session.flush()
        key = kept.id
    try:
        airflow("plan", "--network", NETWORK)
    finally:
        with create_session() as session:
            session.delete(session.get(Connection, key))
    printed = capsys.readouterr()
    assert "2 eras to pay" in printed.out
    assert "RFC3986" not in printed.out + printed.err, "Airflow's warning about the type of the connection"


# --- what people and scripts read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["table", "plain"])
def test_rows_keep_foreign_words_and_every_digit_and_move_no_cursor(capsys, form):
    output.show([{"why": "[red]no[/red] \x1b[2J gone\nfake row", "fee": "1e5", "other": None}], form)
    printed = capsys.readouterr().out
    assert "[red]no[/red]  [2J gone fake row" in printed
    assert "1e5" in printed
    output.show([{"fee": 2**128 - 1}], form)
    assert str(2**128 - 1) in capsys.readouterr().out
    output.show([], form)
    assert capsys.readouterr().out == "No data found\n"


@pytest.mark.parametrize("verbose", [False, True])
def test_logs_and_stray_prints_go_beside_the_result_and_those_of_others_only_when_asked_for(capsys, verbose):
    handler = logging.StreamHandler(sys.stdout)
    logging.getLogger().addHandler(handler)
    strict = pytest.warns(DeprecationWarning, match="some day") if verbose else nullcontext()

    @output.report_errors
    def chatty(arguments):
        logging.getLogger("somebody").warning("a log line")
        logging.getLogger("another_library").error("a failure of another library")
        logging.getLogger("staking_gateway.http").warning("our own line")
        warnings.warn("gone some day", DeprecationWarning, stacklevel=1)
        sys.stdout.write("a stray print\n")
        output.say("the result")
        output.show([{"era": 1}], "json")

    try:
        with strict:
            chatty(argparse.Namespace(verbose=verbose))
        assert handler.stream is sys.stdout
        assert not handler.filters
    finally:
        logging.getLogger().removeHandler(handler)
    printed = capsys.readouterr()
    assert printed.out == 'the result\n[{"era": 1}]\n'
    assert ("a log line" in printed.err) is verbose
    for line in ("a failure of another library", "our own line", "a stray print"):
        assert line in printed.err
