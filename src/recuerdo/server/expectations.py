"""Which epoch a request expects its thread to be in: by a field of its body, by its query, or by `If-Match`.

`If-Match` has the entity tags that this server gives, RFC 9110, section 13.1.1, and of these the epoch counts: a
thread that others have appended to is still the one that the caller has seen, and one that was cleared is not. Ours
are weak because archiving leaves them; they are taken as they were given.
"""

import re
from typing import Annotated

from fastapi import Depends, Header, Query, Request

from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Version
from recuerdo.history import History

_TAG = re.compile(r'(?:W/)?"([^"]*)"|([0-9]+\.[0-9]+)')
_ANY = "*"


class Expectation:
    """What a request says of the epoch in its headers and its query."""

    def __init__(self, request: Request, tags: frozenset[int] | None, *, is_any: bool, queried: int | None) -> None:
        self._request = request
        self._tags = tags
        self._is_any = is_any
        self._queried = queried

    async def epoch(self, history: History, scope: Scope, in_body: int | None = None) -> int | None:
        """The epoch that the thread must be in; None for any. Raises NotFound or InvalidInput."""
        named = {epoch for epoch in (in_body, self._queried) if epoch is not None}
        if len(named) > 1 or (self._tags is not None and named and not named <= self._tags):
            raise InvalidInput("expected_epoch", "is named twice, and differently; name one epoch")
        if not named and self._tags is None and not self._is_any:
            return None
        self._request.state.expected_epoch = True  # EpochChanged is a failed precondition now
        if named:
            return named.pop()
        return await self._matching(history, scope)

    async def _matching(self, history: History, scope: Scope) -> int:
        tags = self._tags or frozenset()
        if len(tags) == 1:
            return next(iter(tags))
        actual = await history.epoch(scope)
        if actual == 0 and self._is_any:
            raise NotFound("thread", scope.thread)
        return actual if self._is_any or actual in tags else max(tags)


def _expectation(
    request: Request,
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description="The ETag that an answer about the thread had: refused when it was cleared or deleted since.",
        ),
    ] = None,
    expected_epoch: Annotated[
        int | None, Query(ge=0, description="The first number of the thread's version, as If-Match; 0: there is none.")
    ] = None,
) -> Expectation:
    is_any = if_match is not None and if_match.strip() == _ANY
    tags = None if if_match is None or is_any else frozenset(map(_epoch_in, if_match.split(",")))
    return Expectation(request, tags, is_any=is_any, queried=expected_epoch)


def _epoch_in(tag: str) -> int:
    found = _TAG.fullmatch(tag.strip())
    try:
        if found is not None:
            return Version.parse(found[1] or found[2] or "").epoch
    except InvalidInput:
        pass
    raise InvalidInput("if_match", 'must be the ETag of an answer about the thread, e.g. W/"7.42"')


Expected = Annotated[Expectation, Depends(_expectation)]
