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


def configured_executors() -> dict[str, str]:
    """The executors of `core.executor` in their order: the name a task may ask for each by, and the name of its class."""
    found = {}
    for entry in conf.get("core", "executor").split(","):
        path, _, alias = entry.strip().partition(":")
        name = path.rpartition(".")[2]
        found[alias or name] = name
    return found


def executor_of(wanted: str | None) -> str:
    """Name of the class of the executor a task runs with.

    :param wanted: the task's own `executor`; None stands for the first one configured.
    """
    if os.environ.get(_POD_VARIABLE):
        return "KubernetesExecutor"
    known = configured_executors()
    if wanted is None:
        return next(iter(known.values()))
    return known.get(wanted, wanted.rpartition(".")[2])


def not_shared(executors: str) -> InvalidInput:
    """What is to be said of a ledger that is a file, where these executors run tasks."""
    return InvalidInput("ledger", f"is an SQLite file, which workers of the {executors} do not share", TAKE_POSTGRESQL)


def check_sharing(url: str, wanted: str | None) -> None:
    """See that a task, or a command that pays, and the tasks on other machines would have the same ledger.

    :param url: of the ledger.
    :param wanted: the task's own `executor`; None for a command.
    :raises InvalidInput: each machine would have a ledger of its own, and pay again what the others paid.
    """
    executor = executor_of(wanted)
    if url.startswith("sqlite") and executor not in ON_ONE_MACHINE:
        raise not_shared(executor)
