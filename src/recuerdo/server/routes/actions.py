"""Actions: work handed over to workers, and its results."""

from fastapi import APIRouter

from recuerdo.core.actions import ExecuteAgent, Queue, queue_of, read_action, type_of
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import CacheUnavailable, Forbidden, IdempotencyConflict
from recuerdo.core.identifiers import new_id
from recuerdo.core.roles import EDITOR_ROLE
from recuerdo.core.scope import check_id
from recuerdo.history.history import utc_now
from recuerdo.server.answers import ActionState, JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, CurrentCall
from recuerdo.server.schemas import ActionBody, ActionId

router = APIRouter(prefix="/v1/actions", tags=["actions"])


@router.post("", status_code=202, responses=documented(ActionState, 403, 404, 409, status=202))
async def hand_over(body: ActionBody, call: CurrentCall) -> JsonResponse:
    """Hand work over to a worker. The same `action_id` again is the same action, and has its effect once.

    It refers to the context that the thread has with the assistant, with what the headers set; a worker that doesn't
    find that takes the assistant's prompt from the action. An action of a kind of your own names the `queue` of the
    workers that know it, and is for the role `editor`, as is the `system_prompt` of an answer.
    """
    if body.queue is not None and not call.may(EDITOR_ROLE):
        raise Forbidden(f"To hand over an action of a kind of one's own is for the role {EDITOR_ROLE!r}.")
    action_id = new_id() if body.action_id is None else body.action_id
    check_id("action_id", action_id)
    queue, scope = queue_of(body.type, body.queue), call.thread(body.thread_id)
    fields, is_answer = body.fields, body.type == type_of(ExecuteAgent)
    prompt = {"system_prompt": fields.get("system_prompt")} if is_answer else None
    context = await call.context(scope, body.assistant_id, prompt)
    if is_answer:
        fields = {**fields, "assistant_id": context.assistant_id, "system_prompt": context.prompts.system}
    envelope = {
        "type": body.type,
        "action_id": action_id,
        "task_id": body.task_id or action_id,
        "tenant": scope.tenant,
        "user": scope.user,
        "thread": scope.thread,
        "created_at": utc_now(),
        "context_reference_key": await _refer(call, context, queue),
        "metadata": body.metadata,
    }
    action, actions = read_action(envelope, fields, queue), call.services.actions
    is_new = await actions.enqueue(action, after=body.after)
    found = await actions.find(scope.owner, action_id)
    if not is_new and not found.repeats(action):
        raise IdempotencyConflict(action_id)
    return JsonResponse(ActionState.of(found), status_code=202)


@router.get("/{action_id}", responses=documented(ActionState, 404))
async def get_action(action_id: ActionId, call: CurrentCall) -> JsonResponse:
    """The state of the caller's action. A result is kept for a day."""
    return JsonResponse(ActionState.of(await call.services.actions.find(call.owner, action_id)))


async def _refer(call: ApiCall, context: ExecutionContext, queue: Queue) -> str | None:
    """Without the cache an action refers to nothing, and is done with its own fields."""
    try:
        return await call.services.contexts.refer(context, queue)
    except CacheUnavailable:
        return None
