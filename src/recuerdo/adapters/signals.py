"""Signals within one process."""

from collections.abc import Callable

from recuerdo.core.graph_ports import Signals


class LocalSignals(Signals):
    """The Signals of a database that one process uses; where several do, the others find out when they look."""

    def __init__(self) -> None:
        self._ears: list[Callable[[str], None]] = []

    def tell(self, word: str) -> None:
        for heard in self._ears:
            heard(word)

    def hear(self, heard: Callable[[str], None]) -> None:
        self._ears.append(heard)
