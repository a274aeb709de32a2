"""Command line of the simulator."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import MISSING, fields
from datetime import datetime, timezone
from pathlib import Path
from typing import get_args

from staking_gateway.http.network import is_loopback
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.command_line import (
    Formatter,
    address,
    port_number,
    run,
    say,
    serve_until_stopped,
)
from staking_gateway_simulator.fault_plan import FaultRule
from staking_gateway_simulator.faults import FAULTS, Layer
from staking_gateway_simulator.server import SimulatorServer
from staking_gateway_simulator.settings import (
    DEFAULT_FEE,
    DEFAULT_TOKEN,
    FailedTxHash,
    InnerFailureStatus,
    PollForm,
    SimulatorSettings,
)
from staking_gateway_simulator.simulation import Simulation

_DESCRIPTION = """\
A staking gateway and the chain behind it, on this machine.

It serves POST /send, /query and /poll as the gateway's interface document says: payouts are refused while the election
window is open, both signatures of a payout and self-made access tokens are verified for real, and an accepted request is
executed at most once. What was accepted is on disk before it is answered, so a killed simulator forgets nothing.
"""

_EPILOG = """\
calling it:
  curl -H 'Authorization: bearer {token}' -H 'Content-Type: application/json' \\
       -d '{{"jsonrpc":"2.0","method":"getActiveEra","params":{{}},"id":1}}' http://127.0.0.1:8650/query
  curl http://127.0.0.1:8650/healthz

its node (HTTP; blocks of one second, state of all blocks unless --pruned; for a connection of type substrate with Extra
{{"allow_ws": true}} from another machine):
  curl -H 'Content-Type: application/json' \\
       -d '{{"jsonrpc":"2.0","method":"system_chain","params":[],"id":1}}' http://127.0.0.1:8650/node

control interface (answers to this machine only; a change answers with the state after it):
  curl http://127.0.0.1:8650/control/truth     what was executed, requested, owed, lost, and how often it was called
  curl http://127.0.0.1:8650/control/rewards   reward of each era, what of it was paid, and the share of each account
  curl http://127.0.0.1:8650/control/state     active era, window, chain time, next changes
  curl http://127.0.0.1:8650/control/process   process id and state file of this simulator
  curl -d '{{"eras": 1}}'                         http://127.0.0.1:8650/control/advance   or {{"seconds": 2.5}}
  curl -d '{{"state": "open"}}'                   http://127.0.0.1:8650/control/window    open, closed, or auto
  curl -d '{{"seconds": 2}}'                      http://127.0.0.1:8650/control/latency   holds back every answer
  curl -d '{{"amount": "250000000000000000"}}'    http://127.0.0.1:8650/control/fee
  curl -d '{{"account": "5Grw...", "staking": false}}'              http://127.0.0.1:8650/control/staking
  curl -d '{{"account": "5Grw...", "kind": "payment", "by": 1}}'    http://127.0.0.1:8650/control/nonce
  curl -d '{{"era": 1391}}'                      http://127.0.0.1:8650/control/payout    somebody else pays the era. A paid
                                                 era is paid again: the fee is charged, stakers get nothing. "user",
                                                 "payer" and "relayer" name other accounts than //Eve and //Ferdie
  curl -d '{{"payouts": 1}}'                     http://127.0.0.1:8650/control/unpaid    the next payout is Processed, moves
                                                 nonces and costs its fee, and pays no staker
  curl -d '{{"rules": ["reset-after:method=proxyPayoutstakers:times=1"]}}' http://127.0.0.1:8650/control/faults
  curl http://127.0.0.1:8650/control/faults    the rules, and how often each fault took effect

faults: a rule is a name, and after colons what limits it: path=/send, method=getNonce, skip=N calls, times=N, probability=P, and
a setting of the fault's own where its meaning names one. "any" is one of those that can happen to the call, except lies. Rules are asked in
their order; a call meets at most one fault of the wire and one of the world behind it (marked *). What chance decides depends on
the seed and the number of the call alone. Rules given later replace all others and may carry a "seed"; [] ends all faults. A rule
is also taken as an object: {{"fault": "late", "seconds": 40, "probability": 0.1}}. Faults are forgotten at the end, what they did to
the chain is not: the truth stays exact.
{faults}

