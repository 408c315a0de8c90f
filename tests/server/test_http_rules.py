"""Rules of a langgraph.json deny by default: at every address, and behind every method of the services."""

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import httpx
import pytest
from langgraph.store.base import BaseStore
from langgraph_sdk import Auth
from serving import Backend, serving
from test_http_routes import TABLE, one_of_each
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import Forbidden
from recuerdo.core.runs import RunRequest
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph.host import GraphHost
from recuerdo.runs import authorized
from recuerdo.runs.assistants import Assistants
from recuerdo.runs.crons import Crons
from recuerdo.runs.rules import Access, AuthRules, Caller, RuleDenied
from recuerdo.runs.runs import NewRun, Runs
from recuerdo.runs.threads import Threads
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.streaming import frames

OWNER = Owner("default", "emi")
USER = {"X-Recuerdo-User": "emi"}
UNGOVERNED = {
    *("/ok", "/healthz", "/ready", "/info", "/v1/principal", "/", "/ui", "/ui/{name}"),
    *("/auth/login", "/auth/callback", "/auth/renew", "/auth/logout"),
}
"""Addresses that hold nothing of anybody's."""

GOVERNED = ("/assistants", "/threads", "/runs", "/store")

REFUSED: dict[type, set[str]] = {
    Threads: {"expire", "describe", "take_over", "conversation"},
    Assistants: {"id_of", "make_default"},
    Runs: set(),
    Crons: {"fire"},
    GraphHost: {
        *("warm_up", "open", "execute", "left", "state", "stored", "result", "history", "update", "play"),
        *("forget", "undo", "copy", "keep_latest", "load_sources"),
    },
    BaseStore: {
        *("get", "put", "delete", "search", "list_namespaces", "batch", "abatch"),
        *("supports_ttl", "ttl_config"),
    },
}
"""The methods that no route calls, and no caller may."""

FACADES: dict[type, type[authorized.Facade]] = {
    Threads: authorized.AuthorizedThreads,
    Assistants: authorized.AuthorizedAssistants,
    Runs: authorized.AuthorizedRuns,
    Crons: authorized.AuthorizedCrons,
    GraphHost: authorized.AuthorizedHost,
    BaseStore: authorized.AuthorizedStore,
}


def rules(decide: Callable[[], bool] | None) -> ServerOptions:
    """Rules for which the caller is `emi`; `decide` is the only handler of `@auth.on`."""
    auth = Auth()

    @auth.authenticate
    async def authenticate() -> str:  # pyright: ignore[reportUnusedFunction]
        return "emi"

    if decide is not None:

        @auth.on
        async def on_everything(ctx: Auth.types.AuthContext, value: Any) -> bool:  # pyright: ignore[reportUnusedFunction]
            return decide()

    return ServerOptions(auth=AuthOptions(rules=AuthRules(auth)))


@contextmanager
def ruled(decide: Callable[[], bool] | None) -> Generator[tuple[httpx.Client, dict[str, str]]]:
    """A client of a server with these rules, and the ids of what its user has from before they were set."""
    backend = Backend()
    with serving(backend.opened()) as url, httpx.Client(base_url=url, headers=USER) as client:
        ids = one_of_each(client)
    with serving(backend.opened(), rules(decide)) as url, httpx.Client(base_url=url) as client:
        yield client, ids


def ask(client: httpx.Client, method: str, path: str, ids: dict[str, str]) -> httpx.Response:
    return client.request(method, path.format(**ids), json=TABLE[method, path][0])


def test_rules_that_deny_everything_leave_no_address_open() -> None:
    with ruled(lambda: False) as (client, ids):
        answers = {key: ask(client, *key, ids).status_code for key in TABLE}
    assert {path for (_, path), status in answers.items() if status != 403} == UNGOVERNED


def test_rules_that_allow_everything_open_what_they_govern_and_nothing_else() -> None:
    closed = {(method, path) for method, path in TABLE if path not in UNGOVERNED and not path.startswith(GOVERNED)}
    with ruled(lambda: True) as (client, ids):
        refused = {key: answer for key in TABLE if (answer := ask(client, *key, ids)).status_code == 403}
    assert refused.keys() == closed
    reasons = {answer.json()["detail"] for (_, path), answer in refused.items() if path != "/metrics"}
    assert len(reasons) == 1
    assert "closed while langgraph.json has @auth.on handlers" in reasons.pop()


