"""All checks in their order: the first that fails explains the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway.health.facts import LiveFacts
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.doctor import (
    accounts,
    airflow,
    alerts,
    gateway,
    installation,
    keys,
    payouts,
)
from staking_gateway_provider.doctor.case import Case, SetUp
from staking_gateway_provider.doctor.findings import Finding, Level, failure, note
from staking_gateway_provider.doctor.ranking import Causes, find_network_causes, with_causes


@dataclass(frozen=True)
class Check:
    """One check: `run` takes the `SetUp` or a `Case`, after the checks of `needs` have succeeded.

    :param topic: the section of the runbook of a finding that names none.
    """

    name: str
    run: Callable[[Any], Iterable[Finding]]
    topic: Topic
    needs: tuple[str, ...] = ()


INSTALLATION = (
    Check("configuration", installation.check_configuration, Topic.CONFIGURATION),
    Check("ledger", installation.check_ledger, Topic.LEDGER, ("configuration",)),
    Check("stop", installation.check_stop, Topic.STOPPED, ("ledger",)),
)
NETWORK = (
    Check("connection", gateway.check_connection, Topic.CONNECTION_INVALID),
    Check("user key", keys.check_user_key, Topic.WRONG_KEY),
    Check("payer key", keys.check_payer_key, Topic.WRONG_KEY),
    Check("gateway", gateway.check_gateway, Topic.GATEWAY_FAILS, ("connection",)),
    Check("clock", gateway.check_clock, Topic.TOKEN_REFUSED, ("gateway",)),
    Check("token", gateway.check_token, Topic.TOKEN_REFUSED, ("gateway", "clock")),
    Check("payout method", payouts.check_method, Topic.UNSUPPORTED, ("token",)),
    Check("node", gateway.check_node, Topic.NODE, ("connection",)),
    Check("active era", gateway.check_active_era, Topic.GATEWAY_FAILS, ("token", "node")),
    Check("calendar", gateway.check_calendar, Topic.DRIFT, ("active era",)),
    Check("nonces", payouts.check_nonces, Topic.GATEWAY_FAILS, ("token",)),
    Check("fee", payouts.check_fee, Topic.HELD_FEE, ("token",)),
    Check("funds", payouts.check_funds, Topic.RUNWAY, ("fee",)),
    Check("under way", payouts.check_in_flight, Topic.UNKNOWN, ("ledger",)),
    Check("owed", payouts.check_owed, Topic.UNPAID, ("ledger", "token", "active era")),
    Check("accounts", accounts.check_accounts, Topic.ACCOUNTS, ("ledger",)),
    Check("alerts", alerts.check_alerts, Topic.ALERTS_NOT_SENT),
)
AIRFLOW = (Check("airflow", airflow.check_airflow, Topic.DAG_MISSING, ("configuration",)),)


@dataclass
class Examination:
    """Runs the checks of a set-up, and calls `on_step` after each. `findings` fills in the `causes` of the networks."""

    setup: SetUp
    on_step: Callable[[], None] = lambda: None
    causes: Causes = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def findings(self) -> list[Finding]:
        """All findings. One note names the checks that cannot run before an error is fixed."""
        with self.setup.stack:
            found = [replace(finding, first=not finding.network) for finding in self._run(INSTALLATION, self.setup)]
            silent = {}
            for name, config in self.setup.networks().items():
                failed = set(self._failed)
                of_network = list(self._run(NETWORK, Case(self.setup, name, config), network=name))
                found += of_network
                if (problem := _silence(of_network)) is not None:
                    silent[name] = problem
                self._failed = failed
            found += self._run(AIRFLOW, self.setup)
            self.causes = find_network_causes(self.setup, silent)
            return with_causes(found, self.causes)

    def _run(self, checks: Sequence[Check], case: SetUp | Case, network: str = "") -> Iterator[Finding]:
        left_out = []
        for check in checks:
            if self._failed.intersection(check.needs):
                self._failed.add(check.name)
                left_out.append(check.name)
            else:
                for finding in _run_check(check, case):
                    of_another = finding.network not in ("", network)
                    if finding.level is Level.ERROR and not of_another:
                        self._failed.add(check.name)
                    name = finding.network or network
                    yield replace(finding, check=check.name, network=name, topic=finding.topic or check.topic)
            self.on_step()
        if left_out:
            rest = note(f"not checked until that is fixed: {', '.join(left_out)}", "Then run this again")
            yield replace(rest, check="the rest", network=network)


def _silence(findings: Sequence[Finding]) -> LiveFacts | None:
    """The known failure of a gateway that has failed the checks; None when it answers."""
    failed = (one for one in findings if one.level is Level.ERROR and one.check in ("connection", "gateway", "token"))
    first = next(failed, None)
    if first is None:
        return None
    remedy = first.remedy if first.own else ""
    return LiveFacts(problem=Problem(first.topic or Topic.GATEWAY_FAILS, first.what, own_remedy=remedy))


def _run_check(check: Check, case: SetUp | Case) -> Iterator[Finding]:
    try:
        yield from check.run(case)
    except StakingGatewayError as problem:
        yield failure(problem)
