"""A conversation is replaced through both clients, over two servers and on threads of the LangGraph API."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from recuerdo import Message
from recuerdo.client import Client
from recuerdo.core.errors import EpochChanged
from recuerdo.core.threads import Version
from servers.recuerdo import RecuerdoServer, running_recuerdo
from servers.typescript import is_missing, run_program


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory, redis_url: str) -> Iterator[list[RecuerdoServer]]:
    """Two servers over one database and one cache."""
    database = f"sqlite:///{tmp_path_factory.mktemp('two')}/r.db"
    with ExitStack() as stack:
        yield [
            stack.enter_context(running_recuerdo(database_url=database, cache_url=redis_url, embeddings="none"))
            for _ in range(2)
        ]


def _texts(client: Client, thread: str = "t") -> list[str]:
    return [message.text for message in client.thread(thread).messages()]


def test_what_one_server_replaces_the_other_reads_at_once(two_servers: list[RecuerdoServer], user: str) -> None:
    """Also from its caches, and it refuses what was written for the former conversation."""
    with Client(two_servers[0].url, user=user) as one, Client(two_servers[1].url, user=user) as other:
        before = Version.parse(one.thread("t").append(*[Message.user(f"old {n}") for n in range(3)]).version)
        assert _texts(other) == ["old 0", "old 1", "old 2"]
        assert [message.text for message in other.thread("t").window(messages=2)] == ["old 1", "old 2"]
        for n in range(5):
            said = [Message.user(f"new {n}"), Message.assistant("ok")]
            receipt = one.thread("t").replace(said, idempotency_key=f"k-{n}")
            assert other.thread("t").replace(said, idempotency_key=f"k-{n}").replayed
            assert receipt.seqs == [1, 2]
            assert _texts(other) == [f"new {n}", "ok"]
            assert [message.text for message in other.thread("t").window(messages=9)] == [f"new {n}", "ok"]
            assert [each.message.text for each in other.messages()] == ["ok", f"new {n}"]
        with pytest.raises(EpochChanged):
            other.thread("t").append(Message.user("late"), expected_epoch=before.epoch)
        with pytest.raises(EpochChanged):
            other.thread("t").replace([Message.user("late")], expected_epoch=before.epoch)
        assert _texts(one) == ["new 4", "ok"]


@pytest.mark.skipif(bool(is_missing()), reason=is_missing())
def test_the_typescript_client_replaces_over_two_servers(
    two_servers: list[RecuerdoServer], user: str, tmp_path: Path
) -> None:
    """With the same receipts, replays and refusals."""
    program = """
import { Client, EpochChanged } from "recuerdo";
const [one, other] = URLS.map((url) => new Client(url, { user: USER }).thread("t"));
const { version } = await one!.append([{ role: "user", content: "old" }]);
const receipt = await one!.replace([{ role: "user", content: "new" }], { idempotencyKey: "k" });
const again = await other!.replace([{ role: "user", content: "new" }], { idempotencyKey: "k" });
const late = other!.replace({ role: "user", content: "late" }, { expected_epoch: Number(version.split(".")[0]) });
const refused = await late.catch((error: unknown) => error instanceof EpochChanged);
const texts: unknown[] = [];
for await (const message of other!.messages()) texts.push(message.content);
console.log(JSON.stringify([receipt.seqs, receipt.replayed, again.replayed, refused, texts]));
"""
    urls = [server.url for server in two_servers]
    code = program.replace("URLS", repr(urls)).replace("USER", repr(user))
    assert run_program(code, tmp_path) == '[[1],false,true,true,["new"]]\n'


@pytest.mark.parametrize("way", ["replace", "clear"])
def test_a_thread_of_the_langgraph_api_keeps_its_metadata_and_forgets_its_states(
    two_servers: list[RecuerdoServer], user: str, way: str
) -> None:
    """The next run, at another server, goes into the new conversation and answers from it alone."""
    headers = {"X-Recuerdo-User": user.encode()}
    with (
        Client(two_servers[0].url, user=user) as client,
        httpx.Client(base_url=two_servers[1].url, headers=headers) as api,
    ):
        thread = api.post("/threads", json={"metadata": {"channel": way}}).json()["thread_id"]

        def run(text: str) -> None:
            said = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": text}]}}
            api.post(f"/threads/{thread}/runs/wait", json=said).raise_for_status()

        def states() -> str:
            pages = [api.get(f"/threads/{thread}"), api.get(f"/threads/{thread}/state")]
            pages.append(api.post(f"/threads/{thread}/history", json={}))
            return "".join(page.raise_for_status().text for page in pages)

        run("Hello there")
        assert "Hello there" in states()
        begun = [Message.user("Good morning"), Message.assistant("Good morning!")] if way == "replace" else []
        if begun:
            client.thread(thread).replace(begun)
        else:
            client.thread(thread).clear()
        assert "Hello there" not in states()
        assert _texts(client, thread) == [message.text for message in begun]
        assert api.get(f"/threads/{thread}").json()["metadata"]["channel"] == way
        run("Are you there?")
        assert "Hello there" not in states()
        assert _texts(client, thread)[:-1] == [*(message.text for message in begun), "Are you there?"]
        [listed] = client.threads(metadata={"channel": way})
        assert (listed.id, listed.message_count) == (thread, len(begun) + 2)
