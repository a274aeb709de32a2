"""The report of a range of eras: what the SQL views of the ledger say, with sums. Unknown stays unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from staking_gateway.ledger.records import Reconciliation
from staking_gateway.text import Token
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from staking_gateway.ledger import Ledger

STATES = ("PAID", "ALREADY_PAID", "IN_FLIGHT", "HELD", "UNPAID", "EXPIRED", "UNKNOWN")
"""The states of `staking_eras`. Without a row there, an era is UNPAID or EXPIRED, and UNKNOWN before the installation."""
_AMOUNTS = ("fee", "wasted", "reward")


class Total(NamedTuple):
    """The sum of the known amounts of eras, in the smallest unit (None: none is known), and the number of eras whose amount is unknown."""

    known: int | None
    unknown_eras: int


@dataclass
class ReportedEra:
    """One era; None is unknown.

    :param fee: sum of all charged fees, `wasted` included, in the smallest unit.
    :param wasted: fees that were charged without a payout, as far as known.
    """

    era: int
    state: str = "UNKNOWN"
    fee: int | None = None
    wasted: int | None = None
    reward: int | None = None
    lag_seconds: float | None = None
    staking: int | None = None
    not_staking: int | None = None


@dataclass(frozen=True, kw_only=True)
class RangeReport:
    """Eras of a network, each of the range, oldest first.

    :param token: None: unknown, or the range has several.
    :param begins: the oldest era of the installation; None: unknown.
    :param compared: number of eras that were compared with gateway or chain.
    :param differences: those in which ledger, gateway and chain differ.
    """

    network: str
    first: int
    last: int
    token: Token | None
    begins: int | None
    eras: list[ReportedEra]
    compared: int
    differences: list[Reconciliation]

    @property
    def states(self) -> dict[str, int]:
        """Number of eras by state."""
        found = Counter(era.state for era in self.eras)
        return {state: found[state] for state in STATES}

    def total(self, name: str) -> Total:
        """The sum of `fee`, `wasted` or `reward`."""
        amounts = [getattr(era, name) for era in self.eras]
        known = [one for one in amounts if one is not None]
        return Total(sum(known) if known else None, len(amounts) - len(known))

    @property
    def lags(self) -> dict[int, float]:
        """The known lags of eras, in seconds."""
        return {era.era: era.lag_seconds for era in self.eras if era.lag_seconds is not None}

    @property
    def median_lag(self) -> float | None:
        return median(self.lags.values()) if self.lags else None

    @property
    def checked(self) -> ReportedEra | None:
        """The newest era with statuses of accounts."""
        return next((era for era in reversed(self.eras) if era.staking is not None), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: amounts as decimal text in the smallest unit, None for unknown."""
        return {
            "network": self.network,
            "first": self.first,
            "last": self.last,
            "begins": self.begins,
            "symbol": self.token and self.token.symbol,
            "decimals": self.token and self.token.decimals,
            "states": self.states,
            **{name: _plain(self.total(name)._asdict()) for name in _AMOUNTS},
            "median_lag_seconds": self.median_lag,
            "compared_eras": self.compared,
            "differences": [{"era": one.era, "subject": one.subject, "text": one.text} for one in self.differences],
            "eras": [_plain(asdict(era)) for era in self.eras],
        }


def range_report(
    ledger: Ledger,
    network: str,
    known: range,
    *,
    token: Token | None = None,
    begins: int | None = None,
    since: int | None = None,
    in_hand: Mapping[int, bool] | None = None,
) -> RangeReport:
    """A range of eras that have ended.

    :param token: the token of `staking.yaml`; without it that of the range counts, or else the newest of the ledger.
    :param begins: the oldest era of the installation, and `since` the oldest that it should have paid; None: unknown.
    :param in_hand: whether the payment of an era that can be paid is in progress, or its run begins soon.
    """
    rows = {row.era: row for row in ledger.views.rows("staking_eras", network, known)}
    eras = {era: ReportedEra(era) for era in known}
    for row in rows.values():
        eras[row.era] = ReportedEra(row.era, row.state, row.fee, None, row.reward, row.lag_seconds)
    seen, in_hand = ledger.journal.active_era(network), in_hand or {}
    expired_before = 0 if seen is None else seen.active - seen.history_depth
    for number, era in eras.items():
        if era.state == "UNKNOWN" and since is not None and number >= since:
            era.state = "EXPIRED" if number < expired_before else "UNPAID"
        if era.state in ("UNPAID", "IN_FLIGHT") and number in in_hand:
            era.state = "IN_FLIGHT" if in_hand[number] else "UNPAID"
        if era.state != "UNKNOWN" and (number not in rows or not rows[number].parts):
            era.fee = 0
        if era.fee is not None:
            era.wasted = 0
    for fee in ledger.views.rows("staking_fees", network, known):
        if fee.purpose == "wasted":
            eras[fee.era].wasted = (eras[fee.era].wasted or 0) + (fee.fee or 0)
    for number, counts in ledger.views.accounts(network, known).items():
        eras[number].staking = counts[StakingStatus.IS_STAKING]
        eras[number].not_staking = counts[StakingStatus.IS_NOT_STAKING]
    units = {Token(row.symbol, row.decimals) for row in rows.values() if None not in (row.symbol, row.decimals)}
    compared = [row for row in ledger.facts.rows(Reconciliation, network, known) if row.agrees is not None]
    return RangeReport(
        network=network,
        first=known.start,
        last=known.stop - 1,
        token=None if len(units) > 1 else token or next(iter(units), None) or ledger.views.token(network),
        begins=begins,
        eras=list(eras.values()),
        compared=len({row.era for row in compared}),
        differences=[row for row in compared if not row.agrees],
    )


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    amounts = ("known", *_AMOUNTS)
    return {name: str(value) if name in amounts and value is not None else value for name, value in values.items()}
