"""A bare FastAPI application: the least that a server in Python does to send bytes that are there already."""

import os
from pathlib import Path

from fastapi import FastAPI, Response

_BODY = Path(os.environ["BARE_BODY"]).read_bytes()

app = FastAPI()


@app.get("/")
async def body() -> Response:
    """The bytes of the file that BARE_BODY names."""
    return Response(_BODY, media_type="application/json")


@app.get("/ok")
async def ok() -> Response:
    """Says that it is ready."""
    return Response(b"{}", media_type="application/json")
