"""The health of the parts that a server needs."""

from typing import Literal

import msgspec


class PartHealth(msgspec.Struct, frozen=True, omit_defaults=True):
    """`degraded` is a part that a server can do without for a while; `skipped` one that is not configured."""

    state: Literal["degraded", "failed", "ok", "skipped"]
    reason: str = ""


class Readiness(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether the server takes requests, and its parts with their reasons; `detail` names the first that failed."""

    ok: bool
    parts: dict[str, PartHealth]
    detail: str = ""
    code: str = ""
