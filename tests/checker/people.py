"""People with a conversation each, who say things, clear and erase them at another replica, wait, and look.

Whatever a person says has a word of its own, so that wherever the word is shown later, it is known what is shown.
"""

import json
import random
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from uuid import UUID

import httpx
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from checker.clients import seen
from checker.pauses import Pauses
from checker.record import Bound, Erased, ErasedUser, Looked, Outcome, Record, Said, Waited
from recuerdo.core.threads import NOWHERE, Version

PATIENCE = 30.0
"""Seconds that a person waits for an answer: longer than any pause."""

SCENES = ("forget", "forget", "forget", "repeat", "repeat", "wait", "reconnect", "lose")
"""The things that people do: each plays some of these, in an order of their own."""

_SCENES_OF_ONE = 4

_RUNS_AT_ONCE = 8
_BEGINS_AT_THE_FIRST = 0.85
"""How often a scene begins at the replica that is farther from its database: there is more time between two steps."""

_NOT_FOUND = 4404
_WORD = re.compile(r"\bq[a-z]{9}x\b")
_REFUSED = (404, 409, 410, 413, 422)
_LOOKS: Mapping[str, tuple[str, str, Any]] = {
    "memories": ("GET", "/v1/memories?limit=100", None),
    "found memories": ("POST", "/v1/memories/search", {"query": "me gusta el", "limit": 50}),
    "export": ("GET", "/v1/memories/export", None),
    "search": ("POST", "/v1/search", {"query": "me gusta el", "limit": 50}),
    "threads": ("GET", "/v1/threads?limit=100", None),
    "window": ("GET", "/v1/threads/{thread}/window?messages=100", None),
    "state": ("GET", "/threads/{thread}/state", None),
    "messages": ("GET", "/v1/threads/{thread}/messages?limit=1000", None),
}
"""Where a user may meet what they said: memories come before the messages that they are from."""


class Deployed(NamedTuple):
    """The deployment that people meet: the replicas, which can be paused, and perhaps graphs.

    `cut` takes the database away from a replica, for a block; `flush` empties the cache.
    """

    urls: list[str]
    pauses: Pauses
    cut: Callable[[str], AbstractContextManager[None]]
    flush: Callable[[], object]
    has_runs: bool


