"""Runs one program and leaves nothing of it behind, whatever happens to the one who asked for it.

Started as `python keeper.py GRACE PROGRAM ...` in a session of its own, which the program and all it starts share. Standard
input is the leash: when it is closed - on purpose, or because the owner was killed - the session gets SIGTERM, once more after
half of GRACE seconds, and after GRACE seconds whatever is left of it gets SIGKILL. SIGTERM to the keeper ends the grace at once. The exit status is the
program's.

Airflow puts every task into a process group of its own, so signalling one group would miss them; nothing leaves the session.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_TICK = 0.1
_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""


def main() -> int:
    """Keep the program named on the command line."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    hurried = []
    signal.signal(signal.SIGTERM, lambda *_: hurried.append(True))
    # A signal meant for the owner's group cannot reach this session, but a closed terminal can.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _adopt_orphans()
    try:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_default_signals)  # noqa: S603, PLW1509
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error}\n")
        return 127
    try:
        while program.poll() is None and not hurried and not _leash_is_cut():
            pass
        # Airflow's components take a second SIGTERM as "do not wait for what is running".
        for _ in range(2):
            if program.poll() is None:
                _signal_session(signal.SIGTERM)
            until = time.monotonic() + grace / 2
            while program.poll() is None and not hurried and time.monotonic() < until:
                time.sleep(_TICK)
    finally:
        _end_session()
        status = program.wait()
        _reap()
    return status


def _default_signals() -> None:
    """What this process ignores, the program must not inherit ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _leash_is_cut() -> bool:
    """Wait a moment; whether standard input has been closed."""
    readable, _, _ = select.select([0], [], [], _TICK)
    return bool(readable) and not os.read(0, 4096)


def _adopt_orphans() -> None:
    """Become the parent of what the program's dead children leave behind, on Linux, so that they do not stay as zombies."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap() -> None:
    """Take the exit status of all children."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _end_session() -> None:
    """Kill everything in this session but this process."""
    while _signal_session(signal.SIGKILL):
        time.sleep(_TICK / 10)


def _signal_session(number: int) -> bool:
    """Send a signal to everything in this session but this process; whether there was anything."""
    own, session = os.getpid(), os.getsid(0)
    members = [pid for pid in _living() if pid != own and _session(pid) == session]
    for pid in members:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(members)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def _living() -> list[int]:
    """Processes that are not just waiting to be reaped."""
    if not Path("/proc/self/stat").exists():
        table = subprocess.run(["/bin/ps", "-axo", "pid=,stat="], capture_output=True, text=True, check=True).stdout
        return [int(line.split()[0]) for line in table.splitlines() if not line.split()[1].startswith("Z")]
    living = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                state = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state not in "ZX":
                living.append(int(entry.name))
    return living


if __name__ == "__main__":
    sys.exit(main() & 0xFF)
