"""Roles: what callers may do for others than themselves. They are ranked, and only here."""

from typing import Final, Literal

Ranked = Literal["editor", "admin", "operator"]
"""A role that a route can require."""

DEFAULT_ROLE = "user"
"""A member of a tenant. A role without a rank here is one too: an unknown name grants nothing."""

ANONYMOUS_ROLE = "anonymous"

PUBLIC_ROLE = "public"
"""An identified caller who is treated like a visitor: sees public documents only, and is not remembered."""

EDITOR_ROLE: Final = "editor"
"""Changes what a tenant's agents know and are: its documents, and the assistants that its users share."""

ADMIN_ROLE: Final = "admin"
"""Decides about what all users of a tenant share, and about its API keys. Also an editor."""

OPERATOR_ROLE: Final = "operator"
"""Runs the server, and sees what concerns all tenants; in the tenant of the credential also an admin."""

_RANKS = {ANONYMOUS_ROLE: -1, EDITOR_ROLE: 1, ADMIN_ROLE: 2, OPERATOR_ROLE: 3}


def rank(role: str) -> int:
    """The higher, the more the role may do: members 0, anonymous callers less."""
    return _RANKS.get(role, 0)


def exceeds(role: str, limit: str) -> bool:
    """Whether the role may do more than the limit may."""
    return rank(role) > rank(limit)


def includes(role: str, wanted: Ranked) -> bool:
    """Whether the role may do what requires the wanted one."""
    return rank(role) >= _RANKS[wanted]
