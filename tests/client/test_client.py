"""The clients against a real server, as programs use them."""

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from recuerdo import Message
from recuerdo.client import AsyncClient, Client
from recuerdo.client.answers import ChatAnswerData, ChatStartData
from recuerdo.core.errors import Conflict, EpochChanged, IdempotencyConflict, InvalidInput, NotFound, Unavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.threads import Version
from servers.process import free_port
from servers.recuerdo import RecuerdoServer


@pytest.fixture
def client(client_server: RecuerdoServer, user: str) -> Iterator[Client]:
    with Client(client_server.url, user=user) as client:
        yield client


def test_what_is_appended_is_read_again_as_the_librarys_own_messages(client: Client) -> None:
    thread = client.thread("a/b #1")
    receipt = thread.append(Message.user("Hola"), Message.assistant("¡Hola!", metadata={"mood": "good"}))
    assert (receipt.seqs, receipt.replayed) == ([1, 2], False)
    first, second = thread.messages()
    assert (first.text, second.metadata, second.id) == ("Hola", {"mood": "good"}, receipt.ids[1])
    assert isinstance(first, Message)
    assert isinstance(first.created_at, datetime)
    assert thread.window(messages=1) == [second]
    assert [thread.id for thread in client.threads()] == ["a/b #1"]


def test_a_message_that_was_read_can_be_appended_elsewhere(client: Client) -> None:
    client.thread("one").append(Message.user("Hola"))
    client.thread("two").append(*client.thread("one").messages())
    assert [message.text for message in client.thread("two").messages()] == ["Hola"]


def test_messages_come_over_pages_and_filtered(client: Client) -> None:
    thread = client.thread("t")
    thread.append(*[Message.user(str(number)) for number in range(7)], Message.assistant("end"))
    assert [message.seq for message in thread.messages(limit=3)] == [*range(1, 9)]
    assert [message.text for message in thread.messages(limit=2, role=["assistant"])] == ["end"]
    assert [message.seq for message in thread.page(limit=2).messages] == [7, 8]
    assert [*thread.messages(since=datetime(2100, 1, 1, tzinfo=UTC))] == []


def test_all_messages_of_the_caller_come_by_time_over_pages_and_pages_can_be_counted(client: Client) -> None:
    for thread, minutes in (("a", (1, 4)), ("b", (3, 2)), ("c", (5,))):
        said = [Message.user(str(each), created_at=datetime(2026, 1, 1, 9, each, tzinfo=UTC)) for each in minutes]
        client.thread(thread).append(*said)
    client.thread("c").append(Message.assistant("reply", created_at=datetime(2025, 1, 1, tzinfo=UTC)))
    found = [*client.messages(limit=2)]
    assert [(each.thread_id, each.message.text) for each in found] == [
        *(("c", "5"), ("a", "4"), ("b", "3")),
        *(("b", "2"), ("a", "1"), ("c", "reply")),
    ]
    assert [each.message.text for each in client.messages(limit=2, skip=3)] == ["2", "1", "reply"]
    assert [each.message.text for each in client.messages(role=["assistant"])] == ["reply"]
    assert [each.message.text for each in client.messages(since=datetime(2026, 1, 1, 9, 4, tzinfo=UTC))] == ["5", "4"]
    assert [each.id for each in client.threads(limit=1, skip=1)] == ["b", "a"]
    assert [each.text for each in client.thread("a").messages(limit=1, skip=1)] == ["4"]
    for drink in ("tea", "coffee", "juice"):
        client.memories.add(f"Likes {drink}")
    assert len([*client.memories.list(limit=1, skip=1)]) == 2


def test_a_key_of_ones_own_stores_once_and_another_body_is_refused(client: Client) -> None:
    thread = client.thread("t")
    first = thread.append(Message.user("Two coffees"), idempotency_key="order-7")
    again = thread.append(Message.user("Two coffees"), idempotency_key="order-7")
    assert (again.replayed, again.ids) == (True, first.ids)
    with pytest.raises(IdempotencyConflict, match="order-7"):
        thread.append(Message.user("Three"), idempotency_key="order-7")


def test_errors_are_the_librarys_own(client: Client) -> None:
    thread = client.thread("t")
    with pytest.raises(NotFound, match="There is no thread 't'"):
        thread.info()
    with pytest.raises(InvalidInput) as refused:
        thread.append(Message(role="tool", content="21 degrees"))
    assert refused.value.field == "messages[0].tool_call_id"
    seen = Version.parse(thread.append(Message.user("hi")).version)
    thread.clear()
    with pytest.raises(EpochChanged):
        thread.append(Message.user("late"), expected_epoch=seen.epoch)
    with pytest.raises(InvalidInput):
        client.memories.add("x" * 10_000)
    thread.fork(target="u")
    with pytest.raises(Conflict, match="already a thread"):
        thread.fork(target="u")


