"""Documents: what agents look things up in. The anonymous user sees the public ones alone."""

import base64
import binascii

from fastapi import APIRouter, Response

from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.server.answers import ChunkHits, DocumentList, KnownDocument
from recuerdo.server.auth.principal import OPERATOR_ROLE, CurrentPrincipal, Principal
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options, ServerOptions
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import DocumentBody, DocumentId, DocumentSearchBody
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1/documents", tags=["documents"])


@router.post("", status_code=201, responses=documented(KnownDocument, 403, status=201))
async def add_document(
    body: DocumentBody, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> JsonResponse:
    """Add a document, or replace the one of its source; 200 when it did not change.

    With authentication for the role `operator`: it is read to everybody in the tenant.
    """
    _check_writer(principal, options)
    added = await services.library.add(
        principal.owner.tenant,
        body.source,
        _content(body),
        collection=body.collection,
        access=body.access,
        title=body.title,
    )
    return JsonResponse(KnownDocument(added.document, added.changed), 201 if added.changed else 200)


@router.get("", responses=documented(DocumentList))
async def list_documents(principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """The documents that the caller may see, the latest first."""
    found = await services.library.documents(principal.owner.tenant, public_only=principal.is_anonymous)
    return JsonResponse(DocumentList(found))


@router.post("/search", responses=documented(ChunkHits))
async def search_documents(
    body: DocumentSearchBody, principal: CurrentPrincipal, services: OpenServices
) -> JsonResponse:
    """The parts of documents that most likely answer the query, best first, each with where it stands."""
    hits = await services.library.search(
        principal.owner.tenant,
        body.query,
        limit=body.limit,
        public_only=principal.is_anonymous,
        collections=body.collections,
        threshold=body.threshold,
    )
    return JsonResponse(ChunkHits(hits))


@router.delete("/{document_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def remove_document(
    document_id: DocumentId, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> Response:
    """Remove a document, with everything that finds it. With authentication for the role `operator`."""
    _check_writer(principal, options)
    await services.library.remove(principal.owner.tenant, document_id)
    return Response(status_code=204)


def _check_writer(principal: Principal, options: ServerOptions) -> None:
    if not options.allows(principal.role, OPERATOR_ROLE):
        raise Forbidden(
            f"Documents are read to everybody in the tenant: to change them is for the role {OPERATOR_ROLE!r}."
        )


def _content(body: DocumentBody) -> bytes:
    if (body.content is None) == (body.content_base64 is None):
        raise InvalidInput("content", "or content_base64 must be given, and not both")
    if body.content is not None:
        return body.content.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body.content_base64 or "", validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInput("content_base64", "must be base64") from None
