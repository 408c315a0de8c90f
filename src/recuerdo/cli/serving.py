"""The server process: its options, its socket, its event loop, and a graceful shutdown."""

import asyncio
import ipaddress
import re
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from types import FrameType
from typing import Any, cast

import msgspec
import typer

from recuerdo.adapters.registry import open_buckets
from recuerdo.app.graphs import AgentServiceAddress, Hosted, hosting
from recuerdo.app.readiness import ReadinessProbe, WarmUp
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.replicas import ReplicaGauge
from recuerdo.app.settings import Settings, listed, revealed
from recuerdo.app.storage import StorageGauges
from recuerdo.concurrency.garbage import collect_seldom, freeze_loaded_objects
from recuerdo.concurrency.tasks import in_background
from recuerdo.core.actions import parse_queues
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import ConfigurationError, MissingExtra, RecuerdoError
from recuerdo.core.roles import ADMIN_ROLE, rank
from recuerdo.core.tracing import Tracer
from recuerdo.observability.metrics import Metrics
from recuerdo.runs.rules import AuthRules
from recuerdo.runs.sources import read_sources
from recuerdo.windowing.tokenizers import default_tokenizer

try:
    import uvicorn
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    from recuerdo.server import ServerOptions, create_app
    from recuerdo.server.auth.options import AuthOptions, Claims, Issuer, Oidc, VisitorOptions
    from recuerdo.server.caller_limits import CallerLimits
    from recuerdo.server.connections import ConnectionGuard
    from recuerdo.server.guards import Drain
    from recuerdo.server.requests import MountedApp, RequestRecording
except ModuleNotFoundError as missing:
    raise MissingExtra("The server", "server") from missing

_SECONDS_TO_FINISH = 5
_PAUSE = 0.02
_LOOKS, _MOST_LOOKS = 25, 100
_MOST_BYTES_OF_A_FRAME = 2**20
_MOST_DESCRIPTORS = 65_536
_OTHER_DESCRIPTORS = 200
"""Of databases, caches and logs, which must stay free when connections take the rest."""

_SECONDS_TO_READ = 60.0
"""How long a client may read nothing; nginx uses the same timeout."""

_PASSWORD = re.compile(r"(?<=://)([^:/@]*):[^/]*@")


