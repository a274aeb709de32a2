"""Removing old rows from the ledger, after their export. `staking_gateway.ledger.pruning` says which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import oldest_payable
from staking_gateway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway_provider.exporting import Exporter


def prunable_eras(ledger: Ledger, network: str, config: NetworkConfig, before: int | None) -> list[int]:
    """The eras with rows to remove, in order.

    :param before: earlier eras only; None: all that have expired by the calendar and by the newest paid era.
    :raises InvalidInput: eras before it may not have expired.
    """
    calendar, paid = config.calendar.era_or_none(utc_now()), ledger.newest_paid_era(network)
    limit = oldest_payable(calendar, paid, config.history_depth)
    if before is not None and before > limit:
        problem = f"era {before - 1} may not have expired yet: {_limited_by(calendar, paid)}, and history_depth is {config.history_depth}"
        raise InvalidInput("before", problem, f"Write {limit} or less")
    stored = ledger.views.eras(network)
    return ledger.pruning.prunable(network, range(stored.start, min(stored.stop, limit if before is None else before)))


def _limited_by(calendar: int | None, paid: int | None) -> str:
    """What decides `oldest_payable`."""
    if calendar is None:
        return "no era is active by the calendar"
    if paid is None:
        return "no era is paid by the ledger"
    if calendar <= paid + 1:
        return f"era {calendar} is active by the calendar"
    return f"era {paid} is the newest paid era, though era {calendar} is active by the calendar"


def prune(
    ledger: Ledger,
    network: str,
    config: NetworkConfig,
    eras: Sequence[int],
    *,
    exporter: Exporter,
    actor: Actor,
    on_era: Callable[[], object] = lambda: None,
) -> int:
    """Export and remove the rows of eras, one era after the other. A failure leaves the ledger without whole eras only.

    :param exporter: of the views in `PRUNED`.
    :returns: the number of removed rows.
    :raises ExportError: a file cannot be written.
    :raises LedgerConflict: rows of an era have changed meanwhile; the era is unchanged.
    """
    removed = 0
    for era in eras:
        since = utc_now()
        written = exporter.write(ledger, network, range(era, era + 1), config=config)
        note = f"statuses, rewards and comparisons of era {era} are in {exporter.target}"
        removed += ledger.pruning.remove(network, era, written.rows, since=since, note=note, at=utc_now(), actor=actor)
        on_era()
    return removed
