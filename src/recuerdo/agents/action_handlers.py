"""The actions that workers execute: answer, embed, look up."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from recuerdo.actions.work import Do
from recuerdo.agents.chat import Chat
from recuerdo.agents.layers import sources_of
from recuerdo.agents.turns import CheckNotErased
from recuerdo.core.actions import Embed, ExecuteAgent, Query, Queue
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.ports import Embedder


def action_handlers(
    chat: Callable[[], Chat], embedder: Embedder | None, check_not_erased: CheckNotErased
) -> Mapping[Queue, Do]:
    """How a worker that has everything at hand does each kind of action; the chat is made when it is needed.

    Without an embedding model it makes no vectors.
    """

    async def execute(action: ExecuteAgent, context: ExecutionContext | None) -> dict[str, Any]:
        reply = await chat().reply(
            action.scope,
            action.message,
            idempotency_key=action.action_id,
            context=context or action.own_context,
            check_not_erased=partial(check_not_erased, action),
        )
        return {"message_id": reply.reply.id, "text": reply.reply.text, "metadata": reply.reply.metadata}

    async def query(action: Query, context: ExecutionContext | None) -> dict[str, Any]:
        found = await chat().look_up(action.scope, action.text, context or action.own_context)
        return {"texts": [hit.chunk.text for hit in found], "sources": sources_of(found)}

    handlers: dict[Queue, Do] = {"agent": execute, "query": query}
    if embedder is not None:

        async def embed(action: Embed, _: ExecutionContext | None) -> dict[str, Any]:
            embeddings = await embedder.embed(action.texts)
            return {"model": embedder.name, "vectors": [each.vector for each in embeddings]}

        handlers["embedding"] = embed
    return handlers
