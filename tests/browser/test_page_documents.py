"""The page of documents: who may adds them, sees what they were split into, and tries what a question finds."""

import pytest
from playwright.sync_api import expect

from browser.browsing import HOSTILE, OpenPage, look
from servers.recuerdo import RecuerdoServer

pytestmark = pytest.mark.browser


def test_documents_are_added_searched_and_removed(server: RecuerdoServer, open_page: OpenPage) -> None:
    page = open_page(f"{server.url}/#/documents", user="editor")
    expect(page.get_by_text("Aún no hay documentos.")).to_be_visible()
    hostile = "# " + "\n\n# ".join(f"{text}\n\n{text}" for text in HOSTILE)
    returns = "# Devoluciones\n\nUn reembolso tarda cinco días."
    page.locator("#document-access").select_option("public")
    page.locator("#document-files").set_input_files(
        [
            {"name": "devoluciones.md", "mimeType": "text/markdown", "buffer": returns.encode()},
            {"name": "<img src=x onerror=pwned=1>.md", "mimeType": "text/markdown", "buffer": hostile.encode()},
            {"name": "programa.exe", "mimeType": "", "buffer": b"MZ"},
        ]
    )
    expect(page.locator(".uploads li")).to_have_count(3)
    expect(page.locator(".uploads .problem")).to_have_count(1)
    rows = page.locator("#document-rows .row")
    expect(rows).to_have_count(2)
    page.locator("#document-query").fill("¿Cuánto tarda un reembolso?")
    page.locator("#document-query").press("Enter")
    expect(page.locator(".hits li").first).to_contain_text("cinco días")
    look(page, "documents-desktop-light")
    rows.filter(has_text="img").click()
    expect(page.locator(".scrolled li").first).to_contain_text("pwned=1")
    look(page, "document-desktop-light")
    page.go_back()
    rows.filter(has_text="Devoluciones").click()
    page.get_by_role("button", name="Eliminar").last.click()
    page.locator("#confirm").get_by_role("button", name="Eliminar").click()
    expect(rows).to_have_count(1)
