"""A mistake in one network's settings takes that network's DAGs away, and no other network's; and never another ledger."""

import logging

import pytest
from dag_files import CATCH_UP, PAYOUT, parse
from names import BOB, DAVE, network_settings

from staking_gateway_provider.networks import LEDGER_VARIABLE, ledger_url

FILES = {PAYOUT: {"staking_payout_good"}, CATCH_UP: {"staking_catch_up_good"}}
GOOD, OTHER, OFF = network_settings(), network_settings(user=DAVE, payer=BOB), network_settings(enabled=False)
MISTAKES = {
    "unknown": {**OTHER, "payot": {"parts": 2}},
    "account": {**OTHER, "payer": "nobody"},
    "file": {**OTHER, "accounts_file": "nowhere.csv"},
    "start": {**OTHER, "catchup": True},
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("bad", MISTAKES.values(), ids=MISTAKES)
def test_the_other_networks_keep_their_dags_and_the_log_names_the_mistake(network, caplog, file, bad):
    network({"good": GOOD, "bad": bad})
    with caplog.at_level(logging.ERROR):
        bag = parse(file)
    assert (set(bag.dags), bag.import_errors) == (FILES[file], {})
    (told,) = [record.message for record in caplog.records if record.name.startswith("staking_gateway_provider")]
    assert told.startswith("Only the other networks have DAGs. networks.bad.")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize(
    ("networks", "top", "told"),
    [
        ({"bad": MISTAKES["unknown"]}, {}, "networks.bad.payot: unknown key. Did you mean payout?"),
        ({"off": OFF, "bad": MISTAKES["unknown"]}, {}, "networks.bad.payot: unknown key. Did you mean payout?"),
        ({"good": GOOD}, {"ledger_con_id": "l"}, "ledger_con_id: unknown key"),
        ({"good": GOOD, "twin": GOOD}, {}, "is the user of"),
    ],
    ids=["alone", "beside one that is off", "top", "together"],
)
def test_where_nothing_is_left_to_run_it_is_an_import_error(network, file, networks, top, told):
    network(networks, top=top)
    bag = parse(file)
    assert bag.dags == {}
    (error,) = bag.import_errors.values()
    assert told in error


def test_the_ledger_is_found_all_the_same(network, connect, tmp_path, monkeypatch):
    monkeypatch.delenv(LEDGER_VARIABLE, raising=False)
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    network({"good": GOOD, "bad": MISTAKES["unknown"]})
    assert ledger_url() == f"sqlite:///{tmp_path}/staking_ledger.db"
    connect("filed", conn_type="sqlite", host="/ledgers/filed.db")
    network({"bad": MISTAKES["unknown"]}, top={"ledger_conn_id": "filed"})
    assert ledger_url() == "sqlite:////ledgers/filed.db"
