"""Many accounts: how near the client comes to what latency and processor allow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks import checks
from benchmarks.peers import avn_api
from benchmarks.processes import served
from benchmarks.results import Curve, Findings, Line, Scale, at_least, rate
from benchmarks.rounds import Figures, interleaved, where_time_goes

if TYPE_CHECKING:
    from collections.abc import Callable

    from staking_gateway.types import AccountId

AT_A_TIME = 64
LATENCY = 0.02
_LATENCY_ROW = "status, latency-bound"
_CPU_ROW = "status, CPU-bound"


def latency_bound(scale: Scale) -> Findings:
    """Checks that mostly wait for the gateway."""
    count, sample = scale.of(4_000, 1_000), scale.of(100, 25)
    watched = checks.accounts(count)
    avn_api.install()
    with served("benchmarks.server", "--latency", str(LATENCY)) as gateway:
        seconds = _compare(gateway, watched, scale.of(7, 2))
        # One after the other, all of them would take minutes: a sample tells the rate.
        one_by_one = sample / checks.sequential(gateway, watched[:sample])
        curve = _growth(
            "status-in-flight",
            "Status checks with 20 ms latency, by calls in flight",
            gateway,
            [(at_once, watched[: min(count, at_once * 30)]) for at_once in (1, 4, 16, 64, 128, 256)],
        )
        why = _why(gateway, watched)
    own, limit = count / seconds["ours"], AT_A_TIME / LATENCY
    raw = f"raw aiohttp came to {count / seconds['aiohttp'] / limit:.2f}x of the limit; "
    lines = [
        _line(_LATENCY_ROW, against, (own, peer, ratio), least, lambda: raw + why())
        for against, peer, ratio, least in (
            (f"limit {AT_A_TIME} / {LATENCY * 1000:.0f} ms", limit, own / limit, 0.85),
            ("raw aiohttp", count / seconds["aiohttp"], seconds.ratio("aiohttp", "ours"), 0.95),
            (f"avn-api {avn_api.VERSION}", count / seconds["avn-api"], seconds.ratio("avn-api", "ours"), 1.0),
            (
                f"requests, one after the other ({sample} checks, extrapolated)",
                one_by_one,
                own / one_by_one,
                50.0,
            ),
        )
    ]
    lines[0] = replace(lines[0], growth=_told(curve, "{:.0f} in flight"))
    return Findings(lines, [curve])


def cpu_bound(scale: Scale) -> Findings:
    """Checks that wait for nothing but processors."""
    count = scale.of(20_000, 3_000)
    watched = checks.accounts(count)
    avn_api.install()
    with served("benchmarks.server") as gateway:
        seconds = _compare(gateway, watched, scale.of(5, 2))
        curve = _growth(
            "status-accounts",
            "Status checks without latency, by accounts",
            gateway,
            [(AT_A_TIME, watched[:part]) for part in (count // 20, count // 4, count // 2, count)],
            by_accounts=True,
        )
        why = _why(gateway, watched)
    own = count / seconds["ours"]
    lines = [
        _line(
            _CPU_ROW,
            "raw aiohttp",
            (own, count / seconds["aiohttp"], seconds.ratio("aiohttp", "ours")),
            0.7,
            why,
        ),
        _line(
            _CPU_ROW,
            f"avn-api {avn_api.VERSION}",
            (own, count / seconds["avn-api"], seconds.ratio("avn-api", "ours")),
            2.0,
            lambda: f"raw aiohttp is {seconds.ratio('avn-api', 'aiohttp'):.2f}x of avn-api; {why()}",
        ),
    ]
    lines[0] = replace(lines[0], growth=_told(curve, "{:,.0f} accounts"))
    return Findings(lines, [curve])


def _compare(gateway: str, watched: list[AccountId], rounds: int) -> Figures:
    addresses = [account.address for account in watched]
    return interleaved(
        {
            "ours": lambda: checks.ours(gateway, watched, AT_A_TIME),
            "aiohttp": lambda: checks.raw_aiohttp(gateway, watched, AT_A_TIME),
            "avn-api": lambda: avn_api.check(gateway, addresses, warm_up=checks.WARM_UP, at_a_time=AT_A_TIME),
        },
        rounds,
    )


def _growth(
    name: str, title: str, gateway: str, steps: list[tuple[int, list[AccountId]]], *, by_accounts: bool = False
) -> Curve:
    lines: dict[str, list[tuple[float, float]]] = {"ours": [], "raw aiohttp": []}
    for at_once, watched in steps:
        x = len(watched) if by_accounts else at_once
        lines["ours"].append((x, len(watched) / checks.ours(gateway, watched, at_once)))
        lines["raw aiohttp"].append((x, len(watched) / checks.raw_aiohttp(gateway, watched, at_once)))
    return Curve(name, title, "accounts" if by_accounts else "calls in flight", "checks/s", lines)


def _told(curve: Curve, spelling: str) -> str:
    points = [f"{rate(y)} with {spelling.format(x)}" for x, y in curve.lines["ours"]]
    return "; ".join(points)


def _why(gateway: str, watched: list[AccountId]) -> Callable[[], str]:
    """The share of our own layers, profiled while the gateway is still there, told when it is needed."""
    told = where_time_goes(lambda: checks.ours(gateway, watched[:2_000], AT_A_TIME))
    return lambda: f"profiled, our process spends its time in {told}"


def _line(row: str, against: str, figures: tuple[float, float, float], least: float, why: Callable[[], str]) -> Line:
    own, peer, ratio = figures
    line = Line(row, against, rate(own), rate(peer), ratio, at_least(least))
    return line if line.reached else replace(line, reason=why())
