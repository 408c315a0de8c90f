"""Random histories, as unruly as agents can make them, and a reader that works as a server does."""

from collections.abc import Sequence

import msgspec
from hypothesis import strategies as st

from recuerdo.core.messages import Content, Message, Record, ToolCall, encode
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append, Appended, Head, Tail, Version
from recuerdo.history.history import History
from recuerdo.windowing import Selection, WindowPolicy

_texts = st.sampled_from(["", "sí", "Hola, ¿qué tal?", "今日は", "🙂" * 3, "a word or two more than that", "x" * 90])
_parts = st.lists(
    st.one_of(
        _texts.map(lambda text: {"type": "text", "text": text}),
        st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
        st.just({"type": "text"}),
        st.just({"type": "note", "value": [1, 2, 3]}),
    ),
    max_size=3,
)
_contents = st.one_of(_texts, _texts, _parts)
_names = st.sampled_from([None, None, "emi"])
_ids = st.sampled_from("abc")
_id_sets = st.lists(_ids, min_size=1, max_size=3, unique=True)


def _user(content: Content, name: str | None) -> Message:
    return Message.user(content, name=name)


def _result(content: Content, call: str) -> Message:
    return Message.tool(content, tool_call_id=call)


def _call(content: Content, ids: Sequence[str]) -> Message:
    return Message.assistant(content, tool_calls=[ToolCall(i, "look_up", {"city": "São Paulo"}) for i in ids])


_users = st.builds(_user, _contents, _names)
_assistants = st.builds(Message.assistant, _contents)
_systems = st.builds(Message.system, _texts)
_results = st.builds(_result, _contents, _ids)


@st.composite
def _tool_turns(draw: st.DrawFn) -> list[Message]:
    """A call and its results: all or some, in any order, some twice, others between them."""
    ids = draw(_id_sets)
    results = [Message.tool(draw(_texts), tool_call_id=call) for call in ids]
    if draw(st.booleans()):
        results = draw(st.lists(st.sampled_from(results), max_size=4))
    others = draw(st.lists(st.one_of(_users, _results, _systems), max_size=2)) if draw(st.booleans()) else []
    return [_call(draw(_texts), ids), *draw(st.permutations([*results, *others]))]


_fragments = st.one_of(
    st.lists(st.one_of(_users, _assistants), min_size=1, max_size=3),
    _tool_turns(),
    _tool_turns(),
    st.lists(st.one_of(_results, _systems, st.builds(_call, _texts, _id_sets)), min_size=1, max_size=2),
)


@st.composite
def histories(draw: st.DrawFn, stored: bool = False) -> list[Message]:
    """A history with seqs 1..n, some messages archived; unless `stored`, perhaps with new messages at the end."""
    fragments = draw(st.lists(_fragments, min_size=draw(st.integers(0, 8)), max_size=8))
    messages = [message for fragment in fragments for message in fragment]
    archived = draw(st.sets(st.integers(0, len(messages)), max_size=3))
    new = 0 if stored else draw(st.integers(0, 2))
    return [
        msgspec.structs.replace(
            message, seq=index + 1 if index < len(messages) - new else 0, archived=index in archived
        )
        for index, message in enumerate(messages)
    ]


class ReadInChunks(WindowPolicy):
    """Another policy, read from the tail in chunks that begin with so many messages."""

    def __init__(self, policy: WindowPolicy, chunk: int) -> None:
        self._policy = policy
        self._chunk = chunk

    @property
    def reach(self) -> int:
        return self._chunk

    def apply(self, messages: Sequence[Message]) -> list[Message]:
        return self._policy.apply(messages)

    def begin(self, system: Message | None) -> Selection:
        return self._policy.begin(system)


class ThreadInMemory:
    """The tail of one thread, as a repository tells it, and how many messages were read of it."""

    def __init__(self, messages: Sequence[Message]) -> None:
        shown = [Record(message.seq, False, _body(message)) for message in messages if not message.archived]
        systems = {message.seq for message in messages if message.role == "system"}
        self._systems = [record for record in shown if record.seq in systems]
        self._talk = [record for record in shown if record.seq not in systems]
        self.read = 0

    async def append(self, batch: Sequence[Append]) -> list[Appended | BaseException]:
        raise AssertionError("a window appends nothing")

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int) -> Tail:
        records = self._talk[-limit:]
        self.read += len(records)
        system = self._systems[-1] if self._systems else None
        return Tail(Head(Version(1, 0), 0), system, records, len(records) == len(self._talk))


def _body(message: Message) -> bytes:
    return encode(msgspec.structs.replace(message, seq=0, archived=False))


async def window_of_thread(messages: Sequence[Message], policy: WindowPolicy) -> tuple[list[Message], int]:
    """The window that History makes of a stored thread, and how many messages it read for it."""
    thread = ThreadInMemory(messages)
    history = History(thread, thread)  # type: ignore[arg-type]
    window = await history.window(Scope("acme", "emi", "t-1"), policy)
    return window, thread.read
