"""Messages are handed out again only when that can't be noticed."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from recuerdo.checkpoints import CodecCache, Piece
from recuerdo.integrations.langgraph.lending import Block, thawed
from recuerdo.integrations.langgraph.messages import MessageSnapshot


def _frozen(message: BaseMessage) -> MessageSnapshot:
    frozen = MessageSnapshot.of(message)
    assert frozen is not None
    return frozen


def _lent() -> Block:
    """Of a plain message and of one with dicts and lists in it, each handed out once and dropped since."""
    call = {"id": "c", "name": "book", "args": {"seats": [1, 2]}, "type": "tool_call"}
    about = {"usage": {"tokens": 3}}
    rich = AIMessage("", id="a", tool_calls=[call], response_metadata=about, additional_kwargs={"more": ["x"]})
    block = Block([_frozen(HumanMessage("hello", id="h")), _frozen(rich)])
    block.lend([entry.thaw() for entry in block.entries])
    return block


def _rich(block: Block) -> Any:
    """The message with dicts and lists, which the caller has from here on."""
    return (block.again() or [])[1]


def test_what_nobody_holds_and_nobody_changed_is_handed_out_again() -> None:
    block = _lent()
    first = [id(message) for message in block.again() or []]
    again = block.again()
    assert again is not None
    assert [id(message) for message in again] == first
    assert [each.content for each in again] == ["hello", ""]
    assert block.again() is None, "the caller has them now"


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
    block = _lent()
    held = hold(_rich(block))
    assert block.again() is None
    del held
    assert block.again() is not None


class _Incomparable:
    """As arrays are."""

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = object.__hash__


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
    block = _lent()
    change(_rich(block))
    assert block.again() is None
    assert block.entries[1].thaw().tool_calls[0]["args"] == {"seats": [1, 2]}


def test_a_message_that_stands_twice_in_a_list_is_two_messages() -> None:
    entry = _lent().entries[0]
    one, other = thawed(Piece([entry, entry], CodecCache()))
    assert one is not other


def test_a_message_that_was_never_handed_out_is_made() -> None:
    piece = Piece([_frozen(HumanMessage("new"))], CodecCache())
    assert [message.content for message in thawed(piece)] == ["new"]


def test_what_a_log_has_gained_comes_behind_what_is_handed_out_again() -> None:
    entries, shelf = [_frozen(HumanMessage(f"{number}")) for number in range(3)], CodecCache()
    first = [id(message) for message in thawed(Piece(entries[:2], shelf))]
    grown = thawed(Piece(entries, shelf))
    assert [id(message) for message in grown[:2]] == first
    assert [message.content for message in grown] == ["0", "1", "2"]
    del grown
    assert [message.content for message in thawed(Piece(entries[1:], shelf))] == ["1", "2"]


def test_what_does_not_compare_is_made_anew() -> None:
    block = _lent()
    _rich(block).additional_kwargs["more"] = _Incomparable()
    assert block.again() is None


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
    block = Block([_frozen(HumanMessage("hello", id="h"))])
    assert block.says([HumanMessage("hello", id="h")])
    assert not block.says([other])
