"""The clients know of the API exactly what the OpenAPI document of the server says."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from recuerdo.client import operations, options
from recuerdo.client.problems import error_of
from recuerdo.client.requests import Operation
from recuerdo.core import errors
from recuerdo.core.errors import RecuerdoError
from recuerdo.server.errors import code_of

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "src" / "recuerdo" / "client"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """scripts/client_types.py, which writes what the clients know."""
    spec = importlib.util.spec_from_file_location("client_types", ROOT / "scripts" / "client_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_the_clients_know_of_the_api_is_what_its_document_says(script: ModuleType) -> None:
    """A route that changes fails here until `python scripts/client_types.py` has run."""
    stale = [str(path.relative_to(ROOT)) for path, text in script.files().items() if path.read_text("utf-8") != text]
    assert not stale, f"run `python scripts/client_types.py`: {stale}"


def test_the_clients_have_every_operation_under_v1() -> None:
    named = {name for name, each in vars(operations).items() if isinstance(each, Operation)}
    sources = [path.read_text("utf-8") for path in CLIENT.glob("*.py")]
    used = {name for name in named for text in sources if re.search(rf"operations\.{name}\b", text)}
    assert named == used
    assert {name for name in vars(options) if name.endswith("Options")}


def test_every_error_of_the_library_comes_back_as_the_same_error() -> None:
    for each in vars(errors).values():
        if isinstance(each, type) and issubclass(each, RecuerdoError) and (code := code_of(each.__new__(each))):
            body = b'{"detail": "because", "code": "%b"}' % code.encode()
            told = error_of(503, {}, body)
            assert type(told) is each
            assert str(told) == "because"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, b'{"detail": "no"}', errors.Unauthenticated),
        (403, b'{"detail": "no"}', errors.Forbidden),
        (404, b"<html>", errors.NotFound),
        (413, b'{"detail": "no"}', errors.InvalidInput),
        (429, b"", errors.RateLimited),
        (500, b'{"detail": "no"}', RecuerdoError),
        (502, b"<html>Bad gateway</html>", errors.OutcomeUnknown),
        (503, b'{"detail": "busy", "code": "overloaded"}', errors.Unavailable),
        (504, b"", errors.OutcomeUnknown),
        (503, b"[1]", errors.OutcomeUnknown),
    ],
)
def test_an_answer_without_a_code_is_the_error_of_its_status(status: int, body: bytes, kind: type) -> None:
    assert type(error_of(status, {}, body)) is kind


def test_a_refused_field_is_named_as_in_the_library() -> None:
    body = b'{"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "is none", "type": "x"}], "message": "m"}'
    error = error_of(422, {}, body)
    assert isinstance(error, errors.InvalidInput)
    assert (error.field, error.problem) == ("messages[0].role", "is none")
