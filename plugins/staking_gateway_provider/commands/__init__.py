"""The commands `airflow staking ...`."""
