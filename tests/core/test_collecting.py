"""When Python looks for garbage."""

import gc
import weakref

from recuerdo.concurrency.garbage import collect_seldom, freeze_loaded_objects


class _Circle:
    def __init__(self) -> None:
        self.itself = self


def test_what_is_loaded_is_out_of_the_collectors_way():
    """Objects that a process has when it is ready are not looked through again, and garbage is not kept."""
    garbage = weakref.ref(_Circle())
    try:
        freeze_loaded_objects()
        assert gc.get_freeze_count() > 10_000
        assert garbage() is None
    finally:
        gc.unfreeze()


def test_requests_under_way_are_not_looked_through_again_and_again():
    """Thousands of objects that are all in use begin no collection, and garbage is still found."""
    before, collections = gc.get_threshold(), list[str]()
    gc.collect()
    try:
        collect_seldom()
        gc.callbacks.append(lambda phase, _: collections.append(phase))
        in_use = [[number] for number in range(30_000)]
        assert collections == []
        garbage = weakref.ref(_Circle())
        in_use += [[number] for number in range(400_000)]
        assert collections
        assert garbage() is None
    finally:
        gc.callbacks.pop()
        gc.set_threshold(*before)
