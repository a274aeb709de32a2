"""The plugin that Airflow loads through the `airflow.plugins` entry point."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from airflow.plugins_manager import AirflowPlugin
from airflow.providers.standard.operators.empty import EmptyOperator  # noqa: F401
from airflow.sdk import conf
from scalecodec.utils import ss58  # noqa: F401
from substrateinterface import keypair  # noqa: F401

# The DAG processor and the workers fork once plugins are loaded: what a DAG file imports and reads is then there, and no file and no task loads it anew.
from staking_gateway.errors import ConfigError
from staking_gateway_provider import dags
from staking_gateway_provider.networks import read_config
from staking_gateway_provider.operators import catch_up, era, payout, reconcile, status, watch  # noqa: F401
from staking_gateway_provider.sensors import election  # noqa: F401
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.ui import URL_PREFIX, StakingPage

dags.payouts_asset("any")  # lets Airflow load what knows the schemes of assets
with suppress(ConfigError, OSError):
    read_config().networks()


def page_views() -> list[dict[str, Any]]:
    """The page in the navigation, on every DAG and on every run."""
    below = urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")
    page = f"{below}{URL_PREFIX}/"
    icons = {"icon": f"{page}static/icon.svg", "icon_dark_mode": f"{page}static/icon-dark.svg"}
    places: dict[str, dict[str, Any]] = {
        "nav": {"href": page, "url_route": "staking", "nav_top_level": True},
        "dag": {"href": f"{page}?dag_id={{DAG_ID}}", "url_route": "staking-dag"},
        "dag_run": {"href": f"{page}?dag_id={{DAG_ID}}&run_id={{RUN_ID}}", "url_route": "staking-run"},
    }
    return [{"name": "Staking", "destination": place, **icons, **more} for place, more in places.items()]


class StakingGatewayPlugin(AirflowPlugin):
    """Registers timetable and page."""

    name = "staking_gateway"
    timetables = [EraTimetable]  # noqa: RUF012 - the shape Airflow declares
    fastapi_apps = [{"app": StakingPage(), "url_prefix": URL_PREFIX, "name": "Staking"}]  # noqa: RUF012 - likewise
    external_views = page_views()
