"""A customer service over a WebSocket of your own. Slow work goes to workers, and survives the server and the worker.

    pip install 'recuerdo[offline]' fastapi uvicorn websockets
    export DATABASE_URL=postgresql://...              # or leave it out: a SQLite file
    uvicorn customer_service:app                      # any number of these
    python customer_service.py                        # a worker; any number of these

A customer sends {"id": "m-1", "text": "Hola"} to ws://localhost:8000/service/t-1?user=emi, and gets {"token": ...} for
each piece and {"reply": ...} at the end. {"id": "m-2", "ticket": "It broke"} gets {"ticket": ...} when a worker has
opened one. Whatever is sent again with the same id happens once.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, ClassVar

from fastapi import FastAPI, WebSocket, WebSocketDisconnect

from recuerdo import Recuerdo
from recuerdo.agents.events import Finished, Token
from recuerdo.core.actions import ActionEnvelope, Queue
from recuerdo.core.scope import Scope

DATABASE = os.environ.get("DATABASE_URL", "sqlite:///service.db")
MODEL = os.environ.get("MODEL", "offline")  # or openai:gpt-5-mini, with OPENAI_API_KEY


class OpenTicket(ActionEnvelope, frozen=True, kw_only=True, tag="open-ticket"):
    """Open a ticket about the customer's problem."""

    queue: ClassVar[Queue] = "query"
    problem: str


async def open_ticket(action: OpenTicket, context: Any) -> dict[str, str]:
    """Work for a worker: ask your ticket system here, with the action's id as its idempotency key."""
    return {"ticket": f"{action.user}: {action.problem}"}


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open Recuerdo once, for all customers."""
    async with Recuerdo.open(DATABASE, model=MODEL) as app.state.memory:
        yield


app = FastAPI(lifespan=lifespan)


@app.websocket("/service/{thread}")
async def serve(socket: WebSocket, thread: str, user: str) -> None:
    """Answer one customer. Replace the parameter `user` by your login."""
    memory, scope = app.state.memory, Scope("acme", user, thread)
    await socket.accept()
    async with asyncio.TaskGroup() as tickets:
        try:
            while True:
                frame = await socket.receive_json()
                if "ticket" in frame:
                    tickets.create_task(_hand_over(memory, socket, scope, frame))
                    continue
                async for event in memory.chat.stream(scope, frame["text"], idempotency_key=frame["id"]):
                    match event:
                        case Token(text):
                            await socket.send_json({"token": text})
                        case Finished(reply):
                            await socket.send_json({"reply": reply.reply.text})
        except WebSocketDisconnect:
            return


async def _hand_over(memory: Recuerdo, socket: WebSocket, scope: Scope, frame: dict[str, str]) -> None:
    ids = {"action_id": frame["id"], "task_id": frame["id"], "created_at": datetime.now(UTC)}
    action = OpenTicket(**ids, tenant=scope.tenant, user=scope.user, thread=scope.thread, problem=frame["ticket"])
    await socket.send_json((await memory.actions.do(action)).value)


async def work() -> None:
    """Open tickets until the process ends; what it leaves unfinished another worker does."""
    async with Recuerdo.open(DATABASE) as memory:
        memory.worker.register(OpenTicket, open_ticket)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(work())
