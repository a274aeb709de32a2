"""The routes of the Staking page. Annotations are evaluated here: FastAPI reads them."""

import hashlib
import json
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

from fastapi import Depends, FastAPI, HTTPException, Path, Query, Request, Response, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from staking_gateway.errors import ConfigError, GatewayError, InvalidInput, StakingGatewayError
from staking_gateway.health.state import State
from staking_gateway.types import MAX_ERA
from staking_gateway_provider.networks import enabled_names
from staking_gateway_provider.reporting import explain
from staking_gateway_provider.ui import CATCH_UP_DAG, PAYOUT_DAG
from staking_gateway_provider.ui.access import GetUserDep, check_same_site, may
from staking_gateway_provider.ui.runs import era_of_run
from staking_gateway_provider.ui.service import Service

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_STATIC = {file.name: file for file in files("staking_gateway_provider.ui").joinpath("static").iterdir()}
_NOT_FOUND = "There is no such network, or you may not see it"

_MISTAKEN = (
    "staking.yaml has a mistake. Viewers who may see all DAGs read here which one, and so does airflow staking doctor"
)

STATES_SCRIPT = "states.js"
_BUTTONS = ("catch_up", "unpause", "unpause_payouts")

RunId = Annotated[str, Query(max_length=250, pattern=r"^[^\x00]*$")]
"""Airflow's column has 250 characters, and PostgreSQL refuses the character 0."""
Start = Annotated[int, Query(ge=0, le=10_000_000)]
Era = Annotated[int, Path(ge=0, le=MAX_ERA)]
EraOrNone = Annotated[int | None, Field(ge=0, le=MAX_ERA)]
Words = Annotated[str, Query(max_length=200)]


def build_app(service: Service | None = None) -> FastAPI:
    """The page's application; every route needs a logged-in user."""
    app = FastAPI(dependencies=[Depends(_remember_viewer)], docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service or Service()
    app.middleware("http")(_add_headers)
    app.exception_handler(StakingGatewayError)(_explain)
    app.exception_handler(status.HTTP_401_UNAUTHORIZED)(_log_in)
    app.exception_handler(RequestValidationError)(_refuse)
    app.get("/")(page)
    app.get("/help")(runbook)
    app.get("/static/{name}")(static)
    app.get("/api/networks")(networks)
    app.get("/api/strips")(strips)
    app.get("/api/networks/{network}/overview")(network_overview)
    app.get("/api/networks/{network}/eras/{era}")(era_details)
    app.post("/api/networks/{network}/plan", dependencies=[Depends(check_same_site), Depends(_may_plan)])(plan)
    return app


def _remember_viewer(request: Request, user: GetUserDep) -> None:
    request.state.viewer = user


async def _add_headers(request: Request, call_next: Any) -> Response:
    response: Response = await call_next(request)
    for name, value in _HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _log_in(request: Request, error: Exception) -> Response:
    """To Airflow's login and back, if a person opened a page; else the refusal."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": error.detail}, status.HTTP_401_UNAUTHORIZED)  # type: ignore[attr-defined]
    here = urlsplit(str(request.url))
    back = urlencode({"next": f"{here.path}?{here.query}" if here.query else here.path})
    airflow = request.scope["root_path"].rpartition("/")[0]  # the page is mounted one step below
    return RedirectResponse(f"{airflow}/api/v2/auth/login?{back}", status.HTTP_303_SEE_OTHER)


def _explain(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, ConfigError) and not _concerns_viewer(request):
        return JSONResponse({"detail": _MISTAKEN}, status.HTTP_503_SERVICE_UNAVAILABLE)
    code = status.HTTP_503_SERVICE_UNAVAILABLE
    if isinstance(error, GatewayError):
        code = status.HTTP_502_BAD_GATEWAY
    elif isinstance(error, InvalidInput) and not isinstance(error, ConfigError):
        code = status.HTTP_409_CONFLICT
    explained = explain(error)
    topic = explained.topic
    return JSONResponse({"detail": explained.text, "topic": topic.anchor, "heading": topic.heading}, code)


def _refuse(request: Request, error: Exception) -> JSONResponse:
    """What is wrong with a request. The values are not repeated: JSON can hold more than an answer can."""
    del request
    found = error.errors()  # type: ignore[attr-defined]
    lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:20]]
    text = "\n".join(lines).encode("ascii", "backslashreplace").decode()
    return JSONResponse({"detail": text}, status.HTTP_422_UNPROCESSABLE_CONTENT)


def _concerns_viewer(request: Request) -> bool:
    """Whether the viewer may read of a mistake: it concerns a network that they may see, or they may see all."""
    return hasattr(request.state, "visible") or may(request, request.state.viewer, "see_all")


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _visible(request: Request, user: GetUserDep, network: str) -> str:
    if network not in enabled_names() or not may(request, user, "see", network):
        raise HTTPException(status.HTTP_404_NOT_FOUND, _NOT_FOUND)
    request.state.visible = network
    return network


def _all_visible(request: Request, user: GetUserDep) -> list[str]:
    return [name for name in enabled_names() if may(request, user, "see", name)]


ServiceDep = Annotated[Service, Depends(_service)]

VisibleNetwork = Annotated[str, Depends(_visible)]
VisibleNetworks = Annotated[list[str], Depends(_all_visible)]


def _may_plan(request: Request, user: GetUserDep, network: VisibleNetwork) -> None:
    if not may(request, user, "catch_up", network):
        raise HTTPException(status.HTTP_403_FORBIDDEN, f"You may not start {CATCH_UP_DAG}{network}")


def page(request: Request) -> Response:
    """The page, the same for every user; its script requests the data."""
    return static(request, "page.html")


def runbook(request: Request) -> Response:
    """The runbook; each topic's anchor is a section. Needs neither scripts nor the internet."""
    return static(request, "help.html")


def static(request: Request, name: str) -> Response:
    """A file of the page."""
    kind = _TYPES.get(name.rpartition(".")[2])
    if kind is None or name not in (*_STATIC, STATES_SCRIPT):
        raise HTTPException(status.HTTP_404_NOT_FOUND, "There is no such file")
    content = states_script() if name == STATES_SCRIPT else _STATIC[name].read_bytes()
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()[:16]}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=status.HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def states_script() -> bytes:
    """The states of an era as a script: letter to word and CSS class."""
    states = {state.value: {"word": state.word.capitalize(), "kind": state.name.lower()} for state in State}
    return f"export const STATES = {json.dumps(states)};\n".encode()


