"""Every fault there is, failures, retries, deferrals and alerts on a live Airflow; then no secret is found anywhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from faultynet import ACTIVE, NETWORK, OWED, PATIENCE, Faulty, rules, rules_of_the_payout

from staking_gateway_simulator.faults import FAULTS
from tests.support import leaks

COMMANDS = [
    ["staking", "doctor"],
    ["staking", "doctor", "--output", "json"],
    ["staking", "doctor", "--output", "plain"],
    ["staking", "plan", "--network", NETWORK],
    ["staking", "eras", "--network", NETWORK],
    ["staking", "ledger", "status"],
    ["staking", "ledger", "history", "--network", NETWORK, "--era", str(ACTIVE - 1)],
    ["staking", "status", "--network", NETWORK],
    *(["connections", "test", conn_id] for conn_id in ("issued_gateway", "refused_gateway", "gateway_away", "node_with_a_key")),
    *(["connections", "test", conn_id] for conn_id in ("signer_unreadable", "signer_of_another", "signer_misspelt", "signer_away")),
    ["staking", "pay", "--network", NETWORK, "--era", str(ACTIVE - 2)],
    ["tasks", "list", "careless"],
]  # fmt: skip


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """The network after its worst hour: each fault has struck, every careless task has failed."""
    faulty = Faulty(tmp_path_factory.mktemp("faulty"))
    try:
        with faulty.chain, faulty.stack:
            faulty.bring_up()
            faulty.deferred = suffer(faulty)
            yield faulty
    finally:
        faulty.close()


def suffer(faulty):
    """Run era after era until every fault has struck; what was found in the database while tasks were deferred."""
    api, control = faulty.stack.api, faulty.control
    control.set_faults(*rules_of_the_payout(), *rules(), seed=7)
    careless = api.trigger("careless")
    eras = iter(range(ACTIVE - 1, ACTIVE - OWED, -1))
    found, seen_deferred = {}, 0

    def missing():
        told = control.faults()
        left = [name for name in FAULTS if not told["counts"].get(name)]
        if left and all(rule["struck"] for rule in told["rules"]):  # some struck a call that was refused anyway
            control.set_faults(*rules(left, times=2), seed=7)
        return left

    def look():
        nonlocal seen_deferred
        active = [run for run in api.runs(faulty.dag_id) if run["state"] in ("queued", "running")]
        for _ in range(5 - len(active)):
            api.trigger(faulty.dag_id, str(next(eras)))
        if faulty.stack.api.call("GET", "pools/default_pool")["deferred_slots"]:
            seen_deferred += 1
            if seen_deferred < 6:
                found.update(secrets_in(faulty, leaks.triggers_hold))
        return not missing()

    faulty.wait(look, PATIENCE, "every fault has struck", missing)
    control.set_faults()
    faulty.wait(
        lambda: api.run("careless", careless)["state"] in ("failed", "success"),
        PATIENCE,
        "the careless tasks have ended",
    )
    faulty.wait(lambda: len(faulty.receiver.messages) > 1, PATIENCE, "alerts were told of")
    faulty.wait(lambda: faulty.control.truth()["payouts"], PATIENCE, "something was paid")
    assert seen_deferred, "nothing was ever deferred"
    return found


def secrets_in(faulty, search):
    """Names of the secrets, and where a search finds them in any spelling."""
    found = {}
    for name, secret in faulty.secrets.all().items():
        for spelling in leaks.spellings(secret):
            if where := search(faulty.stack.home, spelling):
                found[name, spelling.decode(errors="replace")] = where
    return found


def test_everything_that_can_go_wrong_went_wrong(net):
    api = net.stack.api
    states = {task["task_id"]: task["state"] for task in api.tasks("careless", api.runs("careless")[0]["dag_run_id"])}
    failed = {name for name, state in states.items() if state in ("failed", "up_for_retry")}
    assert failed >= {
        name for name in states if name.startswith(("look_at_", "pay_", "ask_refused", "ask_gateway_away"))
    }
    assert net.receiver.seen > len(net.receiver.messages)
    retried = [
        task
        for run in api.runs(net.dag_id)
        for task in api.tasks(net.dag_id, run["dag_run_id"])
        if task["try_number"] > 1
    ]
    assert retried


def test_no_secret_is_in_a_trigger_while_tasks_are_deferred(net):
    assert net.deferred == {}


def test_no_secret_is_in_any_log_or_any_other_file(net):
    assert secrets_in(net, leaks.found_in_files) == {}


def test_no_secret_is_in_airflows_database(net):
    assert secrets_in(net, leaks.found_in_database) == {}


def test_no_self_made_token_is_anywhere(net):
    """They begin with the same letters: base64 of `{"pk":`."""
    assert leaks.found_in_files(net.stack.home, b"eyJwayI6") == []
    assert leaks.found_in_database(net.stack.home, b"eyJwayI6") == []


def test_signatures_are_in_the_ledger_and_nowhere_else(net):
    signatures = leaks.ledger_signatures(net.stack.home)
    assert len(signatures) >= 2
    for signature in signatures:
        assert leaks.found_in_files(net.stack.home, signature, but=[leaks.LEDGER]) == []
        assert leaks.found_in_database(net.stack.home, signature) == []


def test_no_command_tells_a_secret(net):
    with ThreadPoolExecutor(3) as side_by_side:
        printed = side_by_side.map(lambda words: net.stack.run(*words, timeout=PATIENCE), COMMANDS)
    for words, done in zip(COMMANDS, printed, strict=True):
        told = (done.stdout + done.stderr).encode()
        assert told.strip(), words
        for name, secret in net.secrets.all().items():
            for spelling in leaks.spellings(secret):
                assert spelling not in told, (words, name)


def test_no_route_of_the_page_or_of_airflows_api_tells_a_secret(net):
    api = net.stack.api
    runs = [run["dag_run_id"] for run in api.runs(net.dag_id)][:2]
    paths = [
        "/staking/", "/staking/api/networks", f"/staking/api/networks/{NETWORK}/overview",
        f"/staking/api/networks/{NETWORK}/export.csv", "/api/v2/eventLogs?limit=100", "/api/v2/importErrors", "/api/v2/config",
        *(f"/api/v2/dags/{net.dag_id}/dagRuns/{run}/taskInstances/payout/xcomEntries/outcome" for run in runs),
        *(f"/api/v2/dags/{net.dag_id}/dagRuns/{run}/taskInstances/payout/logs/1" for run in runs),
    ]  # fmt: skip
    for path in paths:
        answer = api.page(path)
        assert answer, path
        for name, secret in net.secrets.all().items():
            for spelling in leaks.spellings(secret):
                assert spelling not in answer, (path, name)


def test_the_search_finds_what_is_there_in_every_spelling(net):
    known = NETWORK.encode()
    assert leaks.found_in_files(net.stack.home, known)
    assert leaks.found_in_database(net.stack.home, known)
    secret = "a-secret/with?odd=letters and more"
    for hidden in (
        secret.encode(), b"x" + leaks.base64.b64encode(secret.encode()), b"xx" + leaks.base64.b64encode(b"user:" + secret.encode()),
        secret.encode().hex().encode(), leaks.quote(secret, safe="").encode(), leaks.json.dumps(secret).encode(),
    ):  # fmt: skip
        assert any(spelling in hidden for spelling in leaks.spellings(secret)), hidden
