"""The lane of a network: the chain whose nonces its payouts share.

A nonce belongs to a chain and an account, and a chain's identity is its genesis hash. A network's name is a label. Two chains may have one
name. So the lane of a network with a node is the genesis hash; without a node it is the name that the gateway reports.

A second signer in a lane shows in its nonces: something else used every nonce between the next one and the highest on record. It can make an
era look paid, see `docs/concepts.md`. So the engine warns as soon as it sees one.
"""

import logging
from dataclasses import replace

from staking_gateway.errors import ConfigError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.ledger.tables import UNCONFIRMED
from staking_gateway.payout.terms import PayoutTerms
from staking_gateway.text import count
from staking_gateway.types import is_hash

NONCES_USED_ELSEWHERE = "nonces_used_elsewhere"
"""Kind of the notice."""
log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


def chain_of(gateway: Gateway, ledger: Ledger, network: str) -> str:
    """The lane of a network, the same for all connections to its chain. Nothing is written.

    With a node: its genesis hash. Otherwise the lane of a payload in flight, a genesis hash from before, the name that the gateway reports,
    the lane of the newest payout, or the gateway's address: the first of these that is known.

    :raises ConfigError: a payload is in flight on a chain with another genesis hash.
    :raises ChainError: the node cannot be read.
    """
    busy, genesis = ledger.busy_chain(network), gateway.genesis_hash()
    if genesis is not None:
        if is_hash(busy) and busy != genesis:
            raise ConfigError(
                f"networks.{network}",
                f"has payloads in flight on the chain with genesis {busy}, and its node has genesis {genesis}",
                "Connect it to a node of the first chain until they are settled, or give the other chain a network of its own",
            )
        return genesis
    info, known = gateway.chain_info(), ledger.known_chain(network)
    name = None if info is None or is_hash(info.name) else info.name
    return busy or (known if is_hash(known) else name or known) or gateway.base_url


def learn_genesis(ledger: Ledger, terms: PayoutTerms, actor: Actor) -> PayoutTerms:
    """Move the network's lanes from before its genesis hash was known to it. Terms from before another process did so get the hash."""
    busy = ledger.busy_chain(terms.network), ledger.busy_chain(terms.network, UNCONFIRMED)
    lanes = [lane for lane in (*busy, ledger.known_chain(terms.network)) if lane is not None]
    if not is_hash(terms.lane):
        return replace(terms, chain=next(filter(is_hash, lanes), terms.chain))
    for lane in {*lanes}:
        if not is_hash(lane):
            ledger.rekey(lane, terms.lane, actor)
    return terms


def check_user(ledger: Ledger, terms: PayoutTerms, staking_nonce: int | None) -> None:
    """Refuse to sign a staking nonce while a payload of the same user is in flight in another lane that may be the same chain. ConfigError: it names
    both lanes, and the other network, which may have left the settings.
    """
    for other, network in ledger.lanes_in_flight(terms.user.hex, staking_nonce):
        if other != terms.lane and not (is_hash(other) and is_hash(terms.lane)):
            raise ConfigError(
                f"networks.{terms.network}.user",
                f"has a payload of the network {network} in flight on the chain {other!r}, which may be this network's chain {terms.lane!r}",
                f"Let a run of {network} settle it, or name a node of the chain in the connections of both networks",
            )


def nonces_used_elsewhere(ledger: Ledger, terms: PayoutTerms, *, staking_nonce: int, payment_nonce: int) -> str | None:
    """A text about nonces that something else used, or None; the next ones of user and payer were read before this call."""
    staking, payment = ledger.highest_nonces(terms.lane, user_key=terms.user.hex, payer_key=terms.payer.hex)
    gaps = [
        f"{count(told - highest - 1, f'{kind} nonce')} of the {owner}"
        for kind, owner, told, highest in (
            ("staking", f"user {terms.user}", staking_nonce, staking),
            ("payment", f"payer {terms.payer}", payment_nonce, payment),
        )
        if highest is not None and told > highest + 1
    ]
    if not gaps:
        return None
    return (
        f"something else than this ledger used {' and '.join(gaps)}: another deployment or tool, or a payload that was given up "
        "and executed late"
    )


def warn_of_foreign_nonces(
    ledger: Ledger, terms: PayoutTerms, era: int, *, staking_nonce: int, payment_nonce: int
) -> None:
    """Warn once for each era that is about to be signed: in the log, and as a notice, which `airflow staking doctor` shows."""
    seen = nonces_used_elsewhere(ledger, terms, staking_nonce=staking_nonce, payment_nonce=payment_nonce)
    if seen and ledger.journal.note_once(terms.network, era, NONCES_USED_ELSEWHERE, seen):
        log.warning(
            "Era %s of %s: %s. If a second deployment signs for them, stop one of the two: let both use one ledger, or give "
            "each a user and a payer of its own",
            era,
            terms.network,
            seen,
        )
