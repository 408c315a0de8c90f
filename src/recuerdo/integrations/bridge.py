"""One bridge for all frameworks, from synchronous methods and other event loops to Recuerdo, which is async only."""

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from typing import Any, Self, TypeVar

from recuerdo.core.errors import ConfigurationError

T = TypeVar("T")


class Bridge:
    """Runs coroutines for callers that can't await: on the event loop that it was made on, or on one of its own.

    Made inside a running loop it belongs to that loop, as everything does that was opened there: a call from any
    other thread waits for that loop. Made outside of one, it starts a loop in a background thread, which `close` ends.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._serve, name="recuerdo-bridge", daemon=True)
            self._thread.start()

    @property
    def is_here(self) -> bool:
        """Whether the loop that runs here is this bridge's. Raises RuntimeError where none runs."""
        return asyncio.get_running_loop() is self._loop

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; raises its errors.

        Raises ConfigurationError on the very loop that the coroutine needs, which the wait would stop for ever, and
        when that loop is closed.
        """
        future = self.begin(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # the caller waits no more, e.g. because of a Ctrl-C
            raise

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """The coroutine under way, for callers that wait for it later, or cancel it; raises as `run` does."""
        try:
            self._check_that_waiting_can_end()
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        except BaseException:
            coroutine.close()
            raise

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items one after the other, each fetched when it is asked for; raises as `run` does."""
        end = object()

        async def following() -> T | object:
            return await anext(items, end)

        while (item := self.run(following())) is not end:
            yield item  # pyright: ignore[reportReturnType]

    @contextmanager
    def entered(self, context: AbstractAsyncContextManager[T]) -> Generator[T]:
        """`with bridge.entered(Recuerdo.open(url)) as memory` does what `async with` does where there is a loop."""
        stack = AsyncExitStack()
        entered = self.run(stack.enter_async_context(context))
        try:
            yield entered
        finally:
            self.run(stack.aclose())

    async def join(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result for callers on any event loop: everything that was opened on one loop stays on it.

        Raises its errors, and ConfigurationError when its loop does not run any more.
        """
        if self.is_here:
            return await coroutine
        if not self._loop.is_running():
            coroutine.close()
            raise _closed()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._loop))

    def close(self) -> None:
        """End the background thread, if there is one; on a caller's loop there is nothing to do."""
        if self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_that_waiting_can_end(self) -> None:
        if self._loop.is_closed():
            raise _closed()
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            return
        if running is self._loop:
            raise ConfigurationError(
                "A synchronous call on the event loop that must answer it would wait for ever. Await the async method "
                "instead (its name starts with `a`), or make the synchronous call in a thread: asyncio.to_thread(...)."
            )

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


def _closed() -> ConfigurationError:
    return ConfigurationError("The event loop behind this is closed. Use it inside its `async with` block.")


class SyncCaller:
    """Calls through the bridge that it is given, else to the loop that it is made on.

    Without either it is unknown on which loop Recuerdo was opened: then every call raises ConfigurationError.
    """

    def __init__(self, bridge: Bridge | None) -> None:
        self._bridge = bridge or bridge_here()
        self._begun: set[asyncio.Task[Any]] = set()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result; see Bridge."""
        return self._known(coroutine).run(coroutine)

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """The coroutine under way; see Bridge."""
        return self._known(coroutine).begin(coroutine)

    def either(self, coroutine: Coroutine[Any, Any, T]) -> Any:
        """The coroutine's result where no event loop runs; where one does, an awaitable of it.

        For methods that have one name in synchronous and asynchronous programs. It runs even if it is not awaited.
        """
        if not loop_runs():
            return self.run(coroutine)
        task = asyncio.create_task(self.join(coroutine))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    def join(self, coroutine: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        """The coroutine's result for callers that can await, on this loop or another one; see Bridge."""
        if self._bridge is None or self._bridge.is_here:
            return coroutine
        return self._bridge.join(coroutine)

    def _known(self, coroutine: Coroutine[Any, Any, object]) -> Bridge:
        if self._bridge is None:
            coroutine.close()
            raise _lost()
        return self._bridge

    async def walk(self, items: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The items one after the other, for callers that can await."""
        end = object()

        async def following() -> T | object:
            return await anext(items, end)

        try:
            while (item := await self.join(following())) is not end:
                yield item  # pyright: ignore[reportReturnType]
        finally:
            await self.join(items.aclose())

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """The items one after the other; see Bridge."""
        if self._bridge is None:
            raise _lost()
        return self._bridge.iterate(items)


def bridge_here() -> Bridge | None:
    """A bridge to the running loop; None where none runs."""
    return Bridge() if loop_runs() else None


def loop_runs() -> bool:
    """Whether the caller can await."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def nothing() -> Any:
    """The answer of a method that has nothing to do, for callers that await it and callers that can't."""
    if not loop_runs():
        return None
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


def _lost() -> ConfigurationError:
    return ConfigurationError(
        "This object does not know the event loop that Recuerdo was opened on. Make it on that loop, or give it the "
        "Bridge that opened Recuerdo; a program without a loop opens savers and stores by `with "
        "....from_conn_string(url)`."
    )
