"""Who may see a network, and who may act; and that a request that acts comes from the page itself.

Airflow's `core_api.security` is not a public interface. It is used here and nowhere else.
"""

from urllib.parse import urlsplit

from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, get_user, requires_access_dag
from airflow.sdk import conf
from fastapi import HTTPException, Request, status

__all__ = ["GetUserDep", "check_same_site", "get_user", "may_catch_up", "may_see", "may_unpause"]

PAYOUT_DAG = "staking_payout_"
CATCH_UP_DAG = "staking_catch_up_"
HEADER = "x-staking-page"
"""A header no form and no link can set, and no other site may."""


def may_see(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may read the network's DAG."""
    return _may(request, user, "GET", PAYOUT_DAG + network)


def may_catch_up(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may start a run of the network's catch-up."""
    return _may(request, user, "POST", CATCH_UP_DAG + network, DagAccessEntity.RUN)


def may_unpause(request: Request, user: GetUserDep, network: str) -> bool:
    """Whether the viewer may let the scheduler run the network's catch-up."""
    return _may(request, user, "PUT", CATCH_UP_DAG + network)


def _may(request: Request, user: GetUserDep, method: str, dag_id: str, entity: DagAccessEntity | None = None) -> bool:
    try:
        requires_access_dag(method, entity, dag_id)(request, user)  # type: ignore[arg-type]
    except HTTPException as refusal:
        if refusal.status_code != status.HTTP_403_FORBIDDEN:
            raise
        return False
    return True


def check_same_site(request: Request) -> None:
    """Refuse what another site could have had the viewer's browser send.

    :raises HTTPException: 403, or 415 for a body that is no JSON.
    """
    headers = request.headers
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(status.HTTP_415_UNSUPPORTED_MEDIA_TYPE, "Send application/json")
    ours = {headers.get("host", "").lower(), urlsplit(conf.get("api", "base_url", fallback="") or "").netloc.lower()}
    origin = headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc.lower() not in ours - {""}
    if headers.get(HEADER) != "1" or foreign or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise HTTPException(status.HTTP_403_FORBIDDEN, "This must come from the Staking page itself")
