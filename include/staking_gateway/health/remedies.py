"""The object of a remedy, and what becomes of the eras that wait: sentences after the remedy of a topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.payout.copies import unsettled
from staking_gateway.payout.outcomes import Hold
from staking_gateway.problem import Problem, Topic, connection
from staking_gateway.text import amount, count, era_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.state import NetworkState

_SIGNER = (
    "The {about} needs the type Staking Signer (stakingsigner), Login (the {role}'s account {account}), and Password (its key). "
    "Its name is networks.{name}.{role}_signer_conn_id in {config.file}"
)
_GATEWAY = (
    "The {about} needs the type Staking Gateway (stakinggateway), Host (the gateway's address), and Password (the token). "
    "Its name is networks.{name}.gateway_conn_id in {config.file}"
)
_BOTH_SIGNERS = (
    "User and payer have the same {about}: leave its key, make a connection for the other account, and write its name into "
    "networks.{name}.{role}_signer_conn_id in {config.file}"
)

_DEMO = "Run airflow staking init --demo: it makes the demo's connections, and starts its simulator"


def located(problem: Problem, name: str, network: NetworkConfig) -> Problem:
    """The problem with what to open, and with the sentence that names the object of its remedy; of the demo with the command that repairs it.

    :param name: of the network.
    """
    topic, about, role = problem.topic, problem.about, _role(problem.about, network)
    away = topic is Topic.GATEWAY_UNREACHABLE and "127.0.0.1:" in problem.facts
    if name == "devnet" and not problem.own_remedy and (away or topic is Topic.CONNECTION_MISSING):
        problem = replace(problem, own_remedy=_DEMO)
    signer = network.user_signer_conn_id if role == "user" else network.payer_signer_conn_id
    if topic.opens == "signer":
        about = connection(signer) if role else ""
    elif topic.opens == "gateway":
        about = about or connection(network.gateway_conn_id)
    elif topic is Topic.ACCOUNTS:
        about = f"networks.{name}.{'accounts_file' if network.accounts_file else 'accounts'}"
    sentence = topic.object
    if topic is Topic.CONNECTION_MISSING:
        of_gateway = about == connection(network.gateway_conn_id)
        sentence = _SIGNER if role else _GATEWAY if of_gateway else ""  # the DAG or another connection names it
    elif topic.opens == "signer" and not role:
        sentence = ""
    elif topic is Topic.WRONG_KEY and network.user_signer_conn_id == network.payer_signer_conn_id:
        sentence = _BOTH_SIGNERS
    account = (network.user if role == "user" else network.payer).spelling
    more = sentence.format(about=about, name=name, config=network, role=role, account=account)
    return replace(problem, about=about, more=more)


def _role(about: str, network: NetworkConfig) -> str:
    """The signer that is named by its role, its account or its connection; empty: none."""
    names = {
        "user": ("user", network.user.address, network.user.spelling, connection(network.user_signer_conn_id)),
        "payer": ("payer", network.payer.address, network.payer.spelling, connection(network.payer_signer_conn_id)),
    }
    return next((role for role, known in names.items() if about in known), "")


def page_links(problem: Problem, network: NetworkConfig) -> dict[str, str | None]:
    """What the page links: the connection to open, and the address of the transaction in the explorer."""
    known = {network.gateway_conn_id, network.user_signer_conn_id, network.payer_signer_conn_id}
    template, transaction = network.explorer_url, problem.transaction
    return {
        "connection": next((conn_id for conn_id in sorted(known) if problem.about == connection(conn_id)), None),
        "transaction_url": template.replace("{tx_hash}", transaction) if template and transaction else None,
    }


def completed(problem: Problem, state: NetworkState) -> Problem:
    """The problem with the object of its remedy, and what becomes of its eras."""
    found, action = located(problem, state.name, state.network), problem.action or {}
    where = found.more
    if found.topic in (Topic.PAYER_EMPTY, Topic.RUNWAY):
        where = _top_up(state) or where
    elif action.get("name") == "anchor":
        anchors = f"networks.{state.name}.calendar.anchors in {state.network.file}"
        where = f"Append `{action['text']}` to {anchors}. Correct its start if the chain's era began later"
    return replace(found, network=state.name, more=". ".join(filter(None, (where, _then(problem, state)))))


def _then(problem: Problem, state: NetworkState) -> str:
    """What pays the eras that wait once the problem is gone; empty when the remedy says it, or none waits."""
    topic, eras, newest = problem.topic, problem.eras, state.active.era - 1
    if topic.says_all:
        return ""
    if topic is Topic.REJECTED:
        person = for_a_person(eras, state)
        era = eras[0] if person is None else person
        command = f"`{pay_again(era, state)}` pays era {era}, and costs {cost([era], state) or 'the fee again'}"
        return f"{command}. {_paid_by(eras, state) if person is None else f'No run pays {_eras(eras)} by itself'}"
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


def pay_again(era: int, state: NetworkState) -> str:
    """The command that pays a rejected era again."""
    return f"airflow staking pay --network {state.name} --eras {era} --again"


def cost(eras: Sequence[int], state: NetworkState) -> str | None:
    """The fees of the unpaid parts of eras, in words; None: unknown."""
    calls, fee = state.network.payout.parts, state.live.fee
    if calls is None or fee is None:
        return None
    settled = [sum(part.state.settled for part in state.records.get(era, ())) for era in eras]
    return amount(fee * sum(calls - paid for paid in settled), state.token)


def _eras(eras: Sequence[int]) -> str:
    return f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"


def anchor(state: NetworkState) -> str:
    """The line of `calendar.anchors` that makes the calendar agree with the chain, if eras begin at the calendar's times."""
    active, calendar = state.active, state.calendar
    began = state.now if active.calendar is None else calendar.start(active.calendar)
    return f'- {{era: {active.chain}, start: "{began.replace(microsecond=0).isoformat()}"}}'


def _top_up(state: NetworkState) -> str:
    """How much money to send to whom, for the unpaid eras and `runway_warning` further ones; empty without a known amount."""
    live, network, unpaid = state.live, state.network, len(state.unpaid)
    if live.fee is None or live.balance is None:
        return ""
    later = max(network.alerts.runway_warning, 1)
    payouts = (unpaid + later) * (network.payout.parts or 1)
    needed = amount(max(live.fee * payouts - live.balance, 0), state.token)
    meant = f"{count(unpaid, 'unpaid era')} and {count(later, 'later era')}" if unpaid else count(later, "later era")
    return f"Send {needed} to {network.payer.spelling}: the balance then pays {count(payouts, 'payout')}, for {meant}"


def copy_payer(state: NetworkState) -> dict[str, Any]:
    """The action that copies the payer's account."""
    return {"kind": "copy", "name": "account", "text": state.network.payer.spelling}
