"""Rules as a user of LangGraph writes them: who asks, and what they may do."""

from typing import Any

from langgraph_sdk import Auth

auth = Auth()

TEAMS = {"ada": "blue", "bob": "blue", "eva": "red"}


@auth.authenticate
async def authenticate(authorization: str | None, path: str, method: str) -> dict[str, Any]:
    scheme, _, name = (authorization or "").partition(" ")
    if scheme == "Broken":
        raise Auth.exceptions.HTTPException(status_code=418, detail=f"{method} {path} by a teapot")
    if name not in TEAMS:
        raise Auth.exceptions.HTTPException(status_code=401, detail="who are you?")
    permissions = ["runs:write"] if name != "eva" else []
    return {"identity": name, "team": TEAMS[name], "permissions": permissions}


@auth.on
async def deny(ctx: Auth.types.AuthContext, value: Any) -> bool:
    return False


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, Any]:
    if ctx.action == "create":
        value["metadata"] = {**(value.get("metadata") or {}), "made_by": ctx.user.identity}
    return {"made_by": ctx.user.identity}


@auth.on.threads.create_run
async def may_run(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, Any]:
    assert "runs:write" in ctx.permissions, "only some may run"
    value["metadata"] = {**(value.get("metadata") or {}), "made_by": ctx.user.identity}
    return {"made_by": ctx.user.identity}


@auth.on.assistants.read
@auth.on.assistants.search
async def any_assistant(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    return None


@auth.on.crons
async def own_crons(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"] = {**(value.get("metadata") or {}), "made_by": ctx.user.identity}
    return {"$or": [{"made_by": {"$eq": ctx.user.identity}}, {"readers": {"$contains": ctx.user.identity}}]}


@auth.on.store
async def below_the_team(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    value["namespace"] = (ctx.user["team"], *(value.get("namespace") or ()))
