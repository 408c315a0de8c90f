"""A request as routes see it: its caller, the services that may answer, and the server's options.

It reads the headers that name a user or a tenant; `server/auth/` reads credentials.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Protocol, cast, get_args
from urllib.parse import unquote

from fastapi import Depends, Header, Query
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request, cookie_parser
from starlette.types import Receive

from recuerdo.actions import Actions
from recuerdo.agents.chat import Chat
from recuerdo.audit import AuditLog
from recuerdo.contexts import Contexts, Sessions
from recuerdo.contexts.settings import read_call
from recuerdo.core.api_keys import FULL, Scopes
from recuerdo.core.audit import AuditAction
from recuerdo.core.checks import check_all_unicode
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import ConfigurationError, Forbidden, InvalidInput, NotFound, Unauthenticated
from recuerdo.core.graph_ports import RunEvents, Signals
from recuerdo.core.health import PartHealth
from recuerdo.core.ports import ApiKeyRepository, ThreadSummaries
from recuerdo.core.quotas import TokenBuckets
from recuerdo.core.retention import RetentionForecast
from recuerdo.core.roles import ANONYMOUS_ROLE, DEFAULT_ROLE, OPERATOR_ROLE, Ranked, includes
from recuerdo.core.scope import ANONYMOUS, DEFAULT_TENANT, Owner, Scope
from recuerdo.core.threads import Version
from recuerdo.core.tracing import Tracer
from recuerdo.history import History
from recuerdo.library import Library
from recuerdo.memories import Memories
from recuerdo.memories.erasures import Erasures
from recuerdo.runs.rules import Access
from recuerdo.runs.services import RunServices
from recuerdo.server.auditing import record, record_failure
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.caller_limits import CallerLimits
from recuerdo.server.scopes import check_scopes

USER_HEADER = "X-Recuerdo-User"
TENANT_HEADER = "X-Recuerdo-Tenant"
"""The tenant that a page believes its user to be of. It is compared, and never taken."""

VISITOR_HEADER = "X-Recuerdo-Visitor"

HEARTBEAT_SECONDS = 10.0
"""Proxies cut connections that are silent for a minute or even half of one."""

_FOUND = "recuerdo.principal"
DELIVERY = "recuerdo.visitor"
"""The name in a scope of the token that a visitor gets with the response; an empty one takes the cookie away."""

_CLOSED = (
    "This address is closed while langgraph.json has @auth.on handlers: they decide about /assistants, /threads, /runs "
    "and /store alone, and what they deny there must not be open here. Use those addresses instead."
)
_FLAGS = ("true", "false")
_FLAGS_OF_LANGGRAPH = (*_FLAGS, "1", "0")
_NUMBER = re.compile("-?[0-9]+")
_SPELT = frozenset({bool, int})
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_MAY_BE_BROKEN = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]|\0")
"""Half of a surrogate pair, escaped or as it is, or UTF-16 or UTF-32, where anything may hide one."""

_TAG = re.compile(r'(?:W/)?"([^"]*)"|([0-9]+\.[0-9]+)')


class Principal(NamedTuple):
    """The caller: the owner of everything that a request reads and writes, a role, and a tier.

    `access` has the custom rules that hold for them, and `scopes` narrow down their role. A
    `visitor_token` goes to the visitor with the response.
    """

    owner: Owner
    role: str = DEFAULT_ROLE
    tier: str | None = None
    access: Access | None = None
    scopes: Scopes = FULL
    visitor_token: str | None = None

    @property
    def is_anonymous(self) -> bool:
        return self.owner.is_anonymous


_NOBODY = Principal(Owner(DEFAULT_TENANT, ANONYMOUS), ANONYMOUS_ROLE)


class Authenticates(Protocol):
    """Identifies the caller of a request."""

    async def authenticate(self, headers: Headers, connection: HTTPConnection, /) -> Principal:
        """Return the caller, by these headers of the connection.

        Raises Unauthenticated, or Unavailable when that can't be found out now.
        """
        ...

    async def aclose(self) -> None:
        """Stop the background work."""
        ...


class NoAuth:
    """No authentication: every caller that reaches this machine's loopback is trusted.

    The tenant is `default`, the user comes from the header X-Recuerdo-User.
    """

    async def aclose(self) -> None:
        """There is no work in the background."""

    async def authenticate(self, headers: Headers, _connection: HTTPConnection) -> Principal:
        """Raises InvalidInput, naming the header."""
        user = named_in(headers, USER_HEADER)
        if not user:
            return _NOBODY
        try:
            return Principal(Owner(DEFAULT_TENANT, user))
        except InvalidInput as error:
            raise InvalidInput(USER_HEADER, error.problem) from None


def names_another(headers: Headers, owner: Owner) -> bool:
    """Whether the headers name another user than this one, or one of another tenant. Raises InvalidInput."""
    tenant, user = named_in(headers, TENANT_HEADER), named_in(headers, USER_HEADER)
    return user not in ("", owner.user) or tenant not in ("", owner.tenant)


def named_in(headers: Headers, header: str) -> str:
    """The name in the header, empty without one. Raises InvalidInput.

    Raw UTF-8 is taken as well, because that is what curl sends; Latin-1 is refused rather than guessed at.
    """
    value, wanted = None, header.lower().encode()
    for name, each in headers.raw:
        if name == wanted:
            if value is not None:
                raise InvalidInput(header, "was sent more than once; send it once")
            value = each
    if value is None:
        return ""
    try:
        named = value.decode()
        if not _BROKEN_ESCAPE.search(named):
            named = unquote(named, errors="strict") if "%" in named else named
            return named if named.strip() else ""
    except UnicodeDecodeError:
        pass
    raise InvalidInput(header, "must be percent-encoded UTF-8, e.g. Jos%C3%A9; write a percent sign as %25")


def cookie_of(headers: Headers, name: str) -> str | None:
    """The value of the cookie, if the request has one."""
    found = [cookie_parser(line).get(name) for line in headers.getlist("cookie")]
    return next((value for value in found if value), None)


def is_over_tls(connection: HTTPConnection) -> bool:
    """Whether browsers reach this server over TLS: the proxy says so in the request, or the operator by a setting."""
    auth = cast(ServerOptions, connection.app.state.options).auth
    public_url = auth.public_url if auth is not None else None
    return connection.scope["scheme"] in ("https", "wss") or (public_url or "").startswith("https://")


def cookie_name(connection: HTTPConnection, name: str) -> str:
    """The cookie's name here. Over TLS it has a prefix that no other host of the domain can set (RFC 6265bis)."""
    return f"__Host-{name}" if is_over_tls(connection) else name


