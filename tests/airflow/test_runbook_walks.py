"""What the runbook says to type, typed."""

import re
import shlex
import sqlite3
import time
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from names import ACTIVE, ERA, NETWORK
from simulated_chain import RUNNING_CLOCK, executed
from staking_commands import airflow

from tests.support.airflow_home import forget_variables

RUNBOOK = Path(__file__).parents[2] / "docs" / "runbook.md"
pytestmark = pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)


@pytest.fixture(autouse=True)
def short(airflow_db, gateway, network):
    timing = {"poll_interval": 0.1, "lag": 0.3, "finalized_within": 0.3, "confirmation_timeout": "5s"}
    network(history_depth=3, timing=timing)


def walk(heading):
    """Type the commands of a section, in order. All but two have to succeed: `doctor` finds more in this set-up."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", RUNBOOK.read_text(), re.M | re.S)[1]
    commands = "".join(re.findall(r"^```bash\n(.*?)^```", section, re.M | re.S)).replace("1391", str(ERA)).splitlines()
    for command in commands:
        program, group, *words = shlex.split(command)
        assert (program, group) == ("airflow", "staking")
        ends = {"doctor": "1", "--max-eras": "left for the next call"}
        ending = next((end for word, end in ends.items() if word in words), None)
        with nullcontext() if ending is None else pytest.raises(SystemExit, match=ending):
            airflow(*words)
    return commands


def pay(era):
    airflow("pay", "--network", NETWORK, "--yes", "--eras", era)


def test_a_contradiction_ends_when_a_person_has_looked(gateway, connect, tmp_path, monkeypatch, capsys):
    gateway.control.set_faults("request-rejected")
    with pytest.raises(SystemExit):
        pay(ERA)
    while {request["status"] for request in gateway.control.truth()["requests"]} != {"Rejected"}:
        time.sleep(0.05)
    gateway.control.set_faults()
    connect("other_ledger", conn_type="sqlite", host=str(tmp_path / "other.db"))
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("STAKING_GATEWAY_LEDGER_CONN_ID", "other_ledger")
        forget_variables()
        pay(ERA - 1)
        forget_variables()
    for _ in range(2):
        with pytest.raises(SystemExit, match=r"the witnesses disagree: .* airflow staking pay --network testnet"):
            pay(ERA)
    assert executed(gateway) == [ERA - 1]
    assert len(walk("The witnesses disagree")) == 2
    assert executed(gateway) == [ERA - 1, ERA]
    assert "the witnesses disagree" in capsys.readouterr().out


def test_a_restored_ledger_pays_nothing_twice(gateway, ledger, tmp_path):
    pay(ERA - 2)
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as file, closing(sqlite3.connect(":memory:")) as backup:
        file.backup(backup)
        pay(ERA - 1)
        backup.backup(file)
    walk("The ledger was restored")
    assert executed(gateway) == list(range(ACTIVE - 3, ACTIVE))
    assert ledger.mark().why == "backup of 2 June"


def test_a_lost_ledger_is_begun_anew(gateway, tmp_path, capsys):
    pay(ERA - 1)
    for file in tmp_path.glob("ledger.db*"):
        file.unlink()
    forget_variables()  # as the error of `doctor` says
    walk("The ledger is lost")
    assert executed(gateway) == [ERA - 1, ERA - 2, ERA]
    assert f"era {ERA - 1}: ALREADY_PAID" in capsys.readouterr().out
