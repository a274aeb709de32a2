"""A mistake in one network's settings takes that network's DAGs away, and no other network's; and never another ledger."""

from __future__ import annotations

import json
import logging

import pytest
from dag_files import CATCH_UP, PAYOUT, parse
from names import BOB, DAVE, network_settings

from staking_gateway_provider.networks import LEDGER_VARIABLE, ledger_url

FILES = {PAYOUT: {"staking_payout_good"}, CATCH_UP: {"staking_catch_up_good"}}
GOOD, OTHER = network_settings(), network_settings(user=DAVE, payer=BOB)
MISTAKES = {
    "unknown": {**OTHER, "payot": {"parts": 2}},
    "account": {**OTHER, "payer": "nobody"},
    "file": {**OTHER, "accounts_file": "nowhere.csv"},
    "start": {**OTHER, "catchup": True},
}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a configuration file; the environment names no ledger."""
    monkeypatch.delenv(LEDGER_VARIABLE, raising=False)
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))

    def to_file(networks, **top):
        path = tmp_path / "staking.yaml"
        path.write_text(json.dumps({"networks": networks, **top}))
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(path))
        return path

    return to_file


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("bad", MISTAKES.values(), ids=MISTAKES)
def test_the_other_networks_keep_their_dags_and_the_log_names_the_mistake(write, caplog, file, bad):
    write({"good": GOOD, "bad": bad})
    with caplog.at_level(logging.ERROR):
        bag = parse(file)
    assert (set(bag.dags), bag.import_errors) == (FILES[file], {})
    (told,) = [record.message for record in caplog.records if record.name.startswith("staking_gateway_provider")]
    assert told.startswith("Only the other networks have DAGs. networks.bad.")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize(
    "networks",
    [{"bad": MISTAKES["unknown"]}, {"off": {**GOOD, "enabled": False}, "bad": MISTAKES["unknown"]}],
    ids=["alone", "beside one that is off"],
)
def test_where_nothing_is_left_to_run_it_is_an_import_error(write, file, networks):
    write(networks)
    bag = parse(file)
    assert bag.dags == {}
    (told,) = bag.import_errors.values()
    assert "networks.bad.payot: unknown key. Did you mean payout?" in told


@pytest.mark.parametrize(
    ("networks", "top", "told"),
    [
        ({"good": GOOD}, {"ledger_con_id": "l"}, "ledger_con_id: unknown key"),
        ({"good": GOOD, "twin": GOOD}, {}, "is the user of"),
    ],
    ids=["top", "together"],
)
def test_a_mistake_that_is_not_one_networks_is_an_import_error(write, networks, top, told):
    write(networks, **top)
    bag = parse(PAYOUT)
    assert bag.dags == {}
    (error,) = bag.import_errors.values()
    assert told in error


def test_the_ledger_is_found_all_the_same(write, connect, tmp_path):
    write({"good": GOOD, "bad": MISTAKES["unknown"]})
    assert ledger_url() == f"sqlite:///{tmp_path}/staking_ledger.db"
    connect("filed", conn_type="sqlite", host="/ledgers/filed.db")
    write({"bad": MISTAKES["unknown"]}, ledger_conn_id="filed")
    assert ledger_url() == "sqlite:////ledgers/filed.db"
