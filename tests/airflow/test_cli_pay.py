"""`airflow staking pay`: nothing is paid that nobody has agreed to; an approved hash pays exactly its eras; runs are made once."""

import re
import sys
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from airflow.api.common.delete_dag import delete_dag
from airflow.dag_processing.dagbag import sync_bag_to_db
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from dag_files import PAYOUT, parse
from names import ACTIVE, NETWORK, PARTY, hourly
from simulated_chain import RUNNING_CLOCK, calls, executed, sends
from staking_commands import Terminal, airflow, as_json

from staking_gateway.errors import LedgerError
from staking_gateway.health.state import AirflowFacts, EraRun
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.drive import pay_eras
from tests.support.ledgers import put

DEPTH = 4
RUN = Actor("staking_payout_testnet/scheduled")
FEE = "100 000 000 000 000 000 planck"


@pytest.fixture
def settings(gateway, network):
    """Writes the configuration; eras of an hour, and DEPTH of them can be paid."""
    network.usual = {"history_depth": DEPTH, "calendar": hourly()}
    network()
    return network


def pay(*words):
    airflow("pay", "--network", NETWORK, *words)


def answer(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", Terminal(text))


@pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
@pytest.mark.usefixtures("settings")
class TestPay:
    def test_alone_shows_the_plan_and_asks_and_only_a_yes_pays(self, gateway, monkeypatch, capsys):
        answer(monkeypatch, "\n")
        with pytest.raises(SystemExit, match="Nothing was paid"):
            pay()
        assert sends(gateway) == 0
        answer(monkeypatch, "y\n")
        pay()
        printed = capsys.readouterr()
        assert f"4 eras to pay at a fee of {FEE} a call, 0 left for later, 0 expired" in printed.out
        assert printed.err.count("Pay 4 eras? [y/N]") == 2
        assert executed(gateway) == list(range(ACTIVE - DEPTH, ACTIVE)), "soonest to expire first"
        assert re.findall(r"^era (\d+): PAID$", printed.out, re.MULTILINE) == [str(era) for era in range(996, 1000)]

    def test_nobody_is_asked_about_a_plan_that_was_not_shown(self, gateway, monkeypatch, capsys):
        answer(monkeypatch, "\n")
        with pytest.raises(SystemExit, match="Nothing was paid"):
            pay("-o", "json")
        printed = capsys.readouterr()
        assert printed.out == ""
        assert re.search(
            r"4 eras to pay at a fee of .* a call, .*\n  pay   era 996: (?s:.)*\nPay 4 eras\?", printed.err
        )

    def test_an_era_whose_own_run_is_paying_it_is_left_out_unless_it_is_named(self, monkeypatch, capsys):
        for paused, states in ((False, {999: "running", 998: "failed"}), (True, {999: "running"})):
            runs = {era: EraRun("d", "r", state) for era, state in states.items()}
            airflow_knows = AirflowFacts(runs=runs, known=True, paused=paused)
            monkeypatch.setattr(
                "staking_gateway_provider.commands.pay.read_airflow", lambda *_, told=airflow_knows: told
            )
            planned = [era["era"] for era in as_json(capsys, "pay", "--network", NETWORK, "--dry-run")["pay"]]
            assert planned == list(range(996, 1000 if paused else 999))
        named = as_json(capsys, "pay", "--network", NETWORK, "--dry-run", "--eras", 999)
        assert [era["era"] for era in named["pay"]] == [999]

    def test_yes_pays_without_a_question_once_and_an_empty_plan_says_so(self, gateway, ledger, capsys):
        gateway.control.set_faults("state-pending:times=2")
        pay("--yes", "--eras", 998)
        printed = capsys.readouterr()
        (kept,) = ledger.era_payouts(NETWORK, 998)
        assert f"  part 0: CONFIRMED, request {kept.request_id}, transaction {kept.tx_hash}, fee {FEE}" in printed.out
        assert "era 998: " in printed.err, "what it waits for"
        pay("--yes", "--from-era", 998)
        assert f"era {ACTIVE - DEPTH} is unpaid" not in capsys.readouterr().out, "of other eras nothing is said"
        pay("--yes")
        assert sorted(executed(gateway)) == [996, 997, 998, 999]
        for words in (("--yes",), ("--dry-run",), (), ("--eras", 998)):
            capsys.readouterr()
            pay(*words)
            told = capsys.readouterr().out
            assert told.startswith(f"Nothing to pay while era {ACTIVE} is active: ")
            assert "--approve" not in told
        assert as_json(capsys, "pay")["outcomes"] == {}
        assert len(executed(gateway)) == 4

    def test_a_dry_run_sends_nothing_and_its_hash_pays_exactly_its_eras(self, gateway, settings, capsys):
        settings(history_depth=9)
        pay("--from-era", ACTIVE - 3, "--max-eras", 2, "--dry-run")
        printed = capsys.readouterr().out
        assert f"2 eras to pay at a fee of {FEE} a call, 1 left for later, 0 expired" in printed
        rows = [line.split()[:3] for line in printed.splitlines() if line.startswith("99")]
        assert rows == [["997", "|", "pay"], ["998", "|", "pay"], ["999", "|", "later"]]
        assert sends(gateway) == 0
        approved = re.search(r"--approve ([0-9a-f]{16})$", printed, re.MULTILINE)[1]
        pay("--approve", approved)
        assert executed(gateway) == [ACTIVE - 3, ACTIVE - 2]
        pay("--approve", approved)
        assert capsys.readouterr().out.splitlines()[-1].startswith("Nothing to pay")

    def test_an_era_in_flight_is_listed_as_such_and_not_counted(self, gateway, ledger, capsys):
        put(ledger, ledger.plan(NETWORK, 997, 0, **PARTY, actor=RUN), PayoutState.SUBMITTED, RUN)
        pay("--dry-run", "--max-eras", 3)
        printed = capsys.readouterr().out
        assert f"2 eras to pay at a fee of {FEE} a call, 1 in flight, 1 left for later" in printed
        assert re.search(r"^997 *\| in flight", printed, re.MULTILINE)

    def test_what_was_paid_before_an_error_is_told(self, gateway, monkeypatch, capsys):
        def pay_one(engine, eras, **options):
            yield next(pay_eras(engine, eras, **options))
            raise LedgerError("the disk is full")

        monkeypatch.setattr("staking_gateway_provider.commands.pay.pay_eras", pay_one)
        outcomes = as_json(capsys, "pay", "--yes", "--eras", "998-999", fails="the disk is full")["outcomes"]
        assert [outcomes[era]["outcome"] for era in ("998", "999")] == ["PAID", "UNKNOWN"]

    def test_another_fee_than_the_approved_one_pays_nothing(self, gateway, settings, capsys):
        plan = as_json(capsys, "pay", "--dry-run")
        gateway.control.fee(2 * 10**17)
        with pytest.raises(
            SystemExit, match=r"the plan has changed: fee: was 100[0 ]+ planck, is 200[0 ]+ planck"
        ) as ended:
            pay("--approve", plan["hash"])
        assert isinstance(ended.value.code, str), "status 1: the command line was right"
        assert sends(gateway) == 0

    def test_a_budget_leaves_the_eras_that_expire_last_and_the_next_call_pays_them(self, gateway, capsys):
        with pytest.raises(SystemExit, match="left for the next call: 2 eras"):
            pay("--yes", "--max-fees", 2 * 10**17)
        assert executed(gateway) == [ACTIVE - 4, ACTIVE - 3]
        outcomes = as_json(capsys, "pay", "--yes")["outcomes"]
        assert {era: one["outcome"] for era, one in outcomes.items()} == {"998": "PAID", "999": "PAID"}
        assert executed(gateway) == list(range(ACTIVE - 4, ACTIVE))

    def test_a_budget_holds_also_for_the_approved_plan_whose_command_names_it(self, settings, gateway, capsys):
        settings(payout={"parts": "until_empty"})
        pay("--dry-run", "--eras", "998-999", "--max-fees", 2 * 10**17)
        command = re.search(
            r"pay --network \S+ (--max-fees 2\d+ --approve \w+)$", capsys.readouterr().out, re.MULTILINE
        )
        with pytest.raises(SystemExit, match=r"era 999: HELD_FEE .* more than max_fee_per_run"):
            pay(*command[1].split())
        assert sends(gateway) == 2

    def test_what_cannot_be_paid_is_refused_by_name_and_nothing_is_sent(self, settings, gateway, connect):
        with pytest.raises(SystemExit, match="airflow staking: eras: era 995 has expired"):
            pay("--yes", "--eras", 995)
        settings(payout={"max_fee_per_payout": 1})
        with pytest.raises(SystemExit, match=r"era 999: HELD_FEE the fee is .* more than max_fee_per_payout 1"):
            pay("--yes", "--eras", 999)
        connect("staking_signer_user", conn_type="stakingsigner", password="//Charlie")
        with pytest.raises(SystemExit, match="airflow staking: user: the key belongs to"):
            pay("--yes", "--eras", 999)
        assert sends(gateway) == 0

    def test_nothing_is_paid_for_a_network_that_is_disabled(self, gateway, settings):
        settings(enabled=False)
        for words in (["--yes"], ["--approve", "ab" * 8], ["--yes", "--runs"]):
            with pytest.raises(SystemExit, match=f"networks.{NETWORK}.enabled: is false, so nothing is paid"):
                pay(*words)
        assert "proxyPayoutstakers" not in calls(gateway)

    def test_a_part_that_is_held_for_a_person_is_signed_only_with_again(self, gateway, ledger, capsys):
        held = {"reason": "request 7 is Rejected", "staking_nonce": 0}
        payout = ledger.plan(NETWORK, 999, 0, **PARTY, actor=RUN)
        for nonce in (8, 9):
            payout = put(ledger, payout, PayoutState.REJECTED, RUN, **held, payment_nonce=nonce)
        why, remedy = "2 fees may be charged, and nothing was paid", f"pay --network {NETWORK} --eras 999 --again"
        with pytest.raises(SystemExit, match=f"era 999: REJECTED {why}: request 7 is Rejected.*{remedy}"):
            pay("--yes", "--eras", 999)
        assert executed(gateway) == []
        pay("--yes", "--eras", 999, "--again")
        assert executed(gateway) == [999]
        assert "era 999: PAID" in capsys.readouterr().out

    @pytest.mark.parametrize("way", ["question", "hash", "again"])
    def test_an_era_far_ahead_of_the_calendar_is_signed_only_when_a_person_approves(
        self, settings, gateway, capsys, monkeypatch, way
    ):
        settings(calendar=hourly(active=ACTIVE - 20))
        with pytest.raises(SystemExit, match=r"calendar\.max_drift 10, so nothing is signed"):
            pay("--yes", "--eras", 999)
        assert sends(gateway) == 0
        if way == "question":
            answer(monkeypatch, "yes\n")
        approved = as_json(capsys, "pay", "--eras", 999, "--dry-run")["hash"]
        pay(
            *{
                "question": ("--eras", 999),
                "hash": ("--approve", approved),
                "again": ("--eras", 999, "--again", "--yes"),
            }[way]
        )
        assert executed(gateway) == [999]

    def test_a_calendar_that_was_edited_is_refused_until_it_is_forgotten_on_purpose(self, gateway, settings, capsys):
        airflow("ledger", "forget-calendar", "--network", NETWORK)
        assert capsys.readouterr().out.startswith(f"0 anchors of {NETWORK} are forgotten")
        pay("--yes", "--from-era", ACTIVE - 1)
        settings(calendar={"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:01Z"}]})
        with pytest.raises(SystemExit, match="forget-calendar"):
            pay("--dry-run")
        with pytest.raises(SystemExit, match=f"has payouts of {NETWORK} from era {ACTIVE - 1} on.* append an anchor"):
            airflow("ledger", "forget-calendar", "--network", NETWORK)
        assert as_json(capsys, "ledger", "forget-calendar", "--yes")["forgotten"] == 1
        pay("--dry-run")


