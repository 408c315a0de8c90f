"""Properties of every history and every policy; each window is compared with a slow oracle."""

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from windowing_histories import ReadInChunks, histories, window_of_thread
from windowing_oracle import Measure, call_of, expected_window, fits, whole_units

from random_examples import examples
from recuerdo.core.errors import BudgetTooSmall
from recuerdo.core.messages import Message
from recuerdo.windowing import (
    CharacterTokenizer,
    CombinedWindow,
    MessageWindow,
    Summary,
    SummaryWindow,
    TokenWindow,
    WindowPolicy,
)
from recuerdo.windowing.policy import message_tokens

often = settings(max_examples=examples(100))
_tokenizer = CharacterTokenizer()


class Case(NamedTuple):
    """A policy, and what the oracle needs to know of it."""

    policy: WindowPolicy
    measures: list[Measure]
    summary: Summary | None

    def expect(self, history: Sequence[Message]) -> list[Message]:
        return expected_window(history, self.measures, self.summary)


def _one(message: Message) -> int:
    return 1


def _tokens(message: Message) -> int:
    return message_tokens(message, _tokenizer)


_limits: dict[Callable[[Message], int], st.SearchStrategy[int]] = {
    _one: st.integers(1, 12),
    _tokens: st.one_of(st.integers(1, 60), st.integers(30, 160), st.integers(900, 2200)),
}
_summaries = st.builds(Summary, st.sampled_from(["", "They met.\nThen they left.", "z" * 100]), st.integers(1, 14))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    costs = draw(st.sampled_from([[_one], [_tokens], [_one, _tokens], [_tokens, _one]]))
    measures = [(draw(_limits[cost]), cost) for cost in costs]
    windows: list[WindowPolicy] = [
        MessageWindow(limit) if cost is _one else TokenWindow(limit, _tokenizer) for limit, cost in measures
    ]
    summary = draw(st.one_of(st.none(), st.none(), _summaries))
    if draw(st.booleans()):
        windows[0] = SummaryWindow(windows[0], summary)
        return Case(windows[0] if len(windows) == 1 else CombinedWindow(*windows), measures, summary)
    policy = windows[0] if len(windows) == 1 else windows[0] & windows[1]
    return Case(SummaryWindow(policy, summary), measures, summary)


def apply(case: Case, history: Sequence[Message]) -> list[Message] | None:
    """The window, or None when it can't hold the system message."""
    try:
        return case.policy.apply(history)
    except BudgetTooSmall:
        event("budget too small")
        return None


@often
@given(histories(), cases())
def test_every_window_is_the_one_that_the_oracle_finds(history: list[Message], case: Case) -> None:
    window = apply(case, history)
    systems = [message for message in history if message.role == "system" and not message.archived]
    assert (window is None) == (not fits(systems[-1:], case.measures))
    if window is not None:
        assert window == case.expect(history)


@often
@given(histories(stored=True), cases(), st.integers(1, 6))
def test_reading_a_thread_in_chunks_from_its_end_gives_the_same_window(
    history: list[Message], case: Case, chunk: int
) -> None:
    whole = apply(case, history)
    if whole is None:
        with pytest.raises(BudgetTooSmall):
            asyncio.run(window_of_thread(history, ReadInChunks(case.policy, chunk)))
        return
    for policy in (ReadInChunks(case.policy, chunk), case.policy):
        window, _ = asyncio.run(window_of_thread(history, policy))
        assert [m.seq for m in window] == [m.seq for m in whole]
        assert [m.content for m in window] == [m.content for m in whole]


@often
@given(histories(), cases(), st.data())
def test_a_selection_that_wants_no_more_gives_the_same_window_whatever_is_older(
    history: list[Message], case: Case, data: st.DataObject
) -> None:
    talk = [message for message in history if message.role != "system" and not message.archived]
    if apply(case, talk) is None:
        return
    selection = case.policy.begin(None)
    taken = 0
    for message in reversed(talk):
        taken += 1
        if not selection.take(message):
            break
    else:
        event("read to the start")
        return
    event("stopped early")
    older = [message for message in data.draw(histories()) if message.role != "system"]
    if case.summary:  # what is older has lower seqs, too
        older = [msgspec.structs.replace(message, seq=1) for message in older]
    assert case.policy.apply([*older, *talk[len(talk) - taken :]]) == selection.finish()


@often
@given(histories(), cases())
def test_a_window_keeps_the_rules_that_can_be_seen_in_it(history: list[Message], case: Case) -> None:
    window = apply(case, history)
    if window is None:
        return
    systems = [message for message in history if message.role == "system" and not message.archived]
    assert [message for message in window if message.role == "system"] == systems[-1:]
    assert window[: len(systems[-1:])] == systems[-1:], "the system message comes first"
    assert fits(window, case.measures), "the window is within its limits"
    assert not any(message.archived for message in window)
    talk = [message for message in window if message.role != "system"]
    assert all(call_of(talk, i) is not None for i, message in enumerate(talk) if message.role == "tool")
    assert sum(map(len, whole_units(talk))) == len(talk), "no call lacks results before the end"


@often
@given(histories(), cases())
def test_a_window_is_a_subsequence_of_the_history_and_the_history_stays_as_it_was(
    history: list[Message], case: Case
) -> None:
    before = copy.deepcopy(history)
    window = apply(case, history)
    assert history == before
    assert apply(case, history) == window, "the same history gives the same window"
    places = {id(message): place for place, message in enumerate(history)}
    talk = [m for m in window or [] if m.role != "system" and "summary_until" not in m.metadata]
    order = [places[id(message)] for message in talk]
    assert order == sorted(set(order))


@often
@given(histories(), cases())
def test_the_next_older_unit_that_could_fit_at_all_would_not_have_fitted(history: list[Message], case: Case) -> None:
    window = apply(case, history)
    if window is None:
        return
    everything = SummaryWindow(MessageWindow(10**6), case.summary).apply(history)
    talk = [message for message in everything if message.role != "system" and "summary_until" not in message.metadata]
    head = window[: len(window) - len([m for m in window if any(m is t for t in talk)])]
    left_out = [
        unit
        for unit in whole_units(talk)
        if not any(talk[unit[0]] is message for message in window)
        and fits([*head, *(talk[i] for i in unit)], case.measures)
    ]
    if left_out:
        event("something was left out")
        assert not fits([*window, *(talk[i] for i in left_out[-1])], case.measures)


@often
@given(histories(), cases())
def test_the_window_of_a_window_is_that_window(history: list[Message], case: Case) -> None:
    window = apply(case, history)
    if window is not None:
        assert case.policy.apply(window) == window
