"""The report of a range of eras: what the SQL views of the ledger say, with sums. Unknown stays unknown.

An era without a row is in no view. The caller knows which eras the installation should have paid, and which have expired.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from staking_gateway.text import Token
from staking_gateway.types import StakingStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from staking_gateway.ledger.database import Database

STATES = ("PAID", "ALREADY_PAID", "IN_FLIGHT", "HELD", "UNPAID", "EXPIRED", "UNKNOWN")
"""The states of `staking_eras`. Without a row, an era is UNPAID or EXPIRED, and UNKNOWN before the installation."""

_RANGE = "WHERE network = :network AND era BETWEEN :first AND :last"
_ERAS = f"SELECT era, state, parts, fee, reward, symbol, decimals, lag_seconds FROM staking_eras {_RANGE} ORDER BY era"  # noqa: S608
_FEES = f"SELECT era, purpose, fee FROM staking_fees {_RANGE}"  # noqa: S608
_STATUSES = f"SELECT era, status, count(*) FROM staking_statuses {_RANGE} GROUP BY era, status"  # noqa: S608
_COMPARED = f"SELECT era, subject, agrees, text FROM staking_reconciliation {_RANGE} ORDER BY era, subject"  # noqa: S608
_TOKEN = "SELECT symbol, decimals FROM staking_eras WHERE network = :network AND decimals IS NOT NULL ORDER BY era DESC LIMIT 1"
_BOUNDS = "SELECT min(era), max(era) FROM staking_eras WHERE network = :network"


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


@dataclass(frozen=True)
class Difference:
    """A comparison of one subject of an era in which ledger, gateway and chain differ."""

    era: int
    subject: str
    text: str


@dataclass(frozen=True, kw_only=True)
class RangeReport:
    """The eras `first` to `last` of a network.

    :param token: None: unknown, or the range has several.
    :param eras: every era of the range, oldest first.
    :param compared: number of eras that were compared with gateway or chain.
    :param begins: the oldest era of the installation; None: the ledger has none.
    """

    network: str
    token: Token | None
    eras: list[ReportedEra]
    fee: Total
    wasted: Total
    reward: Total
    compared: int
    begins: int | None
    differences: list[Difference] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.eras[0].era

    @property
    def last(self) -> int:
        return self.eras[-1].era

    @property
    def states(self) -> dict[str, int]:
        """Number of eras by state."""
        found = [era.state for era in self.eras]
        return {state: found.count(state) for state in STATES}

    @property
    def lags(self) -> list[float]:
        """The known lags in seconds, shortest first."""
        return sorted(era.lag_seconds for era in self.eras if era.lag_seconds is not None)

    @property
    def median_lag(self) -> float | None:
        return median(self.lags) if self.lags else None

    @property
    def worst_lag(self) -> ReportedEra | None:
        """The era with the longest known lag."""
        return max((era for era in self.eras if era.lag_seconds is not None), key=_lag, default=None)

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
            **{name: _plain(asdict(getattr(self, name))) for name in ("fee", "wasted", "reward")},
            "lag": {
                "median_seconds": self.median_lag,
                "worst_seconds": worst and worst.lag_seconds,
                "worst_era": worst and worst.era,
                "known_eras": len(self.lags),
            },
            "accounts": checked and {name: getattr(checked, name) for name in ("era", "staking", "not_staking")},
            "compared_eras": self.compared,
            "differences": [asdict(difference) for difference in self.differences],
            "eras": [_plain(asdict(era)) for era in self.eras],
        }


class RangeReports:
    """Reports of ranges of eras, at `Ledger.reports`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def bounds(self, network: str) -> tuple[int, int] | None:
        """The oldest and the newest era of a network in the ledger."""
        ((oldest, newest),) = self._rows(_BOUNDS, network=network)
        return None if oldest is None else (oldest, newest)

    def token(self, network: str) -> Token | None:
        """The token of the newest era that has one; None: unknown."""
        return next((Token(*row) for row in self._rows(_TOKEN, network=network)), None)

    def report(
        self,
        network: str,
        first: int,
        last: int,
        token: Token | None = None,
        *,
        since: int | None = None,
        payable_from: int = 0,
    ) -> RangeReport:
        """The eras `first` to `last`, which have ended.

        :param token: the token, if the ledger has none in the range.
        :param since: the oldest era that the installation should have paid; None: unknown.
        :param payable_from: the oldest era that may still be paid.
        """
        eras = {era: ReportedEra(era) for era in range(first, last + 1)}
        of_range = {"network": network, "first": first, "last": last}
        tokens = set()
        tried = set()
        for number, state, parts, fee, reward, symbol, decimals, lag in self._rows(_ERAS, **of_range):
            era = eras[number]
            era.state, era.fee, era.reward = state, _whole(fee), _whole(reward)
            era.lag_seconds = None if lag is None else float(lag)
            era.wasted = None if era.fee is None else 0
            if parts:
                tried.add(number)
            if symbol is not None and decimals is not None:
                tokens.add(Token(symbol, decimals))
        for era in eras.values():
            era.state = _state(era, since, payable_from)
            if era.state != "UNKNOWN" and era.era not in tried:
                era.fee = era.wasted = 0
        charged = dict.fromkeys(eras, 0)
        for number, purpose, fee in self._rows(_FEES, **of_range):
            charged[number] += int(fee or 0)
            if purpose == "wasted":
                eras[number].wasted = (eras[number].wasted or 0) + int(fee or 0)
        for number, status, accounts in self._rows(_STATUSES, **of_range):
            era = eras[number]
            era.staking, era.not_staking = era.staking or 0, era.not_staking or 0
            if status == StakingStatus.IS_STAKING.value:
                era.staking += accounts
            else:
                era.not_staking += accounts
        comparisons = self._rows(_COMPARED, **of_range)
        compared = {row.era for row in comparisons if row.agrees is not None}
        oldest = [era for era in (since, *(self.bounds(network) or ())[:1]) if era is not None]
        everything = list(eras.values())
        return RangeReport(
            network=network,
            token=next(iter(tokens)) if len(tokens) == 1 else None if tokens else token,
            eras=everything,
            fee=_total((era.fee for era in everything), sum(charged.values())),
            wasted=_total(
                (None if era.fee is None else era.wasted for era in everything),
                sum(era.wasted or 0 for era in everything),
            ),
            reward=_total((era.reward for era in everything), sum(era.reward or 0 for era in everything)),
            compared=len(compared),
            begins=min(oldest, default=None),
            differences=[Difference(row.era, row.subject, row.text) for row in comparisons if row.agrees in (0, False)],
        )

    def _rows(self, query: str, **parameters: Any) -> list[Any]:
        with self._database.reading() as connection:
            return list(connection.execute(sa.text(query), parameters))


def _state(era: ReportedEra, since: int | None, payable_from: int) -> str:
    """The state of an era, also without a row. A payout in flight may still be confirmed, so it does not expire here."""
    missing = era.state == "UNKNOWN" and since is not None and era.era >= since
    if era.era < payable_from and (missing or era.state in ("UNPAID", "HELD")):
        return "EXPIRED"
    return "UNPAID" if missing else era.state


def _total(amounts: Iterable[int | None], known: int) -> Total:
    """A sum, given the amounts of all eras; `known` also counts the eras whose amount is known in part."""
    listed = list(amounts)
    unknown = listed.count(None)
    return Total(known if known or unknown < len(listed) else None, unknown)


def _lag(era: ReportedEra) -> float:
    return era.lag_seconds or 0


def _whole(value: Any) -> int | None:
    """An amount of a view: decimal text, or a Decimal."""
    return None if value is None else int(value)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    amounts = ("known", "fee", "wasted", "reward")
    return {name: str(value) if name in amounts and value is not None else value for name, value in values.items()}
