"""`airflow staking init`: the first files of an installation, never over what exists."""

from __future__ import annotations

import json
import os
import shlex
import signal

import pytest
from staking_commands import airflow

from staking_gateway.config.loader import load_config
from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway_provider.commands import devnet
from staking_gateway_provider.shipped import DAGS, dags_folder

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
    assert capsys.readouterr().out.count("Written: ") == 5


def test_each_gap_of_the_form_for_another_network_is_named_by_its_field(home, capsys):
    airflow("init", "--network", "mainnet")
    with pytest.raises(ConfigError) as refused:
        load_config(home / "include" / "staking.yaml")
    for field in ("relayer", "user", "payer", "calendar.era_length", "payout.max_fee_per_payout"):
        assert f"networks.mainnet.{field}" in str(refused.value)
    said = capsys.readouterr().out
    for step in ("FILL_IN", "staking_gateway_mainnet --conn-type staking_gateway", "airflow staking doctor"):
        assert step in said


def test_a_form_that_is_filled_in_is_valid(home):
    airflow("init", "--network", "mainnet")
    path, text = home / "include" / "staking.yaml", everything(home)["include/staking.yaml"]
    for field, value in {
        "relayer": "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty",
        "user": "5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy",
        "payer": "5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw",
        "era_length": "1d",
        "start_date": "2026-11-20T00:00:00Z",
        "max_fee_per_payout": "1000",
        "max_fee_per_day": "5000",
    }.items():
        text = text.replace(f"    {field}: FILL_IN", f"    {field}: {value}")
    text = text.replace("{era: FILL_IN, start: FILL_IN}", "{era: 1392, start: 2026-11-20T00:00:00Z}")
    path.write_text(text.replace("account: FILL_IN", "account: 5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"))
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
    assert "-# our own line" in said
    assert f"Exists already, the same: {home / 'dags' / DAGS[1]}" in said
    assert "It does not describe mainnet" in said
    assert "  mainnet:\n    relayer: FILL_IN" in said


def test_a_kept_configuration_is_compared_like_a_dag_file(home, capsys):
    config = home / "include" / "staking.yaml"
    airflow("init")
    config.write_text(config.read_text().replace("start_date: 20", "start_date: 19"))
    airflow("init")
    assert f"Exists already, the same: {config}" in capsys.readouterr().out, "another time of init is no difference"
    config.write_text(config.read_text().replace("history_depth: 84 ", "history_depth: 28 "))
    airflow("init")
    said = capsys.readouterr().out
    assert f"Kept, although it differs from the shipped file: {config}" in said
    assert "\n    -    history_depth: 28 " in said


# --- the next steps ---------------------------------------------------------------------------------------------------------


def test_the_network_of_the_simulator_leads_to_the_command_that_makes_its_connections(home, capsys):
    airflow("init")
    said = capsys.readouterr().out
    assert "Missing connections: staking_gateway_default, staking_signer_user, staking_signer_payer\n" in said
    assert "  airflow staking init --demo " in said
    assert "AIRFLOW_HOME" not in said


def test_beside_another_network_the_simulator_gets_a_folder_of_its_own(home, capsys):
    airflow("init", "--network", "mainnet")
    airflow("init")
    said = capsys.readouterr().out
    assert "  export AIRFLOW_HOME=EMPTY_FOLDER " in said
    assert said.index("AIRFLOW_HOME=") < said.index("  airflow staking init --demo ")


def test_connections_are_missing_by_the_names_in_the_file(home, capsys, connect):
    airflow("init", "--network", "mainnet")
    config = home / "include" / "staking.yaml"
    config.write_text(config.read_text().replace(": staking_signer_mainnet_user", ": our_vault"))
    connect("staking_gateway_mainnet", conn_type="staking_gateway", host="https://gateway.example")
    capsys.readouterr()
    airflow("init", "--network", "mainnet")
    said = capsys.readouterr().out
    assert "Missing connections: our_vault, staking_signer_mainnet_payer\n" in said
    assert "connections add our_vault --conn-type staking_signer" in said
    assert "connections add staking_gateway_mainnet" not in said


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


