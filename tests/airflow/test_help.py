"""The addresses that errors, alerts, findings and links end with."""

import pkgutil
import warnings
from importlib import import_module
from types import SimpleNamespace

import pytest

import staking_gateway
import staking_gateway_provider
from staking_gateway.errors import EraNotPaid, GatewayError, StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway_provider.reporting import StakingPageLink, help_address, help_line, help_link


@pytest.fixture
def base_url(monkeypatch):
    def set_to(address):
        monkeypatch.setenv("AIRFLOW__API__BASE_URL", address)

    return set_to


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://airflow.example", "https://airflow.example/staking/help#paused"),
        ("https://airflow.example/behind/proxy/", "https://airflow.example/behind/proxy/staking/help#paused"),
        ("", "http://localhost:8080/staking/help#paused"),
        ("/behind/proxy", "http://localhost:8080/behind/proxy/staking/help#paused"),
    ],
)
def test_the_help_is_below_the_address_of_the_api_server(base_url, base, address):
    base_url(base)
    assert help_address(Topic.PAUSED) == address
    assert help_address() == address.removesuffix("#paused")
    assert help_line(Topic.PAUSED) == f"Help: {address}"
    assert help_link(Topic.PAUSED) == address.removeprefix("http://localhost:8080")


def test_the_page_opens_at_the_run(base_url):
    base_url("https://airflow.example")
    run = SimpleNamespace(dag_id="staking_payout_a", run_id="manual__2026-01-01T00:00:00+00:00&x")
    assert StakingPageLink().get_link(None, ti_key=run) == (
        "https://airflow.example/staking/?dag_id=staking_payout_a&run_id=manual__2026-01-01T00%3A00%3A00%2B00%3A00%26x"
    )


# --- from what went wrong to its topic; `test_docs_pages` has the section of each topic ---------------------------------------------------------------------------------


def every_error():
    """All error classes of the core and the provider."""
    for package in (staking_gateway, staking_gateway_provider):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Airflow's own imports warn of one another
                import_module(module.name)
    found = [StakingGatewayError]
    for one in found:
        found += [sub for sub in one.__subclasses__() if sub not in found]
    return [one for one in found if one.__module__.split(".")[0] in ("staking_gateway", "staking_gateway_provider")]


def test_every_error_has_a_topic_of_its_own_and_not_that_of_the_unexpected():
    errors = every_error()
    assert len(errors) > 15
    of_rows = {error for error in errors if issubclass(error, GatewayError)}
    unexpected = {error for error in errors if error.usual is Topic.UNEXPECTED}
    assert unexpected == {StakingGatewayError, EraNotPaid, *of_rows}
