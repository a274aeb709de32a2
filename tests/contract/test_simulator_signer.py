"""The signer over HTTP: its contract through plain calls and through the product's own client, its violations, its restarts."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from staking_gateway import GatewayClient
from staking_gateway.errors import SigningError
from staking_gateway.gateway.auth import SelfMadeToken
from staking_gateway.signing import LocalSigner, MessageKind, ProofMaker, fee_payment_message, payout_message, verify
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import NonceKind
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import DEFAULT_FEE, SimulatorSettings
from staking_gateway_simulator.signer.policy import SigningPolicy
from staking_gateway_simulator.signer.running import RunningSigner

ALICE, BOB, CHARLIE, DAVE = (LocalSigner(uri).account for uri in ("//Alice", "//Bob", "//Charlie", "//Dave"))
POLICY = SigningPolicy(frozenset({BOB}), DEFAULT_FEE, last_era=10**9, daily_count=1000)
TOKEN = "signer-token"
PAYOUT = payout_message(BOB, 15, 1)
TIMEOUT = 10
DENIED = {"reason": "the bearer token is missing or wrong"}


@pytest.fixture(scope="module")
def signer():
    with RunningSigner(POLICY, token=TOKEN) as running:
        yield running


def ask(signer, verb, path, token=TOKEN, **options):
    headers = {} if token is None else {"Authorization": f"bearer {token}"}
    return requests.request(verb, signer.url + path, headers=headers, timeout=TIMEOUT, **options)


def sign(signer, message=PAYOUT, kind="payout", account=ALICE.hex, token=TOKEN):
    body = {"account": account, "kind": kind, "message": "0x" + message.hex()}
    return ask(signer, "POST", "/sign", token, json=body)


# -- the contract ---------------------------------------------------------------------------------------------------------


def test_a_signature_is_answered_as_the_contract_says(signer):
    response = sign(signer)
    assert (response.status_code, set(response.json())) == (200, {"signature"})
    assert re.fullmatch("0x[0-9a-f]{128}", response.json()["signature"])
    assert verify(PAYOUT, response.json()["signature"], ALICE)


def test_an_account_is_held_or_not(signer):
    assert ask(signer, "GET", f"/accounts/{CHARLIE.hex}").status_code == 200
    assert ask(signer, "GET", f"/accounts/{DAVE.hex}").status_code == 404
    assert ask(signer, "GET", "/accounts/%00%0a").status_code == 404


def test_the_products_own_client_is_served(signer):
    remote = RemoteSigner(signer.url, TOKEN, ALICE)
    remote.check()
    assert verify(PAYOUT, remote.sign(MessageKind.PAYOUT, PAYOUT), ALICE)
    with pytest.raises(SigningError, match="HTTP 404, the account's key is not held"):
        RemoteSigner(signer.url, TOKEN, DAVE).check()
    with pytest.raises(SigningError, match=f"HTTP 403, relayer {DAVE} is not allowed"):
        remote.sign(MessageKind.PAYOUT, payout_message(DAVE, 15, 1))
    with pytest.raises(SigningError, match="HTTP 403, the bearer token is missing or wrong"):
        RemoteSigner(signer.url, "another", ALICE).check()


def test_a_payout_is_paid_with_keys_that_only_the_signer_has(signer):
    user, payer = RemoteSigner(signer.url, TOKEN, ALICE), RemoteSigner(signer.url, TOKEN, CHARLIE)
    settings = SimulatorSettings(confirm_seconds=0, window=0)
    with (
        RunningSimulator(settings) as simulator,
        GatewayClient(simulator.url, SelfMadeToken(user, payer=CHARLIE)) as gateway,
    ):
        era = gateway.active_era() - 1
        proofs = ProofMaker(user, payer).make(
            relayer=BOB,
            era=era,
            relayer_fee=gateway.relayer_fee(BOB, CHARLIE),
            staking_nonce=gateway.nonce(ALICE, NonceKind.STAKING),
            payment_nonce=gateway.nonce(CHARLIE, NonceKind.PAYMENT),
        )
        request = gateway.payout_stakers(
            relayer=BOB,
            user=ALICE,
            payer=CHARLIE,
            era=era,
            proxy_signature=proofs.proxy_signature,
            fee_payment_signature=proofs.fee_payment_signature,
            payment_nonce=proofs.payment_nonce,
        )
        assert gateway.request_state(request).status.succeeded


# -- violations -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [None, "", "another", TOKEN + "x", TOKEN[:-1], TOKEN.upper()])
def test_without_the_token_nothing_is_told_and_nothing_signed(signer, token):
    for response in (
        sign(signer, token=token),
        ask(signer, "GET", f"/accounts/{ALICE.hex}", token),
        ask(signer, "GET", f"/accounts/{DAVE.hex}", token),
        ask(signer, "POST", "/sign", token, data=b"{"),
    ):
        assert (response.status_code, response.json()) == (403, DENIED)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"message": PAYOUT.replace(b"payout", b"reward")}, "the bytes are not a payout message"),
        ({"message": PAYOUT + b"\0"}, "the bytes are not a payout message"),
        ({"kind": "fee_payment"}, "the bytes are not a fee_payment message"),
        ({"kind": "transfer"}, "transfer is no known kind of message; payout, fee_payment, access_token are"),
        ({"message": payout_message(BOB, 10**9 + 1, 1)}, "era 1000000001 is not one of 0 to 1000000000"),
        (
            {"kind": "fee_payment", "message": fee_payment_message(ALICE, BOB, "0x" + "ab" * 64, DEFAULT_FEE + 1, 0)},
            f"the fee {DEFAULT_FEE + 1} is more than {DEFAULT_FEE}",
        ),
        ({"account": DAVE.hex}, "the account's key is not held"),
        ({"message": payout_message(DAVE, 15, 1)}, f"relayer {DAVE} is not allowed"),
    ],
)
def test_a_violation_is_refused_with_403_and_the_reason(signer, asked, reason):
    response = sign(signer, **asked)
    assert (response.status_code, response.json()) == (403, {"reason": reason})


def test_what_is_no_request_is_refused(signer):
    assert ask(signer, "POST", "/sign", data=b"{").status_code == 400
    assert ask(signer, "POST", "/sign", data=b" " * 4097).status_code == 413
    assert ask(signer, "GET", "/sign").status_code == 405
    assert ask(signer, "GET", "/").status_code == 404
    assert sign(signer).status_code == 200


def test_an_exhausted_count_outlives_the_signer(tmp_path):
    policy = SigningPolicy(frozenset({BOB}), DEFAULT_FEE, daily_count=2)
    running = RunningSigner(policy, token=TOKEN, counts=tmp_path / "counts.db", read_clock=lambda: 1.8e9)
    for statuses in ([200], [200, 403], [403]):
        with running:
            assert [sign(running).status_code for _ in statuses] == statuses


# -- in a process of its own ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def process(folder: Path, *arguments, token=TOKEN):
    command = [sys.executable, "-W", "error", "-m", "staking_gateway_simulator.signer", "--port", "0"]
    command += ["--relayer", BOB.address, "--max-fee", "100", "--counts", str(folder / "counts.db"), *arguments]
    environment = {**os.environ, "STAKING_SIGNER_TOKEN": token}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


class Started:
    """The address a signer's process tells."""

    def __init__(self, started):
        line = started.stdout.readline()
        ready = re.match(r"Signer ready at (http://127\.0\.0\.1:\d+) for (.*) \(count file ", line)
        assert ready, started.stderr.read()
        self.url, self.accounts = ready[1], ready[2]


