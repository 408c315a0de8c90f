"""API keys over HTTP, for admins of the tenant."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Response

from recuerdo.core.api_keys import ApiKey, check_grant, checked_scopes, issue, successor
from recuerdo.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.roles import ADMIN_ROLE, OPERATOR_ROLE, exceeds
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server.answers import JsonResponse, KeyList, KnownKey, NewKey
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, CurrentCall
from recuerdo.server.schemas import KeyBody, Limit, RotationBody

router = APIRouter(prefix="/v1/keys", tags=["keys"])

KeyId = Annotated[str, Path(description="The key's id, as a list of keys has it.")]


@router.post("", status_code=201, responses=documented(NewKey, 403, 404, status=201))
async def create_key(body: KeyBody, call: CurrentCall) -> JsonResponse:
    """Create a key that acts as a user of the caller's tenant. The answer alone has its secret. For admins."""
    keys = _keys(call)
    if body.role == OPERATOR_ROLE:
        raise Forbidden(
            "An operator's key is made where the server runs: recuerdo token create --role operator. Choose another."
        )
    if body.ttl is not None and body.expires_at is not None:
        raise InvalidInput("ttl", "give ttl or expires_at, not both")
    now, mine = utc_now(), call.principal.scopes
    if body.expires_at is not None and body.expires_at <= now:
        raise InvalidInput("expires_at", "is past: such a key could never be used. Name a later time")
    issued = issue(
        Owner(call.owner.tenant, body.user),
        now,
        name=body.name,
        role=body.role,
        tier=body.tier,
        expires_at=body.expires_at if body.ttl is None else now + timedelta(seconds=body.ttl),
        scopes=mine if body.scopes is None else checked_scopes(body.scopes),
    )
    check_grant(issued.key.role, issued.key.scopes, call.options.role_of(call.principal), mine)
    await keys.add(issued.key)
    call.audit("key.created", issued.key.id, user=body.user, granted=issued.key.role)
    return JsonResponse(NewKey(KnownKey.of(issued.key), issued.secret), 201)


@router.get("", responses=documented(KeyList, 403, 404))
async def list_keys(
    call: CurrentCall, user: Annotated[str | None, Query(description="Only this user's.")] = None, limit: Limit = 50
) -> JsonResponse:
    """The tenant's keys without their secrets, the latest first. For admins."""
    found = await _keys(call).select(call.owner.tenant, user, limit)
    return JsonResponse(KeyList([*map(KnownKey.of, found)]))


@router.post("/{key_id}/rotate", status_code=201, responses=documented(NewKey, 403, 404, 409, status=201))
async def rotate_key(key_id: KeyId, call: CurrentCall, body: RotationBody | None = None) -> JsonResponse:
    """Replace a key by one with another secret; the old one is good for `overlap` more seconds. For admins."""
    keys, now = _keys(call), utc_now()
    old = await _found(keys, call, key_id)
    check_grant(old.role, old.scopes, call.options.role_of(call.principal), call.principal.scopes)
    new = successor(old, now)
    overlap = timedelta(seconds=(body or RotationBody()).overlap)
    if not await keys.rotate(old.id, new.key, now + overlap):
        raise Conflict("The key was rotated or revoked meanwhile. List the keys, and rotate the current one.")
    call.audit("key.rotated", old.id, successor=new.key.id)
    return JsonResponse(NewKey(KnownKey.of(new.key), new.secret), 201)


@router.delete("/{key_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def revoke_key(key_id: KeyId, call: CurrentCall) -> Response:
    """Revoke a key: every server refuses it within 2 seconds. For admins."""
    keys = _keys(call)
    key = await _found(keys, call, key_id)
    if exceeds(key.role, call.options.role_of(call.principal)):
        raise Forbidden(f"The key has the role {key.role!r}, which is higher than yours. Ask for it where it was made.")
    await keys.revoke(call.owner.tenant, key.id, utc_now())
    call.audit("key.revoked", key.id, user=key.owner.user)
    return Response(status_code=204)


def _keys(call: ApiCall) -> ApiKeyRepository:
    """The keys, for a caller who decides about them. Raises Forbidden, or a 404 where none are taken."""
    if not call.may(ADMIN_ROLE):
        raise Forbidden(f"A tenant's keys are for the role {ADMIN_ROLE!r} to make and to end.")
    auth, keys = call.options.auth, call.options.api_keys
    if auth is None or not auth.api_keys or keys is None:
        raise HTTPException(404, "This server takes no API keys. Start it with RECUERDO_AUTH_API_KEYS=true.")
    return keys


async def _found(keys: ApiKeyRepository, call: ApiCall, key_id: str) -> ApiKey:
    key = await keys.get(call.owner.tenant, key_id)
    if key is None:
        raise NotFound("API key", key_id)
    return key
