"""The check of all networks: it reports what keeps the payout DAGs from alerting, to the known receivers."""

import json
from datetime import timedelta

import pytest
from dag_files import WATCH, allow_nothing_but_files, dags_of
from names import BOB, DAVE, ERA, NETWORK, hourly, network_settings
from tasks import Task, TaskInstance

from staking_gateway.catch_up import WATCHED_FROM
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.health.state import AirflowFacts
from staking_gateway.problem import Topic
from staking_gateway_provider.operators.watch import StakingWatchOperator, reported_programs, with_dags
from tests.contract.faults import status
from tests.support.notifiers import webhook


@pytest.fixture
def calendar():
    """A calendar in which ERA ended 45 minutes ago; eras last an hour."""
    return hourly(minutes=45)


@pytest.fixture
def write(gateway, connect, broken, calendar, tmp_path, monkeypatch):  # noqa: PLR0917 - fixtures
    """Writes the configuration file; its networks send to a webhook."""
    broken.script = [status("200 OK")]
    monkeypatch.setattr(NetworkConfig, "alerts_clear_after", timedelta(0))
    connect("hook", conn_type="http", host=f"{broken.url}/hook")
    monkeypatch.setenv("STAKING_GATEWAY_CONFIG", str(tmp_path / "staking.yaml"))

    def to_file(networks, **top):
        alerts = {"notifiers": [webhook()]}
        written = {
            name: {"calendar": calendar, "alerts": alerts, **settings} if isinstance(settings, dict) else settings
            for name, settings in networks.items()
        }
        (tmp_path / "staking.yaml").write_text(json.dumps({"networks": written, **top}))

    return to_file


@pytest.fixture
def watch():
    """Runs the check, as the same DAG does from run to run."""
    ti = TaskInstance("scheduled__1")

    def run():
        return Task(StakingWatchOperator(task_id="watch"), ti=ti).run()

    run.ti = ti
    return run


def network(**settings):
    return {name: value for name, value in network_settings(**settings).items() if name != "calendar"}


def titles(server):
    return [request.json["staking_alert"]["title"] for request in server.requests]


def expect(ledger, name=NETWORK):
    """The installation should pay ERA."""
    ledger.journal.note_once(name, ERA, WATCHED_FROM, "from here on")


def test_a_missing_connection_is_reported_at_once_and_its_end(write, watch, broken):
    write({NETWORK: network(gateway_conn_id="nowhere")})
    assert watch() == {NETWORK: 1}
    assert watch() == {NETWORK: 1}
    (request,) = broken.requests
    told = request.json["staking_alert"]
    assert told["title"] == f"[{NETWORK}] A connection is missing: nothing is paid"
    assert (told["kind"], told["runbook"]) == ("blocked", "connection-missing")
    assert "nowhere" in told["cause"]
    assert told["help"].endswith("/help#connection-missing")
    assert request.json["text"].splitlines()[-1].startswith("Help: ")
    write({NETWORK: network()})
    watch()
    watch()
    assert titles(broken)[1:] == [f"[{NETWORK}] A connection is missing: nothing is paid: over"]


class TestMistakes:
    BAD = network(user=DAVE, payer=BOB, payot={"parts": 2})

    def test_go_to_the_receivers_of_their_network_once_and_the_task_is_red_meanwhile(self, write, watch, broken):
        write({"good": network(), "bad": self.BAD})
        for _ in range(2):
            with pytest.raises(ConfigError, match=r"networks\.bad\.payot"):
                watch()
        (request,) = broken.requests
        told = request.json["staking_alert"]
        assert told["title"] == "[bad] staking.yaml has a mistake: nothing is paid"
        assert (told["cause"], told["next_step"]) == ("networks.bad.payot: unknown key", "Did you mean payout?")
        write({"good": network(), "bad": network(user=DAVE, payer=BOB)})
        watch()
        assert titles(broken)[1:] == ["[bad] staking.yaml has a mistake: nothing is paid: over"]

    @pytest.mark.parametrize("text", ["networks: [", None])
    def test_of_the_whole_file_go_to_all_receivers_of_the_last_run_once_or_else_to_the_log(  # noqa: PLR0917 - fixtures
        self, write, watch, broken, tmp_path, caplog, text
    ):
        both = {"one": network(), "two": network(user=DAVE, payer=BOB)}
        (tmp_path / "staking.yaml").write_text("networks: [")
        with pytest.raises(ConfigError):
            watch()
        assert "No receiver is known yet" in caplog.text
        write(both)
        watch()
        file = tmp_path / "staking.yaml"
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        for _ in range(2):
            with pytest.raises(ConfigError):
                watch()
        write(both)
        watch()
        assert titles(broken) == [
            "[all networks] staking.yaml has a mistake: nothing is paid",
            "[all networks] staking.yaml has a mistake: nothing is paid: over",
        ]


def test_a_receiver_that_fails_makes_the_task_red_after_all_networks_were_checked(write, watch, broken):
    broken.script = [status("400 Bad Request", b"no")] * 2 + [status("200 OK")]
    two = network(user=DAVE, payer=BOB, gateway_conn_id="neither")
    write({"one": network(gateway_conn_id="nowhere"), "two": two})
    with pytest.raises(StakingGatewayError, match="2 messages are not sent yet"):
        watch()
    assert watch() == {"one": 1, "two": 1}
    assert len(titles(broken)) == 4


