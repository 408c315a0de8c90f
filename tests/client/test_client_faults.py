"""A client while servers die, answers are lost, and callers must wait: nothing happens twice, nothing is lost."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import jwt
import pytest
from scripted_server import END, HEAD, answer, chunk, scripted

from recuerdo import Message
from recuerdo.client import AsyncClient, Client
from recuerdo.client.answers import ChatAnswerData
from recuerdo.core.errors import DatabaseUnavailable, Forbidden, OutcomeUnknown, RateLimited, RecuerdoError
from recuerdo.core.identifiers import new_id
from servers.patience import PATIENCE
from servers.proxy import Proxy, running_proxy
from servers.recuerdo import RecuerdoServer, running_recuerdo

WRITERS = 4
KILLS = 3


@pytest.fixture
def proxy(mortal_server: RecuerdoServer) -> Iterator[Proxy]:
    with running_proxy(mortal_server.port) as proxy:
        yield proxy


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_a_server_killed_again_and_again_makes_no_append_twice_and_loses_none(
    mortal_server: RecuerdoServer, user: str
) -> None:
    """Four programs append one message after the other, whatever happens, until the server was killed three times."""
    told: list[list[str]] = [[] for _ in range(WRITERS)]
    is_over = threading.Event()

    def write(number: int) -> None:
        with Client(mortal_server.url, user=user, retry_for=PATIENCE) as client:
            while not is_over.is_set():
                told[number] += client.thread(f"t-{number}").append(Message.user(str(len(told[number])))).ids

    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write, number) for number in range(WRITERS)]
        try:
            for _ in range(KILLS):
                before = [len(ids) for ids in told]
                until(lambda before=before: all(len(ids) > so_far for ids, so_far in zip(told, before, strict=True)))
                mortal_server.kill()
                mortal_server.start()
        finally:
            is_over.set()
        for writer in writers:
            writer.result(PATIENCE)
    with Client(mortal_server.url, user=user) as client:
        for number, ids in enumerate(told):
            stored = [*client.thread(f"t-{number}").messages()]
            assert [message.id for message in stored] == ids
            assert [message.text for message in stored] == [str(index) for index in range(len(ids))]


def test_an_append_whose_answer_is_lost_with_the_server_is_stored_once(
    mortal_server: RecuerdoServer, proxy: Proxy, user: str
) -> None:
    """The server commits, its answer is cut off, and it is killed: the next attempt finds what was stored."""
    word = f"word-{new_id()}"
    proxy.cut_answers_to(word.encode())
    with (
        ThreadPoolExecutor(1) as pool,
        Client(f"http://127.0.0.1:{proxy.port}", user=user, retry_for=PATIENCE) as client,
    ):
        appending = pool.submit(client.thread("t").append, Message.user(word))
        until(lambda: proxy.cuts > 0)
        mortal_server.kill()
        proxy.heal()
        mortal_server.start()
        receipt = appending.result(PATIENCE)
        assert receipt.replayed
        assert [(message.id, message.text) for message in client.thread("t").messages()] == [(receipt.ids[0], word)]


def test_a_chat_whose_answer_is_cut_off_is_one_message_and_one_reply(proxy: Proxy, user: str) -> None:
    proxy.cut_answers_to(b"/v1/chat/stream")
    with (
        ThreadPoolExecutor(1) as pool,
        Client(f"http://127.0.0.1:{proxy.port}", user=user, retry_for=PATIENCE) as client,
    ):
        chatting = pool.submit(lambda: [*client.chat_stream("Hola, me llamo Emiliano", thread_id="t")])
        until(lambda: proxy.cuts > 0)
        proxy.heal()
        *_, answered = chatting.result(PATIENCE)
        assert isinstance(answered, ChatAnswerData)
        until(lambda: client.thread("t").info().message_count >= 2)
        assert [message.role for message in client.thread("t").messages()] == ["user", "assistant"]
        assert answered.reply.text == [*client.thread("t").messages()][1].text


def test_what_may_have_happened_is_not_repeated_without_a_key(proxy: Proxy, user: str) -> None:
    """Making a fork twice would fail or make two: the caller decides."""
    with Client(f"http://127.0.0.1:{proxy.port}", user=user, retry_for=PATIENCE) as client:
        client.thread("t").append(Message.user("hi"))
        proxy.cut_answers_to(b"/fork")
        with pytest.raises(OutcomeUnknown, match="did not arrive"):
            client.thread("t").fork(target="copy")
        proxy.heal()
        until(lambda: len([*client.threads()]) == 2)


def test_a_memory_and_a_document_whose_answers_are_lost_are_stored_once(proxy: Proxy, user: str) -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        Client(f"http://127.0.0.1:{proxy.port}", user=user, retry_for=PATIENCE) as client,
    ):
        for words, add in (
            (b"window seat", lambda: client.memories.add("Prefers the window seat", attribute="preference")),
            (b"five days", lambda: client.documents.add(f"{user}.md", content="A refund takes five days.")),
        ):
            cuts = proxy.cuts
            proxy.cut_answers_to(words)
            adding = pool.submit(add)
            until(lambda cuts=cuts: proxy.cuts > cuts)
            proxy.heal()
            adding.result(PATIENCE)
        assert len([*client.memories.list()]) == 1
        assert [each.source for each in client.documents.list()].count(f"{user}.md") == 1


def test_the_events_of_a_run_come_once_though_the_connection_breaks(proxy: Proxy, user: str) -> None:
    said = {"messages": [{"role": "user", "content": "Hola"}]}
    with Client(f"http://127.0.0.1:{proxy.port}", user=user, retry_for=PATIENCE) as client:
        stream = client.runs.stream("t", input=said, if_not_exists="create", stream_mode=["values", "updates"])
        events = [next(stream)]
        proxy.cut()
        proxy.heal()
        events += stream
        assert len({event.id for event in events}) == len(events)
        assert [event.event for event in events].count("metadata") == 1
        assert len(events[-1].data["messages"] if events[-1].event == "values" else [1, 2]) == 2


def test_a_broken_stream_is_continued_behind_its_last_event() -> None:
    """With Last-Event-ID, at the run that the first response named, until the run has ended and nothing follows."""
    first = HEAD + b"Content-Location: /threads/t/runs/r-1\r\n\r\n" + chunk("id: 1\nevent: a\ndata: 1\n\nid: 2\neve")
    rest = HEAD + b"\r\n" + chunk("id: 2\nevent: b\ndata: 2\n\n") + END
    last = HEAD + b"\r\n" + chunk("id: 3\nevent: c\ndata: 3\n\n") + END
    nothing = HEAD + b"\r\n" + END
    running, over = (answer("200 OK", json.dumps({"status": status})) for status in ("running", "success"))
    responses = (first, rest, nothing, running, last, nothing, over)
    with scripted(*responses) as server, Client(server.url) as client:
        events = [*client.runs.stream("t", input={})]
    assert events == [("a", 1, "1"), ("b", 2, "2"), ("c", 3, "3")]
    assert server.requests[1].startswith(b"GET /threads/t/runs/r-1/stream ")
    assert b"last-event-id: 1\r\n" in server.requests[1].lower()


def test_a_limited_caller_waits_as_long_as_the_server_says() -> None:
    refused = answer("429 Too Many Requests", '{"detail": "wait", "code": "rate_limited"}', "Retry-After: 1")
    stored = {"ids": ["a"], "seqs": [1], "version": "1.1", "replayed": False, "durability": "sync"}
    with scripted(refused, answer("201 Created", json.dumps(stored))) as server, Client(server.url) as client:
        begun = time.monotonic()
        assert client.thread("t").append(Message.user("hi")).ids == ["a"]
        assert time.monotonic() - begun >= 1
    keys = [re.search(rb"idempotency-key: (\S+)", request.lower()) for request in server.requests]
    assert keys[0]
    assert keys[1]
    assert keys[0][1] == keys[1][1]
    assert server.requests[0].split(b"\r\n\r\n")[1] == server.requests[1].split(b"\r\n\r\n")[1]


def test_limits_of_a_real_server_slow_a_program_down_and_fail_nothing() -> None:
    settings = {"database_url": "memory://", "embeddings": "none", "limits": "requests=4/s"}
    with running_recuerdo(**settings) as server, Client(server.url, user="emi") as client:
        for number in range(12):
            client.thread("t").append(Message.user(str(number)))
        assert client.thread("t").info().message_count == 12
    with running_recuerdo(**settings | {"limits": "requests=1/d"}) as server, Client(server.url, user="emi") as client:
        client.principal()
        with pytest.raises(RateLimited) as limited:
            client.principal()
        assert limited.value.retry_after > 1000


async def test_a_database_that_is_away_is_asked_again_and_then_told() -> None:
    away = answer("503 Unavailable", '{"detail": "away", "code": "database_unavailable"}', "Retry-After: 0")
    found = answer("200 OK", '{"ok": true}')
    with scripted(away, found, *[away] * 20) as server, Client(server.url, retry_for=1) as client:
        assert client.health()
        with pytest.raises(DatabaseUnavailable, match="away"):
            client.thread("t").clear()
    async with AsyncClient(server.url, retry_for=0) as client:
        with pytest.raises(RecuerdoError, match="No server answers"):
            await client.health()


def test_an_answer_that_is_no_answer_is_told_as_such() -> None:
    with (
        scripted(answer("200 OK", "<html>")) as server,
        Client(server.url) as client,
        pytest.raises(RecuerdoError, match="can't be read"),
    ):
        client.health()


def test_a_visitor_stays_the_same_and_takes_their_conversations_along() -> None:
    settings = {"auth_anonymous": "true", "auth_visitor_key": "k" * 32, "auth_secret": "s" * 32, "auth_issuer": "me"}
    settings |= {"auth_audience": "recuerdo", "auth_tenant": "default", "database_url": "memory://"}
    with running_recuerdo(**settings, embeddings="none") as server:
        with Client(server.url) as visitor:
            visitor.thread("t").append(Message.user("hi"))
            token = visitor.visitor
            assert token is not None
            assert [thread.id for thread in visitor.threads()] == ["t"]
        with Client(server.url, visitor=token) as again, Client(server.url) as other:
            assert [thread.id for thread in again.threads()] == ["t"]
            assert [*other.threads()] == []
            with pytest.raises(Forbidden):
                again.claim(token)
        with Client(server.url, token=lambda: signed("emi")) as emi:
            assert [(thread.thread_id, thread.claimed_as) for thread in emi.claim(token)] == [("t", "t")]
            assert [message.text for message in emi.thread("t").messages()] == ["hi"]
            assert emi.principal().user == "emi"
            assert emi.claim(token) == []


def signed(user: str) -> str:
    claims = {"sub": user, "iss": "me", "aud": "recuerdo", "exp": int(time.time()) + 600}
    return jwt.encode(claims, "s" * 32, algorithm="HS256")
