"""An application of a user's own, with a lifespan."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request

begun: list[str] = []


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
    begun.append("begun")
    yield


app = FastAPI(lifespan=lifespan)


@app.get("/whoami")
async def whoami(request: Request) -> dict[str, Any]:
    return {"begun": begun, "identity": request.user.identity, "scopes": request.auth.scopes}


@app.get("/threads/count")
async def in_the_way() -> str:
    return "theirs"


@app.get("/ok")
async def never_reached() -> str:
    return "theirs"
