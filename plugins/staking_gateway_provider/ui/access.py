"""Rights of a viewer, and the check that a request comes from the page itself.

Only this module uses Airflow's `core_api.security`, which is not a public interface.
"""

from urllib.parse import urlsplit

from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, get_user, requires_access_dag
from airflow.sdk import conf
from fastapi import HTTPException, Request, status

from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG

__all__ = ["GetUserDep", "check_same_site", "get_user", "may"]

HEADER = "x-staking-page"
"""A header that forms, links and other sites cannot set."""
_RIGHTS = {
    "see": ("GET", None, PAYOUT_DAG),
    "see_all": ("GET", None, "~"),  # no DAG has this id: only the right to all DAGs includes it
    "catch_up": ("POST", DagAccessEntity.RUN, CATCH_UP_DAG),
    "unpause": ("PUT", None, CATCH_UP_DAG),
    "unpause_payouts": ("PUT", None, PAYOUT_DAG),
}
"""Rights on the page: what Airflow calls them, on the DAG with this beginning of its id."""


def may(request: Request, user: GetUserDep, right: str, network: str = "") -> bool:
    """Whether the viewer has a right, for a network: to see it, to start a run of its catch-up, or to unpause a DAG of it."""
    method, entity, dag_id = _RIGHTS[right]
    try:
        requires_access_dag(method, entity, dag_id + network)(request, user)  # type: ignore[arg-type]
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
