"""Documents that are made to take all of a server's time or memory are refused, and nobody else notices."""

import io
import os
import zlib

import pytest

from recuerdo.adapters.local import LocalLibrary
from recuerdo.concurrency.confined import ConfinedProcessDied, Confinement, ConfinementExceeded, run_confined
from recuerdo.core.errors import InvalidInput
from recuerdo.history.history import utc_now
from recuerdo.library import Library
from recuerdo.library.html import read_html
from servers.patience import PATIENCE

SMALL = Confinement(cpu_seconds=1, memory_bytes=2**30, seconds=PATIENCE)


@pytest.fixture
def library():
    return Library(LocalLibrary(), None, utc_now)


def pdf_of(content: bytes) -> bytes:
    """A PDF of one page with this content, compressed."""
    packed = zlib.compress(content, 9)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(packed), packed),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    file, places = io.BytesIO(b"%PDF-1.4\n"), []
    file.seek(0, os.SEEK_END)
    for number, each in enumerate(objects, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%b\nendobj\n" % (number, each))
    start = file.tell()
    file.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    file.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)
    return file.getvalue()


async def test_a_process_that_takes_no_more_than_it_may_answers():
    assert await run_confined("hungry", b"nothing", SMALL) == b"done\n"


@pytest.mark.parametrize(
    ("what", "limits", "named"),
    [
        ("computing", SMALL, "1 seconds of computing"),
        ("memory", SMALL, "1024 MB of memory"),
        ("time", SMALL._replace(seconds=1.0), "1 seconds"),
    ],
)
async def test_a_process_is_stopped_at_its_limit_which_the_error_names(what, limits, named):
    with pytest.raises(ConfinementExceeded) as stopped:
        await run_confined("hungry", what.encode(), limits)
    assert stopped.value.limit == named


async def test_a_process_that_dies_of_something_else_says_of_what():
    with pytest.raises(ConfinedProcessDied, match="LookupError: nonsense"):
        await run_confined("hungry", b"nonsense", SMALL)


async def test_no_secret_of_the_environment_reaches_the_process(monkeypatch):
    monkeypatch.setenv("RECUERDO_MODEL_API_KEY", "geheim")
    assert b"geheim" not in await run_confined("environment", b"", SMALL)


async def test_a_pdf_that_takes_for_ever_is_refused(library, monkeypatch):
    endless = pdf_of(b"BT /F 9 Tf " + b"(a) Tj\n" * 3_000_000 + b"ET")
    monkeypatch.setattr("recuerdo.library.library._confinement", lambda _: SMALL)
    assert len(endless) < 40_000
    with pytest.raises(InvalidInput, match=r"content: .*1 seconds of computing; split it") as refused:
        await library.add("acme", "endless.pdf", endless)
    assert refused.value.field == "content"
    assert await library.documents("acme") == []


async def test_a_pdf_of_the_same_kind_that_ends_is_read(library):
    assert (await library.add("acme", "short.pdf", pdf_of(b"BT /F 9 Tf (Hola) Tj ET"))).document.chunks == 1


async def test_a_document_of_a_great_many_parts_is_refused(library):
    with pytest.raises(InvalidInput, match="60000 parts, and may have 50000"):
        await library.add("acme", "parts.md", b"# a\nb\n" * 60_000)


async def test_comments_that_are_never_closed_take_no_time(library):
    added = await library.add("acme", "page.html", b"<title>Hola</title>" + b"<!--" * 220_000)
    assert (added.document.title, added.document.chunks) == ("Hola", 0)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>uno</p><!-- <p>dos</p> --><p>tres</p>", "uno\n\ntres"),
        ("uno<!-->dos<!--->tres<!---->cuatro", "unodostrescuatro"),
        ("uno<!-- dos", "uno"),
        ("uno<script>if (a < b) { '<p>' }</script>dos", "unodos"),
        ("uno<SCRIPT>a</scripty></Script >dos", "unodos"),
        ("uno<script>dos", "uno"),
        ("<a title='>'>uno</a> <a title=\">\">dos</a> <a title=it's>tres</a>", "uno dos tres"),
        ("1 < 2 &amp; 3 &gt 2 &#65;&#x42;&#99999999999999; &nada;", "1 < 2 & 3 > 2 AB\ufffd99999; &nada;"),
        ("<template>a<template>b</template>c</template>d", "d"),
        ("uno<?php echo ?>dos<![CDATA[x]]>tres</ >cuatro", "unodostrescuatro"),
        ("<textarea><p>uno</textarea>", "<p>uno"),
        ("uno<p", "uno"),
    ],
)
def test_the_text_of_a_page_is_what_a_browser_shows(page, text):
    assert read_html(page).text == text
