"""An event loop without a world outside: time passes only when somebody decides that it does."""

import asyncio


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs tasks as asyncio does. When all of them wait, `idle` decides what happens next.

    `idle` gets the seconds to the next timer (None: there is none) and either makes a task ready or calls `pass_time`.
    """

    def __init__(self):
        super().__init__()
        self._selector = self
        self.now = 0.0
        self.idle = self.pass_time

    def time(self):
        return self.now

    def pass_time(self, seconds):
        self.now += seconds

    def forget_timers(self):
        """Start anew, at 0."""
        self._scheduled.clear()
        self.now = 0.0

    def select(self, timeout):
        """What BaseEventLoop asks for input and output that is ready: here there is never any."""
        if timeout != 0:
            self.idle(timeout)
        return []

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass
