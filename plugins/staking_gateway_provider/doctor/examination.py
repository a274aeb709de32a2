"""All checks in their order: the first that fails explains the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowNotFoundException

from staking_gateway.errors import StakingGatewayError
from staking_gateway_provider.connection_lookup import problem_of
from staking_gateway_provider.doctor import (
    accounts,
    airflow,
    alerts,
    gateway,
    installation,
    keys,
    payouts,
)
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, Level, error, failure, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from staking_gateway_provider.doctor.case import SetUp


@dataclass(frozen=True)
class Check:
    """One check: `run` takes the `SetUp` or a `Case`, after the checks of `needs` have succeeded."""

    name: str
    run: Callable[[Any], Iterable[Finding]]
    needs: tuple[str, ...] = ()


INSTALLATION = (
    Check("configuration", installation.check_configuration),
    Check("ledger", installation.check_ledger, ("configuration",)),
    Check("ledger sharing", installation.check_ledger_sharing, ("ledger",)),
)
NETWORK = (
    Check("connection", gateway.check_connection),
    Check("user key", keys.check_user_key),
    Check("payer key", keys.check_payer_key),
    Check("gateway", gateway.check_gateway, ("connection",)),
    Check("clock", gateway.check_clock, ("gateway",)),
    Check("token", gateway.check_token, ("gateway", "clock")),
    Check("payout method", payouts.check_method, ("token",)),
    Check("node", gateway.check_node, ("connection",)),
    Check("active era", gateway.check_active_era, ("token", "node")),
    Check("calendar", gateway.check_calendar, ("active era",)),
    Check("nonces", payouts.check_nonces, ("token",)),
    Check("fee", payouts.check_fee, ("token",)),
    Check("funds", payouts.check_funds, ("fee",)),
    Check("under way", payouts.check_in_flight, ("ledger",)),
    Check("owed", payouts.check_owed, ("ledger", "token", "active era")),
    Check("accounts", accounts.check_accounts, ("ledger",)),
    Check("alerts", alerts.check_alerts),
)
AIRFLOW = (
    Check("secrets", airflow.check_secrets),
    Check("airflow", airflow.check_airflow, ("configuration",)),
)


@dataclass
class Examination:
    """Runs the checks of a set-up, and calls `on_step` after each."""

    setup: SetUp
    on_step: Callable[[], None] = lambda: None
    _failed: set[str] = field(default_factory=set)

    def findings(self) -> Iterator[Finding]:
        """All findings. One note names the checks that cannot run before an error is fixed."""
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
                for finding in _run_check(check, case):
                    if finding.level is Level.ERROR:
                        self._failed.add(check.name)
                    yield replace(finding, check=check.name, network=network)
            self.on_step()
        if left_out:
            rest = note(f"not checked until that is fixed: {', '.join(left_out)}", "Then run this again")
            yield replace(rest, check="the rest", network=network)


def _run_check(check: Check, case: SetUp | Case) -> Iterator[Finding]:
    try:
        yield from check.run(case)
    except StakingGatewayError as problem:
        yield failure(problem)
    except AirflowNotFoundException as problem:
        yield error(
            problem_of(problem),
            "Create the connection in Admin > Connections or with airflow connections add; or correct its name",
        )
