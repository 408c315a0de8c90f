"""From the rows of another system to messages with their owners."""

import math
from collections import ChainMap
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import derived_id
from recuerdo.core.messages import Content, Message, Role
from recuerdo.core.scope import Scope
from recuerdo.core.sources import MessageSource, SourceMapping, SourceRow, decoded, field_of
from recuerdo.integrations.exports.shapes import at_second, at_text
from recuerdo.integrations.systems import formats

_MILLISECONDS_FROM = 1e11
"""Numbers of seconds are smaller for three thousand years; greater ones are milliseconds."""

_LONGEST_QUOTE = 20


class FoundMessage(NamedTuple):
    """A message of a row, and the title that the conversation has there."""

    place: str
    scope: Scope
    message: Message
    title: str = ""


class BadRow(NamedTuple):
    """A row, or an entry of one, that is not a message. The problem quotes none of its texts."""

    place: str
    problem: str


class _OwnedConversation(NamedTuple):
    """The conversation that the rows have reached: its name in the source, its scope, and why there is none."""

    id: Any
    user: Any
    tenant: Any
    scope: Scope | None
    title: str
    problem: str


class RowReader:
    """Reads the rows of one source in their order.

    All conversations are the user's, if one is given, else those of the users whom the mapping finds. Messages without
    an id get one that is made of the conversation's and of their place in it, so that each import gives them the same.
    """

    def __init__(
        self, source: MessageSource, mapping: SourceMapping, system: str, tenant: str, user: str | None
    ) -> None:
        if user is None and mapping.user is None and (mapping.owners is None or mapping.owners.user is None):
            raise InvalidInput(
                "--user", "name the user of all conversations, or the field that has the user: --set user=user_id"
            )
        self._source = source
        self._mapping = mapping
        self._system = system
        self._tenant = tenant
        self._user = user
        self._current: _OwnedConversation | None = None
        self._place = 0

    async def read(self, row: SourceRow) -> list[FoundMessage | BadRow]:
        """The messages of a row. Raises Unavailable when the source can't tell their owner."""
        if isinstance(row.value, InvalidInput):
            return [BadRow(row.place, str(row.value))]
        outer = _mapping_of(decoded(row.value), row.parts)
        try:
            conversation = await self._conversation(outer)
            elements = self._elements(row)
        except InvalidInput as error:
            return [BadRow(row.place, str(error))]
        found: list[FoundMessage | BadRow] = []
        for element in elements:
            place = row.place if len(elements) == 1 else f"{row.place}[{len(found)}]"
            self._place += 1
            if conversation.scope is None:
                found.append(BadRow(place, conversation.problem))
                continue
            fields = _mapping_of(element, {} if len(elements) > 1 or self._mapping.messages else outer)
            try:
                message = self._message(element, fields, conversation.scope)
                found.append(FoundMessage(place, conversation.scope, message, conversation.title))
            except InvalidInput as error:
                found.append(BadRow(place, str(error)))
        return found

    async def _conversation(self, fields: Mapping[str, Any]) -> _OwnedConversation:
        """The conversation of a row with its owner, looked up once while it stays the same."""
        mapping = self._mapping
        id_ = field_of(fields, mapping.conversation)
        user = field_of(fields, mapping.user) if mapping.user else None
        tenant = field_of(fields, mapping.tenant) if mapping.tenant else None
        current = self._current
        if current is None or (current.id, current.user, current.tenant) != (id_, user, tenant):
            self._place = 0
            self._current = current = await self._owned(id_, user, tenant)
        return current

    async def _owned(self, id_: Any, user: Any, tenant: Any) -> _OwnedConversation:
        owners, title, problem, scope = self._mapping.owners, "", "", None
        found: Mapping[str, Any] = {}
        if owners is not None and id_ is not None:
            found = await self._source.owner(id_)
        if owners is not None:
            user = field_of(found, owners.user) if owners.user else user
            tenant = field_of(found, owners.tenant) if owners.tenant else tenant
            title = _text(field_of(found, owners.title)) if owners.title else ""
        try:
            names_tenant = self._mapping.tenant or (owners and owners.tenant)
            scope = Scope(
                _id("tenant", tenant) if names_tenant else self._tenant,
                self._user if self._user is not None else _id("user", user),
                _id("conversation", id_),
            )
        except InvalidInput as error:
            problem = str(error)
        return _OwnedConversation(id_, user, tenant, scope, title, problem)

    def _elements(self, row: SourceRow) -> list[Any]:
        """The messages of a row, as they are written: one, or a list."""
        value, mapping = decoded(row.value), self._mapping
        if mapping.messages:
            value = decoded(field_of(value, mapping.messages))
            if not isinstance(value, list | None):
                raise InvalidInput(mapping.messages, "must be a list of messages")
            return [decoded(each) for each in cast(list[Any], value or [])]
        if isinstance(value, list):
            return [decoded(each) for each in cast(list[Any], value)]
        return [decoded(field_of(value, mapping.message)) if mapping.message else value]

    def _message(self, element: Any, fields: Mapping[str, Any], scope: Scope) -> Message:
        if not isinstance(element, dict):
            raise InvalidInput("message", "must be an object")
        mapping, written = self._mapping, cast(dict[str, Any], element)
        read = _LIBRARIES.get(mapping.format)
        message = read(written) if read is not None else _fields(mapping, fields)
        id_ = message.id or (_text(field_of(fields, mapping.id)) if mapping.id else "")
        at = _time(field_of(fields, mapping.created_at)) if mapping.created_at else None
        kept = {name.rpartition(".")[2]: formats.json_value(field_of(fields, name)) for name in mapping.metadata}
        about = {"service": self._system, "conversation": scope.thread}
        return replace(
            message,
            id=id_ or derived_id(self._system, scope.thread, str(self._place)),
            created_at=message.created_at or at,
            metadata={**message.metadata, **{n: v for n, v in kept.items() if v is not None}, "imported": about},
        )


