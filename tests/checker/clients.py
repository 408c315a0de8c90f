"""Clients over HTTP that do as they like, try again what failed, and note what they were told."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import httpx

from checker.record import Appended, Archived, Erased, Forked, Read, Record, Seen, Window
from recuerdo.core.threads import NOWHERE, Version

THREADS = 4
_TRIES = 5
_ERASED = 410
_DOINGS = {
    "append": 10,
    "read": 5,
    "read_cached": 6,
    "window": 2,
    "archive": 1,
    "fork": 0.5,
    "clear": 0.3,
    "delete": 0.3,
}
_DOING_OF = {
    "Appended": "append",
    "Read": "read",
    "cached read": "read_cached",
    "Window": "window",
    "Archived": "archive",
    "Forked": "fork",
    "Erased": "clear",
}
"""By the kind of answer that the trial counts."""


class Answer(NamedTuple):
    """A status, and a JSON body where there is one."""

    status: int
    body: Any


class Client:
    """Somebody who talks to any replica until `end` is set. `failure` is what must never happen to it.

    Half of what it does is of the kinds in `lacking`, as soon as somebody says that there are too few of them.
    """

    def __init__(self, name: str, trial: str, urls: Sequence[str], record: Record, end: threading.Event) -> None:
        self.name = name
        self.failure: BaseException | None = None
        self.lacking: Sequence[str] = ()
        seed, _, _ = trial.partition("-")
        self._random = random.Random(f"{name} of {seed}")
        self._threads = [thread_name(trial, number) for number in range(THREADS)]
        self._urls = urls
        self._record = record
        self._end = end
        self._done = 0
        self._latest: dict[str, Version] = {}
        self._http = httpx.Client(headers={"X-Recuerdo-User": "emi"})

    def live(self) -> None:
        """Act, and rest a little, until the end."""
        try:
            with self._http:
                while not self._end.is_set():
                    self._act()
                    self._end.wait(self._random.uniform(0, 0.03))
        except BaseException as error:
            self.failure = error

    def _act(self) -> None:
        self._done += 1
        thread = self._random.choice(self._threads)
        getattr(self, f"_{self._doing()}")(thread)

    def _doing(self) -> str:
        if self.lacking and self._random.random() < 0.5:
            return _DOING_OF[self._random.choice(self.lacking)]
        [doing] = self._random.choices([*_DOINGS], [*_DOINGS.values()])
        return doing

    def _append(self, thread: str) -> None:
        """Until somebody says that it is stored: the key makes the tries one append."""
        name = f"{self.name}-{self._done}"
        padding = "x" * self._random.choice((0, 0, 100, 1500))
        texts = [f"{name}-{part} {padding}" for part in range(self._random.choice((1, 1, 1, 2, 5)))]
        body = {"messages": [{"role": "user", "content": text} for text in texts]}
        known = {"client": self.name, "thread": thread, "began": time.monotonic(), "texts": tuple(texts)}
        for _ in range(_TRIES):
            headers = {"Idempotency-Key": name}
            answer = self._ask("POST", f"{thread}/messages", also=(_ERASED,), json=body, headers=headers)
            if answer is not None and answer.status == _ERASED:  # a try was stored, and the thread cleared since
                break
            if answer is not None:
                version = self._learn(thread, answer.body["version"])
                receipt = {"seqs": tuple(answer.body["seqs"]), "ids": tuple(answer.body["ids"]), "version": version}
                self._record.add(Appended(**known, **receipt, ended=time.monotonic()))
                return
            if self._end.wait(self._random.uniform(0.02, 0.3)):
                break
        self._record.add(Appended(**known))

    def _read(self, thread: str) -> None:
        self._read_page(thread, {})

    def _read_cached(self, thread: str) -> None:
        """Often at the version that this client knows: one reads what one has written."""
        known = self._latest.get(thread, NOWHERE) if self._random.random() < 0.5 else NOWHERE
        self._read_page(thread, {"consistency": "cached", "min_version": str(known)}, known)

    def _read_page(self, thread: str, how: dict[str, str], known: Version = NOWHERE) -> None:
        limit, began = self._random.choice((1, 5, 20, 100, 300)), time.monotonic()
        read = read_page(self._asking("GET"), thread, {"limit": limit, **how})
        if read is not None:
            version, messages = read
            self._record.add(
                Read(
                    client=self.name,
                    thread=thread,
                    began=began,
                    ended=time.monotonic(),
                    limit=limit,
                    version=version,
                    messages=messages,
                    is_cached=bool(how),
                    min_version=known,
                )
            )

    def _window(self, thread: str) -> None:
        limit, began = self._random.choice((1, 10, 50, 250)), time.monotonic()
        answer = self._ask("GET", f"{thread}/window", params={"messages": limit}, also=(404,))
        if answer is not None and answer.status == 200:
            messages = seen(answer.body)
            known = {"client": self.name, "thread": thread, "began": began, "ended": time.monotonic()}
            self._record.add(Window(**known, limit=limit, messages=messages))

    def _archive(self, thread: str) -> None:
        """Never in the first thread: there windows have no holes."""
        thread = self._random.choice(self._threads[1:])
        first = self._random.randint(1, 30)
        what = {"first": first, "last": first + self._random.randrange(5), "archived": self._random.random() < 0.8}
        self._once(Archived, thread, "POST", "/archive", what, what)

    def _fork(self, thread: str) -> None:
        what = {"target": f"{thread}-fork-{self.name}-{self._done}", "at_seq": self._random.randint(1, 20)}
        self._once(Forked, thread, "POST", "/fork", what, what)

    def _clear(self, thread: str) -> None:
        self._once(Erased, thread, "POST", "/clear", None, {})

    def _delete(self, thread: str) -> None:
        self._once(Erased, thread, "DELETE", "", None, {"is_delete": True})

    def _once(self, kind: Callable[..., Any], thread: str, method: str, path: str, body: Any, known: Any) -> None:
        """A request without a key is tried once. A refusal (no such thread, or none so long) changes nothing."""
        known = {**known, "client": self.name, "thread": thread, "began": time.monotonic()}
        answer = self._ask(method, thread + path, json=body, also=(404, 422))
        if answer is None:
            self._record.add(kind(**known))
        elif answer.status < 300:
            if path == "/clear":
                known["version"] = self._learn(thread, answer.body["version"])
            self._record.add(kind(**known, ended=time.monotonic()))

    def _learn(self, thread: str, version: str) -> Version:
        learnt = Version.parse(version)
        self._latest[thread] = max(learnt, self._latest.get(thread, NOWHERE))
        return learnt

    def _asking(self, method: str) -> Callable[..., Answer | None]:
        return lambda path, **request: self._ask(method, path, **request)

    def _ask(self, method: str, path: str, also: Sequence[int] = (), **request: Any) -> Answer | None:
        """The answer of any replica; None when there is none, or one that leaves everything open."""
        url = f"{self._random.choice(self._urls)}/v1/threads/{path}"
        try:
            response = self._http.request(method, url, **request)
        except httpx.TransportError:
            return None
        if response.status_code == 503:
            return None
        assert response.status_code < 300 or response.status_code in also, f"{url}: {response.text}"
        return Answer(response.status_code, response.json() if response.content else None)


def thread_name(trial: str, number: object) -> str:
    """The threads of a trial are its own."""
    return f"t{trial}-{number}"


def read_page(
    ask: Callable[..., Answer | None], thread: str, parameters: dict[str, Any]
) -> tuple[Version, tuple[Seen, ...]] | None:
    """The version and the messages of a page with the archived ones; NOWHERE where there is no such thread."""
    answer = ask(f"{thread}/messages", params={"include_archived": "true", **parameters}, also=(404,))
    if answer is None:
        return None
    if answer.status == 404:
        return NOWHERE, ()
    return Version.parse(answer.body["version"]), seen(answer.body)


def seen(body: Any) -> tuple[Seen, ...]:
    """The messages of an answer."""
    return tuple(
        Seen(message["seq"], message["id"], message["content"], message.get("archived", False))
        for message in body["messages"]
    )
