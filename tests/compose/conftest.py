"""A Docker engine, the product's image, and the demo in containers."""

from __future__ import annotations

import secrets
import time

import pytest
from bases import base_images, build_airflow
from engine import Engine
from project import Project, checkout

IMAGE = "staking-gateway-tested:latest"
FIGURES = pytest.StashKey[list]()


def pytest_configure(config):
    config.stash[FIGURES] = []


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash[FIGURES]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def measured(request):
    """Writes a line below the results: what was measured on the way."""
    return request.config.stash[FIGURES].append


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    """A Docker engine."""
    with Engine(tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture(scope="session")
def images(engine, measured, tmp_path_factory):
    """Images by setting of .env: base images, and the product's own."""
    began = time.monotonic()
    found = base_images(engine)
    ready = time.monotonic()
    build_airflow(engine, IMAGE, found["BASE"], tmp_path_factory.mktemp("build"))
    size, base = (engine.inspect(image)[0]["Size"] / 1e6 for image in (IMAGE, found["BASE"]))
    measured(f"base images {', '.join(found.values())}: {ready - began:.0f} s")
    measured(f"image: {size:.0f} MB, of which its base {base:.0f} MB; built in {time.monotonic() - ready:.0f} s")
    return {**found, "STAKING_IMAGE": IMAGE}


@pytest.fixture(scope="session")
def live(engine, images, measured, tmp_path_factory):
    """The demo with two workers, its first era paid; nobody has clicked anything. In the end nothing is left of it."""
    folder = checkout(tmp_path_factory.mktemp("checkout"))
    project = Project(engine, f"staking{secrets.token_hex(4)}", folder, **images)
    began = time.monotonic()
    try:
        project.up()
        up = time.monotonic() - began
        project.wait(project.executed, "an era is paid")
        measured(f"docker compose up: {up:.0f} s; first era paid after {time.monotonic() - began:.0f} s")
        project.wait(project.healthy, "every container is healthy")
        yield project
    finally:
        project.down()
    assert project.left_over() == []
