"""The findings of an audit, also among many memories."""

import random

import pytest

from recuerdo.core.scope import Owner
from recuerdo.memories.maintenance.audit import _contradicts, _duplicates, audit
from recuerdo.testing.samples import remembered

EMI = Owner("acme", "emi")
WORDS = ["me", "gusta", "el", "mate", "amargo", "y", "no", "los", "lunes", "en", "Lima", "12", "trenes", "de", "Quito"]


def lived(count, seed, words=3):
    """Memories of few words, so that many say the same."""
    chance = random.Random(seed)
    for number in range(count):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, words))).capitalize()
        attribute = chance.choice((None, None, "likes", "city", "email", "phone", "preference"))
        value = None if attribute is None or chance.random() < 0.2 else " ".join(chance.choices(WORDS, k=2))
        if attribute == "phone" and value:
            value = chance.choice(("11 22", "11-22", "(33)"))
        yield remembered(EMI, text, id=str(number), attribute=attribute, value=value)


@pytest.mark.parametrize("seed", range(8))
def test_an_audit_finds_what_comparing_each_with_each_finds(seed):
    memories, sound, wanted = list(lived(150, seed)), [], {}
    named = {finding.memory_id: finding for finding in audit(memories).findings}
    for memory in memories:
        if memory.id in named and named[memory.id].other is None:
            continue
        others = [each for each in sound if _duplicates(memory, each) or _contradicts(memory, each)]
        if others:
            wanted[memory.id] = others[0].id
        else:
            sound.append(memory)
    assert {each.memory_id: each.other for each in named.values() if each.other is not None} == wanted
    assert wanted


def test_an_audit_of_many_memories_compares_few(monkeypatch):
    """Not each with each: that would be 12,500,000 pairs."""
    compared = []
    monkeypatch.setattr("recuerdo.memories.maintenance.audit._duplicates", lambda *pair: bool(compared.append(pair)))
    memories = [remembered(EMI, f"on day {n} I met person {n * 7}", id=str(n)) for n in range(5000)]
    assert audit(memories).memories == 5000
    assert len(compared) < 200_000
