"""From a caller's messages to a request that a repository can commit."""

import math
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import ROLES, Message, ToolCall, decode
from recuerdo.core.scope import Scope
from recuerdo.history.requests import MOST_MESSAGES, prepare
from recuerdo.testing.clock import NOON

SCOPE = Scope("acme", "emi", "t-1")
LATER = NOON + timedelta(hours=1)


def prepared(*messages, now=NOON, **options):
    return prepare(SCOPE, messages, now, **options)


def calling(*calls):
    return Message.assistant("", tool_calls=calls)


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


CIRCLE = []
CIRCLE.append(CIRCLE)
BEFORE_TIME = datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))

BAD_MESSAGES = {
    "role": (Message(role="robot", content="x"), "role"),
    "content is nothing": (Message.user(None), "content"),
    "content is a number": (Message.user(5), "content"),
    "content is one part": (Message.user({"type": "text", "text": "x"}), "content"),
    "content is bytes": (Message.user(b"x"), "content"),
    "part is a text": (Message.user([{"type": "text", "text": "x"}, "x"]), "content[1]"),
    "part without a type": (Message.user([{"text": "x"}]), "content[0]"),
    "part with an odd type": (Message.user([{"type": 1}]), "content[0]"),
    "surrogate in a text": (Message.user("\ud800"), "content"),
    "surrogate in a part": (Message.user([{"type": "text", "text": "\udfff"}]), "content[0].text"),
    "surrogate in a key": (Message.user("x", metadata={"\ud800": 1}), "metadata"),
    "id with a newline": (Message.user("x", id="a\nb"), "id"),
    "id too long": (Message.user("x", id="x" * 256), "id"),
    "id is a number": (Message.user("x", id=5), "id"),
    "name with a nul": (Message.user("x", name="\0"), "name"),
    "name too long": (Message.user("x", name="x" * 256), "name"),
    "tool call id with a control": (Message.tool("x", tool_call_id="\x1b"), "tool_call_id"),
    "tool without a call": (Message.tool("x", tool_call_id=""), "tool_call_id"),
    "no message": ({"role": "user", "content": "x"}, ""),
    "metadata is nothing": (Message.user("x", metadata=None), "metadata"),
    "metadata is a list": (Message.user("x", metadata=[]), "metadata"),
    "calls are nothing": (Message.user("x", tool_calls=None), "tool_calls"),
    "args are nothing": (calling(ToolCall("c", "add", None)), "tool_calls[0].args"),
    "args are a text": (calling(ToolCall("c", "add", "{}")), "tool_calls[0].args"),
    "bytes": (Message.user([{"type": "x", "data": b"x"}]), "content[0].data"),
    "time in metadata": (Message.user("x", metadata={"at": NOON}), "metadata.at"),
    "decimal": (Message.user("x", metadata={"price": Decimal("1.5")}), "metadata.price"),
    "set": (Message.user("x", metadata={"tags": {"a"}}), "metadata.tags"),
    "tuple": (Message.user("x", metadata={"pair": (1, 2)}), "metadata.pair"),
    "object": (Message.user("x", metadata={"it": object()}), "metadata.it"),
    "circle": (Message.user("x", metadata={"it": CIRCLE}), "metadata"),
    "abyss": (Message.user("x", metadata={"it": nested(100_000)}), "metadata"),
    "abyss in a part": (Message.user([{"type": "x", "it": nested(91)}]), "content[0]"),
    "time is a text": (Message.user("x", created_at="2026-11-21T12:00:00Z"), "created_at"),
    "time is a date": (Message.user("x", created_at=NOON.date()), "created_at"),
    "time before time": (Message.user("x", created_at=BEFORE_TIME), "created_at"),
    "naive time": (Message.user("x", created_at=datetime(2026, 11, 21)), "created_at"),  # noqa: DTZ001
    "a user calls a tool": (Message.user("x", tool_calls=[ToolCall("c", "add")]), "tool_calls"),
    "a call is a dict": (calling({"id": "c", "name": "add"}), "tool_calls[0]"),
    "a call without an id": (calling(ToolCall("c", "add"), ToolCall("", "add")), "tool_calls[1].id"),
    "a call without a name": (calling(ToolCall("c", "")), "tool_calls[0].name"),
    "two calls alike": (calling(ToolCall("c", "add"), ToolCall("c", "now")), "tool_calls"),
    "not a number in args": (calling(ToolCall("c", "add", {"n": math.nan})), "tool_calls[0].args.n"),
    "infinity": (Message.user("x", metadata={"a": [1, -math.inf]}), "metadata.a[1]"),
    "huge integer": (Message.user("x", metadata={"a": {"b": 2**63}}), "metadata.a.b"),
    "key is a number": (Message.user("x", metadata={"a": {1: "x"}}), "metadata.a"),
}


