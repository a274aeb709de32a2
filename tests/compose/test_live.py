"""docker-compose.yml on a real engine: the demo pays without a click, nothing has rights it does not need, and what dies is made up for."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest
import requests
from composition import ROOT
from engine import run
from project import PAYOUT

ONCE = {"check", "databases", "migrate", "demo"}
SERVICES = (
    "api-server", "dag-processor", "flower", "postgres", "redis", "scheduler", "simulator", "triggerer", "worker",
)  # fmt: skip
PASSWORDS = {"postgres": "postgres_password", "airflow": "metadata_password", "staking_ledger": "ledger_password"}
"""Users of PostgreSQL and the secrets with their passwords."""


def paid_once(live, eras):
    """Whether the chain has executed one payout of each of these eras, and of no era more than one."""
    executed = live.executed()
    assert max(executed.values()) == 1, executed
    return all(executed[era] == 1 for era in eras)


def psql(live, user, database, sql, password=None):
    """What PostgreSQL answers a user, over the network as the containers reach it."""
    password = password or live.secrets()[PASSWORDS[user]]
    client = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--host", "postgres", "--username", user, database]
    container = live.container("postgres")["Id"]
    command = ["exec", "--env", f"PGPASSWORD={password}", container, *client, "--command", sql]
    return live.engine.docker(*command, check=False)


def test_the_demo_pays_its_first_era_without_a_click(live):
    assert paid_once(live, live.executed())
    states = {found["Config"]["Labels"]["com.docker.compose.service"]: found["State"] for found in live.containers()}
    assert {name for name, state in states.items() if state["Status"] == "exited"} == ONCE
    assert {states[name]["ExitCode"] for name in ONCE} == {0}
    api = live.api()
    runs = live.wait(
        lambda: [run for run in api.runs(PAYOUT) if run["state"] in ("success", "failed")], "a run has ended"
    )
    assert {run["state"] for run in runs} == {"success"}


@pytest.mark.parametrize("service", SERVICES)
def test_a_container_works_without_root_and_writes_nothing_into_its_image(live, service):
    live.wait(lambda: live.healthy(service), f"{service} works")
    containers = live.containers(service, running=True)
    assert len(containers) == (2 if service == "worker" else 1)
    for found in containers:
        users = live.engine.docker("top", found["Id"], "-eo", "uid,pid").stdout.split()[2::2]
        assert users
        assert "0" not in users
        assert live.engine.docker("exec", found["Id"], "touch", "/written", check=False).returncode != 0


def test_no_secret_is_seen_in_what_docker_tells_or_in_a_log(live):
    secrets = live.secrets()
    assert len(secrets) == 9
    told = {"image": live.engine.docker("image", "inspect", live.container("scheduler")["Image"]).stdout}
    told["history"] = live.engine.docker("history", "--no-trunc", live.container("scheduler")["Image"]).stdout
    for found in live.containers():
        logs = live.engine.docker("logs", found["Id"])
        told[found["Name"]] = json.dumps(found)
        told[f"{found['Name']}, log"] = logs.stdout + logs.stderr
        if found["State"]["Running"]:
            told[f"{found['Name']}, processes"] = live.engine.docker("top", found["Id"], "-eo", "pid,args").stdout
    assert sum(map(len, told.values())) > 100_000
    assert [(place, name) for place, text in told.items() for name, value in secrets.items() if value in text] == []


def test_the_image_holds_what_runs_and_nothing_else(live):
    image = live.container("scheduler")["Image"]
    run_once = ("run", "--rm", "--network", "none")
    unwanted = [".env", ".git", "pip.conf", "ca.crt", "uv", "pytest", "mypy", "tests"]
    names = [word for name in unwanted for word in ("-o", "-name", name)]
    folders = ("/opt/staking", "/opt/airflow/bin", "/home", "/etc", "/run", "/root", "/src", "/opt/uv")
    search = ("find", *folders, "-path", "/run/secrets/*")
    found = live.engine.docker(*run_once, "--user", "0", image, *search, *names, check=False).stdout
    assert found == ""
    assert live.engine.inspect(image)[0]["Config"]["User"] == "50000:50000"
    where = "import staking_gateway; print(staking_gateway.__file__)"
    assert "site-packages" in live.engine.docker(*run_once, image, "python", "-c", where).stdout


@pytest.mark.parametrize(("user", "other"), [("airflow", "staking_ledger"), ("staking_ledger", "airflow")])
def test_neither_database_user_reaches_the_others_database(live, user, other):
    for database in (other, "postgres", "template1"):
        refused = psql(live, user, database, "SELECT 1")
        assert refused.returncode != 0
        assert f'permission denied for database "{database}"' in refused.stderr
    assert int(psql(live, user, user, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").stdout) > 2
    assert psql(live, user, user, "CREATE ROLE another").returncode != 0
    assert psql(live, user, user, "CREATE DATABASE another").returncode != 0
    owners = "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'public'"
    assert psql(live, "postgres", user, owners).stdout.split() == [user]
    wrong = "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    assert psql(live, user, user, wrong).stdout.strip() == "f"


def test_redis_answers_nobody_without_the_password(live):
    assert "NOAUTH" in live.execute("redis", "redis-cli", "ping")


def test_flower_shows_its_page_to_those_who_log_in(live):
    url = f"http://127.0.0.1:{live.flower_port}/api/workers"
    assert requests.get(url, timeout=60).status_code == 401
    login = ("admin", live.secrets()["flower_password"])

    def workers():
        answer = requests.get(url, auth=login, params={"refresh": "1"}, timeout=60)
        assert answer.status_code == 200
        return len(answer.json()) == 2

    live.wait(workers, "it has heard of both workers")


def test_the_command_line_answers_in_a_container_of_its_own(live):
    told = live.compose(
        "run", "--rm", "cli", "staking", "ledger", "history", "--network", "devnet", "--era", str(min(live.executed()))
    )
    assert "CONFIRMED" in told.stdout


def test_after_a_crash_of_everything_at_once_payouts_go_on_by_themselves(live):
    before = {found["Id"]: found for found in live.containers(running=True)}
    for found in before.values():
        os.kill(found["State"]["Pid"], signal.SIGKILL)

    def back():
        after = live.engine.inspect(*before)
        return all(found["RestartCount"] > before[found["Id"]]["RestartCount"] for found in after) and live.healthy()

    live.wait(back, "Docker has started everything again, and it works")
    assert {found["Id"] for found in live.containers(running=True)} == before.keys()
    active = live.control.state()["active_era"]
    live.wait(lambda: any(era >= active for era in live.executed()), "payouts go on")
    assert paid_once(live, live.executed())


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
    assert len({old[name] for name in old} - set(live.secrets().values())) == 3
    live.up("--force-recreate")
    live.wait(live.healthy, "every container is healthy")
    active = live.control.state()["active_era"]
    live.wait(lambda: any(era >= active for era in live.executed()), "payouts go on")
    assert paid_once(live, live.executed())
    assert psql(live, "airflow", "airflow", "SELECT 1").stdout.strip() == "1"
    assert (
        "password authentication failed"
        in psql(live, "airflow", "airflow", "SELECT 1", old["metadata_password"]).stderr
    )
