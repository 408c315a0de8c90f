"""Notifies other servers that a run is over."""

import asyncio
import ipaddress
import logging
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from http import HTTPStatus
from urllib.parse import SplitResult, quote, urlsplit

from recuerdo.core.errors import InvalidInput
from recuerdo.core.runs import Run
from recuerdo.core.tracing import outgoing_headers
from recuerdo.runs.encoding import encode

_log = logging.getLogger(__name__)
SECONDS = 10.0
"""How long one attempt may take."""

_PAUSES = (1.0, 2.0)
"""Seconds between the attempts."""

_STATUS = re.compile(rb"HTTP/1\.\d (\d{3})\b")
_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_INSIDE = tuple(
    ipaddress.ip_network(each)
    for each in (
        "168.63.129.16/32",  # Azure's own services, https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
        "192.0.0.0/24",  # RFC 6890; 192.0.0.192 are the metadata of Oracle's cloud
        "::/96",  # IPv4-compatible addresses, RFC 4291
        "64:ff9b:1::/48",  # translation to IPv4 inside a network, RFC 8215
        "fec0::/10",  # site-local addresses, RFC 3879
    )
)
"""Internal addresses of some clouds and networks, which Python takes for public."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class _InternalAddress(Exception):
    """An address that callers must not reach through this server."""


class _WebhookRejected(OSError):
    """A server was reached that did not accept the notification."""


class Webhooks:
    """Posts finished runs. A redirect is not followed.

    Any caller that may start a run chooses the address. This machine and private networks are refused, unless
    `inside` allows them: https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
    They occupy no thread: a server that answers a byte at a time could occupy them all.
    """

    def __init__(self, *, inside: bool = False) -> None:
        self._inside = inside
        self._looking_up = ThreadPoolExecutor(2, "webhook")

    async def tell(self, run: Run, result: object) -> None:
        """Post the finished run and its result, if that was asked for. Failures are logged."""
        if run.kwargs.webhook is None:
            return
        failure = {"error": run.error["message"]} if run.status == "error" and run.error else {}
        body = encode({**shown(run), "values": result, **failure})
        for pause in (*_PAUSES, None):
            try:
                async with asyncio.timeout(SECONDS):
                    await self._post(urlsplit(run.kwargs.webhook), body)
                return
            except _InternalAddress:
                _log.warning("a webhook was not called: it is inside, which RECUERDO_WEBHOOKS_INSIDE=true would allow")
                return
            except (OSError, ValueError) as error:
                problem = str(error) if isinstance(error, _WebhookRejected) else type(error).__name__
                _log.warning("a webhook does not answer: %s", problem, exc_info=error)
            if pause is not None:
                await asyncio.sleep(pause)

    async def _post(self, url: SplitResult, body: bytes) -> None:
        host, port = url.hostname or "", url.port or _PORTS[url.scheme]
        secured = (self._secured, host) if url.scheme == "https" else (None, None)
        address = await self._address(host, port)  # the name is not looked up again: it could have another address then
        reader, writer = await asyncio.open_connection(address, port, ssl=secured[0], server_hostname=secured[1])
        try:
            writer.write(_request(url, body))
            await writer.drain()
            status = _STATUS.match(await reader.readline())
        finally:
            writer.transport.abort()  # the rest of the answer, however long, is not needed
        if status is None or int(status[1]) >= HTTPStatus.MULTIPLE_CHOICES:
            raise _WebhookRejected(
                f"it answers with the status {status[1].decode()}" if status else "it speaks no HTTP"
            )

    @cached_property
    def _secured(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    async def _address(self, host: str, port: int) -> str:
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        places = await asyncio.get_running_loop().run_in_executor(self._looking_up, look_up)
        found = [str(place[4][0]) for place in places]
        if not self._inside and not all(is_outside(each) for each in found):
            raise _InternalAddress
        return found[0]


def check_webhook(url: str) -> None:
    """Raises InvalidInput for an address that can't be posted to."""
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("webhook", "must start with http:// or https://")
    try:
        if not (urlsplit(url).hostname or "").encode("idna") or urlsplit(url).port == 0:
            raise ValueError("no host")
    except ValueError:
        raise InvalidInput("webhook", "must name a host, and a port that there can be") from None


def is_outside(text: str) -> bool:
    """Whether an address belongs to the public network, whatever it is wrapped in."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return all(map(_is_public, (address, *_wrapped(address))))


_HIDDEN = frozenset(
    {
        *("attempts", "token", "start_at", "lease_until", "cancel"),
        *("error", "graph_id", "waits", "checkpoint_id", "request"),
    }
)


def shown(run: Run) -> dict[str, object]:
    """A run as callers see it, without the fields of its execution."""
    return {name: getattr(run, name) for name in Run.__struct_fields__ if name not in _HIDDEN}


def _request(url: SplitResult, body: bytes) -> bytes:
    place = quote(f"{url.path or '/'}{'?' if url.query else ''}{url.query}", safe="%/?:@!$&'()*+,;=~[]")
    host = url.netloc.rpartition("@")[2].encode("idna").decode()
    lines = (
        *(f"POST {place} HTTP/1.1", f"Host: {host}", "Content-Type: application/json"),
        *(f"{name}: {value}" for name, value in outgoing_headers().items()),
        *(f"Content-Length: {len(body)}", "Connection: close", "", ""),
    )
    return "\r\n".join(lines).encode() + body


def _is_public(address: _Address) -> bool:
    return address.is_global and not address.is_multicast and not any(address in each for each in _INSIDE)


def _wrapped(address: _Address) -> list[_Address]:
    """IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found: list[_Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]