async def find_principal(
    connection: HTTPConnection, headers: Headers | None = None, *, is_routed: bool = True
) -> Principal:
    """The caller, for an address that asks `principal.access` before it does anything, or has no data of users.

    `headers` are those that a browser's WebSocket carries elsewhere. Where nothing is done for the caller yet, it is
    not `is_routed`: no scopes count, and a visitor gets no token. Raises Forbidden when the credential's scopes do not
    open the route.
    """
    found = cast(Principal | None, connection.scope.get(_FOUND))
    if found is None:
        authenticator = cast(Authenticates, connection.app.state.authenticator)
        try:
            found = await authenticator.authenticate(headers or connection.headers, connection)
        except Unauthenticated as error:
            record_failure(connection, error)
            raise
        connection.scope[_FOUND] = found
    if is_routed and found.visitor_token is not None:
        connection.scope[DELIVERY] = found.visitor_token
    if is_routed and found.scopes != FULL:
        check_scopes(found.scopes, connection.scope)
    return found


def known_principal(connection: HTTPConnection) -> Principal | None:
    """The caller, where it was found out already."""
    return connection.scope.get(_FOUND)


def refuse_if_ruled(principal: Principal) -> Principal:
    """Return the principal, for an address that no rules of a langgraph.json govern.

    Raises Forbidden if there are such rules, which must not be evaded here.
    """
    if principal.access is not None and principal.access.rules.restrict:
        raise Forbidden(_CLOSED)
    return principal


