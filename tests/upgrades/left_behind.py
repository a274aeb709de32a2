"""Payouts as an old version leaves them, in every state there is, and the chains they were sent to.

A story pays eras of one network and stops in the middle, as a process does whose package is upgraded. What reached its chain is
written down as steps, so that the same chain can be made again: the payloads of an old ledger are in it, byte for byte.

`make_ledgers` runs them. The ledgers of the schemas 0001 and 0002 were made with the code of their time, so nothing newer than the first
ledger is used here outside `tell_of_newer_tables`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import timedelta

from staking_gateway.errors import GatewayUnreachable
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.schema import HEAD
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import AccountId, StakingStatus
from tests.support.world import ALICE, BOB, CHARLIE, ERA_LENGTH, START, Crash, World

_PAYOUT = "proxyPayoutstakers"


class Recorded(World):
    """A world whose chain's steps are written down, one network of a ledger that others share.

    :param url: of the ledger.
    :param options: what `World` takes.
    """

    def __init__(self, folder, url, network, **options):
        super().__init__(folder, **options)
        self.ledger.close()
        self.ledger = Ledger(url, clock=self.now)
        self.network = network
        self.terms = replace(self.terms, network=network, chain=f"chain of {network}")
        self.options = options
        self.steps = []
        self._pass_on, self.gateway._call = self.gateway._call, self._write_down
        self._change, self.control = self.control, self._write_change_down

    def _write_down(self, call):
        if call.method != _PAYOUT:
            return self._pass_on(call)
        sent = {name: one.hex if isinstance(one, AccountId) else one for name, one in self.gateway.sent[-1].items()}
        step = {"send": sent, "request_id": None}
        self.steps.append(step)
        step["request_id"] = self._pass_on(call)
        return step["request_id"]

    def elapse(self, seconds):
        self.steps.append({"elapse": seconds})
        super().elapse(seconds)

    def _write_change_down(self, name, **fields):
        if name != "advance":
            self.steps.append({"control": name, "fields": fields})
        self._change(name, **fields)

    def scheduled(self, era, **terms):
        """The engine of the run an Airflow schedule makes for an era."""
        run = f"staking_payout_{self.network}/scheduled__era-{era}__0a1b2c3d"
        return self.engine(run, terms=replace(self.terms, **terms))

    def pay(self, era):
        assert self.drive(era, self.scheduled(era)).outcome is Outcome.PAID
        found = [(ALICE.account, StakingStatus.IS_STAKING), (BOB.account, StakingStatus.IS_NOT_STAKING)]
        assert self.ledger.record_statuses(self.network, era, found) == 2

    def told(self):
        """What it takes to make this chain again."""
        return {"options": self.options, "steps": self.steps}


# --- the stories ---------------------------------------------------------------------------------------------------------------


def accepted(world):
    """The gateway has the last payload, the chain does not yet."""
    first = world.era
    for era in (first - 2, first - 1):
        world.pay(era)
    world.scheduled(first).advance(first)


def executed(world):
    """The chain executed the last payload when nobody looked."""
    accepted(world)
    world.elapse(2)


def signed(world):
    """The worker died with the payload in the ledger, before its first byte left."""
    world.pay(world.era - 1)

    def die():
        raise Crash

    world.gateway.before_send = die
    _die(world)
    world.gateway.before_send = None


def sent(world):
    """The worker died when the gateway had the payload, before it could write that down."""
    world.pay(world.era - 1)
    world.gateway.lose = ["crash"]
    _die(world)


def _die(world):
    try:
        world.scheduled(world.era).advance(world.era)
    except Crash:
        return
    raise AssertionError("it lives")


def lost(world):
    """The payload got lost on its way."""
    world.gateway.lose = ["before"]
    world.scheduled(world.era).advance(world.era)


def unanswered(world):
    """The answer got lost on its way back; the chain has executed the payload since."""
    world.pay(world.era - 1)
    world.gateway.lose = ["after"]
    world.scheduled(world.era).advance(world.era)
    world.elapse(2)


def quiet(world):
    """Nothing is in flight: eras that are held, refused or only planned, and one that is paid."""
    first = world.era
    world.pay(first - 4)
    world.scheduled(first - 3, max_fee_per_payout=1).advance(first - 3)
    world.gateway.before_send = lambda: world.control("fee", amount="25000000000000")
    assert world.scheduled(first - 2, max_replans=0).advance(first - 2).outcome is Outcome.REJECTED
    world.gateway.before_send = None
    world.gateway.lose = ["refused"]
    try:
        world.scheduled(first - 1).advance(first - 1)
    except GatewayUnreachable:
        world.control("window", state="open")
    world.scheduled(first).advance(first)


def batches(world):
    """Each call pays some stakers; the gateway said that nobody is left."""
    world.terms = replace(world.terms, parts=None)
    world.pay(world.era)


STORIES = {story.__name__: story for story in (accepted, executed, signed, sent, lost, unanswered, quiet, batches)}
OPTIONS = {"batches": {"stakers": 100, "unpaid_eras": 1}}


def tell_of_newer_tables(world):
    """Fill the tables that came after the first migration, as far as this version has them."""
    if HEAD >= "0002":
        _notices_plans_and_anchors(world)
    if HEAD >= "0003":
        _alerts(world)
    if HEAD >= "0004":
        _wasted_fees(world)
    if HEAD >= "0006":
        _failures(world)
    if HEAD >= "0008":
        _facts(world)


def _facts(world):
    from staking_gateway.ledger import AccountReward, Actor, EraFacts, Reconciliation

    about = {"network": world.network, "era": world.era - 4, "run": str(Actor("run"))}
    facts, most = world.ledger.facts, 2**128 - 1
    token = {"symbol": "UNIT", "decimals": 12}
    facts.note_era(EraFacts(**about, noted_at=START, ended_at=START, reward=most, reward_source="storage", **token))
    account = {"account_key": ALICE.account.hex, "address": ALICE.account.address}
    facts.note_rewards(
        [AccountReward(**about, noted_at=START, **account, amount=most, source="events", block_number=7)]
    )
    found = {"subject": "execution", "agrees": False, "finding": "unpaid_green", "text": "the chain has no payout"}
    facts.note_reconciliation([Reconciliation(**about, checked_at=START, **found)])


def _failures(world):
    from staking_gateway.ledger import Actor

    for era in (world.era, None):
        world.ledger.journal.note_failure(world.network, era, "signer", "the signer is gone", Actor("run"))


def _notices_plans_and_anchors(world):
    from staking_gateway.catch_up.survey import survey
    from staking_gateway.eras.calendar import EraAnchor, EraCalendar
    from staking_gateway.eras.expiry import Depths
    from staking_gateway.ledger import Actor

    actor, journal = Actor(f"staking_catch_up_{world.network}/manual__1"), world.ledger.journal
    anchors = [EraAnchor(world.era - 10, START, timedelta(seconds=ERA_LENGTH))]
    anchors.append(
        EraAnchor(world.era, START + timedelta(seconds=10 * ERA_LENGTH), timedelta(seconds=ERA_LENGTH + 0.25))
    )
    journal.agree_on_calendar(world.network, EraCalendar(tuple(anchors)), actor)
    plan = survey(world.terms, world.gateway, world.ledger, kept=Depths(84), clock=world.now)
    journal.keep_plan(world.network, plan.hash, plan.as_dict(), actor)
    assert journal.note_once(world.network, world.era - 90, "expired", f"Era {world.era - 90} has expired", actor)


def _alerts(world):
    from staking_gateway.ledger import Actor
    from staking_gateway.ledger.conditions import AlertKind, Condition, Findings, Severity

    actor, book = Actor(f"staking_payout_{world.network}/alerts"), world.ledger.journal.alerts
    late, held = (
        Condition(
            f"era:{era}",
            kind,
            rank,
            Severity.WARNING,
            f"Era {era}",
            "the fee is too high",
            "Raise the ceiling",
            era=era,
        )
        for era, kind, rank in ((world.era - 4, AlertKind.NOT_PAID, 1), (world.era - 3, AlertKind.HELD, 2))
    )
    present = {late.topic: late, held.topic: held}
    assert book.update(world.network, Findings(present=present), clear_after=timedelta(0), actor=actor) == 2
    first, second = book.unsent(world.network)
    book.end_claim(book.note_received(book.claim(first, timedelta(seconds=30)), "operator"), sent=True)
    book.claim(second, timedelta(seconds=30))
    world.elapse(1)
    over = Findings(settled={late.topic: f"Era {late.era} is paid"})
    assert book.update(world.network, over, clear_after=timedelta(0), actor=actor) == 1


def _wasted_fees(world):
    """The fee of a refused payload was charged all the same."""
    from staking_gateway.ledger import Actor

    refused = world.ledger.payout(world.network, world.era - 2, 0)
    actor = Actor(f"staking_payout_{world.network}/manual__1")
    cause = "the payment nonce has moved, and the staking nonce has not; a fee was charged"
    facts = {"fee_charged": True, "wasted": 1, "reason": cause}
    world.ledger.transition(refused, refused.state, cause, actor, charged=True, **facts)


# --- the same chains, later ----------------------------------------------------------------------------------------------------


def found_again(folder, url, network, told):
    """The chain of a story after all its steps, and engines for the ledger it left behind.

    :param told: what `Recorded.told` gave.
    """
    world = Recorded(folder, url, network, **told["options"])
    if network == "batches":
        world.terms = replace(world.terms, parts=None)
    world._tries = defaultdict(lambda: 1)  # the tries of the old version
    renamed = {}
    for step in told["steps"]:
        if "elapse" in step:
            world.elapse(step["elapse"])
        elif "control" in step:
            world.control(step["control"], **step["fields"])
        else:
            renamed[step["request_id"]] = _send_again(world, step)
    ask = world.gateway.request_state
    world.gateway.request_state = lambda request_id: ask(renamed.get(request_id, request_id))
    world.gateway.sent.clear()
    return world


def _send_again(world, step):
    accounts = {name: AccountId.parse(step["send"][name]) for name in ("relayer", "user", "payer")}
    call = world.gateway._dialect.payout_stakers(**{**step["send"], **accounts})
    if step["request_id"] is not None:
        return world._pass_on(call)
    try:
        world._pass_on(call)
    except Exception as error:  # noqa: BLE001 - the chain refuses it again, in whatever words it has by now
        return error
    raise AssertionError(f"{world.network}: the chain took what it had refused")


__all__ = ["BOB", "CHARLIE", "OPTIONS", "STORIES", "Recorded", "found_again", "tell_of_newer_tables"]
