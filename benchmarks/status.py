"""Many accounts: how near the client comes to what latency and processor allow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks import checks
from benchmarks.peers import avn_api
from benchmarks.processes import served
from benchmarks.results import Line, Scale, at_least, rate
from benchmarks.rounds import Figures, interleaved, where_time_goes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from staking_gateway.types import AccountId

AVN_API = f"avn-api {avn_api.VERSION}"
"""The gateway's published JavaScript client."""
AT_A_TIME = 64
LATENCY = 0.02


def latency_bound(scale: Scale) -> list[Line]:
    """Checks that mostly wait for the gateway, beside avn-api."""
    watched = checks.accounts(scale.of(4_000, 1_000))
    avn_api.install()
    with served("benchmarks.server", "--latency", str(LATENCY)) as gateway:
        seconds = _compare(gateway, watched, {AVN_API: lambda: _avn_api(gateway, watched)}, scale.of(7, 2))
        growth = _growth(
            gateway,
            [(at_once, watched[: min(len(watched), at_once * 30)]) for at_once in (1, 4, 16, 64, 128, 256)],
            "{0} in flight",
        )
        why = _why(gateway, watched)
    line = _line("status, latency-bound", AVN_API, count=len(watched), seconds=seconds, least=1.0, why=why)
    return [replace(line, growth=growth)]


def cpu_bound(scale: Scale) -> list[Line]:
    """Checks that wait for nothing but processors, beside the library alone and avn-api."""
    count = scale.of(20_000, 3_000)
    watched = checks.accounts(count)
    avn_api.install()
    with served("benchmarks.server") as gateway:
        peers = {
            "raw aiohttp": lambda: checks.raw_aiohttp(gateway, watched, AT_A_TIME),
            AVN_API: lambda: _avn_api(gateway, watched),
        }
        seconds = _compare(gateway, watched, peers, scale.of(5, 2))
        growth = _growth(
            gateway,
            [(AT_A_TIME, watched[:part]) for part in (count // 20, count // 4, count // 2, count)],
            "{1:,} accounts",
        )
        why = _why(gateway, watched)
    return [
        replace(_line("status, CPU-bound", against, count=count, seconds=seconds, least=least, why=why), growth=growth)
        for against, least in (("raw aiohttp", 0.7), (AVN_API, 2.0))
    ]


def _avn_api(gateway: str, watched: list[AccountId]) -> float:
    addresses = [account.address for account in watched]
    return avn_api.check(gateway, addresses, warm_up=checks.WARM_UP, at_a_time=AT_A_TIME)


def _compare(gateway: str, watched: list[AccountId], peers: Mapping[str, Callable[[], float]], rounds: int) -> Figures:
    return interleaved({"ours": lambda: checks.ours(gateway, watched, AT_A_TIME), **peers}, rounds)


def _growth(gateway: str, steps: list[tuple[int, list[AccountId]]], spelling: str) -> str:
    """Our speed at each step: calls in flight, and the accounts to check."""
    speeds = [
        (len(watched) / checks.ours(gateway, watched, at_once), at_once, len(watched)) for at_once, watched in steps
    ]
    return "; ".join(f"{rate(speed)} with {spelling.format(at_once, count)}" for speed, at_once, count in speeds)


def _why(gateway: str, watched: list[AccountId]) -> Callable[[], str]:
    """The share of our own layers, profiled while the gateway is still there, told when it is needed."""
    told = where_time_goes(lambda: checks.ours(gateway, watched[:2_000], AT_A_TIME))
    return lambda: f"profiled, our process spends its time in {told}"


def _line(row: str, against: str, *, count: int, seconds: Figures, least: float, why: Callable[[], str]) -> Line:
    ratio = seconds.ratio(against, "ours")
    line = Line(row, against, rate(count / seconds["ours"]), rate(count / seconds[against]), ratio, at_least(least))
    return line if line.reached else replace(line, reason=why())
