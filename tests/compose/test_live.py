"""docker-compose.yml on a real engine: the demo pays without a click, nothing has rights it does not need, and what dies is made up for."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest
import requests
from composition import LASTING, ROOT
from engine import run

PASSWORDS = {"postgres": "postgres_password", "airflow": "metadata_password", "staking_ledger": "ledger_password"}
"""Users of PostgreSQL and the secrets with their passwords."""
RIGHTS = "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


def paid_once(live):
    """Whether the chain has executed no more than one payout of each era."""
    executed = live.executed()
    return bool(executed) and set(executed.values()) == {1}


def wait_for_new_payouts(live):
    """Wait until an era is paid that is not older than the present one; each is paid once."""
    active = live.simulator("state")["active_era"]
    live.wait(lambda: any(era >= active for era in live.executed()), "payouts go on")
    assert paid_once(live)


def psql(live, user, database, sql, password=None):
    """What PostgreSQL answers a user, over the network as the containers reach it."""
    password = password or live.secrets()[PASSWORDS[user]]
    client = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--host", "postgres", "--username", user, database]
    command = ["exec", "--env", f"PGPASSWORD={password}", live.container("postgres")["Id"], *client, "--command", sql]
    return live.engine.docker(*command, check=False)


def test_the_demo_pays_its_first_era_without_a_click(live):
    assert paid_once(live)
    states = {found["Config"]["Labels"]["com.docker.compose.service"]: found["State"] for found in live.containers()}
    ended = {name: state["ExitCode"] for name, state in states.items() if state["Status"] == "exited"}
    assert ended == dict.fromkeys(("check", "databases", "migrate", "demo"), 0)
    api = live.api()

    def runs():
        return [one["state"] for one in api.runs("staking_payout_devnet") if one["state"] in ("success", "failed")]

    assert set(live.wait(runs, "a run has ended")) == {"success"}
    words = ("staking", "why", "--network", "devnet", "--era", str(min(live.executed())))
    live.wait(lambda: "devnet: paid" in live.compose("run", "--rm", "cli", *words).stdout, "the first era is paid")


@pytest.mark.parametrize("service", LASTING)
def test_a_container_works_without_root_and_writes_nothing_into_its_image(live, service):
    live.wait(lambda: live.healthy(service), f"{service} works")
    containers = live.containers(service, running=True)
    assert len(containers) == (2 if service == "worker" else 1)
    for found in containers:
        users = live.engine.docker("top", found["Id"], "-eo", "uid,pid").stdout.split()[2::2]
        assert users
        assert "0" not in users
        assert live.engine.docker("exec", found["Id"], "touch", "/written", check=False).returncode != 0


def test_no_secret_is_seen_in_what_docker_shows_or_in_a_log(live):
    secrets = live.secrets()
    assert len(secrets) == 9
    image = live.container("scheduler")["Image"]
    shown = {"image": live.engine.docker("image", "inspect", image).stdout}
    shown["history"] = live.engine.docker("history", "--no-trunc", image).stdout
    for found in live.containers():
        logs = live.engine.docker("logs", found["Id"])
        shown[found["Name"]] = json.dumps(found)
        shown[f"{found['Name']}, log"] = logs.stdout + logs.stderr
        if found["State"]["Running"]:
            shown[f"{found['Name']}, processes"] = live.engine.docker("top", found["Id"], "-eo", "pid,args").stdout
    assert sum(map(len, shown.values())) > 100_000
    assert [(place, name) for place, text in shown.items() for name, value in secrets.items() if value in text] == []


@pytest.mark.parametrize(("user", "other"), [("airflow", "staking_ledger"), ("staking_ledger", "airflow")])
def test_neither_database_user_reaches_the_others_database(live, user, other):
    for database in (other, "postgres", "template1"):
        refused = psql(live, user, database, "SELECT 1")
        assert f'permission denied for database "{database}"' in refused.stderr
    assert int(psql(live, user, user, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").stdout) > 2
    assert psql(live, user, user, RIGHTS).stdout.strip() == "f"
    owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
    assert psql(live, "postgres", user, owners).stdout.split() == [user]


def test_redis_and_flower_answer_nobody_without_the_password(live):
    assert "NOAUTH" in live.execute("redis", "redis-cli", "ping")
    url = f"http://127.0.0.1:{live.flower_port}/api/workers"
    assert requests.get(url, timeout=60).status_code == 401
    login = ("admin", live.secrets()["flower_password"])
    assert requests.get(url, auth=login, timeout=60).status_code == 200


def test_after_a_crash_of_everything_at_once_payouts_go_on_by_themselves(live):
    before = {found["Id"]: found for found in live.containers(running=True)}
    for found in before.values():
        os.kill(found["State"]["Pid"], signal.SIGKILL)

    def back():
        after = live.engine.inspect(*before)
        return all(found["RestartCount"] > before[found["Id"]]["RestartCount"] for found in after) and live.healthy()

    live.wait(back, "Docker has started everything again, and it works")
    assert {found["Id"] for found in live.containers(running=True)} == before.keys()
    wait_for_new_payouts(live)


def test_the_ledger_is_backed_up_as_the_page_says(live):
    page = (ROOT / "docs/deploy.md").read_text()
    command = re.search(r"exec -T postgres sh -c '([^']+)' >", page)[1]
    listed = live.execute("postgres", "sh", "-c", f"{command} | pg_restore --list")
    assert "TABLE DATA public payouts staking_ledger" in listed


def test_a_password_is_changed_by_changing_its_file(live):
    old = live.secrets()
    for name in ("metadata_password", "redis_password", "jwt_secret"):
        (live.folder / "secrets" / name).unlink()
    run("deploy/compose/prepare", cwd=live.folder)
    assert len(set(old.values()) - set(live.secrets().values())) == 3
    live.up("--force-recreate")
    live.wait(live.healthy, "every container is healthy")
    wait_for_new_payouts(live)
    assert psql(live, "airflow", "airflow", "SELECT 1").stdout.strip() == "1"
    refused = psql(live, "airflow", "airflow", "SELECT 1", old["metadata_password"])
    assert "password authentication failed" in refused.stderr
