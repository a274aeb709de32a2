"""The object of a remedy, and what becomes of the eras that wait: sentences after the remedy of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from staking_gateway.payout.copies import unsettled
from staking_gateway.payout.outcomes import Hold
from staking_gateway.problem import Problem, Topic, connection
from staking_gateway.text import era_ranges

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.state import NetworkState

_SIGNER = "Staking Signer (stakingsigner), Login (the {role}'s account {account}), and Password (its key)"
_GATEWAY = "Staking Gateway (stakinggateway), Host (the gateway's address), and Password (the token)"


def located(problem: Problem, name: str, network: NetworkConfig) -> Problem:
    """The problem with what to open, and with the sentence that names the object of its remedy.

    :param name: of the network.
    """
    topic, about, gateway = problem.topic, problem.about, connection(network.gateway_conn_id)
    signers = {
        "user": (network.user, network.user_signer_conn_id),
        "payer": (network.payer, network.payer_signer_conn_id),
    }
    role, account, signer = next(
        (
            (role, account.spelling, connection(conn_id))
            for role, (account, conn_id) in signers.items()
            if about in (role, account.address, account.spelling, connection(conn_id))
        ),
        ("", "", ""),
    )
    if "{signer}" in topic.object:
        about = signer
    elif "{gateway}" in topic.object:
        about = about or gateway
    sentence = topic.object
    if "{setting}" in sentence and not role and about != gateway:
        sentence = ""  # the DAG or another connection names it
    setting = f"{role}_signer_conn_id" if role else "gateway_conn_id"
    fields = (_SIGNER if role else _GATEWAY).format(role=role, account=account)
    known = {"gateway": about, "signer": about, "setting": setting, "fields": fields}
    more = sentence.format(**known, name=name, config=network, role=role, account=account)
    return replace(problem, about=about, more=more)


def completed(problem: Problem, state: NetworkState) -> Problem:
    """The problem with the object of its remedy, and what becomes of its eras."""
    found = located(problem, state.name, state.network)
    return replace(found, network=state.name, more=". ".join(filter(None, (found.more, _then(problem, state)))))


def _then(problem: Problem, state: NetworkState) -> str:
    """What pays the eras that wait once the problem is gone; empty when the remedy says it, or none waits."""
    topic, eras, newest = problem.topic, problem.eras, state.active.era - 1
    if topic.says_all:
        return ""
    if topic is Topic.REJECTED:
        person = for_a_person(eras, state)
        era = eras[0] if person is None else person
        command = f"`airflow staking pay --network {state.name} --eras {era} --again`"
        then = _paid_by(eras, state) if person is None else f"No run pays {_eras(eras)} by itself"
        return f"{command} pays era {era}, and costs the fee again. {then}"
    waiting = {era for era, cell in state.cells.items() if cell.in_hand and problem.standing}
    waiting |= {era for era in eras if (run := state.run(era)) is not None and run.active}
    if topic is Topic.PAUSED and newest in eras and state.run(newest) is None:
        waiting.add(newest)
    left = [era for era in eras if era not in waiting]
    sentences = [f"Scheduled runs then pay {_eras(sorted(waiting))} by themselves"] if waiting else []
    sentences += [_paid_by(left, state)] if left else []
    if sentences and topic.blocks and problem.since is not None:
        sentences.append("This cause is shown until a run has tried again")
    return ". ".join(sentences)


def _paid_by(eras: Sequence[int], state: NetworkState) -> str:
    """What pays eras that no run waits for."""
    dag, due, which = f"the DAG staking_catch_up_{state.name}", state.airflow.catch_up_due, _eras(eras)
    if state.airflow.catches_up(eras):
        return f"The catch-up then pays {which} by itself"
    if not state.network.catch_up.scheduled:
        return f"Then start the catch-up: no run pays {which} by itself"
    if state.airflow.catch_up_paused:
        return f"Then unpause {dag}, which pays {which}"
    when = "" if due is None else ", due now," if due <= state.now else f", at {due:%Y-%m-%d %H:%M:%S} UTC,"
    return f"The next scheduled catch-up{when} then pays {which} by itself"


def for_a_person(eras: Sequence[int], state: NetworkState) -> int | None:
    """The first era that no run pays again, because a fee was charged for nothing or the witnesses disagree."""
    held = (Hold.CHARGED.value, Hold.CONTRADICTION.value)
    parts = {era: unsettled(state.records.get(era, ())) for era in eras}
    return next((era for era, part in parts.items() if part is not None and part.hold in held), None)


def _eras(eras: Sequence[int]) -> str:
    return f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"
