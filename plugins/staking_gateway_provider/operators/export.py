"""Exports of the ledger for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from staking_gateway.types import parse_eras
from staking_gateway_provider.dags import announce
from staking_gateway_provider.exporting import Exporter
from staking_gateway_provider.networks import open_ledger, required_run_era
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.reporting import logs_failure


class LedgerExportOperator(StakingOperator):
    """Writes eras of the ledger's views to files, for a data warehouse.

    Each view and era has a file, which is replaced when the new one is complete: `<target>/<network>/<view>/era=<number>.<format>`. So a run can be
    repeated. Returns `{"eras", "files", "rows": {view: rows}}`; an outlet `exports_asset(network)` gets an event for each written era.

    :param target: folder: an absolute path, or a URL for `ObjectStoragePath`, such as `s3://conn_id@bucket/staking`; templated.
    :param eras: eras and ranges, such as `1300-1399`; templated; the run's era when left out.
    :param tables: names of views, as a list or a text with commas; templated; all six when left out.
    :param format: `csv` or `parquet`; templated.
    """

    template_fields: Sequence[str] = ("target", "eras", "tables", "format", "network", "gateway_conn_id")

    def __init__(
        self,
        *,
        target: str,
        eras: int | str | None = None,
        tables: Sequence[str] | str | None = None,
        format: str = "csv",  # noqa: A002 - the word of the command
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.target = target
        self.eras = eras
        self.tables = tables
        self.format = format

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Write the files. What cannot be used is InvalidInput; after a file that cannot be written (topic EXPORT) a retry writes the same files."""
        config = self.config(alone=True)
        network, eras = self.ledger_name, self.given("eras")
        eras = parse_eras(required_run_era(context, None) if eras is None else eras)
        exporter = Exporter(self.target, tables=self.tables, file_format=self.format)
        with closing(open_ledger(pays=True)) as ledger:
            written = exporter.write(ledger, network, eras, config=config)
        if written.eras:
            ends = {"from_era": min(written.eras), "to_era": max(written.eras)}
            announce(context, self.outlets, written.eras, **ends, target=self.target, format=self.format)
        self.log.info("Exported %s", written.as_dict())
        return written.as_dict()