def test_messages_of_a_network_that_left_the_settings_go_to_the_others_receivers(write, watch, broken, ledger):
    expect(ledger)
    write({NETWORK: network()})
    broken.script = [status("500 Internal Server Error")]
    with pytest.raises(StakingGatewayError, match="not sent yet"):
        watch()
    broken.script, told = [status("200 OK")], titles(broken)
    write({"other": network()})
    watch()
    assert told[0] in titles(broken)[len(told) :]


class TestPrograms:
    @pytest.fixture
    def api(self, server, monkeypatch):
        """An API server that reports the programs."""
        monkeypatch.setenv("AIRFLOW__CORE__EXECUTION_API_SERVER_URL", f"{server.url}/execution/")
        return server

    def says(self, api, **changed):
        health = {
            "metadatabase": {"status": "healthy"},
            "scheduler": {"status": "healthy", "latest_scheduler_heartbeat": "2026-11-01T10:00:00+00:00"},
            "triggerer": {"status": "healthy", "latest_triggerer_heartbeat": "2026-11-01T10:00:00+00:00"},
        }
        body = json.dumps({**health, **changed}).encode()
        api.script = [lambda exchange: exchange.answer(body)]

    @pytest.mark.parametrize("is_paused", [True, False])
    def test_a_late_era_of_a_paused_dag_is_reported_with_that_cause(  # noqa: PLR0917 - fixtures
        self, write, watch, broken, ledger, api, is_paused
    ):
        self.says(api)
        write({NETWORK: network()})
        expect(ledger)
        watch.ti.paused.update({f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"} if is_paused else ())
        facts = with_dags(AirflowFacts(), NETWORK, {"ti": watch.ti})
        assert (facts.paused, facts.catch_up_paused) == (is_paused, is_paused)
        watch()
        (told,) = [request.json["staking_alert"] for request in broken.requests]
        assert (told["kind"], told["era"]) == (("blocked", None) if is_paused else ("not_paid", ERA))
        topic = Topic.PAUSED if is_paused else Topic.UNPAID
        assert (told["runbook"], told["next_step"].partition(". ")[0]) == (topic.anchor, topic.remedy)

    @pytest.mark.parametrize(
        ("answer", "dead"),
        [
            ({}, set()),
            ({"triggerer": {"status": None}}, {Topic.TRIGGERER_DEAD}),
            ({"scheduler": {"status": "unhealthy"}}, {Topic.SCHEDULER_DEAD}),
            ({"metadatabase": {"status": "unhealthy"}}, None),
            ({"scheduler": None}, None),
        ],
    )
    def test_are_known_by_the_api_servers_report(self, api, answer, dead):
        self.says(api, **answer)
        found = reported_programs()
        assert (None if found is None else set(found.dead)) == dead


class TestDag:
    @pytest.mark.parametrize(("length", "minutes"), [("20s", 1), ("6m", 6), ("6h", 15)])
    def test_runs_once_in_the_shortest_era_between_a_minute_and_a_quarter_of_an_hour(self, write, length, minutes):
        anchors = [{"era": 0, "start": "2026-01-01T00:00:00Z"}]
        long, short = ({"era_length": one, "anchors": anchors} for one in ("7d", length))
        off = {**network(), "calendar": {**short, "era_length": "1m"}, "enabled": False}
        two = {**network(user=DAVE, payer=BOB), "calendar": short}
        write({"one": {**network(), "calendar": long}, "two": two, "off": off})
        dag = dags_of(WATCH)["staking_watch"]
        assert dag.timetable.delta == timedelta(minutes=minutes)
        assert (dag.catchup, dag.max_active_runs, dag.is_paused_upon_creation) == (False, 1, False)
        assert [task.task_id for task in dag.tasks] == ["watch"]

    @pytest.mark.parametrize("text", ["networks: [", '{"networks": {"bad": {}}}', '{"networks": {}, "x": 1}'])
    def test_is_there_whatever_staking_yaml_says(self, write, tmp_path, monkeypatch, text):
        (tmp_path / "staking.yaml").write_text(text)
        allow_nothing_but_files(monkeypatch)
        (dag,) = dags_of(WATCH).values()
        assert dag.timetable.delta == timedelta(minutes=1)


class TestNotifiers:
    """`alerts.notifiers` of `staking.yaml`."""

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            ({"class": "tests.support.notifiers.Nothing"}, r"notifiers\[1\]\.class: .* cannot be imported"),
            ({"class": "pathlib.Path"}, r"\.class: pathlib\.Path is not a notifier"),
            ({"class": "tests.support.notifiers.FileNotifier", "pth": "x"}, r"notifiers\[1\]: .* refuses .*: .*pth"),
        ],
    )
    def test_with_a_mistake_are_named_and_the_others_get_the_message(self, write, watch, broken, entry, told):
        write({NETWORK: network(gateway_conn_id="nowhere", alerts={"notifiers": [webhook(), entry]})})
        with pytest.raises(StakingGatewayError, match=told):
            watch()
        assert broken.count == 1
