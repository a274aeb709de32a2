"""Checks of the signing keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from staking_gateway.errors import SigningError
from staking_gateway.signing import LocalSigner
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, error, failure, ok, warning
from staking_gateway_provider.hooks.signer import StakingSignerHook


def check_user_key(case: Case) -> Iterator[Finding]:
    """The user's key belongs to the user, and can sign."""
    return _check(case, "user", case.config.user_signer_conn_id, case.config.user_account)


def check_payer_key(case: Case) -> Iterator[Finding]:
    """The payer's key belongs to the payer, and can sign."""
    return _check(case, "payer", case.config.payer_signer_conn_id, case.config.payer_account)


def _check(case: Case, role: str, conn_id: str, account: AccountId) -> Iterator[Finding]:
    signer = StakingSignerHook(conn_id).get_conn()
    if signer.account != account:
        yield error(
            f"{conn_id} signs for {signer.account}, not for the {role} {account}",
            f"Name the connection that holds the {role}'s key as {role}_signer_conn_id, or correct {role} in staking.yaml",
        )
        return
    try:
        signer.check()
    except SigningError as problem:
        yield failure(
            problem,
            f"Start the remote signer, or correct Host, Login or Password of connection {conn_id!r}",
        )
        return
    if str(account.hex) in _published_accounts() and not _is_local(case):
        yield warning(
            f"the {role} {account} is a development account: its key is published, and everybody can sign for it",
            f"Unless this is a test network: make a key of your own, and name its account as {role} in staking.yaml",
        )
    way = ", by a remote signer" if isinstance(signer, RemoteSigner) else ""
    yield ok(f"{conn_id} signs for {signer.account}{way}")


@lru_cache(maxsize=1)
def _published_accounts() -> frozenset[str]:
    """Accounts of the published development keys of Substrate's tools."""
    names = ("Alice", "Bob", "Charlie", "Dave", "Eve", "Ferdie", "One", "Two")
    paths = ["", *(f"//{name}{stash}" for name in names for stash in ("", "//stash"))]
    phrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
    return frozenset(LocalSigner(phrase + path).account.hex for path in paths)


def _is_local(case: Case) -> bool:
    """Whether the gateway is on this machine, such as a simulator."""
    client = getattr(case, "client", None)  # missing when check_connection has failed
    return client is None or not client.is_remote
