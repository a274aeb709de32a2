"""A Docker engine, the product's image, and the demo in containers."""

from __future__ import annotations

import secrets

import pytest
from bases import base_images, build_options
from composition import ROOT
from engine import Engine
from project import Project, checkout

IMAGE = "staking-gateway-tested:latest"


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    """A Docker engine."""
    with Engine(tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture(scope="module")
def live(engine, tmp_path_factory):
    """The demo with two workers, its first era paid; nobody has clicked anything."""
    images = base_images(engine)
    options = build_options(tmp_path_factory.mktemp("build"))
    engine.build(IMAGE, ROOT, "--build-arg", f"BASE={images['BASE']}", *options)
    folder = checkout(tmp_path_factory.mktemp("checkout"))
    project = Project(engine, f"staking{secrets.token_hex(4)}", folder, **images, STAKING_IMAGE=IMAGE)
    try:
        project.up()
        project.wait(project.executed, "an era is paid")
        project.wait(project.healthy, "every container is healthy")
        yield project
    finally:
        project.down()