def test_rules_that_only_authenticate_close_nothing() -> None:
    with ruled(None) as (client, _):
        assert client.get("/v1/threads").status_code == 200


def test_rules_close_sessions_and_mcp() -> None:
    with ruled(lambda: True) as (client, _):
        assert client.post("/mcp", json={}).status_code == 403
        with connect(f"{str(client.base_url).replace('http', 'ws', 1)}/ws/s-1", open_timeout=60) as socket:
            with pytest.raises(ConnectionClosed):
                socket.recv(60)
            assert socket.close_code == frames.FORBIDDEN


def governed_by(facade: type[authorized.Facade]) -> set[str]:
    own = {"OPEN", "CHECKED", "RESOURCE", "NOUN", "check", "check_run", "check_new_run"}
    return {*dir(facade), *facade.CHECKED} - own - {name for name in dir(facade) if name.startswith("_")}


@pytest.mark.parametrize("service", FACADES, ids=lambda each: each.__name__)
def test_a_method_of_a_service_is_governed_or_open_for_a_reason_or_refused(service: type) -> None:
    """A new method fails here until somebody decides which."""
    facade = FACADES[service]
    governed = governed_by(facade)
    attributes = {"arrivals"} if service in (Threads, Runs) else set[str]()
    public = {name for name, _ in inspect.getmembers(service) if not name.startswith("_")} | attributes
    for first, second in (
        (governed, facade.OPEN.keys()),
        (governed, REFUSED[service]),
        (facade.OPEN.keys(), REFUSED[service]),
    ):
        assert not first & second
    assert governed | facade.OPEN.keys() | REFUSED[service] == public
    assert all(reason.strip() for reason in facade.OPEN.values())


@pytest.mark.parametrize("service", FACADES, ids=lambda each: each.__name__)
def test_what_a_facade_does_not_name_is_refused(service: type) -> None:
    facade = FACADES[service].__new__(FACADES[service])
    for name in {*REFUSED[service], "a_method_of_tomorrow"}:
        with pytest.raises(Forbidden, match=name):
            getattr(facade, name)


async def test_every_governed_method_asks_the_rules() -> None:
    denying = rules(lambda: False).auth
    assert denying is not None
    assert denying.rules is not None
    access = Access(denying.rules, Caller("emi", ()))
    async with Backend().opened() as services:
        whole = services.runs
        thread = await whole.threads.create(OWNER, whole.threads.new("t"))
        run = await whole.runs.create(OWNER, NewRun("recuerdo", RunRequest(input={}), "t"))
        cron = await whole.crons.create(OWNER, run.assistant_id, {}, None, {"schedule": "0 0 1 1 *"})
        given: dict[str, Any] = {
            "owner": OWNER,
            "thread": thread,
            "thread_id": "t",
            "run_id": run.run_id,
            "cron_id": cron.cron_id,
            "new": NewRun("recuerdo", RunRequest(), "t"),
            "name": "recuerdo",
            "assistant_id": run.assistant_id,
            "query": DocumentQuery(),
            "values": {},
            "metadata": {},
            "payload": {},
            "fields": {},
            "key": "k",
            "graph_id": "recuerdo",
            "version": 1,
            "namespace": ("a",),
            "prefix": ("a",),
            "value": {},
            "supersteps": [],
            "thread_ids": ["t"],
            "strategy": "delete",
            "run_ids": [run.run_id],
            "statuses": ["pending", "running", "success", "error"],
            "action": "interrupt",
        }
        ruled = authorized.authorized(whole, access)
        store = (await ruled.host()).store(OWNER)
        ids = {ruled.threads: "t", ruled.runs: "t", ruled.assistants: run.assistant_id, ruled.crons: cron.cron_id}
        for facade in (ruled.threads, ruled.assistants, ruled.runs, ruled.crons, store):
            given["identifier"] = ids.get(facade)
            for name in governed_by(cast(Any, type(facade))):
                method = getattr(facade, name)
                needed = [
                    each.name
                    for each in inspect.signature(method).parameters.values()
                    if each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
                ]
                with pytest.raises(RuleDenied):
                    await method(**{each: given[each] for each in needed})
