"""A world that is large for a page, and how long the page takes to show it once the server has it."""

import json
from collections.abc import Iterator

import httpx
from playwright.sync_api import Page

from browser.browsing import NODES

USER = "collector"
MEMORIES = 10_000
MESSAGES = 5_000
THREAD = "long"

PLACES = {
    "chat": ("#/", "#welcome:not([hidden]) .suggestion"),
    "10,000 memories": ("#/memories", "#memory-rows .row"),
    "a thread of 5,000 messages": (f"#/t/{THREAD}", f'.message[data-seq="{MESSAGES}"]'),
}
"""By what is shown: where it is, and what is there when it is painted."""

BUDGET = 300
"""Milliseconds from the address to the first paint, the data being at rest in the server."""

_PAINTED = """async ([hash, selector]) => {
    location.hash = '#/documents';
    await new Promise((resolve) => setTimeout(resolve, 300));
    const begun = performance.now();
    location.hash = hash;
    while (!document.querySelector(selector)?.checkVisibility()) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begun;
}"""


def fill(client: httpx.Client) -> None:
    """Store the memories and the messages, as an import does."""
    client.post("/v1/chat", json={"message": "Hola", "thread_id": "short"}).raise_for_status()
    note = client.post("/v1/memories", json={"text": "Note"}).json()
    for start in range(1, MEMORIES, 2_000):
        ids = range(start, min(start + 2_000, MEMORIES))
        lines = [json.dumps({**note, "id": f"n-{n}", "text": f"Note {n}"}) for n in ids]
        client.post("/v1/memories/import", content="\n".join(lines)).raise_for_status()
    for start in range(0, MESSAGES, 1_000):
        said = [{"role": ("user", "assistant")[n % 2], "content": f"Line **{n}**"} for n in range(start, start + 1_000)]
        client.post(f"/v1/threads/{THREAD}/messages", json={"messages": said}).raise_for_status()


def painted(page: Page) -> Iterator[tuple[str, float, int]]:
    """Each place, the milliseconds that it took, and how many elements are alive then."""
    for name, place in PLACES.items():
        took = page.evaluate(_PAINTED, [*place])
        yield name, took, nodes(page)


def nodes(page: Page) -> int:
    """How many elements are alive."""
    return page.evaluate("document.querySelectorAll('*').length")


__all__ = ["BUDGET", "MEMORIES", "NODES", "THREAD", "USER", "fill", "nodes", "painted"]