@pytest.mark.parametrize(("message", "field"), BAD_MESSAGES.values(), ids=BAD_MESSAGES)
def test_a_bad_message_is_named(message, field):
    """A message that can't be stored is refused, and the error names the message and the field."""
    with pytest.raises(InvalidInput) as raised:
        prepared(Message.user("fine"), message)
    assert raised.value.field == f"messages[1].{field}".rstrip(".")
    assert raised.value.problem


@pytest.mark.parametrize("count", [0, MOST_MESSAGES + 1])
def test_how_many_messages(count):
    """An append takes 1 to 1,000 messages."""
    with pytest.raises(InvalidInput, match=str(count)) as raised:
        prepared(*[Message.user("x")] * count)
    assert raised.value.field == "messages"


def test_the_most_messages():
    """1,000 messages are fine."""
    assert len(prepared(*[Message.user("x")] * MOST_MESSAGES).messages) == MOST_MESSAGES


@pytest.mark.parametrize("key", ["", "k" * 256, "a\nb", "\ud800"])
def test_bad_keys(key):
    """An idempotency key is an id like others."""
    with pytest.raises(InvalidInput) as raised:
        prepared(Message.user("x"), idempotency_key=key)
    assert raised.value.field == "idempotency_key"


def test_two_equal_ids():
    """Two messages of one request with the same id are refused."""
    with pytest.raises(InvalidInput) as raised:
        prepared(Message.user("a", id="m-1"), Message.user("b", id="m-1"))
    assert raised.value.field == "messages"


def test_what_is_missing_is_made():
    """A message without an id and a time gets both: a fresh id, and the time of the append."""
    first, second = prepared(Message.user("a"), Message.assistant("b")).messages
    assert first.id != second.id
    assert (first.created_at, second.role) == (NOON, "assistant")
    assert decode(first.body) == Message.user("a", id=first.id, created_at=NOON)


def test_what_is_given_stays():
    """A message's own id and time are kept."""
    [message] = prepared(Message.user("a", id="m-1", created_at=NOON), now=LATER).messages
    assert (message.id, message.created_at) == ("m-1", NOON)
    assert decode(message.body) == Message.user("a", id="m-1", created_at=NOON)


@pytest.mark.parametrize("message_id", ["", "m-1"])
@pytest.mark.parametrize("hours", [-3, 0, 5.75])
def test_times_become_utc(hours, message_id):
    """A time in another zone is kept to the microsecond, in UTC."""
    at = datetime(2026, 11, 21, 23, 59, 59, 999999, timezone(timedelta(hours=hours)))
    [message] = prepared(Message.user("a", id=message_id, created_at=at)).messages
    stored = decode(message.body).created_at
    assert message.created_at == stored == at
    assert message.created_at.tzinfo is UTC
    assert stored.utcoffset() == timedelta()


def test_what_the_history_decides_is_ignored():
    """A message that was read before can be appended again: its seq and its archived mark are not stored."""
    [message] = prepared(Message.user("a", id="m-1", created_at=NOON, seq=7, archived=True)).messages
    assert decode(message.body) == Message.user("a", id="m-1", created_at=NOON)


