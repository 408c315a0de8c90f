"""A Redis Cluster of three masters: its nodes die, its slots move, and no answer changes."""

import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.redis import RedisCache
from recuerdo.core.errors import ConfigurationError
from servers.process import free_port
from servers.valkey import ValkeyCluster, ValkeyServer, running_valkey_cluster

THREADS = 12
"""Enough that each of the three masters has some of them."""


@pytest.fixture(scope="module")
def cluster():
    """A cluster of this file's own: its nodes may be killed."""
    with running_valkey_cluster() as cluster:
        yield cluster


def url_of(cluster: ValkeyCluster) -> str:
    return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in cluster.nodes)


def conversations(memory: Recuerdo, name: str):
    return [memory.thread(tenant="acme", user="emi", thread=f"{name}-{number}") for number in range(THREADS)]


async def say(threads, text: str) -> None:
    for thread in threads:
        await thread.append(Message.user(text))


async def said(threads, **how) -> list[list[str]]:
    return [[each.text for each in await thread.window(MessageWindow(5), **how)] for thread in threads]


async def test_a_url_may_name_nodes_of_which_the_first_is_away(cluster):
    url = f"redis+cluster://127.0.0.1:{free_port()},127.0.0.1:{cluster.nodes[1].port}"
    async with RedisCache.open(url) as cache:
        await cache.set("key", b"1")
        assert await cache.get("key") == b"1"


@pytest.mark.parametrize("url", ["redis+cluster://localhost:6379/1", "rediss+cluster://localhost:six"])
async def test_a_url_with_another_database_or_no_port_is_refused_by_an_error_that_shows_one(url):
    with pytest.raises(ConfigurationError, match="host:6379,host:6379"):
        async with RedisCache.open(url):
            pass


async def test_each_master_keeps_some_of_the_threads(cluster):
    """A thread is one slot, with its lease, and threads spread over the slots."""
    async with Recuerdo.open("memory://", cache=url_of(cluster), embeddings="none") as memory:
        threads = conversations(memory, "spread")
        await say(threads, "hola")
        assert await said(threads) == [["hola"]] * THREADS
    assert all(_keys(node) for node in cluster.nodes)


async def test_a_slot_that_moves_takes_its_thread_along(cluster):
    """Cached reads and appends go on while the thread's slot is given to another master."""
    async with Recuerdo.open("memory://", cache=url_of(cluster), embeddings="none") as memory:
        threads = conversations(memory, "moved")
        await say(threads, "hola")
        await said(threads)
        for key in _keys(cluster.nodes[0]):
            _move(cluster, key)
        assert not _keys(cluster.nodes[0])
        await say(threads, "¿qué tal?")
        assert await said(threads, consistency="cached") == [["hola", "¿qué tal?"]] * THREADS


async def test_threads_of_a_master_that_died_are_answered_from_the_database(cluster):
    """Nothing is refused meanwhile, and the threads are cached again when the node is back."""
    async with Recuerdo.open("memory://", cache=url_of(cluster), embeddings="none") as memory:
        threads = conversations(memory, "died")
        await say(threads, "hola")
        await said(threads)
        cluster.nodes[1].kill()
        try:
            await say(threads, "¿qué tal?")
            assert await said(threads) == [["hola", "¿qué tal?"]] * THREADS
        finally:
            cluster.nodes[1].start()
            cluster.wait()
        await say(threads, "adiós")
        assert await said(threads, consistency="cached") == [["hola", "¿qué tal?", "adiós"]] * THREADS


def _keys(node: ValkeyServer) -> list[str]:
    with node.client() as client:
        return [str(key) for key in client.keys("recuerdo:*")]


def _move(cluster: ValkeyCluster, key: str) -> None:
    """Give the key's slot, with all keys in it, to the third master."""
    source, target = cluster.nodes[0], cluster.nodes[2]
    with source.client() as giver, target.client() as taker:
        slot = giver.execute_command("CLUSTER", "KEYSLOT", key)
        ids = {client: client.execute_command("CLUSTER", "MYID") for client in (giver, taker)}
        taker.execute_command("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[giver])
        giver.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[taker])
        for each in giver.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 100):
            giver.execute_command("MIGRATE", "127.0.0.1", target.port, each, 0, 5000)
        for client in (taker, giver):
            client.execute_command("CLUSTER", "SETSLOT", slot, "NODE", ids[taker])
