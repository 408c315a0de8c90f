"""The functions that are given what callers wrote, each with the characters of the shorter text it is measured with.

To have another one watched, add a line.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt, language_of, sentences
from recuerdo.agents.offline.questions import questions, telling_sentences
from recuerdo.agents.offline.quotes import quote
from recuerdo.agents.offline.ranking import find
from recuerdo.agents.prompts import Quoted, build_prompt, entries_of, recalled_memories
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.library import Chunk, ChunkHit, LibraryDocument, StoredChunk
from recuerdo.core.memories import Memory, MemoryQuery
from recuerdo.core.messages import Message
from recuerdo.core.passages import MessagePlace
from recuerdo.core.scope import Owner, check_id
from recuerdo.core.words import normalize, words_of
from recuerdo.history.lines import read as read_lines
from recuerdo.library.chunking import chunks_of
from recuerdo.library.reading import read
from recuerdo.memories.extract import by_detectors, listen, listen_and_note
from recuerdo.memories.extraction.gate import is_vacuous, reads_like_an_order
from recuerdo.memories.extraction.relatives import relative_slot
from recuerdo.memories.likeness import near, same_value, telling_words
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.maintenance.sentences import outline
from recuerdo.memories.secrets import secret_in
from recuerdo.memories.slots import slot
from recuerdo.memories.wording import prompts_for, quoted
from recuerdo.runs.webhooks import check_webhook
from recuerdo.searching.chunks import ChunkIndex
from recuerdo.searching.index import Index
from recuerdo.searching.lexicon import significant
from recuerdo.searching.memories import MemoryIndex, sentences_of_talk
from recuerdo.searching.passages import Passage
from recuerdo.searching.recipe import SearchQuery, periods_of, search
from recuerdo.searching.vocabulary import grams, stem
from recuerdo.server.errors import without_passwords
from recuerdo.windowing.tokenizers import CharacterTokenizer, O200kTokenizer

TextFunction = Callable[[str], Any]

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SENTENCES = ("Vivo en Montevideo y trabajo en Acme.", "My sister Ana likes tea.", "Gosto de viajar em maio.") * 20
SPANISH = LOCALES["es"].offline


def _told(text: str) -> OfflinePrompt:
    return OfflinePrompt("¿Qué carro tengo?", [EarlierMessage("user", text)])


def refusing(function: TextFunction) -> TextFunction:
    """A deliberate refusal is a good outcome, too."""

    def refused(text: str) -> None:
        with suppress(RecuerdoError):
            function(text)

    return refused


tokenizer = cache(O200kTokenizer)
"""Made when it is needed: that takes longer than collecting a hundred tests."""


def document(name: str) -> TextFunction:
    return refusing(lambda text: read(name, text.encode()))


def chunk_of(text: str, number: int = 0) -> Chunk:
    return Chunk(number=number, heading=text, text=text, start=0, end=len(text))


def hit_of(text: str) -> ChunkHit:
    found = LibraryDocument(id="d", title=text, source="d.md", digest="", size=1, chunks=1, created_at=NOON)
    return ChunkHit(document=found, chunk=chunk_of(text), score=1.0)


def memory_of(text: str, number: int = 0) -> Memory:
    return Memory(id=f"m-{number}", owner=Owner("a", "b"), text=text, created_at=NOON, updated_at=NOON)


def passage_of(text: str, number: int = 1) -> Passage:
    return Passage(MessagePlace("t", 1, number), "ana", text, NOON)


def index_of(texts: tuple[str, ...]) -> Index:
    index = Index()
    for number, text in enumerate(texts, 1):
        index.add(passage_of(text, number))
    return index


def memory_index_of(texts: tuple[str, ...]) -> MemoryIndex:
    index = MemoryIndex(None)
    for number, text in enumerate(texts):
        index.put(memory_of(text, number))
    return index


def chunk_index_of(texts: tuple[str, ...]) -> ChunkIndex:
    chunks = [StoredChunk("d", chunk_of(text, number), None) for number, text in enumerate(texts)]
    return ChunkIndex(chunks, ["t"] * len(chunks), None)


def prompt_of(text: str) -> str:
    return build_prompt(text, [memory_of(text)], [], Message.user(text), [hit_of(text)])[0].text


def line_of(text: str) -> None:
    list(read_lines([text.encode()], set()))


INDEX, MEMORIES, CHUNKS = index_of(SENTENCES), memory_index_of(SENTENCES), chunk_index_of(SENTENCES)

TEXT_FUNCTIONS: dict[str, tuple[TextFunction, int]] = {
    "reading Markdown": (document("a.md"), 16_000),
    "reading HTML": (document("a.html"), 8_000),
    "reading plain text": (document("a.txt"), 16_000),
    "splitting into chunks": (chunks_of, 8_000),
    "splitting into words": (words_of, 8_000),
    "folding": (normalize, 16_000),
    "stemming": (stem, 16_000),
    "n-grams": (grams, 4_000),
    "significant words": (lambda text: significant(words_of(text)), 8_000),
    "dates of a query": (lambda text: periods_of(text, [2025, 2026]), 4_000),
    "indexing a message": (lambda text: index_of((text,)), 8_000),
    "searching messages": (lambda text: search(INDEX, SearchQuery(text), 5), 2_000),
    "sentences of a talk": (sentences_of_talk, 8_000),
    "indexing a memory": (lambda text: memory_index_of((text,)), 8_000),
    "searching memories": (lambda text: MEMORIES.search(text, None, MemoryQuery(limit=5)), 2_000),
    "indexing chunks": (lambda text: chunk_index_of((text,)), 4_000),
    "searching chunks": (lambda text: CHUNKS.search(text, None, {"d"}, 5), 4_000),
    "counting tokens": (lambda text: tokenizer().count(text), 8_000),
    "estimating tokens": (CharacterTokenizer().count, 16_000),
    "telling the language": (lambda text: language_of([text]), 16_000),
    "choosing prompts by language": (lambda text: prompts_for([text]), 16_000),
    # these three read 8,000 characters at most: sixteen times their texts
    "splitting into sentences": (sentences, 500),
    "finding questions": (lambda text: questions(text, SPANISH), 250),
    "finding statements": (lambda text: telling_sentences(text, SPANISH), 500),
    "finding an answer": (lambda text: find(_told(text), "¿Qué carro tengo?", SPANISH), 500),
    "quoting a sentence": (quote, 16_000),
    "building a prompt": (prompt_of, 8_000),
    "quoting for a model": (lambda text: quoted("user", text), 16_000),
    "finding documents in a prompt": (lambda text: entries_of("documents", text, Quoted), 16_000),
    "finding memories in a prompt": (lambda text: recalled_memories(text), 16_000),
    "outlining": (lambda text: outline("", [Message.user(text)]), 2_000),
    "outlining once more": (lambda text: outline(text, []), 4_000),
    "hearing": (listen_and_note, 200),
    # longer sentences are not read; the time of the tagger, which reads a bounded number of words, would hide a square
    "hearing a sentence": (by_detectors, 140),
    "hearing what answers": (lambda text: listen("en Lima", text), 8_000),
    "naming the slot of a relative": (relative_slot, 1_000),
    "recognising orders": (reads_like_an_order, 2_000),
    "recognising empty sentences": (is_vacuous, 4_000),
    "telling words": (telling_words.__wrapped__, 8_000),
    "recognising secrets": (secret_in, 1_000),
    "comparing texts": (lambda text: near(text, text + " no"), 4_000),
    "comparing values": (lambda text: same_value(text, text), 16_000),
    "naming the slot of a preference": (partial(slot, "preference"), 4_000),
    "naming the slot of a relation": (partial(slot, "family"), 4_000),
    "removing passwords from errors": (without_passwords, 4_000),
    "checking an id": (refusing(partial(check_id, "thread")), 16_000),
    "checking a webhook": (refusing(check_webhook), 16_000),
    "reading a line of an export": (refusing(line_of), 16_000),
}

READ_BY_NETWORKS = {"finding questions", "finding an answer", "hearing"}
"""The functions whose time is mostly that of a network, which reads a bounded number of words."""