def serve_until_interrupted(
    settings: Settings,
    opening: AbstractAsyncContextManager[Recuerdo],
    metrics: Metrics | None,
    tracer: Tracer | None = None,
    inherited: int | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then finish the current requests. Raises ConfigurationError.

    `inherited` is the descriptor of a socket that listens already and is shared with other processes.
    """
    auth = auth_options(settings)
    if auth is None:
        _check_loopback(settings.host)
    _check_sessions(settings)
    collect_seldom()
    opened = listen(settings.host, settings.port) if inherited is None else socket.socket(fileno=inherited)
    with opened as listener, suppress(KeyboardInterrupt):
        recording = RequestRecording(
            settings.slow_request, settings.access_log or settings.log_level == "debug", tracer
        )
        # uvicorn chooses uvloop's event loop where there is one
        with asyncio.Runner(loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()) as runner:
            runner.run(_serve(settings, opening, metrics, auth, listener, recording))
    typer.echo("Stopped. Everything that was said is kept.")


async def _serve(
    settings: Settings,
    opening: AbstractAsyncContextManager[Recuerdo],
    metrics: Metrics | None,
    auth: AuthOptions | None,
    listener: socket.socket,
    recording: RequestRecording,
) -> None:
    limits = CallerLimits.parse(settings.limits or "")
    guard = None if limits is None else ConnectionGuard(limits, most=_allow_descriptors())
    async with (
        opening as memory,
        _hosting(settings, memory, metrics) as hosted,
        open_buckets(settings.cache_url) as buckets,
        in_background(guard.run()) if guard is not None else nullcontext(),
        in_background(memory.maintenance.run(memory.retention)),
        in_background(StorageGauges(memory, settings.database_url, metrics).run()) if metrics else nullcontext(),
        in_background(ReplicaGauge(memory.worker.signals, metrics).run()) if metrics else nullcontext(),
    ):
        typer.echo(f"Model: {memory.chat.model_name}. Data: {without_secrets(settings.database_url)}")
        if auth is not None:
            typer.echo(f"Callers prove who they are with: {_ways(auth)}.")
        if hosted.runs_or_none is not None and hosted.memory.stores_checkpoints and settings.config is not None:
            await (await hosted.runs_or_none.host()).load_sources()
        warm_up = _warm_up(hosted)
        options = _options(settings, memory, metrics)._replace(
            auth=auth,
            api_keys=memory.api_keys,
            audit=memory.audit,
            buckets=buckets,
            recording=recording,
            examine=ReadinessProbe(memory, settings, warm_up).examine,
            retention=settings.retention or "",
            forecast=memory.maintenance.forecast,
            admits_all=limits is None,
        )
        if auth is not None or settings.limits:  # without authentication all callers are this machine's own user
            options = options._replace(limits=limits)
        app = create_app(nullcontext(hosted), options)
        config = uvicorn.Config(
            app,
            http="auto" if guard is None else guard.guarding(AutoHTTPProtocol),
            log_config=None,
            access_log=False,
            ws_max_size=_MOST_BYTES_OF_A_FRAME,
            timeout_graceful_shutdown=_SECONDS_TO_FINISH,
        )
        async with in_background(warm_up.run(app.state.drain.finished)):
            try:
                await _Announced(config, _url(listener), app.state.drain).serve(sockets=[listener])
            except SystemExit as end:  # uvicorn exits like this if the application did not start
                raise _failed_start(app.state.failure) from end


def _hosting(settings: Settings, memory: Recuerdo, metrics: Metrics | None) -> AbstractAsyncContextManager[Hosted]:
    token = revealed(settings.agents_token)
    memory.worker.retries = settings.retries
    return hosting(
        memory,
        settings.config,
        lease=memory.worker.lease,
        agents=AgentServiceAddress(settings.agents_url, token) if settings.agents_url else None,
        default_agent=settings.default_agent,
        metrics=metrics,
        webhooks_inside=settings.webhooks_inside,
        state_types=settings.types_of_states,
        queues=parse_queues(settings.queues),
    )


def _options(settings: Settings, memory: Recuerdo, metrics: Metrics | None) -> ServerOptions:
    allowed = [*listed(settings.allowed_origins), *([settings.public_url] if settings.public_url else [])]
    origins = tuple(each.rstrip("/") for each in allowed)
    graphs = tuple(read_sources(settings.config).graphs) if settings.config is not None else ()
    return ServerOptions(
        embeddings=memory.embeddings,
        metrics=metrics,
        hosts=listed(settings.allowed_hosts),
        origins=origins,
        mounted=find_mounted_app(settings),
        graphs=graphs,
        sessions_by=settings.sessions_by,
        sessions_wait=settings.sessions_wait,
    )


def find_mounted_app(settings: Settings) -> MountedApp | None:
    """Load the application that `http.app` of the langgraph.json names. Raises ConfigurationError."""
    sources = read_sources(settings.config) if settings.config is not None else None
    if sources is None or sources.app is None:
        return None
    return MountedApp.checked(sources.load("application of `http.app`", sources.app), sources.guards_app)


def _warm_up(hosted: Hosted) -> WarmUp:
    """Return the steps that import slow modules in threads."""
    graphs = hosted.runs_or_none

    async def warm_graphs() -> None:
        if graphs is not None and hosted.memory.stores_checkpoints:
            await (await graphs.host()).warm_up()

    async def keep() -> None:
        freeze_loaded_objects()

    memories = hosted.memories
    load_tokenizer = partial(asyncio.to_thread, default_tokenizer)  # metrics count the tokens of each chat
    # the first chat of a known user waits for the embedder whatever it says, and for few patterns if it asks
    return WarmUp(memories.load_embedder, memories.load_detectors, load_tokenizer, warm_graphs, keep)


def without_secrets(url: str) -> str:
    """A database URL without its password and its parameters, which may contain one too."""
    return _PASSWORD.sub(r"\1:***@", url.partition("?")[0])


class _Announced(uvicorn.Server):
    """Prints its address once it listens, and on a signal finishes the current requests and exits with status 0."""

    def __init__(self, config: uvicorn.Config, url: str, drain: Drain) -> None:
        super().__init__(config)
        self._url = url
        self._drain = drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        typer.echo(f"Recuerdo is ready: open {self._url} (Ctrl-C stops it)")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal starts the shutdown, a second Ctrl-C ends it at once.

        uvicorn would raise the signal again after its shutdown, and so interrupt the closing of the database.
        """
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = self._drain.is_stopping = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then let uvicorn shut down. It closes idle connections even if a request is already on its way.

        Therefore clients first get time for one more request, whose response closes the connection (ADR 0041).
        """
        drain = self._drain
        drain.begin()
        await self._wait_for_clients()
        if not await drain.finished(0 if self.force_exit else _SECONDS_TO_FINISH):
            drain.cut()
            await drain.finished(0 if self.force_exit else _SECONDS_TO_FINISH)
        await self._stop_listening(sockets or [])
        await self._wait_for_clients()
        await super().shutdown(sockets)

    async def _wait_for_clients(self) -> None:
        """Wait until all connections are closed, or long enough for clients that are about to send a request.

        A new connection is about to. The wait counts iterations of the event loop instead of time: on a busy machine
        the time could pass without a single iteration.
        """
        for looks in range(_MOST_LOOKS):
            connections = self.server_state.connections
            if not connections or self.force_exit or (looks >= _LOOKS and not any(map(_is_new, connections))):
                return
            await asyncio.sleep(_PAUSE)

    async def _stop_listening(self, sockets: Sequence[socket.socket]) -> None:
        """Close the sockets, but first accept the waiting connections, which would be reset otherwise."""
        accepted: list[socket.socket] = []
        for listener in sockets:
            with suppress(OSError):  # no more are waiting
                while True:
                    accepted.append(listener.accept()[0])
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        for connection in accepted:
            await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        make = cast(Callable[..., Any], self.config.http_protocol_class)
        return make(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def _is_new(connection: object) -> bool:
    """Whether the connection has had no request yet."""
    return getattr(connection, "cycle", connection) is None


def _failed_start(failure: Exception | None) -> Exception:
    """The error for an application that can't start, without the texts of other libraries, which may quote secrets."""
    if isinstance(failure, RecuerdoError):
        return failure
    last = traceback.extract_tb(failure.__traceback__)[-1] if failure is not None else None
    where = f"{type(failure).__name__} in {last.filename}, line {last.lineno}" if last else "its lifespan failed"
    return ConfigurationError(
        f"The server could not start: {where}. Correct the code there, or what it needs. To find out whether the "
        "rest starts, remove `http.app` from the langgraph.json."
    )


def _allow_descriptors() -> int:
    """Let this process have as many open files as it may, and return for how many connections that is enough."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return _MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return _MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else max(1, soft - _OTHER_DESCRIPTORS)


def _check_loopback(host: str) -> None:
    """Without authentication, refuse to listen on a public address."""
    if host == "localhost":
        return
    try:
        if ipaddress.ip_address(host).is_loopback:
            return
    except ValueError:
        pass
    raise ConfigurationError(
        f"Without authentication the server listens on loopback only, and {host!r} is not a loopback address. "
        "Leave RECUERDO_HOST at 127.0.0.1, or configure authentication, e.g. RECUERDO_AUTH_API_KEYS=true."
    )


def _check_sessions(settings: Settings) -> None:
    """Without a shared cache, refuse to let others answer sessions: their frames would not come back."""
    if settings.sessions_by == "workers" and settings.cache_url is None:
        raise ConfigurationError(
            "With RECUERDO_SESSIONS_BY=workers the frames of sessions come from workers over the shared cache. Set "
            "RECUERDO_CACHE_URL to a Redis or a Valkey, here and for the workers, or leave sessions to the server."
        )


def _ways(auth: AuthOptions) -> str:
    ways = [f"tokens of {issuer.name}" for issuer in auth.issuers] + ["API keys"] * auth.api_keys
    ways += [f"people who sign in at {auth.oidc.issuer.name}"] if auth.oidc is not None else []
    ways += ["what the handlers of langgraph.json ask for"] * (auth.rules is not None)
    return ", ".join(ways) + ("; or they are visitors" if auth.visitors else "")


def listen(host: str, port: int, timeout: float = _SECONDS_TO_READ) -> socket.socket:
    """A listening socket that disconnects clients which read nothing for `timeout` seconds.

    Only the kernel can do this (on Linux): a task that is blocked writing to such a client can't close it either.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on sockets that were created with IPPROTO_TCP
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(timeout * 1000))
    try:
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"Can't listen on {host} port {port}: {error.strerror}. "
            "Stop what listens there, or choose another port with --port or RECUERDO_PORT."
        ) from None
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