class Services(Protocol):
    """The services that the server needs, open and ready to be called."""

    @property
    def history(self) -> History: ...

    @property
    def memories(self) -> Memories: ...

    @property
    def actions(self) -> Actions: ...

    @property
    def erasures(self) -> Erasures: ...

    @property
    def summaries(self) -> ThreadSummaries | None: ...

    @property
    def chat(self) -> Chat: ...

    @property
    def library(self) -> Library: ...

    @property
    def runs(self) -> RunServices: ...

    @property
    def runs_or_none(self) -> RunServices | None: ...

    @property
    def contexts(self) -> Contexts: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def events(self) -> RunEvents: ...

    @property
    def signals(self) -> Signals: ...


class MountedApp(NamedTuple):
    """`http.app` of a langgraph.json, served beside the API. With `guarded` its callers are authenticated as ours."""

    app: Starlette
    guarded: bool = False

    @classmethod
    def checked(cls, app: object, guarded: bool) -> "MountedApp":
        """The same, if it is an application. Raises ConfigurationError."""
        if not isinstance(app, Starlette):
            raise ConfigurationError(f"`http.app` names a {type(app).__name__}. Let it name a Starlette or a FastAPI.")
        return cls(app, guarded)


class MetricsPage(Protocol):
    """Counts and times requests, and is the content of /metrics."""

    @property
    def content_type(self) -> str: ...

    def render(self) -> bytes: ...

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record a request that has ended."""
        ...


class RequestRecording(NamedTuple):
    """How requests are recorded. Those that take `slow` seconds are logged as slow.

    A stream that a GET request listens to is never slow; one that begins with its own chat or run ends with it.
    """

    slow: float = 5.0
    access_log: bool = False
    tracer: Tracer | None = None


class ServerOptions(NamedTuple):
    """The options with which the operator starts the server.

    `auth` says which credentials to accept, and `api_keys` where API keys are looked up. Without `auth` every caller is
    trusted: the server answers to loopback names only, `local_user` is the page's user until a request names
    another, and `hosts` are further names that it may be called by. `origins` are sites (`https://chat.example`) whose
    pages may change things here. `embeddings` is the embedding model's name as /info shows it. A stream that is silent
    for `heartbeat` seconds gets a comment, and one of a thread ends when nothing has happened there for `idle` seconds.
    `metrics` are what /metrics shows, and `recording` says what else is recorded of requests. `mounted` is a
    custom application, and `graphs` are the names of their graphs, the first of which the page talks to.
    `limits` bound what callers may do, counted in `buckets`; with `admits_all` no request is refused because too many
    are under way. `audit` records who did what; without it only the log
    does. `examine` finds the parts of /ready; without it that is the database alone. `sessions_by` says who answers the
    messages of WebSockets, and a worker that does has `sessions_wait` seconds for its next word. `forecast` counts what
    a policy would delete; the server's own is `retention`.
    """

    local_user: str = "local"
    embeddings: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    heartbeat: float = HEARTBEAT_SECONDS
    idle: float = 3600.0
    metrics: MetricsPage | None = None
    auth: AuthOptions | None = None
    api_keys: ApiKeyRepository | None = None
    mounted: MountedApp | None = None
    graphs: tuple[str, ...] = ()
    limits: CallerLimits | None = None
    buckets: TokenBuckets | None = None
    admits_all: bool = False
    recording: RequestRecording = RequestRecording()
    audit: AuditLog | None = None
    examine: Callable[[], Awaitable[Mapping[str, PartHealth]]] | None = None
    sessions_by: Literal["server", "workers"] = "server"
    sessions_wait: float = 30.0
    retention: str = ""
    forecast: Callable[[str], Awaitable[RetentionForecast]] | None = None

    def allows(self, role: str, wanted: Ranked) -> bool:
        """Whether the role includes the wanted one. Without `auth` every caller may."""
        return self.auth is None or includes(role, wanted)

    def role_of(self, principal: Principal) -> str:
        """The role whose headers are heeded: the principal's; without `auth` an operator's."""
        return OPERATOR_ROLE if self.auth is None else principal.role


class ApiCall:
    """One request of a known caller: the caller, and the services that may answer."""

    __slots__ = ("connection", "options", "owner", "principal", "services")

    def __init__(self, connection: HTTPConnection, principal: Principal) -> None:
        state = connection.app.state
        self.connection = connection
        self.principal = principal
        self.owner = principal.owner
        self.services: Services = state.services
        self.options: ServerOptions = state.options

    @property
    def receive(self) -> Receive:
        """The client's events after the body."""
        return cast(Request, self.connection).receive

    @property
    def graphs(self) -> RunServices:
        """The services over graphs, as far as custom rules let the caller use them."""
        if self.principal.access is None:
            return self.services.runs
        from recuerdo.runs.authorized import authorized  # only where there are rules

        return authorized(self.services.runs, self.principal.access)

    def thread(self, thread_id: str) -> Scope:
        """The caller's own thread of this id. Raises InvalidInput when it can't be an id."""
        return self.owner.thread(thread_id)

    def may(self, wanted: Ranked) -> bool:
        """Whether the caller's role includes the wanted one."""
        return self.options.allows(self.principal.role, wanted)

    def audit(self, action: AuditAction, target: str | None = None, **details: str) -> None:
        """Record that the caller did this, in the audit log: with ids and short words, never with a text."""
        record(self.connection, action, self.owner, self.principal.role, target, **details)

    @property
    def audit_log(self) -> AuditLog:
        return cast(AuditLog, self.connection.app.state.audit)

    async def context(
        self, scope: Scope, assistant_id: str, settings: Mapping[str, Any] | None = None
    ) -> ExecutionContext:
        """Return the thread's execution context for this caller, with what their headers set.

        `settings` are for this call alone. Raises Forbidden for those that the caller may not set.
        """
        role, tier = self.options.role_of(self.principal), self.principal.tier
        change = read_call(settings or {}, role)
        self.connection.state.settings = settings or {}  # an error quotes the caller
        headers = self.connection.headers
        context = await self.services.contexts.get_or_create(scope, assistant_id, headers, role=role, tier=tier)
        return change(context)


_UserHeader = Annotated[
    str | None,
    Header(
        alias=USER_HEADER,
        description="Without authentication: the user that the request acts as, in UTF-8 and percent-encoded where "
        "it is not ASCII (`Jos%C3%A9`; a percent sign itself is `%25`). Absent or blank: the anonymous user, who "
        "has threads and no long-term memory. With authentication a page is refused whose cookie is of another user.",
    ),
]


async def current_call(connection: HTTPConnection, _documented: _UserHeader = None) -> ApiCall:
    """The call. Every route that touches data depends on this, or on `ruled_call` when it asks the rules.

    Raises Unauthenticated, InvalidInput (for an unknown query parameter, too), Unavailable, or Forbidden while rules of
    a langgraph.json are set.
    """
    principal = await find_principal(connection)
    call = ApiCall(connection, principal if principal.access is None else refuse_if_ruled(principal))
    if connection.scope["query_string"]:
        _check_query(connection)
    return call


def _check_query(connection: HTTPConnection, *, is_langgraph: bool = False) -> None:
    """Raise InvalidInput for a value that is spelt as no value of its type is, and for an unknown parameter.

    Clients of the LangGraph API write booleans as numbers as well, and send parameters that this server does not know.
    """
    route = connection.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = dict(_parameters(route.dependant))
    for name, value in connection.query_params.multi_items():
        kinds = known.get(name)
        if kinds is None and not is_langgraph:
            taken = f"this address takes {', '.join(known)}" if known else "this address takes none"
            raise InvalidInput(name, f"is not a query parameter here: {taken}")
        if not kinds or (int in kinds and _NUMBER.fullmatch(value)):
            continue
        if bool not in kinds:
            raise InvalidInput(name, "must be a whole number in decimal digits")
        if value not in (_FLAGS_OF_LANGGRAPH if is_langgraph else _FLAGS):
            raise InvalidInput(name, "must be true or false")


