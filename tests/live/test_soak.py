"""Eras of several networks in a world where everything goes wrong now and then: ERAS=n of them, judged by the simulator's truth.

An era whose witnesses disagree waits for a person. After the faults a person follows the runbook: reads the era's history, compares it
with the chain, and types `airflow staking pay --again` for an era that is unpaid. At most one era in `ERAS_PER_PERSON` may need this.

Why live: only a whole Airflow under load, with faults of gateway, chain and ledger and with kills at random moments, shows what the other
suites do not stage. `make live ONLY=soak ERAS=270` takes an hour; SEED=n repeats the faults of the gateways, and the kills.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.ledger import PayoutState
from staking_gateway.payout.outcomes import Hold
from staking_gateway_simulator.faults import FAULTS
from tests.live.network import ACTIVE, ENDED, Network
from tests.live.stand import HERE, PATIENCE, PROGRAMS, Stand

ERAS = int(os.environ.get("ERAS") or 24)
"""Of all networks together."""
SEED = int(os.environ.get("SEED") or time.time())
NAMES = ("alpha", "beta", "gamma")
ERA_LENGTH = timedelta(seconds=40)
CHANCE = 0.01
"""Of each fault, at each call that it can happen to."""
LAG = 3
"""Seconds, also of finality: what the settings say, and no read is as late or as far ahead."""
SECOND_SIGNER = ("staking-nonce-before", "staking-nonce-after")
"""Somebody else signs for the user, which `docs/assumptions.md` excludes: it then shows, by two nonces and with no read that is ahead."""
FALSE_WORD = "early-processed"
"""It ends before the second look at a passed nonce; `docs/assumptions.md` excludes a later one."""
STORAGE_CHANCE = 0.01
"""Of a fault of the ledger's database, before each write, at each commit, and after it."""
KILL_EVERY = 60
"""Seconds."""
PERSON_COMES_AFTER = 2 * ERA_LENGTH
"""The catch-up has looked meanwhile."""
ERAS_PER_PERSON = 10
DEPTH = 1000
"""Eras: a person comes when the faults are over, and no era may be lost until then."""


class Soaked(Network):
    """A network whose `eras` are judged; later ones may be in the making.

    :param beside: more faults of its simulator.
    :ivar held: the eras that a person looked up, and whether the chain had paid them by then.
    """

    def __init__(self, name, beside):
        seconds = {"lag": f"{LAG}s", "finalized_within": f"{LAG}s", "poll_interval": "1s"}
        chain = {"unpaid-eras": 1, "window": 5, "fault-seed": SEED, "history-depth": DEPTH}
        super().__init__(name, era_length=ERA_LENGTH, chain=chain, catch_up={"interval": "40s"}, timing=seconds)
        self.settings |= {"start_date": self.start.isoformat(), "history_depth": DEPTH}
        self.held, self._beside = {}, beside

    def program(self):
        return [*super().program(), "--faults", self._beside]

    def records(self):
        """What the ledger has of each judged era."""
        with self.stand.ledger() as ledger:
            return ledger.payouts_of(self.name, self.eras)

    def unsettled(self):
        """The judged eras that are neither paid nor wait for a person, each with its state."""
        records = self.records()
        return {
            era: [f"{part.state.value} {part.hold} {part.reason}" for part in records.get(era, [])]
            for era in self.eras
            if era not in records or not all(part.state.settled or _waits_for_a_person(part) for part in records[era])
        }

    def ask_a_person(self):
        """Let a person decide about each era that waits for one, as the runbook says."""
        for era, parts in self.records().items():
            if all(part.state.settled for part in parts):
                continue
            network = ("--network", self.name)
            assert self.staking("why", *network, "--era", str(era)).returncode == 0
            pending = [request for request in self.requested(era) if request["ended_at"] is None]
            assert not pending, f"era {era} is held, and may still be paid: {pending}"
            self.held[era] = bool(self.executed()[era])
            print(f"{self.name}: era {era} is {'paid' if self.held[era] else 'unpaid'}: {parts}")  # noqa: T201
            if not self.held[era]:
                paid = self.staking("pay", *network, "--eras", str(era), "--again", "--yes")
                assert paid.returncode == 0, paid.stdout + paid.stderr

    def staking(self, *words):
        """Run `airflow staking ...` where the ledger does not fail."""
        return self.stand.run("staking", *words, STORAGE_FAULTS="0")

    def runs_of_eras(self):
        return [run for run in self.runs() if int(run["partition_key"]) in self.eras]


