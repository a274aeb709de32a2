"""The evidence from which the causes of a network follow, and a cause."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from staking_gateway.health.eras import OPEN, State
from staking_gateway.health.funds import runway
from staking_gateway.payout.fee_limits import missing_limit
from staking_gateway.payout.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.health.eras import Judgement, Situation
    from staking_gateway.health.facts import AirflowFacts, LiveFacts
    from staking_gateway.health.funds import Runway
    from staking_gateway.ledger import Payout, Reconciliation, Stop, TaskFailure
    from staking_gateway.problem import Topic
    from staking_gateway.text import Token

ATTENTION, DANGER = 1, 2


@dataclass(frozen=True)
class Cause:
    """A cause, its remedy and what it blocks.

    :param detail: the facts in one sentence, without heading and remedy.
    :param level: `ATTENTION` or `DANGER`.
    :param eras: unpaid eras that it blocks, oldest first; for `EXPIRED` the lost eras.
    :param since: the first known time.
    :param action: one step that the page offers: `kind` is `unpause`, `pay`, `copy`, `top_up` or `run`, with its arguments; `amount` in
        the smallest unit, `text` and `cost` in the token's.
    :param standing: it stands before every payout.
    :param where: the object of the remedy: a connection, a key of a file, an account. `then` says whether the eras are paid by themselves.
    :param instead: what to do, if not the remedy of the topic.
    :param connection: the connection to open.
    :param transaction_url: address of the transaction that the facts name, in the explorer.
    """

    topic: Topic
    detail: str = ""
    level: int = DANGER
    eras: tuple[int, ...] = ()
    since: datetime | None = None
    action: Mapping[str, Any] | None = None
    standing: bool = False
    where: str = ""
    then: str = ""
    instead: str = ""
    connection: str | None = None
    transaction_url: str | None = None

    @property
    def text(self) -> str:
        """Heading and facts in one line, without a full stop."""
        heading = self.topic.heading
        return heading if self.detail.lower() in ("", heading.lower()) else f"{heading}: {self.detail}"

    @property
    def remedy(self) -> str:
        """What to do, with which object, and whether the waiting eras are paid by themselves then."""
        return ". ".join(filter(None, (self.instead or self.topic.remedy, self.where, self.then)))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "topic": self.topic.anchor,
            "heading": self.topic.heading,
            "text": self.text,
            "detail": self.detail,
            "remedy": self.remedy,
            "level": "danger" if self.level == DANGER else "attention",
            "eras": list(self.eras),
            "standing": self.standing,
            "since": None if self.since is None else self.since.isoformat(),
            "action": None if self.action is None else dict(self.action),
            "connection": self.connection,
            "transaction_url": self.transaction_url,
        }


@dataclass(frozen=True)
class Evidence:
    """What the causes of a network are found from.

    :param cells: the judged eras, at least all that can be paid.
    :param records: their parts in the ledger.
    :param failures: why runs have failed, by era; None for the catch-up's.
    :param expired: eras lost lately.
    :param wrong_accounts: names of accounts in the wrong state, the first ones; `unexpected` is their number.
    :param differences: the newest comparisons whose sides differ.
    :param urgent: unpaid eras close to expiry.
    :param stopped: the stop of the ledger.
    """

    name: str
    network: NetworkConfig
    situation: Situation
    cells: Mapping[int, Judgement]
    records: Mapping[int, Sequence[Payout]]
    live: LiveFacts
    airflow: AirflowFacts
    failures: Mapping[int | None, TaskFailure] = field(default_factory=dict)
    expired: Sequence[int] = ()
    wrong_accounts: Sequence[str] = ()
    unexpected: int = 0
    differences: Sequence[Reconciliation] = ()
    urgent: frozenset[int] = frozenset()
    stopped: Stop | None = None

    @cached_property
    def funds(self) -> Runway:
        """How long the payer's funds last, beside the unpaid eras."""
        return runway(self.network, balance=self.live.balance, fee=self.live.fee, unpaid=len(self.unpaid))

    @property
    def token(self) -> Token | None:
        """The token in which amounts are shown."""
        return self.network.token or self.live.token

    @property
    def missing_limit(self) -> str | None:
        """The limit of fees without which nothing is signed, if any."""
        return None if self.live.is_local else missing_limit(terms_of(self.name, self.network))

    @property
    def unpaid(self) -> list[int]:
        """Unpaid eras without a payment in progress, oldest first."""
        return [
            era
            for era, cell in sorted(self.cells.items())
            if cell.state in OPEN and cell.state is not State.EARLIER and not cell.in_hand
        ]
