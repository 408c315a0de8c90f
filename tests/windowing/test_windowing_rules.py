"""One example for each rule that every window keeps."""

import pytest

from recuerdo.core.errors import BudgetTooSmall, InvalidInput
from recuerdo.core.messages import Message, ToolCall
from recuerdo.windowing import CharacterTokenizer, MessageWindow, TokenWindow, WindowPolicy

SYSTEM = Message.system("be kind")
HI, HELLO, MORE = Message.user("hi"), Message.assistant("hello"), Message.user("more")


def call(*ids: str, text: str = "") -> Message:
    return Message.assistant(text, tool_calls=[ToolCall(i, "look_up") for i in ids])


def result(of: str, text: str = "found") -> Message:
    return Message.tool(text, tool_call_id=of)


def tokens(limit: int) -> TokenWindow:
    return TokenWindow(limit, CharacterTokenizer())


def test_the_window_is_the_newest_messages_oldest_first() -> None:
    assert MessageWindow(2).apply([HI, HELLO, MORE]) == [HELLO, MORE]


def test_an_empty_history_has_an_empty_window() -> None:
    assert MessageWindow(5).apply([]) == tokens(5).apply([]) == []


def test_the_system_message_is_kept_comes_first_and_counts_towards_the_size() -> None:
    assert MessageWindow(2).apply([HI, SYSTEM, HELLO, MORE]) == [SYSTEM, MORE]


def test_of_two_system_messages_the_later_one_holds() -> None:
    assert MessageWindow(3).apply([SYSTEM, HI, Message.system("be brief"), HELLO]) == [
        Message.system("be brief"),
        HI,
        HELLO,
    ]


def test_the_same_system_message_again_takes_no_second_place() -> None:
    assert MessageWindow(3).apply([SYSTEM, HI, Message.system("be kind"), HELLO]) == [SYSTEM, HI, HELLO]


def test_an_archived_system_message_does_not_hold() -> None:
    assert MessageWindow(3).apply([SYSTEM, HI, Message.system("be brief", archived=True)]) == [SYSTEM, HI]


def test_archived_messages_are_not_shown() -> None:
    assert MessageWindow(2).apply([HI, HELLO, Message.user("psst", archived=True)]) == [HI, HELLO]


def test_a_window_of_one_holds_the_system_message_alone() -> None:
    assert MessageWindow(1).apply([SYSTEM, HI]) == [SYSTEM]


def test_a_budget_that_cannot_hold_the_system_message_is_a_clear_error() -> None:
    with pytest.raises(BudgetTooSmall, match=r"tokens: the system message takes 29 tokens and the window holds 20"):
        tokens(20).apply([Message.system("x" * 100), HI])


def test_a_budget_that_just_holds_the_system_message_shows_it_alone() -> None:
    assert tokens(29).apply([Message.system("x" * 100), HI]) == [Message.system("x" * 100)]


@pytest.mark.parametrize("policy", [MessageWindow, tokens])
@pytest.mark.parametrize("limit", [0, -3, 2.5, "50", None])
def test_a_limit_below_one_or_no_whole_number_is_refused(policy: type[MessageWindow], limit: int) -> None:
    with pytest.raises(InvalidInput, match="1 or more"):
        policy(limit)


def test_a_call_and_its_result_enter_together() -> None:
    assert MessageWindow(3).apply([HI, call("a"), result("a"), HELLO]) == [call("a"), result("a"), HELLO]


def test_a_call_and_its_result_leave_together_so_that_no_window_starts_with_a_result() -> None:
    assert MessageWindow(2).apply([HI, call("a"), result("a"), HELLO]) == [HELLO]


def test_the_results_of_parallel_calls_are_one_unit_with_the_call_in_the_order_of_the_history() -> None:
    turn = [call("a", "b"), result("b"), result("a")]
    assert MessageWindow(3).apply([HI, *turn]) == turn
    assert MessageWindow(3).apply([HI, *turn, HELLO]) == [HELLO]


def test_a_late_result_keeps_its_place_behind_other_messages() -> None:
    history = [call("a"), HI, result("a"), HELLO]
    assert MessageWindow(4).apply(history) == history
    assert MessageWindow(3).apply(history) == [HI, HELLO]


