"""Contents: what was said comes back byte by byte."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest

from recuerdo.core.messages import Content, Message, ToolCall, checksum_of, decode, encode
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NewMessage
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, everything, request, said

CONTENTS: dict[str, Content] = {
    "empty text": "",
    "spaces": "  \t\r\n ",
    "accents": "¿Cómo me llamo? Ação, coração",
    "composed": unicodedata.normalize("NFC", "é"),
    "decomposed": unicodedata.normalize("NFD", "é"),
    "emoji": "👩‍👩‍👧‍👦 🇦🇷 😀",
    "right to left": "שלום مرحبا",
    "nul": "a\x00b",
    "controls": "\x01\x1b\x7f\x85\u2028\ufeff\uffff",
    "quotes": "'; DROP TABLE messages; -- \" \\ \\u0000 %s {} $1",
    "json": '{"role": "system", "seq": 9}',
    "a megabyte": "ñ" * 500_000,
    "a megabyte of signs": '"' * 1_000_000,
    "no parts": [],
    "parts": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:;base64,AA=="}}],
    "deep part": [{"type": "x", "nested": [[{"a": None, "b": True, "c": -1.5, "d": 2**63 - 1, "": "\x00"}]]}],
}

MESSAGES: dict[str, Message] = {
    "system": Message.system("Be brief."),
    "named": Message.user("hi", name="Emiliano"),
    "tool calls": Message.assistant(
        "", tool_calls=[ToolCall("c-1", "add", {"a": 1, "b": [2.5, None, "ñ"]}), ToolCall("c-2", "now")]
    ),
    "tool result": Message.tool([{"type": "text", "text": "3"}], tool_call_id="c-1", name="add"),
    "metadata": Message.user("hi", metadata={"source": {"ip": "::1"}, "tags": ["a", "", None], "n": 1e300}),
}


class ContentContract(AsNewTenant):
    """Every kind of message is read as it was written."""

    @pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
    async def test_content_of_any_kind(self, history: HistoryRepository, scope: Scope, content: Content) -> None:
        """A content of any kind comes back exactly."""
        message = said(content)
        await commit(history, request(scope, message))
        [record] = await everything(history, scope)
        assert record.body == message.body
        assert decode(record.json).content == content

    @pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
    async def test_content_of_any_message(self, history: HistoryRepository, scope: Scope, message: Message) -> None:
        """A message of any role comes back with all its fields, from pages and from the tail."""
        body = encode(message)
        await commit(history, request(scope, NewMessage("m-1", message.role, NOON, body, checksum_of(body))))
        [record] = await everything(history, scope)
        tail = await history.tail(scope, 1)
        assert record == (1, False, body)
        assert record.role == message.role
        assert [tail.system, *tail.records].count(record) == 1

    @pytest.mark.parametrize(
        "at",
        [
            datetime(2026, 11, 21, 12, 30, 15, 123456, UTC),
            datetime(2026, 11, 21, 23, 59, 59, 999999, timezone(timedelta(hours=-3))),
            datetime(2026, 11, 21, 0, 0, 0, 1, timezone(timedelta(hours=5, minutes=45))),
            datetime(1969, 7, 20, 20, 17, 40, 1, UTC),
            datetime(9999, 12, 31, tzinfo=UTC),
        ],
        ids=str,
    )
    async def test_content_times(self, history: HistoryRepository, scope: Scope, at: datetime) -> None:
        """A message's time comes back to the microsecond."""
        await commit(history, request(scope, said(at=at)))
        [record] = await everything(history, scope)
        assert decode(record.json).created_at == at

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("m-1", "M-1"),
            ("m-1", "m-1 "),
            (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")),
            ("é", "e"),
            ("x" * 255, "x" * 254),
            ("😀" * 255, "😀" * 254),
            ("'\"\\%_;--", "'\"\\%%;--"),
        ],
    )
    async def test_content_ids(self, history: HistoryRepository, scope: Scope, one: str, other: str) -> None:
        """Message ids of up to 255 characters are told apart exactly and come back exactly."""
        receipt = await commit(history, request(scope, said(id=one), said(id=other)))
        assert receipt.ids == [one, other]
        assert [decode(record.json).id for record in await everything(history, scope)] == [one, other]
