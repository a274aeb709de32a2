"""The objects of remedies: which connection, which key of which file, which account, which DAG.

A remedy is the words of its topic, then the sentence of this module. Page, logs, alerts and commands add the same sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.payout.outcomes import Hold
from staking_gateway.payout.standing import unsettled
from staking_gateway.problem import Topic
from staking_gateway.text import amount, count, era_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.eras import Situation
    from staking_gateway.health.evidence import Cause, Evidence

SPELLINGS = ("proxyPayoutstakers", "proxyPayoutStakers")
"""The spellings of the payout method that gateways are known to have."""
_OF_GATEWAY = {
    *(Topic.GATEWAY_UNREACHABLE, Topic.GATEWAY_WRONG, Topic.TOKEN_REFUSED, Topic.UNSUPPORTED),
    *(Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID),
}
"""The gateway's connection is to be looked at, unless the facts name another one."""
_OF_SIGNER = {Topic.WRONG_KEY, Topic.SIGNER}
_LIMITS = ("max_fee_per_payout", "max_fee_per_day", "max_fee_per_run")


def connection_of(topic: Topic, what: str, network: NetworkConfig) -> str | None:
    """The connection that a remedy is about; None: none, or unknown.

    :param what: the facts. They name the connection, or the role or the account of a signer.
    """
    signers = {"user": network.user_signer_conn_id, "payer": network.payer_signer_conn_id}
    named = next((conn_id for conn_id in (network.gateway_conn_id, *signers.values()) if names(what, conn_id)), None)
    if named is not None and topic in (_OF_GATEWAY | _OF_SIGNER):
        return named
    if topic in _OF_SIGNER:
        return signers.get(_role_of(what, network) or "")
    unnamed = topic in (Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID) and _names_any(what)
    return network.gateway_conn_id if topic in _OF_GATEWAY and not unnamed else None


def names(text: str, conn_id: str) -> bool:
    """Whether a text names a connection."""
    return re.search(rf"(?<![\w.-]){re.escape(conn_id)}(?![\w-])", text) is not None


def _role_of(what: str, network: NetworkConfig) -> str | None:
    """The signer that the facts name by its role, or else by its account."""
    by_role = next((role for role in ("user", "payer") if re.search(rf"(^|: ){role}:", what)), None)
    accounts = {"user": network.user_account, "payer": network.payer_account}
    return by_role or next((role for role, account in accounts.items() if account.address in what), None)


def _names_any(what: str) -> bool:
    return re.search(r"conn_id `|onnection '", what) is not None


def object_of(topic: Topic, what: str, name: str, network: NetworkConfig) -> str:
    """The sentence that names the object of a topic's remedy, without a full stop; empty without one.

    :param what: the facts.
    :param name: of the network.
    """
    scene, write = _Scene(topic, what, name, network), _SENTENCES.get(topic)
    if write is not None:
        return write(scene)
    if "{about}" in topic.object and scene.conn_id is None:
        return ""
    return topic.object.format(about=f"connection `{scene.conn_id}`", name=name, config=network)


class _Scene:
    """What the sentences name.

    :param topic: of the remedy; :param what: the facts; :param name: of the network.
    """

    def __init__(self, topic: Topic, what: str, name: str, network: NetworkConfig) -> None:
        self.topic, self.what, self.name, self.network = topic, what, name, network
        self.conn_id = connection_of(topic, what, network)

    def key(self, *paths: str) -> str:
        """Keys of the network in the file."""
        keys = " and ".join(f"networks.{self.name}.{path}" for path in paths)
        return f"{keys} in {self.network.file}"

    @property
    def role(self) -> str:
        """The role of the connection."""
        roles = {self.network.payer_signer_conn_id: "payer", self.network.user_signer_conn_id: "user"}
        by_id = roles.get(self.conn_id or "", "gateway")
        return by_id if by_id == "gateway" else _role_of(self.what, self.network) or by_id

    @property
    def account(self) -> str:
        return self.network.user if self.role == "user" else self.network.payer


def _missing(scene: _Scene) -> str:
    if scene.conn_id is None:
        return ""
    if scene.role == "gateway":
        return (
            f"Connection `{scene.conn_id}` needs the type Staking Gateway (staking_gateway), Host (the gateway's address), and Password (the token). "
            f"Its name is {scene.key('gateway_conn_id')}"
        )
    return (
        f"Connection `{scene.conn_id}` needs the type Staking Signer (staking_signer), Login (the {scene.role}'s account {scene.account}), and "
        f"Password (its key). Its name is {scene.key(f'{scene.role}_signer_conn_id')}"
    )


