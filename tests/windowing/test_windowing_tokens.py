"""The cost of messages in tokens, and the tokenizers that count them."""

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recuerdo.core.errors import MissingExtra
from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.ports import Tokenizer
from recuerdo.windowing import CharacterTokenizer, O200kTokenizer, TokenWindow
from recuerdo.windowing.policy import MEDIA_TOKENS, MESSAGE_TOKENS, NAME_TOKENS, message_tokens
from recuerdo.windowing.tokenizers import default_tokenizer


@pytest.fixture(scope="module")
def o200k() -> O200kTokenizer:
    """Made when it is needed: that takes as long as collecting a thousand tests."""
    return O200kTokenizer()


@pytest.fixture(scope="module", params=[O200kTokenizer, CharacterTokenizer])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return request.param()


class Words:
    """A tokenizer of one's own: a token a word."""

    def count(self, text: str) -> int:
        return len(text.split())


def cost(message: Message) -> int:
    return message_tokens(message, Words()) - MESSAGE_TOKENS


def test_a_text_costs_its_tokens_and_the_frame_of_a_message() -> None:
    assert message_tokens(Message.user("one two three"), Words()) == MESSAGE_TOKENS + 3


def test_an_empty_message_costs_its_frame() -> None:
    assert cost(Message.user("")) == cost(Message.user([])) == 0


def test_a_name_costs_its_tokens_and_one() -> None:
    assert cost(Message.user("hi", name="Emi Ruiz")) == 1 + 2 + NAME_TOKENS


def test_text_parts_cost_the_tokens_of_their_texts() -> None:
    parts: list[dict[str, Any]] = [{"type": "text", "text": "one two"}, {"type": "text", "text": "three"}]
    assert cost(Message.user(parts)) == 3


def test_media_cost_the_same_however_long_their_data_is() -> None:
    for kind in ("image_url", "image", "input_audio", "file"):
        assert cost(Message.user([{"type": kind, "data": "A " * 9999}])) == MEDIA_TOKENS


def test_other_parts_cost_the_tokens_of_their_json() -> None:
    assert cost(Message.user([{"type": "note", "value": "one two three"}, {"type": "text", "text": None}])) == 4


def test_tool_calls_cost_their_names_and_their_arguments_as_json() -> None:
    message = Message.assistant(
        "well", tool_calls=[ToolCall("a", "look_up", {"city": "São Paulo"}), ToolCall("b", "f")]
    )
    assert cost(message) == 1 + (1 + 2) + (1 + 1)


def test_arguments_that_no_json_can_hold_are_counted_all_the_same() -> None:
    assert cost(Message.assistant("", tool_calls=[ToolCall("a", "f", {"x": object(), "y": "\ud800"})])) > 1


def test_o200k_counts_as_openai_does(o200k: O200kTokenizer) -> None:
    assert o200k.count("hello world") == 2
    assert o200k.count("Hola, ¿cómo estás hoy?") == 7


def test_names_of_special_tokens_are_ordinary_text(o200k: O200kTokenizer) -> None:
    assert o200k.count("<|endoftext|>") == 7
    assert o200k.count("a <|endofprompt|> b") > 3


def test_broken_unicode_is_counted_and_not_refused(tokenizer: Tokenizer) -> None:
    assert tokenizer.count("\ud800") >= 1
    assert tokenizer.count("ab\udfff cd") >= 2


def test_only_the_empty_text_has_no_tokens(tokenizer: Tokenizer) -> None:
    assert tokenizer.count("") == 0
    assert [tokenizer.count(text) for text in ("a", " ", "\n", "\x00")] == [1, 1, 1, 1]


@pytest.mark.parametrize("text", ["word ", "x", " ", "漢", "🙂", "=", "e\u0301"])
def test_a_huge_text_is_counted(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.count(text * 200_000) > 1000


@settings(max_examples=200)
@given(text=st.text(st.characters()))
def test_any_text_has_at_least_one_token_and_at_most_its_bytes(tokenizer: Tokenizer, text: str) -> None:
    size = len(text.encode(errors="surrogatepass"))
    assert min(size, 1) <= tokenizer.count(text) <= size


@pytest.mark.parametrize(
    ("text", "count"),
    [("four", 1), ("fours", 2), ("a" * 400, 100), ("áéíó", 2), ("今日は", 3), ("🙂", 1)],
)
def test_the_rule_of_thumb_is_a_token_for_every_four_bytes(text: str, count: int) -> None:
    assert CharacterTokenizer().count(text) == count


def test_the_rule_of_thumb_is_near_o200k_for_spanish(o200k: O200kTokenizer) -> None:
    text = "Me llamo Emiliano y trabajo en Data Oilers como ingeniero de datos. ¿Podrías recordarme de qué hablamos?"
    assert CharacterTokenizer().count(text) == pytest.approx(o200k.count(text), rel=0.2)


def test_a_token_window_counts_with_o200k_when_it_is_installed() -> None:
    assert isinstance(TokenWindow(10).tokenizer, O200kTokenizer)


def test_without_o200k_a_token_window_falls_back_to_the_rule_of_thumb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quicktok", None)
    default_tokenizer.cache_clear()
    try:
        assert isinstance(TokenWindow(10).tokenizer, CharacterTokenizer)
    finally:
        default_tokenizer.cache_clear()


def test_without_its_extra_the_o200k_tokenizer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quicktok", None)
    with pytest.raises(MissingExtra, match=r"pip install 'recuerdo\[offline\]'"):
        O200kTokenizer()


def test_a_tokenizer_of_ones_own_is_used() -> None:
    history = [Message.user("one two three"), Message.user("four five")]
    assert TokenWindow(MESSAGE_TOKENS + 2, Words()).apply(history) == history[1:]
    assert TokenWindow(2 * MESSAGE_TOKENS + 5, Words()).apply(history) == history


def test_a_huge_message_is_skipped_and_special_token_names_do_no_harm(o200k: O200kTokenizer) -> None:
    history = [Message.user("<|im_start|>system<|endoftext|>"), Message.user("word " * 100_000), Message.user("hi")]
    assert TokenWindow(100, o200k).apply(history) == [history[0], history[2]]
