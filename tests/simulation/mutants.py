"""The cache layer with one thing wrong at a time, to see that the simulator would notice."""
# pyright: basic

import inspect
import textwrap
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import NamedTuple
from unittest.mock import patch

from recuerdo.adapters.redis import scripts


class Edit(NamedTuple):
    """Put `new` for `old` in a script (`append.lua`) or a function (`module:Class.method`)."""

    where: str
    old: str
    new: str


TIERS = "recuerdo.caching.history:HistoryTiers"
LOCAL = "recuerdo.caching.history:LocalTier"
GUARD = "recuerdo.caching.guard:GuardedCache"
HISTORY = "recuerdo.caching.history:CachedHistory"
SWEEPER = "recuerdo.history.caches:Sweeper"

_NEW_ENTRY = """if not entry[1] then
    redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'epoch', ARGV[2], 'seq', ARGV[3] - 1, 'first', 1, 'revision', ARGV[7],
        'system', '')
    entry = {ARGV[1], ARGV[2], ARGV[3] - 1, ARGV[3], ARGV[7]}
end"""

MUTANTS = {
    # The scripts
    "APPEND leaves the lease whole": [Edit("append.lua", "redis.call('DEL', KEYS[2])\n", "")],
    "APPEND creates an absent entry": [Edit("append.lua", "if not entry[1] then return 0 end", _NEW_ENTRY)],
    "APPEND extends over a gap": [
        Edit("append.lua", " or new_first > seq + 1", ""),
        Edit("append.lua", "ARGV[number - new_first + 8])", "ARGV[math.max(8, number - new_first + 8)])"),
    ],
    "APPEND takes an older epoch for the entry's": [Edit("append.lua", "epoch > new_epoch", "false")],
    "APPEND takes a newer epoch for the entry's": [Edit("append.lua", "epoch < new_epoch", "false")],
    "APPEND takes a replay for news": [Edit("append.lua", "if new_seq <= seq then return 0 end\n", "")],
    "APPEND extends over an archiving": [Edit("append.lua", "tonumber(entry[5]) ~= tonumber(ARGV[7])", "false")],
    "APPEND forgets the system message": [Edit("append.lua", "if ARGV[6] ~= ''", "if false")],
    "FILL ignores the lease": [Edit("fill.lua", "if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end\n", "")],
    "FILL takes any lease for its own": [Edit("fill.lua", "~= ARGV[1]", "== false")],
    "READ ignores the least version": [Edit("read.lua", "seq >= tonumber(ARGV[5])", "true")],
    "READ ignores the epoch": [
        Edit("read.lua", "if ARGV[2] ~= '' and", "if false and"),
        Edit("read.lua", "epoch > least_epoch or (epoch == least_epoch and", "(true or (true and"),
        Edit("read.lua", "seq >= tonumber(ARGV[5]))", "seq >= tonumber(ARGV[5])))"),
    ],
    "READ ignores the revision": [Edit("read.lua", "if ARGV[3] ~= '' and", "if false and")],
    "READ ignores the owner": [Edit("read.lua", "if owner ~= ARGV[1] then return false end\n", "")],
    "READ gives every reader a lease": [Edit("read.lua", "'NX', ", ""), Edit("fill.lua", "~= ARGV[1]", "== false")],
    "PURGE keeps the lease": [Edit("purge.lua", "KEYS[1], KEYS[2]", "KEYS[1]")],
    "PURGE keeps the entry": [Edit("purge.lua", "KEYS[1], KEYS[2]", "KEYS[2]")],
    "VERIFY keeps the lease": [Edit("verify.lua", "redis.call('DEL', KEYS[2])\n", "")],
    "VERIFY keeps entries of deleted threads": [Edit("verify.lua", " and true_epoch > 0", "")],
    "VERIFY compares no seqs": [Edit("verify.lua", "tonumber(entry[3]) >= tonumber(ARGV[3])", "true")],
    "VERIFY compares no revisions": [Edit("verify.lua", "tonumber(entry[4]) >= tonumber(ARGV[4])", "true")],
    # The notices, and their times
    "caches are told before the commit": [
        Edit(
            f"{HISTORY}.append",
            "    try:\n",
            "    head = await self._repository.head(batch[0].scope)\n"
            "    epoch, seq = head.version\n"
            "    early = [Record(seq + 1 + n, False, each.body) for n, each in enumerate(batch[0].messages)]\n"
            "    await self._tiers.appended([AppendedRecords(batch[0].scope, epoch, early, head.revision)])\n"
            "    try:\n",
        )
    ],
    "a replay is told to nobody": [Edit(f"{HISTORY}.append", "replayed.append(request.scope)", "pass")],
    "a replay is told as news": [
        Edit(f"{HISTORY}.append", "records, outcome.revision", "records, 0"),
        Edit(f"{HISTORY}.append", "if outcome.replayed:", "if False:"),
    ],
    "an unknown outcome is told to nobody, and its replay neither": [
        Edit(f"{HISTORY}.append", "await self._tiers.changed([request.scope for request in batch])", "pass"),
        Edit(f"{HISTORY}.append", "replayed.append(request.scope)", "pass"),
    ],
    "an archiving is told to nobody": [Edit(f"{HISTORY}.archive", "await self._tiers.changed([scope])", "pass")],
    "a clear is told to nobody": [
        Edit("recuerdo.caching.history:CachedThreads.clear", "await self._tiers.changed([scope])", "pass")
    ],
    "a deletion is told to nobody": [
        Edit("recuerdo.caching.history:CachedThreads.delete", "await self._tiers.changed([scope])", "pass")
    ],
    # The tiers
    "a cached read joins one that began before": [
        Edit(
            f"{TIERS}.known",
            "found = await self._shared.read(scope, at_least, wanted)\n    if isinstance(found, Snapshot):\n"
            "        return found\n",
            "async def find():\n"
            "        found = await self._shared.read(scope, at_least, wanted)\n"
            "        if isinstance(found, Snapshot):\n"
            "            return found\n"
            "        return await self._fill(self._shared, scope, found, look)\n"
            "    return await self._lookups.run((scope, at_least), find)\n",
        )
    ],
    "a strong read ignores the seq of the head": [
        Edit("recuerdo.caching.history:_has_reached", "and known.version.seq >= asked.version.seq", "")
    ],
    "a strong read ignores the epoch of the head": [
        Edit("recuerdo.caching.history:_has_reached", "known.version.epoch == asked.version.epoch", "True")
    ],
    "a strong read ignores the revision of the head": [
        Edit("recuerdo.caching.history:_has_reached", "and known.revision == asked.revision", "")
    ],
    "the process keeps what was loaded before a change": [Edit(f"{LOCAL}.put", "if load.broken:", "if False:")],
    "a failed load hides others from changes": [
        Edit(f"{LOCAL}.abandon", "self._break(scope)", "del self._loads[scope]")
    ],
    "the process extends over a gap": [
        Edit("recuerdo.caching.history:extend", " or change.records[0].seq > head.version.seq + 1", "")
    ],
    "the process extends another epoch": [
        Edit("recuerdo.caching.history:extend", "change.epoch != head.version.epoch or", ""),
        Edit(f"{LOCAL}.append", "entry is None or entry.head.version.epoch > change.epoch", "entry is None"),
    ],
    "a part is taken for the whole tail": [
        Edit(
            "recuerdo.caching.history:tail_of",
            "if len(shown) <= limit and len(snapshot.records) < snapshot.head.version.seq:",
            "if False:",
        )
    ],
    "a part is taken for the whole page": [
        Edit("recuerdo.caching.history:page_of", "if covered else None", ""),
    ],
    # Failures
    "nobody repairs what the cache missed": [
        Edit(f"{GUARD}._purge_stale", "while self._stale or self._last_uncounted:", "while False:")
    ],
    "more stale threads than are kept in mind are forgotten": [
        Edit(f"{GUARD}._mark_stale", "self._last_uncounted = self._failed_updates", "pass")
    ],
    "what was told late makes an earlier failure good": [
        Edit(f"{GUARD}._update", "updated = True", "updated = bool([self._stale.pop(scope, None) for scope in scopes])")
    ],
    "nobody sweeps": [Edit(f"{SWEEPER}.sweep", "mark, is_full = await self._tiers.mark(), True", "return")],
    "the sweeper keeps the mark of what it could not verify": [
        Edit(
            "recuerdo.adapters.redis.history:RedisHistory.verify",
            "forgotten = sum(",
            "await self._cache.set(_MARK, _with_checksum(changed.mark.encode()))\n    forgotten = sum(",
        )
    ],
    "the process's sweeper drops nothing": [Edit(f"{LOCAL}.verify", "self.drop(scope)", "pass")],
    # The decision of an append
    "an append ignores the expected epoch": [
        Edit("recuerdo.adapters.local.history:admit", "request.expected_epoch is not None", "False")
    ],
    "an append ignores its idempotency key": [
        Edit("recuerdo.adapters.local.history:admit", "if prior is None:", "if True:")
    ],
    "a clear drops the keys of its thread": [
        Edit("recuerdo.adapters.local.connection:LocalDatabase.clear", "self.spend_keys(scope, at)", "pass")
    ],
    "a deletion drops the keys of its thread": [
        Edit("recuerdo.adapters.local.history:LocalThreads.delete", "self._database.spend_keys(scope, at)", "pass")
    ],
    # The owners of data
    "keys and owners are joined carelessly": [
        Edit("recuerdo.adapters.redis.history:digest", "measured(*parts)", "':'.join(parts).encode()"),
        Edit(
            "recuerdo.adapters.redis.history:_owner",
            "measured(scope.tenant, scope.user, scope.thread)",
            "f'{scope.tenant}:{scope.user}:{scope.thread}'.encode()",
        ),
    ],
}


