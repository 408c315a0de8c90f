"""The cost of a message's execution context, and of the RAG agents without their model."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from langchain_core.messages import HumanMessage
from redis.asyncio import Redis

from benchmarks.chat import InstantEmbedder, InstantModel
from benchmarks.rounds import Measurement, compare
from benchmarks.servers import redis_url
from recuerdo.adapters.registry import open_cache_tier, open_repositories
from recuerdo.agents.chat import Chat
from recuerdo.agents.rag import create_graph_builder
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import Enrichment, Prompts, RetrievalParameters
from recuerdo.core.scope import Owner
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.library import Library
from recuerdo.memories import Memories

TOPIC = "contexts"
CHUNKS = 10_000
_SCOPE = Owner("acme", "emi").thread("t-1")
_WORDS = (
    *("invoice", "refund", "boots", "delivery", "march", "paid", "shop", "customer"),
    *("order", "return", "size", "colour", "leather", "week", "price"),
)


class Known:
    """An agent-management service that knows one agent."""

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        retrieval = RetrievalParameters(collections=("faq", "orders"), k=8, threshold=0.2)
        return Enrichment(assistant_id=assistant_id, prompts=Prompts(system="Be kind. " * 60), retrieval=retrieval)


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A context from this process and through Redis, and the orchestrator over 10,000 chunks."""
    rounds = 24 if full else 8
    async with open_cache_tier(None) as tier:
        contexts = Contexts(tier, Known(), utc_now)
        near = await _took(lambda: contexts.get_or_create(_SCOPE, "support"), rounds * 500)
    found = [Measurement(TOPIC, "resolve in the process", near, goal_seconds=20e-6)]
    with redis_url() as url:
        found += [await _through_redis(url, trust, rounds) for trust in (0.0, 0.1)]
    return [*found, await _orchestrated(folder, rounds)]


async def _through_redis(url: str, trust: float, rounds: int) -> Measurement:
    """Each time from Redis, or from the copy that is trusted for a moment."""
    async with open_cache_tier(url, trust=trust, deadline=5) as tier, Redis.from_url(url) as raw:
        contexts = Contexts(tier, Known(), utc_now)
        await contexts.get_or_create(_SCOPE, "support")
        await raw.set("raw", b"x" * 1_500)
        compared = await compare(
            lambda: contexts.get_or_create(_SCOPE, "support"), lambda: raw.get("raw"), rounds=rounds, turns=200
        )
    if trust:
        return compared.measurement(TOPIC, "resolve with a trusted copy", "Redis GET")._replace(goal_seconds=20e-6)
    return compared.measurement(TOPIC, "resolve through Redis", "Redis GET", goal=1.3)


async def _orchestrated(folder: Path, rounds: int) -> Measurement:
    async with open_repositories(f"sqlite:///{folder}/contexts.db") as repositories:
        history = History(repositories.history, repositories.threads)
        memories = Memories(repositories.memories, InstantEmbedder(), utc_now)
        assert repositories.library is not None
        library = Library(repositories.library, InstantEmbedder(), utc_now)
        pages = CHUNKS // 100
        for page in range(pages):
            await library.add("acme", f"{page}.md", _page(page).encode(), access="public" if page % 2 else "tenant")
        agent = create_graph_builder(Chat(history, memories, InstantModel(), library=library)).compile()

        async def ask() -> object:
            configurable = {"tenant": "acme", "user": "emi", "thread_id": "t-1"}
            asked = {"messages": [HumanMessage("When is the refund of an order of boots paid?")]}
            return await agent.ainvoke(asked, {"configurable": configurable})  # pyright: ignore[reportUnknownMemberType, reportArgumentType]

        taken = await _took(ask, rounds * 4)
    return Measurement(TOPIC, f"a turn of the graph over {CHUNKS:,} chunks", taken, goal_seconds=15e-3)


def _page(page: int) -> str:
    """A hundred sections, each a chunk."""
    return "\n\n".join(
        f"# Section {page}-{part}\n\n" + " ".join(_WORDS[(page * part + place * place) % 15] for place in range(60))
        for part in range(100)
    )


async def _took(contestant: Callable[[], Awaitable[object]], turns: int) -> float:
    samples = list[float]()
    for turn in range(turns + turns // 4):
        began = time.perf_counter()
        await contestant()
        if turn >= turns // 4:
            samples.append(time.perf_counter() - began)
    return median(samples)
