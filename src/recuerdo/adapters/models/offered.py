"""The chat models of a server: its own, and those that assistants may choose besides, with parameters of their own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.contexts import ModelParameters
from recuerdo.core.errors import ConfigurationError, InvalidInput, MissingExtra
from recuerdo.core.ports import ChatModel

_OFFLINE = "offline"
_MOST_OPEN = 100

Open = Callable[[str, Mapping[str, Any]], ChatModel]
"""Opens the model of this name with these parameters. Raises ConfigurationError and MissingExtra."""


class OfferedModels:
    """Each model is opened when it is first wanted, and stays open as long as it is wanted often."""

    def __init__(self, own: str, others: Sequence[str], open_: Open, defaults: ModelParameters | None = None) -> None:
        """`defaults` hold for each model but the offline one, where nothing else is wanted."""
        self._own = own
        self._defaults = _parameters(defaults) if defaults else {}
        self._offered = list(dict.fromkeys((own, *others)))
        self._open = open_
        self._opened: LruCache[ModelParameters, ChatModel] = LruCache(_MOST_OPEN)

    def own(self) -> ChatModel:
        """The server's own model, as it is. Raises ConfigurationError and MissingExtra."""
        return self._find(ModelParameters(name=self._own))

    def __call__(self, wanted: ModelParameters) -> ChatModel:
        """The model with these parameters. Raises InvalidInput for one that is not offered or can't be had."""
        name = wanted.name or self._own
        if name not in self._offered:
            offered = ", ".join(self._offered)
            raise InvalidInput(
                "model.name", f"is {name!r}, and this server offers {offered}; RECUERDO_MODELS adds others"
            )
        if name == _OFFLINE and (given := _parameters(wanted)):
            raise InvalidInput(f"model.{next(iter(given))}", "means nothing to the offline model. Leave it out")
        try:
            return self._find(msgspec.structs.replace(wanted, name=name))
        except (ConfigurationError, MissingExtra) as error:
            raise InvalidInput("model", f"can't be had: {error}") from None

    def _find(self, wanted: ModelParameters) -> ChatModel:
        known = self._opened.get(wanted)
        if known is None:
            name = wanted.name or self._own
            known = self._open(name, _parameters(wanted) if name == _OFFLINE else self._defaults | _parameters(wanted))
            self._opened.put(wanted, known)
        return known


def _parameters(wanted: ModelParameters) -> dict[str, Any]:
    """The given parameters, by the names that LangChain's models use."""
    return {
        name: value for name, value in msgspec.structs.asdict(wanted).items() if name != "name" and value is not None
    }
