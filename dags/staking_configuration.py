"""Has no DAG: it shows every mistake of `include/staking.yaml` as an import error, where Airflow's users look first.

`staking_payout.py` and `staking_catch_up.py` leave a network with a mistake out and go on paying the others. Airflow would start no run
of a DAG whose file has an import error, so the error needs a file of its own.
"""

from staking_gateway_provider.parsing import check_networks

check_networks()
