"""Control of Python's garbage collector."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def garbage_collection_paused() -> Generator[None]:
    """Pause the garbage collector while many objects are made that all stay in use.

    It would run for every 700 new objects, and scan the whole process after some dozens of these runs.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def freeze_loaded_objects() -> None:
    """Collect the garbage of loading, and exclude the loaded objects from later collections.

    A full collection stops the process for 15 to 30 ms, and under load it would come every second.
    """
    gc.collect()
    gc.freeze()


_NEW_OBJECTS = 50_000


def collect_seldom() -> None:
    """Let the garbage collector run for every 50,000 new objects instead of every 700.

    Each of hundreds of requests under way has some hundred objects, none of which is garbage yet. Looking through them
    again and again took a fifth of a server's time, and the longest of its event loop's callbacks: 13 ms.
    """
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
