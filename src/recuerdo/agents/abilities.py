"""The abilities that this server offers an assistant. A request for any other is refused, not ignored."""

from collections.abc import Callable

from recuerdo.core.contexts import EmbeddingParameters, Enrichment, ModelParameters, RetrievalParameters
from recuerdo.core.errors import InvalidInput
from recuerdo.core.ports import ChatModel
from recuerdo.library import Library

Models = Callable[[ModelParameters], ChatModel]
"""The chat model that answers with such parameters. Raises InvalidInput where there is none."""


def only_model(model: ChatModel) -> Models:
    """This model, as it is: nothing of it can be chosen."""

    def choose(wanted: ModelParameters) -> ChatModel:
        if wanted not in (ModelParameters(), ModelParameters(name=model.name)):
            raise InvalidInput("model", f"can't be chosen: {model.name} answers here, as it is. Leave the part out")
        return model

    return choose


async def check(enrichment: Enrichment, models: Models, library: Library | None) -> None:
    """Raises InvalidInput, naming what of the assistant's configuration can't be honoured, and what can be instead."""
    models(enrichment.model)
    if enrichment.prompts.orchestrator is not None:
        raise InvalidInput("prompts.orchestrator", "is never used: the orchestrator asks no model. Leave it out")
    if library is not None:
        library.check(enrichment.retrieval)
        await library.check_embedding(enrichment.embedding)
    elif (enrichment.retrieval, enrichment.embedding) != (RetrievalParameters(), EmbeddingParameters()):
        raise InvalidInput("retrieval", "retrieval and embedding need a database that stores documents")
