"""From messages that a caller wrote to a request that a repository can commit: ids, times, checks, fingerprint."""

import hashlib
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import repeat
from typing import Any, cast

import msgspec

from recuerdo.core.checks import check_text, check_time, check_unicode, check_whole
from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import ROLES, Message, ToolCall, checksum_of, encode
from recuerdo.core.scope import Scope, check_id
from recuerdo.core.threads import Append, NewMessage
from recuerdo.history.message_fields import NO_FIELDS, MessageFields

MOST_MESSAGES = 1000
"""An append is one transaction, and a transaction holds the writer: longer imports come in several."""

MOST_TITLE = 80
_LARGEST_INT = 2**63 - 1
_DEEPEST = 90
"""MongoDB takes 100 levels, and a decoder that starts deep in a call stack not many more."""


def prepare(
    scope: Scope,
    messages: Sequence[Message],
    now: datetime,
    *,
    idempotency_key: str | None = None,
    expected_epoch: int | None = None,
    replaces: bool = False,
    fields: MessageFields = NO_FIELDS,
    agent_id: str | None = None,
) -> Append:
    """Check the messages, give them ids and times where they have none, and encode them.

    The fingerprint covers the caller's input and nothing that is made here, so that a retry has the same one; with
    `replaces` it differs from that of an append of the same messages. `fields` are filled in, for the agent `agent_id`.
    Raises InvalidInput, naming the message and the field.
    """
    if not 1 <= len(messages) <= MOST_MESSAGES:
        raise InvalidInput(
            "messages", f"one append takes 1 to {MOST_MESSAGES} messages, and this one has {len(messages)}"
        )
    if idempotency_key is not None:
        check_id("idempotency_key", idempotency_key)
    if expected_epoch is not None:
        example = "must be the epoch of a version, e.g. receipt.version.epoch"
        check_whole("expected_epoch", expected_epoch, 0, _LARGEST_INT, example)
    for index, message in enumerate(messages):
        _check(f"messages[{index}]", message)
    whole = fields.filled(messages, scope, now, agent_id) if fields.names else messages
    ready = list(map(_ready, whole, repeat(now)))
    if len(ready) > 1 and len({message.id for message in ready}) < len(ready):
        raise InvalidInput("messages", "two of the messages have the same id; give each its own, or none")
    return Append(
        scope,
        ready,
        now,
        title=_title(messages),
        idempotency_key=idempotency_key,
        fingerprint=_fingerprint(messages, replaces=replaces) if idempotency_key is not None else b"",
        expected_epoch=expected_epoch,
    )


def _ready(message: Message, now: datetime) -> NewMessage:
    message_id = message.id or new_id()
    created_at = (message.created_at or now).astimezone(UTC)
    ready = msgspec.structs.replace(message, id=message_id, created_at=created_at, seq=0, archived=False)
    body = encode(ready)
    return NewMessage(message_id, message.role, created_at, body, checksum_of(body))


def _fingerprint(messages: Sequence[Message], *, replaces: bool) -> bytes:
    said = [encode(msgspec.structs.replace(message, seq=0, archived=False)) for message in messages]
    return hashlib.sha256(b"\n".join([b"replace", *said] if replaces else said)).digest()


def _title(messages: Sequence[Message]) -> str:
    for message in messages:
        if message.role == "user":
            return one_line(message.text)[:MOST_TITLE]
    return ""


def checked_title(title: object) -> str:
    """The new title of a thread, as one line. Raises InvalidInput."""
    line = one_line(title) if isinstance(title, str) else title
    check_text("title", line, MOST_TITLE)
    return str(line)


def one_line(text: str) -> str:
    """The text without line breaks, tabs and NUL; of a very long one the beginning makes sure of that."""
    return " ".join(text.replace("\0", " ").split(maxsplit=MOST_TITLE))  # no database stores NUL alike


def _check(field: str, message: object) -> None:
    """Raise InvalidInput for everything that could not be read back exactly as it was given."""
    if not isinstance(message, Message):
        raise InvalidInput(field, "must be a Message, e.g. Message.user('...')")
    if message.role not in ROLES:
        raise InvalidInput(f"{field}.role", f"must be one of {', '.join(ROLES)}")
    if not isinstance(message.content, str):
        _check_parts(f"{field}.content", message.content)
    _check_value(f"{field}.content", message.content)
    for name in ("id", "name", "tool_call_id"):
        value = getattr(message, name)
        if value:
            check_id(f"{field}.{name}", value)
    if message.role == "tool" and not message.tool_call_id:
        raise InvalidInput(f"{field}.tool_call_id", "a tool message must name the call that it answers")
    if message.created_at is not None:
        check_time(f"{field}.created_at", message.created_at)
    if message.tool_calls != []:
        _check_tool_calls(f"{field}.tool_calls", message)
    if message.metadata != {}:
        check_object(f"{field}.metadata", message.metadata)


def _check_parts(field: str, content: object) -> None:
    if not isinstance(content, list):
        raise InvalidInput(field, "must be a text or a list of parts")
    for index, part in enumerate(cast(list[object], content)):
        if not (isinstance(part, dict) and isinstance(cast(dict[str, object], part).get("type"), str)):
            raise InvalidInput(
                f"{field}[{index}]",
                "a part must be an object with a 'type', e.g. {'type': 'text', 'text': '...'}",
            )


def _check_tool_calls(field: str, message: Message) -> None:
    if not isinstance(cast(object, message.tool_calls), list):
        raise InvalidInput(field, "must be a list of ToolCalls")
    if message.tool_calls and message.role != "assistant":
        raise InvalidInput(field, "only an assistant message can call tools")
    for index, call in enumerate(cast(list[object], message.tool_calls)):
        if not isinstance(call, ToolCall):
            raise InvalidInput(f"{field}[{index}]", "must be a ToolCall(id, name, args)")
        check_id(f"{field}[{index}].id", call.id)
        check_id(f"{field}[{index}].name", call.name)
        check_object(f"{field}[{index}].args", call.args)
    if len({call.id for call in message.tool_calls}) < len(message.tool_calls):
        raise InvalidInput(field, "two calls have the same id, and their results could not be told apart")


def check_object(field: str, value: object) -> None:
    """Raise InvalidInput unless it is a dict that can be read back exactly as it was given."""
    if not isinstance(value, dict):
        raise InvalidInput(field, "must be a dict with texts as keys")
    _check_value(field, cast(dict[Any, Any], value))


def _check_value(field: str, value: Any, depth: int = 0) -> None:
    """Raise InvalidInput for what JSON would change or refuse: NaN, huge integers, broken Unicode, other types."""
    if depth > _DEEPEST:
        raise InvalidInput(".".join(field.split(".")[:2]), f"is nested more than {_DEEPEST} levels deep")
    match value:
        case str():
            if not value.isascii():
                check_unicode(field, value)
        case bool() | None:
            pass
        case int():
            if abs(value) > _LARGEST_INT:
                raise InvalidInput(field, "has an integer beyond 64 bits; send it as a text")
        case float():
            if not math.isfinite(value):
                raise InvalidInput(field, "has NaN or an infinity, which JSON can't hold")
        case list():
            for index, item in enumerate(cast(list[Any], value)):
                _check_value(f"{field}[{index}]", item, depth + 1)
        case dict():
            for key, item in cast(dict[Any, Any], value).items():
                if not isinstance(key, str):
                    raise InvalidInput(field, f"has the key {key!r}, and JSON keys are texts")
                check_unicode(field, key)
                _check_value(f"{field}.{key}", item, depth + 1)
        case _:
            raise InvalidInput(field, f"has a {type(value).__name__}, which JSON can't hold")
