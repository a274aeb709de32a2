"""The report of a range of eras: what the SQL views of the ledger say, with sums. Unknown stays unknown.

An era without a row is in no view. The caller knows which eras the installation should have paid, and which have expired.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from staking_gateway.text import Token
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import sqlalchemy as sa

    from staking_gateway.ledger.views import ViewRows

STATES = ("PAID", "ALREADY_PAID", "IN_FLIGHT", "HELD", "UNPAID", "EXPIRED", "UNKNOWN")
"""The states of `staking_eras`. Without a row, an era is UNPAID or EXPIRED, and UNKNOWN before the installation."""


@dataclass(frozen=True)
class Total:
    """A sum over eras.

    :param known: the sum of the known amounts, in the smallest unit; None: no amount is known.
    :param unknown_eras: number of eras whose amount is unknown, or known in part.
    """

    known: int | None
    unknown_eras: int


@dataclass
class ReportedEra:
    """One era; None is unknown.

    :param state: one of `STATES`.
    :param fee: sum of all charged fees, `wasted` included, in the smallest unit.
    :param wasted: fees that were charged without a payout, as far as known.
    :param staking: number of accounts.
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
    """The eras `first` to `last` of a network.

    :param token: None: unknown, or the range has several.
    :param eras: every era of the range, oldest first.
    :param compared: number of eras that were compared with gateway or chain.
    :param begins: the oldest era of the installation; None: the ledger has none.
    :param differences: rows of `staking_reconciliation` in which ledger, gateway and chain differ.
    """

    network: str
    token: Token | None
    eras: list[ReportedEra]
    fee: Total
    wasted: Total
    reward: Total
    compared: int
    begins: int | None
    differences: list[sa.Row[Any]]

    @property
    def first(self) -> int:
        return self.eras[0].era

    @property
    def last(self) -> int:
        return self.eras[-1].era

    @property
    def states(self) -> dict[str, int]:
        """Number of eras by state."""
        found = Counter(era.state for era in self.eras)
        return {state: found[state] for state in STATES}

    @property
    def lags(self) -> dict[int, float]:
        """The known lags of eras, in seconds."""
        return {era.era: era.lag_seconds for era in self.eras if era.lag_seconds is not None}

    @property
    def median_lag(self) -> float | None:
        return median(self.lags.values()) if self.lags else None

    @property
    def worst_lag(self) -> ReportedEra | None:
        """The era with the longest known lag."""
        lags = self.lags
        return max((era for era in self.eras if era.era in lags), key=lambda era: lags[era.era], default=None)

    @property
    def checked(self) -> ReportedEra | None:
        """The newest era with statuses of accounts."""
        return next((era for era in reversed(self.eras) if era.staking is not None), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON: amounts as decimal text in the smallest unit, None for unknown."""
        worst, checked = self.worst_lag, self.checked
        return {
            "network": self.network,
            "first": self.first,
            "last": self.last,
            "begins": self.begins,
            "symbol": self.token and self.token.symbol,
            "decimals": self.token and self.token.decimals,
            "states": self.states,
            **{name: _plain(getattr(self, name)) for name in ("fee", "wasted", "reward")},
            "lag": {
                "median_seconds": self.median_lag,
                "worst_seconds": worst and worst.lag_seconds,
                "worst_era": worst and worst.era,
                "known_eras": len(self.lags),
            },
            "accounts": checked and {name: getattr(checked, name) for name in ("era", "staking", "not_staking")},
            "compared_eras": self.compared,
            "differences": [{"era": one.era, "subject": one.subject, "text": one.text} for one in self.differences],
            "eras": [_plain(era) for era in self.eras],
        }


def range_report(
    views: ViewRows,
    network: str,
    first: int,
    last: int,
    token: Token | None = None,
    *,
    since: int | None = None,
    payable_from: int = 0,
    in_hand: Collection[int] = (),
) -> RangeReport:
    """The eras `first` to `last`, which have ended.

    :param token: the token, if the ledger has none in the range.
    :param since: the oldest era that the installation should have paid; None: unknown.
    :param payable_from: the oldest era that may still be paid.
    :param in_hand: eras whose payment is in progress, or whose run begins soon.
    """
    known = range(first, last + 1)
    rows, accounts = (
        {row.era: row for row in views.rows("staking_eras", network, known)},
        views.accounts(network, known),
    )
    eras = [_era(era, rows.get(era), accounts.get(era), since, payable_from) for era in known]
    for era in eras:
        if era.era in in_hand and era.state == "UNPAID":
            era.state = "IN_FLIGHT"
    tokens = {Token(row.symbol, row.decimals) for row in rows.values() if None not in (row.symbol, row.decimals)}
    fees = views.rows("staking_fees", network, known)
    for row in fees:
        if row.purpose == "wasted":
            era = eras[row.era - first]
            era.wasted = (era.wasted or 0) + (row.fee or 0)
    compared = [row for row in views.rows("staking_reconciliation", network, known) if row.agrees is not None]
    oldest = [era for era in (since, *views.eras(network)[:1]) if era is not None]
    return RangeReport(
        network=network,
        token=next(iter(tokens)) if len(tokens) == 1 else None if tokens else token,
        eras=eras,
        fee=_total((era.fee for era in eras), sum(row.fee or 0 for row in fees)),
        wasted=_total((None if era.fee is None else era.wasted for era in eras), sum(era.wasted or 0 for era in eras)),
        reward=_total((era.reward for era in eras), sum(era.reward or 0 for era in eras)),
        compared=len({row.era for row in compared}),
        begins=min(oldest, default=None),
        differences=[row for row in compared if not row.agrees],
    )


def _era(
    number: int, row: Any | None, accounts: Counter[StakingStatus] | None, since: int | None, payable_from: int
) -> ReportedEra:
    """An era, also without a row. A payout in flight may still be confirmed, so it does not expire here."""
    era = ReportedEra(number)
    if accounts is not None:
        era.staking, era.not_staking = accounts[StakingStatus.IS_STAKING], accounts[StakingStatus.IS_NOT_STAKING]
    if row is not None:
        era.state, era.fee, era.reward, era.lag_seconds = row.state, row.fee, row.reward, row.lag_seconds
    missing = era.state == "UNKNOWN" and since is not None and number >= since
    if number < payable_from and (missing or era.state in ("UNPAID", "HELD")):
        era.state = "EXPIRED"
    elif missing:
        era.state = "UNPAID"
    if era.state != "UNKNOWN" and (row is None or not row.parts):
        era.fee = 0
    era.wasted = None if era.fee is None else 0
    return era


def _total(amounts: Iterable[int | None], known: int) -> Total:
    """A sum, given the amounts of all eras; `known` also counts the eras whose amount is known in part."""
    listed = list(amounts)
    unknown = listed.count(None)
    return Total(known if known or unknown < len(listed) else None, unknown)


def _plain(one: Total | ReportedEra) -> dict[str, Any]:
    amounts = ("known", "fee", "wasted", "reward")
    return {name: str(value) if name in amounts and value is not None else value for name, value in asdict(one).items()}
