"""Every route, and visitors who ask: each route is either for visitors, and named here, or closed to them."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
from serving import Backend, serving
from test_http_matrix import GUARDED, SECRET, something_secret
from test_http_routes import TABLE

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import VISITOR_PREFIX, Owner
from recuerdo.observability.metrics import Metrics
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions, VisitorOptions
from recuerdo.server.auth.visitors import Visitors
from recuerdo.server.requests import VISITOR_HEADER

OPTIONS = VisitorOptions(("k" * 32,))

THEIRS = """
    GET /v1/principal
    POST /api/v1/chatbot/stream
    POST /v1/chat
    POST /v1/chat/stream
    GET /v1/threads
    GET /v1/threads/{thread_id}
    PATCH /v1/threads/{thread_id}
    DELETE /v1/threads/{thread_id}
    POST /v1/threads/{thread_id}/clear
    POST /v1/threads/{thread_id}/fork
    POST /v1/threads/{thread_id}/summarise
    POST /v1/threads/{thread_id}/messages
    PUT /v1/threads/{thread_id}/messages
    GET /v1/threads/{thread_id}/messages
    GET /v1/threads/{thread_id}/window
    GET /v1/threads/{thread_id}/messages/{seq}/why
    POST /v1/threads/{thread_id}/archive
    GET /v1/messages
    POST /v1/search
    POST /v1/erase
    GET /v1/erasures
    GET /v1/erasures/{erasure_id}
    GET /v1/memories
    POST /v1/memories/search
    GET /v1/memories/export
    GET /v1/memories/audit
    GET /v1/entities
    GET /v1/memories/{memory_id}
    GET /v1/memories/{memory_id}/history
    GET /v1/documents
    GET /v1/documents/{document_id}
    POST /v1/documents/search
    POST /threads
    POST /threads/search
    POST /threads/count
    GET /threads/{thread_id}
    PATCH /threads/{thread_id}
    DELETE /threads/{thread_id}
    POST /threads/{thread_id}/copy
    POST /threads/{thread_id}/commands
    GET /threads/{thread_id}/stream
    POST /threads/{thread_id}/stream/events
    GET /threads/{thread_id}/state
    POST /threads/{thread_id}/state
    GET /threads/{thread_id}/state/{checkpoint_id}
    POST /threads/{thread_id}/state/checkpoint
    POST /threads/{thread_id}/history
    POST /threads/{thread_id}/runs
    GET /threads/{thread_id}/runs
    POST /threads/{thread_id}/runs/stream
    POST /threads/{thread_id}/runs/wait
    GET /threads/{thread_id}/runs/{run_id}
    DELETE /threads/{thread_id}/runs/{run_id}
    POST /threads/{thread_id}/runs/{run_id}/cancel
    GET /threads/{thread_id}/runs/{run_id}/join
    GET /threads/{thread_id}/runs/{run_id}/stream
    POST /runs
    POST /runs/stream
    POST /runs/wait
    POST /runs/batch
    POST /runs/cancel
"""
FOR_VISITORS = {tuple(line.split()) for line in THEIRS.strip().splitlines()}
"""The routes that answer visitors; each new one is closed to them until it stands here."""


def token(age: float = 0) -> dict[str, str]:
    """The token of a visitor who has done nothing yet."""
    owner = Owner("default", VISITOR_PREFIX + new_id().replace("-", ""))
    return {VISITOR_HEADER: Visitors(OPTIONS, lambda: datetime.now(UTC).timestamp() - age).issue(owner)}


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def url(keys: LocalApiKeys) -> Iterator[str]:
    options = ServerOptions(auth=AuthOptions(api_keys=True, visitors=OPTIONS), api_keys=keys, metrics=Metrics())
    with serving(Backend().opened(), options) as url:
        yield url


@pytest.fixture(scope="module")
def owned(url: str, keys: LocalApiKeys) -> dict[str, str]:
    """Things of a user of the same tenant."""
    issued = issue(Owner("default", "emi"), datetime.now(UTC))
    asyncio.run(keys.add(issued.key))
    with httpx.Client(base_url=url) as client:
        return something_secret(client, {"x-api-key": issued.secret})


@pytest.mark.parametrize(("method", "path"), [key for key in TABLE if key in GUARDED])
def test_a_route_answers_visitors_as_it_should(url: str, owned: dict[str, str], method: str, path: str) -> None:
    """Data of others is as absent as data that never was, and a caller without a token is a new visitor."""
    body, existing, missing = TABLE[method, path]

    def ask(ids: dict[str, str], headers: dict[str, str]) -> httpx.Response:
        return httpx.request(method, url + path.format_map(ids), json=body, headers=headers)

    answers = {
        "foreign": ask(owned, token()),
        "absent": ask({**dict.fromkeys(owned, new_id()), "seq": "1"}, token()),
        "foreign, without a token": ask(owned, {}),
        "expired": ask(owned, token(age=31 * 86_400)),
    }
    found = 403 if (method, path) not in FOR_VISITORS else existing if missing is None else missing
    assert {who: answer.status_code for who, answer in answers.items()} == {
        **dict.fromkeys(answers, found),
        "expired": 401,
    }
    assert not [who for who, answer in answers.items() if SECRET in answer.text]


def test_only_routes_that_are_there_are_named() -> None:
    assert TABLE.keys() >= FOR_VISITORS
