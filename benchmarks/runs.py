"""Runs of graphs on real servers over HTTP, beside `langgraph dev`."""

import asyncio
import re
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.rounds import Compared, Measurement
from benchmarks.served.echo import echo
from benchmarks.servers import postgres_url, redis_url, resident_kilobytes, running_langgraph_dev
from benchmarks.web import Client
from servers.recuerdo import ApiServer, running_recuerdo

TOPIC = "runs"
PEER = "langgraph dev"
_CONFIG = Path(__file__).with_name("served") / "langgraph.json"
_AT_ONCE = 10
_WORD = re.compile(rb'"word":\s*(\d+),\s*"at":\s*([0-9.]+)')


class First(NamedTuple):
    """When a run's first token was there: seconds from the request to the graph's node, and to the client."""

    at_node: float
    at_client: float


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Throughput, first tokens, crowded streams, memory, and cancellations from one replica to another."""
    rounds = 9 if full else 3
    with ExitStack() as stack:
        ours = stack.enter_context(
            running_recuerdo(database_url=f"sqlite:///{folder}/runs.db", config=str(_CONFIG), embeddings="none")
        )
        theirs = stack.enter_context(running_langgraph_dev(_CONFIG))
        measured = [
            *await _throughput(ours, theirs, rounds),
            *await _first_tokens(ours, theirs, rounds),
            *await _crowded(ours, theirs, rounds),
            await _memory(ours, 10_000 if full else 1_000),
        ]
    return [*measured, await _cancelled(folder, 30 if full else 10)]


async def _throughput(ours: ApiServer, theirs: ApiServer | None, rounds: int) -> list[Measurement]:
    samples = [await _in_turn(_each_run, ours, theirs, number, 50) for number in range(rounds + 1)][1:]
    return [_measured(samples, f"a run of an echo graph, {_AT_ONCE} at a time", goal=0.5)]


async def _first_tokens(ours: ApiServer, theirs: ApiServer | None, rounds: int) -> list[Measurement]:
    own = await _own_first_token(30)
    samples = [await _in_turn(_firsts, ours, theirs, number, 10) for number in range(rounds + 1)][1:]
    above = [tuple([each.at_client - own for each in found] for found in one) for one in samples]
    nodes = [tuple([each.at_node for each in found] for found in one) for one in samples]
    return [
        _measured(above, "first token, above the graph's own")._replace(goal=None, goal_seconds=0.015),
        _measured(nodes, "from the request until the graph's node begins"),
    ]


async def _crowded(ours: ApiServer, theirs: ApiServer | None, rounds: int) -> list[Measurement]:
    """Every event must arrive, in order; the peer gets a tenth of the streams, or it would take minutes."""
    samples: list[tuple[list[float], list[float]]] = []
    for _ in range(rounds):
        beside = [await _each_event(theirs, 20, 1000)] if theirs else []
        samples.append(([await _each_event(ours, 200, 1000)], beside))
    return [_measured(samples, "each event of 200 streams of 1,000 at the same moment")]


async def _memory(ours: ApiServer, count: int) -> Measurement:
    """After so many runs, of which the first half may fill what is bounded."""
    await _each_run(ours, count // 2)
    half = resident_kilobytes(ours)
    await _each_run(ours, count - count // 2)
    after = resident_kilobytes(ours)
    case = f"memory after {count:,} runs"
    return Measurement(TOPIC, case, after, "after half of them", half, after / half, goal=1.1, unit="kB")


async def _cancelled(folder: Path, count: int) -> Measurement:
    """From the request to one replica until the graph on another is told."""
    taken: list[float] = []
    with ExitStack() as stack:
        settings = {"database_url": stack.enter_context(postgres_url()), "cache_url": stack.enter_context(redis_url())}
        settings |= {"config": str(_CONFIG), "embeddings": "none"}
        replicas = [stack.enter_context(running_recuerdo(**settings)) for _ in range(2)]
        async with AsyncExitStack() as connections:
            here, there = [await connections.enter_async_context(Client.open(each.url)) for each in replicas]
            for number in range(count + 1):
                taken.append(await _cancel(here, there, folder / f"cancelled-{number}"))
    return Measurement(TOPIC, "cancel until the graph on another replica is told", median(taken[1:]), goal_seconds=0.02)


async def _cancel(here: Client, there: Client, place: Path) -> float:
    thread = str(uuid.uuid4())
    given = _body("waiting", stream_mode=["custom"], place=str(place))
    heard = here.stream(f"/threads/{thread}/runs/stream", given)
    told = b""
    while not _WORD.search(told):
        told += await anext(heard)
    [run] = re.findall(rb'"run_id":\s*"([^"]+)"', told)
    asked = time.time()
    await there.post(f"/threads/{thread}/runs/{run.decode()}/cancel", {})
    async for _ in heard:
        pass
    return float(place.read_text()) - asked  # noqa: ASYNC240 (nothing else is going on)


async def _in_turn(
    measure_one: Any, ours: ApiServer, theirs: ApiServer | None, number: int, count: int
) -> tuple[list[Any], list[Any]]:
    """The seconds that both take, one behind the other; each begins every second round."""
    found: dict[ApiServer, list[Any]] = {}
    for server in [each for each in (ours, theirs) if each is not None][:: 1 if number % 2 else -1]:
        found[server] = await measure_one(server, count)
    return found[ours], found[theirs] if theirs is not None else []


def _measured(samples: Sequence[Any], case: str, goal: float | None = None) -> Measurement:
    ours, theirs = [own for own, _ in samples], [other for _, other in samples]
    if not theirs[0]:
        return Measurement(TOPIC, case, median(each for own in ours for each in own))
    return Compared.of(ours, theirs).measurement(TOPIC, case, PEER, goal)


async def _each_run(server: ApiServer, count: int) -> list[float]:
    """Seconds that a run takes of so many together."""
    numbers = iter(range(count))

    async def ask() -> None:
        async with Client.open(server.url) as client:
            for _ in numbers:
                answer = await client.post(f"/threads/{uuid.uuid4()}/runs/wait", _body("echo"))
                assert answer["messages"][-1]["content"] == "you said hello", answer

    began = time.perf_counter()
    await asyncio.gather(*[ask() for _ in range(_AT_ONCE)])
    return [(time.perf_counter() - began) / count]


async def _firsts(server: ApiServer, count: int) -> list[First]:
    async with Client.open(server.url) as client:
        return [await _first(client) for _ in range(count)]


async def _first(client: Client) -> First:
    asked, told, there = time.time(), b"", 0.0
    async for piece in client.stream(f"/threads/{uuid.uuid4()}/runs/stream", _body("echo", words=1)):
        told += piece
        there = there or (time.time() if b'"word"' in told else 0.0)
    [(_, at)] = _WORD.findall(told)
    return First(float(at) - asked, there - asked)


async def _own_first_token(count: int) -> float:
    """Seconds until the graph's first token in this process, without a server and a checkpointer."""
    taken: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        async for _ in echo.astream(_given(words=1), stream_mode="custom"):
            taken.append(time.perf_counter() - began)
    return median(taken)


async def _each_event(server: ApiServer, streams: int, words: int) -> float:
    """Seconds that an event takes of all of them."""
    began = time.perf_counter()
    await asyncio.gather(*[_listen(server, words) for _ in range(streams)])
    return (time.perf_counter() - began) / streams / words


async def _listen(server: ApiServer, words: int) -> None:
    async with Client.open(server.url) as client:
        pieces = [
            each async for each in client.stream(f"/threads/{uuid.uuid4()}/runs/stream", _body("echo", words=words))
        ]
    heard = [int(word) for word, _ in _WORD.findall(b"".join(pieces))]
    assert heard == [*range(words)], f"{len(heard)} events of {words} came, or in another order"


def _body(graph: str, stream_mode: Sequence[str] = ("custom",), **more: Any) -> dict[str, Any]:
    return {"assistant_id": graph, "if_not_exists": "create", "stream_mode": [*stream_mode], "input": _given(**more)}


def _given(**more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "human", "content": "hello"}], **more}
