"""A process begins as many requests as it can serve in time, by how late its event loop is."""

import time

from recuerdo.server.admission import AdmissionControl


def busy(control, requests):
    for _ in range(requests):
        control.begin()


def grown(most):
    """A control that has come to allow so many, since they were served in time."""
    control = AdmissionControl(most)
    for _ in range(100):
        busy(control, most)
        control.end(0.01)
        control.look(0, 0)
        for _ in range(most - 1):
            control.end(0.01)
    return control


def test_a_process_begins_more_as_more_are_served_in_time():
    control = AdmissionControl(1000)
    busy(control, 200)
    assert control.is_full, "how many it can serve is not known yet"
    control = grown(1000)
    busy(control, 999)
    assert not control.is_full
    for _ in range(999):
        control.end(0.01)
    for _ in range(100):
        control.look(0, 0)
    busy(control, 200)
    assert control.is_full, "what was true of an earlier load need not be of this one"


def test_a_loop_that_stays_late_allows_fewer_requests():
    control = grown(1000)
    busy(control, 400)
    control.look(0.5, 0)
    assert not control.is_full, "one late look may have been a single slow step"
    control.look(0.5, 0)
    assert control.is_full


def test_a_few_requests_are_never_refused_however_late_the_loop_is():
    control = grown(1000)
    busy(control, 31)
    for _ in range(100):
        control.look(5, 0)
    assert not control.is_full
    busy(control, 1)
    assert control.is_full


def test_many_requests_that_wait_for_something_else_are_begun():
    control = AdmissionControl(1000)
    for _ in range(999):
        control.begin(plain=False)
        control.look(0.0, 0)
    assert not control.is_full
    control.begin(plain=False)
    assert control.is_full


def test_requests_that_take_long_without_a_model_allow_fewer():
    control = grown(1000)
    busy(control, 400)
    for _ in range(2):
        control.end(0.4)
        control.look(0, 0)
    assert not control.is_full
    for _ in range(2):
        control._lowered = 0.0  # as if these had begun behind the last change
        control.end(2)
        control.look(0, 0)
    assert control.is_full


def test_requests_that_wait_for_a_model_may_take_long():
    control = grown(1000)
    for _ in range(400):
        control.begin(plain=False)
    for _ in range(2):
        control.end(30, plain=False)
        control.look(0, 0)
    assert not control.is_full


def test_after_the_rush_all_is_as_before_within_seconds():
    control = grown(1000)
    busy(control, 1000)
    for _ in range(100):
        control.look(1, 0)
    for _ in range(1000):
        control.end()
    for _ in range(60):  # three seconds
        control.look(0, 0)
    busy(control, 199)
    assert not control.is_full


def test_the_more_is_refused_the_later_clients_come_again():
    control, now = grown(1000), time.monotonic()
    assert control.wait == 1
    for second in range(1, 8):
        busy(control, 100)
        for _ in range(300):
            control.refuse()
        control.look(0, now + 2 * second)
    assert control.wait == 3
    for second in range(8, 16):
        busy(control, 100)
        control.look(0, now + 2 * second)
    assert control.wait == 1
