"""Documents: read, cut into chunks, kept once, found, and seen by those alone who may."""

import asyncio
import random
from pathlib import Path

import pytest

from recuerdo.adapters.local import LocalLibrary
from recuerdo.core.errors import InvalidInput, ModelUnavailable, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.library import Chunk, StoredChunk
from recuerdo.history.history import utc_now
from recuerdo.library import Library
from recuerdo.library.chunking import MOST_CHARACTERS, chunks_of
from recuerdo.library.reading import read
from recuerdo.searching.chunks import ChunkIndex

GUIDE = """# Devoluciones

Puede devolver un producto durante 30 días.

## Reembolsos

El reembolso llega en 5 días hábiles a su tarjeta.

## Cambios

Un cambio de talla es gratis.
"""

SHIPPING = "# Shipping\n\nWe ship to Spain in three days. Express delivery costs 9 euros.\n"


@pytest.fixture
def repository():
    return LocalLibrary()


@pytest.fixture
def library(repository):
    return Library(repository, None, utc_now)


@pytest.fixture
async def stocked(library):
    await library.add("acme", "guia.md", GUIDE.encode(), access="public")
    await library.add("acme", "shipping.md", SHIPPING.encode(), collection="logistics")
    return library


def test_a_chunk_never_reaches_across_a_heading_and_knows_what_it_is_below():
    chunks = chunks_of(GUIDE)
    assert [chunk.heading for chunk in chunks] == [
        "Devoluciones",
        "Devoluciones > Reembolsos",
        "Devoluciones > Cambios",
    ]
    assert chunks[1].text == "El reembolso llega en 5 días hábiles a su tarjeta."


def test_what_looks_like_a_heading_in_code_is_none():
    chunks = chunks_of("# Uno\n\n```sh\n# no heading\n```\n\nfin")
    assert [chunk.heading for chunk in chunks] == ["Uno"]


@pytest.mark.parametrize("seed", range(20))
def test_chunks_are_short_lie_where_they_say_and_leave_out_nothing_but_white_space_and_headings(seed):
    random_ = random.Random(seed)
    signs = ["palabra", " ", ". ", "\n", "\n\n", "\n## Título\n", "x" * 300, "ñ"]
    text = "".join(random_.choice(signs) for _ in range(random_.randrange(2000)))
    chunks = chunks_of(text)
    assert all(text[chunk.start : chunk.end] == chunk.text.strip() == chunk.text for chunk in chunks)
    assert all(0 < len(chunk.text) <= MOST_CHARACTERS for chunk in chunks)
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    kept = "".join(chunk.text for chunk in chunks)
    body = "\n".join(line for line in text.split("\n") if line != "## Título")
    assert "".join(kept.split()) == "".join(body.split())


def test_a_page_is_read_as_its_reader_sees_it():
    page = (
        "<html><head><title>Ayuda &amp; más</title><style>p{}</style></head><body><h1>Envíos</h1><p>Llega en\n"
        "<b>tres</b> días.</p><script>alert(1)</script><h2>Precio</h2><ul><li>9 €</li><li>0 €</li></ul></body></html>"
    )
    title, text = read("ayuda.html", page.encode())
    assert title == "Ayuda & más"
    assert [(chunk.heading, chunk.text) for chunk in chunks_of(text)] == [
        ("Envíos", "Llega en tres días."),
        ("Envíos > Precio", "9 €\n\n0 €"),
    ]


@pytest.mark.parametrize(
    ("source", "content", "problem"),
    [
        ("a.docx", b"x", "unknown type"),
        ("a.txt", b"\xff\xfe", "UTF-8"),
        ("a.md", b"a\0b", "NUL"),
        ("a", b"x", "unknown type"),
    ],
)
async def test_what_can_not_be_read_is_refused(library, source, content, problem):
    with pytest.raises(InvalidInput, match=problem):
        await library.add("acme", source, content)
    assert await library.documents("acme") == []


async def test_a_document_is_added_once_and_replaced_when_it_changes(library, repository):
    first = await library.add("acme", "guia.md", GUIDE.encode())
    again = await library.add("acme", "guia.md", GUIDE.encode())
    assert (first.changed, again.changed, again.document) == (True, False, first.document)
    assert (first.document.title, first.document.chunks) == ("Devoluciones", 3)
    changed = await library.add("acme", "guia.md", b"# Nuevo\n\nTodo cambia.")
    assert changed.changed
    assert changed.document.id == first.document.id
    assert [each.chunk.text for each in await repository.chunks("acme", [changed.document.id])] == ["Todo cambia."]
    assert (await library.add("acme", "guia.md", b"# Nuevo\n\nTodo cambia.", access="public")).changed


class Asked(LocalLibrary):
    """It knows which documents were read, chunk by chunk."""

    def __init__(self):
        super().__init__()
        self.read = []

    async def chunks(self, tenant, documents):
        self.read += documents
        return await super().chunks(tenant, documents)


async def test_after_a_change_of_the_library_only_what_changed_is_read():
    """And searches find what they find in a process that begins now."""
    repository = Asked()
    library = Library(repository, None, utc_now)
    for number, words in enumerate(("uno dos", "tres reembolso", "cuatro", "cinco reembolso")):
        await library.add("acme", f"{number}.md", f"# Parte {number}\n\n{words}".encode())
    await library.search("acme", "reembolso")
    gone = await library.add("acme", "guia.md", GUIDE.encode())
    await library.search("acme", "reembolso")
    repository.read.clear()
    changed = await library.add("acme", "0.md", b"# Otra\n\nEl reembolso llega en diez minutos.")
    await library.remove("acme", gone.document.id)
    mine = [await found(library, query) for query in QUERIES]
    assert repository.read == [changed.document.id]
    assert mine == [await found(Library(repository, None, utc_now), query) for query in QUERIES]


