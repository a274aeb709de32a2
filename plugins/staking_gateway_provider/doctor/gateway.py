"""Checks of a network's set-up: connections, keys, clock, gateway, node, nonces, fee and alerts. The rest is in the page's judgement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from urllib.parse import urlsplit

from staking_gateway import errors
from staking_gateway.gateway.gateway import if_supported
from staking_gateway.ledger.database import NotGranted
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE, chain_of, nonces_used_elsewhere
from staking_gateway.payout.terms import terms_of
from staking_gateway.problem import Problem, Topic, connection
from staking_gateway.signing import LocalSigner
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.text import amount, count, duration
from staking_gateway.types import AccountId, NonceKind, is_hash
from staking_gateway_provider.alerting import make_notifier, notifier_path
from staking_gateway_provider.connections import find_connection
from staking_gateway_provider.doctor.case import Case, Said, check, note, warning
from staking_gateway_provider.doctor.installation import CLOSE
from staking_gateway_provider.hooks.gateway import StakingSignerHook, SubstrateHook
from staking_gateway_provider.reporting import help_address, with_object
from staking_gateway_provider.ui.runs import read_airflow

_LATELY = timedelta(days=7)
TOO_FAR = 15.0
"""Seconds a self-made token may be from the future; further ahead, every gateway refuses it."""
_GIVEN_PROOFS = "Supply ready-made proofs to PayoutStakersOperator, or use a gateway that reports them"


@check("connection")
def check_connection(case: Case) -> Iterator[Said]:
    """The connection exists, and every field is valid; likewise the connections that it names."""
    conn_id, extras, client = case.config.gateway_conn_id, case.extras, case.client
    address = urlsplit(client.base_url)
    if address.scheme == "http" and client.is_remote:
        plain = f"{conn_id} sends the token over plain http to {address.hostname}"
        yield warning(Topic.CONNECTION_INVALID, plain, "Use https, and remove allow_http")
    if extras.bearer_payer:
        twice = f"{conn_id}: its tokens name a payer, and each payout has a fee proof of the payer"
        yield Problem(Topic.CONNECTION_INVALID, twice, own_remedy=errors.Failed.PAYER_TWICE.remedy)
    yield f"{conn_id}: {client.base_url}, {'self-made tokens' if extras.bearer_signer_conn_id else 'issued token'}"


@check("user key")
def check_user_key(case: Case) -> Iterator[Said]:
    """The user's key belongs to the user, and can sign."""
    return _check_key(case, "user", case.config.user_signer_conn_id, case.config.user)


@check("payer key")
def check_payer_key(case: Case) -> Iterator[Said]:
    """The payer's key belongs to the payer, and can sign."""
    return _check_key(case, "payer", case.config.payer_signer_conn_id, case.config.payer)


def _check_key(case: Case, role: str, conn_id: str, account: AccountId) -> Iterator[Said]:
    signer = StakingSignerHook(conn_id, field=f"{role}_signer_conn_id").get_conn()
    if signer.account != account:
        facts = f"{conn_id} signs for {signer.account}, not for the {role} {account}"
        yield Problem(Topic.WRONG_KEY, facts, connection(conn_id))
        return
    try:
        signer.check()
    except errors.SigningError as error:
        yield replace(error.problem, about=connection(conn_id))
        return
    local = "client" in case.failed or not case.client.is_remote
    if str(account.hex) in _published_accounts() and not local:
        yield warning(
            Topic.WRONG_KEY,
            f"the {role} {account} is a development account: its key is published, and everybody can sign for it",
            f"Unless this is a test network: make a key of your own, and name its account as {role} in staking.yaml",
        )
    yield f"{conn_id} signs for {signer.account}{', by a remote signer' if isinstance(signer, RemoteSigner) else ''}"


@lru_cache(maxsize=1)
def _published_accounts() -> frozenset[str]:
    """Accounts of the published development keys of Substrate's tools."""
    names = ("Alice", "Bob", "Charlie", "Dave", "Eve", "Ferdie", "One", "Two")
    paths = ["", *(f"//{name}{stash}" for name in names for stash in ("", "//stash"))]
    phrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
    return frozenset(LocalSigner(phrase + path).account.hex for path in paths)


