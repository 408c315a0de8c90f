"""Messages are handed out again only when that can't be noticed."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from recuerdo.integrations.langgraph.lending import all_same, lent_again
from recuerdo.integrations.langgraph.messages import Frozen


def _frozen(message: BaseMessage) -> Frozen:
    frozen = Frozen.of(message)
    assert frozen is not None
    return frozen


def _lent() -> list[Frozen]:
    """Of a plain message and of one with dicts and lists in it, each handed out once and dropped since."""
    call = {"id": "c", "name": "book", "args": {"seats": [1, 2]}, "type": "tool_call"}
    about = {"usage": {"tokens": 3}}
    rich = AIMessage("", id="a", tool_calls=[call], response_metadata=about, additional_kwargs={"more": ["x"]})
    entries = [_frozen(HumanMessage("hello", id="h")), _frozen(rich)]
    for entry in entries:
        entry.thaw()
    return entries


def test_what_nobody_holds_and_nobody_changed_is_handed_out_again() -> None:
    entries = _lent()
    first = [id(message) for message in lent_again(entries) or []]
    assert first == [id(entry.lent) for entry in entries]
    again = lent_again(entries)
    assert again is not None
    assert [each.content for each in again] == ["hello", ""]
    assert lent_again(entries) is None, "the caller has them now"


@pytest.mark.parametrize(
    "hold",
    [
        lambda message: message,
        lambda message: [message],
        vars,
        lambda message: message.additional_kwargs,
        lambda message: message.response_metadata["usage"],
        lambda message: message.tool_calls,
        lambda message: message.tool_calls[0],
        lambda message: message.tool_calls[0]["args"]["seats"],
        lambda message: message.invalid_tool_calls,
        lambda message: message.__pydantic_extra__,
        weakref.ref,
    ],
)
def test_what_somebody_holds_any_part_of_stays_theirs(hold: Callable[[Any], object]) -> None:
    entries = _lent()
    held = hold(entries[1].lent)
    assert lent_again(entries) is None
    del held
    assert lent_again(entries) is not None


def _overwrite(message: Any) -> None:
    message.content = "changed"


def _grow(message: Any) -> None:
    message.tool_calls[0]["args"]["seats"].append(3)


def _retype(message: Any) -> None:
    message.tool_calls[0]["args"]["seats"][0] = True  # which equals 1


def _replace(message: Any) -> None:
    message.additional_kwargs = dict(message.additional_kwargs)


@pytest.mark.parametrize("change", [_overwrite, _grow, _retype, _replace])
def test_what_was_changed_is_made_anew(change: Callable[[Any], None]) -> None:
    entries = _lent()
    change(entries[1].lent)
    assert lent_again(entries) is None
    assert entries[1].thaw().tool_calls[0]["args"] == {"seats": [1, 2]}


def test_a_message_that_stands_twice_in_a_list_is_two_messages() -> None:
    entry = _lent()[0]
    assert lent_again([entry, entry]) is None


def test_a_message_that_was_never_handed_out_is_made() -> None:
    assert lent_again([_frozen(HumanMessage("new"))]) is None


@pytest.mark.parametrize(
    "other",
    [
        HumanMessage("other", id="h"),
        HumanMessage("hello", id="other"),
        AIMessage("hello", id="h"),
        HumanMessage("hello", id="h", name="Ann"),
        HumanMessage("hello", id="h", additional_kwargs={"x": 1}),
        HumanMessage("hello", id="h", extra_field=1),
        "hello",
    ],
)
def test_another_message_is_not_the_same(other: object) -> None:
    entry = _frozen(HumanMessage("hello", id="h"))
    assert all_same([entry], [HumanMessage("hello", id="h")])
    assert not all_same([entry], [other])