_OF_TOKENS = ("auth_audience", "auth_jwks_url", "auth_secret", "auth_previous_secret")
_OF_AN_ISSUER = (*_OF_TOKENS, "auth_tenant", "auth_tenants")


class _IssuerSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of RECUERDO_AUTH_ISSUERS."""

    issuer: str
    audience: str | list[str]
    jwks_url: str | None = None
    secret: str | None = None
    algorithms: list[str] | None = None
    previous_secret: str | None = None
    tenant: str | None = None
    tenants: list[str] = []
    highest_role: str | None = None
    claim_tenant: str | None = None
    claim_user: str | None = None
    claim_role: str | None = None
    claim_tier: str | None = None


def auth_options(settings: Settings) -> AuthOptions | None:
    """How callers authenticate; None without any such setting. Raises ConfigurationError."""
    issuers, rules = (*_only_issuer(settings), *_several_issuers(settings)), _rules(settings)
    oidc = _oidc(settings)
    if not (issuers or settings.auth_api_keys or settings.auth_anonymous or rules or oidc):
        return None
    visitors = _visitors(settings) if settings.auth_anonymous else None
    public_url = settings.public_url and settings.public_url.rstrip("/")
    options = AuthOptions(issuers, settings.auth_api_keys, visitors, rules, settings.auth_highest_role, oidc)
    return options._replace(public_url=public_url).checked()


def _visitors(settings: Settings) -> VisitorOptions:
    return VisitorOptions(
        listed(revealed(settings.auth_visitor_key)),
        settings.auth_visitor_tenant,
        frozenset(listed(settings.auth_visitor_users)),
        int(settings.auth_visitor_days * 86_400),
    )


def _oidc(settings: Settings) -> Oidc | None:
    if settings.oidc_issuer is None:
        return None
    algorithms = listed(settings.auth_algorithms)
    issuer = Issuer(
        settings.oidc_issuer,
        (settings.oidc_client_id or "",),
        algorithms=algorithms,
        tenant=settings.auth_tenant,
        claims=_claims(settings),
        tenants=listed(settings.auth_tenants),
        highest_role=settings.auth_highest_role,
    )
    return Oidc(
        issuer,
        settings.oidc_client_id or "",
        revealed(settings.oidc_client_secret) or "",
        settings.oidc_scopes,
        settings.oidc_session * 3600,
    )


def _rules(settings: Settings) -> AuthRules | None:
    sources = read_sources(settings.config) if settings.config is not None else None
    return AuthRules(sources.load("handlers of `auth`", sources.auth)) if sources is not None and sources.auth else None


def _only_issuer(settings: Settings) -> list[Issuer]:
    if settings.auth_issuer is None:
        others = _OF_AN_ISSUER if settings.oidc_issuer is None else _OF_TOKENS
        given = [name for name in others if getattr(settings, name) is not None]
        if given:
            name = f"RECUERDO_{given[0].upper()}"
            also = "" if given[0] in _OF_TOKENS else ", or in RECUERDO_OIDC_ISSUER for people who sign in"
            raise ConfigurationError(f"{name} needs the issuer's name in RECUERDO_AUTH_ISSUER{also}.")
        return []
    secret = revealed(settings.auth_secret)
    algorithms = listed(settings.auth_algorithms)
    if secret is not None and "auth_algorithms" not in settings.model_fields_set:
        algorithms = ("HS256",)
    issuer = Issuer(
        settings.auth_issuer,
        listed(settings.auth_audience),
        settings.auth_jwks_url,
        secret,
        algorithms,
        settings.auth_tenant,
        _claims(settings),
        _previous(revealed(settings.auth_previous_secret)),
        listed(settings.auth_tenants),
        settings.auth_highest_role,
    )
    return [issuer]


def _several_issuers(settings: Settings) -> list[Issuer]:
    if settings.auth_issuers is None:
        return []
    try:
        entries = msgspec.json.decode(settings.auth_issuers.get_secret_value(), type=list[_IssuerSetting])
    except UNREADABLE as error:
        # msgspec's message names the place and the type, but not the value, which may be a secret
        raise ConfigurationError(
            f"RECUERDO_AUTH_ISSUERS: {error}. It is a JSON list of objects with the fields issuer, audience, and "
            "jwks_url or secret."
        ) from None
    return [_issuer(entry, settings, alone=len(entries) == 1 and settings.auth_issuer is None) for entry in entries]


def _issuer(entry: _IssuerSetting, settings: Settings, *, alone: bool) -> Issuer:
    if not (entry.tenant or entry.tenants or entry.claim_tenant or alone):
        raise ConfigurationError(
            f"RECUERDO_AUTH_ISSUERS: with several issuers each must name its tenants. Give {entry.issuer!r} a "
            "`tenant` of its own, the `tenants` that it may name, or a `claim_tenant` if it may speak for every tenant."
        )
    usual = Issuer("", ()).algorithms if entry.secret is None else ("HS256",)
    return Issuer(
        entry.issuer,
        (entry.audience,) if isinstance(entry.audience, str) else tuple(entry.audience),
        entry.jwks_url,
        entry.secret,
        usual if entry.algorithms is None else tuple(entry.algorithms),
        entry.tenant,
        _claims(settings, entry),
        _previous(entry.previous_secret),
        tuple(entry.tenants),
        # an issuer has operators only where its own entry says so
        entry.highest_role or min(settings.auth_highest_role, ADMIN_ROLE, key=rank),
    )


def _previous(secret: str | None) -> tuple[str, ...]:
    return () if secret is None else (secret,)


def _claims(settings: Settings, entry: _IssuerSetting | None = None) -> Claims:
    names = [f"claim_{field}" for field in Claims._fields]
    return Claims(*((entry and getattr(entry, name)) or getattr(settings, f"auth_{name}") for name in names))
