"""The interleavings by which caches over a history have gone wrong, each by its name.

Every read is checked against the commit order as it is made; what a scenario asserts besides is what it is about.
"""

import pytest

from recuerdo.core.errors import AlreadyErased, DatabaseUnavailable, EpochChanged
from recuerdo.core.messages import decode
from recuerdo.core.threads import NOWHERE, MessageQuery
from simulation.cache_faults import STALE_SECONDS
from simulation.director import Director
from simulation.world import SCOPES, Settings, world

TELL = "append: to the cache"
FILL = "fill: to the cache"
PURGE = "purge: to the cache"


SCENARIOS = {}
"""By name: what happens, and the settings of the deployment where it does."""


def scenario(**settings):
    def named(happens):
        SCENARIOS[happens.__name__] = (happens, settings)
        return happens

    return named


def play(name, loop, resp):
    """Play the scenario. Raises AssertionError when the cache layer does not hold."""
    happens, settings = SCENARIOS[name]
    with world(loop, resp, settings=Settings(**settings)) as made:
        happens(Director(made))


def texts(page):
    return [decode(record.body).text for record in page.records]


@scenario()
def a_push_onto_an_expired_list(play):
    """An entry that expired is not begun anew by the next append, which would be served as everything."""
    a, b = play.replicas
    play.append(a, "m1", "m2")
    play.read_cached(a)
    play.world.forget_key(play.scope, 0)
    play.append(a, "m3")
    assert texts(play.read_cached(b)) == ["m1", "m2", "m3"]


@scenario()
def a_limited_page_cached_as_everything(play):
    """Reading one message does not make the next reader believe that there is only one."""
    a, b = play.replicas
    play.append(a, "m1", "m2", "m3")
    assert texts(play.read_cached(a, ("page", MessageQuery(limit=1)))) == ["m3"]
    assert texts(play.read_cached(b)) == ["m1", "m2", "m3"]
    play.append(a, "m4", "m5", "m6")
    assert texts(play.read_cached(b, ("page", MessageQuery(limit=6)))) == ["m1", "m2", "m3", "m4", "m5", "m6"]
    assert not play.read_cached(b, ("tail", 4)).complete


@scenario()
def a_skip_past_the_cached_end(play):
    """A page behind the end is empty, and does not put the end in twice."""
    a, b = play.replicas
    play.append(a, "m1", "m2", "m3")
    play.read_cached(a)
    assert texts(play.read_cached(a, ("page", MessageQuery(limit=4, after=100)))) == []
    play.append(b, "m4")
    assert texts(play.read_cached(b, ("page", MessageQuery(limit=4, after=2)))) == ["m3", "m4"]
    assert texts(play.read_cached(a)) == ["m1", "m2", "m3", "m4"]


@scenario()
def two_rebuilds(play):
    """Of two readers who find nothing one fills the entry, once."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.read_cached(a, until=FILL)
    assert texts(play.read_cached(b)) == ["m1"]
    play.append(b, "m2")
    assert texts(play.read_cached(b)) == ["m1", "m2"]
    play.finish(slow)
    assert texts(play.read_cached(b)) == ["m1", "m2"]


@scenario()
def a_rebuild_racing_an_append(play):
    """Messages that were read before an append are not filled in after it."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.read_cached(a, until=FILL)
    play.append(b, "m2")
    play.finish(slow)
    assert texts(play.read_cached(a)) == ["m1", "m2"]


@scenario()
def a_duplicate_in_a_rebuild(play):
    """An append whose news come when the entry has them already changes nothing."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.append(a, "m2", until=TELL)
    play.read_cached(b)
    play.append(b, "m3")
    play.finish(slow)
    assert texts(play.read_cached(b)) == ["m1", "m2", "m3"]


@scenario()
def reordered_writers(play):
    """The news of 3 come before those of 2: neither a hole nor an end that goes back."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(a)
    slow = play.append(a, "m2", until=TELL)
    play.append(b, "m3")
    assert texts(play.read_cached(b)) == ["m1", "m2", "m3"]
    play.finish(slow)
    assert texts(play.read_cached(a)) == ["m1", "m2", "m3"]


