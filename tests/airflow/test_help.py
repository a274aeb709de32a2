"""The addresses that errors, alerts, findings and links end with."""

import pkgutil
import re
import warnings
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

import staking_gateway
import staking_gateway_provider
from docs.tools.offline import split_heading
from staking_gateway.alerts.find import KINDS
from staking_gateway.errors import EraNotPaid, Failed, GatewayError, StakingGatewayError
from staking_gateway.payout.outcomes import Outcome
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


# --- from what went wrong to its section ---------------------------------------------------------------------------------


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


@pytest.fixture(scope="module")
def sections():
    """The anchors of the runbook, which are those of the page that the API server shows."""
    shown = re.findall(r' id="([^"]+)"', (files("staking_gateway_provider.ui") / "static" / "help.html").read_text())
    page = (Path(__file__).parents[2] / "docs" / "runbook.md").read_text()
    written = {split_heading(heading)[1] for heading in re.findall(r"^#+ (.+)$", page, re.MULTILINE)}
    assert set(shown) == written
    return written


def test_every_error_leads_to_a_section_of_its_own_and_not_to_that_of_the_unexpected(sections):
    errors = every_error()
    assert len(errors) > 20
    for error in errors:
        assert error.usual.anchor in sections, error
    of_rows = {error for error in errors if issubclass(error, GatewayError)}
    assert all(how.topic.anchor in sections for how in Failed)
    unexpected = {error for error in errors if error.usual is Topic.UNEXPECTED}
    assert unexpected == {StakingGatewayError, EraNotPaid, *of_rows}


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_leads_to_its_section(sections, outcome):
    assert outcome.topic.anchor == outcome.value.lower()
    assert outcome.topic.anchor in sections
    assert EraNotPaid(network="a", era=1, outcome=outcome.value, reason="x").problem.topic is outcome.topic


@pytest.mark.parametrize("kind", KINDS)
def test_every_alert_leads_to_a_section(sections, kind):
    _, topic = KINDS[kind]
    assert topic.anchor in sections
