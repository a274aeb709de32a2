"""`airflow staking export`: the ledger's views as files for other programs."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack, closing

from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import InvalidEra
from staking_gateway.text import count
from staking_gateway.types import MAX_ERA, parse_era
from staking_gateway_provider.commands.output import for_people, progress, report_errors, show_one, tell
from staking_gateway_provider.commands.session import chosen_network, unknown_network
from staking_gateway_provider.exporting import Exporter, era_range
from staking_gateway_provider.networks import find_network, open_ledger


@report_errors
def export(arguments: Namespace) -> None:
    """`airflow staking export`."""
    first = parse_era(arguments.from_era, field="from_era") if arguments.from_era is not None else 0
    last = parse_era(arguments.to_era, field="to_era") if arguments.to_era is not None else MAX_ERA
    asked = era_range(first, last, field="from_era")
    network = chosen_network(arguments)
    exporter = Exporter(arguments.target, tables=arguments.tables, file_format=arguments.format)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger, ExitStack() as stack:
        stored, config = ledger.views.eras(network), find_network(network)
        if not stored and config is None:
            raise unknown_network(network)
        if stored and asked.start >= stored.stop:
            newest = stored.stop - 1
            raise InvalidEra("from_era", f"the newest era in the ledger is {newest}", f"Write {newest} or less")
        eras = range(max(asked.start, stored.start), min(asked.stop, stored.stop))
        step = stack.enter_context(progress("Exporting", len(eras)))
        written = exporter.write(ledger, network, eras, config=config or NetworkConfig.of_arguments(), on_era=step)
    if for_people(arguments.output):
        rows = count(sum(written.rows.values()), "row")
        tell(f"{rows} of {count(len(written.eras), 'era')} of {network} are in {count(written.files, 'file')}")
    else:
        show_one({"network": network, "target": arguments.target, **written.as_dict()}, arguments.output)
