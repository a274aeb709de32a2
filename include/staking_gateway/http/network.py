"""How every server is reached: certificate authorities and proxies; gateways, nodes, remote signers and receivers of alerts alike.

The environment is read as requests reads it, with two exceptions: the authorities are those of OpenSSL, and `NO_PROXY` may list IPv6
ranges.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from staking_gateway.errors import InvalidConnection

_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_FILE, _FOLDERS = "SSL_CERT_FILE", "SSL_CERT_DIR"
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


def check_network(url: str, ca_bundle: str | None) -> None:
    """Check that authorities and proxy can be used.

    :raises InvalidConnection: names the setting or the variable.
    """
    proxy_for(url)
    if ca_bundle or any(map(os.environ.get, (*_BUNDLES, _FILE, _FOLDERS))):
        tls_context(ca_bundle)


def tls_context(ca_bundle: str | None) -> ssl.SSLContext:
    """TLS settings that verify the server.

    Trusted are the authorities of `ca_bundle`, else of `REQUESTS_CA_BUNDLE`, else of `CURL_CA_BUNDLE`, else of OpenSSL: `SSL_CERT_FILE`,
    `SSL_CERT_DIR` or those of the system. An empty variable counts as unset.

    :param ca_bundle: file or folder of certificates.
    :raises InvalidConnection: the file cannot be read, or there is no such folder.
    """
    name, file, folders = _authorities(ca_bundle)
    try:
        return _trusting(file, folders, Path(file).stat().st_mtime_ns if file else 0)
    except (OSError, ValueError):
        remedy = "Name a PEM file that holds the authority's certificate"
        raise InvalidConnection(name, "is not a readable file of certificates", remedy) from None


@lru_cache(maxsize=16)
def _trusting(file: str | None, folders: str | None, *changes: object) -> ssl.SSLContext:
    """Reading the authorities of a system takes 20 ms, and a triggerer makes many clients."""
    del changes
    context = ssl.create_default_context(cafile=file, capath=folders)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _authorities(ca_bundle: str | None) -> tuple[str, str | None, str | None]:
    """The setting or variable that names authorities, their file, and their folders.

    :raises InvalidConnection: no folder of `SSL_CERT_DIR` exists.
    """
    for name, path in [("ca_bundle", ca_bundle), *((name, os.environ.get(name)) for name in _BUNDLES)]:
        if path:
            return (name, None, path) if Path(path).is_dir() else (name, path, None)
    # OpenSSL itself takes an empty variable for a path, and ignores wrong paths.
    system = ssl.get_default_verify_paths()
    file, folders = os.environ.get(_FILE), os.environ.get(_FOLDERS)
    if folders and not any(Path(folder).is_dir() for folder in folders.split(os.pathsep)):
        raise InvalidConnection(_FOLDERS, "is not a folder of certificates", "Correct the path, or leave it empty")
    if not file and Path(system.openssl_cafile).is_file():
        file = system.openssl_cafile
    return _FILE, file or None, folders or system.openssl_capath


def proxy_for(url: str) -> str | None:
    """The proxy of a URL from the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`. This machine never has one.

    :returns: `http` or `https` address, which may hold a login; for `ws` only `http`.
    :raises InvalidConnection: a proxy of another kind.
    """
    from urllib.request import getproxies

    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or not getproxies() or _is_listed(host):
        return None
    # Loading requests takes longer than a call.
    from requests.utils import get_environ_proxies, select_proxy

    plain = f"{_AS_HTTP.get(parts.scheme, parts.scheme)}://{parts.netloc}"
    named = select_proxy(plain, get_environ_proxies(plain))
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    # urllib3 speaks TLS with a proxy only where it speaks TLS with the server, or where the proxy needs no tunnel.
    kinds = ("http",) if parts.scheme == "ws" else ("http", "https")
    try:
        usable = urlsplit(proxy).scheme in kinds and host_of(proxy)
    except ValueError:
        usable = False
    if not usable:
        proxies = {value: name for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        raise InvalidConnection(
            proxies.get(named, "proxy"),
            f"the proxy {name_of(proxy)} of {parts.scheme} addresses is not an {' or '.join(kinds)} address",
            "Correct it, or list the host in NO_PROXY",
        )
    return proxy


def _is_listed(host: str) -> bool:
    """Whether `NO_PROXY` lists an IP address or its range. requests compares IPv6 addresses as text, and knows no IPv6 range."""
    for listed in (os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")).split(","):
        with suppress(ValueError):
            if ipaddress.ip_address(host) in ipaddress.ip_network(listed.strip(" []"), strict=False):
                return True
    return False


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
