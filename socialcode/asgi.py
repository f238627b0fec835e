"""The site as one ASGI application: pages over HTTP, topics over sockets."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import path
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from socialcode.server.origins import SameOrigin
from socialcode.server.refusal_delay import SlowRefusals
from socialcode.server.request_handler import get_page_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
# Nobody waits longer for a page; commands may take as long as they need.
os.environ.setdefault("SOCIALCODE_STATEMENT_SECONDS", "30")
# Loads the apps, as the imports below need their models.
pages = get_page_application()

from runner.sockets.consumer import serve_socket  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": SlowRefusals(pages),
        # Sockets authenticate users themselves, for many at once.
        "websocket": SameOrigin(
            URLRouter([path("ws/", serve_socket)])  # type: ignore[arg-type]  # ASGI, as Channels has it
        ),
    }
)
if settings.BEHIND_PROXY:
    # Otherwise direct clients could choose the address that limits count.
    application = ProxyHeadersMiddleware(application, settings.TRUSTED_PROXIES)
