"""What all tests of a browser share: where pictures are kept, and the login form."""

from __future__ import annotations

from pathlib import Path

SCREENSHOTS = Path(__file__).parents[2] / "docs" / "screenshots"


def log_in(tab, stack, user, password):
    """Log in to Airflow by its form."""
    tab.goto(f"{stack.url}/auth/login")
    tab.fill("input[name=username]", user)
    tab.fill("input[name=password]", password)
    tab.click("button[type=submit]")
    tab.wait_for_url(lambda url: "login" not in url)
