"""The steps that `doctor --fix` may do: safe, idempotent, and none of them pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from airflow.models.dag import DagModel
from airflow.utils.session import create_session
from sqlalchemy import update

from staking_gateway.ledger import SchemaState, upgrade_schema


@dataclass(frozen=True)
class Fix:
    """A step.

    :param step: what it does, as a command to the person who reads it.
    """

    step: str
    run: Callable[[], object]


def create_ledger(url: str, state: SchemaState) -> Fix:
    """Create the ledger's tables, as the first task would."""
    return Fix(f"Create the ledger {state.ledger}", partial(upgrade_schema, url))


def unpause(dag_id: str) -> Fix:
    """Unpause a DAG; its scheduled runs then start."""
    return Fix(f"Unpause the DAG {dag_id}; its scheduled runs then start", partial(_unpause, dag_id))


def _unpause(dag_id: str) -> None:
    with create_session() as session:
        session.execute(update(DagModel).where(DagModel.dag_id == dag_id).values(is_paused=False))
