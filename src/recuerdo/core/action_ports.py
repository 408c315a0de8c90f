"""What workers tell whoever counts."""

from typing import Literal, Protocol

from recuerdo.core.actions import Audience

AttemptOutcome = Literal["done", "failed", "dead"]
"""How an attempt at an action ended: `failed` is tried again, `dead` is not."""


class ActionWatch(Protocol):
    """Is told of every attempt."""

    def attempted(self, audience: Audience, outcome: AttemptOutcome) -> None:
        """An attempt is over."""
        ...

    def without_context(self, audience: Audience) -> None:
        """The context that an action refers to was gone; it is done with its own fields."""
        ...

    def waiting(self, audience: Audience, count: int) -> None:
        """So many actions could be begun now, and are not."""
        ...
