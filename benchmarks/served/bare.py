"""A bare FastAPI application: the least that a server in Python does to send bytes that are there already."""

import os
from pathlib import Path

from fastapi import FastAPI, Response
from pydantic import BaseModel

_BODY = Path(os.environ["BARE_BODY"]).read_bytes()

app = FastAPI()


@app.get("/")
async def body() -> Response:
    """The bytes of the file that BARE_BODY names."""
    return Response(_BODY, media_type="application/json")


class Message(BaseModel):
    """A message as clients send it."""

    role: str
    content: str


class Appended(BaseModel):
    """The body of an append."""

    messages: list[Message]


@app.post("/")
async def append(body: Appended) -> dict[str, int]:
    """Validates the messages and stores nothing."""
    return {"appended": len(body.messages)}


@app.get("/ok")
async def ok() -> Response:
    """Says that it is ready."""
    return Response(b"{}", media_type="application/json")
