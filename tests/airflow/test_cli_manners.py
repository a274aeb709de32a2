"""How every command behaves: one line for a mistake, tables for people, help with examples that are right."""

from __future__ import annotations

import io
import logging
import os
import re
import shlex
import signal
import sys
from pathlib import Path

import pytest
from airflow.cli import cli_parser
from names import NETWORK
from staking_commands import COMMANDS, airflow, parse

from staking_gateway_provider.commands import output

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "commands.md"


# --- help and documentation -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_shows_examples_that_are_right(name):
    lines = COMMANDS[name].epilog.splitlines()
    assert lines[0] == "Examples:"
    assert lines[1:]
    for line in lines[1:]:
        assert line.startswith(f"  airflow {name}")
        parse(*shlex.split(line)[2:])


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_an_entry_in_the_documentation_with_an_example(name):
    entries = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    (entry,) = [one for one in entries if one.splitlines()[0] == f"`airflow {name}`"]
    assert re.search(rf"^airflow {name}( |$)", entry, re.MULTILINE)


def test_the_documentation_has_no_entry_of_a_command_that_is_gone():
    titles = re.findall(r"^### `airflow (.+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert titles == list(COMMANDS)


def test_each_option_of_each_command_is_documented():
    entries = dict(
        re.findall(r"^### `airflow ([^`]+)`\n(.*?)(?=^##|\Z)", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    )
    common = {"--network", "--ledger-conn-id", "--output"}
    for name, command in COMMANDS.items():
        for argument in command.args:
            option = argument.flags[-1]
            assert option in common or not option.startswith("-") or f"`{option}" in entries[name], (name, option)


def test_every_line_of_the_documentation_that_is_a_command_is_right():
    lines = re.findall(r"^airflow staking (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) >= len(COMMANDS)
    for line in lines:
        parse(*shlex.split(line, comments=True))


# --- the simulator's own command line ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ([], []),
        (["--port", "0", "--window=3"], ["--port", "0", "--window=3"]),
        (["--help"], ["--help"]),
        (["-h"], ["-h"]),
        (["--", "--port", "0"], ["--port", "0"]),
    ],
)
def test_the_simulator_gets_every_word_that_follows(monkeypatch, words, passed):
    got = []
    monkeypatch.setattr("staking_gateway_simulator.__main__.main", lambda words: got.append(words) or 0)
    airflow("simulator", *words)
    assert got == [passed]


def test_a_simulator_that_cannot_start_ends_with_its_status(capsys, tmp_path):
    with pytest.raises(SystemExit) as end:
        airflow("simulator", "--era-length", "0", "--state", str(tmp_path / "state.db"))
    assert end.value.code == 2
    assert "Error: era_length" in capsys.readouterr().err


# --- mistakes ---------------------------------------------------------------------------------------------------------------


def commands_of_a_network():
    return {
        "eras": [],
        "plan": [],
        "pay": ["--era", "1"],
        "catch-up": [],
        "status": [],
    }


@pytest.mark.parametrize(("name", "words"), commands_of_a_network().items())
def test_a_connection_that_is_missing_ends_in_one_line_that_names_it(gateway, network, monkeypatch, name, words):
    network()
    monkeypatch.delenv("AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT")
    with pytest.raises(SystemExit, match=r"`staking_gateway_default` isn't defined.*airflow staking doctor"):
        airflow(name, "--network", NETWORK, *words)


@pytest.mark.parametrize("name", ["eras", "plan", "catch-up", "status", "accounts"])
def test_a_network_nobody_knows_ends_in_one_line(gateway, network, name):
    network()
    with pytest.raises(SystemExit, match=r"networks.atlantis: there is no such network. Known networks: testnet"):
        airflow(name, "--network", "atlantis")


def test_stopping_a_command_ends_in_one_line():
    @output.report_errors
    def stopped(arguments):
        raise KeyboardInterrupt

    with pytest.raises(SystemExit, match="stopped; what is in the ledger is kept"):
        stopped(None)


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


def test_a_mistake_of_ours_is_not_hidden():
    @output.report_errors
    def wrong(arguments):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wrong(None)


@pytest.mark.parametrize("before", [None, "client"])
def test_connections_of_the_metadata_database_are_found_while_a_command_runs(monkeypatch, before):
    monkeypatch.delenv("_AIRFLOW_PROCESS_CONTEXT", raising=False)
    if before:
        monkeypatch.setenv("_AIRFLOW_PROCESS_CONTEXT", before)
    seen = []

    @output.report_errors
    def look(arguments):
        seen.append(os.environ["_AIRFLOW_PROCESS_CONTEXT"])

    look(None)
    assert seen == [before or "server"]
    assert os.environ.get("_AIRFLOW_PROCESS_CONTEXT") == before


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
    assert "2 eras to pay" in capsys.readouterr().out


# --- what people and scripts read -------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_outcomes_are_coloured_on_a_terminal_and_plain_elsewhere(monkeypatch, capsys):
    rows = [{"era": 1, "outcome": "PAID"}, {"era": 2, "outcome": "EXPIRED"}]
    output.show(rows, "table")
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    output.show(rows, "table")
    assert re.search("\x1b\\[32mPAID", terminal.getvalue())
    assert re.search("\x1b\\[1;31mEXPIRED", terminal.getvalue())


@pytest.mark.parametrize("form", ["table", "plain"])
def test_foreign_words_are_shown_as_they_are_and_move_no_cursor(capsys, form):
    output.show([{"why": "[red]no[/red] \x1b[2J gone\nfake row", "fee": "1e5"}], form)
    printed = capsys.readouterr().out
    assert "[red]no[/red]  [2J gone fake row" in printed
    assert "1e5" in printed


@pytest.mark.parametrize("form", ["table", "plain"])
def test_amounts_keep_every_digit(capsys, form):
    output.show([{"fee": 2**128 - 1, "other": None}], form)
    assert str(2**128 - 1) in capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "plain"])