def _waits_for_a_person(part):
    held = part.hold in (Hold.CHARGED.value, Hold.CONTRADICTION.value)
    return held and part.updated_at <= datetime.now(timezone.utc) - PERSON_COMES_AFTER


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    """The networks, after so many eras of each were paid among faults and kills, and all runs have ended."""
    late, ahead = (f"{fault}:probability={CHANCE}:seconds={LAG - 1}" for fault in ("nonce-stale", "nonce-ahead"))
    second = ",".join(f"{fault}:probability={CHANCE}:by=2" for fault in SECOND_SIGNER)
    networks = [Soaked(name, second if name == NAMES[0] else ahead) for name in NAMES]
    others = FAULTS.keys() - {"nonce-stale", "nonce-ahead", FALSE_WORD, *SECOND_SIGNER}
    faults = [
        late,
        f"{FALSE_WORD}:probability={CHANCE}:seconds={LAG}",
        *(f"{fault}:probability={CHANCE}" for fault in sorted(others)),
    ]
    chance = random.Random(SEED)
    print(f"SEED={SEED}")  # noqa: T201
    with Stand(tmp_path_factory.mktemp("soak"), networks, database="postgresql", faults=faults) as stand:
        log = stand.folder / "storage-faults.log"
        given = {"PYTHONPATH": HERE / "deadly", "STORAGE_FAULTS": STORAGE_CHANCE, "STORAGE_FAULTS_LOG": log}
        stand.environment |= {name: str(value) for name, value in given.items()}
        stand.start()
        for network in networks:
            for dag_id in (network.dag_id, network.catch_up_dag_id):
                stand.api.unpause(dag_id)
        suffer(stand, networks, chance)
        stand.storage_faults = Counter(log.read_text().splitlines())
        print(stand.storage_faults)  # noqa: T201
        yield stand


def suffer(stand, networks, chance):
    """Kill a program now and then until the eras are over; then let everything be paid, and ask a person about what is held."""
    each = -(-ERAS // len(networks))
    victims, next_kill = [*PROGRAMS["local"], *NAMES], time.monotonic() + KILL_EVERY

    def over():
        nonlocal next_kill
        if time.monotonic() > next_kill:
            victim = chance.choice(victims)
            stand.kill(victim)
            stand.start(victim)
            next_kill = time.monotonic() + KILL_EVERY
        return all(network.active() >= ACTIVE + each for network in networks)

    patience = PATIENCE + 2 * each * ERA_LENGTH.total_seconds()
    stand.wait(over, "the eras are over", lambda: {network.name: network.active() for network in networks}, patience)
    for network in networks:
        network.control.set_faults()
        network.eras = range(ACTIVE, network.active())  # earlier ones started before the start_date
    for network in networks:
        network.wait(lambda n=network: not n.unsettled(), "all eras are paid, or wait for a person", network.unsettled)
        network.ask_a_person()
        network.wait(lambda n=network: {run["state"] for run in n.runs_of_eras()} <= ENDED, "all runs have ended")


@pytest.fixture(params=NAMES)
def network(stand, request):
    return stand.networks[request.param]


def test_the_ledgers_database_failed_before_and_after_commits(stand):
    assert {"committed, and the connection lost before the answer"} < {*stand.storage_faults}


def test_few_eras_needed_a_person(stand, capsys):
    eras = sum(len(network.eras) for network in stand.networks.values())
    held = [paid for network in stand.networks.values() for paid in network.held.values()]
    with capsys.disabled():
        print(f"\n{eras} eras; {len(held)} needed a person, of which {sum(held)} were paid")  # noqa: T201
    assert len(held) <= max(1, eras // ERAS_PER_PERSON)


def test_every_era_was_executed_once_and_every_fee_belongs_to_a_payout(network):
    executed, truth = network.executed(), network.control.truth()
    assert {era: executed[era] for era in network.eras} == dict.fromkeys(network.eras, 1)
    assert max(executed.values()) == 1
    assert not [span for span in truth["expired"] if span[1] >= min(network.eras)], (
        "older eras may expire in a long soak"
    )
    assert sum(int(payout["fee"]) for payout in truth["payouts"]) == int(truth["fees_charged"])


def test_the_ledger_has_what_the_chain_executed(network):
    executed = {payout["era"]: payout for payout in network.control.truth()["payouts"]}
    found = network.records()
    assert [*found] == [*network.eras]
    for era, (record,) in found.items():
        if network.held.get(era) or record.state is PayoutState.EMPTY:
            continue  # a person or the gateway says that it is paid; the ledger does not know by what
        theirs = executed[era]
        assert record.state is PayoutState.CONFIRMED, era
        numbers = (record.fee, record.last.staking_nonce, record.last.payment_nonce)
        assert numbers == tuple(int(theirs[name]) for name in ("fee", "staking_nonce", "payment_nonce")), era
        assert record.tx_hash in (theirs["tx_hash"], None), era


def test_a_green_run_has_its_era_paid_and_a_red_one_says_why(network):
    runs, executed = network.runs_of_eras(), network.executed()
    assert "success" in {run["state"] for run in runs}
    for run in runs:
        if run["state"] == "success":
            assert executed[int(run["partition_key"])] == 1
        else:
            tasks = network.api.tasks(network.dag_id, run["dag_run_id"])
            assert any(task["state"] == "failed" for task in tasks), run["dag_run_id"]