def test_a_killed_signer_remembers_what_it_signed_and_its_log_holds_no_secret(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("//Alice//stash\n")
    keys.chmod(0o600)
    account = LocalSigner("//Alice//stash").account
    arguments = ["--key-file", str(keys), "--dev-key", "//Alice", "--daily-count", "1"]
    today = time.gmtime().tm_yday
    with process(tmp_path, *arguments) as started:
        running = Started(started)
        assert running.accounts == f"{ALICE}, {account}"
        signature = sign(running, account=account.hex).json()["signature"]
        assert verify(PAYOUT, signature, account)
        started.send_signal(signal.SIGKILL)
        assert started.wait() == -signal.SIGKILL
        log = started.stderr.read()
    assert re.fullmatch(
        rf"[-0-9:, ]+ INFO signed payout for {account.hex}: relayer {BOB}, era 15, staking nonce 1\n", log
    )
    with process(tmp_path, *arguments) as started:
        running = Started(started)
        response = sign(running, account=account.hex)
        # A day may have ended in between.
        assert response.status_code == 403 or time.gmtime().tm_yday != today
        assert sign(running, account=ALICE.hex).status_code == 200
        assert sign(running, token="wrong").status_code == 403
        started.send_signal(signal.SIGTERM)
        assert started.wait() == 0
        _, more = started.communicate()
    for secret in (TOKEN, signature[2:], "//Alice//stash"):
        assert secret not in log + more


def test_an_interrupt_stops_it_cleanly_and_a_taken_port_is_told(tmp_path, signer):
    with process(tmp_path, "--dev-key", "//Alice", "--port", str(signer.port)) as started:
        output, told = started.communicate()
    assert (started.returncode, output) == (2, "")
    assert told == f"Error: cannot listen on 127.0.0.1:{signer.port}: Address already in use. Choose another --port\n"
    with process(tmp_path, "--dev-key", "//Alice") as started:
        Started(started)
        started.send_signal(signal.SIGINT)
        assert started.wait() == 0
        assert started.communicate() == ("", "")


def test_listening_beyond_this_machine_is_warned_of(tmp_path):
    with process(tmp_path, "--dev-key", "//Alice", "--host", "0.0.0.0") as started:
        assert (
            started.stderr.readline() == "Warning: listening on 0.0.0.0 without TLS. Put a TLS proxy in front of it.\n"
        )
        started.send_signal(signal.SIGTERM)
        assert started.wait() == 0