def test_calls_whose_results_are_interleaved_are_two_units() -> None:
    history = [call("a"), call("b"), result("a", "1"), result("b", "2")]
    assert MessageWindow(4).apply(history) == history
    assert MessageWindow(3).apply(history) == [call("b"), result("b", "2")]


def test_a_result_without_a_call_never_appears() -> None:
    assert MessageWindow(5).apply([result("a"), HI, result("b")]) == [HI]


def test_a_result_does_not_belong_to_a_call_behind_it() -> None:
    assert MessageWindow(5).apply([result("a"), call("a"), HI]) == [HI]


def test_a_second_result_of_one_call_stays_with_the_first() -> None:
    history = [call("a"), result("a", "once"), result("a", "again"), HI]
    assert MessageWindow(4).apply(history) == history
    assert MessageWindow(3).apply(history) == [HI]


def test_a_result_belongs_to_the_nearest_earlier_call_with_its_id() -> None:
    first, second = [call("a", text="1"), result("a", "1")], [call("a", text="2"), result("a", "2")]
    assert MessageWindow(4).apply([*first, *second]) == [*first, *second]
    assert MessageWindow(3).apply([*first, *second]) == second
    assert MessageWindow(4).apply([first[0], *second, HI]) == [*second, HI]


def test_an_unanswered_call_at_the_end_stays() -> None:
    assert MessageWindow(5).apply([HI, call("a")]) == [HI, call("a")]


def test_a_partly_answered_call_at_the_end_stays_with_the_results_that_arrived() -> None:
    history = [HI, call("a", "b"), result("b")]
    assert MessageWindow(5).apply(history) == history


def test_a_call_that_lacks_a_result_is_left_out_with_its_results_once_the_conversation_has_gone_on() -> None:
    assert MessageWindow(5).apply([HI, call("a", "b"), result("b"), HELLO]) == [HI, HELLO]


def test_a_foreign_result_behind_an_unanswered_call_counts_as_going_on() -> None:
    assert MessageWindow(5).apply([HI, call("a"), result("x")]) == [HI]


def test_a_system_message_or_an_archived_one_behind_an_unanswered_call_does_not_count_as_going_on() -> None:
    history = [HI, call("a"), SYSTEM, Message.user("psst", archived=True)]
    assert MessageWindow(5).apply(history) == [SYSTEM, HI, call("a")]


def test_a_call_whose_result_is_archived_lacks_it() -> None:
    archived = Message.tool("found", tool_call_id="a", archived=True)
    assert MessageWindow(5).apply([call("a"), archived, HI]) == [HI]


def test_a_message_that_could_never_fit_is_skipped() -> None:
    huge = Message.user("x" * 1000)
    assert tokens(50).apply([HI, huge, HELLO]) == [HI, HELLO]


def test_the_system_message_counts_when_it_is_decided_what_could_never_fit() -> None:
    large = Message.user("x" * 100)
    assert tokens(39).apply([HI, large, HELLO]) == [large, HELLO]
    assert tokens(34).apply([Message.system("x"), HI, large, HELLO]) == [Message.system("x"), HELLO]
    assert tokens(33).apply([Message.system("x"), HI, large, HELLO]) == [Message.system("x"), HI, HELLO]


def test_a_call_with_results_that_could_never_fit_is_skipped_whole() -> None:
    assert MessageWindow(2).apply([HI, call("a", "b"), result("a"), result("b"), HELLO]) == [HI, HELLO]


def test_a_message_that_would_fit_alone_but_not_in_what_is_left_ends_the_window() -> None:
    large = Message.user("x" * 100)
    assert tokens(33).apply([HI, large, HELLO]) == [HELLO]


def test_messages_are_never_cut() -> None:
    assert tokens(8).apply([Message.user("x" * 20), HELLO]) == [HELLO]


@pytest.mark.parametrize("policy", [MessageWindow(2), tokens(20)])
def test_messages_without_any_content_take_their_place(policy: WindowPolicy) -> None:
    empty = [Message.user(""), Message.assistant([])]
    assert policy.apply(empty) == empty


def test_the_history_is_never_changed() -> None:
    history = [SYSTEM, HI, call("a"), result("a"), HELLO]
    before = list(history)
    MessageWindow(2).apply(history)
    assert history == before


def test_policies_say_what_they_are() -> None:
    assert repr(MessageWindow(50) & tokens(4000)) == "MessageWindow(50) & TokenWindow(4000, CharacterTokenizer())"
