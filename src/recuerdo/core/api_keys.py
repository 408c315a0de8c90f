"""API keys: secrets that programs act with, each as one user of one tenant."""

import secrets
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.roles import DEFAULT_ROLE
from recuerdo.core.scope import Owner, check_id

PREFIX = "recuerdo_"
"""How every secret begins, so that people, and programs that look for leaked secrets, know what it is."""

_RANDOM_BYTES = 32


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is stored: the owner that it acts as, and the digest of its secret."""

    id: str
    owner: Owner
    digest: bytes
    name: str = ""
    role: str = DEFAULT_ROLE
    tier: str | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

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
    )
    return IssuedKey(key, secret)


def digest_of(secret: str) -> bytes:
    """The digest that a secret is found by. One round of SHA-256 is enough for 256 random bits."""
    return sha256(secret.encode()).digest()
