"""DAG files to copy; Airflow loads none of them from here."""
