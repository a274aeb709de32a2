"""`python health.py api-server|scheduler|...` ends with status 0 while the component of this container works.

`airflow jobs check` checks some components too, but takes five seconds of a whole core.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request

JOBS = {"scheduler": "SchedulerJob", "triggerer": "TriggererJob", "dag-processor": "DagProcessorJob"}
"""Components that write a heartbeat into Airflow's database, by their names there."""
PAGES = {"flower": "http://127.0.0.1:5555/healthcheck", "simulator": "http://127.0.0.1:8650/healthz"}
"""Components that answer with status 200."""
ALIVE = "state = 'running' AND latest_heartbeat > now() - interval '45 seconds'"
"""A component beats every 5 seconds."""
TIMEOUT = 15.0


def secret(name: str) -> str:
    """What the image's `secret` prints."""
    return subprocess.run(["/opt/staking/bin/secret", name], check=True, capture_output=True, text=True).stdout  # noqa: S603 - a program of the image


def fetched(url: str) -> bytes:
    """The answer to a GET on this machine.

    :raises OSError: there is none, or its status is not 2xx.
    """
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:  # noqa: S310 - written below
        return bytes(answer.read())


def api_server() -> bool:
    """It answers, and reaches its database."""
    health = json.loads(fetched("http://127.0.0.1:8080/api/v2/monitor/health"))
    return bool(health["metadatabase"]["status"] == "healthy")


def beats(job: str) -> bool:
    """The component of this container wrote its heartbeat less than 45 seconds ago."""
    import psycopg2

    url = secret("metadata_url").replace("+psycopg2", "")
    connection = psycopg2.connect(url, connect_timeout=int(TIMEOUT))
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT 1 FROM job WHERE job_type = %s AND hostname = %s AND {ALIVE} LIMIT 1",  # noqa: S608 - a constant
                (job, socket.getfqdn()),
            )
            return cursor.fetchone() is not None
    finally:
        connection.close()


def worker() -> bool:
    """Celery's worker of this container answers through the broker."""
    from celery import Celery

    app = Celery(broker=secret("broker_url"))
    return bool(app.control.ping(destination=[f"celery@{socket.gethostname()}"], timeout=TIMEOUT, limit=1))


def healthy(component: str) -> bool:
    """Whether the named component works."""
    if component in JOBS:
        return beats(JOBS[component])
    if component in PAGES:
        return fetched(PAGES[component]) is not None
    return {"api-server": api_server, "worker": worker}[component]()


if __name__ == "__main__":
    sys.exit(0 if healthy(sys.argv[1]) else f"{sys.argv[1]} is not healthy")
