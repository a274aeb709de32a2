"""A Docker engine: the one that runs, or one that is started for the tests; with a Compose that can drive it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

DEBIAN_PACKAGES = ("docker.io", "docker-compose", "debootstrap")
_START_SECONDS = 120


class Refused(AssertionError):
    """A program ended with another status than 0."""


def run(*command, timeout=600, check=True, **more):
    """Run a program; returns it with its output as text.

    :raises Refused: it failed, and `check` is true; quotes the end of what it printed.
    """
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=timeout, check=False, **more
    )
    if check and ended.returncode:
        raise Refused(
            f"{' '.join(map(str, command))}\nended with {ended.returncode}:\n{(ended.stdout + ended.stderr)[-6000:]}"
        )
    return ended


def install():
    """Install Docker, Compose and what makes base images, as far as they are missing and that is possible without asking."""
    present = shutil.which("dockerd") and shutil.which("debootstrap") and find_compose()
    if not present and shutil.which("apt-get") and os.geteuid() == 0:
        run("apt-get", "update")
        run(
            "apt-get",
            "install",
            "-y",
            "--no-install-recommends",
            *DEBIAN_PACKAGES,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )
    assert find_docker(), "There is no Docker that can build with BuildKit. Install Docker 20.10 or newer with buildx"
    assert find_compose(), "There is no Docker Compose. Install docker-compose, or the compose plugin of Docker"


def find_docker():
    """A docker command that can build with BuildKit: versions before 23 bring it along, later ones need buildx beside them."""
    for folder in os.get_exec_path():
        program = Path(folder) / "docker"
        if not os.access(program, os.X_OK):
            continue
        version = re.search(r"version (\d+)", run(program, "--version").stdout)
        if (version and int(version[1]) < 23) or run(program, "buildx", "version", check=False).returncode == 0:
            return str(program)
    return None


def find_compose():
    """The command of Docker Compose: the plugin, or the program of its own."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]) and run(*command, "version", check=False).returncode == 0:
            return command
    return None


class Engine:
    """A context manager: the engine that answers, or one of its own until the end.

    :param folder: for its log.
    """

    def __init__(self, folder):
        self._log = folder / "dockerd.log"
        self._daemon = None

    def __enter__(self):
        install()
        self.program, self.compose = find_docker(), find_compose()
        if not self._answers():
            with self._log.open("wb") as log:
                self._daemon = subprocess.Popen(["dockerd"], stdout=log, stderr=log, start_new_session=True)
            self._wait()
        return self

    def __exit__(self, *raised):
        if self._daemon is not None:
            os.killpg(self._daemon.pid, signal.SIGTERM)
            self._daemon.wait(timeout=_START_SECONDS)

    def docker(self, *arguments, **more):
        """Run `docker ...`."""
        return run(self.program, *arguments, **more)

    def build(self, tag, folder, *options, network="host", timeout=3600):
        """Build an image with BuildKit."""
        command = [self.program, "build", "--quiet", "--network", network, "--tag", tag, *options, folder]
        run(*command, timeout=timeout, env={**os.environ, "DOCKER_BUILDKIT": "1"})

    def has_image(self, tag):
        """Whether an image is here."""
        return self.docker("image", "inspect", tag, check=False).returncode == 0

    def inspect(self, *names):
        """What `docker inspect` tells of containers or images."""
        return json.loads(self.docker("inspect", *names).stdout) if names else []

    def ids(self, kind, *options):
        """Ids of containers, volumes or networks."""
        return self.docker(kind, "ls", "--quiet", *options).stdout.split()

    def _answers(self):
        return self.docker("info", check=False).returncode == 0

    def _wait(self):
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            tail = self._log.read_text(errors="replace")[-3000:]
            assert self._daemon.poll() is None, f"dockerd has ended:\n{tail}"
            assert time.monotonic() < until, f"dockerd does not answer:\n{tail}"
            time.sleep(0.5)
