"""What is left when a soak is over, from four sides: the simulator's truth, the ledger, Airflow's runs, and the alerts that were sent."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from benchmarks.soak.network import Network
    from benchmarks.soak.stand import Stand
    from staking_gateway.eras.calendar import EraCalendar
    from staking_gateway.ledger import Payout
    from staking_gateway.ledger.records import AccountStatus, PayoutEvent

_FORGOTTEN = """
SELECT count(*) FROM trigger
WHERE created_date < now() - interval '5 minutes'
AND NOT EXISTS (SELECT 1 FROM task_instance WHERE task_instance.trigger_id = trigger.id)
AND NOT EXISTS (SELECT 1 FROM callback WHERE callback.trigger_id = trigger.id)
"""
"""Airflow sweeps such triggers every few minutes."""


@dataclass(frozen=True)
class Run:
    """One run of an Airflow DAG.

    :param era: its partition key; None for a catch-up.
    :param report: what its task `report` left; None when it did not come so far.
    :param failed: tasks that failed, or whose predecessor did.
    :param too_late: its accounts were not checked, because a later era had ended.
    """

    dag_id: str
    run_id: str
    kind: str
    state: str
    era: int | None
    ended_at: datetime | None
    report: Mapping[str, Any] | None
    failed: tuple[str, ...] = ()
    too_late: bool = False


@dataclass(frozen=True)
class Idle:
    """A time in which an account did not stake.

    :param account: its 0x key.
    """

    account: str
    since: datetime
    until: datetime


@dataclass(frozen=True)
class NetworkEvidence:
    """All about one network.

    :param eras: the eras that are judged; later ones may be in the making.
    :param ends: when each era really ended, which is by the calendar at the earliest.
    :param accounts: 0x keys of those that are watched; `staking` those that stake when nobody stops them.
    :param truth: the simulator's `/control/truth`.
    :param payouts: the ledger's records by era, `history` their changes by record id.
    :param messages: alerts as the receiver got them.
    """

    name: str
    eras: range
    calendar: EraCalendar
    ends: Mapping[int, datetime]
    paid_within: timedelta
    held_after: timedelta
    accounts: tuple[str, ...]
    staking: frozenset[str]
    truth: Mapping[str, Any]
    payouts: Mapping[int, Sequence[Payout]]
    history: Mapping[int, Sequence[PayoutEvent]]
    statuses: Mapping[int, Sequence[AccountStatus]]
    runs: Sequence[Run]
    messages: Sequence[Mapping[str, Any]]
    idle: Sequence[Idle] = ()


@dataclass(frozen=True)
class AirflowEvidence:
    """What Airflow's database holds in the end.

    :param rows: rows by table.
    :param tries: tries of tasks; `retries` those after the first of each.
    :param forgotten: triggers that nobody waits for.
    """

    rows: Counter[str] = field(default_factory=Counter)
    tries: int = 0
    retries: int = 0
    forgotten: int = 0


def gather_network(
    stand: Stand, network: Network, idle: Sequence[Idle], ends: Mapping[int, datetime]
) -> NetworkEvidence:
    """Read all about one network, whose runs have come to their end."""
    config, truth = network.config(), network.control.truth()
    with closing(Ledger(stand.ledger_url)) as ledger:
        payouts = ledger.payouts_of(network.name, range(network.eras.start, truth["active_era"]))
        history = {record.id: ledger.events(record) for records in payouts.values() for record in records}
        statuses = {era: ledger.statuses(network.name, era) for era in network.eras}
    return NetworkEvidence(
        name=network.name,
        eras=network.eras,
        calendar=config.calendar,
        ends=ends,
        paid_within=config.alerts.paid_within,
        held_after=config.alerts.held_after,
        accounts=network.accounts,
        staking=network.staking,
        truth=truth,
        payouts=payouts,
        history=history,
        statuses=statuses,
        runs=read_runs(stand.engine, (network.payout_dag, network.catch_up_dag)),
        messages=[message for message in stand.receiver.messages if message["network"] == network.name],
        idle=[one for one in idle if one.account in network.accounts],
    )


def read_runs(engine: sa.Engine, dag_ids: Sequence[str]) -> list[Run]:
    """All runs of some DAGs, in the order they were made."""
    runs = (
        "SELECT dag_id, run_id, run_type, state, partition_key, end_date FROM dag_run WHERE dag_id IN :dags ORDER BY id"
    )
    reports = "SELECT dag_id, run_id, value FROM xcom WHERE task_id = 'report' AND key = 'report' AND dag_id IN :dags"
    failures = (
        "SELECT dag_id, run_id, task_id FROM task_instance WHERE state IN ('failed', 'upstream_failed') AND dag_id IN :dags "
        "ORDER BY task_id"
    )
    late = "SELECT DISTINCT dag_id, run_id FROM xcom WHERE key = 'too_late' AND dag_id IN :dags"
    given = {"dags": list(dag_ids)}
    with engine.connect() as connection:
        found, reported, failed, skipped = (
            connection.execute(sa.text(query).bindparams(sa.bindparam("dags", expanding=True)), given).all()
            for query in (runs, reports, failures, late)
        )
    report = {(row.dag_id, row.run_id): row.value for row in reported}
    too_late = {(row.dag_id, row.run_id) for row in skipped}
    return [
        Run(
            row.dag_id,
            row.run_id,
            row.run_type,
            row.state,
            int(row.partition_key) if row.partition_key else None,
            row.end_date,
            report.get((row.dag_id, row.run_id)),
            tuple(one.task_id for one in failed if (one.dag_id, one.run_id) == (row.dag_id, row.run_id)),
            (row.dag_id, row.run_id) in too_late,
        )
        for row in found
    ]


def unfinished_runs(engine: sa.Engine, network: Network) -> list[str]:
    """Ids of the runs of a network's eras that have not come to an end."""
    query = sa.text(
        "SELECT run_id, partition_key FROM dag_run WHERE dag_id = :dag_id AND state NOT IN ('success', 'failed')"
    )
    with engine.connect() as connection:
        found = connection.execute(query, {"dag_id": network.payout_dag}).all()
    return [row.run_id for row in found if row.partition_key and int(row.partition_key) in network.eras]


def gather_airflow(engine: sa.Engine) -> AirflowEvidence:
    """Count what Airflow's database holds."""
    with engine.connect() as connection:

        def number(query: str) -> int:
            return int(connection.execute(sa.text(query)).scalar() or 0)

        tables = sa.inspect(connection).get_table_names()
        rows = {table: number(f'SELECT count(*) FROM "{table}"') for table in tables}  # noqa: S608 - Airflow's own names
        tries = number("SELECT sum(try_number) FROM task_instance")
        tried = number("SELECT count(*) FROM task_instance WHERE try_number > 0")
        forgotten = number(_FORGOTTEN)
    return AirflowEvidence(Counter(rows), tries, tries - tried, forgotten)
