"""What Prometheus reads."""

from fastapi import APIRouter, HTTPException, Request, Response

from recuerdo.core.errors import Forbidden
from recuerdo.server.auth.principal import OPERATOR_ROLE, find_ruled_principal
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options

router = APIRouter(tags=["server"])


@router.get("/metrics", response_class=Response, responses=documented(None, 401, 404))
async def metrics(request: Request, options: Options) -> Response:
    """Counters and latencies, in the text format of Prometheus. 404 when metrics are off.

    They are about all tenants: with authentication they are for the role `operator` alone.
    """
    if options.auth is not None and (await find_ruled_principal(request)).role != OPERATOR_ROLE:
        raise Forbidden(
            f"Metrics are for the role {OPERATOR_ROLE!r}. Make a key for them with: "
            f"recuerdo token create --user prometheus --role {OPERATOR_ROLE}"
        )
    if options.metrics is None:
        raise HTTPException(404, "Metrics are off. Turn them on with: pip install 'recuerdo[server]'")
    return Response(options.metrics.render(), headers={"Content-Type": options.metrics.content_type})
