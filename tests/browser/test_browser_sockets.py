"""A browser's own WebSocket: its credential as a subprotocol, frames, a reconnect, and codes of a close."""

import base64
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser

TALK = """
async ([url, protocols, said, wanted]) => {
  const frames = []
  const socket = new WebSocket(url, protocols)
  const code = await new Promise((resolve) => {
    const late = setTimeout(() => resolve("nothing came"), 60000)
    const end = (why) => { clearTimeout(late); resolve(why) }
    socket.onmessage = ({data}) => {
      const frame = JSON.parse(data)
      frames.push(frame)
      if (frame.type === "ready" && said) socket.send(JSON.stringify(said))
      if (frame.type === wanted) end("heard")
    }
    socket.onclose = ({code}) => end(code)
  })
  socket.close()
  return {frames, code, protocol: socket.protocol}
}
"""


@pytest.fixture
def page(browser: Browser, server: RecuerdoServer) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server.url}/ok")
    yield page
    context.close()


def talk(page: Page, url: str, user: str, *, said: object = None, wanted: str = "done") -> dict[str, Any]:
    carried = base64.urlsafe_b64encode(user.encode()).decode().rstrip("=")
    return page.evaluate(TALK, [url, ["recuerdo", f"recuerdo.user.{carried}"], said, wanted])


def test_a_browser_talks_breaks_off_and_goes_on_behind_its_last_frame(page: Page, server: RecuerdoServer) -> None:
    place = f"ws{server.url.removeprefix('http')}/ws/browser-1?thread_id=t-ws"
    said = {"type": "message", "text": "Hola, me llamo José", "id": "m-1"}
    first = talk(page, place, "josé", said=said, wanted="token")
    assert (first["code"], first["protocol"]) == ("heard", "recuerdo")
    last = first["frames"][-1]["id"]
    second = talk(page, f"{place}&last_frame_id={last}", "josé")
    heard = first["frames"] + second["frames"]
    answer = heard[-1]["data"]["reply"]["content"]
    assert "José" in answer
    assert "".join(frame["data"]["text"] for frame in heard if frame["type"] == "token") == answer
    assert talk(page, place, "ana")["code"] == 4404


def test_a_page_of_another_site_opens_no_session(page: Page, browser: Browser, server: RecuerdoServer) -> None:
    """A browser sends its user's pages to a server of this machine, whoever wrote them."""
    page.route("http://elsewhere.example/**", lambda route: route.fulfill(body="<p>elsewhere</p>"))
    page.goto("http://elsewhere.example/")
    place = f"ws{server.url.removeprefix('http')}/ws/browser-2"
    told = talk(page, place, "josé", wanted="ready")
    assert (told["frames"], told["code"]) == ([], 1006)
