"""A small server that speaks the OpenAI protocol (chats and embeddings) over a real socket, with scripted replies.

    async with OpenAIServer() as server:
        server.say("Hola, Emiliano.")
        model = open_model("openai:test", base_url=server.url, api_key="sk-test")

Each request takes the next script; without one the server repeats the last user message. Requests for an answer in a
form (`response_format`) take the next of those that `server.form` holds, a Script each. `server.requests` holds the
JSON bodies that came, `server.headers` their headers, and `server.arrived` and `server.hung_up` are events: a
request came, a client left in mid-reply. Requests for embeddings are in `server.embedded`, with their headers.
`python tests/servers/openai_server.py 8099` serves on that port until it is stopped.
"""

import asyncio
import base64
import json
import struct
import sys
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Script:
    """One scripted answer: an HTTP error, or a text that may be slow, or cut off after some pieces."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds before each piece."""
    silence: float = 0.0
    """Seconds before the server answers at all."""
    hold: asyncio.Event | None = None
    """The event that has to be set before the server answers."""
    cut_after: int | None = None
    """Pieces after which the connection breaks."""
    calls: tuple[dict[str, Any], ...] = ()
    """Tools that the model wants to be called, behind the text."""

    def pieces(self) -> list[str]:
        words = self.text.split(" ")
        return [word if last else word + " " for word, last in zip(words, _marks_last(words), strict=True)]


class OpenAIServer:
    """The server: an async context manager that listens on a free port of the loopback."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._scripts: deque[Script] = deque()
        self.form: deque[Script] = deque()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.embedded: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.arrived = asyncio.Event()
        self.hung_up = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._connections.values():
            writer.transport.abort()
        await asyncio.gather(*self._connections)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def say(self, text: str, **how: Any) -> None:
        """Answer the next request with the text."""
        self._scripts.append(Script(text, **how))

    def call(self, *tools: tuple[str, str, dict[str, Any]]) -> None:
        """Answer the next request with calls of tools: id, name and arguments of each."""
        calls = [
            {"index": index, "id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for index, (id_, name, args) in enumerate(tools)
        ]
        self._scripts.append(Script(calls=tuple(calls)))

    async def is_alone(self) -> None:
        """Wait until no client is connected."""
        while self._connections:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    def fail(self, status: int, **headers: str) -> None:
        """Answer the next request with an HTTP error."""
        self._scripts.append(Script(status=status, headers=headers))

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            del self._connections[task]
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer. False when the connection is over."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        if head[0].startswith("POST /v1/embeddings "):
            self.embedded.append((body, headers))
            writer.write(_response(200, _embeddings(body)))
            return True
        if not head[0].startswith("POST /v1/chat/completions "):
            writer.write(_response(404, _error(404)))
            return True
        self.headers.append(headers)
        self.requests.append(body)
        self.arrived.set()
        scripts = self.form if "response_format" in body else self._scripts
        script = scripts.popleft() if scripts else Script(_last_user_text(body))
        answering = asyncio.ensure_future(self._answer(writer, body, script))
        return await self._unless_hung_up(reader, answering)

    async def _unless_hung_up(self, reader: asyncio.StreamReader, answering: "asyncio.Future[bool]") -> bool:
        while not (answering.done() or reader.at_eof() or reader.exception()):
            await asyncio.wait([answering], timeout=0.01)
        if answering.done():
            return answering.result()
        self.hung_up.set()
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        return False

    async def _answer(self, writer: asyncio.StreamWriter, body: dict[str, Any], script: Script) -> bool:
        await asyncio.sleep(script.silence)
        if script.hold is not None:
            await script.hold.wait()
        if script.status != 200:
            writer.write(_response(script.status, _error(script.status), script.headers))
        elif body.get("stream"):
            return await self._stream(writer, body["model"], script)
        else:
            await asyncio.sleep(script.pause * len(script.pieces()))
            writer.write(_response(200, _completion(body["model"], script)))
        await writer.drain()
        return True

    async def _stream(self, writer: asyncio.StreamWriter, model: str, script: Script) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        async for data in _events(model, script):
            if data is None:
                writer.transport.abort()
                return False
            event = f"data: {data}\n\n".encode()
            writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _marks_last(words: list[str]) -> Iterator[bool]:
    return (index == len(words) - 1 for index in range(len(words)))


async def _events(model: str, script: Script) -> AsyncIterator[str | None]:
    """The data of the stream's events; None where the connection breaks."""
    yield _chunk(model, {"role": "assistant", "content": ""})
    for index, piece in enumerate(script.pieces()):
        if index == script.cut_after:
            yield None
        await asyncio.sleep(script.pause)
        yield _chunk(model, {"content": piece})
    if script.calls:
        yield _chunk(model, {"tool_calls": script.calls})
    yield _chunk(model, {}, finish=_finish(script))
    yield "[DONE]"


def _finish(script: Script) -> str:
    return "tool_calls" if script.calls else "stop"


def _chunk(model: str, delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps(
        {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}
    )


def _completion(model: str, script: Script) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": script.text}
    if script.calls:
        message |= {"content": None, "tool_calls": script.calls}
    choice = {"index": 0, "message": message, "finish_reason": _finish(script)}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """A vector a text, of its length and its first characters."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    vectors = [[float(len(text)), *(float(ord(char)) for char in f"{text:4.4}")] for text in map(str, texts)]
    packed = [base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() for vector in vectors]
    shown = packed if body.get("encoding_format") == "base64" else vectors
    data = [{"object": "embedding", "index": index, "embedding": each} for index, each in enumerate(shown)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _error(status: int) -> dict[str, Any]:
    """Like the real one's, which quotes a part of a wrong key."""
    message = "Incorrect API key provided: sk-test-SECRET." if status == 401 else "The server says no: SECRET."
    return {"error": {"message": message, "type": "error", "param": None, "code": None}}


def _response(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> bytes:
    payload = json.dumps(body).encode()
    lines = {"content-type": "application/json", "content-length": str(len(payload)), **(headers or {})}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + payload


def _last_user_text(body: dict[str, Any]) -> str:
    return next((str(m["content"]) for m in reversed(body.get("messages", [])) if m["role"] == "user"), "")


async def _serve(port: int) -> None:
    async with OpenAIServer(port) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
