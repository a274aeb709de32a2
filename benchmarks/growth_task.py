"""One status task in a process of its own, without Airflow and HTTP: `python -m benchmarks.growth_task FILE CHUNK LEDGER`.

It prints the seconds of processor time that the process took, and those of them for the settings.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from contextlib import closing
from functools import partial

from staking_gateway.accounts import record_statuses
from staking_gateway.config.loader import read_config
from staking_gateway.ledger import Ledger
from staking_gateway.types import AccountId, StakingStatus


class _Everybody:
    """As much of a gateway's client as a status task asks."""

    async def staking_status(self, _: AccountId) -> StakingStatus:
        return StakingStatus.IS_STAKING


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(path: str, chunk: str, ledger_url: str) -> None:
    """Do what the task does: make the DAG's number of chunks, read the accounts of one, check them and store them."""
    AccountId.parse("0x" + "00" * 32).address.lower()  # loads the key library
    start = _spent()
    read_config(path).networks()["net"].account_chunks()
    watched, _ = read_config(path).watched("net", int(chunk))
    settings = _spent() - start
    with closing(Ledger(ledger_url)) as ledger:
        store = partial(ledger.record_statuses, "net", 1000)
        quiet = {"on_answer": lambda *_: None, "log": lambda _: None}
        asyncio.run(record_statuses(_Everybody(), list(watched), store=store, **quiet))  # type: ignore[arg-type]
    print(json.dumps({"accounts": len(watched), "settings": settings, "all": _spent()}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