def test_no_rows_are_said_to_be_none(capsys, form):
    output.show([], form)
    assert capsys.readouterr().out == "No data found\n"


def test_a_bar_is_drawn_on_a_terminal_beside_the_result(monkeypatch, capsys):
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stderr", terminal)
    with output.progress("Paying", 2) as step:
        output.say("era 1: PAID")
        step()
        step()
    assert "Paying" in terminal.getvalue()
    assert capsys.readouterr().out == "era 1: PAID\n"


def test_no_bar_is_drawn_into_a_file(capsys):
    with output.progress("Paying", 1) as step:
        step()
    assert capsys.readouterr() == ("", "")


def test_logs_and_stray_prints_go_beside_the_result(capsys):
    handler = logging.StreamHandler(sys.stdout)
    logging.getLogger().addHandler(handler)

    @output.report_errors
    def chatty(arguments):
        logging.getLogger("somebody").warning("a log line")
        sys.stdout.write("a stray print\n")
        output.say("the result")
        output.show([{"era": 1}], "json")

    try:
        chatty(None)
        assert handler.stream is sys.stdout
    finally:
        logging.getLogger().removeHandler(handler)
    printed = capsys.readouterr()
    assert printed.out == 'the result\n[{"era": 1}]\n'
    assert "a log line" in printed.err
    assert "a stray print" in printed.err


def test_lines_on_a_terminal_are_written_above_the_bar(monkeypatch):
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)

    @output.report_errors
    def pay(arguments):
        with output.progress("Paying", 1) as step:
            output.say("era 1: PAID")
            step()
        output.say("done")

    pay(None)
    assert re.search(r"era 1: PAID\n.*Paying.*100%.*done\n$", screen.getvalue(), re.DOTALL)


# --- completion -------------------------------------------------------------------------------------------------------------


def completer_of(name):
    parser = cli_parser.get_parser()
    for word in ("staking", name):
        parser = next(one for one in parser._actions if one.choices and word in one.choices).choices[word]
    return next(action for action in parser._actions if "--network" in action.option_strings).completer


@pytest.mark.parametrize("name", ["eras", "doctor"])
def test_a_shell_completes_the_names_of_the_networks(gateway, network, name):
    network()
    assert completer_of(name)(prefix="") == [NETWORK]


def test_a_shell_completes_nothing_where_the_file_is_wrong(gateway, network):
    network(payuot={})
    assert completer_of("eras")(prefix="") == []
