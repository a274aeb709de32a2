"""The keys: each belongs to the account it must sign for, and can sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.errors import SigningError
from staking_gateway_provider.doctor.findings import Finding, error, failure, ok
from staking_gateway_provider.hooks.signer import StakingSignerHook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.types import AccountId
    from staking_gateway_provider.doctor.case import Case


def check_user_key(case: Case) -> Iterator[Finding]:
    """The user's."""
    return _check("user", case.config.user_signer_conn_id, case.config.user_account)


def check_payer_key(case: Case) -> Iterator[Finding]:
    """The payer's."""
    return _check("payer", case.config.payer_signer_conn_id, case.config.payer_account)


def _check(role: str, conn_id: str, account: AccountId) -> Iterator[Finding]:
    from staking_gateway.remote_signer import RemoteSigner

    signer = StakingSignerHook(conn_id).get_conn()
    if signer.account != account:
        yield error(
            f"{conn_id} signs for {signer.account}, not for the {role} {account}",
            f"Name the connection that holds the {role}'s key as {role}_signer_conn_id, or correct {role} in staking.yaml",
        )
        return
    remote = isinstance(signer, RemoteSigner)
    try:
        signer.check()
    except SigningError as problem:
        yield failure(
            problem,
            f"Start the remote signer, or correct Host, Login or Password of connection {conn_id!r}",
        )
        return
    yield ok(f"{conn_id} signs for {signer.account}{', by a remote signer' if remote else ''}")
