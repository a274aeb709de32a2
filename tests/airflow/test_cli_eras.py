"""`airflow staking eras` and `airflow staking pay`: where each era stands, and paying one."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from broken_set_ups import free_port
from names import ACTIVE, ALICE, BOB, CHARLIE, ERA, NETWORK
from staking_commands import airflow

from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.outcomes import WINDOW_REASON
from staking_gateway.types import AccountId

RUN = Actor("staking_payout_testnet/scheduled")
DEPTH = 4
RUNNING_CLOCK = {"manual_clock": False, "era_length": 3600.0, "window": 0.0, "confirm_seconds": 0.05}
ENDED = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(minutes=5)
"""When era 999 ended."""


@pytest.fixture
def settings(network):
    """Writes the configuration; eras of an hour, the active one began at ENDED."""

    def write(**changes):
        calendar = {"era_length": "1h", "anchors": [{"era": ACTIVE, "start": ENDED.isoformat()}]}
        since = (ENDED - timedelta(hours=DEPTH)).isoformat()
        return network(**{"history_depth": DEPTH, "calendar": calendar, "start_date": since, **changes})

    write()
    return write


def record(ledger, era, *steps):
    """Put an era into the ledger.

    :param steps: each a state and the columns that change with it.
    """
    accounts = {"user": ALICE, "payer": CHARLIE, "relayer": BOB}
    payout = ledger.plan(NETWORK, era, 0, **{role: AccountId.parse(text) for role, text in accounts.items()}, actor=RUN)
    for state, changes in steps:
        payout = ledger.transition(payout, PayoutState(state), "as told", RUN, **changes)
    return payout


def paid(ledger, era, *, after=timedelta(seconds=90)):
    at = ENDED - timedelta(hours=ERA - era) + after
    record(
        ledger,
        era,
        ("SIGNED", {"fee": 10**30 + era, "plans": 1}),
        ("SUBMITTED", {"request_id": f"00000000-0000-4000-8000-{era:012}", "accepted_at": at}),
        ("CONFIRMED", {"tx_hash": "0x" + "ab" * 32, "confirmed_at": at}),
    )


class TestEras:
    @pytest.fixture(autouse=True)
    def prepared(self, gateway, settings):
        return settings

    def eras(self, *words):
        airflow("eras", "--network", NETWORK, *words)

    def told(self, capsys, *words, owed=True):
        if owed:
            with pytest.raises(SystemExit):
                self.eras("--output", "json", *words)
        else:
            self.eras("--output", "json", *words)
        return {row["era"]: row for row in json.loads(capsys.readouterr().out)}

    def test_lists_each_payable_era_oldest_first_with_what_proves_it(self, ledger, capsys):
        for era in range(ACTIVE - DEPTH, ACTIVE):
            paid(ledger, era)
        told = self.told(capsys, owed=False)
        assert list(told) == [996, 997, 998, 999]
        assert told[999] == {
            "era": 999,
            "outcome": "PAID",
            "ended_at": ENDED.isoformat(),
            "lag_seconds": 90.0,
            "fee": str(10**30 + 999),
            "request_id": "00000000-0000-4000-8000-000000000999",
            "tx_hash": "0x" + "ab" * 32,
            "eras_left": None,
            "why": "",
        }

    def test_says_of_each_owed_era_where_it_stands_and_how_long_it_can_be_paid(self, ledger, capsys):
        record(ledger, 997, ("REJECTED", {"reason": "not today"}))
        record(ledger, 998, ("HELD", {"hold": "window", "reason": WINDOW_REASON}))
        record(ledger, 999, ("HELD", {"hold": "fee", "reason": "the fee is 7, more than max_fee_per_payout 5"}))
        told = self.told(capsys)
        assert {era: row["outcome"] for era, row in told.items()} == {
            996: "UNPAID",
            997: "REJECTED",
            998: "HELD_WINDOW",
            999: "HELD_FEE",
        }
        assert told[997]["why"] == "rejected (REJECTED): not today"
        assert [row["eras_left"] for row in told.values()] == [1, 2, 3, 4]
        assert all(row["lag_seconds"] > 0 for row in told.values())

    @pytest.mark.parametrize(
        ("steps", "outcome"),
        [
            ([], "PLANNED"),
            ([("SIGNED", {})], "SIGNED"),
            ([("SIGNED", {}), ("SUBMITTED", {})], "SUBMITTED"),
            ([("SIGNED", {}), ("UNKNOWN", {})], "UNKNOWN"),
            ([("HELD", {"hold": "another", "reason": "something else"})], "HELD"),
            ([("HELD", {"hold": "charged", "wasted": 2})], "REJECTED"),
            ([("HELD", {"hold": "contradiction"})], "REJECTED"),
            ([("HELD", {"hold": "unsupported"})], "UNSUPPORTED"),
        ],
    )
    def test_says_how_far_a_payout_has_come(self, ledger, capsys, steps, outcome):
        record(ledger, 999, *steps)
        assert self.told(capsys)[999]["outcome"] == outcome

    def test_calls_an_era_of_which_nothing_was_left_already_paid(self, ledger, capsys):
        record(ledger, 999, ("EMPTY", {}))
        row = self.told(capsys)[999]
        assert (row["outcome"], row["lag_seconds"], row["fee"]) == ("ALREADY_PAID", None, None)

    def test_calls_an_era_partial_when_more_parts_are_owed(self, prepared, ledger, capsys):
        prepared(payout={"parts": 2})
        paid(ledger, 999)
        row = self.told(capsys)[999]
        assert (row["outcome"], row["fee"]) == ("PARTIAL", str(10**30 + 999))

    def test_ends_well_when_nothing_is_owed_and_says_so(self, ledger, capsys):
        for era in range(ACTIVE - DEPTH, ACTIVE):
            paid(ledger, era)
        self.eras()
        assert f"{NETWORK}: era {ACTIVE} is active, {DEPTH} eras paid, 0 unpaid; UTC" in capsys.readouterr().out

    def test_ends_well_while_no_era_waits_for_a_person_and_says_which_are_unpaid(self, prepared, ledger, capsys):
        prepared(start_date=None)
        for era in (997, 998):
            paid(ledger, era)
        record(ledger, 999, ("SIGNED", {}), ("SUBMITTED", {}))
        self.eras()
        told = capsys.readouterr().out
        assert "2 paid, 2 unpaid" in told.replace(" eras", "")
        assert "Note: 2 unpaid eras: in progress, or older than the first payout of this installation" in told
        ledger.transition(ledger.payout(NETWORK, 999, 0), PayoutState.REJECTED, "no", RUN, reason="no")
        with pytest.raises(SystemExit, match="1 era of testnet unpaid, era 999 expires first"):
            self.eras()

    def test_names_the_era_that_is_lost_first_and_the_command_that_pays_it(self, ledger):
        paid(ledger, 996)
        with pytest.raises(
            SystemExit,
            match=r"3 eras of testnet unpaid, era 997 expires first, in 2 eras. Pay .*catch-up --network testnet",
        ):
            self.eras()

    def test_lists_an_era_that_has_expired_and_ends_badly(self, prepared, ledger, capsys):
        prepared(start_date=None)
        for era in range(ACTIVE - DEPTH, ACTIVE):
            paid(ledger, era)
        record(ledger, 995)
        with pytest.raises(SystemExit, match="1 era expired unpaid"):
            self.eras("--output", "plain")
        row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("995"))
        assert "EXPIRED" in row
        assert row.endswith("its rewards are gone")

    def test_the_last_few_are_listed_and_older_owed_ones_are_not_forgotten(self, ledger, capsys):
        paid(ledger, 999)
        with pytest.raises(SystemExit, match=r"3 eras .* unpaid.*3 of them are older than those listed"):
            self.eras("--last", 1, "--output", "json")
        assert [row["era"] for row in json.loads(capsys.readouterr().out)] == [999]

    def test_people_read_a_table_of_one_line_for_each_era(self, ledger, capsys):
        for era in range(ACTIVE - DEPTH, ACTIVE):
            paid(ledger, era)
        self.eras()
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "testnet: era 1000 is active, 4 eras paid, 0 unpaid; UTC"
        rows = [line for line in lines if line.startswith("99")]
        assert len(rows) == 4
        assert f"{ENDED:%Y-%m-%d %H:%M:%S}" in rows[-1]
        assert "1m 30s" in rows[-1]
        assert "0xabababab.." in rows[-1]

    def test_a_note_about_the_calendar_is_shown(self, prepared, ledger, capsys):
        prepared(
            calendar={"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]}, start_date=None
        )
        self.eras()
        assert "Note: active era: " in capsys.readouterr().out

    def test_tells_what_the_ledger_knows_while_the_gateway_is_away(self, gateway, ledger, connect, capsys):
        paid(ledger, 999)
        host = f"http://127.0.0.1:{free_port()}"
        connect(
            "staking_gateway_default", conn_type="staking_gateway", host=host, password="x", extra={"read_attempts": 1}
        )
        with pytest.raises(
            SystemExit, match=r"(?s)The gateway does not answer.*no connection.*\n3 eras of testnet unpaid"
        ):
            self.eras("--output", "json")
        told = {row["era"]: row["outcome"] for row in json.loads(capsys.readouterr().out)}
        assert told == {996: "UNPAID", 997: "UNPAID", 998: "UNPAID", 999: "PAID"}

    def test_a_token_that_is_refused_is_no_outage(self, gateway, connect):
        connect("staking_gateway_default", conn_type="staking_gateway", host=gateway.url, password="wrong")
        with pytest.raises(SystemExit, match=r"Forbidden|Unauthorized|access token"):
            self.eras()

    def test_sends_nothing(self, gateway, capsys):
        self.told(capsys)
        assert gateway.control.truth()["calls"]["by_path"].get("/send", 0) == 0

    def test_no_eras_at_all_are_refused(self):
        with pytest.raises(SystemExit, match="airflow staking: last: 0 lists nothing"):
            self.eras("--last=0")

    @pytest.mark.parametrize("last", ["x", "-1", "1.5"])
    def test_a_number_of_eras_that_is_none_is_refused_by_name(self, last):
        with pytest.raises(SystemExit, match=f"airflow staking: last: '{last}' is not a number"):
            self.eras(f"--last={last}")


@pytest.mark.parametrize("simulator", [RUNNING_CLOCK], indirect=True)
class TestPay:
    @pytest.fixture(autouse=True)
    def prepared(self, gateway, settings):
        return settings

    def pay(self, era, *words):
        airflow("pay", "--network", NETWORK, f"--era={era}", *words)

    def executed(self, gateway):
        return [payout["era"] for payout in gateway.control.truth()["payouts"]]

    def test_pays_that_era_alone_and_shows_what_proves_it(self, gateway, ledger, capsys):
        self.pay(998)
        assert self.executed(gateway) == [998]
        first, part = capsys.readouterr().out.splitlines()
        assert first == "era 998: PAID"
        (kept,) = ledger.era_payouts(NETWORK, 998)
        assert part == f"  part 0: CONFIRMED, request {kept.request_id}, transaction {kept.tx_hash}, fee {kept.fee}"

    def test_of_a_paid_era_sends_nothing_and_ends_well(self, gateway, capsys):
        self.pay(998)
        self.pay(998)
        assert self.executed(gateway) == [998]
        assert "era 998: ALREADY_PAID" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("era", "told"),
        [
            (ACTIVE, "era: 1000 cannot be paid while era 1000 is active"),
            (ACTIVE + 5, "era: 1005 cannot be paid while era 1000 is active"),
            (
                ACTIVE - DEPTH - 1,
                "Era 995 of testnet ended EXPIRED: era 995 is more than 4 eras old; its rewards are gone",
            ),
            ("x", "era: 'x' is not a number"),
            (-1, "era: '-1' is not a number"),
        ],
    )
    def test_what_cannot_be_paid_is_refused_by_name_and_nothing_is_sent(self, gateway, era, told):
        with pytest.raises(SystemExit, match=f"airflow staking: {told}"):
            self.pay(era)
        assert gateway.control.truth()["calls"]["by_path"].get("/send", 0) == 0

    @pytest.mark.parametrize("words", [("pay", "--era=999"), ("catch-up",), ("plan", f"--approve={'ab' * 32}")])
    def test_nothing_is_paid_for_a_network_that_is_disabled(self, gateway, settings, words):
        settings(enabled=False)
        with pytest.raises(SystemExit, match=f"networks.{NETWORK}.enabled: is false, so nothing is paid. Write true"):
            airflow(words[0], "--network", NETWORK, *words[1:])
        assert gateway.control.truth()["calls"]["by_path"] == {}

    def test_ends_badly_when_the_era_is_held(self, prepared, gateway):
        prepared(payout={"max_fee_per_payout": 1})
        with pytest.raises(SystemExit, match=r"ended HELD_FEE: the fee is .* more than max_fee_per_payout 1"):
            self.pay(999)
        assert self.executed(gateway) == []

    @pytest.mark.parametrize(
        ("held", "why"),
        [
            ({"hold": "charged", "wasted": 2, "fee_charged": True}, "2 fees were charged and nothing was paid"),
            ({"hold": "contradiction"}, "the witnesses disagree"),
        ],
    )
    def test_a_part_that_is_held_for_a_person_is_signed_only_with_again(self, gateway, ledger, capsys, held, why):
        record(ledger, 999, ("HELD", {**held, "plans": 2, "reason": "request 7 is Rejected"}))
        remedy = f"airflow staking pay --network {NETWORK} --era 999 --again"
        with pytest.raises(SystemExit, match=f"ended REJECTED: {why}: request 7 is Rejected.*{remedy}"):
            self.pay(999)
        assert self.executed(gateway) == []
        self.pay(999, "--again")
        assert self.executed(gateway) == [999]
        assert "era 999: PAID" in capsys.readouterr().out

    @pytest.mark.parametrize("approval", ["again", "plan"])
    def test_an_era_far_ahead_of_the_calendar_is_signed_only_when_a_person_approves(
        self, prepared, gateway, capsys, approval
    ):
        prepared(calendar={"era_length": "1h", "anchors": [{"era": ACTIVE - 20, "start": ENDED.isoformat()}]})
        for words in (("pay", "--era=999"), ("catch-up", "--from-era=999")):
            with pytest.raises(SystemExit, match=r"calendar\.max_drift 10, so nothing is signed"):
                airflow(words[0], "--network", NETWORK, *words[1:])
        assert gateway.control.truth()["calls"]["by_path"].get("/send", 0) == 0
        if approval == "again":
            self.pay(999, "--again")
        else:
            capsys.readouterr()
            airflow("plan", "--network", NETWORK, "--from-era=999", "--output=json")
            plan = json.loads(capsys.readouterr().out)
            airflow("plan", "--network", NETWORK, "--from-era=999", f"--approve={plan['hash']}")
        assert self.executed(gateway) == [999]

    def test_how_many_fees_may_be_charged_for_nothing_is_a_setting(self, prepared, gateway, ledger):
        record(ledger, 999, ("REJECTED", {"wasted": 2, "fee_charged": True, "plans": 2, "reason": "no"}))
        prepared(payout={"max_fees_for_nothing": 3})
        self.pay(999)
        assert self.executed(gateway) == [999]

    def test_ends_badly_with_the_key_of_another_account(self, gateway, connect):
        connect("staking_signer_user", conn_type="staking_signer", password="//Charlie")
        with pytest.raises(SystemExit, match="airflow staking: user: the signer's key belongs to"):
            self.pay(999)
        assert gateway.control.truth()["calls"]["by_path"].get("/send", 0) == 0

    def test_says_beside_the_result_what_it_waits_for(self, gateway, capsys):
        gateway.control.set_faults("state-pending:times=2")
        self.pay(999)
        printed = capsys.readouterr()
        assert "is Pending" in printed.err
        assert printed.out.splitlines()[0] == "era 999: PAID"

    def test_beside_a_catch_up_leaves_nothing_to_plan(self, gateway, capsys):
        self.pay(998)
        airflow("catch-up", "--network", NETWORK)
        assert f"era {ACTIVE - DEPTH} is unpaid and expires in 1 era" in capsys.readouterr().out
        assert sorted(self.executed(gateway)) == [996, 997, 998, 999]
        airflow("plan", "--network", NETWORK)
        printed = capsys.readouterr().out
        assert "0 eras to pay" in printed
        assert "--approve" not in printed
