"""The names that people's programs rely on: a name that goes, or comes, is decided here and told in CHANGELOG.md."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from source_tree import Module, modules, public_names

from recuerdo import Message, Recuerdo, WindowPolicy
from recuerdo.agents.chat import Chat
from recuerdo.app.settings import Settings
from recuerdo.history import ThreadHistory
from recuerdo.integrations.langchain import RecuerdoChatMessageHistory, window_messages
from recuerdo.integrations.langgraph import RecuerdoSaver, RecuerdoStore, memory_tools
from recuerdo.integrations.openai_agents import RecuerdoSession
from recuerdo.memories import UserMemory

FACES = {
    "recuerdo": """CombinedWindow Memory Message MessageWindow Owner Recuerdo Scope Summary SummaryWindow TokenWindow
        ToolCall WindowPolicy""",
    "recuerdo.core.memories": """Action Attribute Denial Embedding EndReason Ending FORGETTING Fact Kind LedgerState
        Memory MemoryChange MemoryEntry MemoryHit MemoryQuery Review Source Status in_order ledger_name
        read_memory write_memory""",
    "recuerdo.core.messages": (
        "Content Message Part ROLES Record Role ToolCall checksum_of decode decode_all encode rows_within join verified"
    ),
    "recuerdo.core.scope": """ANONYMOUS DEFAULT_TENANT OWNER_NAMES VISITOR_PREFIX Owner Scope TenantOwner check_id
        owner_in owner_of tenant_in""",
    "recuerdo.windowing": """CharacterTokenizer CombinedWindow MessageWindow O200kTokenizer Selection Summary
        SummaryWindow TokenWindow WindowPolicy""",
    "recuerdo.memories": "Memories TenantMemory UserMemory",
    "recuerdo.actions": "Actions Retries Worker",
    "recuerdo.audit": "AuditLog AuditPage",
    "recuerdo.contexts": "Contexts Sessions",
    "recuerdo.library": "Library",
    "recuerdo.memories.extract": "by_detectors extract listen listen_and_note",
    "recuerdo.memories.extraction.context": """AskedAttribute Heard Hint How answers asked correction hints inquires
        last_question question_answered read_behind""",
    "recuerdo.agents.chat": "Chat DEFAULT_WINDOW MOST_MEMORIES",
    "recuerdo.agents.events": "ChatEvent Finished HistoryState Reply Started Token",
    "recuerdo.client": "AsyncClient Client",
    "recuerdo.rag": "GRAPH agent create_graph_builder",
    "recuerdo.server": "ServerOptions Services create_app",
    "recuerdo.integrations.langchain": """ChatHistories RecuerdoChatMessageHistory from_langchain move_in move_out
        to_langchain window_messages""",
    "recuerdo.integrations.langgraph": "RecuerdoSaver RecuerdoStore memory_tools",
    "recuerdo.integrations.openai_agents": "RecuerdoSession",
}
"""The modules that people import from, and exactly the names that they find there."""

GROWING = {
    "recuerdo.checkpoints": """Checkpoint Checkpoints Codec Delta Division Elements Entry NewCheckpoint Place Write""",
    "recuerdo.core.errors": """AlreadyErased BudgetTooSmall ConfigurationError Conflict DatabaseUnavailable
        EpochChanged IdempotencyConflict InvalidInput MissingExtra ModelUnavailable NotFound RecuerdoError ThreadExists
        DuplicateMessage OutcomeUnknown Unavailable""",
    "recuerdo.core.ports": """ChatModel Clock Embedder HistoryRepository MemoryRepository ThreadRepository
        Tokenizer""",
    "recuerdo.core.threads": """Append Appended Durability MessageQuery NOWHERE NewMessage Page PriorAppend
        Tail Thread ThreadCursor ThreadPage Version admit""",
    "recuerdo.history": "History ThreadHistory",
    "recuerdo.testing": """ChatModelContract EmbedderContract FakeClock HistoryContract HistoryMachine MemoryContract
        ThreadContract TokenizerContract""",
    "recuerdo.adapters.local": "LocalDatabase LocalHistory LocalMemories LocalThreads",
    "recuerdo.adapters.sqlite": "SqliteDatabase SqliteHistory SqliteMemories SqliteThreads",
}
"""The modules that grow with every backend and feature: what is here stays, and more may come."""

SIGNATURES: dict[Callable[..., Any], str] = {
    Recuerdo.open: "database *, model embeddings model_base_url model_api_key clock",
    Recuerdo.thread: "self *, tenant user thread",
    Recuerdo.user: "self *, tenant user",
    ThreadHistory.append: "self *messages *, idempotency_key expected_epoch",
    ThreadHistory.window: "self policy",
    ThreadHistory.messages: "self *, limit before after roles since until archived",
    ThreadHistory.read: "self",
    ThreadHistory.count: "self",
    ThreadHistory.archive: "self *, first last archived",
    ThreadHistory.info: "self",
    ThreadHistory.clear: "self",
    ThreadHistory.delete: "self",
    ThreadHistory.fork: "self target *, at_seq",
    UserMemory.remember: "self text source",
    UserMemory.add: "self text *, kind attribute value source",
    UserMemory.get: "self memory_id",
    UserMemory.update: "self memory_id *, text kind attribute value",
    UserMemory.delete: "self memory_id",
    UserMemory.search: "self query *, limit",
    UserMemory.recall: "self text *, limit",
    UserMemory.list: "self *, **query",
    Chat.reply: "self scope message",
    Chat.stream: "self scope message",
    Message.system: "content *, **fields",
    Message.user: "content *, **fields",
    Message.assistant: "content *, tool_calls **fields",
    Message.tool: "content *, tool_call_id **fields",
    WindowPolicy.apply: "self messages",
    RecuerdoSaver.from_conn_string: "conn_string *, tenant user serde allow history",
    RecuerdoSaver.owned_by: "self *, tenant user",
    RecuerdoSaver.__init__: "self memory *, tenant user serde allow history bridge",
    RecuerdoStore.from_conn_string: "conn_string *, tenant user index ttl words",
    RecuerdoStore.__init__: "self memory *, tenant user index ttl words bridge clock",
    memory_tools: "memory *, tenant user bridge",
    RecuerdoChatMessageHistory.__init__: "self thread *, window bridge",
    RecuerdoSession.__init__: "self thread *, session_settings",
    window_messages: "policy",
}
"""The calls that programs are made of: their parameters keep names and order, and more may come that need a name."""

SETTINGS = """RECUERDO_CACHE_URL RECUERDO_DATABASE_URL RECUERDO_DURABILITY RECUERDO_EMBEDDINGS RECUERDO_HOST
    RECUERDO_LOG_LEVEL RECUERDO_MODEL RECUERDO_MODEL_API_KEY RECUERDO_MODEL_BASE_URL RECUERDO_PORT RECUERDO_SPOOL"""


@pytest.mark.parametrize("name", FACES)
def test_a_module_has_exactly_its_public_names(name: str) -> None:
    assert public_names(modules()[name]) == sorted(FACES[name].split())


@pytest.mark.parametrize("name", GROWING)
def test_a_growing_module_keeps_its_public_names(name: str) -> None:
    assert set(GROWING[name].split()) <= set(public_names(modules()[name]))


@pytest.mark.parametrize("name", FACES | GROWING)
def test_every_public_name_is_really_there(name: str) -> None:
    module = importlib.import_module(name)
    assert not [each for each in (FACES | GROWING)[name].split() if not hasattr(module, each)]


def test_the_face_of_every_part_of_the_house_is_locked() -> None:
    parts = {name for name, module in modules().items() if name.count(".") <= 1 and _declares(module)}
    assert parts <= (FACES | GROWING).keys()


@pytest.mark.parametrize("call", SIGNATURES, ids=lambda call: call.__qualname__)
def test_a_call_keeps_its_parameters(call: Callable[..., Any]) -> None:
    by_place, by_name = _parameters(call)
    wanted_by_place, _, wanted_by_name = SIGNATURES[call].partition("*,")
    assert by_place == wanted_by_place.split()
    assert by_name >= set(wanted_by_name.split())


def test_the_settings_keep_their_names() -> None:
    assert set(SETTINGS.split()) <= {f"RECUERDO_{name.upper()}" for name in Settings.model_fields}


def _declares(module: Module) -> bool:
    return "\n__all__ = " in module.path.read_text("utf-8")


def _parameters(call: Callable[..., Any]) -> tuple[list[str], set[str]]:
    """The parameters that are given by place, in order, and those that are given by name."""
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    parameters = inspect.signature(call).parameters.values()
    names = [(stars.get(each.kind.name, "") + each.name, each.kind) for each in parameters]
    by_name = {name for name, kind in names if kind.name in ("KEYWORD_ONLY", "VAR_KEYWORD")}
    return [name for name, _ in names if name not in by_name], by_name
