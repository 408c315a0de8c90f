"""Routes that read optional parameters only where a request has any."""

import inspect

from fastapi.dependencies.models import Dependant

from recuerdo.server.routes import threads
from recuerdo.server.routes.langgraph import busiest
from recuerdo.server.routing import LeanRoute


def test_functions_have_the_defaults_that_are_not_read() -> None:
    """Else a request without a parameter would be answered differently from one that names its default."""
    lean = [route for router in (threads.messages_router, busiest) for route in router.routes]
    assert lean
    for route in lean:
        assert isinstance(route, LeanRoute)
        _check(route.dependant)


def _check(part: Dependant) -> None:
    assert part.call is not None
    given = inspect.signature(part.call).parameters
    for field in (*part.query_params, *part.header_params, *part.cookie_params):
        if not field.field_info.is_required():
            assert given[field.name].default == field.field_info.get_default(), f"{part.call}: {field.name}"
    for each in part.dependencies:
        _check(each)
