"""Images in messages: attached, sent, kept, and shown again."""

import base64

import httpx
import pytest
from playwright.sync_api import expect

from browser.browsing import PHONE, OpenPage, answered, look
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

RED = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="
)


def test_an_image_goes_with_a_message_and_is_there_again_after_a_reload(
    server: RecuerdoServer, open_page: OpenPage
) -> None:
    page = open_page(server.url, user="painter", **PHONE)
    page.locator("#images").set_input_files(
        [
            {"name": "red.png", "mimeType": "image/png", "buffer": RED},
            {"name": "again.png", "mimeType": "image/png", "buffer": RED},
            {"name": "none.png", "mimeType": "image/png", "buffer": b"no image"},
        ]
    )
    expect(page.locator("#attached img")).to_have_count(2)
    expect(page.get_by_role("alert")).to_contain_text("none.png")
    page.get_by_role("button", name="Quitar la imagen 2").tap()
    expect(page.locator("#attached img")).to_have_count(1)
    page.locator("#message").fill("Mira, vivo en Lima")
    look(page, "image-attached")
    page.locator("#send").tap()
    expect(answered(page).locator(".text")).to_contain_text("Recordaré que vives en Lima. No puedo ver imágenes")
    expect(page.locator("#attached")).to_be_hidden()
    expect(page.locator(".message.user .picture")).to_have_count(1)
    page.reload()
    expect(page.locator(".message.user .text")).to_have_text("Mira, vivo en Lima")
    picture = page.locator(".message.user .picture")
    assert picture.evaluate("async image => { await image.decode(); return image.naturalWidth }") == 5
    thread = page.url.rpartition("/")[2]
    with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "painter"}) as client:
        [said, _] = client.get(f"/v1/threads/{thread}/messages").json()["messages"]
    assert [part["type"] for part in said["content"]] == ["text", "image_url"]
    assert said["content"][1]["image_url"]["url"].startswith("data:image/jpeg;base64,")