def _signer(scene: _Scene) -> str:
    if scene.conn_id is None:
        return ""
    if scene.topic is Topic.WRONG_KEY and scene.network.user_signer_conn_id == scene.network.payer_signer_conn_id:
        return (
            f"User and payer have the same connection `{scene.conn_id}`: leave its key, make a connection for the other account, and write "
            f"its name into {scene.key(f'{scene.role}_signer_conn_id')}"
        )
    return (
        f"The connection of the {scene.role} {scene.account} is `{scene.conn_id}`. "
        f"Its name is {scene.key(f'{scene.role}_signer_conn_id')}"
    )


def _fee(scene: _Scene) -> str:
    limits = [limit for limit in _LIMITS if limit in scene.what] or _LIMITS[:2]
    return f"The limit is {scene.key(*(f'payout.{limit}' for limit in limits if limit != _LIMITS[2]))}"


def _spelling(scene: _Scene) -> str:
    used = next((spelling for spelling in SPELLINGS if spelling in scene.what), SPELLINGS[0])
    other = SPELLINGS[1 - SPELLINGS.index(used)]
    return f'Add `"payout_method": "{other}"` to Extra Fields JSON of connection `{scene.conn_id}`'


_SENTENCES: dict[Topic, Callable[[_Scene], str]] = {
    Topic.CONNECTION_MISSING: _missing,
    Topic.WRONG_KEY: _signer,
    Topic.SIGNER: _signer,
    Topic.HELD_FEE: _fee,
    Topic.UNSUPPORTED: _spelling,
    Topic.ACCOUNTS: lambda scene: (
        f"The accounts are {scene.key('accounts_file' if scene.network.accounts_file else 'accounts')}, and `expect` is staking, "
        "not_staking or any"
    ),
}
"""Sentences that depend on the facts; the others stand in the table of topics."""


# --- of a cause ----------------------------------------------------------------------------------------------------------

_TRANSACTION = re.compile(r"transaction (0x[0-9a-fA-F]{64})\b")
_SAYS_ALL = {
    *(Topic.HELD_WINDOW, Topic.EXPIRED, Topic.UNKNOWN, Topic.ACCOUNTS, Topic.CATCH_UP_FAILED, Topic.RUNWAY),
    *(Topic.UNPAID, Topic.RUN_FAILED, Topic.BOOKS),
}
"""The remedies of these say themselves how eras are paid, or no era waits for them."""
_UNTIL_TRIED = {
    *(Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID, Topic.WRONG_KEY, Topic.SIGNER, Topic.UNSUPPORTED),
}
"""Only a run finds out whether these are mended."""


def completed(cause: Cause, evidence: Evidence) -> Cause:
    """The cause with the object of its remedy, and what becomes of its eras."""
    action, found = cause.action or {}, _TRANSACTION.search(cause.detail)
    where = object_of(cause.topic, cause.detail, evidence.name, evidence.network)
    if action.get("kind") == "top_up":
        where = _purpose(evidence, action) or where
    elif action.get("name") == "anchor":
        where = f"Append `{action['text']}` to {where.removeprefix('The anchors are ')}. Correct its start if the chain's era began later"
    template, hash_of = evidence.network.explorer_url, found and found[1]
    return replace(
        cause,
        where=where,
        then=_then(cause, evidence),
        connection=connection_of(cause.topic, cause.detail, evidence.network),
        transaction_url=template.replace("{tx_hash}", hash_of) if template and hash_of else None,
    )


