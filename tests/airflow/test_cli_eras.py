"""`airflow staking eras` and `airflow staking pay`: where each era stands, and paying one."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from names import ACTIVE, ERA, NETWORK, PARTY, hourly
from simulated_chain import RUNNING_CLOCK, calls, executed, sends
from staking_commands import airflow, as_json

from staking_gateway.health.facts import AirflowFacts
from staking_gateway.ledger import Actor, PayoutState
from tests.support.ledgers import put

RUN = Actor("staking_payout_testnet/scheduled")
DEPTH = 4
PAYABLE = range(ACTIVE - DEPTH, ACTIVE)
CALENDAR = hourly()
ENDED = datetime.fromisoformat(CALENDAR["anchors"][0]["start"])
"""When era 999 ended."""
ADDRESS = ("--network", NETWORK)


@pytest.fixture
def settings(gateway, network):
    """Writes the configuration; eras of an hour, the active one began at ENDED."""

    def write(**changes):
        since = (ENDED - timedelta(hours=DEPTH)).isoformat()
        return network(**{"history_depth": DEPTH, "calendar": CALENDAR, "start_date": since, **changes})

    write()
    return write


def record(ledger, era, *steps):
    """Put an era into the ledger.

    :param steps: each a state and the columns that change with it.
    """
    payout = ledger.plan(NETWORK, era, 0, **PARTY, actor=RUN)
    for state, changes in steps:
        payout = put(ledger, payout, PayoutState(state), RUN, **changes)
    return payout


def paid(ledger, *eras):
    for era in eras:
        at = ENDED - timedelta(hours=ERA - era) + timedelta(seconds=90)
        record(
            ledger,
            era,
            (
                "CONFIRMED",
                {
                    "fee": 10**30 + era,
                    "request_id": f"00000000-0000-4000-8000-{era:012}",
                    "tx_hash": "0x" + "ab" * 32,
                    "confirmed_at": at,
                },
            ),
        )


@pytest.mark.usefixtures("settings")
class TestEras:
    @pytest.fixture(autouse=True)
    def airflow_runs(self, monkeypatch):
        monkeypatch.setattr("staking_gateway_provider.commands.views.airflow_facts", lambda *_: AirflowFacts())

    def rows(self, capsys, *words, fails="unpaid"):
        return {row["era"]: row for row in as_json(capsys, "eras", *ADDRESS, *words, fails=fails)}

    def test_lists_each_payable_era_oldest_first_with_what_proves_it_and_says_that_none_is_unpaid(self, ledger, capsys):
        paid(ledger, *PAYABLE)
        rows = self.rows(capsys, fails=None)
        assert list(rows) == list(PAYABLE)
        assert rows[999] == {
            "era": 999,
            "state": "paid",
            "ended_at": ENDED.isoformat(),
            "lag_seconds": 90.0,
            "fee": str(10**30 + 999),
            "tx_hash": "0x" + "ab" * 32,
            "eras_left": None,
            "why": "confirmed by request_state",
        }
        airflow("eras", *ADDRESS)
        first, *lines = capsys.readouterr().out.splitlines()
        assert first == "testnet: Nothing is unpaid. Era 1000 is active; UTC"
        shown = [line for line in lines if line.startswith("99")]
        assert len(shown) == DEPTH
        for words in (f"{ENDED:%Y-%m-%d %H:%M:%S}", "1m 30s", "0xabababab.."):
            assert words in shown[-1]

    def test_says_the_same_as_airflow_staking_alone(self, settings, ledger, capsys):
        settings(start_date=None)
        paid(ledger, 997, 998)
        record(ledger, 999, ("SUBMITTED", {}))
        airflow("eras", *ADDRESS)
        told = capsys.readouterr().out
        airflow("state", *ADDRESS)
        headline = capsys.readouterr().out.splitlines()[0].partition(" (and ")[0]
        assert headline.startswith("testnet: Nothing is unpaid since this installation started; era 999 is being paid")
        assert told.startswith(headline)
        ledger.transition(ledger.payout(NETWORK, 999, 0), PayoutState.REJECTED, "no", RUN, reason="no")
        with pytest.raises(SystemExit, match="Era 999 is unpaid; it expires in 3 eras"):
            airflow("eras", *ADDRESS)

    def test_names_the_era_that_is_lost_first_and_forgets_no_older_ones(self, ledger, capsys):
        paid(ledger, 996)
        self.rows(capsys, fails=r"3 eras are unpaid; the oldest, era 997, expires in 1 era.*\nNext: airflow staking")
        paid(ledger, 999)
        assert list(self.rows(capsys, "--last", 1, fails="2 of them are older than those listed")) == [999]

    def test_lists_an_era_that_has_expired_and_ends_badly(self, settings, ledger, capsys):
        settings(start_date=None)
        paid(ledger, *PAYABLE)
        record(ledger, 995)
        with pytest.raises(SystemExit, match="1 era expired unpaid"):
            airflow("eras", *ADDRESS, "--output", "plain")
        capsys.readouterr()
        rows = self.rows(capsys, "--last", 5, fails="1 era expired unpaid")
        assert (rows[995]["state"], "its rewards are gone" in rows[995]["why"]) == ("expired", True)

    def test_tells_what_the_ledger_knows_while_the_gateway_is_away_or_refuses_the_token(
        self, gateway, ledger, connect, capsys, away
    ):
        paid(ledger, 999)
        away()
        told = r"(?s)comes from ledger and calendar: .*no connection.*\n3 eras are unpaid"
        states = [row["state"] for row in self.rows(capsys, fails=told).values()]
        assert states == ["unpaid", "unpaid", "unpaid", "paid"]
        connect("staking_gateway_default", conn_type="staking_gateway", host=gateway.url, password="wrong")
        with pytest.raises(SystemExit, match="access token is wrong"):
            airflow("eras", *ADDRESS)


@pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
@pytest.mark.usefixtures("settings")
class TestPay:
    def pay(self, era, *words):
        airflow("pay", *ADDRESS, f"--era={era}", *words)

    def test_pays_that_era_alone_once_and_shows_what_proves_it(self, gateway, ledger, capsys):
        gateway.control.set_faults("state-pending:times=2")
        self.pay(998)
        printed = capsys.readouterr()
        first, part = printed.out.splitlines()
        assert first == "era 998: PAID"
        (kept,) = ledger.era_payouts(NETWORK, 998)
        fee = "100 000 000 000 000 000 planck"
        assert part == f"  part 0: CONFIRMED, request {kept.request_id}, transaction {kept.tx_hash}, fee {fee}"
        assert printed.err.count("era 998: ") > 1, "what it waits for"
        self.pay(998)
        assert executed(gateway) == [998]
        assert "era 998: ALREADY_PAID" in capsys.readouterr().out
        airflow("catch-up", *ADDRESS)
        assert f"era {ACTIVE - DEPTH} is unpaid and expires now" in capsys.readouterr().out
        assert sorted(executed(gateway)) == [996, 997, 998, 999]
        airflow("plan", *ADDRESS)
        printed = capsys.readouterr().out
        assert "0 eras to pay" in printed
        assert "--approve" not in printed

    def test_what_cannot_be_paid_is_refused_by_name_and_nothing_is_sent(self, settings, gateway, connect):
        for era, told in (
            (ACTIVE + 1, "era: era 1001 has not ended, era 1000 is active"),
            (995, "Era 995 of testnet ended EXPIRED: era 995 is more than 4 eras old; its rewards are gone"),
            ("x", "era: 'x' is not a number"),
        ):
            with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
                self.pay(era)
        settings(payout={"max_fee_per_payout": 1})
        with pytest.raises(SystemExit, match=r"ended HELD_FEE: the fee is .* more than max_fee_per_payout 1"):
            self.pay(999)
        connect("staking_signer_user", conn_type="staking_signer", password="//Charlie")
        with pytest.raises(SystemExit, match="airflow staking: user: the key belongs to"):
            self.pay(999)
        assert sends(gateway) == 0

    def test_nothing_is_paid_for_a_network_that_is_disabled(self, gateway, settings):
        settings(enabled=False)
        told = f"networks.{NETWORK}.enabled: is false, so nothing is paid. Write true"
        for name, *words in (("pay", "--era=999"), ("catch-up",), ("plan", f"--approve={'ab' * 32}")):
            with pytest.raises(SystemExit, match=told):
                airflow(name, *ADDRESS, *words)
        assert calls(gateway) == {}

    def test_a_part_that_is_held_for_a_person_is_signed_only_with_again(self, gateway, ledger, capsys):
        held = {"reason": "request 7 is Rejected", "staking_nonce": 0}
        record(ledger, 999, *(("REJECTED", {**held, "payment_nonce": nonce}) for nonce in (8, 9)))
        remedy = f"airflow staking pay --network {NETWORK} --era 999 --again"
        why = "2 fees may be charged, and nothing was paid"
        with pytest.raises(SystemExit, match=f"ended REJECTED: {why}: request 7 is Rejected.*{remedy}"):
            self.pay(999)
        assert executed(gateway) == []
        self.pay(999, "--again")
        assert executed(gateway) == [999]
        assert "era 999: PAID" in capsys.readouterr().out

    def test_an_era_far_ahead_of_the_calendar_is_signed_only_when_a_person_approves(self, settings, gateway, capsys):
        settings(calendar=hourly(active=ACTIVE - 20))
        for name, *words in (("pay", "--era=999"), ("catch-up", "--from-era=999")):
            with pytest.raises(SystemExit, match=r"calendar\.max_drift 10, so nothing is signed"):
                airflow(name, *ADDRESS, *words)
        assert sends(gateway) == 0
        self.pay(999, "--again")
        assert executed(gateway) == [999]
        capsys.readouterr()
        plan = ("plan", *ADDRESS, "--from-era=998")
        airflow(*plan, "--output=json")
        airflow(*plan, f"--approve={json.loads(capsys.readouterr().out)['hash']}")
        assert executed(gateway) == [999, 998]
