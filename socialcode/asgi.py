"""The ASGI application of the site: pages over HTTP, topics over sockets."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import path
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from socialcode.server.origins import SameOrigin
from socialcode.server.refusal_delay import SlowRefusals
from socialcode.server.request_handler import get_page_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
# A limit for pages only; commands may take longer.
os.environ.setdefault("SOCIALCODE_STATEMENT_SECONDS", "30")
# Loads the apps, because the imports below need their models, or read settings.
pages = get_page_application()

from runner.sockets.consumer import serve_socket  # noqa: E402
from socialcode.server.access_log import AccessLog  # noqa: E402
from socialcode.server.batch_waits import BatchWaits  # noqa: E402
from socialcode.server.mcp.endpoint import McpEndpoint  # noqa: E402
from socialcode.server.probes import Probes  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": Probes(McpEndpoint(SlowRefusals(BatchWaits(pages)))),
        # The consumer authenticates users itself, many in one query.
        "websocket": SameOrigin(
            URLRouter([path("ws/", serve_socket)])  # type: ignore[arg-type]  # ASGI, as Channels has it
        ),
    }
)
if settings.BEHIND_PROXY:
    # Only for trusted proxies, because other clients could choose the address counted by limits.
    application = ProxyHeadersMiddleware(application, settings.TRUSTED_PROXIES)
# Around the proxies' headers, because only the connection tells who may choose a request's id. They
# change the scope in place, so that the client's address is logged.
application = AccessLog(application)
