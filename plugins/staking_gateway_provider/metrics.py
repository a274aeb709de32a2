"""Metrics of payouts, through Airflow's metrics backend, with the network as a tag.

While `[metrics] legacy_names_on` is true, each is also sent with the network in its name, for StatsD without tags.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from airflow.sdk import conf
from airflow.sdk.observability import stats

from staking_gateway.errors import GatewayError, RpcMethodNotFound, StakingGatewayError
from staking_gateway.ledger.records import PayoutState

if TYPE_CHECKING:
    from staking_gateway.alerts.delivery import Watch
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger, Payout

_log = logging.getLogger(__name__)
C = TypeVar("C")
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
    age = found.oldest_unpaid_age
    _gauge("eras_unpaid", network, len(found.findings.unpaid))
    _gauge("oldest_unpaid_age_seconds", network, 0 if age is None else max(0, round(age.total_seconds())))
    _gauge("alerts_open", network, found.total)
    if found.findings.checked:
        _gauge("accounts_not_staking", network, found.findings.unexpected)
    if found.findings.runway is not None:
        _gauge("runway_eras", network, found.findings.runway)


def emit_unsent(network: str, left: int) -> None:
    """Send the number of unsent messages."""
    _gauge("alerts_unsent", network, left)


def emit_settled(settled: Sequence[Payout], ledger: Ledger, config_of: Callable[[str], NetworkConfig | None]) -> None:
    """Send the metrics of newly paid eras, once per era: by the process that settles the last part.

    :param settled: parts that this process has just settled, of any era and network.
    :param config_of: the settings of a network; None skips it.
    """
    from staking_gateway.payout.standing import is_paid

    mine = {part.id for part in settled}
    for network, era in sorted({(part.network, part.era) for part in settled}):
        config = config_of(network)
        if config is None:
            continue
        records = ledger.era_payouts(network, era)
        # Only the process that settled the last part sends the metrics.
        last = max((record for record in records if record.state.settled), key=lambda record: record.part)
        if is_paid(records, config.payout.calls) and last.id in mine:
            _emit_paid(network, config, era, records)


def _emit_paid(network: str, config: NetworkConfig, era: int, records: Sequence[Payout]) -> None:
    executed = [part for part in records if part.state is PayoutState.CONFIRMED]
    confirmed = [part.confirmed_at for part in executed if part.confirmed_at is not None]
    fees = [part.fee for part in executed if part.fee is not None]
    if fees:
        _gauge("era_fee", network, sum(fees))
    if confirmed:
        lag = max(max(confirmed) - config.calendar.end(era), timedelta(0))
        _each("era_end_to_confirmed_seconds", network, lambda name, tags: stats.timing(name, lag, tags=tags))


def count_errors(network: str, kinds: Mapping[type[StakingGatewayError], int]) -> None:
    """Count failed calls to the gateway, except probes of methods that it does not have."""
    for kind, count in kinds.items():
        if issubclass(kind, GatewayError) and not issubclass(kind, RpcMethodNotFound):
            send = partial(_count, count)
            _each("gateway_errors", network, send, error=kind.__name__)


def _count(count: int, name: str, tags: dict[str, str]) -> None:
    stats.incr(name, count, tags=tags)


def counting_errors(client: C, network: str) -> C:
    """A client that counts its failed calls by their exception class."""
    return cast("C", _Counting(client, network))


class _Counting:
    def __init__(self, client: Any, network: str) -> None:
        self._client = client
        self._network = network

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found):
            return found

        @wraps(found)
        def call(*arguments: Any, **options: Any) -> Any:
            try:
                return found(*arguments, **options)
            except GatewayError as error:
                # A failure to count must not hide the failed call from the engine.
                try:
                    count_errors(self._network, {type(error): 1})
                except Exception:  # noqa: BLE001 - it is logged, and the failed call itself is raised
                    _log.exception("A failed call could not be counted")
                raise

        return call


def _gauge(metric: str, network: str, value: int) -> None:
    _each(metric, network, lambda name, tags: stats.gauge(name, value, tags=tags))


def _each(metric: str, network: str, send: Callable[[str, dict[str, str]], object], **more: str) -> None:
    """Send with tags, and with the tags in the name."""
    send(f"{PREFIX}.{metric}", {"network": network, **more})
    if conf.getboolean("metrics", "legacy_names_on", fallback=True):
        send(".".join([PREFIX, network, metric, *more.values()]), {})
