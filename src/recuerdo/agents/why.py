"""Why a reply says what it says: the prompt of a turn, rebuilt from the database.

A reply keeps a recipe of its prompt: which memories, which seqs, which passages, and a digest of the whole. It keeps
none of their texts, so it stays small, and what is erased is erased from here, too. The digest tells whether the
prompt that is made again is, letter for letter, the one that the model got.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from recuerdo.agents.prompts import build_prompt, system_parts
from recuerdo.core.contexts import OWN_ASSISTANT
from recuerdo.core.errors import NotFound
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.passages import MessageHit
from recuerdo.core.ports import Tokenizer
from recuerdo.core.scope import Owner, Scope, TenantOwner
from recuerdo.core.threads import MessageQuery
from recuerdo.history import History
from recuerdo.memories import Memories
from recuerdo.memories.remember import Remembered

RECIPE = "prompt"
"""The metadata of a reply that holds its recipe."""

_ID = attrgetter("id")
_SHOWN = attrgetter("role", "content", "tool_calls", "tool_call_id", "name")
_MOST_RANGES = 50
_PAGE = 1000


class Recipe(msgspec.Struct, frozen=True, omit_defaults=True):
    """The ingredients of a prompt. `known` is the ledger's version when the memories were recalled.

    `memories` is None when the user can't be remembered. `window` are ranges of seqs, `passages` are the thread, the
    seq and how many characters were quoted. The last three are the turn's changes of memories.
    """

    digest: str
    at: datetime
    message: int
    window: list[tuple[int, int]] = []
    memories: list[str] | None = None
    known: int = 0
    passages: list[tuple[str, int, int]] = []
    saved: list[str] = []
    ended: list[str] = []
    waiting: list[str] = []
    asked: list[str] = []
    """Memories that an order to forget may have meant."""
    forgot: bool = False
    scores: list[float | None] = []
    """Of the memories, in their order; None for those that stand in any prompt."""


class Layer(msgspec.Struct, frozen=True):
    """A part of a prompt and how many tokens it takes."""

    name: Literal["system", "day", "documents", "passages", "preferences", "memories", "history", "message"]
    tokens: int


class LeftOut(msgspec.Struct, frozen=True):
    """Messages of the thread that the model was not shown, and why.

    `older` ones did not fit into the window; `hidden` ones were archived, or of a role that the agent does not see.
    """

    first: int
    last: int
    reason: Literal["older", "hidden"]


class Explanation(NamedTuple):
    """How a reply came about. `exact` says that `prompt` is what the model got; else something of it is gone by now."""

    exact: bool
    model: str
    prompt: list[Message]
    layers: list[Layer]
    left_out: list[LeftOut]
    used: list[Memory]
    saved: list[Memory]
    ended: list[Memory]
    waiting: list[Memory]
    passages: list[MessageHit]
    scores: dict[str, float]
    """How well the used memories fitted the message, by their ids; the others stand in any prompt."""
    gone: int
    """How many of these memories and passages are not there any more."""


def recipe_of(
    prompt: Sequence[Message],
    window: Sequence[Message],
    message: Message,
    memories: Sequence[Memory] | None,
    passages: Sequence[MessageHit],
    at: datetime,
    known: int,
    remembered: Remembered | None = None,
    scores: Mapping[str, float] = {},
) -> Recipe:
    """The recipe of the prompt that these have made."""
    ids, quoted = [*map(_ID, memories or ())], list[tuple[str, int, int]]()
    did = Remembered() if remembered is None else remembered
    for hit in passages:
        quoted.append((hit.thread, hit.seq, len(hit.message.text)))
    return Recipe(
        prompt_digest(prompt),
        at,
        message.seq,
        _ranges(filter(None, map(attrgetter("seq"), window)))[-_MOST_RANGES:],
        None if memories is None else ids,
        known,
        quoted,
        saved=[*map(_ID, did)],
        ended=[*map(_ID, did.ended)],
        waiting=[*map(_ID, did.waiting)],
        asked=[*map(_ID, did.asked)],
        forgot=did.forgot,
        scores=[*map(scores.get, ids)],
    )


def prompt_digest(prompt: Sequence[Message]) -> str:
    """Return a digest of the prompt."""
    return hashlib.sha256(msgspec.json.encode([*map(_SHOWN, prompt)])).hexdigest()[:32]


class Explanations:
    """Explains the replies of a chat."""

    def __init__(self, history: History, memories: Memories) -> None:
        self._history = history
        self._memories = memories

    async def explain(self, scope: Scope, seq: int, system: str, tokenizer: Tokenizer) -> Explanation:
        """How the reply at that seq came about. Raises NotFound unless it is a reply of a chat."""
        reply = await self._reply(scope, seq)
        recipe = msgspec.convert(reply.metadata[RECIPE], Recipe)
        window = [each for span in recipe.window for each in await self._span(scope, *span)]
        message = await self._message(scope, recipe.message) if recipe.message else None
        used = await self._as_known(scope.owner, recipe.memories or [], recipe.known)
        passages = await self._passages(scope.owner, recipe.passages)
        memories = None if recipe.memories is None else used
        asked = message or Message.user("")
        unclear = await self._as_known(scope.owner, recipe.asked, recipe.known)
        saved = await self._now(scope.owner, recipe.saved)
        ended = await self._now(scope.owner, recipe.ended)
        waiting = await self._now(scope.owner, recipe.waiting)
        did = Remembered(saved, ended, unclear, forgot=recipe.forgot)
        prompt = build_prompt(system, memories, window, asked, (), passages, recipe.at, did)
        own = next((each.text for each in window if each.role == "system"), system)
        parts = system_parts(own, memories, (), passages, recipe.at, did)
        history = [each for each in window if each.role != "system"]
        layers = [
            *(Layer(name, tokenizer.count(text)) for name, text in parts.items() if text),
            *([Layer("history", sum(tokenizer.count(each.text) for each in history))] if history else []),
            Layer("message", tokenizer.count(asked.text)),
        ]
        wanted = [*(recipe.memories or ()), *recipe.passages, *recipe.saved, *recipe.ended, *recipe.waiting]
        gone = len(wanted) - sum(map(len, (used, passages, saved, ended, waiting)))
        exact = prompt_digest(prompt) == recipe.digest
        model = str(reply.metadata.get("model", ""))
        scores = {each: score for each, score in zip(recipe.memories or (), recipe.scores, strict=False) if score}
        return Explanation(
            exact, model, prompt, layers, _left_out(recipe), used, saved, ended, waiting, passages, scores, gone
        )

    async def answered_by(self, scope: Scope, seq: int) -> str:
        """The assistant that gave the reply at that seq. Raises NotFound unless it is a reply of a chat."""
        return str((await self._reply(scope, seq)).metadata.get("assistant_id", OWN_ASSISTANT))

    async def _reply(self, scope: Scope, seq: int) -> Message:
        reply = await self._message(scope, seq)
        if reply is None or RECIPE not in reply.metadata:
            raise NotFound.saying(f"Message {seq} is not a reply of the chat. Name the `seq` of one.")
        return reply

    async def _message(self, scope: Scope, seq: int) -> Message | None:
        found = await self._span(scope, seq, seq)
        return found[0] if found else None

    async def _span(self, scope: Scope, first: int, last: int) -> list[Message]:
        query = MessageQuery(after=first - 1, before=last + 1, limit=_PAGE, archived=None)
        page = await self._history.page(scope, query)
        return decode_all(page.records)

    async def _as_known(self, owner: Owner, ids: Sequence[str], known: int) -> list[Memory]:
        """The memories as they were when the user's ledger had that version; without those that are erased since."""
        found = [await self._at(owner, each, known) or await self._shared(owner, each) for each in ids]
        return [each for each in found if each is not None]

    async def _at(self, owner: Owner, memory_id: str, known: int) -> Memory | None:
        changes = await self._memories.history(owner, memory_id, limit=1, before=known + 1)
        return changes[0].entries[0].after if changes and changes[0].entries else None

    async def _shared(self, owner: Owner, memory_id: str) -> Memory | None:
        try:
            return await self._memories.get(TenantOwner(owner.tenant), memory_id)
        except NotFound:
            return None

    async def _now(self, owner: Owner, ids: Sequence[str]) -> list[Memory]:
        found: list[Memory] = []
        for each in ids:
            try:
                found.append(await self._memories.get(owner, each))
            except NotFound:
                continue
        return found

    async def _passages(self, owner: Owner, places: Sequence[tuple[str, int, int]]) -> list[MessageHit]:
        found: list[MessageHit] = []
        for thread, seq, length in places:
            message = await self._message(Scope(owner.tenant, owner.user, thread), seq)
            if message is not None:
                found.append(MessageHit(replace(message, content=message.text[:length]), thread, seq, 0.0))
        return found


def _ranges(seqs: Iterable[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for seq in seqs:
        if found and found[-1][1] == seq - 1:
            found[-1] = (found[-1][0], seq)
        else:
            found.append((seq, seq))
    return found


def _left_out(recipe: Recipe) -> list[LeftOut]:
    """Return the parts of the thread before the message that are not in the window."""
    found: list[LeftOut] = []
    following = 1
    for first, last in [*recipe.window, (recipe.message, recipe.message)]:
        if following < first:
            found.append(LeftOut(following, first - 1, "older" if following == 1 else "hidden"))
        following = max(following, last + 1)
    return found
