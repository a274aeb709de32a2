"""The signer in a process of its own: its key files, its restarts, its log. `test_who_can_sign` has the product's client before it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import requests

from staking_gateway.signing import LocalSigner, payout_message, verify

ALICE, BOB = (LocalSigner(uri).account for uri in ("//Alice", "//Bob"))
TOKEN = "signer-token"
PAYOUT = payout_message(BOB, 15, 1)
TIMEOUT = 10


def sign(signer, account=ALICE.hex, token=TOKEN):
    body = {"account": account, "kind": "payout", "message": "0x" + PAYOUT.hex()}
    headers = {"Authorization": f"bearer {token}"}
    return requests.post(f"{signer.url}/sign", json=body, headers=headers, timeout=TIMEOUT)


class Running(NamedTuple):
    """A signer's process, its address, and what it prints of itself."""

    process: subprocess.Popen
    url: str
    told: str


@contextlib.contextmanager
def started(folder, *arguments):
    """A signer as a process, with warnings as errors; it is killed at the end."""
    fixed = ["--port", "0", "--relayer", BOB.address, "--user", ALICE.address, "--max-fee", "100"]
    fixed += ["--counts", str(folder / "counts.db")]
    command = [sys.executable, "-W", "error", "-m", "staking_gateway_simulator.signer", *fixed, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, env={**os.environ, "STAKING_SIGNER_TOKEN": TOKEN}) as process:
        try:
            ready = re.match(r"\w+ ready at http://[\d.]+:(\d+) (.*)\n", process.stdout.readline())
            assert ready, process.stderr.read()
            yield Running(process, f"http://127.0.0.1:{ready[1]}", ready[2])
        finally:
            process.kill()


def test_a_killed_signer_remembers_what_it_signed_and_its_log_holds_no_secret(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("//Alice//stash\n")
    keys.chmod(0o600)
    account = LocalSigner("//Alice//stash").account
    arguments = ["--key-file", f"user={keys}", "--dev-key", "user=//Alice", "--daily-count", "1"]
    today = time.gmtime().tm_yday
    with started(tmp_path, *arguments, "--new-counts") as running:
        assert running.told.startswith(f"for {ALICE}, {account} (count file ")
        signature = sign(running, account=account.hex).json()["signature"]
        assert verify(PAYOUT, signature, account)
        running.process.send_signal(signal.SIGKILL)
        assert running.process.wait() == -signal.SIGKILL
        log = running.process.stderr.read()
    assert re.fullmatch(rf"[-0-9:, ]+ INFO signed payout for {account.hex}: relayer {BOB}, era 15, nonce 1\n", log)
    with started(tmp_path, *arguments, "--host", "0.0.0.0") as running:
        response = sign(running, account=account.hex)
        # A day may have ended in between.
        assert response.status_code == 403 or time.gmtime().tm_yday != today
        assert sign(running, account=ALICE.hex).status_code == 200
        assert sign(running, token="wrong").status_code == 403
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait() == 0
        more = running.process.stderr.read()
    assert more.startswith("Warning: listening on 0.0.0.0 without TLS. Put a TLS proxy in front of it.\n")
    for secret in (TOKEN, signature[2:], "//Alice//stash"):
        assert secret not in log + more