@check("clock")
def check_clock(case: Case) -> Iterator[Said]:
    """The clocks of gateway and machine agree. The gateway refuses a self-made token that is too old or from the future."""
    offset = case.clock_offset
    if offset is None:
        yield note(Topic.CLOCK, "the gateway does not report its time")
    elif abs(offset) <= CLOSE:
        yield f"agrees with the gateway's within {CLOSE:.0f} s"
    else:
        what = f"this machine's clock is {abs(offset):.0f} s {'ahead of' if offset > 0 else 'behind'} the gateway's"
        yield (
            Problem(Topic.CLOCK, f"{what}: it refuses self-made tokens")
            if _spoils_tokens(case)
            else warning(Topic.CLOCK, what)
        )


def _spoils_tokens(case: Case) -> bool:
    """Whether the clock makes tokens that every gateway refuses."""
    return bool(case.extras.bearer_signer_conn_id) and abs(case.clock_offset or 0) >= TOO_FAR


@check("gateway")
def check_gateway(case: Case) -> Iterator[Said]:
    """A gateway answers at the address, and takes the token."""
    spoilt = _spoils_tokens(case)
    try:
        chain = case.chain
    except errors.GatewayError as error:
        if error.problem.topic is Topic.TOKEN_REFUSED and spoilt:
            return
        own, problem = case.extras.bearer_signer_conn_id, with_object(error.problem, None)
        admit = f"Let the gateway's operator admit the account of {connection(own or '')}, or correct bearer_payer"
        yield (replace(problem, own_remedy=admit) if problem.topic is Topic.TOKEN_REFUSED and own else problem)
        return
    yield (
        "answers; it does not report its chain's name"
        if chain is None
        else f"serves {chain.name} {chain.version}".rstrip()
    )


@check("node")
def check_node(case: Case) -> Iterator[Said]:
    """The node answers, and has the chain on which the ledger has paid. Without a node, only that is noted."""
    conn_id = case.extras.node_conn_id
    if conn_id is None:
        told = f"none configured; rewards and comparison stay unknown, see {help_address(Topic.NO_NODE)}"
        yield note(Topic.NO_NODE, told)
        return
    reader = SubstrateHook(conn_id).get_conn()
    identity, state = reader.identity(), reader.state()
    yield f"{conn_id}: {identity.chain_name}, block {state.block}"
    paid_on = case.setup.ledger.known_chain(case.name)
    if is_hash(paid_on) and paid_on != identity.genesis_hash:
        yield Problem(
            Topic.NODE,
            f"{conn_id} serves the chain with genesis {identity.genesis_hash}; the ledger paid {case.name} on {paid_on}",
            own_remedy=f"Correct Host of {connection(conn_id)}, or give the other chain a network of its own",
        )


@check("active era")
def check_active_era(case: Case) -> Iterator[Said]:
    """The gateway or the node reports the active era."""
    by_node = f"Ask the gateway's operator; or read the era from a node. {Topic.NO_NODE.remedy}"
    yield from _reported(case, "active", "the active era", by_node)
    if case.live.automatic:
        yield note(Topic.PAID, "this chain pays its stakers by itself: only the accounts are watched")
    if case.live.active is not None:
        yield f"era {case.live.active} is active; the election window is {case.live.window or 'unavailable'}"


