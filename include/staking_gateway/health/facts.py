"""The facts of a network that are not in the ledger: what its gateway reports now, and what Airflow knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from staking_gateway.eras import ActiveEra, utc_now
from staking_gateway.errors import ChainError, GatewayError
from staking_gateway.gateway.gateway import Gateway, if_supported
from staking_gateway.problem import Problem, Topic

if TYPE_CHECKING:
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.text import Token
    from staking_gateway.types import ElectionWindow


@dataclass(frozen=True)
class LiveFacts:
    """Present values from a gateway; None for an unavailable value.

    :param fee: of one call, in the smallest unit; likewise `balance`, the payer's free balance.
    :param automatic: the chain pays its stakers by itself.
    :param by_node: the active era comes from a node of the chain, and so does `token`, unless the network's settings name one.
    :param is_local: the gateway runs on this machine.
    :param problem: why a request failed, if one did; `failed` has the problem of each fact that a request could not read.
    :param at: time of the requests, if any.
    """

    active: int | None = None
    window: ElectionWindow | None = None
    fee: int | None = None
    balance: int | None = None
    automatic: bool = False
    by_node: bool = False
    token: Token | None = None
    is_local: bool = True
    problem: Problem | None = None
    failed: Mapping[str, Problem] = field(default_factory=dict, compare=False)
    at: datetime | None = None

    @property
    def silent(self) -> bool:
        """Whether nothing is known from the gateway, because its requests failed."""
        return self.problem is not None and self.active is None and self.window is None and self.fee is None


def read_facts(gateway: Gateway, network: NetworkConfig, *, clock: Callable[[], datetime] = utc_now) -> LiveFacts:
    """Read the facts from a gateway. After a failed request, the other facts are kept."""
    relayer, payer = network.relayer, network.payer
    requests: dict[str, Callable[[], object]] = {
        "active": lambda: if_supported(gateway.active_era),
        "automatic": gateway.pays_by_itself,
        "window": lambda: if_supported(gateway.election_window),
        "fee": lambda: if_supported(lambda: gateway.relayer_fee(relayer, payer)),
    }
    if network.token is None and gateway.node is not None:
        requests["token"] = gateway.token
    requests["balance"] = lambda: gateway.free_balance(payer)
    answers: dict[str, Any] = {}
    failed: dict[str, Problem] = {}
    for name, request in requests.items():
        try:
            answers[name] = request()
        except GatewayError as error:
            failed[name] = error.problem
            if error.code is None and not isinstance(error, ChainError):
                break  # the gateway is unreachable
    problem = next(iter(failed.values()), None)
    if answers.get("active") == 0 and (network.calendar.era_or_none(clock()) or 0) > 1:
        answers["active"] = None
        problem = problem or Problem(Topic.GATEWAY_FAILS, "it reports era 0, so it has no data yet")
    by_node, local = gateway.node is not None, not gateway.is_remote
    return LiveFacts(**answers, by_node=by_node, is_local=local, problem=problem, failed=failed, at=clock())


@dataclass(frozen=True)
class EraRun:
    """A run of an Airflow DAG; its state as Airflow spells it, e.g. `running`."""

    dag_id: str
    run_id: str
    state: str = ""

    @property
    def active(self) -> bool:
        """Whether the run has not ended."""
        return self.state in ("queued", "running")


def run_of(actor: str | None) -> EraRun | None:
    """The run of Airflow behind an `Actor.run`; None for a command or a script."""
    dag_id, slash, run_id = (actor or "").partition("/")
    return EraRun(dag_id, run_id) if slash and run_id and " " not in dag_id else None


@dataclass(frozen=True)
class AirflowFacts:
    """What Airflow knows of the network's DAGs, and of its own programs.

    :param runs: era to its latest run; None: unknown.
    :param known: Airflow has the payout DAG; None: unknown. `paused` says whether it is paused.
    :param catch_up: the queued or running catch-up run; `last_catch_up` is the last one that has ended.
    :param catch_up_eras: the eras that the plan of that run pays; None: it has no plan yet, so it may pay any.
    :param catch_up_paused: the catch-up DAG is paused; `catch_up_due`: when its next scheduled run is due.
    :param dead: programs without a sign of life, and the last one.
    """

    runs: Mapping[int, EraRun] | None = None
    known: bool | None = None
    paused: bool = False
    catch_up: EraRun | None = None
    catch_up_eras: Collection[int] | None = None
    catch_up_paused: bool = False
    catch_up_due: datetime | None = None
    last_catch_up: EraRun | None = None
    dead: Mapping[Topic, datetime | None] = field(default_factory=dict)

    @property
    def halted(self) -> bool:
        """Whether payout runs do not go on, even if they are queued or running."""
        return self.paused or self.known is False or bool(self.dead)

    def catches_up(self, eras: Iterable[int]) -> bool:
        """Whether a catch-up run goes on that pays these eras."""
        goes_on = self.catch_up is not None and not self.catch_up_paused and not self.dead
        return goes_on and (self.catch_up_eras is None or set(eras) <= set(self.catch_up_eras))


def active_era(network: NetworkConfig, facts: LiveFacts, now: datetime, *, reached: int | None = None) -> ActiveEra:
    """The active era, from chain and calendar; `reached` is the newest era that was paid on this chain."""
    unanswered = facts.problem is not None
    return network.active_era(now, facts.active, unanswered=unanswered, by_node=facts.by_node, reached=reached)
