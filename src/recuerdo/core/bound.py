"""Services whose methods name an owner or a thread, bound to one."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar

S = TypeVar("S")
W = TypeVar("W")
P = ParamSpec("P")
T = TypeVar("T")


class Bound(Generic[S, W]):
    """A service for one owner, or one thread. Nothing happens until a method is awaited."""

    def __init__(self, service: S, place: W) -> None:
        self._service = service
        self._place = place


def bound(method: Callable[Concatenate[S, W, P], T]) -> Callable[Concatenate[Bound[S, W], P], T]:
    """The method without the argument after `self`, which is the owner or the thread that the service is bound to."""
    name, signature = method.__name__, inspect.signature(method)

    @wraps(method)
    def call(self: Bound[S, W], *args: P.args, **options: P.kwargs) -> T:
        service, place = self._service, self._place  # pyright: ignore[reportPrivateUsage]
        return getattr(service, name)(place, *args, **options)  # the object's own method: it may be measured

    itself, _, *others = signature.parameters.values()
    call.__dict__["__signature__"] = signature.replace(parameters=[itself, *others])
    return call
