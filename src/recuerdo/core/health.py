"""The health of the parts that a server needs."""

from typing import Literal

import msgspec


class PartHealth(msgspec.Struct, frozen=True, omit_defaults=True):
    """`degraded` is a part that a server can do without for a while; `skipped` one that is not configured.

    `progress` says how far a part is that is being prepared, from 0 to 1.
    """

    state: Literal["degraded", "failed", "ok", "skipped"]
    reason: str = ""
    progress: float | None = None


class Readiness(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether the server takes requests, and its parts with their reasons; `detail` names the first that failed."""

    ok: bool
    parts: dict[str, PartHealth]
    detail: str = ""
    code: str = ""
