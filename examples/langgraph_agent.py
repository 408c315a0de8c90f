"""A LangGraph agent with a tool of its own and with memory tools, whose threads stop and go on in any process.

pip install 'recuerdo[langgraph,offline]'
export OPENAI_API_KEY=...
python langgraph_agent.py t-1 "I'm vegetarian. Please remember that."
python langgraph_agent.py t-2 "Find me something for lunch in Lima"
"""

import asyncio
import os
import sys

from langchain.chat_models import init_chat_model
from langchain_core.messages import SystemMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from recuerdo import Recuerdo
from recuerdo.integrations.langgraph import RecuerdoSaver, memory_tools

DATABASE = os.environ.get("DATABASE_URL", "sqlite:///agent.db")
MODEL = os.environ.get("MODEL", "openai:gpt-5-mini")
OWNER = {"tenant": "acme", "user": "emi"}
INSTRUCTIONS = "Search the memory before you recommend anything, and save what the user asks you to remember."


@tool
def restaurants(city: str) -> str:
    """List the restaurants of a city."""
    return f"In {city}: El Huerto (vegetarian), La Parrilla (steaks)."


def agent(memory: Recuerdo) -> CompiledStateGraph:
    """The graph: a model that calls tools until it has an answer."""
    tools = [restaurants, *memory_tools(memory, **OWNER)]
    model = init_chat_model(MODEL).bind_tools(tools)

    async def answer(state: MessagesState) -> dict[str, list]:
        return {"messages": [await model.ainvoke([SystemMessage(INSTRUCTIONS), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "answer")
    graph.add_conditional_edges("answer", tools_condition)
    graph.add_edge("tools", "answer")
    return graph.compile(checkpointer=RecuerdoSaver(memory, **OWNER))


async def main(thread: str, text: str) -> None:
    """Answer one message of the thread, which is kept until the next."""
    async with Recuerdo.open(DATABASE) as memory:
        config = {"configurable": {"thread_id": thread}}
        state = await agent(memory).ainvoke({"messages": [("user", text)]}, config)
        print(state["messages"][-1].content)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
