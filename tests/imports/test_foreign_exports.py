"""The exports of other services, in small: each as its service writes it, and as nobody should."""

import json
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from recuerdo.core.errors import InvalidInput
from recuerdo.integrations.exports import EXPORTS, ReadingOptions, read_export

MADRID = ZoneInfo("Europe/Madrid")
ME = ReadingOptions(me="Emi", zone=MADRID)


def chat_node(name: str, parent: str | None, role: str, *parts: Any, at: float | None = 1.7e9, **more: Any) -> Any:
    content = {"content_type": more.pop("content_type", "text"), "parts": [*parts]}
    message = {"id": name, "author": {"role": role}, "create_time": at, "content": content, **more}
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "title": "Vacaciones",
        "create_time": 1.7e9,
        "conversation_id": "c-1",
        "current_node": "n-5",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["n-1"], "message": None},
            "n-1": chat_node("n-1", "root", "system", ""),
            "n-2": chat_node("n-2", "n-1", "user", "Vivo en Lima", {"asset_pointer": "file://x"}),
            "n-3": chat_node("n-3", "n-2", "assistant", "Una respuesta que nadie quiso"),
            "n-4": chat_node("n-4", "n-2", "tool", "resultado", recipient="all"),
            "n-5": chat_node("n-5", "n-4", "assistant", "¡Qué bien! \ue200cite\ue202turn0search0\ue201", at=None),
        },
    }
]
CLAUDE = [
    {
        "uuid": "c-1",
        "name": "Holidays",
        "created_at": "2024-05-01T09:00:00Z",
        "account": {"uuid": "a-1"},
        "chat_messages": [
            {"uuid": "m-1", "sender": "human", "text": "I live in Lima", "created_at": "2024-05-01T09:00:01.5+00:00"},
            {
                "uuid": "m-2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Lovely."}],
                "created_at": "2024-05-01T09:00:09Z",
            },
            {"uuid": "m-3", "sender": "human", "text": "", "attachments": [{"file_name": "a.pdf"}]},
        ],
    }
]
ANDROID = """24/11/2025, 13:45 - Messages and calls are end-to-end encrypted.
24/11/2025, 13:46 - Ana: ¿Dónde vives?
24/11/2025, 13:47 - Emi: Vivo en Lima
cerca del mar: muy cerca
24/11/2025, 13:48 - Ana: <Media omitted>
24/11/2025, 13:48 - Emi: ok
24/11/2025, 13:48 - Emi: ok
"""
IOS = """[11/24/25, 1:45:00\u202fPM] Ana: \u200eMessages and calls are end-to-end encrypted.
\u200e[11/24/25, 1:46:05\u202fPM] Ana: \u200eimage omitted
[11/24/25, 1:47:00\u202fPM] Emi: Vivo en Lima \u200e<This message was edited>
[11/24/25, 1:48:00\u202fPM] \u202aAna\u202c: \u200eThis message was deleted.
"""
UNSAID = """24/11/2025 13:46 - Ana: Esta mensagem foi apagada
24/11/2025 13:47 - Ana: áudio ocultado
24/11/2025 13:48 - Ana: Hola <Se editó este mensaje.>
24/11/2025 13:49 - Ana: null
24/11/2025 13:49 - Ana: IMG-20251124-WA0001.jpg (archivo adjunto)
Mira
24/11/2025 13:50 - Ana: This message was deleted and I don't know why
"""


SPOKEN = [
    {
        "id": "c-2",
        "current_node": "n-1",
        "mapping": {
            "n-1": chat_node(
                "n-1",
                None,
                "user",
                {"content_type": "audio_transcription", "text": "Vivo en Quito", "direction": "in"},
                {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}},
                content_type="multimodal_text",
            )
        },
    }
]


def packed(name: str, content: Any) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return file.getvalue()


def told(service: str, data: Any, reading: ReadingOptions = ME, name: str = "export.json") -> list[tuple[Any, ...]]:
    export = read_export(service, data if isinstance(data, bytes) else json.dumps(data).encode(), name, reading)
    return [
        (each.role, each.name, each.text, each.created_at)
        for conversation in export.conversations
        for each in conversation.messages
    ]


