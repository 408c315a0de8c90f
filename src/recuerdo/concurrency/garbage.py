"""When Python looks for garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def garbage_collection_paused() -> Generator[None]:
    """Keep the garbage collector from running while much is made of which nothing is garbage.

    It would run for every 700 new objects, and look through the whole process after some dozens of these.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def freeze_loaded_objects() -> None:
    """Collect the garbage that loading left behind, and never again look through what a process has by now.

    That takes 15 to 30 ms, for which everybody waits, and under load it would come again every second.
    """
    gc.collect()
    gc.freeze()
