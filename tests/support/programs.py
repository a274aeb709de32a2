"""Programs beside the tests: started in sessions of their own, watched, killed and ended together."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress

import psutil

GRACE_SECONDS = 5
"""How long a program may take to end by itself."""
_FOREIGN = ("AIRFLOW", "STAKING_", "PYTHON", "FORCE_COLOR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LIBRARY = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h."""
_MOST_ENDS = 8
"""A program that ends more often by itself will not do any better."""


class ProgramFailed(Exception):
    """A program has ended, or what was waited for did not happen; the text quotes a log."""


def free_port():
    """A free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def plain_environment():
    """The environment without what it says about another Airflow, Python's settings, and proxies."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(_FOREIGN)}


def quote(log, most=12):
    """The name of a log and its last lines."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join([f"The end of {log}:", *(f"  {line[:200]}" for line in lines[-most:])])


def _end_with_parent():
    """In a new program: SIGTERM when the tests are killed."""
    if sys.platform == "linux":
        _LIBRARY.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Programs:
    """Programs by name.

    :param again: starts a program again that has ended by itself, as a service manager does; None: its end is a failure.
    """

    def __init__(self, again=None):
        self._again = again
        self._running = {}
        self._ends = Counter()

    def start(self, name, command, environment, log):
        """Start a program; its output goes to the log."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            made = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, preexec_fn=_end_with_parent,  # noqa: PLW1509 - one call of the C library
            )  # fmt: skip
        self._running[name] = (made, log)
        return made.pid

    def run(self, command, environment, log, timeout):
        """Run a program to its end.

        :raises ProgramFailed: its exit status is not 0.
        """
        self.start(log.stem, command, environment, log)
        made, _ = self._running[log.stem]
        try:
            status = made.wait(timeout)
        except subprocess.TimeoutExpired:
            status = "none yet"
        self.kill(log.stem)
        if status != 0:
            raise ProgramFailed(f"{log.stem}: exit status {status}. {quote(log)}")

    def check(self):
        """See that all programs are alive."""
        for name, (made, log) in [*self._running.items()]:
            if made.poll() is not None:
                self._ends[name] += 1
                if self._again is None or self._ends[name] > _MOST_ENDS:
                    raise ProgramFailed(f"The {name} has ended with status {made.returncode}. {quote(log)}")
                self.kill(name)
                self._again(name)

    def pid(self, name):
        """The process of a program."""
        return self._running[name][0].pid

    def names(self):
        """The programs that were started and not ended."""
        return [*self._running]

    def kill(self, name):
        """SIGKILL a program and all it has started, and wait for their end."""
        made, _ = self._running.pop(name)
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(made.pid).children(recursive=True):  # PostgreSQL's have sessions of their own
                with suppress(psutil.NoSuchProcess):
                    child.kill()
        _end([made], signal.SIGKILL, 30)

    def stop(self, *names):
        """End programs, all unless some are named, and whatever they have started."""
        ending = [self._running.pop(name)[0] for name in names or [*self._running]]
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):  # the second one tells Airflow to hurry
            _end(ending, number, GRACE_SECONDS)


def _end(programs, number, seconds):
    """Signal all processes of the sessions of programs, and wait until none is left."""
    until = time.monotonic() + seconds
    sent = False
    while left := _left(programs):
        for process in left if not sent or number == signal.SIGKILL else ():
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if time.monotonic() > until:
            break
        sent = True
        time.sleep(0.1)
    for made in programs:
        with suppress(subprocess.TimeoutExpired):
            made.wait(0.1)


def _left(programs):
    """The living processes of the sessions of programs. Airflow's tasks have process groups of their own, not sessions."""
    sessions = {made.pid for made in programs}
    for made in programs:
        made.poll()
    found = []
    for process in psutil.process_iter(["status"]):
        with suppress(ProcessLookupError):
            if os.getsid(process.pid) in sessions and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
