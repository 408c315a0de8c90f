"""Does what a desktop client does with `claude_desktop_config.json`: starts the server that it names, and calls tools.

    pip install 'recuerdo[mcp,offline]'
    python try_it.py

In Claude Desktop, Cursor and others, copy the entry `recuerdo` into the client's own file, with the absolute paths of
the command (`which recuerdo`) and of the database (`sqlite:////home/emi/memories.db`): the client starts it anywhere.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

CONFIG = Path(__file__).with_name("claude_desktop_config.json")


async def main() -> None:
    """List the tools, save a memory and find it in other words."""
    entry = json.loads(CONFIG.read_text("utf-8"))["mcpServers"]["recuerdo"]
    async with Client(StdioServerParameters(**entry)) as client:
        print("tools:", *sorted(tool.name for tool in (await client.list_tools()).tools))
        await call(client, "add_memory", text="I prefer window seats")
        for found in await call(client, "search_memories", query="Where should I sit on the plane?"):
            print("found:", found["text"])


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """Return what the tool answers."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(f"{tool}: {result.content}")
    return result.structured_content.get("result", result.structured_content)


if __name__ == "__main__":
    asyncio.run(main())
