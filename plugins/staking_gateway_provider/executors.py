"""Where tasks run: an SQLite file is a ledger for tasks of one machine alone."""

from __future__ import annotations

import os

from airflow.sdk import conf

from staking_gateway.errors import InvalidInput

ON_ONE_MACHINE = {"LocalExecutor", "SequentialExecutor", "DebugExecutor"}
TAKE_POSTGRESQL = (
    "Put the ledger into PostgreSQL: add a connection of type postgres, and name it as ledger_conn_id in staking.yaml"
)
_POD_VARIABLE = "AIRFLOW_IS_K8S_EXECUTOR_POD"
"""The KubernetesExecutor sets it in its pods; what they are told of `core.executor` is often another one."""


def configured_executors() -> list[dict[str, str]]:
    """The executors of `core.executor` in their order: the name a task may ask for each by, and the name of its class.

    Those of everybody come first, then those of each team, where Airflow has teams. The spelling is that of Airflow's own
    `ExecutorLoader`, which cannot be asked: it wants Airflow's database, and keeps what it once read.
    """
    teams = conf.getboolean("core", "multi_team", fallback=False)
    found = []
    for part in conf.get("core", "executor").split(";"):
        team, separator, listed = part.rpartition("=")
        if separator and team and not teams:
            continue  # Airflow ignores it, too.
        executors = {}
        for entry in listed.split(","):
            alias, _, path = entry.strip().rpartition(":")
            name = path.rpartition(".")[2]
            executors[alias or name] = name
        found.append(executors)
    return found


def executors_of(wanted: str | None) -> list[str]:
    """Names of the classes of the executors a task may run with: of several only where Airflow has teams.

    :param wanted: the task's own `executor`; None stands for the first one configured.
    """
    if os.environ.get(_POD_VARIABLE):
        return ["KubernetesExecutor"]
    known = configured_executors()
    if wanted is None:
        return [next(iter(executors.values())) for executors in known]
    return [executors[wanted] for executors in known if wanted in executors] or [wanted.rpartition(".")[2]]


def not_shared(executors: str) -> InvalidInput:
    """What is to be said of a ledger that is a file, where these executors run tasks."""
    return InvalidInput("ledger", f"is an SQLite file, which workers of the {executors} do not share", TAKE_POSTGRESQL)


def check_sharing(url: str, wanted: str | None) -> None:
    """See that a task, or a command that pays, and the tasks on other machines would have the same ledger.

    :param url: of the ledger.
    :param wanted: the task's own `executor`; None for a command.
    :raises InvalidInput: each machine would have a ledger of its own, and pay again what the others paid.
    """
    if not url.startswith("sqlite"):
        return
    apart = [name for name in executors_of(wanted) if name not in ON_ONE_MACHINE]
    if apart:
        raise not_shared(apart[0])
