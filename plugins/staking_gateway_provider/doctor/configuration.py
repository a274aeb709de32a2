"""staking.yaml, and whether all who run tasks can share the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway_provider.doctor.findings import Finding, failure, mistakes, note, ok, warning
from staking_gateway_provider.executors import ON_ONE_MACHINE, configured_executors, not_shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway.config.models import Config
    from staking_gateway.errors import ConfigError
    from staking_gateway_provider.doctor.case import SetUp


def check_configuration(setup: SetUp) -> Iterator[Finding]:
    """The file is there, valid, has a network to pay, and DAGs can be made of it. Of mistakes, all are told."""
    from staking_gateway.config.loader import find_config_path, load_config
    from staking_gateway.errors import ConfigError

    path = find_config_path()
    try:
        setup.config = config = load_config(path)
    except ConfigError as problem:
        yield from mistakes(problem)
        return
    if without_dag := [reason for name in config.networks if (reason := _no_dag(config, name))]:
        yield from map(failure, without_dag)
        return
    if setup.network is not None:
        network = config.network(setup.network)
        if not network.enabled:
            yield note(
                f"{setup.network} is disabled: no DAG runs for it", "Set enabled: true in staking.yaml to run it"
            )
    elif not setup.networks():
        yield warning(f"no network of {path} is enabled: nothing runs", "Set enabled: true for one of them")
    yield ok(f"{path} is valid; networks: {', '.join(setup.networks()) or 'none'}")


def _no_dag(config: Config, name: str) -> ConfigError | None:
    """Why no DAG can be made of a network; making one is the look."""
    from staking_gateway.errors import ConfigError
    from staking_gateway_provider.parsing import payout_dag

    try:
        if config.networks[name].enabled:
            payout_dag("looked_at", name, config.networks[name])
    except ConfigError as problem:
        return problem
    return None


def check_ledger_sharing(setup: SetUp) -> Iterator[Finding]:
    """A file is no ledger for several machines: each would have its own, and pay again what the others paid."""
    executors = [*dict.fromkeys(name for team in configured_executors() for name in team.values())]
    apart = [name for name in executors if name not in ON_ONE_MACHINE]
    if not (setup.ledger_url or "").startswith("sqlite"):
        yield ok(f"a database server, fit for {', '.join(executors)}")
    elif apart:
        yield failure(not_shared(", ".join(apart)))
    else:
        yield ok(f"a file, fit for {', '.join(executors)} on one machine")
