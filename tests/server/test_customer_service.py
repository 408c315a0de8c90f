"""A shop's customer service in Spanish, end to end over real processes, with what goes wrong and changes meanwhile."""

import asyncio
import os
import subprocess
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import httpx
from talking import hear, hear_until, say, talk

from recuerdo import Recuerdo
from recuerdo.core.actions import ExecuteAgent
from recuerdo.core.identifiers import new_id
from servers import preloaded
from servers.recuerdo import running_recuerdo
from servers.worker import running_worker

SUPPORT = "5bd9c2a6-5b0f-4d3c-9d0f-0f2f8f6f1a01"
PATIENT = (
    *(sys.executable, "-c"),
    f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r});"
    "from servers.patience import be_patient; be_patient();"
    "from recuerdo.cli import main; main()",
)
"""The command on a busy machine: a cache that is slow for a moment counts as away, and conversations go on without."""

CUSTOMER = f"emi-{new_id()}"
HEADERS = {"X-Recuerdo-User": CUSTOMER}
RETURNS = "# Devoluciones\n\nEl reembolso de unas botas llega en 5 días hábiles.\n"


def added_documents(folder, **settings):
    """The output of the command that adds the shop's documents."""
    (folder / "devoluciones.md").write_text(RETURNS, "utf-8")
    variables = {f"RECUERDO_{name.upper()}": value for name, value in settings.items()}
    command = [preloaded.command(), "docs", "add", folder / "devoluciones.md", "--public"]
    return subprocess.run(
        command, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    ).stdout


def prompt_of(server):
    """The last instructions to the model, and the messages before."""
    system, *rest = server.requests[-1]["messages"]
    return system["content"], [message["content"] for message in rest]


def enrichments(url):
    """How many conversations this process has enriched."""
    lines = httpx.get(f"{url}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("recuerdo_context_enrichments_total{"))


async def test_a_customer_is_served_through_changes_kills_and_a_restart(
    tmp_path, empty_postgres_url, redis_url, openai_server
):
    """The documents are cited, the new prompt is heeded by the next message, work that was handed over while its
    worker was dead is done, nothing is forgotten, and each conversation is enriched once.
    """
    where = {"database_url": empty_postgres_url, "embeddings": "none"}
    model = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "sk-test"}
    settings = {**where, **model, "cache_url": redis_url}
    assert "Added 1 document" in await asyncio.to_thread(added_documents, tmp_path, **where)
    async with AsyncExitStack() as stack:
        server = stack.enter_context(running_recuerdo(PATIENT, **settings, queues="none"))
        worker = stack.enter_context(running_worker(**settings, queues="agent"))
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=server.url, headers=HEADERS))
        body = {"graph_id": "recuerdo", "assistant_id": SUPPORT, "context": {"prompts": {"system": "Trata de usted."}}}
        (await client.post("/assistants", json=body)).raise_for_status()
        place = f"ws{server.url.removeprefix('http')}/ws/{new_id()}?thread_id=pedido-1&assistant_id={SUPPORT}"

        async with talk(place, user=CUSTOMER) as socket:
            await hear(socket)
            openai_server.say("Encantado, Emiliano.")
            await say(socket, "Hola, me llamo Emiliano", id="m-1")
            await hear_until(socket, "done")
            openai_server.say("Llega en 5 días hábiles [1].")
            await say(socket, "¿Cuándo llega el reembolso de las botas?", id="m-2")
            done = (await hear_until(socket, "done"))[-1]["data"]["reply"]
            assert [source["title"] for source in done["metadata"]["sources"]] == ["Devoluciones"]
            system, said = prompt_of(openai_server)
            assert system.startswith("Trata de usted.")
            assert "5 días hábiles" in system
            assert said[:2] == ["Hola, me llamo Emiliano", "Encantado, Emiliano."]
            assert enrichments(server.url) == 1

            change = {"context": {"prompts": {"system": "Tutea al cliente."}}}
            (await client.patch(f"/assistants/{SUPPORT}", json=change)).raise_for_status()
            openai_server.say("Claro, Emiliano.")
            await say(socket, "¿Me avisas cuando llegue?", id="m-3")
            await hear_until(socket, "done")
            assert prompt_of(openai_server)[0].startswith("Tutea al cliente.")
            assert enrichments(server.url) == 2, "its assistant has changed"

        worker.kill()
        openai_server.say("Tu reembolso ha llegado.")
        asked = ExecuteAgent(
            action_id="aviso-1",
            task_id="pedido-1",
            tenant="default",
            user=CUSTOMER,
            thread="pedido-1",
            created_at=datetime.now(UTC),
            message="El reembolso del pedido 1 ha llegado",
            system_prompt="Avisa al cliente.",
        )
        async with Recuerdo.open(empty_postgres_url, embeddings="none") as memory:
            assert await memory.actions.enqueue(asked)
            worker.start()
            result = await asyncio.wait_for(memory.actions.wait(asked), 120)
            assert (result.error, result.value["text"]) == (None, "Tu reembolso ha llegado.")

        server.kill()
        server.start()
        async with talk(place, user=CUSTOMER) as socket:
            await hear(socket)
            await say(socket, "¿Me avisas cuando llegue?", id="m-3")
            again = (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"]
            assert again == "Claro, Emiliano.", "the same message, sent again"
            openai_server.say("Sí: te llamas Emiliano.")
            await say(socket, "¿Cómo me llamo?", id="m-4")
            await hear_until(socket, "done")
        system, said = prompt_of(openai_server)
        assert system.startswith("Tutea al cliente.")
        assert "Emiliano" in system
        assert said[-2:] == ["Tu reembolso ha llegado.", "¿Cómo me llamo?"]
        assert enrichments(server.url) == 0, "the restarted server finds the context in the cache"
        kept = (await client.get("/v1/threads/pedido-1/messages")).json()["messages"]
        assert [message["role"] for message in kept] == ["user", "assistant"] * 5
        assert [message["content"] for message in kept[-2:]] == ["¿Cómo me llamo?", "Sí: te llamas Emiliano."]
