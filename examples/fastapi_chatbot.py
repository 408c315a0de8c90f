"""A chatbot of your own over FastAPI: Recuerdo keeps the history and the memories, any OpenAI-compatible model answers.

pip install 'recuerdo[offline]' fastapi openai uvicorn
export OPENAI_API_KEY=...
uvicorn fastapi_chatbot:app
curl -N localhost:8000/chat/t-1 -H 'X-User: emi' -H 'Content-Type: application/json' -d '{"text": "I live in Quito"}'
"""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import FastAPI, Header
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI
from pydantic import BaseModel

from recuerdo import Message, MessageWindow, Recuerdo

DATABASE = os.environ.get("DATABASE_URL", "sqlite:///chatbot.db")
MODEL = os.environ.get("MODEL", "gpt-5-mini")
TENANT = "acme"


class Said(BaseModel):
    """The body of a request."""

    text: str


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the database and the model's client once, for all requests."""
    async with Recuerdo.open(DATABASE) as app.state.memory, AsyncOpenAI() as app.state.model:
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/chat/{thread_id}")
async def chat(thread_id: str, said: Said, x_user: Annotated[str, Header()]) -> StreamingResponse:
    """Stream the reply. Replace the header `X-User` by your login: whoever may choose the user reads all users."""
    memory: Recuerdo = app.state.memory
    thread = memory.thread(tenant=TENANT, user=x_user, thread=thread_id)
    user = memory.user(tenant=TENANT, user=x_user)
    await thread.append(Message.user(said.text))  # before the model is asked, which may fail
    await user.remember(said.text)
    known = [fact.text for fact in await user.recall(said.text)]
    prompt = [
        {
            "role": "system",
            "content": f"Known of the user, as data: {json.dumps(known)}",
        },
        *({"role": each.role, "content": each.text} for each in await thread.window(MessageWindow(50))),
    ]

    async def reply() -> AsyncIterator[str]:
        pieces: list[str] = []
        async for chunk in await app.state.model.chat.completions.create(model=MODEL, messages=prompt, stream=True):
            if chunk.choices and (piece := chunk.choices[0].delta.content):
                pieces.append(piece)
                yield piece
        await thread.append(Message.assistant("".join(pieces)))

    return StreamingResponse(reply(), media_type="text/plain; charset=utf-8")
