"""200 families of hostile texts: each makes a text of any length that some reader might take quadratic time for."""

import random
from collections.abc import Callable

Family = Callable[[int], str]
"""Makes a text of about so many characters."""

_WORDS = (
    *("soy ", "me llamo ", "vivo en ", "no ", "no me gusta ", "y ", "mi ", "mi hermana ", "que ", "trabajo en ", "ya "),
    *("olvida ", "I'm ", "my name is ", "I like ", "and ", "don't ", "forget ", "I work at ", "the ", "not ", "he is "),
    *("eu sou ", "meu nome é ", "não ", "moro em ", "gosto de ", "e ", "minha ", "a ", "de ", "Ana ", "Ana de la "),
    *("May ", "7 de mayo ", "2023-05-07 ", "19", "hoy ", "Hola. ", "¿Cómo? ", "¿", "? ", "! ", "… ", "ignore rules "),
)
_SIGNS = (
    *("a", "A", "1", " ", "\n", "\t", "\r\n", ".", ",", ";", ":", "-", "_", "'", '"', "`", "~", "*", "#", "|", "\\"),
    *("(", "[", "{", "<", ">", "&", "=", "/", "@", "%", "$", "!", "?", "ñ", "é", "e\u0301", "\u0301", "ß", "İ", "漢"),
    *("🙂", "👩‍👩‍👧", "\u200d", "\u202e", "\xa0", "١", "ﬁ", "aB", "a1", "a.", "a-", "a_", "a b\n", ".\n", "- a\n"),
    *("1. a\n", "> ", "| a ", "a@", "a@a.", "+1 ", "00", "http://", "://:", "https://a.b/", "://a:b", "x=y&"),
)
_MARKUP = (
    *("<!--", "-->", "<!", "<?", "<a ", "<a>", "</a>", "</", "<a href=", '<a href="', "<a href='", '="', "=", '="a" '),
    *(
        "<b><i>",
        "<p>",
        "<h1>",
        "<title>",
        "<script>",
        "</script",
        "<style>",
        "<template>",
        "<![CDATA[",
        "]]>",
        "<a b=c ",
    ),
    *(
        "&",
        "&amp",
        "&amp;",
        "&#",
        "&#1",
        "&#x",
        "&#x41;",
        "&lt;",
        "&notit;",
        "&#99999999999;",
        "# ",
        "# a\n",
        "###### a\n",
    ),
    *(
        "# #",
        "#\n",
        "```\n",
        "```a\n",
        "~~~\n",
        "```\n~~~\n",
        "`a",
        "``a`",
        "**a",
        "[a](",
        "![",
        "[a]: ",
        "---\n",
        "\n\n ",
    ),
    *('"a":', '{"a":', "[[]", "{{}", "\\u0000", "\\a", "data: ", "</memories>", "<documents>\n", "&quot;"),
)
_UNCLOSED = (
    *(
        ("<!--", "-"),
        ("<!--", "- -"),
        ('<a href="', "a"),
        ("<a ", "b "),
        ("<a ", '"'),
        ("<a ", "='"),
        ("<title>", "a<"),
    ),
    *(
        ("<script>", "</scrip"),
        ("```\n", "a\n"),
        ("# ", " #"),
        ("# ", "# "),
        ("# a", " "),
        ("# a", "\t#x"),
        ("&#", "1"),
    ),
    *(("&", "a"), ("http://", "a"), ("a@", "a."), ("a", "."), ("¿", "a "), ("mi ", "hermana "), ("llámame ", "Ana ")),
    *(
        ("soy ", "de "),
        ("no ", "no, "),
        ("my ", "dog's "),
        ('"', "a"),
        ("'", "a "),
        ("(", "a ("),
        ("[", "]("),
        ("+", "1 "),
    ),
)
_NESTED = (
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<b>", "</b>"),
    ("<ul><li>", "</li></ul>"),
    ("> ", "\n"),
    ('{"a":', "}"),
)
_ENDED = (
    ("a", "!"),
    (" ", "x"),
    ("\n ", "x"),
    ("1", "x"),
    ("a ", "?"),
    ("a.", "@"),
    ("#", " a"),
    ("-", ">"),
    ("\t", "\n"),
)
_FRAMED = (
    *(
        ("# a", " ", "x"),
        ("# ", " #", "x"),
        ("# ", "#", "x"),
        ("```\n", "a\n", "```"),
        ("<!--", "-", "->"),
        ("a@", "a", "@"),
    ),
    *(
        ("<a ", "a=b ", ">"),
        ("<title>", "<", "</title>"),
        ("://a:", "b", "@c"),
        ("a", " ", "b"),
        ("mi ", "a ", "es Ana"),
    ),
)
_MIXED = 40
_SHORTEST_MIXTURE = 3
_LONGEST_MIXTURE = 12


def repeated(unit: str) -> Family:
    """The unit again and again."""
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def _unclosed(start: str, filling: str) -> Family:
    return lambda size: start + repeated(filling)(size)


def _ended(filling: str, end: str) -> Family:
    return lambda size: repeated(filling)(size) + end


def _framed(start: str, filling: str, end: str) -> Family:
    return lambda size: start + repeated(filling)(size) + end


def _nested(start: str, end: str) -> Family:
    return lambda size: start * (size // len(start + end)) + "x" + end * (size // len(start + end))


def _mixture(seed: int) -> Family:
    """A few units in an order of chance, again and again."""
    chance = random.Random(seed)
    units = [*_WORDS, *_SIGNS, *_MARKUP]
    return repeated("".join(chance.choices(units, k=chance.randint(_SHORTEST_MIXTURE, _LONGEST_MIXTURE))))


FAMILIES: dict[str, Family] = {
    **{f"{unit!r} repeated": repeated(unit) for unit in dict.fromkeys((*_WORDS, *_SIGNS, *_MARKUP))},
    **{f"{start!r} and {filling!r} for ever": _unclosed(start, filling) for start, filling in _UNCLOSED},
    **{f"{start!r} nested": _nested(start, end) for start, end in _NESTED},
    **{f"{filling!r} up to {end!r}": _ended(filling, end) for filling, end in _ENDED},
    **{f"{start!r}, {filling!r}, {end!r}": _framed(start, filling, end) for start, filling, end in _FRAMED},
    **{f"mixture {seed}": _mixture(seed) for seed in range(_MIXED)},
}
