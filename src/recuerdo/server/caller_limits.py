"""The limits of what callers may do, as settings write them."""

import ipaddress
import re
from functools import lru_cache
from typing import NamedTuple

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.quotas import Quota

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class CallerLimits(NamedTuple):
    """The limits of callers: quotas of each user, of which a tenant has `tenant` times as much, and of connections.

    `requests`, `runs`, `schedules` and `streams` count beginnings, `megabytes` what is sent to be stored, `tokens`
    what chats make models read and write, about 4 bytes each. `failures` are refused credentials of an address; of
    IPv6 the addresses of a subnet are one, since a caller who has one of them has all.
    `connections` and `connections_per_address` count what is open at the same moment, and `at_once` the requests that
    are worked on: more are sent away. `header` and `body` are the seconds in which a request must have arrived.
    """

    requests: Quota = Quota(12_000, 200)
    runs: Quota = Quota(1_200, 20)
    schedules: Quota = Quota(600, 1)
    streams: Quota = Quota(1_200, 20)
    megabytes: Quota = Quota(2_000, 10)
    tokens: Quota = Quota(4_000_000, 10_000)
    failures: Quota = Quota(120, 1)
    tenant: float = 20
    connections: float = 10_000
    connections_per_address: float = 5_000
    at_once: float = 1_000
    header: float = 20
    body: float = 60

    @classmethod
    def parse(cls, text: str) -> "CallerLimits | None":
        """The limits that a text like `requests=600/m, connections=2000` sets; the others stay as they are.

        None for `off`. Raises ConfigurationError that names the fault.
        """
        limits = cls()
        if text.strip() == "off":
            return None
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, _, value = (each.strip() for each in part.partition("="))
            if name not in cls._fields:
                known = ", ".join(cls._fields)
                raise ConfigurationError(f"RECUERDO_LIMITS: {name!r} has no limit; there are {known}, or write off")
            is_quota = isinstance(getattr(limits, name), Quota)
            found = re.fullmatch(r"([0-9]{1,12})/([smhd])" if is_quota else r"([0-9]{1,9})", value, re.ASCII)
            if found is None or not int(found[1]):
                form = "a number and a unit, as in 600/m (s, m, h or d)" if is_quota else "a number from 1"
                raise ConfigurationError(f"RECUERDO_LIMITS: {name} must be {form}")
            number = float(found[1])
            limits = limits._replace(**{name: Quota(number, number / _SECONDS[found[2]]) if is_quota else number})
        return limits


@lru_cache(10_000)
def network_of(address: str) -> str:
    """The network whose addresses count as one caller: the subnet of an IPv6 address (64 bits, RFC 4291)."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, 64), strict=False))
