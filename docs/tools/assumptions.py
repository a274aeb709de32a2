"""The page of assumptions, from the list the explorer checks."""

from __future__ import annotations

from staking_gateway_simulator.explore.catalogue import ASSUMPTIONS

_HEAD = """# What the promise rests on

`make explore` visits every state of the payout engine within bounds: every order of reads, sends, writes, crashes, clock steps and chain
executions. Each era is executed at most once, no era is green and unpaid, and every era comes to its end once faults stop. That holds
while the assumptions below hold. `make explore` also drops each of them, and checks that exactly the listed promises break.

"""


def page() -> str:
    parts = [_HEAD]
    for number, assumption in enumerate(ASSUMPTIONS, 1):
        broken = "\n".join(f"- {promise}" for promise in sorted(assumption.broken))
        parts.append(f"## {number}. {assumption.title}\n\n{assumption.why} Without it:\n\n{broken}\n\n")
    return "".join(parts)
