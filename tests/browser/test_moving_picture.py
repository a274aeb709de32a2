"""The Staking page while the network of the demo pays its first eras: a moving picture for the documentation."""

from __future__ import annotations

import io
import re
from datetime import datetime, timezone

import pytest
from PIL import Image
from playwright.sync_api import expect
from tabs import SCREENSHOTS, log_in

from demo.devnet import Devnet, connections
from demo.run import NETWORK, PAYER_KEY, USER_KEY, WINDOW_SECONDS
from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway_provider.shipped import settings_text

SIZE = {"width": 960, "height": 640}
ERAS = 3
FRAME_SECONDS, LAST_SECONDS = 0.9, 4


@pytest.fixture
def devnet(tmp_path):
    config = tmp_path / "staking.yaml"
    config.write_text(settings_text(NETWORK, datetime.now(timezone.utc)))
    network = load_config(config).network(NETWORK)
    port = free_port()
    given = connections(f"http://127.0.0.1:{port}", USER_KEY, network.user, PAYER_KEY, network.payer)
    with AirflowStack(tmp_path / "home", config=config, connections=given) as stack:
        devnet = Devnet(stack, NETWORK, network, port=port, window_seconds=WINDOW_SECONDS)
        devnet.bring_up()
        yield devnet


def test_the_demo_pays_era_after_era_on_the_page(browser, devnet):
    context = browser.new_context(viewport=SIZE)
    tab = context.new_page()
    log_in(tab, devnet.stack, devnet.stack.username, devnet.stack.password)
    tab.goto(f"{devnet.stack.url}/staking/?network={NETWORK}")
    paid = tab.locator(".payouts .cell").filter(has_text=re.compile("^P$"))
    frames = []

    def all_paid():
        shown = Image.open(io.BytesIO(tab.screenshot(animations="disabled"))).convert("RGB")
        if not frames or shown != frames[-1]:
            frames.append(shown)
        return paid.count() >= ERAS

    devnet.wait(all_paid, 180, f"{ERAS} eras are paid on the page", lambda: tab.locator("#headline").inner_text())
    expect(tab.locator("#page")).to_have_attribute("data-level", "ok")
    context.close()
    save(frames)


def save(frames):
    """A GIF of few colours, which stands still at its end."""
    palette = frames[-1].quantize(64)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    lengths = [int(FRAME_SECONDS * 1000)] * (len(drawn) - 1) + [LAST_SECONDS * 1000]
    drawn[0].save(
        SCREENSHOTS / "demo.gif", save_all=True, append_images=drawn[1:], duration=lengths, loop=0, optimize=True
    )
