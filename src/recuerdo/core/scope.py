"""Owners and scopes, which address all data. Nothing is read or written without one."""

import unicodedata

import msgspec

from recuerdo.core.errors import InvalidInput

ANONYMOUS = "anonymous"
"""The user id of callers without a name. They have threads, but no long-term memory."""

VISITOR_PREFIX = "visitor:"
"""How the user ids of a server's visitors begin: each is one person without a name, and has no long-term memory."""

_LONGEST_ID = 255


def check_id(field: str, value: object) -> None:
    """Raise InvalidInput unless `value` can be an id: 1 to 255 printable characters.

    Control characters and lone surrogates are refused because no database stores them all alike.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_ID:
        raise InvalidInput(field, f"must be a text of 1 to {_LONGEST_ID} characters")
    if not (value.isascii() and value.isprintable()) and any(
        unicodedata.category(character) in ("Cc", "Cs") for character in value
    ):
        raise InvalidInput(field, "must not contain control characters or broken Unicode")


class Owner(msgspec.Struct, frozen=True):
    """A user of a tenant. Long-term memories and lists of threads belong to an owner."""

    tenant: str
    user: str

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        check_id("user", self.user)

    @property
    def is_anonymous(self) -> bool:
        """Whether nobody knows who this is, so that nothing is remembered of them."""
        return self.user == ANONYMOUS or self.is_visitor

    @property
    def is_visitor(self) -> bool:
        """Whether this is a visitor of a server: anonymous, and still one person."""
        return self.user.startswith(VISITOR_PREFIX)

    def thread(self, thread: str) -> "Scope":
        """The scope of one of this owner's threads."""
        return Scope(self.tenant, self.user, thread)


class TenantOwner(Owner, frozen=True):
    """A tenant itself, whose memories all of its users share. Nobody can act as one: no user has an empty id."""

    user: str = ""

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        if self.user:
            raise InvalidInput("user", "must be left out: a tenant itself is nobody in particular")


def owner_of(tenant: str, user: str) -> Owner:
    """The owner that stands in a database: a user, or the tenant itself where the user is empty."""
    return Owner(tenant, user) if user else TenantOwner(tenant)


class Scope(msgspec.Struct, frozen=True):
    """One thread of one user of one tenant: the only way to address a conversation.

    The three parts stay apart everywhere, so that `a:b` + `c` never meets `a` + `b:c`.
    """

    tenant: str
    user: str
    thread: str

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        check_id("user", self.user)
        check_id("thread_id", self.thread)

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.user)
