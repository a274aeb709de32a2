"""A demo from a copy of the checkout, and what its Airflow and its simulator tell."""

from __future__ import annotations

import re
import shutil
import signal

import pytest
import yaml
from demos import CONFIG, Demo, StackOfDemo

from demo.devnet import Devnet, connections
from demo.run import NETWORK, PAYER_KEY, USER_KEY, WINDOW_SECONDS
from demo.stack import ROOT
from staking_gateway.config.loader import load_config

ERA_LENGTH = "12s"
IDLE = "0x02" + "01" * 31
"""A public key whose account does not stake, by the simulator's rule: its second byte is odd."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what the demo needs of the checkout; eras are shorter, and one account does not stake."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("demo", "dags", CONFIG, "plugins/.airflowignore"):
        (folder / name).parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    settings = yaml.safe_load((folder / CONFIG).read_text())
    network = settings["networks"][NETWORK]
    network["calendar"]["era_length"] = ERA_LENGTH
    network["statuses"]["chunk_size"] = 2
    network["accounts"] = [*network["accounts"][:2], {"account": IDLE, "label": "idle", "expect": "not_staking"}]
    (folder / CONFIG).write_text(yaml.safe_dump(settings))
    return folder


@pytest.fixture(scope="module")
def start(checkout, tmp_path_factory):
    """Starts demos; what still runs of them at the end is ended."""
    demos, folder = [], tmp_path_factory.mktemp("output")

    def start(**variables):
        demos.append(Demo(checkout, folder / f"demo-{len(demos)}.txt", **variables))
        return demos[-1]

    yield start
    for demo in demos:
        if demo.process.poll() is None:
            demo.signal(signal.SIGTERM)


@pytest.fixture(scope="module")
def demo(start):
    """A demo that has paid an era, and goes on. Not for the whole session: it keeps a processor busy."""
    demo = start(ERAS="1", KEEP="1")
    demo.wait_for("Ctrl-C ends it all")
    return demo


@pytest.fixture(scope="module")
def devnet(demo, checkout):
    """The network of the demo: its Airflow, and its simulator."""
    port = int(re.search(r"Simulator at http://127\.0\.0\.1:(\d+)", demo.text())[1])
    network = load_config(checkout / CONFIG).network(NETWORK)
    given = connections(f"http://127.0.0.1:{port}", USER_KEY, network.user, PAYER_KEY, network.payer)
    stack = StackOfDemo(demo, checkout, given)
    stack.api.log_in()
    yield Devnet(stack, NETWORK, network, port=port, window_seconds=WINDOW_SECONDS)
    stack.api.close()