@scenario()
def a_phantom_when_the_write_fails(play):
    """A message that the database did not take is in no cache."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.world.settings.faults.rates.database_lost = 1.0
    with pytest.raises(DatabaseUnavailable):
        play.append(a, "m2")
    play.world.settings.faults.rates.database_lost = 0.0
    assert texts(play.read_cached(b)) == ["m1"]


@scenario()
def an_unknown_outcome_retried(play):
    """The reply to a commit is lost: the retry is answered with the first receipt, and all see the message once."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.world.settings.faults.rates.database_reply_lost = 1.0
    with pytest.raises(DatabaseUnavailable):
        play.append(a, "m2", key="k")
    play.world.settings.faults.rates.database_reply_lost = 0.0
    assert play.append(b, "m2", key="k").replayed
    assert texts(play.read_cached(a)) == ["m1", "m2"]


@scenario()
def a_late_commit_retried(play):
    """The commit happens after its failure was reported and the caches purged; the retry tells them again."""
    a, b = play.replicas
    play.append(a, "m1")
    play.world.settings.faults.rates.database_late = 1.0
    with pytest.raises(DatabaseUnavailable):
        play.append(a, "m2", key="k")
    play.world.settings.faults.rates.database_late = 0.0
    assert texts(play.read_cached(b)) == ["m1"]
    play.deliver("append: late to the database")
    assert play.append(b, "m2", key="k").replayed
    assert texts(play.read_cached(b)) == ["m1", "m2"]
    assert play.read_cached(b).records == play.read(a).records


@scenario()
def a_retry_that_overtakes(play):
    """A client's retry is answered by another replica while the first still has to tell the cache."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    slow = play.append(a, "m2", key="k", until=TELL)
    assert play.append(b, "m2", key="k").replayed
    assert texts(play.read_cached(b)) == ["m1", "m2"]
    play.finish(slow)
    assert texts(play.read_cached(b)) == ["m1", "m2"]


@scenario()
def a_retry_that_comes_behind_a_clear(play):
    """The first try hangs before the database while the retry is stored and the thread cleared: it stores nothing."""
    a, b = play.replicas
    slow = play.append(a, "m1", key="k", until="append: to the database")
    play.append(b, "m1", key="k")
    play.clear(b)
    with pytest.raises(AlreadyErased):
        play.finish(slow)
    assert texts(play.read(b)) == texts(play.read_cached(a)) == []


@scenario()
def a_stale_fill_after_a_delete(play):
    """Messages that were read before a deletion are not filled in after it."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.read_cached(a, until=FILL)
    play.delete(b)
    play.finish(slow)
    assert play.read_cached(a).version == NOWHERE


@scenario()
def a_zombie_writer_of_an_old_epoch(play):
    """A writer for an epoch that is over is refused, and the notice of its last commit changes nothing."""
    a, b = play.replicas
    epoch = play.append(a, "m1").version.epoch
    zombie = play.append(a, "m2", until=TELL)
    play.clear(b)
    play.append(b, "n1")
    play.read_cached(b)
    play.finish(zombie)
    assert texts(play.read_cached(b)) == ["n1"]
    with pytest.raises(EpochChanged):
        play.append(a, "m3", expected_epoch=epoch)
    assert texts(play.read_cached(b)) == ["n1"]


@scenario()
def clock_steps(play):
    """Seqs order, whatever the clocks of the replicas say: each append here has a time of its own."""
    a, b = play.replicas
    for number, replica in enumerate([a, b, a, b]):
        play.append(replica, f"m{number}")
    assert texts(play.read_cached(a)) == texts(play.read(b)) == ["m0", "m1", "m2", "m3"]


@scenario()
def ids_that_are_alike_when_joined(play):
    """`a:b` + `c` never meets `a` + `b:c`."""
    a, b = play.replicas
    for scope, text in zip(SCOPES, ("mine", "yours"), strict=True):
        play.append(a, text, scope=scope)
        play.read_cached(a, scope=scope)
    found = [texts(play.read_cached(b, scope=scope)) for scope in SCOPES]
    assert found == [["mine"], ["yours"]]


@scenario()
def a_read_before_the_news(play):
    """A reader that knows of an append which the cache has not heard of yet sees it: by the head, or by the version."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    slow = play.append(a, "m2", until=TELL)
    assert texts(play.read(b)) == ["m1", "m2"]
    play.finish(slow)
    play.cut(a)
    version = play.append(a, "m3").version
    assert texts(play.read_cached(b, min_version=version)) == ["m1", "m2", "m3"]


@scenario()
def a_replica_that_shows_what_it_asked_for_before(play):
    """A cached read does not share the answer to one that began before it."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.read_cached(a, until=FILL)
    play.append(b, "m2")
    assert texts(play.read_cached(a)) == ["m1", "m2"]
    play.finish(slow)


