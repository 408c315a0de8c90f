"""API keys: secrets that programs act with, each as one user of one tenant."""

import re
import secrets
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

import msgspec

from recuerdo.core.errors import Conflict, Forbidden, InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.roles import DEFAULT_ROLE, exceeds
from recuerdo.core.scope import Owner, check_id

PREFIX = "recuerdo_"
"""How every secret begins, so that people, and programs that look for leaked secrets, know what it is."""

LEVELS = ("read", "write", "admin")
"""The levels of a scope; each includes the levels before it."""

RESOURCES = (
    *("threads", "runs", "memories", "documents", "assistants"),
    *("contexts", "store", "keys", "audit", "app", "server"),
)

Scopes = tuple[str, ...]
FULL: Scopes = ("admin",)
"""Everything that the role allows."""

_SCOPE = re.compile(rf"(?:({'|'.join(RESOURCES)}):)?({'|'.join(LEVELS)})")
_RANDOM_BYTES = 32


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is stored: the owner that it acts as, and the digest of its secret.

    `scopes` narrow down what its role allows. `replaced_by` is the key that it was rotated into.
    """

    id: str
    owner: Owner
    digest: bytes
    name: str = ""
    role: str = DEFAULT_ROLE
    tier: str | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    scopes: Scopes = FULL
    last_used_at: datetime | None = None
    replaced_by: str | None = None

    def is_good(self, at: datetime) -> bool:
        """Whether it may be used at that time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


class IssuedKey(NamedTuple):
    """A new key, and the secret, which is nowhere else."""

    key: ApiKey
    secret: str


def issue(
    owner: Owner,
    at: datetime,
    *,
    name: str = "",
    role: str = DEFAULT_ROLE,
    tier: str | None = None,
    expires_at: datetime | None = None,
    scopes: Iterable[str] = FULL,
) -> IssuedKey:
    """A key for the owner, to be stored. Raises InvalidInput: the anonymous user needs no key, and has none."""
    if owner.is_anonymous:
        raise InvalidInput("user", "the anonymous user needs no credential; name another user")
    check_id("role", role)
    for field, text in (("name", name), ("tier", tier)):
        if text:
            check_id(field, text)
    secret = PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    key = ApiKey(
        id=new_id(),
        owner=owner,
        digest=digest_of(secret),
        name=name,
        role=role,
        tier=tier or None,
        created_at=at,
        expires_at=expires_at,
        scopes=checked_scopes(scopes),
    )
    return IssuedKey(key, secret)


def checked_scopes(scopes: Iterable[str]) -> Scopes:
    """The scopes, each once and in order. Raises InvalidInput for what is none, and where there are none."""
    given = tuple(sorted(set(scopes)))
    if not given or not all(map(_SCOPE.fullmatch, given)):
        raise InvalidInput(
            "scopes",
            f"must be one or more of {', '.join(LEVELS)}, each for everything or for one resource, as in "
            f"memories:read; the resources are {', '.join(RESOURCES)}",
        )
    return given


def grants(scopes: Scopes, resource: str | None, level: str) -> bool:
    """Whether the scopes let their key do that with the resource; with None: with every one."""
    wanted = LEVELS.index(level)
    return any(of in (None, resource) and LEVELS.index(held) >= wanted for of, held in map(_parts, scopes))


def check_grant(role: str, scopes: Scopes, maker_role: str, maker_scopes: Scopes) -> None:
    """Raise Forbidden unless the maker may themselves do all that a key with that role and these scopes could."""
    if exceeds(role, maker_role):
        raise Forbidden(f"A key can't have a higher role than its maker, who has {maker_role!r}. Choose a lower one.")
    if not all(grants(maker_scopes, *_parts(scope)) for scope in scopes):
        raise Forbidden(
            f"A key can't have wider scopes than its maker, who has {' '.join(maker_scopes)!r}. Choose narrower ones."
        )


def successor(key: ApiKey, at: datetime) -> IssuedKey:
    """A key with another secret that may do what this one may, and lives as long as this one was meant to.

    Raises Conflict when there is nothing to continue.
    """
    if key.replaced_by is not None:
        raise Conflict(f"The key was rotated before. Rotate the key {key.replaced_by} instead.")
    if not key.is_good(at):
        raise Conflict("The key was revoked or has expired. Make another one.")
    expires_at = key.expires_at and at + (key.expires_at - key.created_at)
    return issue(key.owner, at, name=key.name, role=key.role, tier=key.tier, expires_at=expires_at, scopes=key.scopes)


def _parts(scope: str) -> tuple[str | None, str]:
    resource, separator, level = scope.rpartition(":")
    return resource if separator else None, level


def digest_of(secret: str) -> bytes:
    """The digest that a secret is found by. One round of SHA-256 is enough for 256 random bits."""
    return sha256(secret.encode()).digest()
