"""How every server is reached: certificate authorities and proxies, for gateways, nodes and remote signers alike."""

from __future__ import annotations

import ipaddress
import os
import ssl
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from staking_gateway.errors import InvalidConnection

_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_AS_HTTP = {"ws": "http", "wss": "https"}
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: `localhost`, or a loopback address. Other names may lead to other machines, also `*.localhost`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def way_to(url: str, ca_bundle: str | None) -> tuple[str | None, ssl.SSLContext | None]:
    """The proxy and the TLS settings for a server.

    The proxy is that of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), as requests reads it; this machine never
    has one. Trusted are the authorities of `ca_bundle`, else of `REQUESTS_CA_BUNDLE`, `CURL_CA_BUNDLE` or `SSL_CERT_FILE`, else those of
    the system; an empty variable counts as unset. Server and proxy are always verified.

    :param url: `http`, `https`, `ws` or `wss`.
    :param ca_bundle: file or folder of certificates.
    :returns: the proxy's `http` or `https` address, which may hold a login, or None; the settings, or None where nobody speaks TLS.
    :raises InvalidConnection: a proxy of another kind, or authorities that cannot be read; names the setting or the variable.
    """
    proxy = _proxy_for(url)
    is_secure = any(urlsplit(address or "").scheme in ("https", "wss") for address in (url, proxy))
    return proxy, _tls_context(ca_bundle) if is_secure else None


def _tls_context(ca_bundle: str | None) -> ssl.SSLContext:
    named = [("ca_bundle", ca_bundle), *((name, os.environ.get(name)) for name in _BUNDLES)]
    name, path = next(((name, path) for name, path in named if path), ("", None))
    try:
        return _trusting(path, Path(path).stat().st_mtime_ns if path else 0)
    except (OSError, ValueError):
        remedy = "Name a PEM file that holds the authority's certificate"
        raise InvalidConnection(name, "is not a readable file of certificates", remedy) from None


@lru_cache(maxsize=16)
def _trusting(path: str | None, changed: int) -> ssl.SSLContext:
    """Reading the authorities of a system takes 20 ms, and a triggerer makes many clients."""
    del changed
    is_folder = path is not None and Path(path).is_dir()
    context = ssl.create_default_context(cafile=None if is_folder else path, capath=path if is_folder else None)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _proxy_for(url: str) -> str | None:
    from urllib.request import getproxies

    parts = urlsplit(url)
    if is_loopback(parts.hostname or "") or not getproxies():
        return None
    # Loading requests takes longer than a call.
    from requests.utils import get_environ_proxies, select_proxy

    plain = f"{_AS_HTTP.get(parts.scheme, parts.scheme)}://{parts.netloc}"
    named = select_proxy(plain, get_environ_proxies(plain))
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    try:
        is_usable = urlsplit(proxy).scheme in ("http", "https") and bool(host_of(proxy))
    except ValueError:
        is_usable = False
    if not is_usable:
        variable = next((name for name, value in os.environ.items() if value == named), "proxy")
        problem = f"the proxy {name_of(proxy)} is not an http or https address"
        raise InvalidConnection(variable, problem, "Correct it, or list the host in NO_PROXY")
    return proxy


def host_of(url: str) -> str:
    """Host and port of a URL; empty without a host.

    :raises ValueError: the port is not a number.
    """
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or _PORTS.get(parts.scheme, 0)}" if host else ""


def name_of(url: str) -> str:
    """A URL without login, path and query, which may be secrets."""
    try:
        return f"{urlsplit(url).scheme}://{host_of(url)}"
    except ValueError:
        return "(invalid)"
