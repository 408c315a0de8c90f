"""Conversations that name no agent, beside a service that knows the agents: chats, runs, gateways and sockets."""

import httpx
import pytest
from talking import hear_until, say, talk

from servers.agents import running_agents
from servers.openai_server import OpenAIServer
from servers.recuerdo import running_recuerdo

PROMPT = "You are the support of Data Oilers."


@pytest.fixture
def agents():
    with running_agents() as server:
        server.agents["support"] = {"prompts": {"system": PROMPT}}
        yield server


@pytest.mark.parametrize("setting", [{}, {"default_agent": "support"}, {"default_agent": "nobody"}])
async def test_who_names_no_agent_is_answered_by_the_default_one(
    agents, openai_server: OpenAIServer, tmp_path, setting
):
    model = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    url = f"sqlite:///{tmp_path}/r.db"
    with running_recuerdo(database_url=url, agents_url=agents.url, embeddings="none", **model, **setting) as replica:
        async with httpx.AsyncClient(base_url=replica.url) as client:
            run = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "hola"}]}}
            answers = [
                await client.post("/v1/chat", json={"message": "hola"}),
                await client.post("/api/v1/chatbot/stream", json={"message": "hola"}),
                await client.post("/runs/wait", json=run),
            ]
            if setting.get("default_agent") == "nobody":
                assert [each.status_code for each in answers[:2]] == [404, 404]
                return
            assert [each.status_code for each in answers] == [200] * 3
            assert "__error__" not in answers[2].json()
            async with talk(f"ws://127.0.0.1:{replica.port}/ws/s-1") as socket:
                [ready] = await hear_until(socket, "ready")
                assert ready["assistant_id"] == setting.get("default_agent", "recuerdo")
                await say(socket, "hola")
                await hear_until(socket, "done")
        prompts = [request["messages"][0]["content"] for request in openai_server.requests]
        assert [prompt.startswith(PROMPT) for prompt in prompts] == [setting != {}] * 4
