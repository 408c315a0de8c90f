"""The suites themselves."""

from collections import Counter

import pytest

from recuerdo import testing


def own_tests(contract):
    return [name for parent in contract.__mro__ for name in vars(parent) if name.startswith("test_")]


@pytest.mark.parametrize("name", [name for name in testing.__all__ if name.endswith("Contract")])
def test_no_contract_hides_a_test(name):
    """No test of a contract has the name of another: the later one would silently replace it."""
    tests = own_tests(getattr(testing, name))
    assert tests
    assert [test for test, times in Counter(tests).items() if times > 1] == []


@pytest.mark.parametrize("name", [name for name in testing.__all__ if name.endswith("Contract")])
def test_every_test_says_what_it_tests(name):
    """Every test of a contract states one behaviour in a sentence."""
    contract = getattr(testing, name)
    assert [test for test in own_tests(contract) if not (getattr(contract, test).__doc__ or "").endswith(".")] == []
