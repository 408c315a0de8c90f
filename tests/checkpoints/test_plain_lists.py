"""Lists of plain data: each element is compared exactly, and thousands of them without a call for each."""

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from recuerdo.checkpoints import CodecCache, Piece
from recuerdo.integrations.langgraph.codec import LangGraphCodec
from recuerdo.integrations.langgraph.strict import StrictSerializer

ELEMENTS: list[Any] = [
    *range(20),
    *({"text": "x" * 100, "number": number} for number in range(20)),
    *(b"x", None, True, 1.0, "ñ", (1, 2), datetime(2026, 1, 1, tzinfo=UTC), {"deep": [{"a": [1]}]}),
]


class CountingSerializer(StrictSerializer):
    """Counts what it packs and unpacks."""

    calls = 0

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        self.calls += 1
        return super().dumps_typed(obj)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        self.calls += 1
        return super().loads_typed(data)


@pytest.fixture
def serde() -> CountingSerializer:
    return CountingSerializer()


@pytest.fixture
def codec(serde: CountingSerializer) -> LangGraphCodec:
    return LangGraphCodec(serde)


def piece(codec: LangGraphCodec, elements: list[Any]) -> Piece:
    return Piece([codec.entry(element) for element in elements], CodecCache())


@pytest.mark.parametrize("size", [1, 15, 16, len(ELEMENTS)])
def test_a_list_that_did_not_change_is_compared_and_read_at_one_stroke(
    codec: LangGraphCodec, serde: CountingSerializer, size: int
) -> None:
    pieces = [piece(codec, ELEMENTS[:size])]
    serde.calls = 0
    assert codec.alike(pieces, list(ELEMENTS[:size])) == size
    assert codec.thaw(pieces) == [codec.unpack(codec.pack(element)) for element in ELEMENTS[:size]]
    assert serde.calls == 1 + 2 * size


@pytest.mark.parametrize("place", [0, 25, len(ELEMENTS) - 1])
@pytest.mark.parametrize("other", [21, "0", {"text": "y"}, HumanMessage("x"), b""], ids=repr)
def test_an_element_that_changed_is_where_the_lists_part(codec: LangGraphCodec, place: int, other: Any) -> None:
    pieces = [piece(codec, ELEMENTS)]
    assert codec.alike(pieces, [*ELEMENTS[:place], other, *ELEMENTS[place + 1 :]]) == place
    assert codec.alike(pieces, ELEMENTS[:place]) == place
    assert codec.alike(pieces, [*ELEMENTS, other]) == len(ELEMENTS)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (True, 1.0), (b"x", "x"), (0, None)])
def test_what_python_holds_equal_is_not_the_same(codec: LangGraphCodec, one: Any, other: Any) -> None:
    assert codec.alike([piece(codec, [one] * 20)], [one] * 19 + [other]) == 19
    assert codec.alike([piece(codec, [other] * 20)], [other] * 19 + [one]) == 19


def test_messages_and_plain_data_in_one_list_come_back_as_they_were(codec: LangGraphCodec) -> None:
    mixed = [1, HumanMessage("a", id="a"), b"x", bytearray(b"y"), {"m": HumanMessage("b", id="b")}, None]
    pieces = [piece(codec, mixed)]
    assert codec.alike(pieces, mixed) == len(mixed)
    assert codec.thaw(pieces) == mixed
    assert [type(each) for each in codec.thaw(pieces)] == [type(each) for each in mixed]
