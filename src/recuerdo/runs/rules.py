"""`auth` of a langgraph.json: the user's own code identifies callers and decides what they may do."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from recuerdo.concurrency.tasks import call
from recuerdo.core.errors import ConfigurationError, RecuerdoError
from recuerdo.runs.encoding import encode

Conditions = Mapping[str, Any]
"""Conditions on metadata: `{"owner": "emi"}`, `{"owner": {"$eq": "emi"}}`, `{"teams": {"$contains": "blue"}}` or a
list of what is contained, and `$or` and `$and` of several: https://docs.langchain.com/langsmith/auth
"""

_KNOWN = (
    *("request", "path", "method", "path_params", "query_params"),
    *("headers", "authorization", "scope", "scopes", "user"),
)
"""The parameters that a handler of `authenticate` may have."""

_SHOWN = ("identity", "is_authenticated", "display_name")


class RuleDenied(RecuerdoError):
    """A handler has refused the request, with an HTTP status."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


class User(dict[str, Any]):
    """The caller as handlers and graphs see it: by attributes and by keys."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Caller(NamedTuple):
    """An authenticated caller: `user` is what the handler returned."""

    user: Any
    permissions: Sequence[str]

    @property
    def identity(self) -> str:
        return str(self.user.identity)

    def claim(self, name: str) -> str | None:
        """Another field of the handler's answer, if it is a text."""
        value = getattr(self.user, name, None)
        return value if isinstance(value, str) and value else None

    @property
    def configurable(self) -> dict[str, Any]:
        """The fields that graphs find in their config."""
        user: object = self.user
        if not isinstance(user, dict):
            user = {name: getattr(user, name, None) for name in _SHOWN}
        shown = msgspec.json.decode(encode(cast(object, user)))
        return {"langgraph_auth_user": shown, "langgraph_auth_permissions": list(self.permissions)}


class AuthRules:
    """The handlers of a `langgraph_sdk.Auth`."""

    def __init__(self, auth: Any) -> None:
        """Raises ConfigurationError when the answer names no caller."""
        handler: Callable[..., Any] | None = getattr(auth, "_authenticate_handler", None)
        if handler is None:
            raise ConfigurationError(
                "The `auth` of langgraph.json must be a langgraph_sdk.Auth with an @auth.authenticate handler."
            )
        self._auth = auth
        self._authenticate = handler
        parameters = inspect.signature(handler).parameters.values()
        unknown = [each.name for each in parameters if each.name not in _KNOWN and each.default is each.empty]
        if unknown:
            raise ConfigurationError(
                f"The @auth.authenticate handler asks for {', '.join(unknown)}. It may ask for: {', '.join(_KNOWN)}."
            )
        self.parameters = {each.name for each in parameters if each.name in _KNOWN}

    async def authenticate(self, given: Mapping[str, Any]) -> Caller:
        """The caller, as the handler identifies it. Raises RuleDenied."""
        chosen = {name: given[name] for name in self.parameters if name in given}
        try:
            return _caller(await call(self._authenticate, **chosen))
        except Exception as error:
            raise _refusal(error) from error

    async def ask(self, caller: Caller, resource: str, action: str, value: dict[str, Any]) -> Conditions:
        """The conditions that metadata must meet for the caller; handlers may change the value. Raises RuleDenied."""
        handler = self._handler(resource, action)
        if handler is None:
            return {}
        from langgraph_sdk.auth.types import AuthContext

        context = AuthContext(
            permissions=caller.permissions, user=caller.user, resource=cast(Any, resource), action=cast(Any, action)
        )
        try:
            answer = await handler(ctx=context, value=value)
        except AssertionError as error:
            raise RuleDenied(403, str(error) or "Forbidden") from error
        except Exception as error:
            raise _refusal(error) from error
        if answer is False:
            raise RuleDenied(403, "Forbidden")
        if answer not in (None, True) and not isinstance(answer, Mapping):
            raise ConfigurationError("A handler of `auth` must return None, a bool, or conditions on metadata.")
        return cast(Conditions, answer) if isinstance(answer, Mapping) else {}

    @property
    def restrict(self) -> bool:
        """Whether there is an `@auth.on` handler. Without one the rules only authenticate."""
        return bool(self._auth._handlers or self._auth._global_handlers)

    def _handler(self, resource: str, action: str) -> Callable[..., Awaitable[Any]] | None:
        """The most specific one."""
        for key in ((resource, action), (resource, "*"), ("*", action), ("*", "*")):
            if key in self._auth._handlers:
                return self._auth._handlers[key][-1]
        return self._auth._global_handlers[-1] if self._auth._global_handlers else None


class Access(NamedTuple):
    """The permissions of one caller."""

    rules: AuthRules
    caller: Caller

    async def ask(self, resource: str, action: str, value: dict[str, Any]) -> Conditions:
        """See AuthRules."""
        return await self.rules.ask(self.caller, resource, action, value)


def _caller(answer: Any) -> Caller:
    permissions: Any = None
    user = answer
    if isinstance(answer, tuple):
        permissions, user = cast(tuple[Any, Any], answer)
    if isinstance(user, str):
        user = User(identity=user)
    elif isinstance(user, Mapping):
        user = User(cast(Mapping[str, Any], user))
    if not isinstance(getattr(user, "identity", None), str):
        raise ConfigurationError("The @auth.authenticate handler must return an identity: a text, or a dict with one.")
    if isinstance(user, User):
        user = User({"is_authenticated": True, "display_name": user.identity, **user})
    permissions = permissions if permissions is not None else getattr(user, "permissions", None)
    return Caller(user, [*(permissions or ())])


def _refusal(error: Exception) -> Exception:
    """The error that a handler raised; the SDK's own exception names the status of the answer."""
    if isinstance(error, RecuerdoError) or not isinstance(getattr(error, "status_code", None), int):
        return error
    said: Any = error
    return RuleDenied(said.status_code, str(said.detail), said.headers)


def fits(metadata: Mapping[str, Any], conditions: Conditions) -> bool:
    """Whether the metadata meets the conditions. Raises ConfigurationError for unknown operators."""
    return all(_holds(metadata, name, wanted) for name, wanted in conditions.items())


def are_values(conditions: Conditions) -> bool:
    """Whether they are values that metadata has to hold, and nothing else."""
    return not any(name.startswith("$") or isinstance(wanted, Mapping) for name, wanted in conditions.items())


def _holds(metadata: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "$or":
        return any(fits(metadata, each) for each in _several(name, wanted))
    if name == "$and":
        return all(fits(metadata, each) for each in _several(name, wanted))
    if not isinstance(wanted, Mapping):
        return name in metadata and metadata[name] == wanted
    return all(_compares(metadata, name, *each) for each in cast(Conditions, wanted).items())


def _compares(metadata: Mapping[str, Any], name: str, operator: str, wanted: Any) -> bool:
    held = metadata.get(name)
    if operator == "$eq":
        return name in metadata and held == wanted
    if operator == "$contains":
        needed = cast(list[Any], wanted) if isinstance(wanted, list) else [wanted]
        return isinstance(held, list) and all(each in cast(list[Any], held) for each in needed)
    raise ConfigurationError(f"A handler of `auth` returned the operator {operator!r}. Use $eq or $contains.")


def _several(name: str, wanted: Any) -> Sequence[Conditions]:
    if not isinstance(wanted, list) or not all(isinstance(each, Mapping) for each in cast(list[Any], wanted)):
        raise ConfigurationError(f"A handler of `auth` returned {name} without a list of conditions.")
    return cast(list[Conditions], wanted)
