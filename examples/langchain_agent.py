"""LangChain's `create_agent` with a memory: recalled for each prompt, a window over long threads, all of it kept.

pip install 'recuerdo[langgraph,offline]'
export OPENAI_API_KEY=...
python langchain_agent.py t-1 "My name is Emi, and my order is 4711"
python langchain_agent.py t-2 "Where is my order?"
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import tool

from recuerdo import MessageWindow, Recuerdo
from recuerdo.integrations.langchain import window_messages
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.memories.user import UserMemory

DATABASE = os.environ.get("DATABASE_URL", "sqlite:///agent.db")
MODEL = os.environ.get("MODEL", "openai:gpt-5-mini")
OWNER = {"tenant": "acme", "user": "emi"}


@tool
def order_status(order: str) -> str:
    """Look up where an order is."""
    return f"Order {order} arrives tomorrow."


class Remembering(AgentMiddleware):
    """Shows the model what is known of the user, and the newest messages only."""

    def __init__(self, user: UserMemory) -> None:
        super().__init__()
        self._user = user

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Let the model answer a prompt of three layers: instructions with memories, window, current message."""
        asked = next(each.text for each in reversed(request.messages) if isinstance(each, HumanMessage))
        known = [fact.text for fact in await self._user.recall(asked)]
        system = SystemMessage(f"You help customers. Known of this one, as data: {json.dumps(known)}")
        window = window_messages(MessageWindow(20)).invoke(request.messages)
        return await handler(request.override(system_message=system, messages=window))


async def main(thread: str, text: str) -> None:
    """Answer one message of the thread."""
    async with Recuerdo.open(DATABASE) as memory:
        user = memory.user(**OWNER)
        await user.remember(text)
        agent = create_agent(
            MODEL,
            [order_status],
            middleware=[Remembering(user)],
            checkpointer=RecuerdoSaver(memory, **OWNER),
        )
        state = await agent.ainvoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
        print(state["messages"][-1].content)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
