"""The Agents SDK's items as messages and back, without loss.

The parts of one response of the model (reasoning, text, calls) are one assistant message, so that other readers of the
thread see whole turns; each output is a tool message. Everything that our form can't say is kept in
`metadata["openai_agents"]`.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Content, Message, Part, Role, ToolCall
from recuerdo.core.scope import check_id

Item = dict[str, Any]

_NOTE = "openai_agents"
_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "system", "assistant": "assistant"}
_TEXTS = ("input_text", "output_text")


Patch = dict[str, Any]


def to_messages(items: Sequence[Item]) -> list[Message]:
    """The items as messages, fit to be appended. Raises InvalidInput for anything else."""
    return [_message(group) for group in _responses(items)]


def to_items(message: Message) -> list[Item]:
    """The items that the message was made from, or equivalent ones for a message from elsewhere."""
    plain = _plain_items(message)
    note = message.metadata.get(_NOTE)
    if not isinstance(note, list):
        return plain
    try:
        return [
            patched(plain[place] if place is not None else None, patch)
            for place, patch in cast(list[tuple[int | None, dict[str, Any]]], note)
        ]
    except (ValueError, TypeError, LookupError, AttributeError):  # this metadata is not from our pen
        return plain


def asked_id(item: Item) -> str | None:
    """The id that an output must name to answer this item, or None when it is not a call."""
    if item.get("type") == "mcp_approval_request":
        return _text(item.get("id"))
    return _text(item.get("call_id")) if answered_id(item) is None else None


def answered_id(item: Item) -> str | None:
    """The id of the call that this item answers, or None when it is not an output."""
    kind = _text(item.get("type")) or ""
    if kind == "mcp_approval_response":
        return _text(item.get("approval_request_id"))
    if not kind.endswith("_output"):
        return None
    return _text(item.get("call_id")) or _text(item.get("id"))


def _responses(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items in groups that become one message each."""
    group: list[Item] = []
    for index, item in enumerate(items):
        if not isinstance(cast(object, item), dict):
            raise InvalidInput(
                f"items[{index}]", "must be an item of the Agents SDK, e.g. {'role': ..., 'content': ...}"
            )
        if group and (_role(item) != "assistant" or _role(group[-1]) != "assistant" or _starts_anew(item, group)):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _starts_anew(item: Item, group: list[Item]) -> bool:
    """Whether the item begins another response: a text after texts or calls, or a call that is there already."""
    if _is_message(item):
        return any(_is_message(each) or asked_id(each) for each in group)
    return asked_id(item) is not None and asked_id(item) in map(asked_id, group)


def _role(item: Item) -> Role:
    if answered_id(item) is not None:
        return "tool"
    return _ROLES.get(str(item.get("role")), "assistant")


def _is_message(item: Item) -> bool:
    return "role" in item and "content" in item


def _message(group: list[Item]) -> Message:
    """The message, with notes on what it can't represent of the items."""
    plain = _plain_message(group)
    told = _plain_items(plain)
    notes = [_note(item, told) for item in group]
    if notes == [[place, {}] for place in range(len(told))]:
        return plain
    return msgspec.structs.replace(plain, metadata={_NOTE: notes})


def _note(item: Item, told: list[Item]) -> list[Any]:
    """The position of the item in the message, if it is there, and how it differs from the message's form of it."""
    for place, base in enumerate(told):
        if (
            (_is_message(item) and _is_message(base))
            or (asked_id(item) and asked_id(item) == asked_id(base))
            or answered_id(item)
        ):
            return [place, difference(base, item)]
    return [None, {"be": item}]


def _plain_message(group: list[Item]) -> Message:
    role = _role(group[0])
    if role == "tool":
        content = _content(group[0].get("output", ""))
        return Message.tool(content, tool_call_id=_id(answered_id(group[0])) or "unknown")
    said = next((item["content"] for item in group if _is_message(item)), "")
    calls = [ToolCall(call_id, _name(item), _arguments(item)) for item in group if (call_id := _id(asked_id(item)))]
    return Message(role=role, content=_content(said), tool_calls=calls)


def _content(content: object) -> Content:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return json.dumps(content)
    return [_part(part) for part in cast(list[Any], content)]


def _part(part: Any) -> Part:
    if not isinstance(part, dict):
        return {"type": "text", "text": str(part)}
    fields = cast(Part, part)
    if fields.get("type") in _TEXTS:
        return {"type": "text", "text": str(fields.get("text", ""))}
    return fields if isinstance(fields.get("type"), str) else {**fields, "type": "unknown"}


def _name(item: Item) -> str:
    return _id(item.get("name")) or _id(item.get("type")) or "unknown"


def _arguments(item: Item) -> dict[str, Any]:
    try:
        arguments = json.loads(item["arguments"])
    except (KeyError, TypeError, ValueError):
        return {}
    return cast(dict[str, Any], arguments) if isinstance(arguments, dict) else {}


def _plain_items(message: Message) -> list[Item]:
    """The items of the message's own fields."""
    if message.role == "tool":
        output = _their_content(message.content, "input_text")
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": output}]
    if message.role != "assistant":
        return [{"role": message.role, "content": _their_content(message.content, "input_text")}]
    said: list[Item] = []
    if message.content:
        said.append({"role": "assistant", "content": _their_content(message.content, "output_text")})
    return said + [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": json.dumps(call.args)}
        for call in message.tool_calls
    ]


def _their_content(content: Content, text_type: str) -> str | list[Part]:
    if isinstance(content, str):
        return content
    return [_their_part(part, text_type) for part in content]


def _their_part(part: Part, text_type: str) -> Part:
    if part.get("type") == "text":
        return {"type": text_type, "text": part.get("text", "")}
    if part.get("type") == "image_url":
        image = part.get("image_url")
        url = cast(Part, image).get("url") if isinstance(image, dict) else image
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    return part


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _id(value: object) -> str | None:
    """The text where it can be an id of ours."""
    try:
        check_id("id", value)
    except InvalidInput:
        return None
    return cast(str, value)


def difference(base: Any, value: Any) -> Patch:
    """The patch that makes `value` of `base`; empty when they are equal."""
    if type(base) is type(value) and base == value:
        return {}
    if isinstance(base, dict) and isinstance(value, dict):
        old, new = cast(Patch, base), cast(Patch, value)
        if old.keys() <= new.keys():
            return {"set": {key: difference(old.get(key, _ABSENT), new[key]) for key in new if _differs(old, new, key)}}
    if isinstance(base, list) and isinstance(value, list):
        old, new = cast(list[Any], base), cast(list[Any], value)
        if len(old) == len(new):
            pairs = enumerate(zip(old, new, strict=True))
            return {"at": {str(place): difference(*pair) for place, pair in pairs if difference(*pair)}}
    return {"be": value}


def patched(base: Any, patch: Patch) -> Any:
    """Apply the patch to `base`. Raises ValueError, LookupError or TypeError when it was made for another base."""
    if not patch:
        return base
    if "be" in patch:
        return patch["be"]
    if "set" in patch:
        return base | {key: patched(base.get(key), each) for key, each in patch["set"].items()}
    changed = list(base)
    for place, each in patch["at"].items():
        changed[int(place)] = patched(changed[int(place)], each)
    return changed


class _EqualToNothing:
    """Equal to nothing."""


_ABSENT = _EqualToNothing()


def _differs(old: Patch, new: Patch, key: str) -> bool:
    return key not in old or bool(difference(old[key], new[key]))
