"""The retention policy of threads, checkpoints, memories and the audit log."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, get_args

import msgspec

from recuerdo.core.audit import LEAST_AUDIT_TIME
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Kind

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_LONGEST_DAYS = 365 * 100

DELETED_AT_ONCE = 4
"""Threads that are deleted at a time, where the database works on several: callers keep most of its connections."""


def parse_age(field: str, text: str) -> timedelta:
    """The age that the text says. Raises InvalidInput, naming the field."""
    match = re.fullmatch(r"([0-9]{1,6})([hdw])", text.strip(), re.ASCII)
    age = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else timedelta.max
    if age > timedelta(days=_LONGEST_DAYS):
        raise InvalidInput(field, "must be a number and h, d or w, and 100 years at most: 12h, 90d, 4w")
    return age


_FIELD = "retention"
_KINDS: tuple[Kind, ...] = get_args(Kind)
_SINCE_USE = "/use"


class Term(NamedTuple):
    """How long memories of a kind are kept: since they were made, or since they were last used."""

    time: timedelta
    since_use: bool = False


class RetentionPolicy(NamedTuple):
    """How long unused data is kept; None, or a kind that is absent, means for ever.

    `threads` go with their messages and checkpoints, `checkpoints` of a thread whose messages stay go alone. Entries
    of the `audit` log are kept for LEAST_AUDIT_TIME at least.
    """

    threads: timedelta | None = None
    checkpoints: timedelta | None = None
    memories: Mapping[Kind, Term] = {}
    audit: timedelta | None = None

    @classmethod
    def parse(cls, text: str) -> "RetentionPolicy":
        """The policy that a text like `threads=365d, checkpoints=30d, episodic=90d, summary=52w/use` says.

        With `/use` a memory's time begins again whenever it is used. Raises InvalidInput that names what is wrong.
        """
        policy, memories = cls(), dict[Kind, Term]()
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, _, age = (each.strip() for each in part.partition("="))
            if name in _KINDS:
                time = parse_age(f"{_FIELD}.{name}", age.removesuffix(_SINCE_USE))
                memories[name] = Term(time, age.endswith(_SINCE_USE))
            elif name in ("threads", "checkpoints"):
                policy = policy._replace(**{name: parse_age(f"{_FIELD}.{name}", age)})
            elif name == "audit":
                policy = policy._replace(audit=_audit_time(age))
            else:
                known = ", ".join(("threads", "checkpoints", "audit", *_KINDS))
                raise InvalidInput(_FIELD, f"{name!r} has no retention time; name one of {known}")
        return policy._replace(memories=memories)

    def __bool__(self) -> bool:
        return bool(self.threads or self.checkpoints or self.memories or self.audit)


def _audit_time(text: str) -> timedelta:
    age = parse_age(f"{_FIELD}.audit", text)
    if age < LEAST_AUDIT_TIME:
        raise InvalidInput(f"{_FIELD}.audit", f"must be {LEAST_AUDIT_TIME.days}d at least")
    return age


class RetentionForecast(msgspec.Struct, frozen=True):
    """How much a policy would delete now. `complete`: all was counted in the time that there was for it."""

    policy: str
    threads: int
    messages: int
    checkpoints: int
    memories: int
    complete: bool


class Lifetime(NamedTuple):
    """When a memory expires, and how many seconds a use puts that off; None means never, and not at all."""

    expires_at: datetime | None = None
    refresh: int | None = None


def lifetime(
    term: Term | None, now: datetime, *, ttl: timedelta | None = None, expires_at: datetime | None = None
) -> Lifetime:
    """The lifetime of a new memory: the `expires_at` or `ttl` that is given, else the term of its kind.

    A `ttl` of 0 means for ever.
    """
    if expires_at is not None:
        return Lifetime(expires_at)
    since_use = term is not None and term.since_use
    time = term.time if ttl is None and term else ttl
    if not time:
        return Lifetime()
    return Lifetime(now + time, int(time.total_seconds()) if since_use else None)
