"""Metrics of payouts, through Airflow's metrics backend, with the network as a tag.

While `[metrics] legacy_names_on` is true, each is also sent with the network in its name, for StatsD without tags.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from airflow.sdk import conf
from airflow.sdk.observability import stats

from staking_gateway.alerts import Watch
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import Failed, GatewayError
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.outcomes import EraOutcome

_log = logging.getLogger(__name__)
PREFIX = "staking"
METRICS = {
    "eras_unpaid": "gauge",
    "oldest_unpaid_age_seconds": "gauge",
    "era_end_to_confirmed_seconds": "timing",
    "era_fee": "gauge",
    "accounts_not_staking": "gauge",
    "gateway_errors": "counter",
    "runway_eras": "gauge",
    "alerts_open": "gauge",
    "alerts_unsent": "gauge",
}
"""Every metric, without its prefix, and its kind; see `docs/alerts.md`."""


def emit_watch(network: str, found: Watch) -> None:
    """Send the metrics of a checked network, without unknown values."""
    state, owed = found.state, found.state.owed
    age = (state.now - state.calendar.end(min(owed))).total_seconds() if owed else 0
    _send(stats.gauge, "eras_unpaid", network, len(owed))
    _send(stats.gauge, "oldest_unpaid_age_seconds", network, max(0, round(age)))
    _send(stats.gauge, "alerts_open", network, len(found.open))
    if found.unexpected is not None:
        _send(stats.gauge, "accounts_not_staking", network, found.unexpected)
    if (runway := state.runway) is not None:
        _send(stats.gauge, "runway_eras", network, runway)


def emit_unsent(network: str, left: int) -> None:
    """Send the number of unsent messages."""
    _send(stats.gauge, "alerts_unsent", network, left)


def emit_paid(outcome: EraOutcome, actor: Actor, config: NetworkConfig) -> None:
    """Send the metrics of a newly paid era, once: by the try that settled its last part."""
    if not outcome.outcome.is_green or outcome.parts[-1].settled_by != str(actor):
        return
    executed = [part for part in outcome.parts if part.state is PayoutState.CONFIRMED]
    confirmed = [part.confirmed_at for part in executed if part.confirmed_at is not None]
    fees = [part.fee for part in executed if part.fee is not None]
    if fees:
        _send(stats.gauge, "era_fee", outcome.network, sum(fees))
    if confirmed:
        lag = max(max(confirmed) - config.calendar.end(outcome.era), timedelta(0))
        _send(stats.timing, "era_end_to_confirmed_seconds", outcome.network, lag)


def count_error(network: str, error: GatewayError) -> None:
    """Count a failed call to the gateway, except a probe of a method that it does not have.

    A failure to count is logged: the error of the call itself matters more.
    """
    if error.how is Failed.NO_METHOD:
        return
    try:
        _send(stats.incr, "gateway_errors", network, 1, error=error.how.name.lower())
    except Exception:  # noqa: BLE001 - it is logged, and the failed call itself is raised
        _log.exception("A failed call could not be counted")


def _send(send: Callable[..., object], metric: str, network: str, value: object, **more: str) -> None:
    """Send with tags, and with the tags in the name."""
    send(f"{PREFIX}.{metric}", value, tags={"network": network, **more})
    if conf.getboolean("metrics", "legacy_names_on", fallback=True):
        send(".".join([PREFIX, network, metric, *more.values()]), value, tags={})