@pytest.mark.parametrize("data", [CHATGPT, packed("conversations.json", CHATGPT)], ids=["json", "zip"])
def test_of_chatgpts_tree_the_branch_is_read_that_the_user_saw_last(data: Any) -> None:
    at = datetime.fromtimestamp(1.7e9, UTC)
    assert told("chatgpt", data) == [("user", None, "Vivo en Lima", at), ("assistant", None, "¡Qué bien!", at)]


def test_chatgpts_large_exports_come_in_parts() -> None:
    """Their files have numbers, and beside them is an index; what was spoken is read as the app has written it down."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in (("001", SPOKEN), ("000", CHATGPT)):
            archive.writestr(f"export/conversations-{name}.json", json.dumps(content))
        archive.writestr("export/conversations.json.index", "x")
        archive.writestr("export/shared_conversations.json", "[]")
    assert [text for _, _, text, _ in told("chatgpt", file.getvalue())] == [
        "Vivo en Lima",
        "¡Qué bien!",
        "Vivo en Quito",
    ]


def test_claudes_messages_are_read_with_their_times_and_without_thoughts() -> None:
    day = datetime(2024, 5, 1, 9, tzinfo=UTC)
    assert told("claude", packed("data/conversations.json", CLAUDE)) == [
        ("user", None, "I live in Lima", day.replace(second=1, microsecond=500_000)),
        ("assistant", None, "Lovely.", day.replace(second=9)),
    ]


@pytest.mark.parametrize("name", ["WhatsApp Chat with Ana.txt", "_chat.txt"])
def test_whatsapps_lines_are_read_with_who_said_what_and_when(name: str) -> None:
    messages = told("whatsapp", ANDROID.encode(), name=name)
    at = datetime(2025, 11, 24, 12, 46, tzinfo=UTC)
    assert messages[:2] == [
        ("assistant", "Ana", "¿Dónde vives?", at),
        ("user", "Emi", "Vivo en Lima\ncerca del mar: muy cerca", at.replace(minute=47)),
    ]
    assert len(messages) == 4
    [conversation] = read_export("whatsapp", ANDROID.encode(), name, ME).conversations
    assert (conversation.id, len({message.id for message in conversation.messages})) == ("Ana", 4)


def test_whatsapps_other_order_of_dates_is_seen_and_an_unclear_one_is_asked_for() -> None:
    [(*_, text, at)] = told("whatsapp", packed("_chat.txt", IOS), name="WhatsApp Chat - Ana.zip")
    assert text == "Vivo en Lima"
    assert at == datetime(2025, 11, 24, 12, 47, tzinfo=UTC)
    unclear = b"1/2/25, 13:45 - Emi: Hola"
    with pytest.raises(InvalidInput, match="--dates"):
        told("whatsapp", unclear)
    [(*_, at)] = told("whatsapp", unclear, ME._replace(dates="mdy"))
    assert (at.month, at.day) == (1, 2)


DAYS = [
    ("24/11/25, 13:45 - Emi: Hola", "chat.txt", (2025, 11, 24)),
    ("[24/11/25, 13:45:12] Emi: Hola", "_chat.txt", (2025, 11, 24)),
    ("11/24/25, 1:45 PM - Emi: Hola", "chat.txt", (2025, 11, 24)),
    ("1/2/25, 13:45 - Emi: Hola", "Chat de WhatsApp con Ana.txt", (2025, 2, 1)),
    ("1/2/25, 13:45 - Emi: Hola", "Conversa do WhatsApp com Ana.zip", (2025, 2, 1)),
    ("1/2/25, 1:45\u202fp.\u00a0m. - Emi: Hola", "chat.txt", (2025, 2, 1)),
    ("1/2/25, 13:44 - Los mensajes están cifrados de extremo a extremo.\n1/2/25, 13:45 - Emi: Hola", "", (2025, 2, 1)),
    ("01.02.25, 13:45 - Emi: Hola", "chat.txt", (2025, 2, 1)),
    ("1/12/2025, 13:45 - Emi: Hola", "Chat de WhatsApp con Ana.txt", (2025, 12, 1)),
    ("2025/02/01, 13:45 - Emi: Hola", "chat.txt", (2025, 2, 1)),
    ("25/2/1, 13:45 - Emi: Hola", "chat.txt", (2025, 2, 1)),
    ("25/2/28, 13:45 - Emi: Hola", "chat.txt", (2025, 2, 28)),
]


@pytest.mark.parametrize(("line", "name", "day"), DAYS)
def test_the_order_of_whatsapps_dates_is_asked_for_only_where_nothing_shows_it(
    line: str, name: str, day: tuple[int, int, int]
) -> None:
    """The app's language shows it, a day above twelve, that dates lie behind us, that short years come last."""
    [(*_, at)] = told("whatsapp", line.encode(), name=name)
    assert (at.year, at.month, at.day) == day