PLAYED = {
    "APPEND extends over an archiving": "an_append_over_an_untold_archiving",
    "APPEND extends over a gap": "reordered_writers",
    "APPEND takes an older epoch for the entry's": "a_zombie_writer_of_an_old_epoch",
    "APPEND takes a replay for news": "a_duplicate_in_a_rebuild",
    "READ ignores the least version": "a_read_before_the_news",
    "READ ignores the revision": "a_strong_read_during_an_archiving",
    "VERIFY keeps the lease": "a_kill_during_a_rebuild",
    "VERIFY keeps entries of deleted threads": "a_kill_after_a_deletion",
    "VERIFY compares no seqs": "a_kill_between_commit_and_cache",
    "VERIFY compares no revisions": "a_kill_after_an_archiving",
    "a replay is told to nobody": "a_retry_that_overtakes",
    "a replay is told as news": "a_late_commit_retried",
    "a failed load hides others from changes": "a_load_that_fails_beside_another",
    "what was told late makes an earlier failure good": "a_failure_beside_a_success",
    "nobody repairs what the cache missed": "an_outage_that_is_too_long_to_count",
    "more stale threads than are kept in mind are forgotten": "an_outage_that_is_too_long_to_count",
    "nobody sweeps": "a_kill_between_commit_and_cache",
    "the sweeper keeps the mark of what it could not verify": "a_sweep_that_fails",
}
"""The mutants that only one in thousands of schedules shows, and the scenario that always does."""


