"""Telling somebody else's server that a run is over."""

import asyncio
import http.client
import ipaddress
import logging
import socket
from urllib.parse import SplitResult, urlsplit

from recuerdo.core.errors import InvalidInput
from recuerdo.core.runs import Run
from recuerdo.runs.encoding import encode

_log = logging.getLogger(__name__)
_SECONDS = 10
_ATTEMPTS = 3
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class _Inside(Exception):
    """The address is one that callers of ours must not reach through us."""


class Webhooks:
    """Posts finished runs. A redirect is not followed.

    Whoever may start a run names the address. Those of this machine and of private networks are refused, unless
    `inside` allows them: https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
    """

    def __init__(self, *, inside: bool = False) -> None:
        self._inside = inside

    async def tell(self, run: Run, values: object) -> None:
        """Post the finished run and its result, if that was asked for; what can't be told is logged."""
        if run.kwargs.webhook is None:
            return
        body = encode({**shown(run), "values": values})
        for attempt in range(_ATTEMPTS):
            try:
                await asyncio.to_thread(self._post, urlsplit(run.kwargs.webhook), body)
                return
            except _Inside:
                _log.warning("a webhook was not called: it is inside, which RECUERDO_WEBHOOKS_INSIDE=true would allow")
                return
            except (OSError, http.client.HTTPException) as error:
                _log.warning("a webhook does not answer: %s", error)
                await asyncio.sleep(2**attempt)

    def _post(self, url: SplitResult, body: bytes) -> None:
        connection = self._connection(url)
        try:
            target = f"{url.path or '/'}{'?' if url.query else ''}{url.query}"
            connection.request("POST", target, body, {"Content-Type": "application/json"})
            status = connection.getresponse().status
        finally:
            connection.close()
        if status >= http.client.MULTIPLE_CHOICES:
            raise OSError(f"it answers with the status {status}")

    def _connection(self, url: SplitResult) -> http.client.HTTPConnection:
        host, port = url.hostname or "", url.port or _PORTS[url.scheme]
        address = self._address(host, port)  # and nobody looks the name up again: it might mean something else then
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(host, port, timeout=_SECONDS)
        connection._create_connection = (  # pyright: ignore[reportAttributeAccessIssue]
            lambda _place, *more: socket.create_connection((address, port), *more)  # pyright: ignore[reportUnknownArgumentType, reportUnknownLambdaType]
        )
        return connection

    def _address(self, host: str, port: int) -> str:
        found = [str(place[4][0]) for place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        if not self._inside and not all(is_outside(each) for each in found):
            raise _Inside
        return found[0]


def check_webhook(url: str | None) -> None:
    """Raises InvalidInput for what is no address that can be posted to."""
    if url is None:
        return
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("webhook", "must start with http:// or https://")
    try:
        if not urlsplit(url).hostname or urlsplit(url).port == 0:
            raise ValueError("no host")
    except ValueError:
        raise InvalidInput("webhook", "must name a host, and a port that there can be") from None


def is_outside(text: str) -> bool:
    """Whether an address belongs to the public network, whatever it is wrapped in."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(each.is_global and not each.is_multicast for each in (address, *_wrapped(address)))


def shown(run: Run) -> dict[str, object]:
    """A run as callers see it: what it is held by is no business of theirs."""
    hidden = ("attempts", "token", "start_at", "lease_until", "cancel", "error", "graph_id", "waits")
    return {name: getattr(run, name) for name in Run.__struct_fields__ if name not in hidden}


def _wrapped(address: _Address) -> list[_Address]:
    """IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[_Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]
