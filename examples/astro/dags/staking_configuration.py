"""Has no DAG: it shows every mistake of `include/staking.yaml` as an import error.

`staking_payout.py` and `staking_catch_up.py` ignore a network with a mistake, and pay the others. Airflow starts no run of a file with
an import error, so the error needs its own file.
"""

from staking_gateway_provider.parsing import check_networks

check_networks()
