"""The images the product's containers are made from: the official ones, or where no registry can be reached, stand-ins made here."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from composition import DEFAULTS, ROOT
from engine import run

IMAGES = Path(__file__).parent / "images"
DEBIAN = "staking-compose/debian:bookworm"
STAND_INS = {"BASE": "python", "POSTGRES_IMAGE": "postgres", "REDIS_IMAGE": "redis"}
"""Settings of .env that name an image, and the Dockerfile of its stand-in."""


def base_images(engine):
    """Images by setting of .env, all official or all stand-ins."""
    official = {setting: DEFAULTS[setting] for setting in STAND_INS}
    if all(engine.has_image(image) or engine.pull(image) for image in official.values()):
        return official
    return {setting: _stand_in(engine, name) for setting, name in STAND_INS.items()}


def airflow_image(engine, official, folder):
    """The name of Airflow's official image; if it cannot be pulled, of a stand-in, made in an empty folder."""
    if engine.has_image(official) or engine.pull(official):
        return official
    version = official.rpartition(":")[2]
    tag, context = f"staking-compose/airflow:{version}", folder / "context"
    context.mkdir()
    for path in (ROOT / "requirements.lock", ROOT / "deploy/image/uv", IMAGES / "airflow-entrypoint"):
        shutil.copy(path, context)
    arguments = ("--build-arg", f"BASE={_stand_in(engine, 'python')}", "--build-arg", f"AIRFLOW_VERSION={version}")
    engine.build(tag, context, "--file", IMAGES / "airflow.Dockerfile", *arguments, *build_options(folder))
    return tag


def _stand_in(engine, name):
    """Python, PostgreSQL or Redis on Debian, from Debian's packages; returns the tag."""
    if not engine.has_image(DEBIAN):
        _import_debian(engine)
    tag = f"staking-compose/{name}:bookworm"
    engine.build(tag, IMAGES, "--build-arg", f"BASE={DEBIAN}", "--file", IMAGES / f"{name}.Dockerfile")
    return tag


def _import_debian(engine):
    """A minimal Debian as an image. Its files belong to root, so `rm` removes their folder."""
    folder = run("mktemp", "--directory").stdout.strip()
    try:
        run("debootstrap", "--variant=minbase", "bookworm", folder, timeout=1800)
        command = ["tar", "-C", folder, "-c", "--exclude=./var/cache/apt/archives/*.deb", "."]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:
            engine.docker("import", "-", DEBIAN, stdin=tar.stdout)
        assert tar.returncode == 0
    finally:
        run("rm", "-rf", "--one-file-system", folder)


def build_options(folder):
    """Options that let a build use the package index pip uses here, as secrets, which are in no layer. Their files are in a folder."""
    listed = run(sys.executable, "-m", "pip", "config", "list").stdout
    settings = {name: dict(re.findall(rf"(?m)^{name}\.([\w-]+)='(.*)'$", listed)) for name in ("global", ":env:")}
    found = settings["global"] | settings[":env:"]
    certificates = found.get("cert") or os.environ.get("SSL_CERT_FILE")
    passed = {"index-url": found.get("index-url"), "cert": certificates and "/run/secrets/ca.crt"}
    parser = configparser.RawConfigParser()
    parser["global"] = {name: value for name, value in passed.items() if value}
    with (folder / "pip.conf").open("w") as stream:
        parser.write(stream)
    options = ["--secret", f"id=pip.conf,src={folder / 'pip.conf'}"]
    return [*options, "--secret", f"id=ca.crt,src={certificates}"] if certificates else options
