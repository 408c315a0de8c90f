"""From `provider:model` to a chat model."""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from langchain_core.language_models import BaseChatModel

from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.models.langchain import LangChainModel
from recuerdo.adapters.models.structured import LangChainStructuredModel
from recuerdo.core.errors import ConfigurationError, MissingExtra
from recuerdo.core.ports import ChatModel, StructuredModel

TIMEOUT = 60.0
RETRIES = 2

_TAKES_TIMEOUT = ("openai", "azure_openai", "anthropic", "groq", "mistralai", "deepseek", "xai", "together")
_NO_KEY = "none"


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
    """The same model, which answers in a form. Whoever asks tries again by themselves. Raises as `open_model` does."""
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
    options = _options(provider, base_url, api_key) | {**parameters}
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


def _options(provider: str, base_url: str | None, api_key: str | None) -> dict[str, Any]:
    if base_url and not api_key and provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        api_key = _NO_KEY  # the client insists on one, most local servers ignore it
    given = {"base_url": base_url, "api_key": api_key}
    return {name: value for name, value in given.items() if value}


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
            f"{provider!r} in {spec!r} is no provider that LangChain knows. Common ones: openai, anthropic, "
            "google_genai, mistralai, groq, ollama. A server that speaks the OpenAI protocol "
            "is 'openai:NAME' with RECUERDO_MODEL_BASE_URL."
        )
    return (
        f"The model {spec!r} can't be opened ({type(error).__name__}). Most often the API key is missing: "
        f"set RECUERDO_MODEL_API_KEY or {provider.upper()}_API_KEY."
    )
