"""A chat model of LangChain's that answers in a form."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from recuerdo.adapters.models.failures import unavailable
from recuerdo.adapters.models.messages import to_chat
from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.messages import Message
from recuerdo.core.ports import StructuredAnswer


class LangChainStructuredModel:
    """A chat model of LangChain's as a `recuerdo.core.ports.StructuredModel`.

    How it is told the form is its provider's way: a JSON schema, or a tool that it has to call.
    """

    def __init__(self, model: BaseChatModel, name: str) -> None:
        self._model = model
        self.name = name

    async def answer(self, prompt: Sequence[Message], schema: Mapping[str, Any]) -> StructuredAnswer:
        """The answer as JSON of this schema. Raises ModelUnavailable, also when it is no JSON."""
        try:
            asked = self._model.with_structured_output(dict(schema), include_raw=True)
            answer = cast(dict[str, Any], await asked.ainvoke(to_chat(prompt)))
        except Exception as error:  # the providers' clients share no root
            raise unavailable(self.name, error) from None
        if answer["parsed"] is None:
            raise ModelUnavailable(f"The model {self.name} does not answer with JSON. Try again, or another model.")
        usage = cast(AIMessage, answer["raw"]).usage_metadata
        return StructuredAnswer(answer["parsed"], usage["total_tokens"] if usage else 0)
