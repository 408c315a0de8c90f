"""The contracts of models: embedders, tokenizers, chat models."""

import asyncio
from contextlib import aclosing

import pytest

from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.ports import ChatModel, Embedder, Tokenizer
from recuerdo.testing.samples import cosine, length

TEXTS = ["", " ", "¿Cómo me llamo?", "👩‍👩‍👧‍👦", "שלום", "<|endoftext|>", "\x00", "ti\u0301o", "a\n\tb", "𝕏" * 50]


class EmbedderContract:
    """Everything that an Embedder must hold. Needs the fixture `embedder`."""

    pytestmark = pytest.mark.asyncio

    async def test_the_name(self, embedder: Embedder) -> None:
        """The model has a name, and every embedding carries it."""
        assert embedder.name
        assert {embedding.model for embedding in await embedder.embed(["a", "b"])} == {embedder.name}

    async def test_one_a_text(self, embedder: Embedder) -> None:
        """There is one embedding a text, in the order of the texts, whatever they are embedded together with."""
        texts = ["tea", "a long walk in the mountains", "invoices"]
        together = await embedder.embed(texts)
        assert len(together) == 3
        for text, embedding in zip(texts, together, strict=True):
            [alone] = await embedder.embed([text])
            assert cosine(alone, embedding) > 0.99

    async def test_no_texts(self, embedder: Embedder) -> None:
        """No texts have no embeddings."""
        assert await embedder.embed([]) == []

    @pytest.mark.parametrize("text", [*TEXTS, "word " * 20_000], ids=lambda text: ascii(text)[:12])
    async def test_any_text(self, embedder: Embedder, text: str) -> None:
        """Any text, empty or long, has an embedding of unit length and of the model's size."""
        one, other = await embedder.embed([text, "tea"])
        assert length(one) == pytest.approx(1, abs=1e-3)
        assert len(one.vector) == len(other.vector)

    async def test_the_same_again(self, embedder: Embedder) -> None:
        """The same text has the same embedding."""
        first, again = [(await embedder.embed(["I like tea"]))[0] for _ in range(2)]
        assert cosine(first, again) > 0.999

    async def test_nearer_in_meaning(self, embedder: Embedder) -> None:
        """Texts with nearly the same meaning are nearer than texts with another meaning."""
        asked, near, far = await embedder.embed(
            ["Where does she work?", "She works at a bank.", "The soup needs more salt."]
        )
        assert cosine(asked, near) > cosine(asked, far)

    async def test_many_callers(self, embedder: Embedder) -> None:
        """Callers at the same time each get their own."""
        texts = [f"text number {number}" for number in range(8)]
        together = await embedder.embed(texts)
        alone = await asyncio.gather(*(embedder.embed([text]) for text in texts))
        for expected, [embedding] in zip(together, alone, strict=True):
            assert cosine(expected, embedding) > 0.99


class TokenizerContract:
    """Everything that a Tokenizer must hold. Needs the fixture `tokenizer`."""

    def test_nothing(self, tokenizer: Tokenizer) -> None:
        """An empty text has no tokens."""
        assert tokenizer.count("") == 0

    @pytest.mark.parametrize("text", TEXTS[1:], ids=ascii)
    def test_any_text(self, tokenizer: Tokenizer, text: str) -> None:
        """Any text has one token at least, and no more than it has bytes; markers of a model are plain text."""
        assert 1 <= tokenizer.count(text) <= len(text.encode())

    def test_the_same_again(self, tokenizer: Tokenizer) -> None:
        """The same text has the same count."""
        assert tokenizer.count("¿Cómo me llamo?") == tokenizer.count("¿Cómo me llamo?")

    def test_longer_is_more(self, tokenizer: Tokenizer) -> None:
        """More words are more tokens."""
        counts = [tokenizer.count("the quick brown fox " * times) for times in (1, 2, 10, 100)]
        assert counts == sorted(set(counts))

    @pytest.mark.parametrize("text", ["a" * 50_000, " " * 50_000, "\n" * 50_000, "ñandú " * 10_000], ids=ascii)
    def test_long_texts(self, tokenizer: Tokenizer, text: str) -> None:
        """Long texts are counted whole, repetitions too."""
        assert tokenizer.count(text) > tokenizer.count(text[:1_000])


class ChatModelContract:
    """Everything that a ChatModel must hold. Needs the fixture `chat_model`."""

    pytestmark = pytest.mark.asyncio

    async def test_the_name(self, chat_model: ChatModel) -> None:
        """The model has a name that people can be shown."""
        assert chat_model.name.strip()

    async def test_an_answer(self, chat_model: ChatModel) -> None:
        """A question gets an answer, in pieces of text."""
        assert (await _answer(chat_model, Message.user("¿Cómo te llamas?"))).strip()

    async def test_a_whole_conversation(self, chat_model: ChatModel) -> None:
        """A prompt may hold every kind of message: system, parts, tool calls and their results, empty contents."""
        call = ToolCall("call-1", "weather", {"city": "Lima"})
        prompt = [
            Message.system("Be brief."),
            Message.user([{"type": "text", "text": "What is the weather in Lima?"}]),
            Message.assistant("", tool_calls=[call]),
            Message.tool("21 degrees", tool_call_id="call-1", name="weather"),
            Message.assistant("It is 21 degrees. 👋"),
            Message.user("Gracias. ¿Y mañana?"),
        ]
        assert (await _answer(chat_model, *prompt)).strip()

    async def test_two_at_once(self, chat_model: ChatModel) -> None:
        """Two conversations at the same time do not mix up or wait for each other for ever."""
        answers = await asyncio.gather(*(_answer(chat_model, Message.user("Hello")) for _ in range(2)))
        assert all(answer.strip() for answer in answers)

    async def test_stopping_early(self, chat_model: ChatModel) -> None:
        """A reader that stops early stops the model, and the next answer is whole again."""
        async with aclosing(chat_model.stream([Message.user("Tell me a story.")])) as pieces:
            async for _ in pieces:
                break
        assert (await _answer(chat_model, Message.user("Hello"))).strip()


async def _answer(chat_model: ChatModel, *prompt: Message) -> str:
    async with aclosing(chat_model.stream(prompt)) as pieces:
        return "".join([piece async for piece in pieces])
