"""Checks all networks, and sends their alerts, also while `staking.yaml` has mistakes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import requests
from airflow.sdk import BaseOperator, conf
from airflow.sdk.exceptions import AirflowRuntimeError

from staking_gateway.alerts import Delivery, deliver, note_mistake, watch
from staking_gateway.config.file import ConfigFile
from staking_gateway.config.models import AlertSettings, NetworkConfig
from staking_gateway.errors import ConfigError
from staking_gateway.health.state import AirflowFacts
from staking_gateway.ledger import Ledger
from staking_gateway_provider.alerting import ask_gateway, configured_receivers, log_message, raise_if_left
from staking_gateway_provider.metrics import emit_unsent, emit_watch
from staking_gateway_provider.networks import open_ledger, read_config
from staking_gateway_provider.reporting import LINKS, logs_failure
from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG, PROGRAMS

log = logging.getLogger(__name__)

ALL_NETWORKS = "all networks"
"""In ledger and messages, the name of the file as a whole; no network can have this name."""
_KNOWN = "known"
_AT_ONCE = 8
"""Gateways that are asked at a time."""
_HEALTHY, _HEALTH_SECONDS = "healthy", 5.0


class StakingWatchOperator(BaseOperator):
    """Checks all networks of `staking.yaml`, and sends their alerts, also about mistakes in the file.

    A message about a mistake goes to the receivers of the network: those that the last run could read, or else those of the other networks. The task fails
    while a mistake stops a network, or a message could not be sent; the next run sends it. Returns the number of open alerts by network.
    """

    operator_extra_links: Any = LINKS

    @logs_failure
    def execute(self, context: Any) -> dict[str, int]:
        """Check the networks and send the alerts.

        :raises ConfigError: the file, or the settings of a network, have a mistake; its alert was sent.
        :raises StakingGatewayError: a notifier or the ledger failed; the next run sends the same messages.
        """
        last = _Known.of_last_run(context)
        try:
            file = read_config()
            known = last.updated(file)
        except ConfigError as error:
            self._report_file(context, error, last)
            raise
        if known != last:
            context["ti"].xcom_push(key=_KNOWN, value=known.as_dict())
        networks, mistakes = file.networks()
        with closing(open_ledger()) as ledger:
            check = _Check(ledger, context, known)
            check.report_mistakes(mistakes)
            open_alerts = check.watch(networks)
        raise_if_left(check.deliveries.values())
        if mistakes:
            raise next(iter(mistakes.values()))
        return open_alerts

    def _report_file(self, context: Any, error: ConfigError, known: _Known) -> None:
        """Send the alert about the whole file, if an earlier run has read the name of the ledger."""
        if known.ledger is None:
            log.error("No receiver is known yet. %s", error)
            return
        with closing(open_ledger(known.ledger)) as ledger:
            check = _Check(ledger, context, known)
            check.report_mistakes({ALL_NETWORKS: error})
        raise_if_left(check.deliveries.values())


@dataclass(frozen=True)
class _Known:
    """The settings of the last readable file: of alerts by network, and the ledger's connection; empty: none is named; None: never read."""

    ledger: str | None = None
    alerts: Mapping[str, AlertSettings] = field(default_factory=dict)

    @classmethod
    def of_last_run(cls, context: Any) -> _Known:
        task_instance = context["ti"]
        stored = task_instance.xcom_pull(task_ids=task_instance.task_id, key=_KNOWN, include_prior_dates=True)
        if not isinstance(stored, dict):
            return cls()
        alerts = {name: AlertSettings.model_validate(settings) for name, settings in stored["alerts"].items()}
        return cls(stored["ledger"], alerts)

    def updated(self, file: ConfigFile) -> _Known:
        """With the present settings of the file; a network without settings is forgotten. It must be certain which ledger the file names."""
        found = {name: file.alert_settings(name) for name in file.enabled}
        alerts = {
            name: AlertSettings(notifiers=one.notifiers) if one else self.alerts.get(name)
            for name, one in found.items()
        }
        return _Known(file.ledger_conn_id or "", {name: one for name, one in alerts.items() if one is not None})

    def receivers(self, name: str, context: Any) -> Mapping[str, Any]:
        """The receivers of a network; those of all networks if it has no known settings."""
        alerts = {name: self.alerts[name]} if name in self.alerts else self.alerts
        return {"log": log_message, **configured_receivers(alerts, context)}

    def as_dict(self) -> dict[str, Any]:
        alerts = {name: one.model_dump(mode="json", include={"notifiers"}) for name, one in self.alerts.items()}
        return {"ledger": self.ledger, "alerts": alerts}


