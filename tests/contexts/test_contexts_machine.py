"""Contexts under random changes: two replicas, updates, invalidations, and enrichments that take their time."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from recuerdo.adapters.redis import RedisCache, RedisEntries
from recuerdo.caching.tiered import TieredCache
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import Enrichment
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope

DEADLINE = 5.0
NOW = datetime(2026, 11, 22, tzinfo=UTC)
THREADS, AGENTS, REPLICAS = st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)


class ContextsMachine(RuleBasedStateMachine):
    """Two replicas: what is invalidated or set is so for both, whatever enrichments were under way."""

    url = ""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.tenant = f"tenant-{new_id()}"
        self.source = self.do(self._source())
        self.replicas = self.do(self._replicas())
        self.windows = {}
        self.versions = [1, 1]
        self.slow = []

    async def _source(self):
        machine = self

        class VersionedSource:
            async def enrich(self, owner, assistant_id):
                version = machine.versions[int(assistant_id)]
                if machine.holding is not None:
                    machine.begun.set()
                    await machine.holding
                return Enrichment(assistant_id=assistant_id, version=version)

        self.holding, self.begun = None, asyncio.Event()
        return VersionedSource()

    async def _replicas(self):
        found = []
        for _ in range(2):
            cache = await self.stack.enter_async_context(RedisCache.open(self.url))
            found.append(Contexts(TieredCache(RedisEntries(cache), deadline=DEADLINE), self.source, lambda: NOW))
        return found

    def do(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def scope(self, thread):
        return Scope(self.tenant, "emi", f"t-{thread}")

    @rule(replica=REPLICAS, thread=THREADS, agent=AGENTS)
    def resolve(self, replica, thread, agent):
        if self.slow:
            return
        context = self.do(self.replicas[replica].get_or_create(self.scope(thread), str(agent)))
        assert (context.scope, context.assistant_id) == (self.scope(thread), str(agent))
        assert context.assistant_version == self.versions[agent]
        assert context.limits.window == self.windows.get((thread, agent))
        self.windows.setdefault((thread, agent), None)

    @rule(replica=REPLICAS, thread=THREADS, agent=AGENTS, window=st.integers(1, 9))
    def update(self, replica, thread, agent, window):
        headers = {"x-recuerdo-window": str(window)}
        updated = self.do(self.replicas[replica].update(self.scope(thread), str(agent), headers))
        assert (updated is not None) == ((thread, agent) in self.windows)
        if updated is not None:
            self.windows[thread, agent] = window

    @rule(replica=REPLICAS, thread=THREADS, agent=AGENTS)
    def invalidate(self, replica, thread, agent):
        self.do(self.replicas[replica].invalidate(self.scope(thread), str(agent)))
        self.windows.pop((thread, agent), None)

    @rule(replica=REPLICAS, agent=AGENTS)
    def change_the_assistant(self, replica, agent):
        self.versions[agent] += 1
        self.do(self.replicas[replica].invalidate_assistant(self.tenant, str(agent)))
        self.windows = {key: value for key, value in self.windows.items() if key[1] != agent}

    @rule(replica=REPLICAS)
    def invalidate_everything(self, replica):
        self.do(self.replicas[replica].invalidate_tenant(self.tenant))
        self.windows = {}

    @rule(thread=THREADS, agent=AGENTS)
    def begin_a_slow_enrichment(self, thread, agent):
        if self.slow or (thread, agent) in self.windows:
            return
        self.holding = self.loop.create_future()
        task = self.loop.create_task(self.replicas[0].get_or_create(self.scope(thread), str(agent)))
        self.do(self.begun.wait())
        self.begun.clear()
        self.slow.append((thread, agent, self.versions[agent], task))

    @rule()
    def finish_the_slow_enrichment(self):
        for thread, agent, version, task in self.slow:
            self.holding.set_result(None)
            self.holding = None
            assert self.do(task).assistant_version == version
            if self.do(self.replicas[1].update(self.scope(thread), str(agent), {})) is not None:
                self.windows.setdefault((thread, agent), None)
        self.slow.clear()

    def teardown(self):
        self.finish_the_slow_enrichment()
        self.do(self.stack.aclose())
        self.loop.close()


def test_no_context_is_ever_revived_or_foreign(redis_url):
    class Machine(ContextsMachine):
        url = redis_url

    run_state_machine_as_test(Machine, settings=settings(max_examples=40, stateful_step_count=30))
