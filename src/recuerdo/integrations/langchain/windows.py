"""Our windows for LangChain's chains."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from langchain_core.messages import BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableLambda

from recuerdo.integrations.langchain.messages import from_langchain, to_langchain
from recuerdo.windowing import WindowPolicy
from recuerdo.windowing.policy import check_policy


def window_messages(policy: WindowPolicy) -> Runnable[Any, list[BaseMessage]]:
    """LangChain's `trim_messages`, by our windows: `prompt | window_messages(MessageWindow(50)) | model`.

    It takes messages, or what a prompt template gives, and returns those that the policy shows, the very same objects.
    Raises InvalidInput for what is not a policy.
    """
    check_policy("policy", policy)
    return RunnableLambda(partial(_apply, policy), name=repr(policy))


def _apply(policy: WindowPolicy, given: PromptValue | Sequence[Any]) -> list[BaseMessage]:
    messages = given.to_messages() if isinstance(given, PromptValue) else convert_to_messages(given)
    ours = [msgspec.structs.replace(from_langchain(each), seq=seq) for seq, each in enumerate(messages, 1)]
    theirs = {id(our): each for our, each in zip(ours, messages, strict=True)}
    return [theirs.get(id(each)) or to_langchain(each) for each in policy.apply(ours)]  # they have no summary
