"""Chat models of LangChain, by `provider:model`, behind our ports."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from importlib import import_module
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk

from recuerdo.adapters.models.clients import ModelClients, address_options, unavailable
from recuerdo.concurrency.tasks import cancellable
from recuerdo.core.errors import ConfigurationError, MissingExtra, ModelUnavailable
from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel, StructuredAnswer, StructuredModel

TIMEOUT = 60.0
RETRIES = 2

_TAKES_TIMEOUT = ("openai", "azure_openai", "anthropic", "groq", "mistralai", "deepseek", "xai", "together")


def open_model(
    spec: str,
    *,
    clients: ModelClients,
    base_url: str | None = None,
    api_key: str | None = None,
    parameters: Mapping[str, Any] = {},
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
) -> ChatModel:
    """The chat model that `spec` names as `provider:model`, through LangChain's `init_chat_model`.

    `base_url` leads to a server of one's own; any that speaks the OpenAI protocol works as `openai:NAME`, without a
    key if it wants none. `parameters` are LangChain's: `temperature`, `top_p`, `max_tokens`. `timeout` is in seconds,
    for one request; `retries` come before the first piece only. It is asked through the `clients`.
    Raises MissingExtra, or ConfigurationError that says what to set.
    """
    return LangChainModel(_opened(spec, clients, base_url, api_key, timeout, retries, parameters), spec)


def open_structured_model(
    spec: str,
    *,
    clients: ModelClients,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = TIMEOUT,
) -> StructuredModel:
    """A model that answers in a form. It makes no retries. Raises as `open_model` does."""
    return LangChainStructuredModel(_opened(spec, clients, base_url, api_key, timeout, 0), spec)


def _opened(
    spec: str,
    clients: ModelClients,
    base_url: str | None,
    api_key: str | None,
    timeout: float,
    retries: int,
    parameters: Mapping[str, Any] = {},
) -> BaseChatModel:
    provider, model = _parse(spec)
    options = address_options(provider, base_url, api_key) | {**parameters}
    if provider in _TAKES_TIMEOUT:
        options |= {"timeout": timeout, "max_retries": retries}
    return _init(spec, provider, model, options, lambda: clients.chat_options(provider, timeout))


def _parse(spec: str) -> tuple[str, str]:
    provider, _, model = spec.strip().partition(":")
    if not (provider and model):
        raise ConfigurationError(
            f"{spec!r} names no model. Set RECUERDO_MODEL to 'offline', or to 'provider:model' (openai:gpt-5-mini)."
        )
    return provider.replace("-", "_").lower(), model


def _init(
    spec: str, provider: str, model: str, options: dict[str, Any], connection: Callable[[], dict[str, Any]]
) -> BaseChatModel:
    try:
        import_module("httpx")  # openai's client takes it half-loaded when another thread is the first to import it
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise MissingExtra(f"The model {spec!r}", "langgraph") from None
    try:
        options |= connection()
        return cast(BaseChatModel, cast(Any, init_chat_model)(model, model_provider=provider, **options))
    except ImportError:
        raise ConfigurationError(
            f"The model {spec!r} needs LangChain's package for {provider!r}. "
            f"Install it, most likely with: pip install langchain-{provider.replace('_', '-')}"
        ) from None
    except Exception as error:  # not its words: they can quote the key
        raise ConfigurationError(_cannot_open(spec, provider, error)) from None


def _cannot_open(spec: str, provider: str, error: Exception) -> str:
    if isinstance(error, ValueError) and "nsupported" in str(error):
        return (
            f"{provider!r} in {spec!r} is not a provider that LangChain knows. Common ones: openai, anthropic, "
            "google_genai, mistralai, groq, ollama. A server that speaks the OpenAI protocol "
            "is 'openai:NAME' with RECUERDO_MODEL_BASE_URL."
        )
    return (
        f"The model {spec!r} can't be opened ({type(error).__name__}). Most often the API key is missing: "
        f"set RECUERDO_MODEL_API_KEY or {provider.upper()}_API_KEY."
    )


TIMEOUT_SECONDS = 90.0
"""Seconds without a piece after which a model counts as silent."""


class LangChainModel:
    """A chat model of LangChain's as a `recuerdo.core.ports.ChatModel`.

    All failures of the provider and the network become ModelUnavailable.
    """

    def __init__(self, model: BaseChatModel, name: str) -> None:
        self._model = model
        self.name = name

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply in pieces, as they come; closing it early closes the connection. Raises ModelUnavailable."""
        try:
            answer = cast(AsyncGenerator[AIMessageChunk, None], self._model.astream(to_chat(prompt)))
            async with aclosing(answer) as chunks:
                while (text := await self._next(chunks)) is not None:
                    if text:
                        yield text
        except ModelUnavailable:
            raise
        except Exception as error:
            raise unavailable(self.name, error) from None

    async def _next(self, chunks: AsyncGenerator[AIMessageChunk, None]) -> str | None:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            chunk = await cancellable(anext(chunks, None))
        return None if chunk is None else str(chunk.text)


class LangChainStructuredModel:
    """A chat model of LangChain's as a `recuerdo.core.ports.StructuredModel`.

    How it is told the form is its provider's way: a JSON schema, or a tool that it has to call.
    """

    def __init__(self, model: BaseChatModel, name: str) -> None:
        self._model = model
        self.name = name

    async def answer(self, prompt: Sequence[Message], schema: Mapping[str, Any]) -> StructuredAnswer:
        """The answer as JSON of this schema. Raises ModelUnavailable, also when it is not JSON."""
        try:
            asked = self._model.with_structured_output(dict(schema), include_raw=True)
            answer = cast(dict[str, Any], await asked.ainvoke(to_chat(prompt)))
        except Exception as error:  # the providers' clients share no root
            raise unavailable(self.name, error) from None
        if answer["parsed"] is None:
            raise ModelUnavailable(f"The model {self.name} does not answer with JSON. Try again, or another model.")
        usage = cast(AIMessage, answer["raw"]).usage_metadata
        return StructuredAnswer(answer["parsed"], usage["total_tokens"] if usage else 0)


_NOT_IN_NAMES = re.compile(r"[\s<|\\/>]+")
"""OpenAI refuses the whole prompt when a name has one of these."""


def to_chat(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation as LangChain takes it: roles, parts, tool calls, ids and names.

    The time of a message stands beside them as `created_at`, which providers are not sent; metadata stays here.
    """
    return [_convert(message) for message in messages]


def _convert(message: Message) -> dict[str, Any]:
    content = message.content if isinstance(message.content, str) else [*message.content]
    chat: dict[str, Any] = {"role": message.role, "content": content, "id": message.id or None}
    if message.role == "assistant":
        chat["tool_calls"] = _tool_calls(message)
    if message.role == "tool":
        chat["tool_call_id"] = message.tool_call_id or ""
    if message.name:
        chat["name"] = _NOT_IN_NAMES.sub("_", message.name)
    if message.created_at:
        chat["created_at"] = message.created_at.isoformat()
    return chat


def _tool_calls(message: Message) -> list[dict[str, Any]]:
    return [{"type": "tool_call", "id": call.id, "name": call.name, "args": call.args} for call in message.tool_calls]