class _Check:
    """One check with an open ledger; `deliveries` are the sent messages, by network."""

    def __init__(self, ledger: Ledger, context: Any, known: _Known) -> None:
        self._ledger = ledger
        self._context = context
        self._known = known
        self.deliveries: dict[str, Delivery] = {}

    def report_mistakes(self, mistakes: Mapping[str, ConfigError]) -> None:
        for name, error in {ALL_NETWORKS: None, **mistakes}.items():
            note_mistake(name, error, self._ledger.journal.alerts)
            self._send(name)

    def watch(self, networks: Mapping[str, NetworkConfig]) -> dict[str, int]:
        programs = reported_programs()
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            asked = pool.map(lambda name: ask_gateway(networks[name], count_as=name), networks)
            answers = dict(zip(networks, asked, strict=True))
        found = {}
        for name, network in networks.items():
            airflow = None if programs is None else with_dags(programs, name, self._context)
            watched = watch(name, network, self._ledger, answers[name], airflow=airflow)
            emit_watch(name, watched)
            self._send(name)
            found[name] = len(watched.open)
        for message in self._ledger.journal.alerts.unsent():
            if message.network not in self.deliveries:  # it has left the settings, or is disabled
                self._send(message.network)
        return found

    def _send(self, name: str) -> None:
        receivers = self._known.receivers(name, self._context)
        delivery = deliver(name, self._ledger.journal.alerts, receivers)
        if name != ALL_NETWORKS:
            emit_unsent(name, delivery.left)
        self.deliveries[name] = delivery


# --- Airflow: a task cannot read its database ------------------------------------------------------------------------------


def reported_programs() -> AirflowFacts | None:
    """Airflow's programs by the report of the API server, which needs no login; None: no report."""
    server = conf.get("core", "execution_api_server_url", fallback="") or conf.get("api", "base_url", fallback="")
    if not server.startswith(("http://", "https://")):
        return None
    try:
        address = f"{server.rstrip('/').removesuffix('/execution')}/api/v2/monitor/health"
        health = requests.get(address, timeout=_HEALTH_SECONDS).json()
        if health["metadatabase"]["status"] != _HEALTHY:
            return None
        dead = {
            topic: (last := health[program].get(f"latest_{program}_heartbeat")) and datetime.fromisoformat(last)
            for program, topic in PROGRAMS.items()
            if health[program]["status"] != _HEALTHY
        }
    except (requests.RequestException, ValueError, KeyError, TypeError, AttributeError) as error:
        log.info("The API server does not report the state of Airflow's programs (%s)", type(error).__name__)
        return None
    return AirflowFacts(dead=dead)


def with_dags(known: AirflowFacts, name: str, context: Any) -> AirflowFacts:
    """The same with the state of a network's DAGs: paused or not. Unchanged for an unknown DAG."""
    payout, catch_up = (_is_paused(prefix + name, context) for prefix in (PAYOUT_DAG, CATCH_UP_DAG))
    found = replace(known, catch_up_paused=bool(catch_up))
    return found if payout is None else replace(found, known=True, paused=payout)


def _is_paused(dag_id: str, context: Any) -> bool | None:
    try:
        return bool(context["ti"].get_dag(dag_id).is_paused)
    except AirflowRuntimeError as error:
        log.info("Airflow does not report the DAG %s (%s)", dag_id, error)
        return None
