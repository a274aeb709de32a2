"""The Airflow DAG as it is shipped; only a dead task is tried again sooner than in quarter minutes."""

from datetime import timedelta
from pathlib import Path
from runpy import run_path

from staking_gateway_provider.dags import DEFAULT_ARGS

DEFAULT_ARGS.update(retry_delay=timedelta(seconds=2), retry_exponential_backoff=False)
# All its other names would hide from Airflow which file this is.
dag = run_path(str(Path(__file__).parents[3] / "dags" / "staking_payout.py"))["dag"]
