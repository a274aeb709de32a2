"""The executors that run tasks. An SQLite ledger serves the tasks of one machine only."""

from __future__ import annotations

import os

from airflow.sdk import conf

from staking_gateway.errors import InvalidInput

ON_ONE_MACHINE = {"LocalExecutor", "SequentialExecutor", "DebugExecutor"}
TAKE_POSTGRESQL = (
    "Put the ledger into PostgreSQL: add a connection of type postgres, and name it as ledger_conn_id in staking.yaml"
)
_POD_VARIABLE = "AIRFLOW_IS_K8S_EXECUTOR_POD"
"""The KubernetesExecutor sets it in its pods, where `core.executor` is often another executor."""


def configured_executors() -> list[dict[str, str]]:
    """A dictionary per team of `core.executor`, in the format of Airflow's `ExecutorLoader`: name in tasks to class name."""
    teams = conf.getboolean("core", "multi_team", fallback=False)
    found = []
    for part in conf.get("core", "executor").split(";"):
        team, separator, listed = part.rpartition("=")
        if separator and team and not teams:
            continue  # Airflow ignores this part, too.
        executors = {}
        for entry in listed.split(","):
            alias, _, path = entry.strip().rpartition(":")
            name = path.rpartition(".")[2]
            executors[alias or name] = name
        found.append(executors)
    return found


def executors_of(executor: str | None) -> list[str]:
    """Class names of the executors that a task may run with; `executor` None takes the first configured one of each team."""
    if os.environ.get(_POD_VARIABLE):
        return ["KubernetesExecutor"]
    known = configured_executors()
    if executor is None:
        return [next(iter(executors.values())) for executors in known]
    return [executors[executor] for executors in known if executor in executors] or [executor.rpartition(".")[2]]


def max_mapped_tasks() -> int:
    """The most tasks that Airflow maps."""
    return conf.getint("core", "max_map_length", fallback=1024)


def not_shared(executors: str) -> InvalidInput:
    """The error for an SQLite ledger with these executors."""
    return InvalidInput("ledger", f"is an SQLite file, which workers of the {executors} do not share", TAKE_POSTGRESQL)


def check_sharing(url: str, executor: str | None) -> None:
    """Refuse an SQLite ledger when tasks may run on other machines: each machine would pay every era.

    :param executor: the task's own `executor`; None for a command.
    """
    if not url.startswith("sqlite"):
        return
    apart = [name for name in executors_of(executor) if name not in ON_ONE_MACHINE]
    if apart:
        raise not_shared(apart[0])
