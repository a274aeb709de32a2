"""All checks, in their order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowNotFoundException

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.connection_lookup import problem_of
from staking_gateway_provider.doctor import (
    accounts,
    airflow_secrets,
    alerts,
    chain,
    configuration,
    gateway,
    keys,
    ledger,
    owed,
    payouts,
    scheduling,
)
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, Level, error, failure, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from staking_gateway_provider.doctor.case import SetUp


@dataclass(frozen=True)
class Check:
    """One check.

    :param look: is given the set-up, or a case of it.
    :param needs: checks without which this one has nothing to say.
    """

    name: str
    look: Callable[[Any], Iterable[Finding]]
    needs: tuple[str, ...] = ()


INSTALLATION = (
    Check("configuration", configuration.check_configuration),
    Check("ledger", ledger.check_ledger, ("configuration",)),
    Check("ledger sharing", configuration.check_ledger_sharing, ("ledger",)),
)
NETWORK = (
    Check("connection", gateway.check_connection),
    Check("user key", keys.check_user_key),
    Check("payer key", keys.check_payer_key),
    Check("gateway", gateway.check_gateway, ("connection",)),
    Check("clock", gateway.check_clock, ("gateway",)),
    Check("token", gateway.check_token, ("gateway", "clock")),
    Check("payout method", payouts.check_method, ("token",)),
    Check("node", chain.check_node, ("connection",)),
    Check("active era", chain.check_active_era, ("token", "node")),
    Check("calendar", chain.check_calendar, ("active era",)),
    Check("nonces", payouts.check_nonces, ("token",)),
    Check("fee", payouts.check_fee, ("token",)),
    Check("funds", payouts.check_funds, ("fee",)),
    Check("under way", owed.check_in_flight, ("ledger",)),
    Check("owed", owed.check_owed, ("ledger", "token", "active era")),
    Check("accounts", accounts.check_accounts, ("ledger",)),
    Check("alerts", alerts.check_alerts),
)
AIRFLOW = (
    Check("secrets", airflow_secrets.check_secrets),
    Check("airflow", scheduling.check_airflow, ("configuration",)),
)
"""After the others: what it finds is about whether runs start, not about whether they can work."""


@dataclass
class Examination:
    """Runs the checks of a set-up.

    :param on_step: is called after each check.
    """

    setup: SetUp
    on_step: Callable[[], None] = lambda: None
    _failed: set[str] = field(default_factory=set)

    def findings(self) -> Iterator[Finding]:
        """Everything there is to say; what cannot be checked before something else is mended is named in one line."""
        with self.setup.stack:
            yield from self._run(INSTALLATION, self.setup)
            for name, config in self.setup.networks().items():
                failed = set(self._failed)
                yield from self._run(NETWORK, Case(self.setup, name, config), network=name)
                self._failed = failed
            yield from self._run(AIRFLOW, self.setup)

    def _run(self, checks: Sequence[Check], case: SetUp | Case, network: str = "") -> Iterator[Finding]:
        left_out = []
        for check in checks:
            if self._failed.intersection(check.needs):
                self._failed.add(check.name)
                left_out.append(check.name)
            else:
                for finding in _look(check, case):
                    if finding.level is Level.ERROR:
                        self._failed.add(check.name)
                    yield replace(finding, check=check.name, network=network)
            self.on_step()
        if left_out:
            told = note(f"not checked until that is mended: {', '.join(left_out)}", "Run this again then")
            yield replace(told, check="the rest", network=network)


def _look(check: Check, case: SetUp | Case) -> Iterator[Finding]:
    try:
        yield from check.look(case)
    except StakingGatewayError as problem:
        yield failure(problem)
    except AirflowNotFoundException as problem:
        yield error(
            problem_of(problem),
            "Create the connection, in Admin > Connections or by airflow connections add; or correct its name",
        )
