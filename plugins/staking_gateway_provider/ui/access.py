"""Rights of a viewer, and the check that a request comes from the page itself.

Only this module uses Airflow's `core_api.security`, which is not a public interface.
"""

from urllib.parse import urlsplit

from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, get_user, requires_access_dag
from airflow.sdk import conf
from fastapi import HTTPException, Request, status

from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG

__all__ = [
    "GetUserDep",
    "check_same_site",
    "get_user",
    "may_catch_up",
    "may_see",
    "may_see_all",
    "may_unpause",
    "may_unpause_payouts",
]

_NO_DAG = "~"
"""No DAG has this id: only the right to all DAGs includes it."""
HEADER = "x-staking-page"
"""A header that forms, links and other sites cannot set."""


def may_see(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may read the network's DAG."""
    return _may(request, user, "GET", PAYOUT_DAG + network)


def may_see_all(request: Request, user: GetUserDep) -> bool:
    """Whether the viewer may read every DAG, also one that does not exist."""
    return _may(request, user, "GET", _NO_DAG)


def may_catch_up(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may start a run of the network's catch-up."""
    return _may(request, user, "POST", CATCH_UP_DAG + network, DagAccessEntity.RUN)


def may_unpause(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may unpause the network's catch-up."""
    return _may(request, user, "PUT", CATCH_UP_DAG + network)


def may_unpause_payouts(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may unpause the network's payouts."""
    return _may(request, user, "PUT", PAYOUT_DAG + network)


def _may(request: Request, user: GetUserDep, method: str, dag_id: str, entity: DagAccessEntity | None = None) -> bool:
    try:
        requires_access_dag(method, entity, dag_id)(request, user)  # type: ignore[arg-type]
    except HTTPException as refusal:
        if refusal.status_code != status.HTTP_403_FORBIDDEN:
            raise
        return False
    return True


def check_same_site(request: Request) -> None:
    """Refuse requests that other sites send through the viewer's browser."""
    headers = request.headers
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(status.HTTP_415_UNSUPPORTED_MEDIA_TYPE, "Send application/json")
    own = {headers.get("host", "").lower(), urlsplit(conf.get("api", "base_url", fallback="") or "").netloc.lower()}
    origin = headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc.lower() not in own - {""}
    if headers.get(HEADER) != "1" or foreign or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise HTTPException(status.HTTP_403_FORBIDDEN, "This must come from the Staking page itself")
