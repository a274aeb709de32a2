"""Command line of the simulator."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from staking_gateway_simulator.accounts import DEV_ACCOUNTS, make, read_account
from staking_gateway_simulator.fault_plan import FaultRule
from staking_gateway_simulator.faults import FAULTS, Layer
from staking_gateway_simulator.server import SimulatorServer
from staking_gateway_simulator.serving import Formatter, add_address, add_options, given_options, run
from staking_gateway_simulator.settings import DEFAULT_TOKEN, SimulatorSettings
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
  curl http://127.0.0.1:8650/control/state     active era, window, chain time, next era
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
    """The command line; its options are the fields of `SimulatorSettings`."""
    accounts = "\n".join(f"  {name:17} {read_account(key).address}  {key}" for name, key in DEV_ACCOUNTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m staking_gateway_simulator",
        description=_DESCRIPTION,
        epilog=_EPILOG.format(accounts=accounts, token=DEFAULT_TOKEN, faults=_describe_faults()),
        formatter_class=Formatter,
    )
    where = parser.add_argument_group("where")
    add_address(where, 8650)
    where.add_argument("--state", type=Path, default=Path("simulator.db"), metavar="FILE", help="state file")
    group = parser.add_argument_group("chain and gateway")
    group.add_argument(
        "--clock",
        choices=("auto", "manual"),
        default="auto",
        help="manual: the chain's time moves through the control interface only",
    )
    add_options(group, SimulatorSettings, {"manual_clock": "", "relayers": "relayer", "tokens": "token"})
    return parser


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


def read_settings(options: argparse.Namespace) -> SimulatorSettings:
    """Settings from parsed options.

    :raises InvalidInput: a value is out of range.
    """
    given = given_options(options, SimulatorSettings)
    rules = [rule for rules in given.get("faults", ()) for rule in rules.split(",")]
    clock = options.clock == "manual"
    return make(SimulatorSettings, {**given, "manual_clock": clock, "faults": tuple(map(FaultRule.parse, rules))})


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    :returns: 0 after a clean stop, 2 when it could not start.
    """
    options = build_parser().parse_args(arguments)

    def make_server() -> tuple[SimulatorServer, str]:
        simulation = Simulation(read_settings(options), options.state, time.time)
        return SimulatorServer(simulation), f"(state file {options.state})"

    exposed = ". This is a simulator with public keys, keep it off networks."
    return run(make_server, options.host, options.port, name="Simulator", exposed=exposed)


if __name__ == "__main__":
    sys.exit(main())
