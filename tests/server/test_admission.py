"""A process begins as many requests as it can serve in time, by how late its event loop is."""

import asyncio
import time

from recuerdo.server.admission import AdmissionControl
from recuerdo.server.guards import Drain, Draining


def busy(control, requests, plain=True):
    control.working += requests
    control.begun += requests
    control.plain += requests * plain


def ended(control, requests, seconds, plain=True):
    busy(control, -requests, plain)
    control.seconds += requests * seconds * plain
    control.ended += requests * plain


def is_full(control):
    return control.working >= control.allowed


def grown(most):
    """A control that has come to allow so many, since they were served in time."""
    control = AdmissionControl(most)
    for _ in range(100):
        busy(control, most)
        ended(control, 1, 0.01)
        control.look(0, 0)
        ended(control, most - 1, 0.01)
    return control


def test_a_process_begins_more_as_more_are_served_in_time():
    control = AdmissionControl(1000)
    busy(control, 200)
    assert is_full(control), "how many it can serve is not known yet"
    control = grown(1000)
    busy(control, 999)
    assert not is_full(control)
    for _ in range(999):
        ended(control, 1, 0.01)
    for _ in range(100):
        control.look(0, 0)
    busy(control, 200)
    assert is_full(control), "what was true of an earlier load need not be of this one"


def test_a_loop_that_stays_late_allows_fewer_requests():
    control = grown(1000)
    busy(control, 400)
    control.look(0.5, 0)
    assert not is_full(control), "one late look may have been a single slow step"
    control.look(0.5, 0)
    assert is_full(control)


def test_a_few_requests_are_never_refused_however_late_the_loop_is():
    control = grown(1000)
    busy(control, 31)
    for _ in range(100):
        control.look(5, 0)
    assert not is_full(control)
    busy(control, 1)
    assert is_full(control)


def test_many_requests_that_wait_for_something_else_are_begun():
    control = AdmissionControl(1000)
    for _ in range(999):
        busy(control, 1, plain=False)
        control.look(0.0, 0)
    assert not is_full(control)
    busy(control, 1, plain=False)
    assert is_full(control)


def test_requests_that_take_long_without_a_model_allow_fewer():
    control = grown(1000)
    busy(control, 400)
    for _ in range(2):
        ended(control, 1, 0.4)
        control.look(0, 0)
    assert not is_full(control)
    for _ in range(2):
        ended(control, 1, 2)
        control.look(0, 0)
    assert is_full(control)


def test_requests_that_wait_for_a_model_may_take_long():
    control = grown(1000)
    for _ in range(400):
        busy(control, 1, plain=False)
    for _ in range(2):
        ended(control, 1, 30, plain=False)
        control.look(0, 0)
    assert not is_full(control)


async def plain_during(control, path):
    """How many requests that wait for no model are counted while one to this path is answered."""
    seen = []

    async def receive():
        return {"type": "http.request", "body": b""}

    async def app(_scope, receive, _send):
        await receive()
        seen.append(control.plain)

    await Draining(app, Drain(), control)({"type": "http", "path": path}, receive, None)
    return seen[0]


async def test_chats_that_the_offline_model_answers_are_work_like_any_other():
    control = AdmissionControl(1000)
    assert await plain_during(control, "/v1/chat") == 0
    control.chats_with_model = frozenset()
    assert await plain_during(control, "/v1/chat") == 1
    assert await plain_during(control, "/v1/chat/stream") == 1
    assert await plain_during(control, "/threads/t/runs/wait") == 0


def test_so_many_are_allowed_as_would_be_answered_in_time():
    control = grown(1000)
    control.look(0, 0)
    busy(control, 400)
    for _ in range(2):
        ended(control, 1, 1.0)
        control.look(0, 0)
    assert 180 <= control.allowed <= 200, "400 take a second, so that 200 will take half of it"


def test_after_the_rush_all_is_as_before_within_seconds():
    control = grown(1000)
    busy(control, 1000)
    for _ in range(100):
        control.look(1, 0)
    for _ in range(1000):
        ended(control, 1, 0.01)
    for _ in range(60):  # three seconds
        control.look(0, 0)
    busy(control, 199)
    assert not is_full(control)


def test_the_more_is_refused_the_later_clients_come_again():
    control, now = grown(1000), time.monotonic()
    assert control.wait == 1
    for second in range(1, 8):
        busy(control, 100)
        for _ in range(300):
            control.refused += 1
        control.look(0, now + 2 * second)
    assert control.wait == 3
    for second in range(8, 16):
        busy(control, 100)
        control.look(0, now + 2 * second)
    assert control.wait == 1


async def test_requests_that_wait_for_their_bodies_take_no_place():
    """Else 200 callers who never send theirs would have everybody else refused."""
    control, arrives, seen = AdmissionControl(1000), asyncio.Event(), []

    async def receive():
        await arrives.wait()
        return {"type": "http.request", "body": b"x"}

    async def app(_scope, receive, _send):
        await receive()
        seen.append(control.working)
        await asyncio.sleep(0)

    draining = Draining(app, Drain(), control)
    scope = {"type": "http", "path": "/v1/threads/t/messages"}
    requests = [asyncio.create_task(draining(dict(scope), receive, None)) for _ in range(300)]
    await asyncio.sleep(0)
    assert control.working == control.plain == 0
    arrives.set()
    await asyncio.gather(*requests)
    assert max(seen) == 300
    assert control.working == control.plain == 0
    assert control.ended == 300
