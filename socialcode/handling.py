"""Handles each request in one go: its middlewares and its view run in one thread, one call."""

import django
from asgiref.sync import AsyncToSync
from django.core.handlers.asgi import ASGIHandler


class PageHandler(ASGIHandler):
    """Django's handler, less its going to and fro between the event loop and a thread.

    Views and nearly all middlewares are synchronous. Django's own handler takes each hook of each
    of them to the thread and back, eighteen times for one vote; that took most of its time.
    """

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's
        super().load_middleware(is_async=False)
        # What serves static files, and what is around it, is asynchronous and awaits the rest,
        # which is synchronous: the whole has been wrapped for callers that can't await it.
        chain: AsyncToSync[..., object] = vars(self)["_middleware_chain"]
        self._middleware_chain = chain.awaitable


def get_page_application() -> PageHandler:
    """Set Django up and return what answers requests for pages."""
    django.setup(set_prefix=False)
    return PageHandler()
