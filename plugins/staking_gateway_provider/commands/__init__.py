"""What the commands `airflow staking ...` do."""