def test_its_result_is_machine_readable(home, capsys):
    airflow("init", "--output", "json")
    told = json.loads(capsys.readouterr().out)
    assert (told["network"], len(told["written"]), told["kept"]) == ("devnet", 5, {})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--network", "Main Net"], "network: this is not a network name. Use up to 40 of a-z, 0-9 and _"),
        (
            ["--network", "mainnet", "--demo"],
            "network: the demo has the network devnet, not mainnet. Leave out --network",
        ),
        (["--demo", "--no-dags"], "no_dags: the demo needs the DAG files. Leave out --no-dags"),
    ],
)
def test_bad_words_are_refused_before_anything_is_written(home, words, says):
    with pytest.raises(SystemExit, match=says):
        airflow("init", *words)
    assert everything(home) == {}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("STAKING_GATEWAY_CONFIG", "STAKING_GATEWAY_CONFIG"),
        ("AIRFLOW__STAKING_GATEWAY__CONFIG_FILE", r"\[staking_gateway\] config_file"),
        ("AIRFLOW__CORE__DAGS_FOLDER", r"\[core\] dags_folder"),
    ],
)
def test_a_home_directory_that_is_unknown_is_refused_by_the_setting(home, monkeypatch, name, field):
    if name.startswith("AIRFLOW__S"):
        monkeypatch.delenv("STAKING_GATEWAY_CONFIG")
    monkeypatch.setenv(name, "~nobody-here/files")
    with pytest.raises(SystemExit, match=rf"{field}: ~nobody-here/files begins with .* Write the whole path"):
        airflow("init")
    assert everything(home) == {}


def test_the_demo_disturbs_no_other_network(home):
    airflow("init", "--network", "mainnet")
    with pytest.raises(SystemExit, match=r"describes other networks\. Set AIRFLOW_HOME to an empty folder"):
        airflow("init", "--demo")


REAL = {"host": "https://gateway.example", "password": "issued"}


@pytest.mark.parametrize(
    ("conn_id", "fields"),
    [
        ("staking_gateway_default", {"conn_type": "staking_gateway", **REAL}),
        ("staking_gateway_default", {"conn_type": "staking_gateway", **REAL, "host": "http://127.0.0.1:8650"}),
        ("substrate_devnet", {"conn_type": "substrate", "host": "wss://node.example"}),
    ],
    ids=["gateway", "tunnel", "node"],
)
@pytest.mark.parametrize("place", ["variable", "database"])
def test_the_demo_calls_no_gateway_or_node_of_an_existing_connection(  # noqa: PLR0917 - fixtures
    home, connect, airflow_db, place, conn_id, fields
):
    from airflow.models import Connection
    from airflow.utils.session import create_session
    from sqlalchemy import delete

    if place == "variable":
        connect(conn_id, **fields)
    else:
        with create_session() as session:
            session.add(Connection(conn_id=conn_id, **fields))
    try:
        with pytest.raises(
            SystemExit, match=rf"connection {conn_id} does not lead .*unset AIRFLOW_CONN_{conn_id.upper()}"
        ):
            airflow("init", "--demo")
    finally:
        with create_session() as session:
            session.execute(delete(Connection).where(Connection.conn_id == conn_id))
    assert everything(home) == {}


def test_the_demo_reads_no_other_node_that_its_gateway_names(home, connect):
    fields = {"host": "http://127.0.0.1:8650", "password": "simulator-token", "extra": {"node_conn_id": "our_node"}}
    connect("staking_gateway_default", conn_type="staking_gateway", **fields)
    connect("our_node", conn_type="substrate", host="wss://node.example")
    with pytest.raises(SystemExit, match=r"connection our_node does not lead "):
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
        url = devnet._make_connections()
        assert devnet._make_connections() == devnet._simulator_url() == url
    finally:
        with create_session() as session:
            session.execute(delete(Connection))


