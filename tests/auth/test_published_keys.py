"""The keys that an issuer publishes: when they are fetched, and what serves while they can't be."""

import asyncio
import json
import threading

import pytest

from recuerdo.core.errors import IssuerUnavailable
from recuerdo.server.auth.tokens import FRESH_SECONDS, PAUSE_SECONDS, STALE_SECONDS, PublishedKeys
from servers.identity_provider import IdentityProvider


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(provider: IdentityProvider, clock: Clock) -> PublishedKeys:
    return PublishedKeys(provider.jwks_url, clock=clock)


async def test_keys_are_fetched_when_they_are_first_needed_and_kept(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock
) -> None:
    assert provider.requests == 0
    for _ in range(3):
        assert await keys.find("rsa-1", "RS256") is not None
        assert await keys.find("ec-1", "ES256") is not None
        clock.now += FRESH_SECONDS / 3 - 1
    assert provider.requests == 1


async def test_a_new_key_is_found_when_a_token_names_it(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock
) -> None:
    await keys.find("rsa-1", "RS256")
    provider.published = ["rsa-2"]
    clock.now += PAUSE_SECONDS
    assert await keys.find("rsa-2", "RS256") is not None
    assert await keys.find("rsa-1", "RS256") is None


async def test_a_key_that_was_withdrawn_is_forgotten_after_a_while(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock
) -> None:
    await keys.find("rsa-1", "RS256")
    provider.published = ["ec-1"]
    clock.now += FRESH_SECONDS + 1
    assert await keys.find("rsa-1", "RS256") is None


async def test_unknown_keys_make_it_ask_now_and_then_only(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock
) -> None:
    for number in range(100):
        assert await keys.find(f"unknown-{number}", "RS256") is None
    assert provider.requests == 1
    clock.now += PAUSE_SECONDS
    await asyncio.gather(*[keys.find(f"unknown-{number}", "RS256") for number in range(100)])
    assert provider.requests == 2


async def test_many_that_ask_at_once_share_one_fetch(provider: IdentityProvider, keys: PublishedKeys) -> None:
    found = await asyncio.gather(*[keys.find("rsa-1", "RS256") for _ in range(50)])
    assert None not in found
    assert provider.requests == 1


@pytest.mark.parametrize("fault", ["down", "garbage", "no list", "too much", "redirected"])
async def test_known_keys_go_on_serving_while_the_issuer_is_away(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock, fault: str
) -> None:
    assert await keys.find("rsa-1", "RS256") is not None
    break_it(provider, fault)
    for hours in (1, 12, 23):
        clock.now = 1000 + hours * 3600
        assert await keys.find("rsa-1", "RS256") is not None
    assert provider.requests == 4
    clock.now = 1001 + STALE_SECONDS
    with pytest.raises(IssuerUnavailable):
        await keys.find("rsa-1", "RS256")
    provider.reset()
    clock.now += PAUSE_SECONDS
    assert await keys.find("rsa-1", "RS256") is not None


@pytest.mark.parametrize("fault", ["down", "garbage", "no list", "too much", "redirected"])
async def test_without_any_known_key_it_says_that_the_issuer_is_away(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock, fault: str
) -> None:
    break_it(provider, fault)
    for _ in range(3):
        with pytest.raises(IssuerUnavailable):
            await keys.find("rsa-1", "RS256")
    assert provider.requests == 1
    provider.reset()
    clock.now += PAUSE_SECONDS
    assert await keys.find("rsa-1", "RS256") is not None


async def test_nobody_at_the_address_is_an_issuer_that_is_away(clock: Clock) -> None:
    with pytest.raises(IssuerUnavailable):
        await PublishedKeys("http://127.0.0.1:1/jwks", clock=clock).find("rsa-1", "RS256")


async def test_who_has_a_key_does_not_wait_for_somebody_elses_fetch(provider: IdentityProvider, clock: Clock) -> None:
    """Even when the keys are old and the issuer hangs, one request waits and the others go on."""
    hangs, may_end = threading.Event(), threading.Event()
    may_end.set()

    def fetch(url: str) -> bytes:
        hangs.set()
        may_end.wait(60)
        return json.dumps({"keys": [provider.jwk("rsa-1")]}).encode()

    keys = PublishedKeys("-", fetch=fetch, clock=clock)
    await keys.find("rsa-1", "RS256")
    clock.now += FRESH_SECONDS + 1
    may_end.clear()
    waiting = asyncio.create_task(keys.find("rsa-1", "RS256"))
    hangs.clear()
    await asyncio.to_thread(hangs.wait, 60)
    assert await keys.find("rsa-1", "RS256") is not None
    assert not waiting.done()
    may_end.set()
    assert await waiting is not None


async def test_forged_tokens_share_one_fetch_and_a_pause_follows_its_end(
    provider: IdentityProvider, clock: Clock
) -> None:
    """However long the issuer takes, nobody waits for the fetches of others, one behind the other."""
    fetches = 0

    def fetch(url: str) -> bytes:
        nonlocal fetches
        fetches += 1
        clock.now += PAUSE_SECONDS + 1
        return json.dumps({"keys": [provider.jwk("rsa-1")]}).encode()

    keys = PublishedKeys("-", fetch=fetch, clock=clock)
    forged = [keys.find(f"forged-{number}", "RS256") for number in range(8)]
    *unknown, known = await asyncio.gather(*forged, keys.find("rsa-1", "RS256"))
    assert (fetches, unknown) == (1, [None] * 8)
    assert known is not None
    assert await keys.find("forged", "RS256") is None
    assert fetches == 1


@pytest.mark.parametrize(
    "fields",
    [{"use": "enc"}, {"alg": "RS512"}, {"kty": "oct", "k": "c2VjcmV0"}, {"kty": "XX"}, {"n": "!"}, {"e": None}],
)
async def test_a_key_for_something_else_is_not_taken(
    provider: IdentityProvider, keys: PublishedKeys, fields: dict[str, object]
) -> None:
    provider.published, provider.fields = ["rsa-1"], fields
    assert await keys.find("rsa-1", "RS256") is None


async def test_a_token_without_a_key_id_is_for_the_only_key_of_its_kind(
    provider: IdentityProvider, keys: PublishedKeys, clock: Clock
) -> None:
    assert await keys.find(None, "RS256") is not None
    provider.published = ["rsa-1", "rsa-2"]
    clock.now += FRESH_SECONDS + 1
    assert await keys.find(None, "RS256") is None


def break_it(provider: IdentityProvider, fault: str) -> None:
    provider.down = fault == "down"
    if fault == "redirected":
        provider.redirect = f"{provider.url}/elsewhere"
    provider.body = {"garbage": b"<html>", "no list": b'{"keys": 7}', "too much": b" " * (2**20 + 1)}.get(fault)
