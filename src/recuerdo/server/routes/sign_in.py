"""Sign-in for the page: at an identity provider, to which a browser is led, or with a token or an API key."""

from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from recuerdo.core.errors import InvalidInput, IssuerUnavailable, RecuerdoError, Unauthenticated
from recuerdo.server.answers import JsonResponse, SignedOut
from recuerdo.server.auditing import record, record_failure
from recuerdo.server.auth.cookies import CREDENTIAL_COOKIE, check_page
from recuerdo.server.auth.options import host_name, is_loopback
from recuerdo.server.documentation import documented
from recuerdo.server.requests import CurrentCall, ServerOptions, cookie_name, cookie_of, is_over_tls

if TYPE_CHECKING:
    from recuerdo.server.auth.oidc import SignIn

router = APIRouter(prefix="/auth", tags=["sign-in"])

_ATTEMPT = "recuerdo_sign_in"
_PATH = "/auth"
_LONGEST_PATH = 1000
_LONGEST_CREDENTIAL = 3800


@router.get("/login", status_code=302, responses=documented(None, 404, status=302))
async def login(
    request: Request, following: Annotated[str, Query(alias="next", description="The path to come back to.")] = "/"
) -> Response:
    """Redirect the browser to the identity provider."""
    sign_in = _sign_in(request)
    try:
        begun = await sign_in.begin(_local(following), f"{_public_url(request)}/auth/callback")
    except IssuerUnavailable as error:
        return _led_back(request, "away", error)
    response = _redirected(begun.url, HTTPStatus.FOUND)
    _keep_attempt(request, response, begun.attempt, 600)
    return response


@router.get("/callback", status_code=303, responses=documented(None, 401, 404, status=303))
async def callback(request: Request) -> Response:
    """Receive the identity provider's answer, and redirect the browser to the page, signed in."""
    sign_in = _sign_in(request)
    try:
        with _recording_failure(request):
            signed_in = await sign_in.finish(request.cookies.get(cookie_name(request, _ATTEMPT)), request.query_params)
    except Unauthenticated as error:
        return _led_back(request, "refused", error)
    except IssuerUnavailable as error:
        return _led_back(request, "away", error)
    principal = signed_in.session.principal
    record(request, "user.signed_in", principal.owner, principal.role)
    response = _redirected(signed_in.next)
    _keep_attempt(request, response, "", 0)
    sign_in.cookies.keep(response, signed_in.session)
    return response


@router.post("/renew", status_code=204, responses=documented(None, 401, 404, status=204))
async def renew(request: Request) -> Response:
    """Renew the session of the cookie, if the identity provider agrees."""
    sign_in = _sign_in(request)
    sealed = sign_in.cookies.find(request.headers)
    if sealed is None:
        raise Unauthenticated("There is no session. Sign in.", is_missing=True)
    with _recording_failure(request):
        session = await sign_in.renew(sign_in.cookies.open(sealed, request.headers, request))
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    sign_in.cookies.keep(response, session)
    return response


@router.post("/session", status_code=204, responses=documented(None, 401, status=204))
async def keep_credential(request: Request, call: CurrentCall) -> Response:
    """Keep the token or API key of this request in a cookie until the browser is closed."""
    check_page(request.headers, request, _own_origins(request))
    credential = request.headers.get("authorization", "").partition(" ")[2].strip()
    if not credential or call.options.auth is None or call.options.auth.rules is not None:  # which read no cookies
        raise InvalidInput("Authorization", "must have a token or an API key of this server for the browser to keep")
    if len(credential) > _LONGEST_CREDENTIAL:
        raise InvalidInput("Authorization", f"is longer than {_LONGEST_CREDENTIAL} characters: browsers keep no more")
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    _keep_credential(request, response, credential, None)
    return response


@router.post("/logout", responses=documented(SignedOut))
async def logout(request: Request) -> Response:
    """Sign the browser out, and return the address that ends the session at the identity provider."""
    sign_in: SignIn | None = request.app.state.sign_in
    sealed = None if sign_in is None else sign_in.cookies.find(request.headers)
    if sealed or cookie_of(request.headers, cookie_name(request, CREDENTIAL_COOKIE)):
        check_page(request.headers, request, _own_origins(request))
    session = sign_in.cookies.unsealed(sealed) if sign_in is not None and sealed else None
    if session is not None:
        record(request, "user.signed_out", session.principal.owner, session.role)
    ended = await sign_in.end(sealed, f"{_public_url(request)}/") if sign_in is not None and sealed else None
    response = JsonResponse(SignedOut(ended))
    _keep_credential(request, response, "", 0)
    if sign_in is not None:
        sign_in.cookies.forget(response)
    return response


@contextmanager
def _recording_failure(request: Request) -> Generator[None]:
    """Record refused sign-ins in the audit log, as every refused credential is."""
    try:
        yield
    except Unauthenticated as error:
        record_failure(request, error)
        raise


def _sign_in(request: Request) -> "SignIn":
    found: SignIn | None = request.app.state.sign_in
    if found is None:
        raise HTTPException(404, "Signing in is off. Name an identity provider with RECUERDO_OIDC_ISSUER.")
    return found


def _redirected(location: str, status: HTTPStatus = HTTPStatus.SEE_OTHER) -> Response:
    """A redirect that does not disclose the page it comes from."""
    headers = {"Location": location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(status_code=status, headers=headers)


def _led_back(request: Request, problem: str, error: RecuerdoError) -> Response:
    """Lead a browser back to the page, which says what went wrong. For programs the error is raised."""
    if "text/html" not in request.headers.get("accept", ""):
        raise error
    return _redirected(f"/?sign-in={problem}")


def _public_url(request: Request) -> str:
    options: ServerOptions = request.app.state.options
    if options.auth is not None and options.auth.public_url is not None:
        return options.auth.public_url
    host = request.headers.get("host", "")
    if not is_loopback(host_name(host)):
        raise HTTPException(404, "Say by which address browsers reach this server, with RECUERDO_PUBLIC_URL.")
    return f"{request.url.scheme}://{host}"


def _own_origins(request: Request) -> frozenset[str]:
    options: ServerOptions = request.app.state.options
    return frozenset() if options.auth is None else options.auth.own_origins


def _local(path: str) -> str:
    """The path, if it is one of this server's: `//host` and `/\\host` are addresses of others."""
    is_ours = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isascii() and path.isprintable()
    return path if is_ours and len(path) <= _LONGEST_PATH else "/"


def _keep_attempt(request: Request, response: Response, value: str, seconds: int) -> None:
    """`Lax`: the browser comes back from another site."""
    is_secure, name = is_over_tls(request), cookie_name(request, _ATTEMPT)
    path = "/" if is_secure else _PATH  # which the prefix of the name demands
    response.set_cookie(name, value, max_age=seconds, path=path, secure=is_secure, httponly=True, samesite="lax")


def _keep_credential(request: Request, response: Response, value: str, seconds: int | None) -> None:
    is_secure, name = is_over_tls(request), cookie_name(request, CREDENTIAL_COOKIE)
    response.set_cookie(name, value, max_age=seconds, path="/", secure=is_secure, httponly=True, samesite="strict")
