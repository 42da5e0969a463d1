"""Addresses of servers in the user's own settings."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def address_error(url: str, form: str) -> str:
    """Return why an address can't be used, "" when it can. `form` says how one looks.

    Only this machine is reached without TLS.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"'url' must be like {form}"
    if parts.username or parts.password or parts.query or parts.fragment:
        return "'url' takes no user, password, query or fragment"
    if parts.scheme == "http" and not is_loopback(url):
        return f"'{parts.hostname}' is not this machine, so 'url' must begin with https://"
    return ""


def is_loopback(url: str) -> bool:
    """Whether the host of an address is this machine: `localhost`, or an address of the loopback network."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
