"""The health of one part that a server needs."""

from typing import Literal

import msgspec


class PartHealth(msgspec.Struct, frozen=True, omit_defaults=True):
    """`degraded` is a part that a server can do without for a while; `skipped` one that is not configured."""

    state: Literal["degraded", "failed", "ok", "skipped"]
    reason: str = ""
