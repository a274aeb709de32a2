"""The simulator and its signer as processes of their own."""

import contextlib
import os
import re
import subprocess
import sys


@contextlib.contextmanager
def program(module, *arguments, **environment):
    """`python -m module` with warnings as errors; it is killed at the end."""
    command = [sys.executable, "-W", "error", "-m", module, *arguments]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def url_of(started):
    """The address a program prints when it is ready, and the rest of that line."""
    assert started.stdout
    assert started.stderr
    ready = re.match(r"\w+ ready at http://[\d.]+:(\d+) (.*)\n", started.stdout.readline())
    assert ready, started.stderr.read()
    return f"http://127.0.0.1:{ready[1]}", ready[2]
