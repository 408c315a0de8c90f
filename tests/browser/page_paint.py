"""How soon the page shows what is stored: `python tests/browser/page_paint.py`. Fails above its budget.

A server on SQLite is filled with 10,000 memories and a thread of 5,000 messages; a Chromium then opens each place three
times, and the median counts.
"""

import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import httpx
from playwright.sync_api import sync_playwright

from browser.browsing import CHROMIUM, CHROMIUM_FLAGS
from browser.painting import BUDGET, NODES, USER, fill, painted
from servers.recuerdo import running_recuerdo

TIMES = 3


def main() -> None:
    """Measure and print; exit with 1 when something took longer than its budget."""
    took: dict[str, list[float]] = defaultdict(list)
    alive: dict[str, int] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running_recuerdo(database_url=f"sqlite:///{folder}/r.db", embeddings="none") as server,
        sync_playwright() as playwright,
    ):
        with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": USER}) as client:
            fill(client)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 860})
        page.add_init_script(f"localStorage.setItem('recuerdo.user', {USER!r})")
        page.goto(server.url)
        page.locator("#known .memory").first.wait_for()
        for _ in range(TIMES):
            for name, milliseconds, elements in painted(page):
                took[name].append(milliseconds)
                alive[name] = elements
        browser.close()
    for name, each in took.items():
        print(f"{name}: {statistics.median(each):.0f} ms (budget {BUDGET}), {alive[name]} elements (at most {NODES})")
    if any(statistics.median(each) > BUDGET for each in took.values()) or max(alive.values()) > NODES:
        sys.exit(1)


if __name__ == "__main__":
    main()
