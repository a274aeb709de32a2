"""All of Airflow was down for seven eras; the chain was not."""

from __future__ import annotations

from livenet import PATIENCE


def test_a_backfill_over_the_outage_pays_each_missed_era_once(after_seven_eras_down):
    outage = after_seven_eras_down["brisk"]
    network, eras = outage.network, outage.eras
    known = network.runs_per_era()
    missed = [era for era in range(outage.first, eras[-1] + 1) if not known[era]]
    assert len(eras) == 7
    # The scheduler by itself makes up for the era it had noted as its next before the stop, and for the newest one.
    assert set(missed) >= {*eras[1:-1]}

    network.stack.api.unpause(network.dag_id)
    made = network.backfill(outage.first, eras[-1])
    runs = network.finished(made)

    assert [int(run["partition_key"]) for run in runs] == missed
    assert {run["state"] for run in runs} == {"success"}
    network.wait(lambda: min(network.owing(), default=network.active()) > eras[-1], PATIENCE, "nothing of it is owed")
    network.pause()
    assert {era: network.runs_per_era()[era] for era in eras} == dict.fromkeys(eras, 1)
    executed = network.executed()
    assert {era: executed[era] for era in range(outage.first, eras[-1] + 1)} == dict.fromkeys(
        range(outage.first, eras[-1] + 1), 1
    )


def test_a_catch_up_pays_each_missed_era_once_the_oldest_first(after_seven_eras_down):
    outage = after_seven_eras_down["brisk_too"]
    network, eras = outage.network, outage.eras
    paid_before = network.executed()
    missed = [era for era in range(outage.first, eras[-1] + 1) if not paid_before[era]]
    assert set(missed) >= {*eras[1:-1]}

    state, report = network.catch_up(from_era=outage.first, to_era=eras[-1])

    assert state == "success"
    assert {int(era): told["outcome"] for era, told in report["outcomes"].items()} == dict.fromkeys(missed, "PAID")
    order = [payout["era"] for payout in network.control.truth()["payouts"]]
    assert [era for era in order if era in missed] == missed
    executed = network.executed()
    assert {executed[era] for era in range(outage.first, eras[-1] + 1)} == {1}
    assert not set(network.owing()) & {*range(outage.first, eras[-1] + 1)}
