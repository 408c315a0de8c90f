"""Owners and scopes, which address all data. Nothing is read or written without one."""

import unicodedata
from collections.abc import Mapping
from typing import cast

import msgspec

from recuerdo.core.errors import InvalidInput

ANONYMOUS = "anonymous"
"""The user id of callers without a name. They have threads, but no long-term memory."""

VISITOR_PREFIX = "visitor:"
"""How the user ids of a server's visitors begin: each is one person without a name, and has no long-term memory."""

DEFAULT_TENANT = "default"
"""The tenant of programs and servers that have one only."""

OWNER_NAMES = ("langgraph_auth_user", "langgraph_auth_user_id", "tenant", "tenant_id", "user", "user_id")
"""The names by which a run's `configurable` says whose it is."""

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
        """Whether the user is unknown; then no memories are kept."""
        return self.user == ANONYMOUS or self.user.startswith(VISITOR_PREFIX)

    @property
    def is_visitor(self) -> bool:
        """Whether this is a visitor of a server: anonymous, and still one person."""
        return self.user.startswith(VISITOR_PREFIX)

    def thread(self, thread: str) -> "Scope":
        """The scope of one of this owner's threads."""
        return Scope(self.tenant, self.user, thread)


class TenantOwner(Owner, frozen=True):
    """A tenant itself, whose memories all of its users share. No caller can act as one: no user has an empty id."""

    user: str = ""

    def __post_init__(self) -> None:
        check_id("tenant", self.tenant)
        if self.user:
            raise InvalidInput("user", "must be left out: a tenant is not a user")


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


def owner_in(configurable: Mapping[str, object]) -> Owner:
    """The owner that a run's `configurable` names.

    The user is the one that LangGraph's server has authenticated (`langgraph_auth_user_id`, or the identity of
    `langgraph_auth_user`), else `user` or `user_id`. The tenant is that of `langgraph_auth_user`, else `tenant` or
    `tenant_id`, else `default`. Raises InvalidInput for impossible ids, and without a user.
    """
    caller = configurable.get("langgraph_auth_user")
    users = [configurable.get("langgraph_auth_user_id"), _field_of(caller, "identity")]
    user = next(filter(None, (*users, configurable.get("user"), configurable.get("user_id"))), None)
    if user is None:
        raise InvalidInput(
            "user_id",
            "is missing: name whose this is, by tenant='acme', user='emi' where the saver, the tools or the graph are "
            "made, or by config={'configurable': {'tenant_id': 'acme', 'user_id': 'emi', ...}} in each call",
        )
    return Owner(tenant_in(configurable), str(user))


def tenant_in(configurable: Mapping[str, object]) -> str:
    """The tenant that a run's `configurable` names, else `default`; see `owner_in`."""
    caller = configurable.get("langgraph_auth_user")
    names = [_field_of(caller, "tenant_id"), _field_of(caller, "tenant")]
    found = next(filter(None, (*names, configurable.get("tenant"), configurable.get("tenant_id"))), None)
    return DEFAULT_TENANT if found is None else str(found)


def _field_of(caller: object, name: str) -> object:
    """Return a field of LangGraph's caller, which is an object or a dict."""
    return cast(Mapping[str, object], caller).get(name) if isinstance(caller, Mapping) else getattr(caller, name, None)