def _then(cause: Cause, evidence: Evidence) -> str:
    """Whether the eras that wait are paid without a person, once the cause is gone; empty when the remedy says it."""
    if cause.topic in _SAYS_ALL:
        return ""
    if cause.topic is Topic.REJECTED:
        return _again(cause.eras, evidence)
    sentences = []
    if evidence.situation.runs is None:
        return (
            f"A run that waits then pays by itself; after a failed run, {_after_failure(evidence)}"
            if cause.eras
            else ""
        )
    newest = evidence.situation.active.era - 1
    if cause.topic is Topic.PAUSED and newest in cause.eras and newest not in evidence.situation.runs:
        sentences.append(f"Its run then pays {_eras([newest])} by itself")
        cause = replace(cause, eras=tuple(era for era in cause.eras if era != newest))
    if cause.standing or cause.eras:
        waiting = [era for era, cell in sorted(evidence.cells.items()) if cell.in_hand] if cause.standing else []
        if waiting:
            sentences.append(f"Its run then pays {_eras(waiting)} by itself")
        if cause.eras and evidence.situation.catching_up:
            sentences.append(f"The catch-up then pays {_eras(cause.eras)} by itself")
        elif cause.eras:
            sentences.append(_by_catch_up(cause.eras, evidence))
    if sentences and cause.topic in _UNTIL_TRIED:
        sentences.append("This cause is shown until a run has tried again")
    return ". ".join(sentences)


def _after_failure(evidence: Evidence) -> str:
    if not evidence.network.catch_up.scheduled:
        return "start the catch-up"
    return f"unpause {_catch_up(evidence)}" if evidence.airflow.catch_up_paused else "the next scheduled catch-up pays"


def _by_catch_up(eras: Sequence[int], evidence: Evidence) -> str:
    if not evidence.network.catch_up.scheduled:
        return f"Then start the catch-up: no run pays {_eras(eras)} by itself"
    if evidence.airflow.catch_up_paused:
        return f"Then unpause {_catch_up(evidence)}, which pays {_eras(eras)}"
    return f"The next scheduled catch-up then pays {_eras(eras)} by itself"


def _catch_up(evidence: Evidence) -> str:
    return f"the DAG staking_catch_up_{evidence.name}"


def _again(eras: Sequence[int], evidence: Evidence) -> str:
    era = for_a_person(eras, evidence)
    if era is None and evidence.network.catch_up.scheduled and not evidence.airflow.catch_up_paused:
        return f"{_command(eras[0], evidence)}. {_by_catch_up(eras, evidence)}"
    return f"No run pays {_eras(eras)} by itself. {_command(eras[0] if era is None else era, evidence)}"


def _command(era: int, evidence: Evidence) -> str:
    price = cost([era], evidence)
    return f"`{pay_again(era, evidence)}` pays era {era}, and costs {price or 'the fee again'}"


def for_a_person(eras: Sequence[int], evidence: Evidence) -> int | None:
    """The first era that no run pays again, because a fee was charged for nothing or the witnesses disagree."""
    held = (Hold.CHARGED.value, Hold.CONTRADICTION.value)
    for era in eras:
        part = unsettled(evidence.records.get(era, ()))
        if part is not None and part.hold in held:
            return era
    return None


def pay_again(era: int, evidence: Evidence) -> str:
    """The command that pays a rejected era again."""
    return f"airflow staking pay --network {evidence.name} --era {era} --again"


def cost(eras: Sequence[int], evidence: Evidence) -> str | None:
    """The fees of the unpaid parts of eras, in words; None: unknown."""
    calls, fee = evidence.network.payout.parts, evidence.live.fee
    if calls is None or fee is None:
        return None
    settled = [sum(part.state.settled for part in evidence.records.get(era, ())) for era in eras]
    return amount(fee * sum(calls - paid for paid in settled), evidence.token)


def _eras(eras: Sequence[int]) -> str:
    return f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"


def anchor(situation: Situation) -> str:
    """The line of `calendar.anchors` that makes the calendar agree with the chain, if eras begin at the calendar's times."""
    active, calendar = situation.active, situation.calendar
    began = situation.now if active.calendar is None else calendar.start(active.calendar)
    return f'- {{era: {active.chain}, start: "{began.replace(microsecond=0).isoformat()}"}}'


def _purpose(evidence: Evidence, top_up: Mapping[str, Any]) -> str:
    """How much money to send to whom, and for how many payouts; empty without a known amount."""
    network, unpaid, later = evidence.network, len(evidence.unpaid), further_eras(evidence.network)
    if top_up["text"] is None:
        return ""
    payouts = count((unpaid + later) * (network.payout.parts or 1), "payout")
    meant = f"{count(unpaid, 'unpaid era')} and {count(later, 'later era')}" if unpaid else count(later, "later era")
    return f"Send {top_up['text']} to {network.payer}: the balance then pays {payouts}, for {meant}"


def further_eras(network: NetworkConfig) -> int:
    """Eras after the unpaid ones for which a top-up is meant."""
    return max(network.alerts.runway_warning, 1)
