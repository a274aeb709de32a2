"""`airflow staking init`: the first files of an installation, never over what exists."""

import os
import shlex

import pytest
from names import ALICE_STASH, BOB, CHARLIE, DAVE
from staking_commands import airflow

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway_provider.commands import init as demo
from staking_gateway_provider.shipped import DAGS, dags_folder
from tests.support.airflow_home import stored
from tests.support.settings import load_config

BUNDLES = "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An installation without files: where they belong."""
    monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "include" / "staking.yaml"))
    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", str(tmp_path / "dags"))
    return tmp_path


def everything(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_it_writes_a_configuration_that_can_be_used_and_the_shipped_dags(home, capsys):
    airflow("init")
    written = everything(home)
    assert set(written) == {"include/staking.yaml", *(f"dags/{name}" for name in DAGS)}
    assert all(written[f"dags/{name}"] == (dags_folder() / name).read_text() for name in DAGS)
    network = load_config(home / "include" / "staking.yaml").network("devnet")
    assert network.start_date is not None, "eras before the installation are ignored"
    said = capsys.readouterr().out
    assert said.count("Written: ") == 1 + len(DAGS)
    assert "Missing connections: staking_gateway_default, staking_signer_user, staking_signer_payer\n" in said
    assert "  airflow staking init --demo " in said


def test_each_gap_of_the_form_for_another_network_is_named_and_a_form_that_is_filled_in_is_valid(home, capsys):
    airflow("init", "--network", "mainnet")
    with pytest.raises(ConfigError) as refused:
        load_config(home / "include" / "staking.yaml")
    for field in ("relayer", "user", "payer", "calendar.era_length", "payout.max_fee_per_payout"):
        assert f"networks.mainnet.{field}" in str(refused.value)
    said = capsys.readouterr().out
    for step in ("FILL_IN", "staking_gateway_mainnet --conn-type stakinggateway", "airflow staking doctor"):
        assert step in said
    path, text = home / "include" / "staking.yaml", everything(home)["include/staking.yaml"]
    for field, value in {
        "relayer": BOB,
        "user": DAVE,
        "payer": CHARLIE,
        "era_length": "1d",
        "start_date": "2026-11-20T00:00:00Z",
        "max_fee_per_payout": "1000",
        "max_fee_per_day": "5000",
    }.items():
        text = text.replace(f"    {field}: FILL_IN", f"    {field}: {value}")
    text = text.replace("{era: FILL_IN, start: FILL_IN}", "{era: 1392, start: 2026-11-20T00:00:00Z}")
    path.write_text(text.replace("account: FILL_IN", f"account: {ALICE_STASH}"))
    network = load_config(path).network("mainnet")
    assert (network.gateway_conn_id, network.payout.max_fee_per_day) == ("staking_gateway_mainnet", 5000)


def test_nothing_that_exists_is_changed_and_the_difference_is_told(home, capsys):
    airflow("init")
    edited = home / "dags" / DAGS[0]
    edited.write_text(edited.read_text() + "# our own line\n")
    before = everything(home)
    capsys.readouterr()

    airflow("init", "--network", "mainnet")

    assert everything(home) == before
    said = capsys.readouterr().out
    assert f"Kept, although it differs from the shipped file: {edited}" in said
    assert f"Exists already, the same: {home / 'dags' / DAGS[1]}" in said
    assert "It does not describe mainnet" in said
    assert "  mainnet:\n    relayer: FILL_IN" in said


# --- the next steps ---------------------------------------------------------------------------------------------------------


def test_a_complete_installation_has_only_the_check_left(home, capsys, connect):
    airflow("init")
    capsys.readouterr()
    for conn_id in ("staking_gateway_default", "staking_signer_user", "staking_signer_payer"):
        connect(conn_id, conn_type="generic")
    airflow("init")
    assert capsys.readouterr().out.endswith("Next:\n  airflow staking doctor --network devnet\n")


# --- DAGs of the package ----------------------------------------------------------------------------------------------------


def test_the_printed_bundles_are_those_of_now_and_the_package(home, capsys, monkeypatch):
    from airflow.dag_processing.bundles.manager import DagBundlesManager

    airflow("init", "--no-dags")
    assert set(everything(home)) == {"include/staking.yaml"}
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "LocalDagBundle" in line]
    before = {bundle.name for bundle in DagBundlesManager().get_all_dag_bundles()}
    command, assignment = shlex.split(line)
    name, _, value = assignment.partition("=")
    assert (command, name) == ("export", BUNDLES)
    monkeypatch.setenv(name, value)
    after = {bundle.name: bundle.path for bundle in DagBundlesManager().get_all_dag_bundles()}
    assert set(after) == {*before, "staking_gateway"}
    assert {path.name for path in os.scandir(after["staking_gateway"])} >= set(DAGS)

    airflow("init", "--no-dags")
    said = capsys.readouterr().out
    assert f"already configured to load the DAGs from the package: {dags_folder()}" in said
    assert "LocalDagBundle" not in said