def networks(
    request: Request, user: GetUserDep, visible: VisibleNetworks, dag_id: str = "", run_id: RunId = ""
) -> dict[str, Any]:
    """The networks that the viewer may see, and the network and era of a DAG and a run."""
    network = {prefix + name: name for name in visible for prefix in (PAYOUT_DAG, CATCH_UP_DAG)}.get(dag_id)
    return {
        "networks": [
            {"name": name, **{f"may_{right}": may(request, user, right, name) for right in _BUTTONS}}
            for name in visible
        ],
        "network": network,
        "era": era_of_run(dag_id, run_id) if network and run_id else None,
    }


async def strips(seen: VisibleNetworks, service: ServiceDep) -> dict[str, Any]:
    """The networks that the viewer may see in short, worst first."""
    return {"networks": await service.strips(seen)}


async def network_overview(
    network: VisibleNetwork, service: ServiceDep, start: Start = 0, words: Words = "", wrong: bool = False
) -> Response:
    """The overview with one page of accounts."""
    page = (start, words, wrong)
    found = await service.read(network, ("overview", page), lambda: service.overview(network).as_dict(*page))
    return JSONResponse(found)


async def era_details(network: VisibleNetwork, era: Era, service: ServiceDep) -> dict[str, Any]:
    """One era: its timeline, fee, transaction, run, cause and remedy."""
    found = await service.read(network, ("era", era), lambda: service.era(network, era))
    if found is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND, "This era is not in the grid")
    return found


class ChosenEras(BaseModel):
    """The eras of a plan: a range, in which None leaves out a limit, or a list of eras and ranges."""

    model_config = ConfigDict(extra="forbid")

    from_era: EraOrNone = None
    to_era: EraOrNone = None
    eras: Annotated[str | None, Field(max_length=10_000)] = None


async def plan(network: VisibleNetwork, service: ServiceDep, chosen: ChosenEras) -> dict[str, Any]:
    """Plan a catch-up. The page starts the run through Airflow's API, which checks the permission again."""
    return await service.make_plan(network, chosen.from_era, chosen.to_era, chosen.eras)
