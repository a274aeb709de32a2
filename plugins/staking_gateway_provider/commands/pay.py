"""`airflow staking pay`: one era, now, in this process."""

from __future__ import annotations

from argparse import Namespace

from staking_gateway.eras.expiry import must_have_ended
from staking_gateway.errors import EraNotPaid
from staking_gateway.text import amount
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import report_errors, say, show_one
from staking_gateway_provider.commands.session import NetworkSession


@report_errors
def pay(arguments: Namespace) -> None:
    """`airflow staking pay`: pay an era; status 0 only when the era is paid."""
    era = parse_era(arguments.era)
    with NetworkSession(arguments, pays=True) as session:
        must_have_ended(era, session.client.active_era())
        (outcome,), token = session.pay(session.terms(again=arguments.again), [era]), session.token
    if not session.for_people:
        show_one(outcome.as_dict(), arguments.output)
    for part in outcome.parts if session.for_people else ():
        say(
            f"  part {part.part}: {part.state.value}, request {part.request_id}, transaction {part.tx_hash}, "
            f"fee {None if part.fee is None else amount(part.fee, token)}"
        )
    if not outcome.outcome.is_green:
        raise EraNotPaid(
            network=outcome.network,
            era=era,
            outcome=outcome.outcome.value,
            reason=outcome.reason or "see above",
            topic=outcome.topic.anchor,
        )
