"""The HTTP clients of models, of which each open Recuerdo has its own, and their failures in plain words."""

import os
from itertools import count
from typing import Any, Self

from recuerdo.core.errors import ModelUnavailable

_OPENAI_FAMILY = ("openai", "azure_openai", "deepseek", "xai", "together")
"""The providers whose packages build on LangChain's for OpenAI, and take its `http_async_client`."""

_serial = count(1)


class ModelClients:
    """The HTTP clients that the models and embeddings of one open Recuerdo share.

    Connections belong to an event loop. LangChain's packages for OpenAI and Anthropic keep one client by address for
    the whole process, so that a second loop would be handed the connections of a first one, which may be closed.
    """

    def __init__(self) -> None:
        self._openai: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def options(self, provider: str, timeout: float) -> dict[str, Any]:
        """Options that give a model of this provider a client of its own, and the time limit."""
        if provider == "anthropic":
            # Its package takes no client. It keeps one for each address and time limit, so ours differ a little.
            return {"timeout": timeout + next(_serial) * 1e-6}
        if provider not in _OPENAI_FAMILY:
            return {}
        if os.environ.get("OPENAI_PROXY"):  # LangChain makes a client for each model then, and refuses another
            return {"timeout": timeout}
        return {"timeout": timeout, "http_async_client": self._openai_client()}

    def chat_options(self, provider: str, timeout: float) -> dict[str, Any]:
        """The `options` for a chat model, whose client for synchronous calls is not used."""
        options = self.options(provider, timeout)
        if "http_async_client" in options:
            from langchain_openai import ChatOpenAI

            if "http_socket_options" in ChatOpenAI.model_fields:
                options["http_socket_options"] = ()  # else it warns that the unused client ignores HTTPS_PROXY
        return options

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._openai = self._openai, None
        if client is not None:
            await client.aclose()

    def _openai_client(self) -> Any:
        if self._openai is None:
            from openai import DefaultAsyncHttpxClient

            self._openai = DefaultAsyncHttpxClient()
        return self._openai


def address_options(provider: str, base_url: str | None, api_key: str | None) -> dict[str, Any]:
    """The options that give a model its address and its key."""
    if base_url and not api_key and provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        api_key = "none"  # the client insists on one, most local servers ignore it
    return {name: value for name, value in {"base_url": base_url, "api_key": api_key}.items() if value}


_ADVICE = {
    400: "refuses the prompt (HTTP 400). It may be too long, or have content that this model can't take: "
    "try a smaller window, and check the model's name.",
    401: "refuses the API key (HTTP 401). Check the key, and that it belongs to this provider.",
    402: "wants to be paid (HTTP 402). Check the account's credit.",
    403: "refuses this key or this region (HTTP 403). Check what the key may use.",
    404: "knows no such model or address (HTTP 404). Check the model's name and the base URL.",
    408: "did not answer in time (HTTP 408). Try again.",
    413: "finds the prompt too long (HTTP 413). Try a smaller window.",
    422: "refuses the prompt (HTTP 422). Check that the model takes this kind of content.",
    429: "is over its rate limit or quota (HTTP 429). Try again later, or check the account's limits.",
}
_LONGEST_WAIT = 3600.0


def unavailable(model: str, error: Exception) -> ModelUnavailable:
    """The provider's or the network's error as ours: what to check, and when to try again."""
    status = _status(error)
    return ModelUnavailable(f"The model {model} {_advice(status, error)}", _retry_after(error))


def _advice(status: int | None, error: Exception) -> str:
    if status is not None:
        return _ADVICE.get(status, f"has a problem on its side (HTTP {status}). Try again later.")
    kind = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in kind:
        return "did not answer in time. Try again; if it goes on, check the provider's status and the base URL."
    if _is_network(error):
        return "can't be reached, or broke off. Check the network, the base URL, and that the server runs."
    return f"failed ({kind}). Check the model's name, the base URL and the provider's status."


def _is_network(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) or any(word in type(error).__name__ for word in ("Connect", "Protocol", "Read")):
            return True
        error = error.__cause__
    return False


def _status(error: Exception) -> int | None:
    """Every provider's client that has HTTP behind it says `status_code`, itself or on its response."""
    response: Any = getattr(error, "response", None)
    for holder in (error, response):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _retry_after(error: Exception) -> float:
    response: Any = getattr(error, "response", None)
    try:
        return min(max(float(response.headers["retry-after"]), 0.0), _LONGEST_WAIT)
    except (AttributeError, KeyError, TypeError, ValueError):
        return 1.0
