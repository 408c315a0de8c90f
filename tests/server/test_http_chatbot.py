"""The gateway's chat: sessions, and events in LangGraph's form."""

import httpx
import pytest
from events import read_events
from serving import Backend

from recuerdo.core.errors import ModelUnavailable


def converse(client: httpx.Client, message: str, **more: str) -> list[dict]:
    response = client.post("/api/v1/chatbot/stream", json={"message": message, **more})
    assert response.status_code == 200, response.text
    assert response.headers["x-accel-buffering"] == "no"
    events = read_events(response.text)
    assert {event.name for event in events} == {"events"}
    return [event.data for event in events]


def test_a_message_is_streamed_as_langgraph_tells_it(client: httpx.Client) -> None:
    events = converse(client, "hola", session_id="s-1")
    kinds = [event["event"] for event in events]
    assert kinds == ["on_chain_start", *["on_chat_model_stream"] * 3, "on_chain_end"]
    assert {event["metadata"]["langgraph_node"] for event in events} == {"private_agent"}
    assert "".join(event["data"]["chunk"]["content"] for event in events[1:-1]) == "Hola, Emiliano"
    output = events[-1]["data"]["output"]
    said, reply = output["messages"]
    assert (said["type"], said["content"], reply["type"], reply["content"]) == ("human", "hola", "ai", "Hola, Emiliano")
    metadata = reply["response_metadata"]
    assert metadata["user_message_id"] == said["id"]
    assert metadata["execution_time"] > 0
    assert output["sources"] == []
    assert (output["response"], output["current_agent"]) == ("Hola, Emiliano", "private_agent")
    assert (output["retrieved_context"], output["relevance_score"]) == ("", 0)
    thread = events[0]["metadata"]["thread_id"]
    first, second = client.get(f"/v1/threads/{thread}/messages").json()["messages"]
    assert (first["id"], second["id"]) == (said["id"], reply["id"])
    kept = second["metadata"]
    assert (kept["user_message_id"], kept["execution_time"]) == (said["id"], metadata["execution_time"])


def test_the_prompt_holds_what_is_not_archived_of_the_roles_and_days_of_the_assistant(
    client: httpx.Client, backend: Backend
) -> None:
    """Three layers: the assistant's prompt, what the filters leave of the history, the message."""
    thread = converse(client, "hola", session_id="s-9")[0]["metadata"]["thread_id"]
    own = client.post("/assistants/search", json={}).json()[0]["assistant_id"]
    old = {"role": "user", "content": "hace mucho", "created_at": "2020-01-01T00:00:00Z"}
    client.post(f"/v1/threads/{thread}/messages", json={"messages": [old]}).raise_for_status()
    converse(client, "olvida esto", session_id="s-9")
    client.post(f"/v1/threads/{thread}/archive", json={"first": 4, "last": 4}).raise_for_status()

    def shown(**limits: object) -> list[str]:
        context = {"limits": limits, "prompts": {"system": "Sé breve."}}
        client.patch(f"/assistants/{own}", json={"context": context}).raise_for_status()
        client.post("/v1/contexts/invalidate", json={}).raise_for_status()  # which here nobody does for the assistant
        converse(client, "¿y ahora?", session_id="s-9")
        system, *history, last = backend.model.prompts[-1]
        assert (system.text[:9], last.text) == ("Sé breve.", "¿y ahora?")
        return [message.text for message in history]

    answer = "Hola, Emiliano"
    assert shown() == ["hola", answer, "hace mucho", answer]
    assert shown(days=30) == ["hola", answer, answer, "¿y ahora?", answer]
    assert shown(roles=["user"]) == ["hola", "hace mucho", "¿y ahora?", "¿y ahora?"]
    assert shown(roles=["assistant"], window=2) == [answer, answer]


def test_a_session_goes_on_in_its_thread(client: httpx.Client) -> None:
    threads = {converse(client, "hola", session_id=session)[0]["metadata"]["thread_id"] for session in ("s-2", "s-2")}
    assert len(threads) == 1
    messages = client.get(f"/v1/threads/{threads.pop()}/messages").json()["messages"]
    assert [each["content"] for each in messages] == ["hola", "Hola, Emiliano"] * 2
    assert (
        converse(client, "hola")[0]["metadata"]["session_id"] != converse(client, "hola")[0]["metadata"]["session_id"]
    )


def test_sources_are_told_by_name_and_score(client: httpx.Client, backend: Backend) -> None:
    text = "# Zapatos granates\n\nLos zapatos granates cuestan 90 euros."
    client.post("/v1/documents", json={"source": "zapatos.md", "content": text, "access": "public"}).raise_for_status()
    events = converse(client, "¿Cuánto cuestan los zapatos granates?")
    [source] = events[-1]["data"]["output"]["sources"]
    assert source["source_name"] == "Zapatos granates"
    assert 0 < source["score"] <= 1
    assert {event["metadata"]["langgraph_node"] for event in events} == {"public_agent"}
    assert "Los zapatos granates cuestan 90 euros." in backend.model.prompts[-1][0].text


def test_the_anonymous_user_gets_the_public_agent_and_public_documents(client: httpx.Client, backend: Backend) -> None:
    text = "# Margen secreto\n\nEl margen secreto es del 40 por ciento."
    client.post("/v1/documents", json={"source": "margen.md", "content": text}).raise_for_status()
    with httpx.Client(base_url=client.base_url) as anonymous:
        events = converse(anonymous, "¿Cuál es el margen secreto?")
    assert {event["metadata"]["langgraph_node"] for event in events} == {"public_agent"}
    assert "40 por ciento" not in backend.model.prompts[-1][0].text


def test_somebody_elses_session_is_not_found(client: httpx.Client) -> None:
    converse(client, "hola", session_id="s-3")
    foreign = client.post(
        "/api/v1/chatbot/stream", json={"message": "x", "session_id": "s-3"}, headers={"X-Recuerdo-User": "ana"}
    )
    assert foreign.status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"message": " "}, {"message": "x", "user": "ana"}, {"message": "x", "tenant": "a"}]
)
def test_a_body_that_makes_no_sense_or_names_a_user_is_refused(client: httpx.Client, body: dict) -> None:
    assert client.post("/api/v1/chatbot/stream", json=body).status_code == 422


def test_a_model_that_fails_in_the_middle_ends_the_stream_with_an_error(client: httpx.Client, backend: Backend) -> None:
    backend.model.fails_at, backend.model.error = 1, ModelUnavailable("The model is away. Try again.")
    response = client.post("/api/v1/chatbot/stream", json={"message": "hola"})
    last = read_events(response.text)[-1]
    assert (last.name, last.data["status"]) == ("error", 502)
