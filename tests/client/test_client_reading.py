"""The clients' parts without a network: addresses, streams, attempts."""

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from recuerdo.client.answers import ChatAnswerData, ChatStartData
from recuerdo.client.events import EventReader, ReplyReader, ServerEvent
from recuerdo.client.operations import GET_THREAD, LIST_MESSAGES
from recuerdo.client.retries import Attempts
from recuerdo.core.errors import Conflict, InvalidInput, OutcomeUnknown, RateLimited, Unavailable

MEMORIES = {f"memories_{what}": [] for what in ("used", "saved", "ended", "waiting")}


def started() -> ServerEvent:
    said = {"role": "user", "content": "hi"}
    rest = {"window": [], "model": "m", "offline": True, "history": "ok", "passages": [], **MEMORIES}
    return ServerEvent("metadata", {"thread_id": "t", "message": said, **rest})


def token(text: str) -> ServerEvent:
    return ServerEvent("token", {"text": text})


def done(text: str) -> ServerEvent:
    said, reply = {"role": "user", "content": "hi"}, {"role": "assistant", "content": text}
    rest = {"model": "m", "offline": True, "history": "ok", "version": "1.2", **MEMORIES}
    return ServerEvent("done", {"thread_id": "t", "message": said, "reply": reply, **rest})


def read(*attempts: list[ServerEvent]) -> list[str]:
    """The parts of a reply over several attempts, with `start` and `done` for their answers."""
    reader, parts = ReplyReader(), []
    for events in attempts:
        reader.begin()
        for event in events:
            for part in reader.feed(event):
                name = {ChatStartData: "start", ChatAnswerData: "done"}.get(type(part))
                parts.append(name or str(part))
    return parts


def test_a_reply_that_is_said_again_continues_where_it_broke_off() -> None:
    first = [started(), token("Te "), token("llamas")]
    again = [started(), token("Te llam"), token("as "), token("Emi"), done("Te llamas Emi")]
    assert read(first, again) == ["start", "Te ", "llamas", " ", "Emi", "done"]


def test_a_stored_reply_that_comes_without_pieces_is_told_to_its_end() -> None:
    first = [started(), token("Te ")]
    assert read(first, [started(), done("Te llamas Emi")]) == ["start", "Te ", "llamas Emi", "done"]
    assert read(first, [started(), done("Te ")]) == ["start", "Te ", "done"]


def test_a_reply_that_says_something_else_begins_anew() -> None:
    first = [started(), token("Te llamas")]
    again = [started(), token("Te "), token("dices"), token(" Emi"), done("Te dices Emi")]
    assert read(first, again) == ["start", "Te llamas", "start", "Te dices", " Emi", "done"]
    assert read(first, [started(), done("Emi")]) == ["start", "Te llamas", "start", "Emi", "done"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_however_the_network_cuts_them(size: int, end: str) -> None:
    lines = [": hello", "", "id: 7", "event: token", 'data: {"text":', 'data: "\u2028\x85ñ"}', "", "data: 1", "", ""]
    stream = end.join(lines).encode()
    reader = EventReader()
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    events = [event for piece in pieces for event in reader.feed(piece)]
    assert events == [("token", {"text": "\u2028\x85ñ"}, "7"), ("message", 1, "7")]


def test_an_id_in_an_address_is_one_segment_and_never_another_place() -> None:
    assert GET_THREAD("a/b?c#d é").target == "/v1/threads/a%2Fb%3Fc%23d%20%C3%A9"
    for wrong in ("", ".", ".."):
        with pytest.raises(InvalidInput, match="thread_id"):
            GET_THREAD(wrong)
    with pytest.raises(InvalidInput):
        GET_THREAD("\ud800")


def test_parameters_are_sent_where_they_belong() -> None:
    request = LIST_MESSAGES("t", role=["user", "tool"], include_archived=True, before=None, limit=3)
    assert request.target == "/v1/threads/t/messages?role=user&role=tool&include_archived=true&limit=3"
    assert request.body is None


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def pauses_until_given_up(clock: Clock) -> Iterator[float]:
    attempts = Attempts(30, clock)
    with suppress(Unavailable):
        while True:
            pause = attempts.pause_after(Unavailable("away", retry_after=0), repeatable=False)
            clock.now += pause
            yield pause


def test_attempts_end_when_the_time_is_up_or_the_server_asks_for_more() -> None:
    clock = Clock()
    pauses = [*pauses_until_given_up(clock)]
    assert 20 < clock.now <= 30
    assert pauses[0] < pauses[4] <= 5
    with pytest.raises(RateLimited):
        Attempts(30, clock).pause_after(RateLimited("too much", retry_after=900), repeatable=True)
    assert Attempts(30, clock).pause_after(RateLimited("too much", retry_after=7), repeatable=False) == 7


def test_an_unknown_outcome_is_repeated_only_where_twice_is_once() -> None:
    with pytest.raises(OutcomeUnknown):
        Attempts(30).pause_after(OutcomeUnknown("cut", retry_after=0), repeatable=False)
    assert Attempts(30).pause_after(OutcomeUnknown("cut", retry_after=0), repeatable=True) > 0
    with pytest.raises(Conflict):
        Attempts(30).pause_after(Conflict("no"), repeatable=True)


def test_progress_gives_an_answer_more_time() -> None:
    clock = Clock()
    attempts = Attempts(10, clock)
    clock.now = 9.9
    attempts.progressed()
    assert attempts.pause_after(Unavailable("away", retry_after=5), repeatable=True) == 5


def test_a_body_is_encoded_once() -> None:
    """Two tries with one key must be the same body."""
    request = GET_THREAD("t", title="x", key="k")
    assert json.loads(request.body or b"") == {"title": "x"}
    assert request.headers["Idempotency-Key"] == "k"
