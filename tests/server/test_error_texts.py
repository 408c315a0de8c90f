"""The parts of a request that an error's text may quote, and those that nobody is shown."""

import pytest

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable
from recuerdo.server.errors import plain_detail_of

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "quoted",
    [
        f"postgresql://emi:{SECRET}@db:5432/chat",
        f"redis://:{SECRET}@cache:6379",
        f"mongodb://emi:{SECRET}@x{SECRET}@db/chat",
        f"host=db password={SECRET} user=emi",
        f"https://agents.example/?token={SECRET}&page=2",
    ],
)
@pytest.mark.parametrize("kind", [ConfigurationError, DatabaseUnavailable])
def test_an_answer_quotes_an_address_without_its_password(kind: type[Exception], quoted: str) -> None:
    shown = plain_detail_of(kind(f"The graph 'x' can't be loaded: {quoted} does not answer at 12:30."))
    assert SECRET not in shown
    assert shown.startswith("The graph 'x' can't be loaded: ")
    assert shown.endswith("does not answer at 12:30.")


@pytest.mark.parametrize(
    "url", [f"emi:{SECRET}@db/chat", f"postgresql://emi:{SECRET}@[db/chat", f"postgresql://db/chat?{SECRET}"]
)
async def test_a_database_url_that_cant_be_read_is_not_quoted(url: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        async with open_repositories(url):
            pass
    assert SECRET not in str(raised.value)
