"""When Python looks for garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def few_collections() -> Generator[None]:
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
