"""A real Chromium, and what is done in it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _BROWSERS)), None)
_OFF = (
    *("AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"),
    *("HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"),
    *("OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning"),
    *("PreloadTopChromeWebUI", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
)
"""Features that Playwright switches off, and those for which each window renders menus that nobody sees."""

CHROMIUM_FLAGS = [
    f"--disable-features={','.join(_OFF)}",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NODES = 1_500
"""So many elements may be alive, however much there is."""

AXE = Path(__file__).parents[1] / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}
HOSTILE = [
    "<script>pwned=1</script>",
    "<img src=x onerror=pwned=1>",
    "<svg onload=pwned=1><a xlink:href=javascript:pwned=1>x</a></svg>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "<details open ontoggle=pwned=1>x</details>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=pwned=1&gt;'>",
    "<form action=javascript:pwned=1><input name=nodeType><button>go</button></form>",
    "<a href='java\tscript:pwned=1'>x</a>",
    "[x](javascript:pwned=1)",
    "[x](JaVaScRiPt&colon;pwned=1)",
    "[x](data:text/html,<script>pwned=1</script>)",
    "[x](vbscript:pwned)",
    '[x](https://e.example/"onmouseover=pwned=1)',
    "![x](https://elsewhere.example/pixel.png)",
    '![" onerror=pwned=1 x="](x)',
    "<https://e.example/\"onclick='pwned=1'>",
    "```html\n<script>pwned=1</script>\n```",
    "`<img src=x onerror=pwned=1>`",
    "| <img src=x onerror=pwned=1> |\n|---|\n| <script>pwned=1</script> |",
    "<style>body{display:none}</style><link rel=stylesheet href=//elsewhere.example/a.css>",
    "<base href=//elsewhere.example/><meta http-equiv=refresh content='0;url=javascript:pwned=1'>",
    "<div id=message><p id=composer name=location>",
]
"""Texts that run, load or style something where they are taken for markup."""

OpenPage = Callable[..., Page]
ARTEFACTS = Path(__file__).parents[2] / "artefacts"


def say(page: Page, text: str) -> Locator:
    """Send a message and return the finished answer."""
    page.locator("#message").fill(text)
    page.locator("#message").press("Enter")
    return answered(page)


def answered(page: Page) -> Locator:
    """The last answer, as soon as it is finished."""
    expect(page.locator("#send")).to_be_visible()
    answer = page.locator(".message.assistant").last
    expect(answer).to_have_attribute("aria-busy", "false")
    return answer


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the page where RECUERDO_TEST_PICTURES is set: hundreds take a third of the browser's time."""
    if "RECUERDO_TEST_PICTURES" not in os.environ:
        return
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")


def look(page: Page, name: str) -> None:
    """Expect of the page what holds for each: nobody is shut out, nothing ran, little is alive."""
    look_over(page, name)
    violations = _violations(page, "{preload: false, resultTypes: ['violations']}")
    assert not violations, violations


def look_over(page: Page, name: str) -> None:
    """Expect of the page what is soon seen: it fits the screen, nothing ran, little is alive."""
    shoot(page, name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelectorAll('*').length") <= NODES
    assert page.evaluate("typeof pwned") == "undefined"


def look_in_the_dark(page: Page, name: str) -> None:
    """Expect in dark colours what `look` expects of colours."""
    page.emulate_media(color_scheme="dark")
    shoot(page, name)
    violations = _violations(page, "{preload: false, runOnly: ['color-contrast']}")
    page.emulate_media(color_scheme="light")
    assert not violations, violations


def _violations(page: Page, options: str) -> list[object]:
    """The violations that axe finds; none where it is missing, since without Node.js there is no npm to install it."""
    if not AXE.exists():
        return []
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text("utf-8"))
    violations: list[object] = []
    for _ in range(10):  # colours that fade, and what is about to be drawn, hold for a moment only
        found = page.evaluate(f"axe.run(document, {options})")
        violations = [(each["id"], [node["target"] for node in each["nodes"]]) for each in found["violations"]]
        if not violations:
            break
        page.wait_for_timeout(300)
    return violations
