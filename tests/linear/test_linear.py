"""Every function over a caller's text takes time in proportion to it, whatever the text is.

RECUERDO_TEST_TEXTS=8 measures with texts eight times as long as those of every test run, where a square with a small
factor shows, and with all families what the networks read.
"""

import os

import pytest
from growth import families_that_grow
from hostile_families import FAMILIES
from text_functions import READ_BY_NETWORKS, TEXT_FUNCTIONS

SCALE = float(os.environ.get("RECUERDO_TEST_TEXTS", "1"))
SOME_FAMILIES = {name: FAMILIES[name] for name in [*FAMILIES][::4]}


def test_there_are_at_least_200_families_and_no_two_make_the_same_text():
    assert len(FAMILIES) >= 200
    assert len({family(1000) for family in FAMILIES.values()}) == len(FAMILIES)


@pytest.mark.parametrize("name", TEXT_FUNCTIONS)
def test_four_times_the_text_takes_at_most_six_times_as_long(name):
    function, size = TEXT_FUNCTIONS[name]
    families = SOME_FAMILIES if name in READ_BY_NETWORKS and SCALE <= 1 else FAMILIES
    slow = families_that_grow(function, families, int(SCALE * size))
    assert not slow, "\n".join([f"{name} takes more than linear time:", *slow])