def test_what_whatsapp_says_itself_is_left_out() -> None:
    """Messages that were deleted, media, and that one was edited; the archive of Android names the chat's text."""
    me = ME._replace(me="Ana")
    said = [text for _, _, text, _ in told("whatsapp", packed("Conversa do WhatsApp com Emi.txt", UNSAID), me)]
    assert said == ["Hola", "Mira", "This message was deleted and I don't know why"]


def test_mem0s_memories_are_those_of_one_user() -> None:
    memories = [
        {"id": "1", "memory": "Lives in Lima", "user_id": "emi", "created_at": "2024-05-01T09:00:00-07:00"},
        {"id": "2", "memory": "Likes tea", "user_id": "ana"},
    ]
    for data in (memories, {"results": memories, "count": 2}):
        export = read_export("mem0", json.dumps(data).encode(), "m.json", ReadingOptions(of="emi"))
        assert [(each.text, each.since) for each in export.facts] == [
            ("Lives in Lima", datetime(2024, 5, 1, 16, tzinfo=UTC))
        ]
        with pytest.raises(InvalidInput, match="ana, emi"):
            read_export("mem0", json.dumps(data).encode(), "m.json")


def test_zeps_messages_and_facts_are_read_with_the_times_for_which_they_hold() -> None:
    data = {
        "threads": [
            {
                "thread_id": "t-1",
                "messages": [
                    {
                        "uuid": "m-1",
                        "role": "user",
                        "name": "Emi",
                        "content": "Hi",
                        "created_at": "2024-05-01T09:00:00Z",
                    },
                    {"uuid": "m-2", "role": "AI", "role_type": "assistant", "content": "Hello"},
                ],
            }
        ],
        "edges": [{"uuid": "e-1", "fact": "Emi lives in Lima", "valid_at": "2024-05-01", "invalid_at": "2025-01-01"}],
    }
    assert [each[:3] for each in told("zep", data)] == [("user", "Emi", "Hi"), ("assistant", None, "Hello")]
    [fact] = read_export("zep", json.dumps(data).encode(), "z.json").facts
    assert (fact.since, fact.until) == (datetime(2024, 5, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC))


CIRCLE = [{"mapping": {"a": {"parent": "b"}, "b": chat_node("b", "a", "user", "hola")}, "current_node": "a"}]


def test_a_tree_that_goes_in_a_circle_is_read_once() -> None:
    assert [text for *_, text, _ in told("chatgpt", CIRCLE)] == ["hola"]


@pytest.mark.parametrize("service", EXPORTS)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"{}",
        b"[]",
        b"[1]",
        b"[" * 100_000,
        b"PK\x03\x04 no archive",
        packed("other.txt", ""),
        b'[{"mapping": {"a": {"message": {"id": "a", "author": {"role": "user"}, "content": {"parts": ["x"]}, '
        b'"create_time": 1e300}}}}]',
        b'[{"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "x", "created_at": "soon"}]}]',
        b"99/99/9999, 25:61 - Emi: Hola",
        b'{"edges": [{"fact": "x", "valid_at": "9999-99-99"}]}',
        b'{"results": [{"memory": "x", "created_at": "yesterday"}]}',
    ],
)
def test_what_is_no_export_of_the_service_is_refused_with_a_reason(service: str, data: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_export(service, data, "file", ME)
    assert refused.value.field in ("FILE", "--me", "--dates")