class Person:
    """Plays some of the scenes. `failure` is what must never happen to somebody."""

    def __init__(self, name: str, trial: str, deployed: Deployed, record: Record) -> None:
        self.user = f"{name}-{trial}"
        self.failure: BaseException | None = None
        seed, _, nonce = trial.partition("-")
        self._random = random.Random(f"{name} of {seed}")
        self._deployed = deployed
        self._record = record
        self.thread = str(UUID(bytes=random.Random(f"{name} {trial}").randbytes(16), version=4))
        self._number = 0
        self._words: list[str] = []
        self._nonce = nonce
        self._http = httpx.Client(headers={"X-Recuerdo-User": self.user})

    def live(self) -> None:
        """Play them, and look at both replicas in the end."""
        scenes = self._random.sample(SCENES, _SCENES_OF_ONE)
        try:
            with self._http, ThreadPoolExecutor(_RUNS_AT_ONCE + 2) as self._hands:
                for scene in scenes:
                    getattr(self, f"_{scene}")(*self._places())
                for url in self._deployed.urls:
                    self._look(url)
        except BaseException as error:
            self.failure = error

    def _places(self) -> list[str]:
        first, second = self._deployed.urls
        return [first, second] if self._random.random() < _BEGINS_AT_THE_FIRST else [second, first]

    # Scenes: each gets two replicas.

    def _forget(self, here: str, there: str) -> None:
        """Everything is erased at one replica while the other takes in what the person says."""
        word, delay = self._word(), self._random.uniform(0, 0.08)
        way = self._random.choice(("chat", "chat", "session", "run" if self._deployed.has_runs else "chat"))
        watches, pauses, keyed = [self._random.random() < share for share in (0.7, 0.7, 0.7)]
        saying = self._hands.submit(self._say, here, word, way, word if keyed else "")
        if watches:
            self._watch(there, word, saying, "state" if way == "run" else "messages")
        else:
            time.sleep(delay)
        with self._deployed.pauses.of(here, wanted=pauses):
            self._erase(there)
        saying.result()
        self._look(self._random.choice((here, there, there, there)))

    def _repeat(self, here: str, there: str) -> None:
        """An append is sent again at the other replica; the thread is cleared before the first replica goes on."""
        word, key = self._word(), f"key {self._number}"
        way, delay = self._random.choice(("append", "append", "chat")), self._random.uniform(0.05, 0.2)
        removes, pauses, late = [self._random.random() for _ in range(3)]
        with self._deployed.pauses.of(here, wanted=pauses < 0.7):
            first = self._hands.submit(self._say, here, word, way, key)
            time.sleep(delay)
            again = self._say(there, word, way, key)
            if again == "stored":
                self._remove(there, is_delete=removes < 0.3)
        first.result()
        if late < 0.3:
            self._say(here, word, way, key)
        self._look(self._random.choice((here, there, there, there)))

    def _wait(self, here: str, there: str) -> None:
        """Many runs without a thread, and the replica that made most of them pauses."""
        if not self._deployed.has_runs:
            return
        delay, length = self._random.uniform(0, 0.15), self._random.uniform(0.55, 0.8)
        places = [self._random.choice((here, here, there)) for _ in range(_RUNS_AT_ONCE)]
        waiting = [self._hands.submit(self._run, url, self._word()) for url in places]
        time.sleep(delay)
        with self._deployed.pauses.of(here):
            time.sleep(length)
        for each in waiting:
            each.result()

    def _reconnect(self, here: str, there: str) -> None:
        """A session is begun at one replica and gone on with at the other, and a stranger tries to have it."""
        word, flushes = self._word(), self._random.random() < 0.5
        session = self._session(word)
        self._bind(here, session, self.thread)
        self._say(here, word, "session", "")
        if flushes:
            self._deployed.flush()
        self._bind(there, session, None, user=f"stranger of {self.user}")
        self._bind(there, session, None)
        self._look(there)

    def _lose(self, here: str, there: str) -> None:
        """The database is away while a message is stored: what one is told of it is true."""
        word, way = self._word(), self._random.choice(("append", "append", "chat"))
        delay, length = self._random.uniform(0, 0.06), self._random.uniform(0, 0.1)
        saying = self._hands.submit(self._say, here, word, way, "")
        time.sleep(delay)
        with self._deployed.cut(here):
            time.sleep(length)
        saying.result()
        self._look(there)

    # Steps

    def _word(self) -> str:
        self._number += 1
        letters = random.Random(f"{self.user} {self._number} {self._nonce}").choices("abcdefghijklmnoprstuvwyz", k=9)
        self._words.append(f"q{''.join(letters)}x")
        return self._words[-1]

    def _watch(self, url: str, word: str, saying: "Future[Outcome]", place: str) -> None:
        """Wait until the message is there, if it comes before its answer."""
        while not saying.done() and word not in self._shown(url, place)[0]:
            time.sleep(0.005)

    def _say(self, url: str, word: str, way: str, key: str) -> Outcome:
        known = {"client": self.user, "thread": self.thread, "word": word, "way": way, "key": key or None}
        began = time.monotonic()
        if way == "session":
            outcome, version, why = self._say_in_session(url, word), NOWHERE, ""
        elif way == "run":
            outcome, version, why = self._say_to_a_graph(url, word), NOWHERE, ""
        else:
            outcome, version, why = self._say_over_http(url, f"me gusta el {word}", way, key)
        ended = {} if outcome == "unknown" else {"ended": time.monotonic()}
        self._record.add(Said(**known, outcome=outcome, version=version, why=why, began=began, **ended))
        return outcome

    def _say_over_http(self, url: str, text: str, way: str, key: str) -> tuple[Outcome, Version, str]:
        headers = {"Idempotency-Key": key} if key else {}
        if way == "chat":
            path, body = "/v1/chat", {"message": text, "thread_id": self.thread}
        else:
            path, body = f"/v1/threads/{self.thread}/messages", {"messages": [{"role": "user", "content": text}]}
        try:
            response = self._http.post(url + path, json=body, headers=headers)
        except httpx.TransportError as error:
            return "unknown", NOWHERE, repr(error)
        if response.status_code >= 300:
            return outcome_of(response), NOWHERE, response.text
        answer = response.json()
        if way == "chat" and (answer["history"] != "ok" or not answer["message"].get("seq")):
            return "unknown", NOWHERE, "the history is away"
        return "stored", Version.parse(answer["version"]), ""

    def _say_to_a_graph(self, url: str, word: str) -> Outcome:
        """A run in the thread, which keeps the word in its checkpoints and not in the history."""
        body = {"assistant_id": "echo", "input": {"word": word}, "if_not_exists": "create"}
        answer = self._ask("POST", f"{url}/threads/{self.thread}/runs/wait", json=body, also=range(400, 600))
        return "stored" if answer is not None and answer.json().get("said") == word else "unknown"

    def _session(self, word: str) -> str:
        """Each word may have one of its own."""
        return f"{self.user}-{word}"

    def _say_in_session(self, url: str, word: str) -> Outcome:
        try:
            with self._connected(url, self._session(word), self.thread, self.user) as socket:
                socket.send(json.dumps({"type": "message", "text": f"me gusta el {word}", "id": f"id of {word}"}))
                while (frame := json.loads(socket.recv(PATIENCE)))["type"] not in ("done", "error", "lost"):
                    pass
        except (WebSocketException, OSError, TimeoutError):
            return "unknown"
        return "stored" if frame["type"] == "done" and frame["data"]["message"].get("seq") else "unknown"

    def _bind(self, url: str, session: str, asked: str | None, user: str | None = None) -> None:
        known = {"client": user or self.user, "thread": "", "session": session, "asked": asked}
        began, told, ended = time.monotonic(), None, {}
        try:
            with self._connected(url, session, asked, user or self.user) as socket:
                told = json.loads(socket.recv(PATIENCE))["thread_id"]
                ended = {"ended": time.monotonic()}
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code == _NOT_FOUND:
                ended = {"ended": time.monotonic()}
        except (WebSocketException, OSError, TimeoutError):
            pass
        self._record.add(Bound(**known, began=began, told=told, **ended))

    def _connected(self, url: str, session: str, thread: str | None, user: str) -> ClientConnection:
        query = f"?thread_id={thread}" if thread else ""
        place = f"ws{url.removeprefix('http')}/ws/{session}{query}"
        return connect(place, additional_headers={"X-Recuerdo-User": user}, open_timeout=PATIENCE)

    def _remove(self, url: str, *, is_delete: bool) -> None:
        known = {"client": self.user, "thread": self.thread, "is_delete": is_delete, "began": time.monotonic()}
        method, path = ("DELETE", "") if is_delete else ("POST", "/clear")
        answer = self._ask(method, f"{url}/v1/threads/{self.thread}{path}", also=(404,))
        if answer is None:
            self._record.add(Erased(**known))
        elif answer.status_code < 300:
            self._record.add(Erased(**known, ended=time.monotonic()))

    def _erase(self, url: str) -> None:
        known = {"client": self.user, "thread": "", "began": time.monotonic()}
        answer = self._ask("POST", f"{url}/v1/erase", json={"everything": True})
        if answer is None:
            self._record.add(ErasedUser(**known))
        else:
            self._record.add(ErasedUser(**known, ended=time.monotonic(), is_complete=answer.json()["complete"]))

    def _run(self, url: str, word: str) -> None:
        known = {"client": self.user, "thread": "", "word": word, "began": time.monotonic()}
        body = {"assistant_id": "echo", "input": {"word": word}}
        answer = self._ask("POST", f"{url}/runs/wait", json=body, also=range(300, 600))
        if answer is None:
            self._record.add(Waited(**known))
        else:
            what = {"status": answer.status_code, "answer": answer.json()}
            self._record.add(Waited(**known, **what, ended=time.monotonic()))

    def _look(self, url: str) -> None:
        began, shown = time.monotonic(), {}
        for place in _LOOKS:
            shown[place], answer = self._shown(url, place)
        if answer is None:
            return
        version, said = NOWHERE, []
        if answer.status_code == 200:
            version = Version.parse(answer.json()["version"])
            roles = {message["seq"]: message["role"] for message in answer.json()["messages"]}
            said = [each._replace(text=_words(each.text)) for each in seen(answer.json()) if roles[each.seq] == "user"]
        known = {"client": self.user, "thread": self.thread, "began": began, "ended": time.monotonic()}
        self._record.add(Looked(**known, shown=shown, version=version, said=tuple(said)))

    def look_into(self, places: Mapping[str, Iterable[str]]) -> None:
        """Where nobody is shown anything, and nothing of what was erased may be either."""
        mine, began = set(self._words), time.monotonic()
        shown = {place: frozenset(mine.intersection(_WORD.findall(" ".join(texts)))) for place, texts in places.items()}
        known = {"client": self.user, "thread": "", "began": began, "ended": time.monotonic()}
        self._record.add(Looked(**known, shown=shown))

    def _shown(self, url: str, place: str) -> tuple[frozenset[str], httpx.Response | None]:
        method, path, body = _LOOKS[place]
        answer = self._ask(method, url + path.format(thread=self.thread), json=body, also=(404, 501))
        return frozenset(_WORD.findall(answer.text) if answer is not None and answer.status_code == 200 else ()), answer

    def _ask(self, method: str, url: str, also: Iterable[int] = (), **request: Any) -> httpx.Response | None:
        """The answer; None when there is none, or one that leaves everything open."""
        try:
            response = self._http.request(method, url, **request)
        except httpx.TransportError:
            return None
        if response.status_code == 503:
            return None
        assert response.status_code < 300 or response.status_code in also, f"{url}: {response.text}"
        return response


def outcome_of(refusal: httpx.Response) -> Outcome:
    """The outcome of a write that an answer with a status of 300 or more tells."""
    if refusal.status_code in _REFUSED:
        return "not stored"
    assert refusal.status_code == 503, f"{refusal.url}: {refusal.status_code} {refusal.text}"
    return "not stored" if refusal.json().get("code") == "database_unavailable" else "unknown"


def _words(text: str) -> str:
    [word] = _WORD.findall(text)
    return word