def test_a_thread_is_renamed_archived_forked_summarised_and_deleted(client: Client) -> None:
    thread = client.thread("t")
    thread.append(Message.user("My flight to Lima is on Monday"), Message.assistant("Noted."))
    assert thread.rename("Flights").title == "Flights"
    assert thread.update_metadata({"topic": "travel", "gone": None}).metadata == {"topic": "travel"}
    assert [each.id for each in client.threads(metadata={"topic": "travel"})] == ["t"]
    assert [*client.threads(metadata={"topic": "food"})] == []
    assert thread.archive(last=1) == 1
    assert [message.seq for message in thread.messages()] == [2]
    assert thread.archive(archived=False) == 1
    assert thread.fork(target="copy", at_seq=1).message_count == 1
    assert thread.info().counts == {"assistant": 1, "user": 1}
    assert thread.search("Lima")[0].seq == 1
    assert client.search_history("Lima", limit=1)[0].message.text.endswith("Monday")
    thread.summarise()
    thread.delete()
    with pytest.raises(NotFound):
        thread.info()


def test_a_chat_remembers_and_tells_why(client: Client) -> None:
    answer = client.chat("Hola, me llamo Emiliano")
    assert [memory.value for memory in answer.memories_saved] == ["Emiliano"]
    thread = client.thread(answer.thread_id)
    why = thread.why(thread.chat("¿Cómo me llamo?").reply.seq)
    assert "Emiliano" in "".join(message.text for message in why.prompt)
    assert thread.context().context.graph_id == "recuerdo"
    assert thread.set_context({"X-Recuerdo-Locale": "es"}).context.metadata["locale"] == "es"
    thread.forget_context()


def test_a_reply_streams_and_its_pieces_are_the_reply(client: Client) -> None:
    start, *pieces, answer = client.chat_stream("Hola, me llamo Emiliano", thread_id="t")
    assert isinstance(start, ChatStartData)
    assert isinstance(answer, ChatAnswerData)
    assert "".join(map(str, pieces)) == answer.reply.text
    assert client.thread("t").info().message_count == 2


def test_a_key_lets_a_chat_be_asked_again(client: Client) -> None:
    key = new_id()
    first = client.chat("Hola", idempotency_key=key)
    *_, again = client.chat_stream("Hola", idempotency_key=key)
    assert isinstance(again, ChatAnswerData)
    assert (again.thread_id, again.reply.id) == (first.thread_id, first.reply.id)


def test_memories_are_added_found_changed_and_undone(client: Client) -> None:
    memories = client.memories
    seat = memories.add("Prefers the window seat", attribute="preference", value="window seat")
    assert memories.add("Prefers the window seat", attribute="preference", value="window seat").id == seat.id
    assert isinstance(seat.created_at, datetime)
    assert memories.search("window", limit=1)[0].memory.id == seat.id
    assert memories.update(seat.id, text="Prefers the aisle").text == "Prefers the aisle"
    assert memories.undo(seat.id).undone
    assert memories.get(seat.id).text == "Prefers the window seat"
    assert len(memories.history(seat.id)) >= 2
    assert [memory.id for memory in memories.list(kind="semantic", limit=1)] == [seat.id]
    lines = memories.export_lines()
    assert memories.import_lines(lines) == 0
    assert memories.audit().memories == 1
    assert memories.entities().entities is not None
    memories.delete(seat.id)
    assert [*memories.list()] == []


def test_shared_memories_are_proposed_and_decided(client: Client) -> None:
    shared = client.tenant.memories
    proposed = shared.propose(f"The office {new_id()} closes at six")
    assert shared.approve(proposed.id, reason="true").status == "approved"
    assert proposed.id in [memory.id for memory in shared.list()]
    assert shared.history(proposed.id)
    shared.reject(proposed.id)
    shared.delete(proposed.id)
    with pytest.raises(NotFound):
        shared.get(proposed.id)


def test_documents_are_added_found_and_deleted(client: Client) -> None:
    source = f"{new_id()}.md"
    added = client.documents.add(source, content="# Returns\n\nA refund takes five days.", access="public")
    assert added.changed
    assert not client.documents.add(source, content="# Returns\n\nA refund takes five days.", access="public").changed
    assert client.documents.search("refund")[0].chunk.text
    assert client.documents.get(added.document.id).chunks
    listed = [document.source for document in client.documents.list()]
    assert source in listed
    assert [document.source for document in client.documents.list(limit=1, skip=1)] == listed[1:]
    client.documents.delete(added.document.id)


