"""What went wrong with a model's provider, told without its words: they may hold keys or what people said."""

from typing import Any

from recuerdo.core.errors import ModelUnavailable

_ADVICE = {
    400: "refuses the prompt (HTTP 400). It may be too long, or have content that this model can't take: "
    "try a smaller window, and check the model's name.",
    401: "refuses the API key (HTTP 401). Check the key, and that it belongs to this provider.",
    402: "wants to be paid (HTTP 402). Check the account's credit.",
    403: "refuses this key or this region (HTTP 403). Check what the key may use.",
    404: "knows no such model or address (HTTP 404). Check the model's name and the base URL.",
    408: "did not answer in time (HTTP 408). Try again.",
    413: "finds the prompt too long (HTTP 413). Try a smaller window.",
    422: "refuses the prompt (HTTP 422). Check that the model takes this kind of content.",
    429: "is over its rate limit or quota (HTTP 429). Try again later, or check the account's limits.",
}
_LONGEST_WAIT = 3600.0


def unavailable(model: str, error: Exception) -> ModelUnavailable:
    """The provider's or the network's error as ours: what to check, and when to try again."""
    status = _status(error)
    return ModelUnavailable(f"The model {model} {_advice(status, error)}", _retry_after(error))


def _advice(status: int | None, error: Exception) -> str:
    if status is not None:
        return _ADVICE.get(status, f"has a problem on its side (HTTP {status}). Try again later.")
    kind = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in kind:
        return "did not answer in time. Try again; if it goes on, check the provider's status and the base URL."
    if _is_network(error):
        return "can't be reached, or broke off. Check the network, the base URL, and that the server runs."
    return f"failed ({kind}). Check the model's name, the base URL and the provider's status."


def _is_network(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) or any(word in type(error).__name__ for word in ("Connect", "Protocol", "Read")):
            return True
        error = error.__cause__
    return False


def _status(error: Exception) -> int | None:
    """Every provider's client that has HTTP behind it says `status_code`, itself or on its response."""
    response: Any = getattr(error, "response", None)
    for holder in (error, response):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def _retry_after(error: Exception) -> float:
    response: Any = getattr(error, "response", None)
    try:
        return min(max(float(response.headers["retry-after"]), 0.0), _LONGEST_WAIT)
    except (AttributeError, KeyError, TypeError, ValueError):
        return 1.0
