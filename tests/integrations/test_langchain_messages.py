"""LangChain's messages become ours and come back without loss; ours do too."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, ToolCall, decode, encode
from recuerdo.core.scope import Scope
from recuerdo.history.requests import prepare
from recuerdo.integrations.langchain import from_langchain, to_langchain

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SCOPE = Scope("acme", "emi", "t")

CALL = {"type": "tool_call", "id": "c1", "name": "weather", "args": {"city": "Lima", "days": 3, "exact": True}}

THEIRS = {
    "a text": HumanMessage("Hola", id="m1", name="emi"),
    "an empty text": AIMessage(""),
    "parts": HumanMessage(
        [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:x"}}]
    ),
    "texts among parts": HumanMessage(["plain", {"type": "text", "text": "part"}]),
    "parts without a type": AIMessage([{"toolUse": {"id": 1}}, {"text": "no type"}]),
    "a system message": SystemMessage("Be brief", additional_kwargs={"__openai_role__": "developer"}),
    "tool calls": AIMessage("", tool_calls=[CALL, CALL | {"id": "c2"}]),
    "tool calls with one id": AIMessage("", tool_calls=[CALL, CALL]),
    "a tool call without an id": AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": None}]),
    "a tool call without a name": AIMessage("", tool_calls=[{"name": "", "args": {}, "id": "x"}]),
    "invalid tool calls": AIMessage(
        "", invalid_tool_calls=[{"type": "invalid_tool_call", "id": "c", "name": "f", "args": "{", "error": "broken"}]
    ),
    "usage and response metadata": AIMessage(
        "Hola",
        id="run-1",
        usage_metadata={
            "input_tokens": 3,
            "output_tokens": 2,
            "total_tokens": 5,
            "input_token_details": {"cache_read": 1},
        },
        response_metadata={"model_name": "gpt", "logprobs": None, "finish_reason": "stop", "p": 0.5},
        additional_kwargs={"refusal": None, "reasoning_content": "hm"},
    ),
    "a function call of old": AIMessage(
        "", additional_kwargs={"function_call": {"name": "weather", "arguments": '{"city": "Lima"}'}}
    ),
    "raw tool calls": AIMessage(
        "",
        additional_kwargs={
            "tool_calls": [{"id": "c9", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
        },
    ),
    "an artifact of documents": ToolMessage(
        "found 1", tool_call_id="c1", name="search", artifact=[Document("text", metadata={"page": 1}, id="d1")]
    ),
    "an artifact of many kinds": ToolMessage(
        "x",
        tool_call_id="c1",
        artifact={
            "bytes": b"\x00\xff",
            "when": NOW,
            "day": date(2026, 1, 2),
            "long": timedelta(days=1, seconds=2),
            "id": UUID(int=7),
            "price": Decimal("1.10"),
            "pair": (1, ("a", None)),
            "set": {1, 2},
            3: "three",
            "huge": 2**80,
            "inf": float("inf"),
            "tagged": {"$": "bytes", "value": "no bytes"},
        },
        status="error",
    ),
    "a tool's parts": ToolMessage([{"type": "text", "text": "x"}], tool_call_id="c1", id="t1"),
    "a tool message without a call id": ToolMessage("x", tool_call_id=""),
    "a function's result": FunctionMessage("42", name="weather"),
    "another role": ChatMessage("Hm", role="critic"),
    "a role of ours": ChatMessage("Hm", role="assistant", id="x"),
    "a name that is no id of ours": HumanMessage("x", name="a\nb", id="y" * 300),
    "fields of its own": HumanMessage("x", score=0.25, tags=["a"]),
    "bytes in its content": HumanMessage([{"type": "file", "data": b"\x01"}]),
    "arguments that JSON can't hold": AIMessage("", tool_calls=[CALL | {"args": {"pair": (1, 2)}}]),
    "marks that look like ours": HumanMessage("x", additional_kwargs={"recuerdo": {"created_at": "never"}, "n": 1}),
}

OURS = {
    "a text": Message.user("Hola"),
    "a stored message": Message.user("Hola", id="m1", name="emi", created_at=NOW, metadata={"model": "offline"}),
    "tool calls": Message.assistant("Looking", tool_calls=[ToolCall("c1", "f", {"x": 1})], id="m2", created_at=NOW),
    "a result": Message.tool([{"type": "text", "text": "x"}], tool_call_id="c1", id="m3"),
    "metadata that is ours to read": Message.user("x", metadata={"langchain": "no note", "a": [1, None]}),
}


@pytest.mark.parametrize("message", THEIRS.values(), ids=THEIRS.keys())
def test_a_message_of_langchains_comes_back_as_it_was(message: BaseMessage) -> None:
    back = to_langchain(_stored(from_langchain(message)))
    assert type(back) is type(message)
    given = {name: getattr(message, name) for name in type(message).model_fields} | (message.model_extra or {})
    found = {name: getattr(back, name) for name in type(back).model_fields} | (back.model_extra or {})
    assert _with_types(found | {"id": message.id}) == _with_types(given)
    assert back.id == message.id or not message.id


@pytest.mark.parametrize("message", OURS.values(), ids=OURS.keys())
def test_a_message_of_ours_comes_back_as_it_was(message: Message) -> None:
    assert from_langchain(to_langchain(message)) == message


@pytest.mark.parametrize("message", OURS.values(), ids=OURS.keys())
def test_a_message_of_ours_survives_langchains_own_serialization(message: Message) -> None:
    copied = to_langchain(message).model_dump_json()
    assert from_langchain(type(to_langchain(message)).model_validate_json(copied)) == message


def test_the_plain_part_is_what_other_readers_expect() -> None:
    """Roles, texts, calls and ids are in our own fields; the note beside them holds nothing twice."""
    message = from_langchain(AIMessage("Hola", tool_calls=[CALL], id="m1", name="bot"))
    assert message == Message.assistant(
        "Hola",
        tool_calls=[ToolCall("c1", "weather", {"city": "Lima", "days": 3, "exact": True})],
        id="m1",
        name="bot",
        metadata={"langchain": {"type": "ai"}},
    )


def test_a_function_call_of_old_is_a_tool_call_that_its_result_answers() -> None:
    call, result = from_langchain(THEIRS["a function call of old"]), from_langchain(THEIRS["a function's result"])
    assert call.tool_calls == [ToolCall("weather", "weather", {"city": "Lima"})]
    assert result.tool_call_id == "weather"


def test_metadata_that_was_added_with_us_comes_along() -> None:
    message = from_langchain(HumanMessage("x", id="m"))
    message = Message.user("x", id="m", metadata=message.metadata | {"liked": True})
    assert to_langchain(message).additional_kwargs == {"recuerdo": {"metadata": {"liked": True}}}
    assert from_langchain(to_langchain(message)).metadata["liked"]


def test_a_chunk_is_kept_as_the_message_that_it_makes() -> None:
    merged = AIMessageChunk("Ho", id="r") + AIMessageChunk("la", id="r")
    assert to_langchain(from_langchain(merged)) == AIMessage("Hola", id="r")


def test_an_order_to_a_graphs_state_is_refused() -> None:
    with pytest.raises(InvalidInput, match="RemoveMessage"):
        from_langchain(RemoveMessage(id="m1"))


def test_an_artifact_that_cannot_be_kept_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="artifact: has a object"):
        from_langchain(ToolMessage("x", tool_call_id="c", artifact=object()))


@pytest.mark.parametrize(
    "note",
    [
        {"type": "constructor"},
        {"type": "ai", "fields": {"tool_calls": "many"}},
        {"type": "ai", "fields": {"content": {"$": "nothing", "value": 1}}},
        {"type": "human", "fields": {"content": {"$": "dict", "value": 5}}},
        {"type": "human", "fields": 7},
        [],
    ],
)
def test_metadata_of_somebody_elses_pen_changes_nothing_but_itself(note: object) -> None:
    message = to_langchain(Message.user("Hola", id="m", metadata={"langchain": note}))
    assert (message.type, message.content, message.id) == ("human", "Hola", "m")


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_common = {
    "content": _texts | st.lists(_texts | st.fixed_dictionaries({"type": st.just("text"), "text": _texts}), max_size=3),
    "id": st.none() | _texts,
    "name": st.none() | _texts,
    "additional_kwargs": st.dictionaries(_texts, _json, max_size=2),
    "response_metadata": st.dictionaries(_texts, _json, max_size=2),
}
_calls = st.lists(
    st.fixed_dictionaries(
        {"name": _texts, "args": st.dictionaries(_texts, _json, max_size=2), "id": st.none() | st.sampled_from("abc")}
    ),
    max_size=3,
)
_statuses = st.sampled_from(["success", "error"])
_messages = st.one_of(
    st.builds(HumanMessage, **_common),
    st.builds(SystemMessage, **_common),
    st.builds(AIMessage, **_common, tool_calls=_calls),
    st.builds(
        ToolMessage, **_common, tool_call_id=_texts, artifact=_json, status=st.sampled_from(["success", "error"])
    ),
    st.builds(ChatMessage, **_common, role=_texts | st.sampled_from(["user", "tool"])),
)


@given(_messages)
@settings(max_examples=150)
def test_any_message_can_be_stored_and_comes_back_as_it_was(message: BaseMessage) -> None:
    back = to_langchain(_stored(from_langchain(message)))
    assert back.model_copy(update={"id": message.id}) == message


def _stored(message: Message) -> Message:
    """The message that the history gives back: checked, with an id and a time, through JSON."""
    [new] = prepare(SCOPE, [message], NOW).messages
    assert decode(encode(message)) == message
    return decode(new.body)


def _with_types(value: object) -> object:
    """True is not 1, and 1 is not 1.0."""
    if isinstance(value, dict):
        return {key: _with_types(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [_with_types(item) for item in value]
    return type(value), value
