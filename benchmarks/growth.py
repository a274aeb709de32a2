"""What grows with networks, accounts and payouts: reading the settings, the page, and exports."""

from __future__ import annotations

import json
import tempfile
import time
import tracemalloc
from contextlib import closing
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import databases
from benchmarks.processes import fresh
from benchmarks.results import Line, MeasurementFailed, Scale, at_most, duration, number
from benchmarks.rounds import interleaved
from staking_gateway.config.file import ConfigFile
from staking_gateway.config.models import NetworkConfig
from staking_gateway.health.overview import overview
from staking_gateway.ledger import Ledger
from staking_gateway.types import AccountId, StakingStatus
from tests.support.growth import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.databases import NewDatabase

_ROW = "growth of settings and page"
_START = datetime(2026, 1, 1, tzinfo=timezone.utc)
_ERA, _ACTIVE = timedelta(hours=6), 1000
_NOW = _START + _ACTIVE * _ERA
_USER, _PAYER, _RELAYER = (AccountId.parse(f"0x{place:064x}") for place in (1, 2, 3))


def growth(scale: Scale) -> list[Line]:
    """All of it. Add a measurement to this list; each gives its lines."""
    with tempfile.TemporaryDirectory() as folder, databases.sqlite() as new:
        return [
            *_one_typo(Path(folder), scale),
            *_page(new, scale),
            *_export(new, scale),
        ]


def _network(place: int = 0, **more: Any) -> dict[str, Any]:
    calendar = {"era_length": "6h", "anchors": [{"era": 0, "start": _START.isoformat()}]}
    roles = {role: _account(3 * place + index) for index, role in enumerate(("relayer", "user", "payer"))}
    return {**roles, "calendar": calendar, "accounts": [_account(0)], **more}


def _account(place: int) -> str:
    return AccountId.parse(f"0x{place + 1:064x}").address


def _spent(work: Callable[[], object]) -> float:
    """Seconds of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


# --- settings -------------------------------------------------------------------------------------------------------------


def _networks(path: Path) -> object:
    return ConfigFile(path).networks()


def _one_typo(folder: Path, scale: Scale) -> list[Line]:
    """Validate all networks of a file."""
    networks = scale.of(500, 50)
    sound = {f"net{place}": _network(place) for place in range(networks)}
    files = {}
    for name, content in {"sound": sound, "typo": {**sound, "net7": {**sound["net7"], "payot": {}}}}.items():
        files[name] = folder / f"{name}.yaml"
        files[name].write_text(json.dumps({"networks": content}))
    figures = interleaved(
        {name: partial(_spent, partial(_networks, path)) for name, path in files.items()},
        scale.of(9, 3),
    )
    return [
        Line(
            _ROW,
            f"settings of {networks} networks, one with a typo; beside {networks} sound ones",
            duration(figures["typo"]),
            duration(figures["sound"]),
            figures.ratio("typo", "sound"),
            at_most(1.5),
            "each network is validated once and alone",
        )
    ]


# --- page -----------------------------------------------------------------------------------------------------------------


def _page(new: NewDatabase, scale: Scale) -> list[Line]:
    """One overview of 84 eras as JSON, with its first page of accounts."""
    accounts, eras = scale.of(10_000, 500), 84
    keys = [AccountId.parse(AccountId.parse(f"0x{place + 1:064x}").address) for place in range(accounts)]
    watched = [{"account": key.hex, "expect": "staking"} for key in keys]
    network = NetworkConfig.model_validate(_network(accounts=watched))
    idle, staking = StakingStatus.IS_NOT_STAKING, StakingStatus.IS_STAKING
    with closing(Ledger(new())) as ledger:
        for era in range(_ACTIVE - eras, _ACTIVE):
            ledger.record_statuses("net", era, [(key, staking if i % 97 else idle) for i, key in enumerate(keys)])

        def look() -> str:
            return json.dumps(overview("net", network, ledger, eras=eras, clock=lambda: _NOW).as_dict())

        size = len(look()) / 1000
        seconds = min(_spent(look) for _ in range(3))
        peak = _peak(look)
    what = f"overview of {eras} eras x {accounts:,} accounts"
    return [
        Line(_ROW, what, duration(seconds), "-", seconds, at_most(0.8, "s"), f"{number(size)} kB of JSON"),
        Line(_ROW, f"memory of an {what}", f"{number(peak)} MB", "-", peak, at_most(100, "MB"), "one page of accounts"),
    ]


# --- exports --------------------------------------------------------------------------------------------------------------


def _export(new: NewDatabase, scale: Scale) -> list[Line]:
    """Payouts as CSV, read from the ledger while they are written."""
    few, many = scale.of(10_000, 3_000), scale.of(1_000_000, 6_000)
    url, eras = new(), range(many)
    Ledger(url).close()
    fill(url, eras, network="net", chain="net", user=_USER, payer=_PAYER, now=_NOW, only_payouts=True)
    peaks = {}
    for payouts in (few, many):
        told = fresh("benchmarks.growth_export", url, str(payouts))
        if told["rows"] != payouts:
            raise MeasurementFailed(f"{told['rows']} payouts were exported, not {payouts}")
        peaks[payouts] = told["megabytes"]
    return [
        Line(
            _ROW,
            f"memory of an export of {many:,} payouts; beside {few:,}",
            f"{number(peaks[many])} MB",
            f"{number(peaks[few])} MB",
            peaks[many] - peaks[few],
            at_most(2, "MB more"),
            "a thousand payouts at a time",
        )
    ]


def _peak(work: Callable[[], object]) -> float:
    """The most memory of Python's objects, in MB."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
