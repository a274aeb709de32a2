"""A hostile text - HTML, escape codes, line breaks, format strings, templates, formulas - stays a text wherever it gets."""

import json
import logging
from contextlib import contextmanager

import pytest
from names import ACCOUNTS, ACTIVE, ALICE_STASH, ERA, NETWORK, SIGNERS
from structlog.testing import capture_logs
from tasks import Task, TaskInstance
from test_doctor import doctor, healthy, metadata
from test_operator_alerts import plan
from test_page import CALENDAR

from staking_gateway.errors import EraNotPaid, InvalidConnection, InvalidInput
from staking_gateway.ledger import PayoutState
from staking_gateway.text import one_line
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.alerting import send_alerts
from staking_gateway_provider.hooks.gateway import StakingGatewayHook, StakingSignerHook
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.reporting import explorer_address
from tests.airflow.conftest import airflow_db, airflow_home, broken, connect, gateway, ledger, network, simulator

FIXTURES = (
    airflow_db, airflow_home, broken, connect, gateway, healthy, ledger, metadata, network,
    simulator,
)  # fmt: skip
ESCAPE, HTML = "\x1b[2J\x1b[31m", "<img src=x onerror=alert(1)>"
FORGED = (
    f"no\r\n[2026-11-20] INFO - Era 7 is paid {ESCAPE}\x9b31m\u2028\u202e{HTML} %s%n {{0.__class__}} {{{{ 7*7 }}}} =1+1"
)
"""What a gateway, a signer or a node may say."""
LABEL = f"{HTML} %s {{0}} {{{{ 7*7 }}}} {{% raw %}}"
"""What a label may hold: it is printable, and on one line."""
TOKEN = "tk-4f9d1c77a0b2e6"


@pytest.fixture
def logged(caplog):
    """Every line that is logged in a block, by Airflow's tasks and by anybody else, as a handler would write it."""

    @contextmanager
    def collect():
        told = []
        caplog.set_level(logging.DEBUG)
        with capture_logs() as entries:
            yield told
        told += [
            entry["event"] % given if (given := entry.get("positional_args")) else entry["event"] for entry in entries
        ]
        # A statement that SQLAlchemy lays out in lines, when another test has it tell them, is nobody's forgery.
        others = [record for record in caplog.records if not record.name.startswith("sqlalchemy.")]
        told += [record.getMessage() for record in others]

    return collect


# --- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tx_hash",
    [HTML, "0x12/../..", "0x12?x", "0x12#x", "javascript:alert(1)", "0x" + "1" * 200, "0xzz", "", "0x12\n", None, 7],
)
def test_what_is_no_hash_becomes_no_part_of_an_address(tx_hash):
    assert explorer_address("https://explorer.example/tx/{tx_hash}", {"parts": [{"tx_hash": tx_hash}]}) == ""


@pytest.mark.parametrize("field", ["extra", "host", "login", "password", "schema"])
@pytest.mark.parametrize("hook", [StakingGatewayHook, StakingSignerHook])
def test_a_hostile_connection_is_refused_on_one_line(connect, hook, field):
    given = {"conn_type": hook.conn_type, "host": "https://gateway.example", "password": "x"}
    given[field] = {FORGED: FORGED} if field == "extra" else FORGED
    connect("hostile", **given)
    with pytest.raises(InvalidInput) as refused:
        hook("hostile").get_conn()
    assert str(refused.value).isprintable()
    assert isinstance(refused.value, InvalidConnection)


# --- the gateway's words, in a task --------------------------------------------------------------------------------------


def hostile_gateway(exchange):
    """Refuses the payout with a text, and puts one wherever a text may stand."""
    asked = json.loads(exchange.request.body or b'{"id": 0, "method": ""}')  # the doctor also asks for the time
    results = {
        "getChainInfo": {"name": FORGED[:150], "version": FORGED[:150]},
        "getActiveEra": str(ACTIVE),
        "getEraElectionStatus": "isClosed",
        "getNonce": "7",
        "getRelayerFees": "10",
    }
    body = {"jsonrpc": "2.0", "id": asked["id"]}
    text = f"{FORGED} {' '.join(exchange.request.header('authorization'))}"
    if asked["method"] in results:
        body["result"] = results[asked["method"]]
    else:
        body["error"] = {"code": -32600, "message": text, "data": {"gatewayError": text, "request": text}}
    exchange.answer(json.dumps(body).encode())
    return True


@pytest.fixture
def hostile(gateway, connect, broken):
    """The gateway of all tasks is hostile."""
    broken.script = [hostile_gateway]
    extra = {"read_attempts": 1}
    connect("staking_gateway_default", conn_type="stakinggateway", host=broken.url, password=TOKEN, extra=extra)
    return broken


def test_in_a_tasks_log_its_outcome_its_error_and_the_ledger_they_are_one_line(hostile, ledger, logged):
    operator = PayoutStakersOperator(task_id="payout", era=ERA, deferrable=True, **ACCOUNTS, **SIGNERS)
    task = Task(operator)
    with logged() as lines, pytest.raises(EraNotPaid) as failed:
        task.run()
    assert any("Era 7 is paid" in line for line in lines)
    assert [line for line in lines if not line.isprintable()] == []
    outcome = task.ti.xcoms["outcome"]
    assert "Era 7 is paid" in outcome["reason"]
    texts = [str(failed.value), outcome["reason"], *(part["reason"] for part in outcome["parts"])]
    (part,) = ledger.era_payouts("staking_gateway_default", ERA)
    texts += [part.reason, part.chain, *(event.cause for event in ledger.events(part))]
    for text in texts:
        assert text.isprintable(), text
    assert "bearer (removed)" in part.reason
    assert TOKEN not in "\n".join([*lines, *texts])


def test_on_a_terminal_they_move_no_cursor(healthy, hostile, metadata, capsys):
    for output in ("table", "plain"):
        doctor("--output", output)
        printed = capsys.readouterr()
        assert "Era 7 is paid" in printed.out
        for line in printed.out.splitlines():
            assert line.isprintable(), line
        assert TOKEN not in printed.out + printed.err
    doctor("--output", "json")
    assert json.loads(capsys.readouterr().out)


# --- alerts ----------------------------------------------------------------------------------------------------------------


def test_a_template_in_a_label_or_a_gateways_word_is_never_rendered(gateway, network, ledger, logged, tmp_path):
    path, text = str(tmp_path / "messages"), "{{ staking_alert.text }}"
    notifier = {"class": "tests.support.notifiers.FileNotifier", "path": path, "text": text}
    network(
        calendar=CALENDAR,
        accounts=[{"account": ALICE_STASH, "label": LABEL, "expect": "staking"}],
        alerts={"notifiers": [notifier]},
    )
    plan(ledger, ERA, PayoutState.REJECTED, reason=one_line(FORGED))
    ledger.record_statuses(NETWORK, ACTIVE, [(AccountId.parse(ALICE_STASH), StakingStatus.IS_NOT_STAKING)])
    with logged() as lines:
        send_alerts(NETWORK, network_config(NETWORK), {"ti": TaskInstance()}, ERA)
    text = (tmp_path / "messages").read_text()
    assert "{{ 7*7 }}" in text
    assert [line for line in lines if not line.isprintable()] == []
