"""Secrets that are told to a chat do not become memories, and what only speaks of secrets does."""

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import InvalidInput
from recuerdo.memories.maintenance.sentences import outline
from recuerdo.memories.secrets import secret_in

SECRETS = {
    "a password": [
        "my password is hunter2",
        "the wifi password: correct-horse",
        "Mi contraseña es perro123",
        "la contraseña del banco es Girasol!",
        "Minha senha é gato2024",
        "a senha do wifi é: banana",
        "la clave de la alarma es 4821",
        "mi PIN es 1234",
        "the door code is 99a1",
    ],
    "a key or a token": [
        "use sk-proj-abcdefghijklmnop1234",
        "ghp_abcdefghijklmnopqrst12345",
        "AKIAIOSFODNN7EXAMPLE",
        "token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.abc",
        "-----BEGIN RSA PRIVATE KEY-----",
        "recuerdo_abcdefghijklmnopqrstuvwx",
    ],
    "the number of a card": ["my card is 4111 1111 1111 1111", "tarjeta 5500-0000-0000-0004", "378282246310005"],
}
HARMLESS = (
    "I forgot my password again",
    "La clave del éxito es practicar",
    "My phone is +54 9 11 1234 5678",
    "Me llamo Emiliano y vivo en Lima",
    "Order 4111 1111 1111 1112 is late",
    "I was born on 1984-05-07",
    "Trabalho com segurança e senhas",
    "The secret is to keep calm",
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in SECRETS.items() for text in texts])
def test_a_secret_is_recognised(kind, text):
    assert secret_in(text) == kind


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_none(text):
    assert secret_in(text) is None


@pytest.fixture
async def memory():
    async with Recuerdo.open("memory://", embeddings="none") as opened:
        yield opened


async def test_what_is_told_beside_a_secret_is_remembered(memory):
    user = memory.user(tenant="acme", user="emi")
    await user.remember("Me llamo Emiliano. Recuerda que mi contraseña es perro123.")
    assert [each.attribute for each in await user.list()] == ["name"]


async def test_a_secret_is_not_saved_by_hand_and_the_error_does_not_repeat_it(memory):
    user = memory.user(tenant="acme", user="emi")
    kept = await user.add("likes tea")
    for attempt in (
        user.add("my password is hunter2"),
        user.add("a card", value="4111 1111 1111 1111"),
        user.update(kept.id, text="my password is hunter2"),
        memory.tenant(tenant="acme").propose("the wifi password is hunter2", by="emi"),
    ):
        with pytest.raises(InvalidInput, match="is not kept as a memory") as refused:
            await attempt
        assert "hunter2" not in str(refused.value)
    assert [each.text for each in await user.list()] == ["likes tea"]


async def test_secrets_are_kept_where_that_is_wanted(tmp_path):
    url = f"sqlite:///{tmp_path}/r.db"
    async with Recuerdo.open(url, embeddings="none", keep_secrets=True) as memory:
        await memory.user(tenant="acme", user="emi").add("my password is hunter2")
    async with Recuerdo.open(url, embeddings="none") as memory:  # what is there can be removed
        user = memory.user(tenant="acme", user="emi")
        [kept] = await user.list()
        await user.delete(kept.id)
        assert await user.list() == []


def test_a_summary_leaves_secrets_out():
    said = [Message.user("We agreed to meet in Lima on Monday. My password is hunter2.")]
    assert "Lima" in outline("", said)
    assert "hunter2" not in outline("", said)
