"""Answers of models are laid out as Markdown, and no text is run, loaded or obeyed."""

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import HOSTILE, OpenPage, say, shoot
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

WRITTEN = """# Plan

Two **steps**:

1. read
2. write

| day | what |
|---|---|
| Monday | read |

```python
print("hola")
```

[a site](https://example.org/x)"""


def append(server: RecuerdoServer, user: str, *messages: dict[str, object]) -> None:
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": user}) as client:
        client.post("/v1/threads/t-1/messages", json={"messages": [*messages]}).raise_for_status()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_markdown_has_lists_tables_and_code_that_is_copied(
    server: RecuerdoServer, open_page: OpenPage, scheme: str
) -> None:
    append(server, f"writer-{scheme}", {"role": "user", "content": "¿Plan?"}, {"role": "assistant", "content": WRITTEN})
    allowed = ["clipboard-read", "clipboard-write"]
    url, user = f"{server.url}/#/t/t-1", f"writer-{scheme}"
    page = open_page(url, user=user, color_scheme=scheme, permissions=allowed)
    answer = page.locator(".message.assistant")
    expect(answer.locator("ol li")).to_have_text(["read", "write"])
    expect(answer.locator("td")).to_have_text(["Monday", "read"])
    expect(answer.locator("a")).to_have_attribute("rel", "noopener noreferrer")
    answer.locator(".frame").get_by_role("button", name="Copiar").click()
    expect(answer.locator('.frame use[href="#icon-check"]')).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == 'print("hola")\n'
    shoot(page, f"markdown-{scheme}")


def test_nothing_that_is_stored_runs_or_loads_or_leaves_its_place(server: RecuerdoServer, open_page: OpenPage) -> None:
    roles = ("user", "assistant", "tool", "system")
    first = {"role": "user", "content": HOSTILE[1]}
    said = [{"role": role, "content": text} for text in HOSTILE for role in roles[:2]]
    call = {"id": "c-1", "name": HOSTILE[1], "args": {"q": HOSTILE[0]}}
    used = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": HOSTILE[1], "tool_call_id": "c-1", "name": HOSTILE[2]},
    ]
    append(server, "attacked", first, *said, *used)
    page = open_page(server.url, user="attacked")
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if server.url not in request.url else None)
    page.goto(f"{server.url}/#/t/t-1")
    expect(page.locator(".message").first).to_be_visible()
    for summary in page.locator("#log summary").all():
        summary.click()
    say(page, f"Recuerda que {HOSTILE[1]}")
    assert page.evaluate("window.pwned") is None
    assert outside == []
    assert (
        page.evaluate(
            """() => [...document.querySelectorAll('#log *')].filter((one) =>
            ['SCRIPT', 'IMG', 'IFRAME', 'STYLE', 'LINK', 'BASE', 'META', 'FORM', 'INPUT', 'MATH'].includes(one.tagName)
            || [...one.attributes].some(({name}) => name.startsWith('on') || name === 'id')
            || (one.href && typeof one.href === 'string' && !/^(https?|mailto):/.test(one.href)
            )).map((one) => one.outerHTML)"""
        )
        == []
    )


def test_tools_are_folded_with_their_arguments_and_results(server: RecuerdoServer, open_page: OpenPage) -> None:
    call = {"id": "c-1", "name": "weather", "args": {"city": "Lima"}}
    append(
        server,
        "tooler",
        {"role": "user", "content": "¿Llueve?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "no", "tool_call_id": "c-1", "name": "weather"},
        {"role": "assistant", "content": "No llueve."},
    )
    page = open_page(f"{server.url}/#/t/t-1", user="tooler")
    expect(page.locator(".folded")).to_have_count(2)
    expect(page.locator(".folded .text").first).to_be_hidden()
    page.get_by_text("Llama a weather").click()
    expect(page.locator(".folded .text").first).to_contain_text('"city": "Lima"')