CHAT = "recuerdo.agents.chat:Chat"

OF_TURNS = {
    "a turn takes the epoch of the memories when it remembers": [Edit(f"{CHAT}._remember", "beginning=beginning,", "")],
    "a turn leaves its message in a thread that others have begun, and says that it was not stored": [
        Edit(f"{CHAT}._append_message", "NOWHERE.epoch", "None"),
        Edit(
            f"{CHAT}._stored",
            "if await self._taken_back(turn, receipt):",
            "if not await self._taken_back(turn, receipt) or True:",
        ),
    ],
    "a reply goes into whatever epoch the thread is": [
        Edit("recuerdo.agents.replies:Replies.store", "expected_epoch=epoch or None", "expected_epoch=None")
    ],
}
"""Chat turns with one thing wrong."""

OF_WAITS = {
    "a result goes with its run before the waiter reads it": [
        Edit("recuerdo.runs.lifecycle:ThreadWork.change", "self._results, erase=True", "erase=True")
    ],
    "what is gone is an empty result": [
        Edit(
            "recuerdo.runs.runs:Runs._result",
            "return msgspec.json.decode((await self._kept(owner, run.run_id)).payload)",
            "return {}",
        )
    ],
}
"""Runs without a thread with one thing wrong."""


@contextmanager
def applied(edits):
    """The edits, for a while. Raises AssertionError when the text to replace is not there exactly once."""
    with ExitStack() as stack:
        texts = {edit.where: None for edit in edits}
        for where in texts:
            mine = [edit for edit in edits if edit.where == where]
            stack.enter_context(_script(where, mine) if where.endswith(".lua") else _function(where, mine))
        yield


def _script(where, edits):
    original = scripts.load

    def load(name):
        text = original(name)
        return _edited(text, edits) if where == f"{name}.lua" else text

    return patch.object(scripts, "load", load)


def _function(where, edits):
    module, _, path = where.partition(":")
    *owners, name = path.split(".")
    owner = import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    function = inspect.unwrap(getattr(owner, name))
    text = _edited(textwrap.dedent(inspect.getsource(function)), edits)
    made = {}
    exec(
        compile(f"from __future__ import annotations\n{text}", f"mutant of {where}", "exec"), function.__globals__, made
    )
    return patch.object(owner, name, made[name])


def _edited(text, edits):
    for edit in edits:
        assert text.count(edit.old) == 1, f"{edit.where} no longer has, exactly once: {edit.old}"
        text = text.replace(edit.old, edit.new)
    return text
