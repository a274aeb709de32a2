"""The addresses that errors, alerts, findings and links end with."""

import pytest
import yaml

from staking_gateway.topics import Topic
from staking_gateway_provider import help as runbook_help
from staking_gateway_provider.help import docs_address, help_address, help_line, page_address


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
        ("", "/staking/help#paused"),
    ],
)
def test_the_help_is_below_the_address_of_the_api_server(base_url, base, address):
    base_url(base)
    assert help_address(Topic.PAUSED) == address
    assert help_address() == address.removesuffix("#paused")
    assert help_line(Topic.PAUSED) == f"Help: {address}"


def test_a_documentation_site_is_named_too(base_url, monkeypatch):
    base_url("https://airflow.example")
    assert docs_address(Topic.PAUSED) is None
    monkeypatch.setattr(
        runbook_help,
        "metadata",
        lambda name: Metadata("Source, https://code.example", "Documentation, https://docs.example/"),
    )
    runbook_help._docs_site.cache_clear()
    try:
        assert docs_address(Topic.PAUSED) == "https://docs.example/runbook.html#paused"
        assert help_line(Topic.PAUSED) == (
            "Help: https://airflow.example/staking/help#paused or https://docs.example/runbook.html#paused"
        )
    finally:
        runbook_help._docs_site.cache_clear()


class Metadata:
    def __init__(self, *urls):
        self.urls = urls

    def get_all(self, name, otherwise):
        return self.urls if name == "Project-URL" else otherwise


def test_the_package_names_the_site_that_is_built(pytestconfig):
    site = yaml.safe_load((pytestconfig.rootpath / "mkdocs.yml").read_text()).get("site_url")
    assert docs_address() == (site and f"{site.rstrip('/')}/runbook.html")


def test_the_page_opens_at_the_run(base_url):
    base_url("https://airflow.example")
    assert page_address("staking_payout_a", "manual__2026-01-01T00:00:00+00:00&x") == (
        "https://airflow.example/staking/?dag_id=staking_payout_a&run_id=manual__2026-01-01T00%3A00%3A00%2B00%3A00%26x"
    )