staking status: the development accounts stake; of all others those whose public key has an even second byte.

development accounts (sr25519; the keys are public, anybody can sign with them):
{accounts}
"""


def build_parser() -> argparse.ArgumentParser:
    """The command line; defaults are those of `SimulatorSettings`."""
    accounts = "\n".join(f"  {name:17} {read_account(key).address}  {key}" for name, key in DEV_ACCOUNTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m staking_gateway_simulator",
        description=_DESCRIPTION,
        epilog=_EPILOG.format(accounts=accounts, token=DEFAULT_TOKEN, faults=_describe_faults()),
        formatter_class=Formatter,
    )
    default = {field.name: field.default for field in fields(SimulatorSettings) if field.default is not MISSING}
    parser.set_defaults(**default)
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="address to listen on")
    where.add_argument("--port", type=port_number, default=8650, help="port to listen on; 0 takes a free one")
    where.add_argument("--state", type=Path, default=Path("simulator.db"), metavar="FILE", help="state file")
    _add_time(parser.add_argument_group("time and eras"))
    _add_payouts(parser.add_argument_group("payouts"))
    _add_access(parser.add_argument_group("callers"))
    _add_versions(parser.add_argument_group("other versions of the gateway"))
    _add_faults(parser.add_argument_group("faults"))
    return parser


def _add_time(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--anchor-era", type=int, metavar="N", help="the era that begins at the anchor time")
    group.add_argument("--anchor-time", type=_instant, metavar="ISO", help="when it begins, UTC unless it says else")
    group.add_argument("--era-length", type=float, metavar="SECONDS", help="length of an era")
    group.add_argument(
        "--window", type=float, metavar="SECONDS", help="the election window is open for the end of each era; 0: never"
    )
    group.add_argument(
        "--clock",
        choices=("auto", "manual"),
        default="auto",
        help="manual: the chain's time moves through the control interface only",
    )
    group.add_argument("--speed", type=float, metavar="X", help="chain seconds per second")
    group.add_argument(
        "--start-time", type=_instant, metavar="ISO", help="chain time at the very first start (default: now)"
    )


def _add_payouts(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--unpaid-eras", type=int, metavar="N", help="eras before the active one payable at the very first start"
    )
    group.add_argument("--history-depth", type=int, metavar="N", help="older eras are gone")
    group.add_argument("--stakers", type=int, metavar="N", help="stakers of each era")
    group.add_argument("--batch", type=int, metavar="N", help="stakers paid by one payout")
    group.add_argument("--era-reward", type=int, metavar="AMOUNT", help="what the stakers of each era share")
    group.add_argument(
        "--pruned", type=int, metavar="N", help="the node forgets the state of blocks older than N (default: never)"
    )
    group.add_argument(
        "--confirm-seconds",
        type=float,
        metavar="SECONDS",
        help="from acceptance to execution: real time, or chain time with --clock manual",
    )
    group.add_argument(
        "--fee",
        type=int,
        metavar="AMOUNT",
        help=f"relayer fee in the smallest unit (default: the state file's, {DEFAULT_FEE} in a fresh one)",
    )
    group.add_argument("--balance", type=int, metavar="AMOUNT", help="what each account owns at first")
    group.add_argument(
        "--relayer",
        action="append",
        metavar="ACCOUNT",
        help="an account the gateway works for; repeatable (default: //Bob)",
    )


def _add_access(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--token", action="append", help=f"an issued access token; repeatable (default: {DEFAULT_TOKEN})"
    )
    group.add_argument("--token-max-age", type=float, metavar="SECONDS", help="oldest self-made access token")
    group.add_argument("--era-as-number", action="store_true", help="answer getActiveEra with a number, not a string")
    group.add_argument("--payout-method", metavar="NAME", help="how the payout method is spelt")


def _add_versions(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--no-door-checks",
        dest="door_checks",
        action="store_false",
        help="accept every well-formed payout, which the chain may reject (default: the gateway refuses a wrong payout)",
    )
    group.add_argument(
        "--fee-on-failure",
        action="store_true",
        help="charge the fee although the payout fails because of the window, the era or the user's proof",
    )
    group.add_argument(
        "--poll-form",
        choices=get_args(PollForm),
        help="bare: /poll answers one word; upper: words such as SENDING_FAILED; error: /poll answers an internal error for an unknown request",
    )
    group.add_argument(
        "--inner-failure-status",
        choices=get_args(InnerFailureStatus),
        help="status of a payout that failed because of the window, the era or the user's proof",
    )
    group.add_argument(
        "--tx-hash-of-failed", choices=get_args(FailedTxHash), help="txHash of a request with the status SendingFailed"
    )
    group.add_argument(
        "--internal-refusals",
        action="store_true",
        help="answer a wrong fee proof, with its whole signature, and an unknown relayer with internal errors",
    )
    group.add_argument(
        "--window-text", metavar="TEXT", help="text with which the gateway refuses a payout in an open window"
    )
    group.add_argument(
        "--window-in-message",
        action="store_true",
        help="put that text into the error's message, without data.gatewayError",
    )
    group.add_argument(
        "--fee-method",
        metavar="NAME",
        help="how the table of fees spells the payout method; no other spelling is taken",
    )
    group.add_argument("--currency", action="store_true", help="refuse payouts and fees that name no currency")


def _add_faults(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--faults",
        dest="fault",
        action="append",
        metavar="RULE[,RULE...]",
        help="what goes wrong, see below; repeatable, e.g. late:path=/send:times=2,any:probability=0.01 (default: nothing)",
    )
    group.add_argument("--fault-seed", type=int, metavar="N", help="decides where chance has a part in it")


def _describe_faults() -> str:
    lines = []
    for kind in FAULTS.values():
        settings = [
            f"{name}={value:g}" for name, value in (("seconds", kind.seconds), ("by", kind.by)) if value is not None
        ]
        meaning = kind.meaning.replace("`seconds`", "SECONDS").replace("`by`", "BY").replace("`", "")
        mark = "*" if kind.layer is Layer.WORLD else " "
        default = f" (default {', '.join(settings)})" if settings else ""
        lines.append(f" {mark}{kind.name:23} {meaning}{default}")
    return "\n".join(lines)


def _instant(text: str) -> datetime:
    time_read = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time_read if time_read.tzinfo is not None else time_read.replace(tzinfo=timezone.utc)


def read_settings(options: argparse.Namespace) -> SimulatorSettings:
    """Settings from parsed options.

    :raises InvalidInput: a value is out of range.
    """
    given = {field.name: getattr(options, field.name) for field in fields(SimulatorSettings)}
    given["manual_clock"] = options.clock == "manual"
    if options.relayer:
        given["relayers"] = tuple(options.relayer)
    given["faults"] = tuple(FaultRule.parse(rule) for rules in options.fault or () for rule in rules.split(","))
    if options.token:
        given["tokens"] = tuple(options.token)
    return SimulatorSettings(**given)


async def serve(settings: SimulatorSettings, host: str, port: int, state: Path) -> None:
    """Serve until SIGINT or SIGTERM.

    :raises StateFileError: the state file cannot be used.
    :raises OSError: the address cannot be listened on.
    """
    server = SimulatorServer(Simulation(settings, state, time.time))

    async def start() -> None:
        url = address(host, await server.start(host, port))
        if not is_loopback(host):
            say(
                sys.stderr, f"Warning: listening on {host}. This is a simulator with public keys, keep it off networks."
            )
        say(sys.stdout, f"Simulator ready at {url} (state file {state})")

    await serve_until_stopped(start, server.stop)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    :returns: 0 after a clean stop, 2 when it could not start.
    """
    options = build_parser().parse_args(arguments)
    host, port = options.host, options.port
    return run(lambda: serve(read_settings(options), host, port, options.state), host, port)


if __name__ == "__main__":
    sys.exit(main())
