"""Every function over a caller's text takes time in proportion to it, whatever the text is.

RECUERDO_TEST_TEXTS=8 measures with texts eight times as long as those of every test run: a square with a small factor
shows only there.
"""

import os

import pytest
from growth import families_that_grow
from hostile_families import FAMILIES
from text_functions import TEXT_FUNCTIONS

SCALE = float(os.environ.get("RECUERDO_TEST_TEXTS", "1"))


def test_there_are_at_least_200_families_and_no_two_make_the_same_text():
    assert len(FAMILIES) >= 200
    assert len({family(1000) for family in FAMILIES.values()}) == len(FAMILIES)


@pytest.mark.parametrize("name", TEXT_FUNCTIONS)
def test_four_times_the_text_takes_at_most_six_times_as_long(name):
    function, size = TEXT_FUNCTIONS[name]
    slow = families_that_grow(function, int(SCALE * size))
    assert not slow, "\n".join([f"{name} takes more than linear time:", *slow])
