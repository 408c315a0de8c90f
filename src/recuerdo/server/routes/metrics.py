"""What Prometheus reads."""

from fastapi import APIRouter, HTTPException, Response

from recuerdo.server.documentation import documented
from recuerdo.server.options import Options

router = APIRouter(tags=["server"])


@router.get("/metrics", response_class=Response, responses=documented(None, 404))
async def metrics(options: Options) -> Response:
    """Counters and latencies, in the text format of Prometheus. 404 when metrics are off."""
    if options.metrics is None:
        raise HTTPException(404, "Metrics are off. Turn them on with: pip install 'recuerdo[server]'")
    return Response(options.metrics.render(), headers={"Content-Type": options.metrics.content_type})
