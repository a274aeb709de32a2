"""The checks of `airflow staking doctor`. A check only reads: it signs, sends and changes nothing."""
