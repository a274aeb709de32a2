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

from tests.support import debian

_START_SECONDS = 120


def run(*command, timeout=600, check=True, **more):
    """Run a program; returns it with its output as text. With `check`, a failure quotes the end of what it printed."""
    command = [str(word) for word in command]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **more)
    said = (ended.stdout + ended.stderr)[-6000:]
    assert not check or ended.returncode == 0, f"{' '.join(command)}\nended with {ended.returncode}:\n{said}"
    return ended


def install():
    """Install Docker, Compose and debootstrap, as far as they are missing and that is possible without asking."""
    if not (shutil.which("dockerd") and shutil.which("debootstrap") and find_compose()):
        debian.install("docker.io", "docker-compose", "debootstrap")
    assert find_docker(), "There is no Docker that can build with BuildKit. Install Docker 20.10 or newer with buildx"
    assert find_compose(), "There is no Docker Compose. Install docker-compose, or the compose plugin of Docker"


def find_docker():
    """A docker command that can build with BuildKit: versions before 23 contain it, later ones need buildx beside them."""
    for folder in os.get_exec_path():
        program = Path(folder) / "docker"
        if os.access(program, os.X_OK):
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
    """A context manager: the engine that answers, or one of its own until the end, with its log in a folder."""

    def __init__(self, folder):
        self._log = folder / "dockerd.log"
        self._daemon = None

    def __enter__(self):
        install()
        self.program, self.compose = find_docker(), find_compose()
        if not self._answers():
            with self._log.open("wb") as log:
                self._daemon = subprocess.Popen(["dockerd"], stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + _START_SECONDS
        while not self._answers():
            working = self._daemon.poll() is None and time.monotonic() < until
            assert working, f"dockerd does not answer:\n{self._log.read_text(errors='replace')[-3000:]}"
            time.sleep(0.5)
        return self

    def __exit__(self, *raised):
        if self._daemon is not None:
            os.killpg(self._daemon.pid, signal.SIGTERM)
            self._daemon.wait(timeout=_START_SECONDS)

    def docker(self, *arguments, **more):
        """Run `docker ...`."""
        return run(self.program, *arguments, **more)

    def build(self, tag, folder, *options):
        """Build an image with BuildKit."""
        command = ("build", "--quiet", "--network", "host", "--tag", tag, *options, folder)
        self.docker(*command, timeout=3600, env={**os.environ, "DOCKER_BUILDKIT": "1"})

    def has_image(self, tag):
        """Whether an image is here."""
        return self.docker("image", "inspect", tag, check=False).returncode == 0

    def pull(self, tag):
        """Whether an image could be pulled."""
        return self.docker("pull", "--quiet", tag, check=False).returncode == 0

    def inspect(self, *names):
        """What `docker inspect` shows of containers or images."""
        return json.loads(self.docker("inspect", *names).stdout) if names else []

    def _answers(self):
        return self.docker("info", check=False).returncode == 0
