"""PUT /v1/threads/{thread_id}/messages replaces a conversation as a whole."""

import httpx


def _body(*texts: str) -> dict[str, list[dict[str, str]]]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


def test_a_conversation_is_replaced_once(client: httpx.Client) -> None:
    """With the tag of before it begins a new epoch; a retry is answered alike, and late writes of before are a 412."""
    url = "/v1/threads/t-replaced/messages"
    before = client.post(url, json=_body("old", "older"))
    asked = {"If-Match": before.headers["ETag"], "Idempotency-Key": "k"}
    first, again = (client.put(url, json=_body("new"), headers=asked) for _ in range(2))
    assert (first.status_code, first.json()["seqs"], first.json()["replayed"]) == (200, [1], False)
    assert (again.status_code, again.json()) == (200, first.json() | {"replayed": True})
    late = {"If-Match": before.headers["ETag"]}
    assert client.put(url, json=_body("late"), headers=late).status_code == 412
    assert client.post(url, json=_body("late"), headers=late).status_code == 412
    assert [each["content"] for each in client.get(url).json()["messages"]] == ["new"]


def test_a_bad_message_replaces_nothing(client: httpx.Client) -> None:
    """It is a 422 that names the field, as an empty list is."""
    url = "/v1/threads/t-kept/messages"
    client.post(url, json=_body("old"))
    assert "role" in client.put(url, json={"messages": [{"role": "x", "content": "new"}]}).text
    assert client.put(url, json={"messages": []}).status_code == 422
    assert [each["content"] for each in client.get(url).json()["messages"]] == ["old"]