# --- runs -------------------------------------------------------------------------------------------------------------------


DAG_ID = f"staking_payout_{NETWORK}"
PAID = ACTIVE - 3
CHOSEN = f"{ACTIVE - 1}, {ACTIVE - 6}-{ACTIVE - 5}, {PAID}"
"""Three unpaid eras and a paid one; Airflow's own backfill has no list of eras."""
UNPAID = [ACTIVE - 6, ACTIVE - 5, ACTIVE - 1]


def dag(**columns):
    with create_session() as session:
        session.execute(sa.update(DagModel).where(DagModel.dag_id == DAG_ID).values(**columns))


def runs():
    """The runs of the payout DAG, in the order in which the scheduler starts them."""
    with create_session() as session:
        return list(session.scalars(sa.select(DagRun).where(DagRun.dag_id == DAG_ID).order_by(DagRun.run_after)))


class TestRuns:
    @pytest.fixture(autouse=True)
    def prepared(self, airflow_db, gateway, settings, ledger):
        """Airflow knows the payout DAG, which has no runs; one era is paid."""
        settings(history_depth=9)
        with create_session() as session:
            session.execute(sa.delete(DagRun))
            session.merge(DagBundleModel(name="dags-folder"))
        sync_bag_to_db(parse(PAYOUT), "dags-folder", None)
        dag(is_paused=False, is_stale=False)
        payout = ledger.plan(NETWORK, PAID, 0, **PARTY, actor=RUN)
        put(ledger, payout, PayoutState.CONFIRMED, RUN)
        yield
        delete_dag(DAG_ID)  # with its runs: later files of tests judge eras by them
        assert sends(gateway) == 0, "a command that makes runs sends nothing itself"

    def test_a_dry_run_shows_each_era_and_makes_no_run(self, capsys):
        told = as_json(capsys, "pay", "--runs", "--dry-run", f"--eras={CHOSEN}")
        assert [(entry["era"], entry["eras_left"]) for entry in told["pay"]] == list(
            zip(UNPAID, (3, 4, 8), strict=True)
        )
        assert (told["paid"], told["dag_id"], told["made"], told["runs"]) == ([PAID], DAG_ID, [], {})
        pay("--runs", "--dry-run", f"--eras={CHOSEN}")
        printed = capsys.readouterr().out
        assert f"3 eras to pay at a fee of {FEE} a call" in printed
        assert f"airflow staking pay --network {NETWORK} --runs --approve {told['hash']}" in printed
        assert runs() == []

    def test_yes_makes_one_run_for_each_unpaid_era_in_order_of_expiry_and_a_second_call_makes_none_twice(self, capsys):
        pay("--runs", "--yes", f"--eras={CHOSEN}")
        printed, made = capsys.readouterr().out, runs()
        assert [int(run.partition_key) for run in made] == UNPAID
        started = datetime.fromisoformat(hourly()["anchors"][0]["start"])
        for run in made:
            start = started - timedelta(hours=ACTIVE - int(run.partition_key))
            assert abs(run.partition_date - start) < timedelta(minutes=1)
            assert (run.state, run.run_type, run.triggered_by.value) == ("queued", "manual", "cli")
            assert f"era {run.partition_key}: run {run.run_id}" in printed
        told = as_json(capsys, "pay", "--runs", "--yes", f"--eras={CHOSEN}")
        assert (told["made"], told["runs"]) == ([], {run.partition_key: run.run_id for run in made})
        assert len(runs()) == 3
        with create_session() as session:
            session.execute(sa.update(DagRun).values(state="failed"))
        pay("--runs", "--yes", f"--eras={ACTIVE - 5}")
        assert [int(run.partition_key) for run in runs()] == [*UNPAID, ACTIVE - 5], "a failed run has paid nothing"

    def test_a_run_that_was_made_is_told_also_when_the_next_one_fails(self, monkeypatch, capsys):
        made = iter([SimpleNamespace(run_id="first")])
        monkeypatch.setattr("staking_gateway_provider.commands.pay.trigger_dag", lambda *_, **__: next(made))
        with pytest.raises(StopIteration):
            pay("--runs", "--yes", f"--eras={CHOSEN}")
        assert capsys.readouterr().out.endswith(f"era {UNPAID[0]}: run first\n")

    def test_the_runs_of_an_approved_plan_pay_that_plan_or_nothing(self, capsys):
        told = as_json(capsys, "pay", "--runs", "--dry-run", f"--eras={CHOSEN}")
        pay("--runs", f"--approve={told['hash']}")
        assert [run.conf for run in runs()] == [{"approve": told["hash"]}] * 3
        assert "approve" in parse(PAYOUT).dags[DAG_ID].params, "the payout reads it"

    def test_it_asks_and_a_budget_leaves_the_eras_that_expire_last(self, monkeypatch, settings):
        settings(history_depth=9, catch_up={"max_eras": 2})
        answer(monkeypatch, "n\ny\n")
        for end in ("Nothing was paid", "left for the next call: 1 era"):
            with pytest.raises(SystemExit, match=end):
                pay("--runs", f"--eras={CHOSEN}")
        assert [int(run.partition_key) for run in runs()] == UNPAID[:2]

    def test_runs_that_could_not_pay_are_not_made(self, settings, ledger):
        dag(is_stale=True)
        with pytest.raises(SystemExit, match=f"airflow staking: dag: Airflow does not know {DAG_ID}"):
            pay("--runs", "--yes")
        dag(is_stale=False)
        for active, told in (
            (ACTIVE - 1, f"era {ACTIVE - 1} has not ended by the calendar"),
            (ACTIVE - 50, "max_drift"),
        ):
            settings(history_depth=9, calendar=hourly(active=active))
            with pytest.raises(SystemExit, match=told):
                pay("--runs", "--yes")
        ledger.stop("a test", RUN)
        for way in ((), ("--runs",)):
            with pytest.raises(SystemExit, match=r"a test\. When the reason is gone, run airflow staking ledger go"):
                pay(*way, "--yes")
        assert runs() == []