def test_the_demo_takes_no_other_program_on_its_port_for_its_simulator(simulator, tmp_path, monkeypatch):
    """Such as the simulator of another demo."""
    monkeypatch.setattr(devnet, "airflow_home", lambda: tmp_path)
    with pytest.raises(StakingGatewayError, match=f"did not start at {simulator.url}.* end that program"):
        devnet._start_simulator(simulator.url)
    assert not (tmp_path / "staking_simulator.pid").exists()


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")  # on purpose
def test_the_demo_finds_its_running_simulator(tmp_path, monkeypatch):
    monkeypatch.setattr(devnet, "airflow_home", lambda: tmp_path)
    monkeypatch.setattr(devnet, "PORT", 0)
    url = f"http://127.0.0.1:{devnet._free_port()}"
    pid = devnet._start_simulator(url)
    try:
        assert devnet._start_simulator(url) == pid == int((tmp_path / "staking_simulator.pid").read_text())
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def test_a_place_that_cannot_be_written_is_named_and_nothing_is_written(home):
    (home / "dags").write_text("a file")
    with pytest.raises(SystemExit, match=rf"{home / 'dags'}: is no folder\. Make it a writable folder"):
        airflow("init")
    assert set(everything(home)) == {"dags"}


def test_the_remedy_for_a_read_only_folder_of_dags_can_be_followed(home, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", "/proc/dags")  # read-only for root, too
    with pytest.raises(SystemExit, match=r"/proc/dags: cannot be written \(No such file ") as refused:
        airflow("init", "--network", "mainnet")
    assert everything(home) == {}
    remedy = str(refused.value).partition("Without DAG files: airflow staking ")[2].splitlines()[0]
    airflow(*remedy.split())
    assert "mainnet:" in everything(home)["include/staking.yaml"]


def test_the_demo_is_not_led_away_from_its_dags(home, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", "/proc/dags")
    with pytest.raises(SystemExit, match="AIRFLOW__CORE__DAGS_FOLDER") as refused:
        airflow("init", "--demo")
    assert "--no-dags" not in str(refused.value)


def test_the_demo_unpauses_its_dags_and_fails_without_them(airflow_db, monkeypatch):
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.utils.session import create_session
    from sqlalchemy import delete, select

    for step, result in {"_airflow": None, "_make_connections": "http://127.0.0.1:1", "_start_simulator": 1}.items():
        monkeypatch.setattr(devnet, step, lambda *_, result=result: result)
    ours = DagModel.dag_id.in_(["staking_payout_devnet", "staking_catch_up_devnet"])
    with create_session() as session:
        session.execute(delete(DagModel).where(ours))
    told = []
    with pytest.raises(
        StakingGatewayError, match=r"staking_catch_up_devnet and staking_payout_devnet.*list-import-err"
    ):
        devnet.start(told.append)
    with create_session() as session:
        session.merge(DagBundleModel(name="ours"))
        session.flush()
        for dag_id in ("staking_payout_devnet", "staking_catch_up_devnet"):
            session.add(DagModel(dag_id=dag_id, bundle_name="ours", is_stale=False, is_paused=True))
    try:
        for _again in range(2):
            devnet.start(told.append)
            with create_session() as session:
                assert session.scalars(select(DagModel.is_paused).where(ours)).all() == [False, False]
    finally:
        with create_session() as session:
            session.execute(delete(DagModel).where(ours))


def test_a_link_that_leads_nowhere_is_neither_followed_nor_replaced(home):
    link = home / "dags" / DAGS[0]
    link.parent.mkdir()
    link.symlink_to(home / "elsewhere.py")
    with pytest.raises(SystemExit, match=rf"{link}: exists, and cannot be read \(No such file"):
        airflow("init")
    assert link.is_symlink()
    assert not (home / "elsewhere.py").exists()