async def ruled_call(connection: HTTPConnection, _documented: _UserHeader = None) -> ApiCall:
    """The call, for a route that asks `principal.access`, as `ApiCall.graphs` does.

    Raises InvalidInput for a body with lone surrogates, as fields of these routes may hold anything, and for a query
    whose values are misspelt.
    """
    call = ApiCall(connection, await find_principal(connection))
    if connection.scope["query_string"]:
        _check_query(connection, is_langgraph=True)
    if isinstance(connection, Request) and connection.method not in ("GET", "HEAD"):
        await _check_unicode(connection)
    return call


async def _check_unicode(request: Request) -> None:
    if not _MAY_BE_BROKEN.search(await request.body()):
        return
    try:
        body = await request.json()
    except ValueError:  # it was not sent as JSON, and the route says so
        return
    check_all_unicode("", body)


def _parameters(part: Dependant) -> Iterator[tuple[str, frozenset[type]]]:
    """The names of query parameters, and whether they are numbers or booleans."""
    for field in part.query_params:
        annotation = field.field_info.annotation
        yield field.alias, _SPELT & {annotation, *get_args(annotation)}
    for each in part.dependencies:
        yield from _parameters(each)


CurrentCall = Annotated[ApiCall, Depends(current_call)]
"""The call of a route that is closed while rules of a langgraph.json are set."""

RuledCall = Annotated[ApiCall, Depends(ruled_call)]
"""The call of a route that asks those rules."""


class Expectation:
    """Which epoch a request expects its thread to be in: by a field of its body, by its query, or by `If-Match`.

    `If-Match` has the entity tags that this server gives, RFC 9110, section 13.1.1, and of these the epoch counts: a
    thread that others have appended to is still the one that the caller has seen, and one that was cleared is not.
    Ours are weak because archiving leaves them; they are taken as they were given.
    """

    def __init__(self, connection: HTTPConnection, if_match: str | None, queried: int | None) -> None:
        self._state = connection.state
        self._queried = queried
        self._is_any = if_match is not None and if_match.strip() == "*"
        is_named = if_match is not None and not self._is_any
        self._tags = frozenset(map(_epoch_in, (if_match or "").split(","))) if is_named else None

    async def epoch(self, history: History, scope: Scope, in_body: int | None = None) -> int | None:
        """The epoch that the thread must be in; None for any. Raises NotFound or InvalidInput."""
        named = {in_body, self._queried} - {None}
        if len(named) > 1 or (self._tags is not None and named and not named <= self._tags):
            raise InvalidInput("expected_epoch", "is named twice, and differently; name one epoch")
        if not named and self._tags is None and not self._is_any:
            return None
        self._state.expected_epoch = True  # EpochChanged is a failed precondition now
        if named:
            return named.pop()
        tags = self._tags or frozenset()
        if len(tags) == 1:
            return next(iter(tags))
        actual = await history.epoch(scope)
        if actual == 0 and self._is_any:
            raise NotFound("thread", scope.thread)
        return actual if self._is_any or actual in tags else max(tags)


def _epoch_in(tag: str) -> int:
    found = _TAG.fullmatch(tag.strip())
    try:
        if found is not None:
            return Version.parse(found[1] or found[2] or "").epoch
    except InvalidInput:
        pass
    raise InvalidInput("if_match", 'must be the ETag of an answer about the thread, e.g. W/"7.42"')


async def _expectation(
    connection: HTTPConnection,
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description="The ETag that an answer about the thread had: refused when it was cleared or deleted since.",
        ),
    ] = None,
    expected_epoch: Annotated[
        int | None, Query(ge=0, description="The first number of the thread's version, as If-Match; 0: there is none.")
    ] = None,
) -> Expectation:
    return Expectation(connection, if_match, expected_epoch)


Expected = Annotated[Expectation, Depends(_expectation)]