def test_the_demo_disturbs_no_other_network(home):
    airflow("init", "--network", "mainnet")
    with pytest.raises(SystemExit, match=r"describes other networks\. Set AIRFLOW_HOME to an empty folder"):
        airflow("init", "--demo")


REAL = {"host": "https://gateway.example", "password": "issued"}


@pytest.mark.parametrize(
    ("conn_id", "fields"),
    [
        ("staking_gateway_default", {"conn_type": "stakinggateway", **REAL}),
        ("staking_gateway_default", {"conn_type": "stakinggateway", **REAL, "host": "http://127.0.0.1:8650"}),
        ("substrate_devnet", {"conn_type": "substrate", "host": "wss://node.example"}),
    ],
    ids=["gateway", "tunnel", "node"],
)
@pytest.mark.parametrize("place", ["variable", "database"])
def test_the_demo_calls_no_gateway_or_node_of_an_existing_connection(  # noqa: PLR0917 - fixtures
    home, connect, airflow_db, place, conn_id, fields
):
    from airflow.models import Connection

    rows = [Connection(conn_id=conn_id, **fields)] if place == "database" else []
    if place == "variable":
        connect(conn_id, **fields)
    told = rf"connection {conn_id} does not lead .*unset AIRFLOW_CONN_{conn_id.upper()}"
    with stored(*rows), pytest.raises(SystemExit, match=told):
        airflow("init", "--demo")
    assert everything(home) == {}


def test_the_demo_pays_through_no_other_gateway_of_its_network(home):
    airflow("init")
    config = home / "include" / "staking.yaml"
    config.write_text(config.read_text().replace("gateway_conn_id: staking_gateway_default", "gateway_conn_id: ours"))
    with pytest.raises(SystemExit, match=r"gateway_conn_id in .* is not staking_gateway_default"):
        airflow("init", "--demo")


def test_the_demo_goes_on_with_the_connections_that_it_made(airflow_db, monkeypatch):
    monkeypatch.setenv("_AIRFLOW_PROCESS_CONTEXT", "server")  # as in a command
    from airflow.models import Connection
    from airflow.utils.session import create_session
    from sqlalchemy import delete

    try:
        url = demo._make_connections()
        assert demo._make_connections() == demo._simulator_url() == url
    finally:
        with create_session() as session:
            session.execute(delete(Connection))


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_written(home):
    (home / "dags").write_text("a file")
    with pytest.raises(SystemExit, match=rf"{home / 'dags'}: is no folder\. Make it a writable folder"):
        airflow("init")
    assert set(everything(home)) == {"dags"}


def test_the_demo_unpauses_its_dags_and_fails_without_them(airflow_db, monkeypatch):
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.session import create_session
    from sqlalchemy import delete, select

    for step, result in {"_airflow": None, "_make_connections": "http://127.0.0.1:1", "_start_simulator": 1}.items():
        monkeypatch.setattr(demo, step, lambda *_, result=result: result)
    ours = DagModel.dag_id.in_(["staking_payout_devnet", "staking_catch_up_devnet"])
    with create_session() as session:
        session.execute(delete(DagModel).where(ours))
    told = []
    with pytest.raises(
        StakingGatewayError, match=r"staking_catch_up_devnet and staking_payout_devnet.*list-import-err"
    ):
        demo._start_demo(told.append)
    known = {"bundle_name": "ours", "is_stale": False, "is_paused": True}
    dags = [DagModel(dag_id=dag_id, **known) for dag_id in ("staking_payout_devnet", "staking_catch_up_devnet")]
    with stored(DagBundleModel(name="ours"), *dags):
        for _again in range(2):
            demo._start_demo(told.append)
            with create_session() as session:
                assert session.scalars(select(DagModel.is_paused).where(ours)).all() == [False, False]


def test_the_simulator_gets_the_words_and_leaves_its_state_in_airflows_home(airflow_home, monkeypatch):
    given = []
    monkeypatch.setattr(demo.simulator_program, "main", given.append)
    airflow("simulator", "--port", 8650, "--era-length", 20)
    assert given == [["--state", str(airflow_home / "simulator.db"), "--port", "8650", "--era-length", "20"]]
