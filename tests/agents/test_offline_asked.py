"""The offline model knows what a question asks for, in whatever words."""

import numpy as np
import pytest
from training.questions import Labelled, report, told, train, written

from recuerdo.agents.offline.asked import ASKED, CLASSES, WEIGHTS, wanted
from recuerdo.memories.extraction import tagger


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what do they call the dog", "pet"),
        ("como se llama mi gata", "pet"),
        ("qual é o meu cargo", "job"),
        ("when was i born", "birthday"),
        ("¿a qué soy alérgica?", "allergy"),
        ("what is the capital of Peru", "none"),
    ],
)
def test_the_likeliest_kind_is_what_is_asked_for(question: str, kind: str) -> None:
    kinds = wanted(question).kinds
    assert max(kinds, key=kinds.__getitem__) == kind


def test_chances_are_of_all_kinds_and_add_up_to_one() -> None:
    kinds, past = wanted("where did i work before")
    assert set(kinds) == set(ASKED)
    assert sum(kinds.values()) == pytest.approx(1, abs=1e-3)
    assert past > 0.5


def test_nothing_is_known_of_a_message_without_a_word() -> None:
    assert wanted("  ").kinds == {}


def test_the_kind_is_right_for_three_of_four_questions_that_nothing_was_learned_from() -> None:
    held = [each for each in written() if each.is_held_out]
    right = 0
    for each in held:
        kinds = wanted(each.text).kinds
        right += max(kinds, key=kinds.__getitem__) in {kind for kind, _ in each.kinds}
    assert right > 0.75 * len(held)


def test_weights_are_read_without_pickle_and_fit_the_classes() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert stored["output"].shape[1] == len(CLASSES)


def test_training_learns_what_messages_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    network = tagger.load()
    assert network is not None
    some = [Labelled("what is my dog called", [("pet", False)]), Labelled("where do i live", [("city", False)])]
    report(train(some, network, 40, 0), network, some)
    assert "1.000 right" in capsys.readouterr().out


def test_messages_that_tell_something_are_learned_as_asking_for_nothing() -> None:
    assert all(each.kinds == [("none", False)] and "?" not in each.text for each in told())
