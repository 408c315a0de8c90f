"""The simulation of a fleet, and the table of its costs."""

from itertools import pairwise

from benchmarks.fleet import LOADS, PHASES, PRICES, Entries, Fleet, Simulation, month, shares

SMALL = Fleet(users=20_000, replicas=10)


def test_the_same_seed_gives_the_same_hour():
    assert Simulation(SMALL).run() == Simulation(SMALL).run()
    assert Simulation(SMALL).run() != Simulation(SMALL._replace(seed=2)).run()


def test_users_who_stay_at_a_replica_find_their_threads_there():
    spread, sticky = (shares(Simulation(SMALL._replace(sticky=each)).run(), PHASES[0]) for each in (False, True))
    assert spread["from the process"] < 0.3 < 0.6 < sticky["from the process"]
    assert abs(spread["from the database"] - sticky["from the database"]) < 0.1


def test_a_zone_that_fails_sends_its_threads_to_the_database():
    minutes = Simulation(SMALL).run()
    before, failure = (shares(minutes, PHASES[place])["from the database"] for place in (0, 1))
    assert failure > before + 0.1


def test_a_cache_forgets_what_was_not_used_for_longest():
    entries = Entries(3 * 10 * 600)
    for user in range(4):
        entries.put(user, 10)
    assert [entries.knows(user, 10) for user in range(4)] == [False, True, True, True]


def test_an_append_elsewhere_makes_a_copy_old_and_not_wrong():
    entries = Entries(2**20)
    entries.put(1, 10)
    assert not entries.knows(1, 12)
    entries.extends(1, 11, 1)
    assert not entries.knows(1, 10)


def test_ten_times_the_load_costs_more_and_less_than_ten_times_as_much():
    for prices in PRICES.values():
        each = [month(load, prices) for load in LOADS.values()]
        assert all(small < large < 100 * small for small, large in pairwise(each))