@check("nonces")
def check_nonces(case: Case) -> Iterator[Said]:
    """Both nonces can be read, as no payout is signed without them; and nobody else uses them."""
    gateway, config, nonces = case.gateway, case.config, {}
    for role, account, kind in (("payer", config.payer, NonceKind.PAYMENT), ("user", config.user, NonceKind.STAKING)):
        try:
            nonce = if_supported(lambda account=account, kind=kind: gateway.nonce(account, kind))  # type: ignore[misc]
        except errors.GatewayError as error:
            known = f"Correct {role} of networks.{case.name} in staking.yaml: the gateway must know it"
            yield replace(error.problem, own_remedy=known if error.code is not None else "")
            return
        if nonce is None:
            facts = f"this gateway does not report the {kind} nonce of the {role}"
            yield Problem(Topic.GATEWAY_FAILS, facts, own_remedy=_GIVEN_PROOFS)
            return
        nonces[kind] = nonce
    staking, payment = nonces[NonceKind.STAKING], nonces[NonceKind.PAYMENT]
    yield f"staking {staking}, payment {payment}"
    ledger = case.setup.ledger
    terms = replace(terms_of(case.name, config), chain=chain_of(gateway, ledger, case.name))
    told = nonces_used_elsewhere(ledger, terms, staking_nonce=staking, payment_nonce=payment)
    if told:
        yield warning(Topic.SHARED_USER, f"since the last payout here, {told}")
        return
    notices, now = ledger.journal.notices(case.name, NONCES_USED_ELSEWHERE), case.setup.clock()
    if lately := [notice for notice in notices if now - notice.at < _LATELY]:
        more = f", and so before {count(len(lately) - 1, 'other era')}" if len(lately) > 1 else ""
        yield warning(Topic.SHARED_USER, f"before era {lately[-1].era} was paid, {lately[-1].text}{more}")


@check("fee")
def check_fee(case: Case) -> Iterator[Said]:
    """The fee can be read. Whether it is within the limits is in the page's judgement."""
    accounts = f"Correct relayer or payer of networks.{case.name} in staking.yaml, or supply ready-made proofs to PayoutStakersOperator"
    yield from _reported(case, "fee", "the relayer's fee", accounts)
    fee, most, token = case.live.fee, case.config.catch_up.max_fees, case.config.token or case.live.token
    if fee is None:
        return
    yield f"{amount(fee, token)} a call"
    if most is not None and fee > most:
        yield warning(
            Topic.HELD_FEE,
            f"the fee is {amount(fee, token)}, more than catch_up.max_fees {amount(most, token)}: a catch-up pays nothing",
            f"Raise networks.{case.name}.catch_up.max_fees in staking.yaml",
        )


def _reported(case: Case, name: str, what: str, remedy: str) -> Iterator[Problem]:
    """The problem of a fact without which nothing is paid, and which the gateway does not report."""
    _ = case.gateway
    failed = case.live.failed.get(name)
    if failed is not None:
        yield replace(failed, own_remedy=failed.own_remedy or remedy)
    elif getattr(case.live, name) is None:
        yield Problem(Topic.GATEWAY_FAILS, f"this gateway does not report {what}", own_remedy=remedy)


@check("catch-up")
def check_catch_up(case: Case) -> Iterator[Said]:
    """The catch-up is not paused. The payout DAG and Airflow's programs are in the page's judgement."""
    if read_airflow(case.name).catch_up_paused and case.config.catch_up.scheduled:
        dag_id = f"staking_catch_up_{case.name}"
        paused = warning(Topic.PAUSED, f"{dag_id} starts no runs", f"Run: airflow dags unpause {dag_id}")
        yield replace(paused, action={"kind": "unpause", "dag_id": dag_id})


@check("alerts")
def check_alerts(case: Case) -> Iterator[Said]:
    """The notifiers are valid, their connections exist, and no message waits. Nothing is sent."""
    alerts = case.config.alerts
    for index, entry in enumerate(alerts.notifiers):
        make_notifier(notifier_path(case.name, index), entry)
        for name, value in entry.items():
            if name.endswith("_conn_id") and isinstance(value, str):
                find_connection(f"networks.{case.name}.alerts.notifiers", value)
    if alerts.notifiers:
        yield f"{count(len(alerts.notifiers), 'notifier')} can be made; nothing was sent to try them"
    try:
        waiting = case.setup.ledger.journal.alerts.unsent(case.name)
    except NotGranted:
        yield note(Topic.ALERTS_NOT_SENT, "unsent messages were not checked: the ledger's login may not read them")
        return
    if not waiting:
        return
    what = f"{count(len(waiting), 'message')} not sent yet, the oldest made {duration(case.setup.clock() - waiting[0].made_at)} ago"
    if alerts.notifiers:
        yield warning(Topic.ALERTS_NOT_SENT, what)
    else:
        yield note(Topic.ALERTS_NOT_SENT, what, "The next task report writes them to its log")