def test_assistants_and_runs_of_graphs(client: Client) -> None:
    assistant = client.assistants.create(name="Brief", context={"system": "Be brief."})
    assert client.assistants.get(assistant.assistant_id).name == "Brief"
    assert assistant.assistant_id in [each.assistant_id for each in client.assistants.search(graph_id="recuerdo")]
    assert assistant.assistant_id in [each.assistant_id for each in client.assistants.search()]
    assert client.assistants.update(assistant.assistant_id, name="Short").version == 2
    said = {"messages": [{"role": "user", "content": "Hola"}]}
    events = [*client.runs.stream("t", input=said, if_not_exists="create", stream_mode=["values"])]
    assert events[0].event == "metadata"
    assert len(events[-1].data["messages"]) == 2
    run = client.runs.create("t", input=said)
    assert client.runs.join("t", run["run_id"])["messages"]
    assert client.runs.get("t", run["run_id"])["status"] == "success"
    assert len(client.runs.wait("t", input=said)["messages"]) == 6
    with pytest.raises(NotFound):
        client.runs.cancel("t", run["run_id"])
    client.assistants.delete(assistant.assistant_id)


def test_an_action_is_handed_over_once(client: Client) -> None:
    state = client.actions.hand_over("embedding", "t", action_id="a-1", fields={"texts": ["hi"]})
    assert client.actions.hand_over("embedding", "t", action_id="a-1", fields={"texts": ["hi"]}).attempts <= 1
    assert client.actions.get(state.action_id).type == "embedding"


def test_an_admin_sees_conversations_of_the_tenant_and_the_audit_log(client: Client, user: str) -> None:
    client.thread("t").append(Message.user("My flight to Lima"))
    client.thread("u").append(Message.user("Something else"))
    tenant = client.tenant
    users = [*tenant.users(limit=1000)]
    assert user in users
    assert [*tenant.users(limit=1000, skip=1)] == users[1:]
    assert {thread.id for thread in tenant.threads_of(user, limit=1)} == {"t", "u"}
    assert [each.thread_id for each in tenant.messages_of(user, limit=1)] == ["u", "t"]
    assert tenant.search_history_of(user, "Lima")[0].thread_id == "t"
    tenant.delete_thread_of(user, "t")
    assert [thread.id for thread in client.threads()] == ["u"]
    tenant.forget_contexts(assistant_id="recuerdo")
    assert next(tenant.audit(limit=1)).tenant == "default"


def test_erasing_ends_with_a_receipt_also_in_the_background(client: Client) -> None:
    client.thread("t").append(Message.user("Hola"))
    receipt = client.erase()
    assert receipt.complete
    assert receipt.removed["messages"] == 1
    job = client.erase_in_background()
    assert client.erasure(job.id).id == job.id
    assert [*client.threads()] == []


def test_a_client_says_who_asks_and_how_the_server_is(client: Client, user: str) -> None:
    assert client.principal().user == user
    assert client.info().offline
    assert client.health()
    assert client.ready().ok


async def test_the_asynchronous_client_does_the_same(client_server: RecuerdoServer, user: str) -> None:
    async with AsyncClient(client_server.url, user=user) as client:
        thread = client.thread("t")
        await thread.append(Message.user("Hola, me llamo Emiliano"))
        assert [message.text async for message in thread.messages()] == ["Hola, me llamo Emiliano"]
        parts = [part async for part in client.chat_stream("¿Cómo me llamo?", thread_id="t")]
        assert isinstance(parts[-1], ChatAnswerData)
        assert (await client.memories.search("nombre")) is not None
        assert [thread.id async for thread in client.threads()] == ["t"]
        with pytest.raises(NotFound):
            await client.thread("absent").info()


def test_both_clients_have_the_same_methods() -> None:
    both = [(AsyncClient, Client)]
    with Client() as client:
        names = {name for name in vars(client) if not name.startswith("_")}
    assert names == {"memories", "documents", "assistants", "runs", "actions", "tenant"}
    for asynchronous, synchronous in both:
        theirs = {name for name, _ in inspect.getmembers(asynchronous) if not name.startswith("_")}
        assert {name.replace("aclose", "close") for name in theirs} == {
            name for name, _ in inspect.getmembers(synchronous) if not name.startswith("_")
        }


@pytest.mark.parametrize("address", ["", "nonsense", "localhost:8080", "ftp://127.0.0.1"])
def test_what_is_no_address_of_a_server_is_refused_before_anything_is_sent(address: str) -> None:
    with pytest.raises(InvalidInput, match="url: must be like"):
        Client(address)


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with Client(f"http://127.0.0.1:{free_port()}", retry_for=0.5) as client, pytest.raises(Unavailable) as away:
        client.thread("t").append(Message.user("hi"))
    assert "No server answers at" in str(away.value)