QUERIES = ("reembolso tres", "uno", "producto talla", "¿Cuándo llega?")


async def found(library, query):
    return {(hit.document.id, hit.chunk.number): hit.score for hit in await library.search("acme", query, limit=50)}


async def test_a_search_finds_the_part_that_answers_and_says_where_it_stands(stocked):
    [hit, *_] = await stocked.search("acme", "¿Cuándo llega mi reembolso?")
    assert (hit.document.title, hit.chunk.heading) == ("Devoluciones", "Devoluciones > Reembolsos")
    assert GUIDE[hit.chunk.start : hit.chunk.end] == hit.chunk.text
    assert 0 < hit.score <= 1
    [hit, *_] = await stocked.search("acme", "express delivery price")
    assert hit.document.source == "shipping.md"


async def test_a_search_looks_where_it_is_told_and_from_a_score_on(stocked):
    assert {hit.document.collection for hit in await stocked.search("acme", "días", collections=["default"])} == {
        "default"
    }
    assert await stocked.search("acme", "reembolso", collections=["logistics"]) == []
    assert await stocked.search("acme", "¿Cuándo llega mi reembolso?", threshold=0.99) == []
    assert await stocked.search("acme", "zzzz qqqq") == []
    assert await stocked.search("acme", "  ") == []
    with pytest.raises(InvalidInput, match="limit"):
        await stocked.search("acme", "x", limit=0)


async def test_what_is_added_changed_or_removed_is_so_for_the_next_search(stocked):
    assert await stocked.search("acme", "garantía extendida") == []
    added = await stocked.add("acme", "garantia.txt", "La garantía extendida dura dos años.".encode())
    [hit] = await stocked.search("acme", "garantía extendida", limit=1)
    assert hit.document == added.document
    await stocked.remove("acme", added.document.id)
    assert await stocked.search("acme", "garantía extendida") == []
    with pytest.raises(NotFound):
        await stocked.remove("acme", added.document.id)


async def test_another_process_sees_what_was_added(repository, stocked):
    other = Library(repository, None, utc_now)
    assert await other.search("acme", "garantía") == []
    await stocked.add("acme", "garantia.txt", "La garantía dura dos años.".encode())
    assert len(await other.search("acme", "garantía", limit=1)) == 1


async def test_private_documents_never_reach_an_anonymous_or_a_foreign_user(library):
    """A thousand generated attempts: every word of every private document, by who may not see it."""
    random_ = random.Random(7)
    words = [f"secreto{number}" for number in range(60)]
    for number in range(30):
        text = " ".join(random_.sample(words, 8)) + f" común{number % 5}"
        access = "public" if number % 3 == 0 else "tenant"
        for tenant in ("acme", "zeta"):
            await library.add(
                tenant, f"{tenant}-{number}.txt", text.encode(), access=access, collection=f"c{number % 2}"
            )
    for _ in range(1000):
        query = " ".join(random_.sample(words, 3)) + f" común{random_.randrange(5)}"
        tenant, public_only = random_.choice([("acme", True), ("zeta", True), ("acme", False), ("nobody", False)])
        collections = random_.choice([(), ("c0",), ("c0", "c1")])
        hits = await library.search(tenant, query, limit=20, public_only=public_only, collections=collections)
        assert all(hit.document.source.startswith(f"{tenant}-") for hit in hits)
        assert all(hit.document.access == "public" for hit in hits if public_only)
        assert tenant != "nobody" or not hits
    assert {each.access for each in await library.documents("acme", public_only=True)} == {"public"}


class AwayModel:
    name = "away"

    async def embed(self, texts):
        raise ModelUnavailable("away")


async def test_while_the_embedding_model_is_away_words_find_documents(repository):
    library = Library(repository, AwayModel(), utc_now)
    await library.add("acme", "guia.md", GUIDE.encode())
    assert (await library.search("acme", "reembolso", limit=1))[0].chunk.heading.endswith("Reembolsos")


def test_an_index_answers_as_before_while_the_next_one_is_made_of_it():
    """A search that has begun knows what it began with, whatever is added or removed meanwhile."""
    texts = ["Devoluciones de zapatos", "Cambios de talla", "Reembolsos con tarjeta"]
    chunks = [
        StoredChunk(f"d-{number}", Chunk(number=1, heading="", text=text, start=0, end=len(text)), None)
        for number, text in enumerate(texts)
    ]

    def found(index):
        return [
            index.search(word, None, {each.document for each in chunks}, 9) for word in ["zapato", "talla", "bonos"]
        ]

    former = ChunkIndex(chunks[:2], ["", ""], None)
    before = found(former)
    later = ChunkIndex(chunks[1:], ["", ""], None, known=former, kept=[1])
    assert found(former) == before
    assert found(later) == found(ChunkIndex(chunks[1:], ["", ""], None))


async def test_searches_and_additions_at_the_same_moment_get_along(library):
    tenant = new_id()

    async def add(number):
        await library.add(tenant, f"{number}.txt", f"documento {number} sobre gatos".encode())
        return await library.search(tenant, "gatos", limit=100)

    found = await asyncio.gather(*[add(number) for number in range(20)])
    assert all(found)
    assert len(await library.search(tenant, "gatos", limit=100)) == 20


def test_a_pdf_is_read_page_by_page():
    text = read("two.pdf", Path(__file__).with_name("two_pages.pdf").read_bytes()).text
    assert [(chunk.heading, chunk.text) for chunk in chunks_of(text)] == [("Page 1", "Hola"), ("Page 2", "Adios")]


def test_a_file_that_is_no_pdf_inside_is_refused():
    with pytest.raises(InvalidInput, match="can't be read"):
        read("broken.pdf", b"%PDF-1.7 and then nothing")
