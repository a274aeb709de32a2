"""Programs of the system, installed from Debian where that is possible without asking anybody."""

import os
import shutil
import subprocess


def install(*packages):
    """Install packages, if this machine has Debian's tool and the tests may use it."""
    if packages and shutil.which("apt-get") and os.geteuid() == 0:
        unasked = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "--yes", *packages]):
            subprocess.run(["apt-get", *command], env=unasked, check=True, stdout=subprocess.DEVNULL)


def program(package, *names):
    """Path of the first of these programs. Without it there is nothing to test against, so a missing one fails."""
    if not any(map(shutil.which, names)):
        install(package)
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, f"Not installed: {package}. Install it, e.g. apt-get install {package}"
    return found