@scenario()
def a_strong_read_during_an_archiving(play):
    """A strong read goes by the revision of the head, even before the caches know of the archiving."""
    a, b = play.replicas
    play.append(a, "m1", "m2")
    play.read_cached(b)
    slow = play.archive(a, 1, 1, until=PURGE)
    assert texts(play.read(b, ("tail", 2))) == ["m2"]
    play.finish(slow)


@scenario()
def an_append_over_an_untold_archiving(play):
    """An entry that misses an archiving is not extended: nobody would see the new message and the old mark."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    slow = play.archive(a, 1, 1, until=PURGE)
    play.append(b, "m2")
    assert [record.archived for record in play.read_cached(b).records] == [True, False]
    play.finish(slow)


@scenario()
def a_failure_beside_a_success(play):
    """Of two changes of a thread one can't be told: the other, which is told later, does not make that good."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.append(a, "m2", until="append: from the cache")
    play.read_cached(b)
    play.cut(a)
    play.archive(a, 1, 1)
    play.heal()
    play.finish(slow)
    play.wait(STALE_SECONDS)
    assert [record.archived for record in play.read_cached(b).records] == [True, False]


@scenario(most_stale=1)
def an_outage_that_is_too_long_to_count(play):
    """Notices that the cache missed are made good when it is back; of more threads than fit, by purging all."""
    a, b = play.replicas
    for scope in SCOPES:
        play.append(a, "m1", scope=scope)
        play.read_cached(b, scope=scope)
    play.cut(a)
    for scope in SCOPES:
        play.append(a, "m2", scope=scope)
    play.heal()
    play.wait(STALE_SECONDS)
    found = [texts(play.read_cached(b, scope=scope)) for scope in SCOPES]
    assert found == [["m1", "m2"]] * 2


@scenario(shared=False)
def a_load_that_fails_beside_another(play):
    """Two loads of a thread are under way and one fails: a change still makes the other too old to be kept."""
    a, b = play.replicas
    play.append(b, "m1")
    failing = play.read(a, until="snapshot: to the database")
    play.append(b, "m2")
    slow = play.read(a, until="snapshot: from the database")
    play.world.settings.faults.rates.database_lost = 1.0
    with pytest.raises(DatabaseUnavailable):
        play.finish(failing)
    play.world.settings.faults.rates.database_lost = 0.0
    play.append(a, "m3")
    play.finish(slow)
    play.wait(STALE_SECONDS)
    assert texts(play.read_cached(a)) == ["m1", "m2", "m3"]


@scenario(sweepers=True)
def a_kill_between_commit_and_cache(play):
    """Nobody tells the cache of a commit: the sweeper of another replica ends that within two seconds."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.kill(play.append(a, "m2", until=TELL))
    play.wait(STALE_SECONDS)
    assert texts(play.read_cached(b)) == ["m1", "m2"]


@scenario(sweepers=True)
def a_kill_after_an_archiving(play):
    """The same, of an archiving: the version stays and the revision tells."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.kill(play.archive(a, 1, 1, until=PURGE))
    play.wait(STALE_SECONDS)
    assert [record.archived for record in play.read_cached(b).records] == [True]


@scenario(sweepers=True)
def a_kill_after_a_deletion(play):
    """The same, of a deletion: what is erased is not shown."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.kill(play.delete(a, until=PURGE))
    play.wait(STALE_SECONDS)
    assert play.read_cached(b).version == NOWHERE


@scenario()
def a_kill_during_a_rebuild(play):
    """Nobody breaks the lease of a reader who read before the commit: the sweeper does."""
    a, b = play.replicas
    play.append(a, "m1")
    slow = play.read_cached(b, until=FILL)
    play.kill(play.append(a, "m2", until=TELL))
    play.sweep(b)
    play.finish(slow)
    assert texts(play.read_cached(b)) == ["m1", "m2"]


@scenario()
def a_sweep_that_fails(play):
    """A thread that one sweeper could not compare is compared by another one."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.sweep(a)
    play.kill(play.append(a, "m2", until=TELL))
    play.kill(play.sweep(b, until="verify: to the cache"))
    a, b = play.replicas
    play.sweep(a)
    assert texts(play.read_cached(b)) == ["m1", "m2"]


@scenario()
def a_cache_that_forgot_how_far_it_was_swept(play):
    """Without a mark, every thread is compared."""
    a, b = play.replicas
    play.append(a, "m1")
    play.read_cached(b)
    play.kill(play.append(a, "m2", until=TELL))
    play.world.resp.command("DEL", "recuerdo:verified")
    play.sweep(b)
    assert texts(play.read_cached(b)) == ["m1", "m2"]
