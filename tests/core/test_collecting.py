"""When Python looks for garbage."""

import gc
import weakref

from recuerdo.concurrency.garbage import freeze_loaded_objects


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
