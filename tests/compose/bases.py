"""The images the product's containers are made from: the official ones, or where no registry can be reached, stand-ins made here."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from engine import Refused, run

ROOT = Path(__file__).resolve().parents[2]
IMAGES = Path(__file__).parent / "images"
DEBIAN = "staking-compose/debian:bookworm"
STAND_INS = {"BASE": "python", "POSTGRES_IMAGE": "postgres", "REDIS_IMAGE": "redis"}
"""Settings of .env that name an image, and the Dockerfile of its stand-in."""
STAND_IN_LABEL = "staking-compose.stand-in"


def defaults():
    """The images docker-compose.yml names, by setting."""
    text = (ROOT / "docker-compose.yml").read_text()
    return {name: re.search(rf"\$\{{{name}:-([^}}]+)\}}", text)[1] for name in STAND_INS}


def base_images(engine):
    """Images by setting of .env, all official or all stand-ins."""
    official = defaults()
    try:
        for image in official.values():
            engine.has_image(image) or engine.docker("pull", "--quiet", image)
    except Refused:
        return stand_ins(engine)
    return official


def stand_ins(engine):
    """Debian, and Python, PostgreSQL and Redis on it, from Debian's packages."""
    return {setting: stand_in(engine, name) for setting, name in STAND_INS.items()}


def stand_in(engine, name):
    """Build one stand-in on Debian; returns its tag."""
    if not engine.has_image(DEBIAN):
        _import_debian(engine)
    tag = f"staking-compose/{name}:bookworm"
    engine.build(tag, IMAGES, "--build-arg", f"BASE={DEBIAN}", "--file", IMAGES / f"{name}.Dockerfile")
    return tag


@contextmanager
def official_airflow(engine, image, folder):
    """Airflow's own image under its own name: the official one; if it cannot be pulled, a stand-in that has the name until the end.

    :param image: the name, with Airflow's version as tag.
    :param folder: an empty one.
    :returns: whether it is the official one.
    """
    pulled = _pulled(engine, image)
    if not pulled:
        engine.docker("tag", _stand_in_of_airflow(engine, image.rpartition(":")[2], folder), image)
    try:
        yield pulled
    finally:
        if not pulled:
            engine.docker("rmi", "--no-prune", image)


def _pulled(engine, image):
    """Whether an image is here that is no stand-in, or can be pulled."""
    if engine.has_image(image) and STAND_IN_LABEL not in (engine.inspect(image)[0]["Config"]["Labels"] or {}):
        return True
    return engine.docker("pull", "--quiet", image, check=False).returncode == 0


def _stand_in_of_airflow(engine, version, folder):
    tag, context = f"staking-compose/airflow:{version}", folder / "context"
    context.mkdir()
    for path in (ROOT / "requirements.lock", ROOT / "deploy/image/uv", IMAGES / "airflow-entrypoint"):
        shutil.copy(path, context)
    arguments = {"BASE": stand_in(engine, "python"), "AIRFLOW_VERSION": version}
    options = [part for name, value in arguments.items() for part in ("--build-arg", f"{name}={value}")]
    engine.build(tag, context, "--file", IMAGES / "airflow.Dockerfile", *options, *build_options(folder))
    return tag


def _import_debian(engine):
    """A minimal Debian as an image; the folder it is made in is the engine's to forget."""
    folder = Path(run("mktemp", "--directory").stdout.strip())
    try:
        run("debootstrap", "--variant=minbase", "bookworm", folder, timeout=1800)
        with subprocess.Popen(
            ["tar", "-C", folder, "-c", "--exclude=./var/cache/apt/archives/*.deb", "."], stdout=subprocess.PIPE
        ) as tar:
            engine.docker("import", "-", DEBIAN, stdin=tar.stdout)
        assert tar.returncode == 0
    finally:
        run("rm", "-rf", "--one-file-system", folder)


def build_options(folder):
    """Options that let a build use the package index pip uses here, as secrets: they are in no layer.

    :param folder: for the files of the secrets.
    """
    told = run(sys.executable, "-m", "pip", "config", "list").stdout
    settings = dict(re.findall(r"^global\.([\w-]+)='(.*)'$", told, re.MULTILINE))
    settings |= dict(re.findall(r"^:env:\.([\w-]+)='(.*)'$", told, re.MULTILINE))
    certificates = settings.get("cert") or os.environ.get("SSL_CERT_FILE")
    passed = {name: settings[name] for name in ("index-url",) if name in settings}
    options = []
    if certificates:
        passed["cert"] = "/run/secrets/ca.crt"
        options += ["--secret", f"id=ca.crt,src={certificates}"]
    if passed:
        file = folder / "pip.conf"
        parser = configparser.RawConfigParser()
        parser["global"] = passed
        with file.open("w") as stream:
            parser.write(stream)
        options += ["--secret", f"id=pip.conf,src={file}"]
    return options


def build_airflow(engine, tag, base, folder):
    """The product's image, from this checkout."""
    engine.build(tag, ROOT, "--build-arg", f"BASE={base}", *build_options(folder))