def _fields(mapping: SourceMapping, fields: Mapping[str, Any]) -> Message:
    """A message in fields of its own."""
    role = _role(field_of(fields, mapping.role), mapping.roles)
    calls = decoded(field_of(fields, mapping.tool_calls)) if mapping.tool_calls else None
    answered = _text(field_of(fields, mapping.tool_call_id)) if mapping.tool_call_id else ""
    return Message(
        role=role,
        content=_content(field_of(fields, mapping.content)),
        name=(_text(field_of(fields, mapping.name)) if mapping.name else "") or None,
        tool_calls=formats.tool_calls(calls) if role == "assistant" else [],
        tool_call_id=answered or None,
    )


_LIBRARIES = {"langchain": formats.langchain, "langchain4j": formats.langchain4j}


def _mapping_of(value: Any, beneath: Mapping[str, Any]) -> Mapping[str, Any]:
    return ChainMap(*(cast(dict[str, Any], each) for each in (value, beneath) if isinstance(each, Mapping)))


def _role(value: object, roles: Mapping[str, Role]) -> Role:
    name = _text(value)
    role = roles.get(name) or formats.ROLES.get(name.casefold())
    if role is None:
        known = repr(name) if name.isidentifier() and len(name) <= _LONGEST_QUOTE else "this one"
        raise InvalidInput("role", f"is unknown: {known}. Say in `roles` of the mapping which role it is")
    return role


def _content(value: Any) -> Content:
    if isinstance(value, list):
        return [
            part if isinstance(part, dict) else {"type": "text", "text": _text(part)}
            for part in formats.json_value(value)
        ]
    if value is None or isinstance(value, str):
        return value or ""
    raise InvalidInput("content", "must be a text or a list of parts")


def _id(field: str, value: object) -> str:
    text = _text(value)
    if not text:
        raise InvalidInput(field, "is missing; check the mapping's name of the field")
    return text


def _text(value: object) -> str:
    """The value as a text: of an ObjectId or a UUID what people write."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return "" if value is None else str(value)


def _time(value: Any) -> datetime | None:
    """The time of a date, an ISO text, or a number of seconds or milliseconds since 1970. Without a zone it is UTC."""
    try:
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, Decimal) or (isinstance(value, str) and value.replace(".", "", 1).isdecimal()):
            value = float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return at_second(value / 1000 if math.isfinite(value) and abs(value) > _MILLISECONDS_FROM else value)
        if value is None or isinstance(value, str):
            return at_text(value)
    except (InvalidInput, OverflowError):
        pass
    raise InvalidInput("created_at", "is not a time: neither ISO 8601 nor a number of seconds since 1970")