def test_the_request_carries_the_options():
    """Scope, time, key and epoch reach the repository as they are."""
    request = prepared(Message.user("a"), idempotency_key="k", expected_epoch=3)
    assert (request.scope, request.appended_at) == (SCOPE, NOON)
    assert (request.idempotency_key, request.expected_epoch) == ("k", 3)


@pytest.mark.parametrize(
    ("messages", "title"),
    [
        ([Message.user("Hola,\n  me llamo\tEmiliano ")], "Hola, me llamo Emiliano"),
        ([Message.system("Be brief."), Message.user("first"), Message.user("second")], "first"),
        ([Message.system("Be brief."), Message.assistant("Hi")], ""),
        ([Message.user("x" * 200)], "x" * 80),
        ([Message.user([{"type": "image_url"}, {"type": "text", "text": "Look"}])], "Look"),
        ([Message.user("")], ""),
        ([Message.user("a\0b")], "a b"),
    ],
)
def test_the_title(messages, title):
    """The title is the start of the first thing that the user says, on one line."""
    assert prepared(*messages).title == title


FINGERPRINTED = Message.user("a", name="emi", metadata={"k": 1})


def fingerprint(*messages, now=NOON):
    return prepared(*messages, now=now, idempotency_key="k").fingerprint


def test_a_retry_has_the_same_fingerprint():
    """The same messages sent later have the same fingerprint, though ids and times are made anew."""
    assert fingerprint(FINGERPRINTED) == fingerprint(FINGERPRINTED, now=LATER)


@pytest.mark.parametrize(
    "messages",
    [
        [Message.user("b", name="emi", metadata={"k": 1})],
        [Message.user("a", name="ana", metadata={"k": 1})],
        [Message.user("a", name="emi", metadata={"k": 2})],
        [Message.user("a", name="emi", metadata={"k": 1}, id="m-1")],
        [Message.user("a", name="emi", metadata={"k": 1}, created_at=NOON)],
        [Message.assistant("a", name="emi", metadata={"k": 1})],
        [FINGERPRINTED, FINGERPRINTED],
    ],
)
def test_another_body_has_another_fingerprint(messages):
    """Whatever the caller changes changes the fingerprint."""
    assert fingerprint(*messages) != fingerprint(FINGERPRINTED)


def test_fingerprints_tell_messages_apart():
    """One message of two lines is not two messages."""
    assert fingerprint(Message.user("a\nb")) != fingerprint(Message.user("a"), Message.user("b"))
    assert fingerprint(Message.user("a"), Message.user("b")) != fingerprint(Message.user("b"), Message.user("a"))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
parts = st.dictionaries(st.text(max_size=5), json_values, max_size=3).map(lambda part: part | {"type": "x"})


@given(
    role=st.sampled_from(("system", "user", "assistant")),
    content=st.text() | st.lists(parts, max_size=3),
    metadata=st.dictionaries(st.text(), json_values, max_size=3),
)
def test_what_is_accepted_comes_back(role, content, metadata):
    """Any JSON that is accepted is read back exactly."""
    message = Message(role=role, content=content, metadata=metadata, id="m-1", created_at=NOON)
    [ready] = prepared(message).messages
    assert decode(ready.body) == message


def test_depths():
    """Values may be nested 90 levels deep."""
    message = Message.user("x", metadata={"it": nested(90)}, id="m-1", created_at=NOON)
    assert decode(prepared(message).messages[0].body) == message


def test_new_ids():
    """New ids are UUIDs of version 7: unique, and in the order of their milliseconds."""
    ids = [UUID(new_id()) for _ in range(5_000)]
    milliseconds = [id_.int >> 80 for id_ in ids]
    assert len(set(ids)) == len(ids)
    assert milliseconds == sorted(milliseconds)
    assert {(id_.version, id_.variant) for id_ in ids} == {(7, "specified in RFC 4122")}


def test_every_role_can_be_stored():
    """There is a way to write each of the roles."""
    messages = [Message.system("a"), Message.user("b"), Message.assistant("c"), Message.tool("d", tool_call_id="c-1")]
    assert [message.role for message in prepared(*messages).messages] == list(ROLES)
