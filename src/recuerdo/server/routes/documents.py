"""Documents: what agents look things up in. The anonymous user sees the public ones alone."""

import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, Query, Response

from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.core.roles import EDITOR_ROLE
from recuerdo.server.answers import ChunkHits, DocumentChunks, DocumentList, JsonResponse, KnownDocument, first_entries
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, CurrentCall
from recuerdo.server.schemas import DocumentBody, DocumentId, DocumentSearchBody, Limit, Skip

router = APIRouter(prefix="/v1/documents", tags=["documents"])

After = Annotated[str | None, Query(description="The `after` of the page before.")]


@router.post("", status_code=201, responses=documented(KnownDocument) | documented(KnownDocument, 403, status=201))
async def add_document(body: DocumentBody, call: CurrentCall) -> JsonResponse:
    """Add a document, or replace the one of its source; 200 when it did not change.

    With authentication for the role `editor`: everybody in the tenant can find it.
    """
    _check_writer(call)
    added = await call.services.library.add(
        call.owner.tenant, body.source, _content(body), collection=body.collection, access=body.access, title=body.title
    )
    if added.changed:
        document = added.document
        action = "document.replaced" if added.replaced else "document.added"
        call.audit(action, document.id, collection=document.collection, access=document.access)
    return JsonResponse(KnownDocument(added.document, added.changed), 201 if added.changed else 200)


@router.get("", responses=documented(DocumentList))
async def list_documents(call: CurrentCall, limit: Limit = 1000, after: After = None, skip: Skip = 0) -> JsonResponse:
    """The documents that the caller may see, the latest first, in pages that are also bounded in bytes."""
    found = await call.services.library.documents(call.owner.tenant, public_only=call.principal.is_anonymous)
    if after is not None:
        ids = [each.id for each in found]
        if after not in ids:
            raise InvalidInput("after", f"there is no document {after!r} any more; start again without it")
        found = found[ids.index(after) + 1 :]
    found = found[skip:]
    documents = first_entries(found[:limit], call.services.history.most_bytes)
    return JsonResponse(DocumentList(documents, documents[-1].id if len(documents) < len(found) else None))


@router.post("/search", responses=documented(ChunkHits))
async def search_documents(body: DocumentSearchBody, call: CurrentCall) -> JsonResponse:
    """The parts of documents that most likely answer the query, best first, each with where it stands."""
    hits = await call.services.library.search(
        call.owner.tenant,
        body.query,
        limit=body.limit,
        public_only=call.principal.is_anonymous,
        collections=body.collections,
        threshold=body.threshold,
    )
    return JsonResponse(ChunkHits(hits))


@router.get("/{document_id}", responses=documented(DocumentChunks, 404))
async def get_document(document_id: DocumentId, call: CurrentCall) -> JsonResponse:
    """A document that the caller may see, with the chunks that it was split into."""
    document, chunks = await call.services.library.document(
        call.owner.tenant, document_id, public_only=call.principal.is_anonymous
    )
    return JsonResponse(DocumentChunks(document, chunks))


@router.delete("/{document_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def remove_document(document_id: DocumentId, call: CurrentCall) -> Response:
    """Remove a document, with everything that finds it. With authentication for the role `editor`."""
    _check_writer(call)
    await call.services.library.remove(call.owner.tenant, document_id)
    call.audit("document.removed", document_id)
    return Response(status_code=204)


def _check_writer(call: ApiCall) -> None:
    if not call.may(EDITOR_ROLE):
        raise Forbidden(
            f"Documents are read to everybody in the tenant: to change them is for the role {EDITOR_ROLE!r}."
        )


def _content(body: DocumentBody) -> bytes:
    if body.content is None and body.content_base64 is None:
        raise InvalidInput("content", "is missing: give content, or content_base64 for a file such as a PDF")
    if body.content is not None and body.content_base64 is not None:
        raise InvalidInput("content", "give content or content_base64, not both")
    if body.content is not None:
        return body.content.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body.content_base64 or "", validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInput("content_base64", "must be base64") from None
