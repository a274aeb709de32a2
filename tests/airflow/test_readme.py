"""The first page shows a DAG that Airflow loads."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
(DAG_SNIPPET,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_dag_snippet_is_a_dag_that_airflow_loads(tmp_path):
    from airflow.dag_processing.dagbag import DagBag

    path = tmp_path / "pay_my_network.py"
    path.write_text(DAG_SNIPPET)
    bag = DagBag(path, bundle_path=tmp_path)
    assert bag.import_errors == {}
    dag = bag.dags["pay_my_network"]
    assert dag.task_ids == ["previous_era", "payout"]
    assert dag.timetable.calendar.start(1392).isoformat() == "2026-11-20T00:00:00+00:00"
