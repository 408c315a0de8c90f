"""Callers are limited, each for themselves, and are told so before anything is done for them."""

from contextlib import asynccontextmanager, nullcontext

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import hosting
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.quotas import Quota
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.caller_limits import CallerLimits

SLOW = 0.001
MESSAGE = {"messages": [{"role": "user", "content": "hola"}]}


@asynccontextmanager
async def hosted():
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as opened:
        yield opened


def limited(**limits):
    return serving(hosted(), ServerOptions(limits=CallerLimits()._replace(**limits)))


def as_user(url, user):
    return httpx.Client(base_url=url, headers={"X-Recuerdo-User": user})


def test_a_user_who_asks_too_much_is_told_when_to_come_back_and_others_are_served():
    with limited(requests=Quota(3, SLOW)) as url, as_user(url, "emi") as emi, as_user(url, "eva") as eva:
        answers = [emi.get("/v1/threads") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
        assert {answer.headers["ratelimit-limit"] for answer in answers} == {"3"}
        assert int(answers[3].headers["retry-after"]) >= 900
        assert answers[3].json()["code"] == "rate_limited"
        assert eva.get("/v1/threads").status_code == 200
        assert emi.get("/ok").status_code == 200


def test_all_users_of_a_tenant_together_have_a_limit():
    with limited(requests=Quota(3, SLOW), tenant=1) as url:
        statuses = []
        for number in range(4):
            with as_user(url, f"user-{number}") as client:
                statuses.append(client.get("/v1/threads").status_code)
        assert statuses == [200, 200, 200, 429]


def test_a_tenant_that_is_at_its_limit_takes_nothing_from_its_user():
    with limited(requests=Quota(4, SLOW), tenant=0.5) as url, as_user(url, "emi") as emi:
        answers = [emi.get("/v1/threads") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 2 + [429] * 5
        assert {answer.headers["ratelimit-limit"] for answer in answers[2:]} == {"2"}  # and never the user's 4


def test_a_body_of_unknown_length_is_counted_as_well():
    with limited(megabytes=Quota(0.5, SLOW / 1000)) as url, as_user(url, "emi") as emi:
        large = ('{"messages": [{"role": "user", "content": "' + "x" * 600_000 + '"}]}').encode()
        headers = {"Content-Type": "application/json"}
        first = emi.post("/v1/threads/t/messages", content=iter([large]), headers=headers)
        assert first.status_code == 201
        assert emi.post("/v1/threads/t/messages", json=MESSAGE).status_code == 429


def test_runs_schedules_and_streams_have_limits_of_their_own():
    few = {kind: Quota(1, SLOW) for kind in ("runs", "schedules", "streams")}
    with limited(**few) as url, as_user(url, "emi") as emi:
        run = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "hola"}]}}
        thread = emi.post("/threads", json={}).json()["thread_id"]
        assert [emi.post(f"/threads/{thread}/runs", json=run).status_code for _ in range(2)] == [200, 429]
        cron = run | {"schedule": "0 0 1 1 *"}
        assert [emi.post("/runs/crons", json=cron).status_code for _ in range(2)] == [200, 429]
        chat = {"thread_id": "t", "message": "hola"}
        assert [emi.post("/v1/chat/stream", json=chat).status_code for _ in range(2)] == [200, 429]
        assert emi.get(f"/threads/{thread}/runs").status_code == 200


def test_each_run_of_a_batch_counts_and_a_batch_that_is_too_much_starts_none():
    with limited(runs=Quota(3, SLOW)) as url, as_user(url, "emi") as emi:
        thread = emi.post("/threads", json={}).json()["thread_id"]
        run = {"assistant_id": "recuerdo", "thread_id": thread, "input": {"messages": []}}
        assert emi.post("/runs/batch", json=[run, run]).status_code == 200
        refused = emi.post("/runs/batch", json=[run, run])
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) >= 900
        assert len(emi.get(f"/threads/{thread}/runs").json()) == 2
        assert emi.post("/runs/batch", json=[run]).status_code == 200


def test_stored_bytes_and_tokens_are_counted():
    with limited(megabytes=Quota(0.5, SLOW / 1000), tokens=Quota(20, SLOW)) as url, as_user(url, "emi") as emi:
        large = {"messages": [{"role": "user", "content": "x" * 600_000}]}
        assert emi.post("/v1/threads/t/messages", json=large).status_code == 201
        assert emi.post("/v1/threads/t/messages", json=MESSAGE).status_code == 429
        assert emi.get("/v1/threads/t/messages").status_code == 200
    with limited(tokens=Quota(20, SLOW)) as url, as_user(url, "emi") as emi:
        chat = {"thread_id": "t", "message": "hola, ¿cómo estás? " * 10}
        assert [emi.post("/v1/chat", json=chat).status_code for _ in range(2)] == [200, 429]
        assert emi.post("/v1/threads/t/messages", json=MESSAGE).status_code == 201


def test_what_is_too_much_for_the_server_is_sent_away_at_once():
    with limited(at_once=0) as url, as_user(url, "emi") as emi:
        answer = emi.get("/v1/threads")
        assert (answer.status_code, answer.headers["retry-after"], answer.json()["code"]) == (503, "1", "overloaded")
        assert emi.get("/ok").status_code == 200


def test_without_limits_nobody_is_sent_away_and_nothing_is_told():
    with serving(hosted()) as url, as_user(url, "emi") as emi:
        answer = emi.get("/v1/threads")
        assert "ratelimit-limit" not in answer.headers


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8:0:1::1", "2001:db8::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False),
        ("203.0.113.7", "203.0.113.8", False),
        ("", "testclient", False),
    ],
)
async def test_the_addresses_of_a_subnet_are_one_caller(first, second, are_one):
    """A caller with one address of IPv6 has 2^64, and each would begin with limits of its own."""
    limits = CallerLimits()._replace(failures=Quota(1, SLOW))
    async with hosted() as opened:
        auth = AuthOptions(api_keys=True)
        options = ServerOptions(auth=auth, api_keys=LocalApiKeys(LocalDatabase()), limits=limits)
        app = create_app(nullcontext(opened), options)
        async with app.router.lifespan_context(app):
            statuses = []
            for address in (first, second):
                transport = httpx.ASGITransport(app, client=(address, 1))
                async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                    statuses.append((await client.get("/v1/threads", headers={"x-api-key": "wrong"})).status_code)
    assert statuses == [401, 429 if are_one else 401]


def test_limits_are_written_as_text():
    limits = CallerLimits.parse("requests=600/m, tokens = 10/s,connections=50")
    assert (limits.requests, limits.tokens, limits.connections) == (Quota(600, 10), Quota(10, 10), 50)
    assert limits.runs == CallerLimits().runs
    assert CallerLimits.parse("") == CallerLimits()
    assert CallerLimits.parse("off") is None


@pytest.mark.parametrize("text", ["request=1/s", "requests=5", "requests=0/s", "connections=1/s", "requests", "-"])
def test_limits_that_can_not_be_meant_are_refused(text):
    with pytest.raises(ConfigurationError, match="RECUERDO_LIMITS"):
        CallerLimits.parse(text)
