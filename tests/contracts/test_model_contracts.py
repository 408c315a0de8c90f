"""The contracts over the models that Recuerdo brings along, and over one behind a socket."""

import pytest

from recuerdo.adapters.models.chat import open_model
from recuerdo.adapters.models.embeddings import Usem3Embedder
from recuerdo.agents.offline import OfflineModel
from recuerdo.testing import ChatModelContract, EmbedderContract, TokenizerContract
from recuerdo.windowing import CharacterTokenizer, O200kTokenizer


class TestUsem3(EmbedderContract):
    """See EmbedderContract."""

    @pytest.fixture(scope="class")
    def embedder(self):
        return Usem3Embedder()


class TestO200k(TokenizerContract):
    """See TokenizerContract."""

    @pytest.fixture(scope="class")
    def tokenizer(self):
        return O200kTokenizer()


class TestCharacters(TokenizerContract):
    """See TokenizerContract."""

    @pytest.fixture
    def tokenizer(self):
        return CharacterTokenizer()


class TestOfflineModel(ChatModelContract):
    """See ChatModelContract."""

    @pytest.fixture
    def chat_model(self):
        return OfflineModel()


class TestOpenAIModel(ChatModelContract):
    """See ChatModelContract; the client is a real one, and so is the socket."""

    @pytest.fixture
    def chat_model(self, openai_server, model_clients):
        return open_model("openai:test", clients=model_clients, base_url=openai_server.url, api_key="sk-test")
