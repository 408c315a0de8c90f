"""The HTTP clients of models: each open Recuerdo has its own, which are closed with it."""

import os
from itertools import count
from typing import Any, Self

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
        """What gives a model of this provider a client that no other open Recuerdo has, and the time limit."""
        if provider == "anthropic":
            # Its package takes no client. It keeps one for each address and time limit, so ours differ a little.
            return {"timeout": timeout + next(_serial) * 1e-6}
        if provider not in _OPENAI_FAMILY:
            return {}
        if os.environ.get("OPENAI_PROXY"):  # LangChain makes a client for each model then, and refuses another
            return {"timeout": timeout}
        return {"timeout": timeout, "http_async_client": self._openai_client()}

    def chat_options(self, provider: str, timeout: float) -> dict[str, Any]:
        """The same for a chat model, whose other client, the one for synchronous calls, is not used."""
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
