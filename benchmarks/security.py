"""The cost of authentication, rate limits and the audit log: requests within one process."""

import time
from collections.abc import Mapping
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from statistics import median

import httpx
import jwt

from benchmarks.raw import TEXT
from benchmarks.rounds import Contestant, Measurement, compare_each
from recuerdo import Message, Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.caching.buckets import LocalBuckets
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer
from recuerdo.server.auth.tokens import Tokens
from recuerdo.server.caller_limits import CallerLimits

TOPIC = "security"
_SECRET = "a secret of at least thirty-two bytes"
_ISSUER = Issuer("https://issuer.example", ("recuerdo",), secret=_SECRET, algorithms=("HS256",))
_MICROSECONDS_OF_A_TOKEN = 100e-6
_NAMED, _PLAIN = "the same with tokens alone", "the same without authentication"


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A token alone, and requests with limits and the audit log against those with tokens alone, and with nothing."""
    rounds = 30 if full else 10
    claims = {"iss": _ISSUER.name, "aud": "recuerdo", "sub": "emi", "tenant": "default", "exp": int(time.time()) + 3600}
    token = jwt.encode(claims, _SECRET, "HS256")
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(Recuerdo.open(f"sqlite:///{folder}/security.db", embeddings="none"))
        await memory.thread(tenant="default", user="emi", thread="t").append(*[Message.user(TEXT)] * 100)
        hosted = await stack.enter_async_context(hosting(memory))
        auth = AuthOptions((_ISSUER,))
        guarding = ServerOptions(auth=auth, limits=CallerLimits(), buckets=LocalBuckets(), audit=memory.audit)

        async def client(options: ServerOptions, headers: Mapping[str, str]) -> httpx.AsyncClient:
            app = create_app(nullcontext(hosted), options)
            await stack.enter_async_context(app.router.lifespan_context(app))
            transport = httpx.ASGITransport(app=app)
            opened = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)
            return await stack.enter_async_context(opened)

        bearer = {"Authorization": f"Bearer {token}"}
        guarded, named = await client(guarding, bearer), await client(ServerOptions(auth=auth), bearer)
        plain = await client(ServerOptions(), {"X-Recuerdo-User": "emi"})
        requests = [
            compared.measurement(TOPIC, case, peer, goal=1.05)
            for case, ask in (("a window over HTTP", _window), ("an append over HTTP", _append))
            for peer, compared in (
                await compare_each(ask(guarded), {_NAMED: ask(named), _PLAIN: ask(plain)}, rounds=rounds, turns=50)
            ).items()
        ]
    new = [jwt.encode(claims | {"jti": str(number)}, _SECRET, "HS256") for number in range(2_000)]
    return [
        Measurement(TOPIC, "a new token", await _of_tokens(new), goal_seconds=_MICROSECONDS_OF_A_TOKEN),
        Measurement(TOPIC, "a token again", await _of_tokens([token] * 2_000), goal_seconds=_MICROSECONDS_OF_A_TOKEN),
        *requests,
    ]


async def _of_tokens(several: list[str]) -> float:
    tokens = Tokens((_ISSUER,))
    taken: list[float] = []
    for token in several:
        began = time.perf_counter()
        await tokens.read(token)
        taken.append(time.perf_counter() - began)
    return median(taken)


def _window(client: httpx.AsyncClient) -> Contestant:
    async def ask() -> None:
        (await client.get("/v1/threads/t/window")).raise_for_status()

    return ask


def _append(client: httpx.AsyncClient) -> Contestant:
    body = {"messages": [{"role": "user", "content": TEXT}]}

    async def send() -> None:
        (await client.post("/v1/threads/appended/messages", json=body)).raise_for_status()

    return send
